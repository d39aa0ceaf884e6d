// Stacks of threads, reused by the next block and the next launch.
#pragma once

#include <cstddef>
#include <vector>

namespace gpu_emulator {

class stack_pool {
public:
    static constexpr std::size_t size = std::size_t{128} << 10;

    stack_pool() = default;
    ~stack_pool();
    stack_pool(const stack_pool&) = delete;
    stack_pool& operator=(const stack_pool&) = delete;

    /// The end of the n-th stack, from which it grows down.
    char* top(std::size_t n);
    bool contains(const void* p) const;

private:
    std::vector<char*> stacks_;  // the lowest address of each, a guard page
};

}  // namespace gpu_emulator
