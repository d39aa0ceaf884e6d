// The interface between ops/linalg, which handles shapes, laziness and errors, and LAPACK or the
// GPU libraries (kernels/gpu_linalg). A routine runs over a batch of matrices.
//
// A routine takes blocks: batches of column-major matrices, of vectors, or of one number per
// matrix. It works in place where its comment says "changes". It reports the failure of a matrix in
// `info`, as LAPACK does, and goes on with the next matrix. It throws only if the library is
// missing or refuses an argument. Every block may be empty.
#pragma once

#include <sinter/dtype.hpp>
#include <sinter/geometry.hpp>
#include <sinter/scalar.hpp>

#include <cstdint>
#include <span>
#include <string>

namespace sinter::runtime {
class gpu_stream;
}

namespace sinter::lapack {

/// One operand. `shape` is (batch..., rows, columns), (batch..., length) or (batch...). Blocks that
/// are only read may repeat matrices by strides of 0.
struct block {
    char* data;  // start of the storage
    const geometry* shape;
    ScalarType dtype;
};

struct routine_call {
    const char* op;  // for errors
    std::span<const block> blocks;
    std::span<const Scalar> numbers;
};

/// One routine, named like LAPACK's. Its blocks are, in order: those it changes, those it makes,
/// those it reads.
struct routine {
    const char* name;  // LAPACK's name, for errors
    void (*run)(const routine_call& call);
    /// The GPU form: `data` are device addresses. Puts the work on the stream and waits for
    /// nothing. Returns false if no GPU library computes it; the blocks may then hold anything.
    bool (*on_gpu)(const routine_call& call, runtime::gpu_stream& stream) = nullptr;
};

/// The `info` of a matrix with elements that are not finite, for routines that do not take them.
inline constexpr int info_not_finite = -1000;

/// The parts of the error text for an `info` that is not 0.
struct meaning {
    const char* happened;
    std::string got;
    const char* expected;
    const char* remedy;
};
meaning meaning_of(const routine& r, int info);

// ---- LU. changes a (m, n); makes pivots (k) Int, info () Int
extern const routine getrf;
/// changes b (n, k); reads lu (n, n), pivots (n). Numbers: 'N', 'T' or 'C', what is done to lu.
extern const routine getrs;
/// changes a (n, n); makes info
extern const routine getri;

// ---- Cholesky. Numbers: 'L' or 'U', the triangle that is read
/// changes a (n, n), whose other triangle becomes zeros; makes info
extern const routine potrf;
/// changes the factor (n, n) into the whole inverse; makes info
extern const routine potri;
/// changes b (n, k); reads the factor
extern const routine potrs;

// ---- LDL of the lower triangle. Numbers: true if it is Hermitian
/// changes a (n, n); makes pivots (n) Int, info
extern const routine sytrf;
/// changes b (n, k); reads factors (n, n), pivots (n)
extern const routine sytrs;

// ---- triangular systems. Numbers: side 'L' or 'R'; 'L' or 'U'; 'N', 'T' or 'C'; 'N' or 'U'(nit)
/// changes b (m, n); reads a
extern const routine trsm;

// ---- orthogonal factors
/// changes a (m, n); makes tau (k)
extern const routine geqrf;
/// changes a (m, n), n <= m, into columns of Q; reads tau (l), l <= n
extern const routine orgqr;
/// changes c (m, n); reads a, tau. Numbers: side 'L' or 'R'; 'N' or 'C'
extern const routine ormqr;

// ---- singular values. changes a (m, n), which is lost. Numbers: job 'A', 'S' or 'N'; true for
// gesvd
/// makes u, s (k) real, vh, info; with job 'N' u and vh are empty
extern const routine gesdd;

// ---- eigenvalues
/// changes a (n, n), which is lost; makes values (n), vectors (n, n), both complex, info. Numbers:
/// true if vectors are wanted
extern const routine geev;
/// changes a (n, n) into vectors if they are wanted; makes values (n) real, info. Numbers: 'L' or
/// 'U'; true if vectors are wanted
extern const routine syevd;

// ---- least squares
/// changes a (m, n), which is lost, and b (max(m, n), k), whose first n rows become the solution;
/// makes rank () Long, singular values (k) real, info. Numbers: driver 0 gels, 1 gelsy, 2 gelsd, 3
/// gelss; rcond
extern const routine gels;

}  // namespace sinter::lapack
