#include "tests/ops/cases.hpp"

#include <sinter/functions/reductions.hpp>

using namespace sinter;
using test::check;
using test::inf64;
using test::nan32;
using test::plain;

namespace {

double largest(const std::vector<double>& r) {
    double m = -inf64;
    for (double x : r) m = std::isnan(x) || std::isnan(m) ? std::nan("") : std::max(m, x);
    return m;
}
std::vector<double> softmax_row(const std::vector<double>& r) {
    const double m = largest(r);
    double sum = 0;
    for (double x : r) sum += std::exp(x - m);
    std::vector<double> y;
    for (double x : r) y.push_back(std::exp(x - m) / sum);
    return y;
}
double log_sum_exp(const std::vector<double>& r) {
    const double m = largest(r);
    if (std::isinf(m) || std::isnan(m)) return m;
    double sum = 0;
    for (double x : r) sum += std::exp(x - m);
    return m + std::log(sum);
}
std::vector<double> log_softmax_row(const std::vector<double>& r) {
    const double l = log_sum_exp(r);
    std::vector<double> y;
    for (double x : r) y.push_back(x - l);
    return y;
}
}  // namespace

TEST_CASE("softmax and log_softmax along every dimension") {
    test::for_each_mode([] {
        for (ScalarType dtype : {kFloat, kDouble, kHalf, kBFloat16})
            test::for_each_layout(
                dtype, false,
                [&](const Tensor& t) {
                    test::for_each_dim(t, [&](int64_t d, int64_t dim) {
                        const plain x(t);
                        const double near = test::tolerance_of(dtype);
                        const Tensor s = t.softmax(dim), l = log_softmax(t, dim);
                        CHECK((s.scalar_type() == dtype));
                        CHECK((l.scalar_type() == dtype));
                        test::check_near(s, x.mapped(d, softmax_row), near);
                        test::check_near(l, x.mapped(d, log_softmax_row), near);
                    });
                },
                dtype != kFloat);
        check<float>(softmax(tensor({1000.0, 1000.0}), 0), {2}, {0.5, 0.5});
        check<float>(tensor({-inf64, 0.0}).softmax(0), {2}, {0, 1});
        check<float>(tensor({-inf64, -inf64}).softmax(0), {2}, {nan32, nan32});
        check<double>(tensor({0, 0}).softmax(0, kDouble), {2}, {0.5, 0.5});
        check<float>(softmax(tensor({true, true}), -1, kFloat), {2}, {0.5, 0.5});
        check<float>(full({}, 3.0).log_softmax(0), {}, {0});
        check<float>(zeros({2, 0}).softmax(1), {2, 0}, {});
        check<float>(tensor({2.0, 2.0}, kHalf).log_softmax(0, kFloat), {2},
                     {-std::log(2.0f), -std::log(2.0f)});
    });
    CHECK_ERROR(NotImplementedError, tensor({1, 2}).softmax(0),
                "[softmax] integers and booleans are not supported; got Long, expected a "
                "floating-point dtype; try .to(kFloat) first");
    CHECK_ERROR(IndexError, zeros({2}).log_softmax(1),
                "[log_softmax] the dimension is out of range; got dimension 1 of a tensor with 1 "
                "dimensions, expected -1 to 0; try -1 for the last dimension");
}

TEST_CASE("logsumexp") {
    test::for_each_mode([] {
        for (ScalarType dtype : {kFloat, kDouble, kHalf})
            for (bool special : {false, true})
                test::for_each_layout(
                    dtype, special,
                    [&](const Tensor& t) {
                        test::for_each_dim(t, [&](int64_t d, int64_t dim) {
                            const plain x(t);
                            const double near = test::tolerance_of(dtype);
                            test::check_near(t.logsumexp(dim), x.reduced(d, false, log_sum_exp),
                                             near);
                            test::check_near(logsumexp(t, dim, true),
                                             x.reduced(d, true, log_sum_exp), near);
                        });
                    },
                    special || dtype != kFloat);
        Tensor a = zeros({2, 3, 4});
        test::check_near(a.logsumexp({0, 2}), plain(full({3}, std::log(8.0))), 1e-6);
        test::check_near(a.logsumexp(IntArrayRef()), plain(full({}, std::log(24.0))), 1e-6);
        CHECK((tensor({1, 2}).logsumexp(0).scalar_type() == kFloat));
        check<float>(zeros({0}).logsumexp(0), {}, {-std::numeric_limits<float>::infinity()});
        check<float>(zeros({2, 0}).logsumexp(0), {0}, {});
    });
}
