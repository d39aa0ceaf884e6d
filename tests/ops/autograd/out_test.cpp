// Functions that write into a given tensor have no gradient, and say so.
#include <sinter/sinter.hpp>

#include <doctest/doctest.h>

using namespace sinter;

namespace {

template <class Call>
bool refused(const Call& call) {
    try {
        call();
    } catch (const Error& e) {
        return std::string(e.what()).find(
                   "functions with out=... arguments don't support automatic differentiation, but "
                   "one of the arguments requires grad") != std::string::npos;
    }
    return false;
}

}  // namespace

TEST_CASE("an output cannot take what has a gradient") {
    const Tensor x = tensor({0.5, 1.5}, kDouble).requires_grad_(), plain = x.detach();
    Tensor out = zeros({2}, kDouble), one = zeros({}, kDouble);
    CHECK(refused([&] { sin_out(out, x); }));
    CHECK(refused([&] { add_out(out, plain, x); }));
    CHECK(refused([&] { add_out(out, plain, x, 2); }));
    CHECK(refused([&] { mul_out(out, x, plain); }));
    CHECK(refused([&] { pow_out(out, x, 2); }));
    CHECK(refused([&] { clamp_out(out, x, 0, 1); }));
    CHECK(refused([&] { lerp_out(out, x, plain, 0.5); }));
    CHECK(refused([&] { sum_out(one, x, 0); }));
    CHECK(refused([&] { norm_out(one, x, 2, 0); }));
    CHECK(refused([&] { polygamma_out(out, 2, x); }));
    CHECK(refused([&] { special::zeta_out(out, 2.0, x); }));
    CHECK(refused([&] { cat_out(out, {x}); }));
    CHECK(refused([&] { logsumexp_out(one, x, 0); }));
    Tensor index = zeros({}, kLong);
    CHECK(refused([&] { max_out(one, index, x, 0); }));
    // The output itself.
    Tensor given = (x * 2);
    CHECK(refused([&] { sin_out(given, plain); }));
    for (const Tensor& t : {out, one}) CHECK(t.eq(0).all().item<bool>());
}

TEST_CASE("an output takes what has no gradient") {
    const Tensor x = tensor({0.5, 1.5}, kDouble).requires_grad_();
    Tensor truth = zeros({2}, kBool), out = zeros({2}, kDouble);
    lt_out(truth, x, x);
    CHECK_FALSE(truth.any().item<bool>());
    {
        const NoGradGuard unrecorded;
        neg_out(out, x);
    }
    CHECK_FALSE(out.requires_grad());
    CHECK(out.equal(tensor({-0.5, -1.5}, kDouble)));
}
