// Running a LAPACK routine over a batch: many small matrices side by side, each on one thread, or
// large ones one after the other on all of them.
#pragma once

#include "kernels/lapack/library.hpp"
#include "kernels/lapack/routines.hpp"
#include "kernels/linalg/blas_call.hpp"
#include "runtime/device/buffer.hpp"
#include "runtime/threads/threads.hpp"

#include <sinter/error.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>

namespace sinter::lapack {

/// Throws where LAPACK's 32 bits do not hold a size.
int narrow(const char* op, int64_t size);

/// A block as matrices of T, `item_dims` dimensions each (2: by columns; 1; 0).
template <class T>
class matrices {
public:
    matrices(const routine_call& c, std::size_t which, int item_dims)
        : data_(reinterpret_cast<T*>(c.blocks[which].data) + c.blocks[which].shape->offset),
          shape_(*c.blocks[which].shape),
          batch_dims_(shape_.ndim - item_dims) {
        const int64_t *sizes = shape_.sizes() + batch_dims_,
                      *strides = shape_.strides() + batch_dims_;
        rows = item_dims > 0 ? narrow(c.op, sizes[0]) : 1;
        cols = item_dims > 1 ? narrow(c.op, sizes[1]) : 1;
        // LAPACK wants a leading dimension even of what is empty, and of one column.
        ld = std::max(1, item_dims > 1 && cols > 1 ? narrow(c.op, strides[1]) : rows);
        if (item_dims > 0 && rows > 1 && strides[0] != 1)
            throw InternalError("[" + std::string(c.op) +
                                "] a matrix does not lie by columns; got a row stride of " +
                                std::to_string(strides[0]) + ", expected 1; try reporting this");
        for (int d = batch_dims_; d-- > 0;) {
            if (shape_.sizes()[d] == 1) continue;
            if (count == 1) step_ = shape_.strides()[d];
            even_ = even_ && shape_.strides()[d] == count * step_;
            count *= shape_.sizes()[d];
        }
    }

    T* operator[](int64_t i) const {
        if (even_) return data_ + i * step_;
        int64_t at = 0;
        for (int d = batch_dims_; d-- > 0 && i != 0;) {
            at += i % shape_.sizes()[d] * shape_.strides()[d];
            i /= shape_.sizes()[d];
        }
        return data_ + at;
    }

    int rows = 0, cols = 0, ld = 1;
    int64_t count = 1;

private:
    T* data_;
    const geometry& shape_;
    int batch_dims_;
    int64_t step_ = 0;
    bool even_ = true;
};

/// Memory of one thread's calls, of `count` elements, none of them set.
template <class T>
class work {
public:
    explicit work(int64_t count)
        : memory_(runtime::make_buffer(static_cast<std::size_t>(std::max<int64_t>(count, 1)) *
                                       sizeof(T))) {}
    operator T*() const { return static_cast<T*>(memory_->data); }  // NOLINT: as a pointer

private:
    runtime::buffer_ptr memory_;
};

template <class T>
real_of<T> real_part(const T& x) {
    if constexpr (is_complex<T>) {
        return x.real();
    } else {
        return x;
    }
}

/// The size that a routine answers where it is asked for its workspace.
template <class T>
int work_size(const T& answer) {
    double size = static_cast<double>(real_part(answer));
    // Large sizes were rounded on their way through a float.
    if (sizeof(real_of<T>) == sizeof(float)) size *= 1 + 0x1p-22;
    return static_cast<int>(std::clamp(size, 1.0, double{std::numeric_limits<int>::max()}));
}

/// Multiplications from which several threads work on one matrix.
inline constexpr double large_matrix = double{1 << 24};
/// Below, waking another thread for one matrix more does not pay.
inline constexpr double batch_grain = double{1 << 17};

/// Calls make() on each thread that takes part, and what that returns with the number of each
/// matrix. `cost`: multiplications for one matrix.
template <class F>
void for_each_matrix(const char* op, int64_t count, double cost, const F& make) {
    if (count == 0) return;
    const blas::blas_library& library = blas::require_blas(op);
    if (cost >= large_matrix) {
        auto one = make();
        const blas::lapack_call inside(library, true);
        for (int64_t i = 0; i < count; ++i) one(i);
        return;
    }
    // A call costs as much as 2000 multiplications, whatever it does.
    const auto grain = static_cast<int64_t>(batch_grain / (cost + 2000)) + 1;
    runtime::parallel_for(0, count, grain, [&](int64_t begin, int64_t end) {
        auto one = make();
        const blas::blas_call inside(library);
        for (int64_t i = begin; i < end; ++i) one(i);
    });
}

/// Calls f with a null pointer to the element type.
template <class F>
void by_dtype(const routine_call& c, const F& f) {
    switch (c.blocks[0].dtype) {
        case kFloat: return f(static_cast<float*>(nullptr));
        case kDouble: return f(static_cast<double*>(nullptr));
        case kComplexFloat: return f(static_cast<complex<float>*>(nullptr));
        case kComplexDouble: return f(static_cast<complex<double>*>(nullptr));
        default:
            throw InternalError("[" + std::string(c.op) + "] LAPACK has no such dtype; got " +
                                toString(c.blocks[0].dtype) +
                                ", expected Float, Double or complex ones; try reporting this");
    }
}

/// The routine for the call's dtype: `F` is a template of a function object.
#define SINTER_LAPACK_BY_DTYPE(function) \
    [](const routine_call& call) { by_dtype(call, [&]<class T>(T*) { function<T>(call); }); }

/// An argument that LAPACK refused is a fault of ours.
void require_accepted(const char* op, int info);

/// Whether all elements of a matrix, or of a triangle ('L', 'U') of it, are finite.
template <class T>
bool all_finite(const T* a, int rows, int cols, int ld, char part = 'A') {
    using R = real_of<T>;
    constexpr int parts = is_complex<T> ? 2 : 1;
    const R* x = reinterpret_cast<const R*>(a);
    for (int c = 0; c < cols; ++c) {
        const int begin = part == 'L' ? std::min(c, rows) : 0;
        const int end = part == 'U' ? std::min(c + 1, rows) : rows;
        const R* column = x + static_cast<int64_t>(c) * ld * parts;
        unsigned bad = 0;
        for (int r = begin * parts; r < end * parts; ++r)
            bad |= !(std::fabs(column[r]) <= std::numeric_limits<R>::max());
        if (bad) return false;
    }
    return true;
}

}  // namespace sinter::lapack
