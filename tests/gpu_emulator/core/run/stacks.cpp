#include "core/run/stacks.hpp"

#include <sys/mman.h>

#include <new>

namespace gpu_emulator {
namespace {

constexpr std::size_t guard = 4096;

}  // namespace

stack_pool::~stack_pool() {
    for (char* s : stacks_) munmap(s, guard + size);
}

char* stack_pool::top(std::size_t n) {
    while (stacks_.size() <= n) {
        void* s = mmap(nullptr, guard + size, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
        if (s == MAP_FAILED) throw std::bad_alloc();
        mprotect(s, guard, PROT_NONE);
        stacks_.push_back(static_cast<char*>(s));
    }
    return stacks_[n] + guard + size;
}

bool stack_pool::contains(const void* p) const {
    for (const char* s : stacks_)
        if (p >= s && p < s + guard + size) return true;
    return false;
}

}  // namespace gpu_emulator
