// libtorch's overloads of the `_out` forms, the dtypes that they require of the output, and
// variables as arguments where a list, a number or a tensor is optional.
#include "tests/ops/check.hpp"

#include <sinter/functions/linalg.hpp>
#include <sinter/functions/out.hpp>
#include <sinter/functions/pointwise.hpp>
#include <sinter/functions/random.hpp>
#include <sinter/functions/reductions.hpp>
#include <sinter/functions/shape.hpp>

#include <array>
#include <functional>

using namespace sinter;
using test::check;
using test::counted;

namespace {

Tensor values() { return tensor({-1.25f, 0.5f, 2.f}); }

/// Writes into an output of that dtype; returns true if it was accepted.
bool takes(ScalarType type, const std::function<void(Tensor&)>& write) {
    Tensor out = empty({0}, type);
    try {
        write(out);
        return true;
    } catch (const InternalError&) {
        throw;
    } catch (const Error&) {
        return false;
    }
}

std::string taken(const std::function<void(Tensor&)>& write) {
    std::string list;
    for (ScalarType t : {kFloat, kDouble, kHalf, kLong, kComplexFloat, kBool})
        if (takes(t, write)) list += std::string(list.empty() ? "" : " ") + toString(t);
    return list;
}

constexpr const char* one = "Float";
constexpr const char* castable = "Float Double Half ComplexFloat";
constexpr const char* numbers = "Float Double Half Long ComplexFloat";
constexpr const char* real_ones = "Float Double Half Long Bool";

}  // namespace

TEST_CASE("outputs that convert, and outputs that want the result's dtype") {
    const Tensor x = values(), p = tensor({0.f, 1.f, 1.f});
    using R = Tensor&;
    CHECK(taken([&](R r) { clamp_out(r, x, x, x); }) == castable);
    CHECK(taken([&](R r) { clamp_out(r, x, x); }) == castable);
    CHECK(taken([&](R r) { clip_out(r, x, nullopt, x); }) == castable);
    CHECK(taken([&](R r) { clamp_out(r, x, 0, 1); }) == one);
    CHECK(taken([&](R r) { clip_out(r, x, 0.5); }) == one);
    CHECK(taken([&](R r) { bernoulli_out(r, p); }) == real_ones);
    CHECK(taken([&](R r) { bernoulli_out(r, p, 0.5); }) == one);
    CHECK(taken([&](R r) { lerp_out(r, x, x, 0.5); }) == castable);
    CHECK(taken([&](R r) { lerp_out(r, x, x, x); }) == one);
    CHECK(taken([&](R r) { elu_out(r, x); }) == one);
    CHECK(taken([&](R r) { gelu_out(r, x); }) == one);
    CHECK(taken([&](R r) { celu_out(r, x); }) == one);
    CHECK(taken([&](R r) { hardshrink_out(r, x); }) == one);
    CHECK(taken([&](R r) { softshrink_out(r, x); }) == one);
    CHECK(taken([&](R r) { hardtanh_out(r, x); }) == one);
    CHECK(taken([&](R r) { leaky_relu_out(r, x); }) == one);
    CHECK(taken([&](R r) { softplus_out(r, x, 1); }) == one);
    CHECK(taken([&](R r) { threshold_out(r, x, 0, 1); }) == castable);
    CHECK(taken([&](R r) { diff_out(r, x); }) == castable);
    CHECK(taken([&](R r) { diff_out(r, x, 2); }) == castable);
    CHECK(taken([&](R r) { diff_out(r, x, 0); }) == one);
    CHECK(taken([&](R r) { logit_out(r, x, 0.1); }) == castable);
    CHECK(taken([&](R r) { round_out(r, x, 1); }) == one);
    CHECK(taken([&](R r) { copysign_out(r, x, 2.0); }) == castable);
    CHECK(taken([&](R r) { mul_out(r, x, 2); }) == castable);
    CHECK(taken([&](R r) { div_out(r, x, 2, "floor"); }) == castable);
    CHECK(taken([&](R r) { rsub_out(r, x, 2); }) == one);
    CHECK(taken([&](R r) { rsub_out(r, x, x); }) == one);
    CHECK(taken([&](R r) { linspace_out(r, full({}, 0), full({}, 1), 3); }).find(numbers) == 0);
    const Tensor eye3 = eye(3), tolerance = full({}, 0.1f);
    CHECK(taken([&](R r) { linalg_pinv_out(r, eye3, tolerance); }) == castable);
    CHECK(taken([&](R r) { linalg_matrix_rank_out(r, eye3, tolerance); }) == numbers);
    CHECK_ERROR(
        Error,
        [&] {
            Tensor r = empty({0}, kDouble);
            elu_out(r, x);
        }(),
        "[elu_out] the output has the wrong dtype; got Double, expected Float, the result's dtype; "
        "try empty({0}, kFloat) as the output");
}

TEST_CASE("outputs of operations with numbers, tolerances and ends") {
    test::for_each_mode([] {
        const Tensor x = values(), a = tensor({{2.f, 0.f}, {0.f, 0.01f}});
        const auto into = [](const auto& write) {
            Tensor r = empty({0}, kFloat);
            CHECK(write(r).is_same(r));
            return r;
        };
#define SAME(call, expected) \
    CHECK(equal(into([&](Tensor& r) -> Tensor& { return call; }), expected))
        SAME(add_out(r, x, 2), x + 2);
        SAME(add_out(r, x, 2, 3), x.add(2, 3));
        SAME(sub_out(r, x, 2, 3), x.sub(2, 3));
        SAME(rsub_out(r, x, 2), 2 - x);
        SAME(rsub_out(r, x, 2, 3), 2 - 3 * x);
        SAME(rsub_out(r, x, x, 2), x - 2 * x);
        SAME(mul_out(r, x, 2), x * 2);
        SAME(div_out(r, x, 2), x / 2);
        SAME(div_out(r, x, 2, "floor"), floor_divide(x, 2));
        SAME(floor_divide_out(r, x, 2), floor_divide(x, 2));
        SAME(copysign_out(r, x, -2.0), copysign(x, -2.0));
        SAME(logit_out(r, x, 0.1), logit(x, 0.1));
        SAME(round_out(r, x, 1), round(x, 1));
        SAME(clamp_out(r, x, 0.25), x.clamp(0.25));
        SAME(clamp_out(r, x, nullopt, 0.25), x.clamp_max(0.25));
        SAME(clamp_out(r, x, nullopt, full({}, 0.25f)), x.clamp_max(0.25));
        SAME(clip_out(r, x, full({}, 0.25f)), x.clamp_min(0.25));
        SAME(linspace_out(r, full({}, 1), full({}, 2.0), 3), linspace(1, 2, 3));
        SAME(linspace_out(r, 1, full({}, 2, kLong), 3), linspace(1, 2, 3));
        SAME(logspace_out(r, full({}, 1), 2, 3), logspace(1, 2, 3));
        CHECK(equal(linspace(full({}, 1, kLong), full({}, 2, kLong), 3), linspace(1, 2, 3)));
        CHECK(equal(linspace(full({}, 1) + 1, 4, 3), linspace(2, 4, 3)));
        CHECK(equal(logspace(1, full({}, 2), 3, 2.0), logspace(1, 2, 3, 2.0)));
        SAME(linalg_pinv_out(r, a, full({}, 0.1f)), linalg_pinv(a, 0.0, 0.1));
        SAME(linalg_pinv_out(r, a, 0.1), linalg_pinv(a, 0.0, 0.1));
        SAME(linalg_pinv_out(r, a, 0.1, 0.0), linalg_pinv(a, 0.1, 0.0));
        SAME(linalg_pinv_out(r, a, optional<Tensor>(), full({}, 0.1f)), linalg_pinv(a, 0.0, 0.1));
        SAME(linalg_matrix_rank_out(r, a, full({}, 0.1f)), full({}, 1.f));
        SAME(linalg_matrix_rank_out(r, a, 0.001), full({}, 2.f));
        SAME(linalg_matrix_rank_out(r, a, optional<Tensor>(full({}, 0.1f))), full({}, 1.f));
        SAME(zeros_like_out(r, x, MemoryFormat::Contiguous), zeros_like(x));
        SAME(ones_like_out(r, x, nullopt), ones_like(x));
        SAME(full_like_out(r, x, 2, nullopt), full_like(x, 2));
        SAME(clone_out(r, x, nullopt), x);
#undef SAME
        Tensor drawn = empty({0}, kInt);
        check<int32_t>(bernoulli_out(drawn, tensor({0.f, 1.f})), {2}, {0, 1});
    });
    CHECK_ERROR(Error, linspace(zeros({1}), 1, 3),
                "[linspace] an end is not a 0-d tensor; got shape [1], expected a 0-d tensor; try "
                "one element of it, as in t[0]");
    CHECK((linspace(0, full({}, sinter::complex<double>(3, 1), kComplexDouble), 4).dtype() ==
           kComplexFloat));
}

TEST_CASE("lists, bounds and tolerances that a variable may have or not") {
    test::for_each_mode([] {
        const Tensor x = counted({2, 3});
        const int64_t zero = 0;  // lists are not copied
        const OptionalIntArrayRef all, first(zero);
        check<float>(x.sum(all), {}, {15});
        check<float>(sum(x, first), {3}, {3, 5, 7});
        check<float>(x.sum(first, true), {1, 3}, {3, 5, 7});
        check<float>(x.mean(first), {3}, {1.5, 2.5, 3.5});
        check<float>(mean(x, all), {}, {2.5});
        check<float>(x.nansum(first), {3}, {3, 5, 7});
        check<float>(nanmean(x, all), {}, {2.5});
        check<float>(x.var(first), {3}, {4.5, 4.5, 4.5});
        check<float>(x.var(first, false), {3}, {2.25, 2.25, 2.25});
        check<float>(var(x, first, 2), {3},
                     std::vector<float>(3, std::numeric_limits<float>::infinity()));
        CHECK(equal(sinter::std(x, first), x.std(0)));
        CHECK(equal(std::get<0>(var_mean(x, first)), x.var(0)));
        CHECK(equal(std::get<1>(std_mean(x, all)), x.mean()));
        check<bool>(x.any(first), {3}, {true, true, true});
        check<bool>(x.all(first), {3}, {false, true, true});
        check<bool>(any(x, all), {}, {true});
        check<bool>(sinter::all(x, all), {}, {false});
        check<bool>(x.all(IntArrayRef()), {2, 3}, {false, true, true, true, true, true});
        // A plain list of numbers is still accepted.
        check<float>(x.sum({0, 1}), {}, {15});
        check<float>(x.sum(std::vector<int64_t>{0}), {3}, {3, 5, 7});
        check<float>(x.sum(std::array<int64_t, 1>{0}), {3}, {3, 5, 7});
        check<float>(x.var({0}, true), {3}, {4.5, 4.5, 4.5});
        check<float>(x.var(std::vector<int64_t>{0}), {3}, {4.5, 4.5, 4.5});
        check<float>(x.var(nullopt, 0), {}, {17.5f / 6});

        const optional<Tensor> none, low = full({}, 1.f), high = full({}, 4.f);
        check<float>(clamp(x, low, high), {2, 3}, {1, 1, 2, 3, 4, 4});
        check<float>(x.clamp(low), {2, 3}, {1, 1, 2, 3, 4, 5});
        check<float>(clamp(x, low), {2, 3}, {1, 1, 2, 3, 4, 5});
        check<float>(x.clamp(none, high), {2, 3}, {0, 1, 2, 3, 4, 4});
        check<float>(x.clip(*low + 1), {2, 3}, {2, 2, 2, 3, 4, 5});
        Tensor y = x.clone();
        check<float>(y.clamp_(low), {2, 3}, {1, 1, 2, 3, 4, 5});

        const Tensor a = tensor({{2.f, 0.f}, {0.f, 0.01f}});
        const Tensor whole = linalg_pinv(a), part = linalg_pinv(a, 0.0, 0.1);
        CHECK_FALSE(equal(whole, part));
        CHECK(equal(linalg_pinv(a, {}, {}), whole));  // a tolerance of 0, as in libtorch
        CHECK(equal(linalg_pinv(a, nullopt), whole));
        CHECK(equal(linalg_pinv(a, none), whole));
        CHECK(equal(linalg_pinv(a, none, full({}, 0.1f)), part));
        CHECK(equal(linalg_pinv(a, 0, 0.1f), part));
        CHECK(equal(linalg::pinv(a, 0, 0.1), part));
        CHECK(linalg_matrix_rank(a, {}, {}).item<int64_t>() == 2);
        CHECK(linalg_matrix_rank(a, 0.1, 0).item<int64_t>() == 1);
        CHECK(linalg::matrix_rank(a, 0.1, true).item<int64_t>() == 1);

        const Tensor steps = tensor({0.f, 1.f, 4.f, 9.f});
        const auto g = [](const std::vector<Tensor>& list) { return list.at(0); };
        check<float>(g(gradient(steps, 2.0, nullopt, 1)), {4}, {0.5, 1, 2, 2.5});
        check<float>(g(gradient(steps, 2.0, nullopt, 2)), {4}, {0, 1, 2, 3});
        check<float>(g(gradient(steps, 2)), {4}, {0.5, 1, 2, 2.5});
        check<float>(g(gradient(steps, 2, 0)), {4}, {0.5, 1, 2, 2.5});
        check<float>(g(gradient(steps, 2, {0}, 2)), {4}, {0, 1, 2, 3});
        check<float>(g(gradient(steps, IntArrayRef{0}, 2)), {4}, {0, 2, 4, 6});
        check<float>(g(gradient(steps, std::vector<int64_t>{0})), {4}, {1, 2, 4, 5});
        check<float>(g(gradient(steps, nullopt, 0)), {4}, {1, 2, 4, 5});
        check<float>(g(gradient(steps, Scalar(2))), {4}, {0.5, 1, 2, 2.5});
    });
}
