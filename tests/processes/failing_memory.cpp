#include "tests/processes/failing_memory.hpp"

#include <execinfo.h>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <new>

namespace sinter::test {
namespace {

// Affects one thread: the others, a compiler among them, continue.
constinit thread_local int64_t asked = 0, refused = 0;
constinit thread_local void* where[40];
constinit thread_local int depth = 0;

[[maybe_unused]] bool refuse() {  // not called in builds with sanitizers
    if (refused < 0 || ++asked != refused) return false;
    const int64_t n = refused;
    refused = -1;  // the code below allocates
    depth = backtrace(where, 40);
    refused = n;
    return true;
}

}  // namespace

void refuse_allocation(int64_t n) {
    asked = 0;
    refused = n;
}
int64_t stop_refusing() {
    refused = -1;
    return asked;
}
void print_where_refused() { backtrace_symbols_fd(where, depth, 2); }

}  // namespace sinter::test

// Sanitizers have their own allocators, which never return null.
#if !defined(SINTER_SANITIZE_ADDRESS) && !defined(SINTER_SANITIZE_THREAD)
using sinter::test::refuse;

void* operator new(std::size_t n) {
    if (refuse()) throw std::bad_alloc();
    if (void* p = std::malloc(n ? n : 1)) return p;
    throw std::bad_alloc();
}
void* operator new(std::size_t n, const std::nothrow_t&) noexcept {
    return refuse() ? nullptr : std::malloc(n ? n : 1);
}
void* operator new(std::size_t n, std::align_val_t a) {
    if (refuse()) throw std::bad_alloc();
    if (void* p = memalign(static_cast<std::size_t>(a), n)) return p;
    throw std::bad_alloc();
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, const std::nothrow_t&) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }

extern "C" void* aligned_alloc(std::size_t alignment, std::size_t n) {
    if (refuse()) return nullptr;
    return memalign(alignment, n);
}
extern "C" void* mmap(void* at, std::size_t n, int protection, int flags, int fd, off_t offset) {
    if (refuse()) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    return reinterpret_cast<void*>(syscall(SYS_mmap, at, n, protection, flags, fd, offset));
}
#endif
