// Runs a routine over a batch: the smallest matrices side by side in vectors, other small ones in
// parallel, each on one thread, and large ones one at a time, each on all threads, by LAPACK.
#pragma once

#include "jit/simd/block.hpp"
#include "kernels/lapack/library.hpp"
#include "kernels/lapack/routines.hpp"
#include "kernels/linalg/blas_call.hpp"
#include "runtime/base/fail.hpp"
#include "runtime/device/buffer.hpp"
#include "runtime/memory/size_class.hpp"
#include "runtime/strided/walk.hpp"
#include "runtime/threads/threads.hpp"
#include "runtime/types/dtypes.hpp"

#include <sinter/error.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>

namespace sinter::lapack {

/// A block as a batch of items of T with `item_dims` dimensions each: 2 (column-major matrices), 1
/// (vectors) or 0 (numbers).
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
        // LAPACK checks the leading dimension even for an empty matrix or a single column.
        ld = std::max(1, item_dims > 1 && cols > 1 ? narrow(c.op, strides[1]) : rows);
        if (item_dims > 0 && rows > 1 && strides[0] != 1)
            runtime::bug(c.op, runtime::text("a matrix is not column-major; its row stride is ",
                                             strides[0]));
        for (int d = batch_dims_; d-- > 0;) {
            if (shape_.sizes()[d] == 1) continue;
            if (count == 1) step_ = shape_.strides()[d];
            even_ = even_ && shape_.strides()[d] == count * step_;
            count *= shape_.sizes()[d];
        }
    }

    T* operator[](int64_t i) const {
        if (even_) return data_ + i * step_;
        return data_ + runtime::offset_of(i, static_cast<std::size_t>(batch_dims_), shape_.sizes(),
                                          shape_.strides());
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

/// Uninitialised memory for `count` elements, for the calls of one thread.
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

/// Calls f(address), which may change a matrix of `a`: at its own address if that is a multiple of
/// 64 bytes, else at that of a copy. OpenBLAS's bits depend on the address for some processors, and
/// a matrix of a batch should have the same ones at each place.
template <class T, class F>
void run_aligned(const matrices<T>& a, T* matrix, const F& f) {
    if (reinterpret_cast<uintptr_t>(matrix) % runtime::block_alignment == 0) return f(matrix);
    const work<T> memory(int64_t{a.ld} * a.cols);
    T* const aligned = memory;
    const auto copy = [&a](const T* from, T* to) {
        for (int64_t c = 0; c < a.cols; ++c) std::copy_n(from + c * a.ld, a.rows, to + c * a.ld);
    };
    copy(matrix, aligned);
    f(aligned);
    copy(aligned, matrix);
}

template <class T>
real_of<T> real_part(const T& x) {
    if constexpr (is_complex<T>) {
        return x.real();
    } else {
        return x;
    }
}

/// Returns the workspace size that a routine reported for a size query.
template <class T>
int work_size(const T& answer) {
    double size = static_cast<double>(real_part(answer));
    // A float has rounded a large size, perhaps down.
    if (sizeof(real_of<T>) == sizeof(float)) size *= 1 + 0x1p-22;
    return static_cast<int>(std::clamp(size, 1.0, double{std::numeric_limits<int>::max()}));
}

/// From this many multiplications on, several threads work on one matrix.
inline constexpr double large_matrix = double{1 << 24};
/// Below this many multiplications, waking another thread for one more matrix does not pay.
inline constexpr double batch_grain = double{1 << 17};

/// Calls make() on each participating thread, and the function it returns with the index of each
/// matrix. `cost` is the number of multiplications for one matrix.
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
    // Any call costs as much as about 2000 multiplications.
    const auto grain = static_cast<int64_t>(batch_grain / (cost + 2000)) + 1;
    runtime::parallel_for(0, count, grain, [&](int64_t begin, int64_t end) {
        auto one = make();
        const blas::blas_call inside(library);
        for (int64_t i = begin; i < end; ++i) one(i);
    });
}

/// Returns the functions that factor small matrices side by side; null if there are none for these
/// matrices, or so few of them that most lanes would be empty.
template <class T>
const sinter::block::small_factor_fns* small_factors(const matrices<T>& a) {
    if (a.rows != a.cols || a.rows == 0 || a.rows > sinter::block::small_matrix) return nullptr;
    const sinter::block::small_factor_fns* f =
        std::is_same_v<T, float>    ? sinter::block::find_factors(kFloat)
        : std::is_same_v<T, double> ? sinter::block::find_factors(kDouble)
                                    : nullptr;
    return f && f->lanes >= 4 && 2 * a.count >= f->lanes ? f : nullptr;
}

/// Calls f(first, count) for groups of matrices that are computed side by side.
template <class F>
void for_each_group(int64_t count, double cost, const sinter::block::small_factor_fns& functions,
                    const F& f) {
    const int64_t lanes = functions.lanes, groups = (count + lanes - 1) / lanes;
    const auto grain = static_cast<int64_t>(batch_grain / (2 * cost + 500)) + 1;
    runtime::parallel_for(0, groups, grain, [&](int64_t begin, int64_t end) {
        for (int64_t g = begin; g < end; ++g)
            f(g * lanes, static_cast<int>(std::min(lanes, count - g * lanes)));
    });
}

/// Addresses of the items of a group.
template <class T>
class group {
public:
    template <class U>
    group(const matrices<U>& of, int64_t first, int count) {
        for (int k = 0; k < count; ++k) items_[k] = of[first + k];
    }
    operator T* const*() const { return items_; }  // NOLINT: as an array

private:
    T* items_[16] = {};
};

/// A function that calls the function template `function` for the call's dtype.
#define SINTER_LAPACK_BY_DTYPE(function)                                                \
    [](const routine_call& call) {                                                      \
        with_type(call.blocks[0].dtype,                                                 \
                  [&]<lapack_element T>(std::type_identity<T>) { function<T>(call); }); \
    }

/// Throws InternalError if LAPACK refused an argument, which is a bug of this library.
void require_accepted(const char* op, int info);

/// Returns true if all elements of a matrix, or of its triangle `part` ('L' or 'U'), are finite.
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
