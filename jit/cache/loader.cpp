#include "jit/cache/loader.hpp"

#include "runtime/base/environment.hpp"
#include "runtime/base/fail.hpp"

#include <sinter/error.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

namespace sinter::code_cache {
namespace {

/// Writes a line for `perf`, which reads /tmp/perf-PID.map, if SINTER_PERF_MAP is 1.
void describe_to_perf(const void* code, const artefact& a) {
    if (!runtime::environment().perf_map) return;
    char path[64], line[96];
    std::snprintf(path, sizeof path, "/tmp/perf-%d.map", static_cast<int>(getpid()));
    int n = std::snprintf(line, sizeof line, "%zx %zx sinter_kernel_%016zx\n",
                          reinterpret_cast<std::size_t>(code), a.image.size(),
                          static_cast<std::size_t>(hash_of(a.key).low));
    int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) return;
    [[maybe_unused]] ssize_t written = write(fd, line, static_cast<std::size_t>(n));
    close(fd);
}

[[noreturn]] void fail(std::size_t size) {
    runtime::fail<OutOfMemoryError>("jit", "the code of a kernel cannot be mapped",
                                    runtime::text(size, " bytes: ", std::strerror(errno)),
                                    "memory for the code",
                                    "a higher limit of mappings (vm.max_map_count)");
}

}  // namespace

kernel_ir::kernel_fn load_image(const artefact& a) {
    if (a.executable) {
        describe_to_perf(a.image.data(), a);
        return reinterpret_cast<kernel_ir::kernel_fn>(
            reinterpret_cast<uintptr_t>(a.image.data() + a.entry));
    }
    std::size_t size = a.image.size();
    void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) fail(size);
    std::memcpy(memory, a.image.data(), size);
    if (mprotect(memory, size, PROT_READ | PROT_EXEC) != 0) {
        int error = errno;
        munmap(memory, size);
        errno = error;
        fail(size);
    }
    auto* code = static_cast<char*>(memory);
    __builtin___clear_cache(code, code + size);
    describe_to_perf(memory, a);
    return reinterpret_cast<kernel_ir::kernel_fn>(code + a.entry);
}

}  // namespace sinter::code_cache
