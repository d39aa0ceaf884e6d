// What the routines need of a vendor's libraries, for matrices by columns. Each call is of a batch
// whose matrices are a fixed step apart. Codes that LAPACK would return in `info` are put there, on
// the device. Everything has elements.
#pragma once

#include "kernels/gpu_linalg/vendor_library.hpp"
#include "runtime/device/stream.hpp"

#include <cstdint>
#include <memory>

namespace sinter::gpu_linalg {

template <class T>
struct matrices {
    T* data;
    int rows, cols, ld;
    int64_t step;  // in elements
    T* operator[](int64_t i) const { return data + i * step; }
};

/// Of numbers: how far those of one matrix are from those of the next.
template <class T>
struct vectors {
    T* data;
    int64_t step;
    T* operator[](int64_t i) const { return data + i * step; }
};

/// Letters are LAPACK's. For the time of one routine; may throw `refused`, or an Error.
template <class T>
class solver {
public:
    using R = real_of<T>;
    virtual ~solver() = default;

    virtual void trsm(char side, char uplo, char trans, char diagonal, matrices<T> a, matrices<T> b,
                      int count) = 0;
    virtual void getrf(matrices<T> a, vectors<int> pivots, vectors<int> info, int count) = 0;
    virtual void getrs(char trans, matrices<T> lu, vectors<int> pivots, matrices<T> b,
                       int count) = 0;
    /// Leaves the other triangle as it is.
    virtual void potrf(char uplo, matrices<T> a, vectors<int> info, int count) = 0;
    virtual void potrs(char uplo, matrices<T> factor, matrices<T> b, int count) = 0;
    virtual void geqrf(matrices<T> a, vectors<T> tau, int count) = 0;
    virtual void orgqr(matrices<T> a, vectors<T> tau, int k, int count) = 0;
    virtual void ormqr(char side, char trans, matrices<T> a, vectors<T> tau, int k, matrices<T> c,
                       int count) = 0;
    virtual void syevd(char uplo, bool wanted, matrices<T> a, vectors<R> values, vectors<int> info,
                       int count) = 0;
    virtual void gesvd(char job, matrices<T> a, vectors<R> s, matrices<T> u, matrices<T> vh,
                       vectors<int> info, int count) = 0;
    /// Counts what was put.
    virtual void end() = 0;
};

template <class T>
std::unique_ptr<solver<T>> cuda_solver(const char* op, runtime::gpu_stream& s);
template <class T>
std::unique_ptr<solver<T>> hip_solver(const char* op, runtime::gpu_stream& s);

/// That of the vendor of the stream's device.
template <class T>
std::unique_ptr<solver<T>> solver_on(const char* op, runtime::gpu_stream& s) {
    return s.device().api->made_by == runtime::vendor::nvidia ? cuda_solver<T>(op, s)
                                                              : hip_solver<T>(op, s);
}

}  // namespace sinter::gpu_linalg
