// Memory like that of the library: aligned to a huge page, and huge where the system allows it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

#include <sys/mman.h>

namespace bench {

template <class T>
class buffer {
public:
    explicit buffer(int64_t n) {
        constexpr std::size_t page = std::size_t{2} << 20;
        const std::size_t bytes = static_cast<std::size_t>(n) * sizeof(T);
        const std::size_t align = bytes < page ? 64 : page;
        const std::size_t rounded = (bytes + align - 1) / align * align;
        memory_.reset(static_cast<T*>(std::aligned_alloc(align, rounded)));
        if (!memory_) throw std::bad_alloc();
        if (align == page) madvise(memory_.get(), rounded, MADV_HUGEPAGE);  // a hint, may fail
    }
    T* data() const { return memory_.get(); }

private:
    struct release {
        void operator()(T* p) const { std::free(p); }
    };
    std::unique_ptr<T, release> memory_;
};

}  // namespace bench
