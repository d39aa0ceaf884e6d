#include "ops/cache/files.hpp"

#include "runtime/base/fail.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

namespace sinter::cache_command {

using code_cache::bytes;

void write_file(const std::string& path, const bytes& content, bool secret) {
    std::string temporary = path + ".XXXXXX";
    const int file = mkostemp(temporary.data(), O_CLOEXEC);
    std::size_t put = 0;
    bool ok = file >= 0;
    while (ok && put < content.size()) {
        const ssize_t n = ::write(file, content.data() + put, content.size() - put);
        if (n < 0 && errno == EINTR) continue;
        ok = n > 0;
        if (ok) put += static_cast<std::size_t>(n);
    }
    ok = ok && fchmod(file, secret ? 0600 : 0644) == 0 && fsync(file) == 0 &&
         rename(temporary.c_str(), path.c_str()) == 0;
    const int error = errno;
    if (file >= 0) close(file);
    if (ok) return;
    if (file >= 0) unlink(temporary.c_str());
    runtime::fail("cache", "a file cannot be written", path + ": " + std::strerror(error),
                  "a folder that can be written, with room", "another path after -o");
}

bytes read_file(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    bytes content{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    if (!in || in.bad())
        runtime::fail("cache", "a file cannot be read", path + ": " + std::strerror(errno),
                      "a file", "another path");
    return content;
}

}  // namespace sinter::cache_command
