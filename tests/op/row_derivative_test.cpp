// Every derivative column, and the derivative of every column, compared with central differences of
// the MPFR references.
#include "ops/autograd/rows/columns.hpp"
#include "ops/autograd/rows/transform.hpp"
#include "tests/op/reference.hpp"
#include "tests/seed.hpp"
#include "tests/support/run_rows.hpp"

#include <sinter/op/rows.hpp>

#include <boost/hana/for_each.hpp>
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

using namespace sinter;
using autograd::column_kind;
using autograd::row_program;
using sinter::test::real;

namespace {

/// A row as a program of its operands.
row_program program_of(op::id row) {
    const int arity = op::info(row).arity;
    row_program p(arity);
    p.outputs = {
        p.apply(row, 0, arity > 1 ? 1 : autograd::no_value, arity > 2 ? 2 : autograd::no_value)};
    return p;
}

template <class T>
using point = std::array<T, 3>;

/// Differences need a step that is small beside the operand and beside a period.
constexpr int step_bits = 100;
constexpr mpfr_prec_t precision = 2700;

template <class T>
mpfr_exp_t step_of(const point<T>& at, int operand) {
    const auto x = static_cast<double>(at[static_cast<std::size_t>(operand)]);
    return (x == 0 || std::fabs(x) > 1 ? 0 : std::ilogb(x)) - step_bits;
}

/// (f(x + h) - f(x - h)) / 2h in one operand of a row, or, of `order` 2, of the same difference.
template <class T>
void difference(mpfr_ptr to, op::id row, const point<T>& at, int operand, int order = 1) {
    real x[3] = {real(at[0], precision), real(at[1], precision), real(at[2], precision)};
    const mpfr_exp_t step = step_of(at, operand);
    real h(0, precision), here(0, precision);
    mpfr_set_si_2exp(h, 1, step, MPFR_RNDN);
    const auto value = [&](mpfr_ptr y, int steps) {
        real moved(0, precision);
        mpfr_mul_si(moved, h, steps, MPFR_RNDN);
        mpfr_add(moved, moved, x[operand], MPFR_RNDN);
        mpfr_srcptr all[3] = {x[0], x[1], x[2]};
        all[operand] = moved;
        test::reference_of(row).in_reals(y, all[0], all[1], all[2]);
    };
    value(to, 1);
    value(here, -1);
    if (order == 1) {
        mpfr_sub(to, to, here, MPFR_RNDN);
        mpfr_mul_2si(to, to, -step - 1, MPFR_RNDN);
        return;
    }
    mpfr_add(to, to, here, MPFR_RNDN);
    value(here, 0);
    mpfr_mul_2si(here, here, 1, MPFR_RNDN);
    mpfr_sub(to, to, here, MPFR_RNDN);
    mpfr_mul_2si(to, to, -2 * step, MPFR_RNDN);
}

/// Returns true where the row has no derivative, or another one on each side.
template <class T>
bool at_edge(op::id row, const point<T>& at) {
    const T a = at[0], b = at[1], c = at[2];
    switch (row) {
        case op::minimum:
        case op::maximum:
        case op::fmin:
        case op::fmax: return a == b;
        case op::clamp: return a == b || a == c || b >= c;
        case op::remainder:
        case op::fmod: return b == 0 || std::fmod(a, b) == 0 || std::fabs(a / b) > T(1e6);
        case op::copysign:
        case op::hypot: return a == 0 || b == 0;
        case op::pow: return std::fabs(a) < std::numeric_limits<T>::min();
        case op::frexp_mantissa: {
            int exponent = 0;
            return std::fabs(std::frexp(a, &exponent)) == T(0.5);
        }
        case op::frac: return std::trunc(a) == a;
        case op::exp_fma: return a * b + c < T(-80);
        case op::lgamma:
        case op::digamma: return a == 0 || (a < 0 && std::trunc(a) == a);
        default: return a == 0 || (std::trunc(a) == a && std::fabs(a) <= 32);
    }
}

/// The largest errors allowed, in ULP; 4 if a row has none. Below `above` an error is measured in
/// places of that: these derivatives cancel.
struct bound {
    double f32 = 4, f64 = 4, above = 0;
};
const std::map<op::id, bound> bounds = {
    // Differences of y and a number, or of two values, of which little is left.
    {op::expm1, {4, 4, 1}},
    {op::tanh, {4, 4, 1}},
    {op::sigmoid, {4, 4, 1}},
    {op::i0e, {4, 4, 1}},
    {op::i1e, {4, 4, 1}},
    {op::erfcx, {4, 4, 1}},
    {op::scaled_modified_bessel_k0, {4, 4, 1}},
    {op::scaled_modified_bessel_k1, {4, 4, 1}},
    // Near their zeros.
    {op::entr, {4, 4, 1}},
    {op::silu, {4, 4, 0.1}},
    {op::mish, {24, 48, 0.1}},
    {op::spherical_bessel_j0, {8, 8, 1}},
    {op::bessel_j0, {4, 4, 0.1}},
    {op::bessel_j1, {8, 16, 0.1}},
    {op::bessel_y0, {4, 5, 0.1}},
    {op::bessel_y1, {4, 5, 0.1}},
    {op::sinc, {200, 200, 1}},  // next to where its series ends
    {op::lgamma, {4, 6, 1}},
    // What is rounded is multiplied by the logarithm of the result: an exponent less 1, a
    // difference, y.
    {op::pow, {110, 800}},
    {op::logaddexp, {110, 800}},
    {op::logaddexp2, {110, 800}},
    {op::erfinv, {40, 100}},
    {op::ndtri, {100, 5000}},
};

bound bound_of(op::id row) {
    const auto found = bounds.find(row);
    return found == bounds.end() ? bound{} : found->second;
}

/// The largest error of a column, and where.
template <class T>
struct worst {
    double error = 0;
    point<T> at{};
    T got{};
    double expected = 0;
    int operand = 0;
};

template <class T>
double error_of(T got, mpfr_srcptr exact, double above) {
    // A derivative below the smallest normal number may be zero.
    constexpr double smallest = std::numeric_limits<T>::min(),
                     epsilon = std::numeric_limits<T>::epsilon();
    const double limit = above > 0 ? above : smallest,
                 unit = above > 0 ? above * epsilon : smallest;
    if (std::isfinite(got) && mpfr_number_p(exact) && mpfr_cmpabs(exact, real(limit, 64)) < 0) {
        real distance(0, precision);
        mpfr_sub(distance, real(static_cast<double>(got), 64), exact, MPFR_RNDN);
        return std::fabs(mpfr_get_d(distance, MPFR_RNDN)) / unit;
    }
    return test::ulp_error(got, exact);
}

template <class T, class Row>
std::vector<point<T>> points_of(std::mt19937_64& random, int count) {
    std::vector<point<T>> points;
    const auto inside = [](T x, double lo, double hi) { return x > T(lo) && x < T(hi); };
    while (points.size() < static_cast<std::size_t>(count)) {
        point<T> at;
        for (T& x : at) x = test::random_value<T>(random);
        if (Row::id == op::clamp && at[1] > at[2]) std::swap(at[1], at[2]);
        bool good = inside(at[0], Row::domain.lo, Row::domain.hi) && !at_edge(Row::id, at);
        for (int k = 0; k < Row::arity; ++k)
            good = good && std::isfinite(at[static_cast<std::size_t>(k)]);
        if (Row::arity > 1) good = good && inside(at[1], Row::domain.lo2, Row::domain.hi2);
        if (good) points.push_back(at);
    }
    return points;
}

template <class Row>
constexpr bool is_slow = Row::id >= op::erfinv && Row::id <= op::scaled_modified_bessel_k1;

template <class T, class Row>
void check_columns(std::mt19937_64& random) {
    const bound allowed = bound_of(Row::id);
    const std::vector<point<T>> points = points_of<T, Row>(random, is_slow<Row> ? 20 : 100);
    std::vector<std::vector<T>> inputs(Row::arity + 1, std::vector<T>(points.size(), T(1)));
    for (std::size_t i = 0; i < points.size(); ++i)
        for (std::size_t k = 0; k < Row::arity; ++k) inputs[k][i] = points[i][k];
    const row_program own = program_of(Row::id);
    const std::vector<T> values = testing::run_rows(own, own.outputs[0], inputs);
    worst<T> w;
    for (int k = 0; k < Row::arity; ++k) {
        if (autograd::column_of(Row::id, k).kind != column_kind::derivative) continue;
        bool wanted[3] = {};
        wanted[k] = true;
        const row_program p =
            autograd::vjp(program_of(Row::id), std::span(wanted, std::size_t{Row::arity}));
        const std::vector<T> got = testing::run_rows(p, p.outputs[0], inputs);
        real exact(0, precision);
        for (std::size_t i = 0; i < points.size(); ++i) {
            difference(exact, Row::id, points[i], k);
            // Parts of a formula may leave the range a little before its value does.
            const double size = std::fabs(static_cast<double>(values[i]));
            if (!mpfr_number_p(exact) || !std::isfinite(size) ||
                (size != 0 && size < std::numeric_limits<T>::min()) ||
                mpfr_cmpabs(exact, real(std::numeric_limits<T>::max() / 64, 64)) > 0)
                continue;
            const double error = error_of(got[i], exact, allowed.above);
            if (!(error <= w.error))
                w = {error, points[i], got[i], mpfr_get_d(exact, MPFR_RNDN), k};
        }
    }
    if (std::getenv("SINTER_ULP_TABLE"))
        std::printf("derivative of %s of f%d: %.3f\n", Row::name, int(8 * sizeof(T)), w.error);
    INFO(std::string(Row::name) << " of f" << 8 * sizeof(T) << ", operand " << w.operand << " at "
                                << w.at[0] << " " << w.at[1] << " " << w.at[2] << ": " << w.got
                                << ", expected " << w.expected << ", seed " << test::seed());
    CHECK(w.error <= (sizeof(T) == 4 ? allowed.f32 : allowed.f64));
}

template <class Row>
constexpr bool computes_in_floats =
    Row::rule != dtype_rule::test && Row::rule != dtype_rule::random &&
    Row::rule != dtype_rule::choice && op::computes_in<double>(Row::id);

/// Of nextafter, differences say nothing: it is a step function of each last place.
bool has_derivative(op::id row) {
    if (row == op::nextafter) return false;
    for (int k = 0; k < op::info(row).arity; ++k)
        if (autograd::column_of(row, k).kind == column_kind::derivative) return true;
    return false;
}

}  // namespace

TEST_CASE("row derivatives: within 4 ULP of central differences, or the stated bound") {
    std::mt19937_64 random(test::seed());
    int checked = 0;
    boost::hana::for_each(rows::all, [&](auto row) {
        using Row = decltype(row);
        if constexpr (computes_in_floats<Row>) {
            if (!has_derivative(Row::id)) return;
            check_columns<double, Row>(random);
            check_columns<float, Row>(random);
            ++checked;
        }
    });
    CHECK(checked >= 75);
}

TEST_CASE("row derivatives: each has a derivative itself") {
    std::mt19937_64 random(test::seed() + 1);
    const auto draw = [&](double lo, double hi) {
        lo = std::max(lo, -3.0), hi = std::min(hi, 3.0);
        return lo + (hi - lo) * (0.05 + 0.9 * std::ldexp(static_cast<double>(random() >> 11), -53));
    };
    boost::hana::for_each(rows::all, [&](auto row) {
        using Row = decltype(row);
        if constexpr (computes_in_floats<Row>) {
            // Polygamma(2) is no row; the second derivatives of those are not smooth functions.
            if (!has_derivative(Row::id) || Row::id == op::digamma || Row::id == op::frexp_mantissa)
                return;
            for (int k = 0; k < Row::arity; ++k) {
                if (autograd::column_of(Row::id, k).kind != column_kind::derivative) continue;
                bool wanted[4] = {};
                wanted[k] = true;
                const row_program first =
                    autograd::vjp(program_of(Row::id), std::span(wanted, std::size_t{Row::arity}));
                const row_program second =
                    autograd::jvp(first, std::span(wanted, std::size_t{Row::arity + 1}));
                std::vector<std::vector<double>> inputs(Row::arity + 2,
                                                        std::vector<double>(12, 1.0));
                std::vector<point<double>> points(12);
                for (std::size_t i = 0; i < points.size(); ++i) {
                    point<double>& at = points[i];
                    do {
                        at = {draw(Row::domain.lo, Row::domain.hi),
                              draw(Row::domain.lo2, Row::domain.hi2), draw(-3, 3)};
                        if (Row::id == op::clamp && at[1] > at[2]) std::swap(at[1], at[2]);
                    } while (at_edge(Row::id, at));
                    for (std::size_t o = 0; o < Row::arity; ++o) inputs[o][i] = at[o];
                }
                std::vector<double> got(12, 0.0);
                if (second.outputs[0] >= 0)
                    got = testing::run_rows(second, second.outputs[0], inputs);
                real exact(0, precision);
                for (std::size_t i = 0; i < points.size(); ++i) {
                    difference(exact, Row::id, points[i], k, 2);
                    const double expected = mpfr_get_d(exact, MPFR_RNDN);
                    INFO(std::string(Row::name)
                         << ", operand " << k << " at " << points[i][0] << " " << points[i][1]
                         << " " << points[i][2] << ": " << got[i] << ", expected " << expected);
                    CHECK(std::fabs(got[i] - expected) <= 1e-9 * (1 + std::fabs(expected)));
                }
            }
        }
    });
}
