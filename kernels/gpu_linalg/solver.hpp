// The vendor routines for column-major matrices. Each call takes a batch whose matrices are a fixed
// step apart. The codes that LAPACK would return in `info` are written there, on the device. No
// operand is empty.
#pragma once

#include "kernels/gpu_linalg/session.hpp"
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

/// A vector for each matrix; `step` is the distance between two of them.
template <class T>
struct vectors {
    T* data;
    int64_t step;
    T* operator[](int64_t i) const { return data + i * step; }
};

/// The routines of one vendor, for the time of one routine call. Letters are LAPACK's. May throw
/// `refused`, as those do that not every vendor has, or an Error.
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
    /// Leaves the other triangle unchanged.
    virtual void potrf(char uplo, matrices<T> a, vectors<int> info, int count) = 0;
    virtual void potrs(char uplo, matrices<T> factor, matrices<T> b, int count) = 0;
    virtual void geqrf(matrices<T> a, vectors<T> tau, int count) = 0;
    virtual void orgqr(matrices<T> a, vectors<T> tau, int k, int count) = 0;
    virtual void ormqr(char side, char trans, matrices<T> a, vectors<T> tau, int k, matrices<T> c,
                       int count) = 0;
    /// Of symmetric matrices, and of the lower triangle.
    virtual void sytrf(matrices<T> a, vectors<int> pivots, vectors<int> info, int count) = 0;
    virtual void syevd(char uplo, bool wanted, matrices<T> a, vectors<R> values, vectors<int> info,
                       int count) = 0;
    virtual void gesvd(char job, matrices<T> a, vectors<R> s, matrices<T> u, matrices<T> vh,
                       vectors<int> info, int count) = 0;
    /// Of the first matrix. `right` has no columns if vectors are not wanted. Those of a real
    /// matrix are LAPACK's pairs of columns.
    virtual void geev(matrices<T>, complex<R>* /*values*/, matrices<T> /*right*/, int* /*info*/) {
        throw refused();
    }
    /// Counts the work that was put.
    virtual void end() = 0;
};

/// Makes the solver of a vendor, for each T.
struct solver_makers {
    template <class T>
    using maker = std::unique_ptr<solver<T>> (*)(const char* op, runtime::gpu_stream& s);
    maker<float> f32;
    maker<double> f64;
    maker<complex<float>> c32;
    maker<complex<double>> c64;
};

template <template <class> class Solver>
constexpr solver_makers make_solvers() {
    constexpr auto make = []<class T>() -> solver_makers::maker<T> {
        return [](const char* op, runtime::gpu_stream& s) -> std::unique_ptr<solver<T>> {
            return std::make_unique<Solver<T>>(op, s);
        };
    };
    return {
        make.template operator()<float>(),
        make.template operator()<double>(),
        make.template operator()<complex<float>>(),
        make.template operator()<complex<double>>()
    };
}

}  // namespace sinter::gpu_linalg
