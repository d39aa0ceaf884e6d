#include "ops/cache/files.hpp"

#include "runtime/base/fail.hpp"
#include "runtime/base/file.hpp"

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
    const runtime::open_file file(mkostemp(temporary.data(), O_CLOEXEC));
    if (file && runtime::write_all(file.get(), content) &&
        fchmod(file.get(), secret ? 0600 : 0644) == 0 && fsync(file.get()) == 0 &&
        rename(temporary.c_str(), path.c_str()) == 0)
        return;
    const int error = errno;
    if (file) unlink(temporary.c_str());
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
