// FFTW 3, opened at run time. Its names are those of its manual, section "Guru Interface", so no
// header of it is needed to build.
#pragma once

#include <sinter/complex.hpp>

#include <cstddef>

namespace sinter::fourier {

/// A dimension of a transform, or of transforms side by side: elements, and the distance of two
/// neighbours in operand and result, in numbers of their dtypes.
struct fftw_dimension {
    std::ptrdiff_t n, from, to;
};

/// FFTW's functions of one precision.
template <class R>
struct fftw {
    using plan = struct opaque*;
    using dimensions = const fftw_dimension*;

    plan (*plan_c2c)(int rank, dimensions, int howmany, dimensions, complex<R>*, complex<R>*,
                     int sign, unsigned flags);
    plan (*plan_r2c)(int rank, dimensions, int howmany, dimensions, R*, complex<R>*,
                     unsigned flags);
    plan (*plan_c2r)(int rank, dimensions, int howmany, dimensions, complex<R>*, R*,
                     unsigned flags);
    void (*run_c2c)(plan, complex<R>*, complex<R>*);
    void (*run_r2c)(plan, R*, complex<R>*);
    void (*run_c2r)(plan, complex<R>*, R*);
    void (*destroy)(plan);
};

/// Returns the process's functions, which the first call finds. Throws Error naming `op` if the
/// library, or a function of it, is missing.
template <class R>
const fftw<R>& require_fftw(const char* op);

}  // namespace sinter::fourier
