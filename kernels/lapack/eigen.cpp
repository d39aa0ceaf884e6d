// Eigenvalues and eigenvectors of general square matrices and of Hermitian ones.
#include "kernels/lapack/routines_on_gpu.hpp"
#include "kernels/lapack/batch.hpp"

namespace sinter::lapack {
namespace {

/// Converts LAPACK's real form of conjugate pairs (a column each for the real and the imaginary
/// part) to complex columns.
template <class R>
void pair_up(const R* from, const R* imaginary, int n, complex<R>* to, int64_t ld) {
    for (int64_t j = 0; j < n; ++j) {
        const R *re = from + j * n, *im = from + (j + 1) * n;
        if (imaginary[j] == 0) {
            for (int64_t i = 0; i < n; ++i) to[j * ld + i] = {re[i], 0};
            continue;
        }
        if (j + 1 == n) break;
        for (int64_t i = 0; i < n; ++i) {
            to[j * ld + i] = {re[i], im[i]};
            to[(j + 1) * ld + i] = {re[i], -im[i]};
        }
        ++j;
    }
}

template <class T>
struct eig_call {
    using R = real_of<T>;
    using Z = complex<R>;

    const routine_call& c;
    const routines<T>& r;
    matrices<T> a;
    matrices<Z> values, vectors;
    matrices<T> pairs;  // the same memory as `vectors`
    matrices<int> info;
    bool wanted, in_pairs;
    int lwork = 1;

    explicit eig_call(const routine_call& call)
        : c(call),
          r(require<T>(call.op)),
          a(call, 0, 2),
          values(call, 1, 1),
          vectors(call, 2, 2),
          pairs(call, 2, 2),
          info(call, 3, 0),
          wanted(call.attributes->as<geev_attributes>().vectors),
          in_pairs(!is_complex<T> && wanted && !isComplexType(call.blocks[2].dtype)) {
        // Some versions write to the other operands even for a size query.
        T size{1}, any[2] = {};
        R reals = 0;
        int asked = 0;
        geev(any, any, any, any, vectors.ld, &size, -1, &reals, &asked);
        lwork = work_size(size);
    }

    /// For a real matrix, the real parts go to `of_values` and the imaginary parts to `imaginary`.
    void geev(T* of_a, T* of_values, T* imaginary, T* of_vectors, int ld, T* memory, int size,
              R* reals, int* status) const {
        const char none = 'N', right = wanted ? 'V' : 'N';
        const int n = a.rows, one = 1;
        if constexpr (is_complex<T>) {
            static_cast<void>(imaginary);
            r.geev(&none, &right, &n, of_a, &a.ld, of_values, nullptr, &one, of_vectors, &ld,
                   memory, &size, reals, status, 1, 1);
        } else {
            static_cast<void>(reals);
            r.geev(&none, &right, &n, of_a, &a.ld, of_values, imaginary, nullptr, &one, of_vectors,
                   &ld, memory, &size, status, 1, 1);
        }
    }

    struct memory {
        work<T> of_library, values, vectors;
        work<R> reals;
    };
    memory make_memory() const {
        const int64_t n = a.rows, real_vectors = !is_complex<T> && wanted && !in_pairs ? n * n : 0;
        return {work<T>(lwork), work<T>(is_complex<T> ? 0 : 2 * n), work<T>(real_vectors),
                work<R>(is_complex<T> ? 2 * n : 0)};
    }

    void run(int64_t i, const memory& m) const {
        const int n = a.rows;
        int& status = *info[i];
        status = 0;
        if (n == 0) return;
        if (!all_finite(a[i], n, n, a.ld)) {
            status = info_not_finite;
            return;
        }
        if constexpr (is_complex<T>) {
            geev(a[i], values[i], nullptr, vectors[i], vectors.ld, m.of_library, lwork, m.reals,
                 &status);
        } else {
            T *re = m.values, *im = re + n;
            T* const to = in_pairs ? pairs[i] : static_cast<T*>(m.vectors);
            geev(a[i], re, im, to, std::max(1, n), m.of_library, lwork, nullptr, &status);
            for (int j = 0; j < n; ++j) values[i][j] = {re[j], im[j]};
            if (wanted && !in_pairs) pair_up<R>(m.vectors, im, n, vectors[i], vectors.ld);
        }
        require_accepted(c.op, status);
    }
};

template <class T>
void run_eig(const routine_call& c) {
    const eig_call<T> call(c);
    const double n = call.a.rows;
    for_each_matrix(c.op, call.a.count, (call.wanted ? 15 : 7) * n * n * n, [&] {
        return [&call, memory = call.make_memory()](int64_t i) { call.run(i, memory); };
    });
}

template <class T>
struct eigh_call {
    using R = real_of<T>;

    const routines<T>& r;
    matrices<T> a;
    matrices<R> values;
    matrices<int> info;
    char uplo;
    bool wanted;
    int lwork = 1, lrwork = 1, liwork = 1;

    explicit eigh_call(const routine_call& c)
        : r(require<T>(c.op)),
          a(c, 0, 2),
          values(c, 1, 1),
          info(c, 2, 0),
          uplo(c.attributes->as<syevd_attributes>().uplo),
          wanted(c.attributes->as<syevd_attributes>().vectors) {
        T size{1};
        R reals{1};
        int integers = 1, asked = 0;
        syevd(nullptr, nullptr, &size, -1, &reals, -1, &integers, -1, &asked);
        lwork = work_size(size);
        lrwork = work_size(reals);
        liwork = integers;
    }

    void syevd(T* of_a, R* of_values, T* memory, int size, R* reals, int real_size, int* integers,
               int integer_size, int* status) const {
        const char job = wanted ? 'V' : 'N';
        const int n = a.rows;
        if constexpr (is_complex<T>) {
            r.syevd(&job, &uplo, &n, of_a, &a.ld, of_values, memory, &size, reals, &real_size,
                    integers, &integer_size, status, 1, 1);
        } else {
            static_cast<void>(reals), static_cast<void>(real_size);
            r.syevd(&job, &uplo, &n, of_a, &a.ld, of_values, memory, &size, integers, &integer_size,
                    status, 1, 1);
        }
    }
};

template <class T>
void run_eigh(const routine_call& c) {
    const eigh_call<T> call(c);
    const double n = call.a.rows;
    if (const auto* small = small_factors(call.a)) {
        // Each of about n^2 rotations waits for a root and a division.
        const double cost = 100 * n * n + (call.wanted ? 10 : 2) * n * n * n;
        return for_each_group(call.a.count, cost, *small, [&](int64_t first, int count) {
            small->eigen(group<void>(call.a, first, count), call.a.ld, call.a.rows,
                         call.uplo == 'U', call.wanted, group<void>(call.values, first, count),
                         group<int>(call.info, first, count), count);
            for (int k = 0; k < count; ++k)
                if (int& status = *call.info[first + k]; status < 0) status = info_not_finite;
        });
    }
    for_each_matrix(c.op, call.a.count, (call.wanted ? 5 : 1) * n * n * n, [&] {
        return [&, memory = work<T>(call.lwork), reals = work<real_of<T>>(call.lrwork),
                integers = work<int>(call.liwork)](int64_t i) {
            int& status = *call.info[i];
            status = 0;
            if (call.a.rows == 0) return;
            if (!all_finite(call.a[i], call.a.rows, call.a.cols, call.a.ld, call.uplo)) {
                status = info_not_finite;
                return;
            }
            run_aligned(call.a, call.a[i], [&](T* a) {
                call.syevd(a, call.values[i], memory, call.lwork, reals, call.lrwork, integers,
                           call.liwork, &status);
            });
            require_accepted(c.op, status);
        };
    });
}

}  // namespace

const routine geev{"geev", SINTER_LAPACK_BY_DTYPE(run_eig), geev_on_gpu};
const routine syevd{"syevd", SINTER_LAPACK_BY_DTYPE(run_eigh), syevd_on_gpu};

}  // namespace sinter::lapack
