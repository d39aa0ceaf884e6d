// A call whose buffers border on inaccessible pages. Every other byte around the buffers is
// checked.
#pragma once

#include "jit/interpret/kernel_call_data.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <stdexcept>
#include <utility>

namespace sinter::kernel_ir::testing {

/// Pages between two inaccessible ones.
class guarded_memory {
public:
    explicit guarded_memory(std::size_t size) : page_(static_cast<std::size_t>(getpagesize())) {
        size_ = (size + page_ - 1) / page_ * page_ + (size == 0 ? page_ : 0);
        void* all = mmap(nullptr, size_ + 2 * page_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (all == MAP_FAILED) throw std::runtime_error("mmap");
        base_ = static_cast<char*>(all);
        if (mprotect(begin(), size_, PROT_READ | PROT_WRITE) != 0)
            throw std::runtime_error("mprotect");
    }
    guarded_memory(guarded_memory&& other) noexcept
        : page_(other.page_), size_(other.size_), base_(std::exchange(other.base_, nullptr)) {}
    guarded_memory& operator=(guarded_memory&&) = delete;
    ~guarded_memory() {
        if (base_) munmap(base_, size_ + 2 * page_);
    }

    char* begin() const { return base_ + page_; }
    char* end() const { return begin() + size_; }
    std::size_t size() const { return size_; }

private:
    std::size_t page_, size_;
    char* base_;
};

enum class guard_side { before, after };

class guarded_call {
public:
    /// Moves the contents of `data`, which was made with the same extents, next to the guard.
    /// `backwards` walks lanes of stride class other from the far end, with a negative stride.
    guarded_call(const kernel& k, kernel_call_data& data, guard_side side, bool backwards)
        : kernel_(k), call_(data.call()) {
        const bool along_elements = k.along == lanes::element;
        for (std::size_t o = 0; o < k.operands.size(); o++) {
            operand_arg arg = data.arg(o);
            if (k.operands[o].use == role::index) {
                memory_.emplace_back(0);
                first_.push_back(nullptr);
                args_.push_back(arg);
                continue;
            }
            const auto& view = data.bytes(o);
            const auto size = static_cast<std::size_t>(view.hi - view.lo);
            memory_.emplace_back(size);
            std::memset(memory_[o].begin(), 0x5a, memory_[o].size());
            char* first = side == guard_side::before ? memory_[o].begin() : memory_[o].end() - size;
            // Bytes of an element that straddles the end are unused; starts keep their alignment.
            first -= reinterpret_cast<uintptr_t>(first) % view.alignment;
            std::memcpy(first, view.lo, size);
            first_.push_back(first);
            arg.ptr = first + (arg.ptr - view.lo);
            int64_t& lane = along_elements ? arg.s0 : arg.s1;
            const int64_t n = along_elements ? call_.n0 : call_.n1;
            if (backwards && k.operands[o].lane == stride_class::other && n > 0 && !row_domain(o)) {
                arg.ptr += (n - 1) * lane;
                lane = -lane;
            }
            args_.push_back(arg);
        }
        call_.operands = args_.data();
        call_.status = &status_;
    }
    guarded_call(const guarded_call&) = delete;
    guarded_call& operator=(const guarded_call&) = delete;

    kernel_call call() const { return call_; }

    /// Returns an empty text if all memory and the status agree, with NaNs equal.
    std::string difference(const guarded_call& other) const {
        if (status_ != other.status_) return "status differs";
        for (std::size_t o = 0; o < memory_.size(); o++) {
            if (!first_[o]) continue;
            const char *mine = memory_[o].begin(), *theirs = other.memory_[o].begin();
            const auto size = static_cast<std::ptrdiff_t>(elementSize(kernel_.operands[o].type));
            for (std::size_t at = 0; at < memory_[o].size(); at++) {
                if (mine[at] == theirs[at]) continue;
                const std::ptrdiff_t from_first = memory_[o].begin() + at - first_[o];
                const std::ptrdiff_t element = from_first / size;
                const char *a = first_[o] + element * size, *b = other.first_[o] + element * size;
                if (from_first >= 0 && is_nan(o, a) && is_nan(o, b)) continue;
                return "operand " + std::to_string(o) + ", byte " + std::to_string(from_first) +
                       " (element " + std::to_string(element) + "): " + hex(a, size) + " and " +
                       hex(b, size);
            }
        }
        return {};
    }

private:
    bool row_domain(std::size_t operand) const {
        for (const instr& i : kernel_.body) {
            const bool touches = i.op == opcode::load || i.op == opcode::store;
            if (touches && static_cast<std::size_t>(i.a) == operand && i.dom == domain::row &&
                kernel_.along == lanes::element)
                return true;
        }
        return false;
    }
    bool is_nan(std::size_t operand, const char* at) const {
        uint64_t bits = 0;
        std::memcpy(&bits, at, elementSize(kernel_.operands[operand].type));
        return kernel_ir::is_nan(kernel_.operands[operand].type, bits);
    }
    static std::string hex(const char* at, std::ptrdiff_t size) {
        static constexpr char digits[] = "0123456789abcdef";
        std::string text = "0x";
        for (std::ptrdiff_t i = size - 1; i >= 0; i--) {
            text += digits[at[i] >> 4 & 15];
            text += digits[at[i] & 15];
        }
        return text;
    }

    const kernel& kernel_;
    kernel_call call_;
    std::vector<guarded_memory> memory_;
    std::vector<char*> first_;
    std::vector<operand_arg> args_;
    uint64_t status_ = 0;
};

}  // namespace sinter::kernel_ir::testing
