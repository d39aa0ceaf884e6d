// An array that uses the heap only if it is long.
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>

namespace sinter::runtime {

/// Holds `size` default-initialised elements, up to N of them on the stack.
template <class T, std::size_t N>
class stack_array {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    explicit stack_array(std::size_t size) {
        if (size > N) {
            heap_.reset(new T[size]);
            data_ = heap_.get();
        } else {
            data_ = inline_;
        }
    }
    stack_array(const stack_array&) = delete;
    stack_array& operator=(const stack_array&) = delete;

    T& operator[](std::size_t i) { return data_[i]; }
    const T& operator[](std::size_t i) const { return data_[i]; }
    T* data() { return data_; }
    const T* data() const { return data_; }

private:
    T inline_[N];
    std::unique_ptr<T[]> heap_;
    T* data_;
};

}  // namespace sinter::runtime
