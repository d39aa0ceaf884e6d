// Every row that computes in floats: host<float> and host<double> compared with MPFR within the
// row's ULP bound (0: correctly rounded), and block rows with the C library in double over the
// floats, all of them in a long run; the same of formulas under fast math, within 4 ULP.
// SINTER_ULP_TABLE=1 prints the table of docs/accuracy.md,
// SINTER_TEST_ROW=name compares one row.
#include "jit/simd/block.hpp"
#include "tests/support/formula_flags.hpp"
#include "tests/op/reference.hpp"
#include "tests/seed.hpp"

#include <sinter/math/host.hpp>
#include <sinter/op/rows.hpp>

#include <boost/hana/for_each.hpp>
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

using namespace sinter;
using sinter::test::hexadecimal;
using sinter::test::random_value;
using sinter::test::real;
using sinter::test::special_values;

namespace {

/// Flags of host<T>: those of rows under fast math, or none.
constexpr int fast_form = SINTER_HOST_FAST;

template <class Row, class T, int Flags>
constexpr double bound_of() {
    const double exact = sizeof(T) == 4 ? Row::ulp_f32 : Row::ulp_f64;
    return Flags == fast_form ? std::max(exact, 4.0) : exact;
}

struct worst {
    double error = 0;
    double at[3] = {};
    double got = 0;
};

/// True where the phase of an oscillating function, 2/3 |x|^(3/2), has no digits even in twice the
/// precision.
template <class Row>
bool has_no_phase(double x) {
    return Row::id == op::airy_ai && x < Row::domain.lo;
}

template <class Row, class T, int Flags>
class row_check {
public:
    void operator()(std::mt19937_64& random, int count) {
        auto& special = special_values<T>();
        if constexpr (Row::arity == 1) {
            for (T a : special) point(a, T(0), T(0));
            for (int i = 0; i < count; ++i) point(random_value<T>(random), T(0), T(0));
        } else {
            for (T a : special) {
                for (T b : special) point(a, b, special[random() % special.size()]);
            }
            for (int i = 0; i < count; ++i) {
                T a = random_value<T>(random), b = random_value<T>(random);
                if (i % 4 == 0) b = related(a, random);
                point(a, b, random_value<T>(random));
            }
        }
    }
    const worst& result() const { return worst_; }

private:
    static constexpr double bound = bound_of<Row, T, Flags>();
    // An exact row needs every bit of an exact result; other rows need room for double rounding.
    mpfr_prec_t precision_ = bound == 0 ? 2300 : 160;
    real r_{0, precision_}, a_{0, 64}, b_{0, 64}, c_{0, 64};
    worst worst_;

    /// Returns a second operand for which the result is neither trivial nor out of range.
    static T related(T a, std::mt19937_64& random) {
        double u = std::ldexp(static_cast<double>(random() >> 11), -53);
        if constexpr (Row::id == op::pow) {
            double range = sizeof(T) == 4 ? 155 : 1080;
            double exponent = (2 * u - 1) * range / std::log2(std::fabs(static_cast<double>(a)));
            return static_cast<T>(a < 0 ? std::rint(exponent) : exponent);
        } else {
            return a * static_cast<T>(std::ldexp(u, static_cast<int>(random() % 40) - 30));
        }
    }

    /// Errors of results below `ulp_above` are in ULP of `ulp_above`.
    static double share_of_place(mpfr_srcptr exact) {
        double size = std::fabs(mpfr_get_d(exact, MPFR_RNDN));
        return size > 0 && size < Row::ulp_above ? size / Row::ulp_above : 1;
    }

    void point(T a, T b, T c) {
        using V = math::host<T, SINTER_HOST_ISA | Flags>;
        if (has_no_phase<Row>(a)) return;
        auto got = [&] {
            if constexpr (Row::arity == 1)
                return Row::value(V::from(a)).v;
            else if constexpr (Row::arity == 2)
                return Row::value(V::from(a), V::from(b)).v;
            else
                return Row::value(V::from(a), V::from(b), V::from(c)).v;
        }();
        mpfr_set_d(a_, a, MPFR_RNDN);
        mpfr_set_d(b_, b, MPFR_RNDN);
        mpfr_set_d(c_, c, MPFR_RNDN);
        test::reference_of(Row::id).in_reals(r_, a_, b_, c_);
        double error;
        if constexpr (std::is_same_v<decltype(got), bool>) {
            error = got == !mpfr_zero_p(r_) ? 0 : 1e9;
        } else if (bound == 0) {
            T exact;
            if constexpr (sizeof(T) == 4)
                exact = mpfr_get_flt(r_, MPFR_RNDN);
            else
                exact = mpfr_get_d(r_, MPFR_RNDN);
            bool same = test::to_word(got) == test::to_word(exact);
            error =
                same || (std::isnan(got) && std::isnan(exact)) ? 0 : test::ulp_error(got, r_) + 1;
        } else {
            error = test::ulp_error(got, r_) * share_of_place(r_);
        }
        if (error > worst_.error) {
            worst_ = {error,
                      {static_cast<double>(a), static_cast<double>(b), static_cast<double>(c)},
                      static_cast<double>(got)};
        }
    }
};

template <class Row>
constexpr bool has_reference = op::computes_in<float>(Row::id) && Row::rule != dtype_rule::random &&
                               Row::id != op::where && Row::id != op::nextafter;

template <class Row, class T, int Flags = 0>
double check_row(std::mt19937_64& random) {
    row_check<Row, T, Flags> check;
    check(random, test::cases(Row::ulp_f64 == 0 ? 500 : 8000, 30));
    const worst& w = check.result();
    constexpr double bound = bound_of<Row, T, Flags>();
    INFO(std::string(Row::name) << " f" << sizeof(T) * 8 << " at " << hexadecimal(w.at[0]) << " "
                                << hexadecimal(w.at[1]) << " " << hexadecimal(w.at[2]) << " gives "
                                << hexadecimal(w.got));
    CHECK(w.error <= bound);
    return w.error;
}

bool asked_for(const std::string& row) {
    const char* only = std::getenv("SINTER_TEST_ROW");
    return !only || row == only;
}

/// Returns the distance in ULP of float between `got` and a double whose own error is negligible.
double ulp_error_near(float got, double exact) {
    if (std::isnan(got) || std::isnan(exact)) return std::isnan(got) == std::isnan(exact) ? 0 : 1e9;
    double limited = std::fabs(exact) > 0x1p128 ? std::copysign(0x1p128, exact) : exact;
    double value = std::isinf(got) ? std::copysign(0x1p128, got) : got;
    int exponent = static_cast<int>(test::to_word(limited) >> 52 & 0x7ff) - 1023 - 23;
    exponent = exponent < -149 ? -149 : exponent > 104 ? 104 : exponent;
    auto scale = test::from_word<double>(static_cast<uint64_t>(1023 - exponent) << 52);
    return std::fabs(value - limited) * scale;
}

/// Computes a row under fast math, as a block function does.
template <class Row>
void fast_block(void* out, const void* const* in, const bool*, int64_t n, uint64_t*) {
    using V = math::host<float, SINTER_HOST_ISA | fast_form>;
    for (int64_t i = 0; i < n; ++i)
        static_cast<float*>(out)[i] = Row::value(V::from(static_cast<const float*>(*in)[i])).v;
}

/// Compares a unary row's block function with the C library at the floats of the bits first,
/// first + stride, ... below 2^32.
template <class Row, int Flags>
worst sweep(uint64_t first, uint64_t stride) {
    constexpr bool predicate = Row::rule == dtype_rule::test;
    block::block_fn row = block::find(Row::id, kFloat, predicate ? kBool : kFloat);
    if constexpr (Flags == fast_form && !predicate) row = fast_block<Row>;
    const auto exact = test::reference_of(Row::id).in_double;
    constexpr int64_t part = 4096;
    std::vector<float> x(part), y(part);
    worst w;
    while (first < uint64_t{1} << 32) {
        int64_t n = 0;
        for (; n < part && first < uint64_t{1} << 32; first += stride) {
            const auto at = test::from_word<float>(static_cast<uint32_t>(first));
            if (!has_no_phase<Row>(at)) x[static_cast<std::size_t>(n++)] = at;
        }
        const void* in = x.data();
        const bool uniform = false;
        uint64_t status = 0;
        row(y.data(), &in, &uniform, n, &status);
        for (int64_t i = 0; i < n; ++i) {
            const auto k = static_cast<std::size_t>(i);
            const float got = predicate ? reinterpret_cast<const uint8_t*>(y.data())[k] : y[k];
            const double error = ulp_error_near(got, exact(x[k]));
            if (error > w.error) w = {error, {x[k]}, got};
        }
    }
    return w;
}

/// The same at all floats that `stride` selects, by all processors.
template <class Row, int Flags = 0>
worst sweep_by_threads(uint64_t first, uint64_t stride) {
    const uint64_t threads = std::max(1U, std::thread::hardware_concurrency());
    std::vector<worst> found(threads);
    std::vector<std::thread> running;
    for (uint64_t i = 0; i < threads; ++i)
        running.emplace_back(
            [&, i] { found[i] = sweep<Row, Flags>(first + i * stride, threads * stride); });
    for (std::thread& t : running) t.join();
    return *std::max_element(found.begin(), found.end(),
                             [](const worst& a, const worst& b) { return a.error < b.error; });
}

/// Returns the distance of `got`, which is not rounded yet, from `exact` in ULP of Half.
double half_ulp_error(float got, double exact) {
    if (std::isnan(got) || std::isnan(exact)) return std::isnan(got) == std::isnan(exact) ? 0 : 1e9;
    const auto limited = [](double x) { return std::fmax(std::fmin(x, 65536), -65536); };
    int exponent = 0;
    std::frexp(limited(exact), &exponent);
    const double place = std::ldexp(1, std::max(exponent, -13) - 11);
    return std::fabs(limited(got) - limited(exact)) / place;
}

}  // namespace

TEST_CASE("rows: their formulas for narrow floats, at all halves, against those of doubles") {
    std::vector<float> x[2], y;
    std::vector<double> wide[2], exact;
    for (uint32_t k = 0; k < 0x10000; k++) {
        x[0].push_back(Half::from_bits(static_cast<uint16_t>(k)));
        x[1].push_back(Half::from_bits(static_cast<uint16_t>(k * 40503)));
    }
    for (int k = 0; k < 2; k++) wide[k].assign(x[k].begin(), x[k].end());
    y.resize(x[0].size());
    exact.resize(y.size());
    const auto run = [](block::block_fn row, void* to, const void* a, const void* b) {
        const void* in[] = {a, b};
        const bool uniform[2] = {};
        uint64_t status = 0;
        row(to, in, uniform, 0x10000, &status);
    };
    int rows_found = 0;
    for (int r = 0; r < op::count; r++) {
        const auto row = static_cast<op::id>(r);
        const block::block_fn own = block::find(row, kHalf, kHalf);
        if (own == block::find(row, kFloat, kFloat)) continue;
        rows_found++;
        run(own, y.data(), x[0].data(), x[1].data());
        run(block::find(row, kDouble, kDouble), exact.data(), wide[0].data(), wide[1].data());
        double worst = 0;
        for (std::size_t k = 0; k < y.size(); k++)
            worst = std::max(worst, half_ulp_error(y[k], exact[k]));
        INFO(std::string(op::info(row).name));
        CHECK(worst <= 1.0 / 32);
        if (std::getenv("SINTER_ULP_TABLE"))
            std::printf("%s of narrow floats: %.3f\n", op::info(row).name, worst);
    }
    CHECK(rows_found == 4);
}

TEST_CASE("rows: floats against MPFR") {
    std::mt19937_64 random(test::seed());
    bool table = std::getenv("SINTER_ULP_TABLE") != nullptr;
    boost::hana::for_each(rows::all, [&](auto row) {
        using Row = decltype(row);
        if constexpr (has_reference<Row>) {
            if (!asked_for(Row::name)) return;
            double f32 = check_row<Row, float>(random);
            double f64 = check_row<Row, double>(random);
            if (table && Row::ulp_f64 != 0)
                std::printf("| %s | %.3f | %.3f | %g, %g |\n", Row::name, f32, f64, Row::ulp_f32,
                            Row::ulp_f64);
        }
    });
}

TEST_CASE("rows: floats against the C library") {
    // An exhaustive run takes every float: 20 to 1,100 s of one processor for each row.
    const uint64_t stride = test::exhaustive() ? 1 : test::long_run() ? 31 : 60013;
    std::mt19937_64 random(test::seed());
    boost::hana::for_each(rows::all, [&](auto row) {
        using Row = decltype(row);
        if constexpr (has_reference<Row> && Row::arity == 1) {
            if (!asked_for(Row::name)) return;
            const double bound = Row::ulp_f32 == 0 ? 0.5 : Row::ulp_f32;
            const worst w = sweep_by_threads<Row>(random() % stride, stride);
            INFO(std::string(Row::name) << " at " << hexadecimal(w.at[0]));
            CHECK(w.error <= bound + 1e-6);
            if (test::long_run())
                std::printf("%s: %.4f of %g ULP at %a\n", Row::name, w.error, bound, w.at[0]);
        }
    });
}

TEST_CASE("rows: formulas under fast math, against MPFR and the C library") {
    // An exhaustive run takes every float.
    const uint64_t stride = test::exhaustive() ? 1 : test::long_run() ? 31 : 60013;
    std::mt19937_64 random(test::seed());
    INFO("SINTER_TEST_SEED=" << test::seed());
    const bool table = std::getenv("SINTER_ULP_TABLE") != nullptr;
    boost::hana::for_each(rows::all, [&](auto row) {
        using Row = decltype(row);
        if constexpr (has_reference<Row> && Row::rule != dtype_rule::test) {
            if (!asked_for(Row::name)) return;
            double f32 = 0, f64 = 0;
            if (test::has_fast_form(Row::id, kernel_ir::mtype::f32)) {
                f32 = check_row<Row, float, fast_form>(random);
                if constexpr (Row::arity == 1) {
                    const worst w = sweep_by_threads<Row, fast_form>(random() % stride, stride);
                    INFO(std::string(Row::name) << " at " << hexadecimal(w.at[0]));
                    CHECK(w.error <= bound_of<Row, float, fast_form>() + 1e-6);
                    f32 = std::max(f32, w.error);
                }
            }
            if (test::has_fast_form(Row::id, kernel_ir::mtype::f64))
                f64 = check_row<Row, double, fast_form>(random);
            if (table && f32 + f64 > 0) std::printf("| %s | %.3f | %.3f |\n", Row::name, f32, f64);
        }
    });
}
