#include "tests/linalg/judges.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace sinter::test {
namespace {

std::vector<int64_t> batch_of(const Tensor& a) {
    std::vector<int64_t> sizes = a.sizes().vec();
    sizes.resize(sizes.size() - 2);
    return sizes;
}

int64_t matrices_in(const Tensor& a) {
    int64_t n = 1;
    for (int64_t s : batch_of(a)) n *= s;
    return n;
}

/// Returns as many random matrices as `a` has.
Tensor others(const Tensor& a, int64_t m, int64_t n, gallery& random, lies how = lies::rows) {
    return tensor_of(random.many(matrices_in(a), m, n, a.scalar_type()), batch_of(a),
                     a.scalar_type(), how);
}

/// Returns the worst f(matrix, matrix...) over a batch.
template <class F, class... T>
double worst_of(const F& f, const T&... tensors) {
    const std::vector<std::vector<dense>> lists = {matrices_of(tensors)...};
    double worst = 0;
    for (std::size_t i = 0; i < lists[0].size(); ++i) {
        std::vector<dense> one;
        for (const auto& list : lists) one.push_back(list.at(i));
        const double r = f(one);
        worst = r <= worst ? worst : r;  // keeps NaN
    }
    return worst;
}
using set = std::vector<dense>;

Tensor columns(const Tensor& vectors) { return vectors.unsqueeze(-1); }

void expect(bool condition, const char* what) {
    if (!condition) throw std::runtime_error(what);
}

/// Returns the residual of a system, left or right.
double of_system(const dense& a, const dense& x, const dense& b, bool left, ScalarType t) {
    const dense r = (left ? a * x : x * a) - b;
    if (left) return ratio(norm1(r), norm1(a) * norm1(x), a.rows, t);
    return ratio(norm1(transposed(r)), norm1(transposed(a)) * norm1(transposed(x)), a.rows, t);
}

double judge_triangular(const Tensor& a, gallery& random) {
    const int64_t n = a.size(-1);
    const ScalarType t = a.scalar_type();
    double worst = 0;
    for (bool left : {true, false})
        for (bool upper : {true, false})
            for (bool unit : {true, false}) {
                const Tensor b =
                    left ? others(a, n, 3, random) : others(a, 3, n, random, lies::columns);
                const Tensor x = linalg::solve_triangular(a, b, upper, left, unit);
                worst = std::max(worst, worst_of(
                                            [&](const set& s) {
                                                return of_system(triangle(s[0], upper, unit), s[1],
                                                                 s[2], left, t);
                                            },
                                            a, x, b));
            }
    return worst;
}

double judge_factored(const Tensor& a, gallery& random) {
    const int64_t n = a.size(-1);
    const ScalarType t = a.scalar_type();
    const auto [lu, pivots] = linalg::lu_factor(a);
    double worst = 0;
    for (bool left : {true, false})
        for (bool turned : {true, false}) {
            const Tensor b =
                left ? others(a, n, 2, random, lies::columns) : others(a, 2, n, random);
            const Tensor x = linalg::lu_solve(lu, pivots, b, left, turned);
            worst = std::max(worst, worst_of(
                                        [&](const set& s) {
                                            return of_system(turned ? adjoint(s[0]) : s[0], s[1],
                                                             s[2], left, t);
                                        },
                                        a, x, b));
        }
    const auto [p, l, u] = lu_unpack(lu, pivots);
    return std::max(worst, worst_of(
                               [&](const set& s) {
                                   return ratio(norm1(s[0] * s[1] * s[2] - s[3]), norm1(s[3]),
                                                s[3].rows, t);
                               },
                               p, l, u, a));
}

double judge_determinant(const Tensor& a, gallery&) {
    const ScalarType t = a.scalar_type();
    const auto [sign, log] = linalg::slogdet(a);
    const Tensor direct = linalg::det(a);
    const std::vector<dense> as = matrices_of(a), signs = vectors_of(sign.reshape({-1})),
                             logs = vectors_of(log.reshape({-1})),
                             dets = vectors_of(direct.reshape({-1}));
    double worst = 0;
    for (std::size_t i = 0; i < as.size(); ++i) {
        const int64_t n = as[i].rows;
        // Gaussian elimination in higher precision.
        using number = std::complex<long double>;
        std::vector<number> m;
        for (int64_t k = 0; k < n * n; ++k)
            m.emplace_back(as[i].at(k / std::max<int64_t>(1, n), k % std::max<int64_t>(1, n)));
        number det = 1;
        for (int64_t k = 0; k < n; ++k) {
            int64_t best = k;
            const auto at = [&](int64_t r, int64_t c) -> number& {
                return m[static_cast<std::size_t>(r * n + c)];
            };
            for (int64_t r = k; r < n; ++r)
                if (std::abs(at(r, k)) > std::abs(at(best, k))) best = r;
            if (best != k) det = -det;
            for (int64_t c = 0; c < n; ++c) std::swap(at(k, c), at(best, c));
            det *= at(k, k);
            for (int64_t r = k + 1; r < n; ++r) {
                const number factor = at(r, k) / at(k, k);
                for (int64_t c = k; c < n; ++c) at(r, c) -= factor * at(k, c);
            }
        }
        const auto row = static_cast<int64_t>(i);
        const double size = static_cast<double>(std::abs(det));
        const std::complex<double> exact(static_cast<double>(det.real()),
                                         static_cast<double>(det.imag()));
        const std::complex<double> s = signs[0].at(row, 0);
        const std::complex<double> again = s * std::exp(logs[0].at(row, 0).real());
        // The matrices are well conditioned.
        worst = std::max(
            {worst, ratio(std::abs(dets[0].at(row, 0) - exact), size, 4 * n, t),
             ratio(std::abs(again - exact), size * (1 + std::fabs(std::log(size))), 4 * n, t),
             ratio(std::fabs(std::abs(s) - 1), 1, n, t)});
    }
    return worst;
}

/// The reflectors from geqrf, multiplied out and applied.
double judge_reflectors(const Tensor& a, gallery& random) {
    const int64_t m = a.size(-2), n = a.size(-1), k = std::min(m, n);
    const ScalarType t = a.scalar_type();
    const auto [factors, tau] = geqrf(a);
    // For a wide matrix, the reflectors of geqrf are in the first columns.
    const Tensor narrow = factors.narrow(-1, 0, k), q = linalg::householder_product(narrow, tau);
    double worst = worst_of(
        [&](const set& s) {
            dense r(k, n, s[1].is_complex());
            for (int64_t i = 0; i < k; ++i)
                for (int64_t j = i; j < n; ++j) r.set(i, j, s[1].at(i, j));
            return std::max(not_orthonormal(s[0], t),
                            ratio(norm1(s[0] * r - s[2]), norm1(s[2]), m, t));
        },
        q, factors, a);
    if (m < n) return worst;
    // ormqr multiplies with all of Q; its first n columns are q.
    const Tensor c = others(a, m, 2, random), turned = ormqr(factors, tau, c, true, true);
    return std::max(worst, worst_of(
                               [&](const set& s) {
                                   dense first(n, 2, s[1].is_complex());
                                   for (int64_t i = 0; i < n; ++i)
                                       for (int64_t j = 0; j < 2; ++j)
                                           first.set(i, j, s[1].at(i, j));
                                   return ratio(norm1(adjoint(s[0]) * s[2] - first), norm1(s[2]), m,
                                                t);
                               },
                               q, turned, c));
}

double judge_symmetric(const Tensor& a, gallery&) {
    // Symmetric, not Hermitian: complex numbers use another routine.
    const ScalarType t = a.scalar_type();
    const auto [ld, pivots] = linalg::ldl_factor(a);
    const Tensor b = ones({a.size(-1), 2}, t).expand([&] {
        std::vector<int64_t> s = batch_of(a);
        s.insert(s.end(), {a.size(-1), 2});
        return s;
    }());
    return worst_of(
        [&](const set& s) { return of_system(mirrored(s[0], false, false), s[1], s[2], true, t); },
        a, linalg::ldl_solve(ld, pivots, b), b);
}

double judge_exponential(const Tensor& a, gallery&) {
    const ScalarType t = a.scalar_type();
    return worst_of(
        [&](const set& s) {
            // The terms of the series are as large as exp of the norm, which is at most 3.
            const double terms = std::exp(std::min(norm1(s[2]), 3.));
            const double size = std::max(norm1(s[0]) * norm1(s[1]), terms);
            return ratio(norm1(s[0] * s[1] - eye_of(s[0].rows)), size, s[0].rows, t);
        },
        linalg::matrix_exp(a), linalg::matrix_exp(-a), a);
}

constexpr judge list[] = {{"solve", judge_solve, kind_of_matrix::square, 1},
                          {"inv", judge_inverse, kind_of_matrix::square, 1},
                          {"lu", judge_lu, kind_of_matrix::any, 1},
                          {"lu_factor, lu_solve", judge_factored, kind_of_matrix::square, 1},
                          {"solve_triangular", judge_triangular, kind_of_matrix::dominant, 3},
                          {"cholesky", judge_cholesky, kind_of_matrix::positive, 2},
                          {"ldl", judge_ldl, kind_of_matrix::hermitian, 2},
                          {"ldl of symmetric", judge_symmetric, kind_of_matrix::square, 1},
                          {"qr", judge_qr, kind_of_matrix::any, 3},
                          {"geqrf", judge_reflectors, kind_of_matrix::any, 3},
                          {"svd", judge_svd, kind_of_matrix::any, 5},
                          {"eigh", judge_eigh, kind_of_matrix::hermitian, 3},
                          {"eig", judge_eig, kind_of_matrix::square, 4},
                          {"lstsq", judge_lstsq, kind_of_matrix::any, 4},
                          {"pinv", judge_pinv, kind_of_matrix::any, 5},
                          {"det", judge_determinant, kind_of_matrix::dominant, 100},
                          {"matrix_exp", judge_exponential, kind_of_matrix::dominant, 4}};

}  // namespace

std::span<const judge> judges() { return list; }

double judge_solve(const Tensor& a, gallery& random) {
    const int64_t n = a.size(-1);
    const ScalarType t = a.scalar_type();
    const Tensor b = others(a, n, 3, random), c = others(a, 2, n, random, lies::columns);
    const Tensor v = others(a, n, 1, random).squeeze(-1);
    const auto of = [&](bool left) {
        return [left, t](const set& s) { return of_system(s[0], s[1], s[2], left, t); };
    };
    return std::max({worst_of(of(true), a, linalg::solve(a, b), b),
                     worst_of(of(false), a, linalg::solve(a, c, false), c),
                     worst_of(of(true), a, columns(linalg::solve(a, v)), columns(v))});
}

double judge_inverse(const Tensor& a, gallery&) {
    const ScalarType t = a.scalar_type();
    return worst_of(
        [&](const set& s) {
            return ratio(norm1(eye_of(s[0].rows) - s[0] * s[1]), norm1(s[0]) * norm1(s[1]),
                         s[0].rows, t);
        },
        a, linalg::inv(a));
}

double judge_lu(const Tensor& a, gallery&) {
    const ScalarType t = a.scalar_type();
    const auto [p, l, u] = linalg::lu(a);
    return worst_of(
        [&](const set& s) {
            expect(norm1(s[1] - triangle(s[1], false, true)) == 0, "L is not a unit triangle");
            expect(norm1(s[2] - triangle(s[2], true)) == 0, "U is not a triangle");
            expect(norm1(transposed(s[0]) * s[0] - eye_of(s[0].cols)) == 0, "P is no permutation");
            for (int64_t i = 0; i < s[1].rows; ++i)
                for (int64_t j = 0; j < s[1].cols; ++j)  // for complex numbers, by |re| + |im|
                    expect(!(std::abs(s[1].at(i, j)) > 1.4143), "L has an element above 1");
            return ratio(norm1(s[0] * s[1] * s[2] - s[3]), norm1(s[3]),
                         std::max(s[3].rows, s[3].cols), t);
        },
        p, l, u, a);
}

double judge_cholesky(const Tensor& a, gallery& random) {
    const int64_t n = a.size(-1);
    const ScalarType t = a.scalar_type();
    double worst = 0;
    for (bool upper : {false, true}) {
        const Tensor f = linalg::cholesky(a, upper), b = others(a, n, 2, random);
        const auto product = [&](const dense& l) {
            return upper ? adjoint(l) * l : l * adjoint(l);
        };
        const double factor = worst_of(
            [&](const set& s) {
                expect(norm1(s[0] - triangle(s[0], upper)) == 0, "not a triangle");
                return ratio(norm1(product(s[0]) - s[1]), norm1(s[1]), n, t);
            },
            f, a);
        const double solution =
            worst_of([&](const set& s) { return of_system(product(s[0]), s[1], s[2], true, t); }, f,
                     cholesky_solve(b, f, upper), b);
        const double inverted = worst_of(
            [&](const set& s) {
                const dense p = product(s[0]);
                return ratio(norm1(eye_of(n) - p * s[1]), norm1(p) * norm1(s[1]), n, t);
            },
            f, cholesky_inverse(f, upper));
        worst = std::max({worst, factor, solution, inverted});
    }
    return worst;
}

double judge_ldl(const Tensor& a, gallery& random) {
    const int64_t n = a.size(-1);
    const ScalarType t = a.scalar_type();
    const auto [factors, pivots] = linalg::ldl_factor(a, true);
    const std::vector<dense> lists = matrices_of(factors), swaps = vectors_of(pivots),
                             as = matrices_of(a);
    double worst = 0;
    for (std::size_t b = 0; b < as.size(); ++b) {
        const dense& f = lists[b];
        const auto pivot = [&](int64_t k) {
            return static_cast<int64_t>(swaps[b].at(k, 0).real());
        };
        // D first, then P(k) L(k) around it from the last block to the first.
        dense m(n, n, f.is_complex());
        std::vector<int64_t> starts;
        for (int64_t k = 0; k < n; ++k) {
            starts.push_back(k);
            m.set(k, k, f.at(k, k).real());
            if (pivot(k) > 0) continue;
            expect(k + 1 < n && pivot(k + 1) == pivot(k), "half a block of two");
            m.set(k + 1, k, f.at(k + 1, k));
            m.set(k, k + 1, std::conj(f.at(k + 1, k)));
            m.set(k + 1, k + 1, f.at(k + 1, k + 1).real());
            ++k;
        }
        for (std::size_t s = starts.size(); s-- > 0;) {
            const int64_t k = starts[s], width = pivot(k) > 0 ? 1 : 2;
            dense l = eye_of(n);
            if (f.is_complex()) l.im.resize(l.re.size());
            for (int64_t j = k; j < k + width; ++j)
                for (int64_t i = k + width; i < n; ++i) l.set(i, j, f.at(i, j));
            m = l * m * adjoint(l);
            const int64_t one = k + width - 1, other = std::abs(pivot(k)) - 1;
            for (int64_t j = 0; one != other && j < n; ++j) {
                const std::complex<double> x = m.at(one, j);
                m.set(one, j, m.at(other, j));
                m.set(other, j, x);
            }
            for (int64_t i = 0; one != other && i < n; ++i) {
                const std::complex<double> x = m.at(i, one);
                m.set(i, one, m.at(i, other));
                m.set(i, other, x);
            }
        }
        const double r = ratio(norm1(m - mirrored(as[b], false, true)), norm1(as[b]), n, t);
        worst = r <= worst ? worst : r;
    }
    const Tensor b = others(a, n, 2, random);
    return std::max(worst, worst_of(
                               [&](const set& s) {
                                   return of_system(mirrored(s[0], false, true), s[1], s[2], true,
                                                    t);
                               },
                               a, linalg::ldl_solve(factors, pivots, b, true), b));
}

double judge_qr(const Tensor& a, gallery&) {
    const int64_t m = a.size(-2);
    const ScalarType t = a.scalar_type();
    double worst = 0;
    for (const char* mode : {"reduced", "complete"}) {
        const auto [q, r] = linalg::qr(a, mode);
        const auto [none, alone] = linalg::qr(a, "r");
        expect(none.numel() == 0, "Q is not empty");
        worst = std::max(
            worst, worst_of(
                       [&](const set& s) {
                           expect(norm1(s[1] - triangle(s[1], true)) == 0, "R is not a triangle");
                           return std::max(not_orthonormal(s[0], t),
                                           ratio(norm1(s[0] * s[1] - s[2]), norm1(s[2]), m, t));
                       },
                       q, r, a));
        if (mode[0] == 'r')
            worst = std::max(
                worst,
                worst_of([&](const set& s) { return ratio(norm1(s[0] - s[1]), norm1(s[0]), m, t); },
                         r, alone));
    }
    return worst;
}

double judge_svd(const Tensor& a, gallery&) {
    const int64_t m = a.size(-2), n = a.size(-1), k = std::min(m, n), size = std::max(m, n);
    const ScalarType t = a.scalar_type();
    const Tensor alone = linalg::svdvals(a);
    double worst = 0;
    for (const optional<std::string_view>& driver :
         {optional<std::string_view>(), optional<std::string_view>("gesvd")})
        for (bool whole : {false, true}) {
            const auto [u, s, v] = linalg::svd(a, whole, driver);
            expect(!isComplexType(s.scalar_type()), "singular values are not real");
            worst = std::max(
                worst, worst_of(
                           [&](const set& x) {
                               const dense &values = x[1], &other = x[4];
                               const double top = k > 0 ? values.at(0, 0).real() : 0;
                               double apart = 0;
                               for (int64_t i = 0; i < k; ++i) {
                                   const double here = values.at(i, 0).real();
                                   expect(here >= 0, "a singular value below 0");
                                   expect(i == 0 || here <= values.at(i - 1, 0).real(),
                                          "they do not fall");
                                   apart = std::max(apart, std::fabs(here - other.at(i, 0).real()));
                               }
                               const dense vh = adjoint(first_columns(adjoint(x[2]), k));
                               const dense back =
                                   columns_times(first_columns(x[0], k), values) * vh;
                               return std::max({ratio(norm1(back - x[3]), norm1(x[3]), size, t),
                                                not_orthonormal(x[0], t),
                                                not_orthonormal(adjoint(x[2]), t),
                                                ratio(apart, top, size, t)});
                           },
                           u, columns(s), v, a, columns(alone)));
        }
    return worst;
}

double judge_eigh(const Tensor& a, gallery&) {
    const int64_t n = a.size(-1);
    const ScalarType t = a.scalar_type();
    double worst = 0;
    for (bool upper : {false, true}) {
        const char* triangle_read = upper ? "U" : "L";
        const auto [w, v] = linalg::eigh(a, triangle_read);
        expect(!isComplexType(w.scalar_type()), "eigenvalues are not real");
        const Tensor alone = linalg::eigvalsh(a, triangle_read);
        worst = std::max(
            worst, worst_of(
                       [&](const set& s) {
                           const dense h = mirrored(s[2], upper, true);
                           for (int64_t i = 1; i < n; ++i)
                               expect(s[0].at(i, 0).real() >= s[0].at(i - 1, 0).real(),
                                      "they do not rise");
                           double apart = 0;
                           for (int64_t i = 0; i < n; ++i)
                               apart = std::max(apart, std::abs(s[0].at(i, 0) - s[3].at(i, 0)));
                           return std::max(
                               {ratio(norm1(h * s[1] - columns_times(s[1], s[0])), norm1(h), n, t),
                                not_orthonormal(s[1], t), ratio(apart, norm1(h), n, t)});
                       },
                       columns(w), v, a, columns(alone)));
    }
    return worst;
}

double judge_eig(const Tensor& a, gallery&) {
    const int64_t n = a.size(-1);
    const ScalarType t = a.scalar_type();
    const auto [w, v] = linalg::eig(a);
    expect(isComplexType(w.scalar_type()) && isComplexType(v.scalar_type()), "not complex");
    const Tensor alone = linalg::eigvals(a);
    return worst_of(
        [&](const set& s) {
            double length = 0;
            std::complex<double> trace = 0, sum = 0;
            for (int64_t j = 0; j < n; ++j) {
                double squares = 0;
                for (int64_t i = 0; i < n; ++i) squares += std::norm(s[1].at(i, j));
                length = std::max(length, std::fabs(std::sqrt(squares) - 1));
                trace += s[2].at(j, j);
                sum += s[3].at(j, 0);
            }
            return std::max({ratio(norm1(s[2] * s[1] - columns_times(s[1], s[0])),
                                   norm1(s[2]) * norm1(s[1]), n, t),
                             ratio(length, 1, n, t),
                             ratio(std::abs(trace - sum), norm1(s[2]), n * n, t)});
        },
        columns(w), v, a, columns(alone));
}

double judge_lstsq(const Tensor& a, gallery& random) {
    const int64_t m = a.size(-2), n = a.size(-1), size = std::max({m, n, int64_t{2}});
    const ScalarType t = a.scalar_type();
    const Tensor b = others(a, m, 2, random);
    double worst = 0;
    for (const char* driver : {"gelsy", "gels", "gelsd", "gelss"}) {
        const auto [x, residuals, rank, values] = linalg::lstsq(a, b, nullopt, driver);
        worst = std::max(
            worst, worst_of(
                       [&](const set& s) {
                           const dense r = s[2] - s[0] * s[1];
                           // The residual has no part in the column space.
                           return m == 0 || n == 0
                                      ? 0
                                      : ratio(
                                            norm1(adjoint(s[0]) * r),
                                            norm1(s[0]) * (norm1(s[2]) + norm1(s[0]) * norm1(s[1])),
                                            size, t);
                       },
                       a, x, b));
        // Without columns LAPACK's result is arbitrary.
        if (residuals.numel() > 0 && m > 0 && n > 0)
            worst = std::max(
                worst, worst_of(
                           [&](const set& s) {
                               const dense r = s[2] - s[0] * s[1];
                               double apart = 0;
                               for (int64_t j = 0; j < r.cols; ++j) {
                                   double squares = 0;
                                   for (int64_t i = 0; i < m; ++i) squares += std::norm(r.at(i, j));
                                   apart =
                                       std::max(apart, std::fabs(squares - s[3].at(j, 0).real()));
                               }
                               const double whole = norm1(s[2]) + norm1(s[0]) * norm1(s[1]);
                               return ratio(apart, whole * whole, size, t);
                           },
                           a, x, b, columns(residuals)));
    }
    return worst;
}

double judge_pinv(const Tensor& a, gallery&) {
    const int64_t size = std::max(a.size(-2), a.size(-1));
    const ScalarType t = a.scalar_type();
    return worst_of(
        [&](const set& s) {
            const dense &m = s[0], &p = s[1];
            const dense mp = m * p, pm = p * m;
            const double one = norm1(m), other = norm1(p), condition = one * other;
            return std::max({ratio(norm1(mp * m - m), one * condition, size, t),
                             ratio(norm1(pm * p - p), other * condition, size, t),
                             ratio(norm1(mp - adjoint(mp)), condition, size, t),
                             ratio(norm1(pm - adjoint(pm)), condition, size, t)});
        },
        a, linalg::pinv(a));
}

}  // namespace sinter::test
