#include "kernels/linalg/solve.hpp"

#include "kernels/linalg/blas_call.hpp"
#include "kernels/linalg/operand.hpp"
#include "runtime/threads.hpp"

#include <sinter/error.hpp>

#include <algorithm>
#include <limits>
#include <string>

namespace sinter::blas {
namespace {

constexpr const char* what = "linalg_solve";
// Below, a second thread gains nothing from one factorisation.
constexpr int64_t worthwhile = 256;

struct system {
    operand a, b;
    int64_t n, k, batches;
};

[[noreturn]] void throw_singular(int pivot, int64_t batch, bool batched) {
    std::string where = std::to_string(pivot - 1);
    if (batched) where += " of matrix " + std::to_string(batch);
    throw LinAlgError(std::string("[") + what + "] the matrix is singular; got a zero pivot at " +
                      where + ", expected a regular matrix; try adding a small multiple of eye(n)");
}

/// Memory of one factorisation, used for one system after the other.
template <class T>
struct workspace {
    runtime::buffer_ptr a, b, pivots;

    workspace(int64_t n, int64_t k) : a(make<T>(n * n)), b(make<T>(n * k)), pivots(make<int>(n)) {}
    template <class U>
    static runtime::buffer_ptr make(int64_t count) {
        return runtime::make_buffer(static_cast<std::size_t>(count) * sizeof(U));
    }
};

template <class T>
void to_columns(const operand& o, int64_t batch, T* to) {
    const T* from = reinterpret_cast<const T*>(o.data) + o.offset(batch);
    for (int64_t c = 0; c < o.cols; ++c)
        for (int64_t r = 0; r < o.rows; ++r)
            to[c * o.rows + r] = from[r * o.row_stride + c * o.col_stride];
}

template <class T>
void solve_one(const system& s, const routines<T>& r, int64_t batch, workspace<T>& w, T* x) {
    T* a = static_cast<T*>(w.a->data);
    T* b = static_cast<T*>(w.b->data);
    to_columns(s.a, batch, a);
    to_columns(s.b, batch, b);
    const int n = static_cast<int>(s.n), k = static_cast<int>(s.k);
    int info = 0;
    r.gesv(&n, &k, a, &n, static_cast<int*>(w.pivots->data), b, &n, &info);
    if (info > 0) throw_singular(info, batch, s.batches > 1);
    if (info < 0)
        throw InternalError(std::string("[") + what + "] LAPACK refused an argument; got info " +
                            std::to_string(info) + ", expected 0; try reporting this");
    T* to = x + batch * s.n * s.k;
    for (int64_t i = 0; i < s.n; ++i)
        for (int64_t j = 0; j < s.k; ++j) to[i * s.k + j] = b[j * s.n + i];
}

template <class T>
void solve_all(const system& s, T* x) {
    const blas_library& library = require_blas(what);
    const routines<T>& r = library.of<T>();
    if (!r.gesv)
        throw Error(std::string("[") + what + "] LAPACK was not found; got " + library.report.path +
                    " without gesv, expected liblapack.so.3; try apt-get "
                    "install libopenblas0-openmp");
    if (std::max(s.n, s.k) > std::numeric_limits<int>::max())
        throw Error(std::string("[") + what + "] the system is too large; got " +
                    std::to_string(std::max(s.n, s.k)) +
                    " rows or right sides, expected at most 2147483647; try parts of it");
    if (s.n >= worthwhile) {
        workspace<T> w(s.n, s.k);
        lapack_call inside(library, true);
        for (int64_t i = 0; i < s.batches; ++i) solve_one(s, r, i, w, x);
        return;
    }
    const int64_t grain = (1 << 17) / (s.n * s.n * (s.n + s.k));
    runtime::parallel_for(0, s.batches, grain, [&](int64_t begin, int64_t end) {
        workspace<T> w(s.n, s.k);
        blas_call inside(library);
        for (int64_t i = begin; i < end; ++i) solve_one(s, r, i, w, x);
    });
}

}  // namespace

void solve(const library_input& a, const library_input& b, char* x) {
    system s{operand_of(a), operand_of(b), 0, 0, 0};
    s.n = s.a.rows;
    s.k = s.b.cols;
    s.batches = s.b.batches();
    if (b.shape->numel == 0) return;
    if (b.dtype == kFloat) {
        solve_all(s, reinterpret_cast<float*>(x));
    } else {
        solve_all(s, reinterpret_cast<double*>(x));
    }
}

}  // namespace sinter::blas
