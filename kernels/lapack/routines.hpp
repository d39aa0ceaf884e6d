// The interface between ops/linalg, which handles shapes, laziness and errors, and LAPACK or the
// GPU libraries. A routine runs over a batch of matrices.
//
// A routine takes blocks: batches of column-major matrices, of vectors, or of one number per
// matrix. It works in place where its comment says "changes". It reports the failure of a matrix in
// `info`, as LAPACK does, and goes on with the next matrix. It throws only if the library is
// missing or refuses an argument. Every block may be empty.
#pragma once

#include "kernels/attributes.hpp"

#include <sinter/core/geometry.hpp>
#include <sinter/dtype.hpp>

#include <cstdint>
#include <span>
#include <string>

namespace sinter::runtime {
class gpu_stream;
}

namespace sinter::lapack {

/// Returns the size as an int. Throws Error if LAPACK's 32 bits cannot hold it.
int narrow(const char* op, int64_t size);

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
    const op_attributes* attributes;  // null: the routine has none
};

/// One routine, named like LAPACK's. Its blocks are, in order: those it changes, those it makes,
/// those it reads.
struct routine {
    const char* name;  // LAPACK's name, for errors
    void (*run)(const routine_call& call);
    /// The GPU form: `data` are device addresses. Puts the work on the stream and waits for
    /// nothing. Returns false if no GPU library computes it; the blocks may then hold anything.
    bool (*on_gpu)(const routine_call& call, runtime::gpu_stream& stream) = nullptr;
    /// How many blocks it changes.
    int changes = 1;
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

// The letters are LAPACK's. `uplo`: 'L' or 'U', the triangle that is read. `trans`: 'N', 'T' or
// 'C', what is done to the matrix first. `side`: 'L' or 'R'. `diag`: 'N', or 'U' for a unit
// diagonal.

// ---- LU. changes a (m, n); makes pivots (k) Int, info () Int
extern const routine getrf;
struct getrs_attributes {
    char trans;
    bool operator==(const getrs_attributes&) const = default;
};
/// changes b (n, k); reads lu (n, n), pivots (n). Attributes: getrs_attributes.
extern const routine getrs;
/// changes a (n, n); makes info
extern const routine getri;

// ---- Cholesky. Attributes: cholesky_attributes
struct cholesky_attributes {
    char uplo;
    bool operator==(const cholesky_attributes&) const = default;
};
/// changes a (n, n), whose other triangle becomes zeros; makes info
extern const routine potrf;
/// changes the factor (n, n) into the whole inverse; makes info
extern const routine potri;
/// changes b (n, k); reads the factor
extern const routine potrs;

// ---- LDL of the lower triangle. Attributes: ldl_attributes
struct ldl_attributes {
    bool hermitian;
    bool operator==(const ldl_attributes&) const = default;
};
/// changes a (n, n); makes pivots (n) Int, info
extern const routine sytrf;
/// changes b (n, k); reads factors (n, n), pivots (n)
extern const routine sytrs;

// ---- triangular systems
struct trsm_attributes {
    char side, uplo, trans, diag;
    bool operator==(const trsm_attributes&) const = default;
};
/// changes b (m, n); reads a. Attributes: trsm_attributes.
extern const routine trsm;

// ---- orthogonal factors
/// changes a (m, n); makes tau (k)
extern const routine geqrf;
/// changes a (m, n), n <= m, into columns of Q; reads tau (l), l <= n
extern const routine orgqr;
struct ormqr_attributes {
    char side, trans;  // `trans` is 'N' or 'C'
    bool operator==(const ormqr_attributes&) const = default;
};
/// changes c (m, n); reads a, tau. Attributes: ormqr_attributes.
extern const routine ormqr;

// ---- singular values
struct svd_attributes {
    char job;    // 'A', 'S' or 'N'
    bool gesvd;  // true: call gesvd, not gesdd
    bool operator==(const svd_attributes&) const = default;
};
/// changes a (m, n), which is lost; makes u, s (k) real, vh, info; with job 'N' u and vh are empty.
/// Attributes: svd_attributes.
extern const routine gesdd;

// ---- eigenvalues
struct geev_attributes {
    bool vectors;
    bool operator==(const geev_attributes&) const = default;
};
/// changes a (n, n), which is lost; makes values (n) complex, vectors (n, n), info. Vectors are
/// complex, or of a real matrix's dtype: then a conjugate pair has a column each for its real and
/// its imaginary part, as in LAPACK. Attributes: geev_attributes.
extern const routine geev;
struct syevd_attributes {
    char uplo;
    bool vectors;
    bool operator==(const syevd_attributes&) const = default;
};
/// changes a (n, n) into vectors if they are wanted; makes values (n) real, info. Attributes:
/// syevd_attributes.
extern const routine syevd;

// ---- least squares
enum class least_squares_driver : uint8_t { gels, gelsy, gelsd, gelss };
struct least_squares_attributes {
    least_squares_driver driver;
    double rcond;
    bool operator==(const least_squares_attributes&) const = default;
};
/// changes a (m, n), which is lost, and b (max(m, n), k), whose first n rows become the solution;
/// makes rank () Long, singular values (k) real, info. Attributes: least_squares_attributes.
extern const routine gels;

}  // namespace sinter::lapack
