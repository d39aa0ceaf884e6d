// Least squares by QR, by pivoted QR, or by singular values.
#include "kernels/lapack/batch.hpp"

namespace sinter::lapack {
namespace {

using driver = least_squares_driver;

template <class T>
struct least_squares_call {
    using R = real_of<T>;

    const routine_call& c;
    const routines<T>& r;
    matrices<T> a, b;
    matrices<int64_t> rank;
    matrices<R> s;
    matrices<int> info;
    driver by;
    R rcond;
    int lwork = 1;
    int64_t reals = 1, integers = 1;

    explicit least_squares_call(const routine_call& call)
        : c(call),
          r(require<T>(call.op)),
          a(call, 0, 2),
          b(call, 1, 2),
          rank(call, 2, 0),
          s(call, 3, 1),
          info(call, 4, 0),
          by(call.attributes->as<least_squares_attributes>().driver),
          rcond(static_cast<R>(call.attributes->as<least_squares_attributes>().rcond)) {
        T size{1}, any{};
        R real_size{1}, value = 0;
        int integer_size = 1, asked = 0, of_rank = 0;
        run(&any, &any, &value, &of_rank, &size, -1, &real_size, &integer_size, &asked);
        lwork = work_size(size);
        const int64_t least = std::min(a.rows, a.cols);
        if (by == driver::gelsy) {
            reals = 2 * int64_t{a.cols};
            integers = a.cols;
        } else if (by == driver::gelss) {
            reals = 5 * least;
        } else if (by == driver::gelsd) {
            reals = work_size(real_size);
            integers = integer_size;
        }
    }

    void run(T* of_a, T* of_b, R* of_s, int* of_rank, T* memory, int size, R* of_reals,
             int* of_integers, int* status) const {
        const int *m = &a.rows, *n = &a.cols, *k = &b.cols;
        static_cast<void>(of_reals);
        switch (by) {
            case driver::gels: {
                const char as_it_is = 'N';
                return r.gels(&as_it_is, m, n, k, of_a, &a.ld, of_b, &b.ld, memory, &size, status,
                              1);
            }
            case driver::gelsy:
                if constexpr (is_complex<T>) {
                    return r.gelsy(m, n, k, of_a, &a.ld, of_b, &b.ld, of_integers, &rcond, of_rank,
                                   memory, &size, of_reals, status);
                } else {
                    return r.gelsy(m, n, k, of_a, &a.ld, of_b, &b.ld, of_integers, &rcond, of_rank,
                                   memory, &size, status);
                }
            case driver::gelsd:
                if constexpr (is_complex<T>) {
                    return r.gelsd(m, n, k, of_a, &a.ld, of_b, &b.ld, of_s, &rcond, of_rank, memory,
                                   &size, of_reals, of_integers, status);
                } else {
                    return r.gelsd(m, n, k, of_a, &a.ld, of_b, &b.ld, of_s, &rcond, of_rank, memory,
                                   &size, of_integers, status);
                }
            case driver::gelss:
                if constexpr (is_complex<T>) {
                    return r.gelss(m, n, k, of_a, &a.ld, of_b, &b.ld, of_s, &rcond, of_rank, memory,
                                   &size, of_reals, status);
                } else {
                    return r.gelss(m, n, k, of_a, &a.ld, of_b, &b.ld, of_s, &rcond, of_rank, memory,
                                   &size, status);
                }
        }
    }
};

template <class T>
void run_least_squares(const routine_call& c) {
    const least_squares_call<T> call(c);
    const double m = call.a.rows, n = call.a.cols;
    for_each_matrix(c.op, call.a.count, 2 * m * n * std::min(m, n), [&] {
        return [&, memory = work<T>(call.lwork), reals = work<real_of<T>>(call.reals),
                integers = work<int>(call.integers)](int64_t i) {
            int& status = *call.info[i];
            status = 0;
            if (!all_finite(call.a[i], call.a.rows, call.a.cols, call.a.ld) ||
                !all_finite(call.b[i], call.a.rows, call.b.cols, call.b.ld)) {
                status = info_not_finite;
                return;
            }
            // 0: gelsy may move any column to the front.
            std::fill(static_cast<int*>(integers), integers + call.integers, 0);
            int rank = 0;
            call.run(call.a[i], call.b[i], call.s[i], &rank, memory, call.lwork, reals, integers,
                     &status);
            *call.rank[i] = rank;
            require_accepted(c.op, status);
        };
    });
}

}  // namespace

const routine gels{.name = "gels", .run = SINTER_LAPACK_BY_DTYPE(run_least_squares), .changes = 2};

}  // namespace sinter::lapack
