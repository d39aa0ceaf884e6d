// Every derivative column, on host<double>, compared with central differences of the MPFR
// references.
#include "tests/op/reference.hpp"
#include "tests/seed.hpp"

#include <sinter/math/host.hpp>
#include <sinter/op/rows.hpp>

#include <boost/hana/for_each.hpp>
#include <doctest/doctest.h>

#include <string>

#include <algorithm>
#include <cmath>

using namespace sinter;
using sinter::test::real;

namespace {

using V = math::host<double>;

/// (f(x + h) - f(x - h)) / 2h in one operand, h = 2^-300.
double difference(op::id row, const double (&at)[3], int operand) {
    real high(0, 1200), low(0, 1200);
    for (int side : {1, -1}) {
        real x[3] = {real(at[0], 900), real(at[1], 900), real(at[2], 900)};
        real step(0, 900);
        mpfr_set_si_2exp(step, side, -300, MPFR_RNDN);
        mpfr_add(x[operand], x[operand], step, MPFR_RNDN);
        test::reference_of(row).in_reals(side > 0 ? high : low, x[0], x[1], x[2]);
    }
    mpfr_sub(high, high, low, MPFR_RNDN);
    mpfr_mul_2si(high, high, 299, MPFR_RNDN);
    return mpfr_get_d(high, MPFR_RNDN);
}

template <class Row>
void check_row(std::mt19937_64& random) {
    auto draw = [&](double lo, double hi) {
        lo = std::max(lo, -3.0);
        hi = std::min(hi, 3.0);
        double u = std::ldexp(static_cast<double>(random() >> 11), -53);
        return lo + (hi - lo) * (0.02 + 0.96 * u);
    };
    double largest = 0, worst_at[3] = {};
    int worst_operand = 0;
    auto compare = [&](const double(&at)[3], int operand, double got) {
        double expected = difference(Row::id, at, operand);
        double error = std::fabs(got - expected) / (1 + std::fabs(expected));
        if (!(error <= largest)) {
            largest = std::isnan(error) ? 1e9 : error;
            std::copy(at, at + 3, worst_at);
            worst_operand = operand;
        }
    };
    for (int i = 0; i < 60; ++i) {
        double at[3] = {draw(Row::domain.lo, Row::domain.hi),
                        draw(Row::domain.lo2, Row::domain.hi2), draw(-3, 3)};
        if (Row::id == op::clamp && at[1] > at[2]) std::swap(at[1], at[2]);
        V a(at[0]), b(at[1]), c(at[2]);
        if constexpr (Row::arity == 1) {
            V y = Row::value(a);
            if constexpr (Row::no_grad0 == nullptr) compare(at, 0, Row::d0(a, y).v);
        } else if constexpr (Row::arity == 2) {
            V y = Row::value(a, b);
            if constexpr (Row::no_grad0 == nullptr) compare(at, 0, Row::d0(a, b, y).v);
            if constexpr (Row::no_grad1 == nullptr) compare(at, 1, Row::d1(a, b, y).v);
        } else {
            V y = Row::value(a, b, c);
            if constexpr (Row::no_grad0 == nullptr) compare(at, 0, Row::d0(a, b, c, y).v);
            if constexpr (Row::no_grad1 == nullptr) compare(at, 1, Row::d1(a, b, c, y).v);
            if constexpr (Row::no_grad2 == nullptr) compare(at, 2, Row::d2(a, b, c, y).v);
        }
    }
    INFO(std::string(Row::name) << " operand " << worst_operand << " at " << worst_at[0] << " "
                                << worst_at[1] << " " << worst_at[2]);
    CHECK(largest < 1e-12);
}

template <class Row>
constexpr bool has_gradient = [] {
    if constexpr (Row::rule == dtype_rule::test || Row::rule == dtype_rule::random ||
                  Row::id == op::where)
        return false;
    else if constexpr (!op::computes_in<double>(Row::id))
        return false;
    else if constexpr (Row::arity == 2)
        return Row::no_grad0 == nullptr || Row::no_grad1 == nullptr;
    else
        return Row::no_grad0 == nullptr;
}();

}  // namespace

TEST_CASE("rows: derivatives against central differences") {
    std::mt19937_64 random(test::seed());
    int checked = 0;
    boost::hana::for_each(rows::all, [&](auto row) {
        using Row = decltype(row);
        if constexpr (has_gradient<Row>) {
            check_row<Row>(random);
            ++checked;
        }
    });
    CHECK(checked >= 35);
}

TEST_CASE(
    "rows: a tie shares the gradient of minimum and maximum, and fmin and fmax give it to one") {
    V one(1);
    CHECK(rows::minimum::d0(one, one, one).v == 0.5);
    CHECK(rows::maximum::d1(one, one, one).v == 0.5);
    CHECK(rows::fmin::d0(one, one, one).v + rows::fmin::d1(one, one, one).v == 1);
    CHECK(rows::fmax::d0(one, one, one).v + rows::fmax::d1(one, one, one).v == 1);
    CHECK(rows::clamp::d0(one, one, V(2), one).v == 1);
    CHECK(rows::abs::d0(V(0), V(0)).v == 0);
    CHECK(rows::relu::d0(V(0), V(0)).v == 0);
}
