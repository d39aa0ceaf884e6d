// A bias after a product, which cuBLASLt adds in the product's call: when it does, and the result.
// Without cuBLASLt, or with another vendor, two steps give the same values.
#include "tests/on_gpu/emulator_control.hpp"

#include <sinter/sinter.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <thread>
#include <vector>

using namespace sinter;
using testing::contains;
using testing::counts;
using testing::has_gpu;
using testing::make_fail;
using testing::text_of;

namespace {

bool has_light() {
    const auto is_none = [](const char* name) {
        const char* value = std::getenv(name);
        return value && std::strcmp(value, "none") == 0;
    };
    return runtime::gpu_at(0).api->vendor->id == Vendor::nvidia && contains(info(), "cublaslt") &&
           !is_none("SINTER_CUBLASLT_LIBRARY") && !is_none("SINTER_CUBLAS_LIBRARY");
}

Tensor sines(IntArrayRef sizes, ScalarType dtype, double start = 0) {
    int64_t n = 1;
    for (int64_t s : sizes) n *= s;
    return ((arange(n, kDouble) * 0.37 + start).sin()).reshape(sizes).to(dtype);
}

/// Runs `f`; records whether the bias was added in the product's call.
struct outcome {
    Tensor result;
    bool joined;
};
outcome run(const std::function<Tensor()>& f) {
    const Tensor pending = f();
    reset_stats();
    pending.eval();
    const stats_report after = stats();
    CHECK(after.library_calls == 1);
    CHECK(after.host_fallbacks == 0);
    CHECK(after.kernels_launched <= 1);
    return {pending, after.kernels_launched == 0};
}

/// `planned`: the plan joins them, but there is a kernel. It converts the bias to the library's
/// layout, or adds it after the product if the library has no algorithm.
enum class joins { no, yes, planned };

/// Checks that a product and a bias are joined or not, and have the bits of eager mode.
void check(joins how, const std::function<Tensor()>& f) {
    const std::string plan = explain(f());
    INFO(plan);
    const outcome lazy = run(f);
    CHECK((plan.find("with bias") != std::string::npos) == (how != joins::no && has_light()));
    CHECK(lazy.joined == (how == joins::yes && has_light()));
    const ModeGuard guard(Mode::eager);
    CHECK(allclose(lazy.result, f(), 0, 0, true));
}

}  // namespace

TEST_CASE("gpu epilogue: a bias joins its product in every layout") {
    if (!has_gpu()) return;
    for (ScalarType dtype : {kFloat, kDouble}) {
        INFO(std::string(toString(dtype)));
        const Tensor a = sines({6, 5}, dtype).cuda(), b = sines({5, 7}, dtype, 1).cuda();
        const Tensor tall = sines({5, 6}, dtype, 2).cuda(), wide = sines({7, 5}, dtype).cuda();
        const Tensor bias = sines({7}, dtype, 3).cuda(), many = sines({21}, dtype).cuda();
        check(joins::yes, [&] { return mm(a, b) + bias; });
        check(joins::yes, [&] { return bias + mm(a, b); });
        check(joins::yes, [&] { return addmm(bias, a, b); });
        check(joins::yes, [&] { return mm(tall.t(), b) + bias; });
        check(joins::yes, [&] { return mm(a, wide.t()) + bias; });
        check(joins::yes, [&] { return mm(tall.t(), wide.t()) + bias; });
        check(joins::yes, [&] { return mm(a, b) + bias.view({1, 7}); });
        check(joins::planned, [&] { return mm(a, b) + many.slice(0, 0, 21, 3); });
        check(joins::planned, [&] { return mm(a, b) + many.slice(0, 5, 12); });
        check(joins::planned, [&] { return mm(a, b) + many.slice(0, 4, 5); });
        check(joins::yes, [&] { return mm(a.slice(0, 0, 1), b) + bias; });
        check(joins::planned, [&] { return mm(a, b.slice(1, 2, 3)) + bias.slice(0, 2, 3); });
        check(joins::yes, [&] { return mm(a.slice(0, 1, 6, 2), b) + bias; });
        check(joins::yes, [&] { return mm(a.slice(1, 1, 5), b.slice(0, 0, 4)) + bias; });
    }
    if (testing::is_emulated()) CHECK(testing::finding().empty());
}

TEST_CASE("gpu epilogue: dump_graph frames a product and its bias as one call") {
    if (!has_gpu()) return;
    const Tensor a = sines({6, 5}, kFloat).cuda(), b = sines({5, 7}, kFloat, 1).cuda();
    const Tensor bias = sines({7}, kFloat, 3).cuda();
    const std::string text = dump_graph(mm(a, b) + bias);
    INFO(text);
    CHECK(contains(text, "add\\nFloat [6, 7] cuda:0"));
    CHECK(contains(text, "1. library call mm with bias\";\n    n0;\n    n1;\n") == has_light());
    CHECK(contains(text, "subgraph cluster_0"));
    CHECK_FALSE(contains(text, "subgraph cluster_1"));
}

TEST_CASE("gpu epilogue: batches") {
    if (!has_gpu()) return;
    const Tensor a = sines({2, 3, 4, 5}, kFloat).cuda(), b = sines({2, 3, 5, 6}, kFloat).cuda();
    const Tensor bias = sines({6}, kFloat, 3).cuda(), one = sines({5, 6}, kFloat).cuda();
    check(joins::yes, [&] { return matmul(a, b) + bias; });
    check(joins::yes, [&] { return matmul(a, one) + bias; });
    check(joins::yes, [&] { return bmm(a.select(0, 0), b.select(0, 1)) + bias; });
    const Tensor turned = a.mT().contiguous().mT().eval();
    check(joins::yes, [&] { return matmul(turned, b) + bias; });
    // cuBLAS computes a product with a repeated matrix.
    const Tensor left = sines({4, 5}, kFloat, 2).cuda();
    check(joins::planned, [&] { return matmul(left, b) + bias; });
    check(joins::planned, [&] { return bmm(left.expand({3, 4, 5}), b.select(0, 0)) + bias; });
    // Two library calls; the library might not accept some of them.
    check(joins::planned, [&] { return matmul(a.transpose(0, 1), b.transpose(0, 1)) + bias; });
    check(joins::no, [&] { return matmul(a, b) + sines({3, 1, 6}, kFloat).cuda().eval(); });
}

TEST_CASE("gpu epilogue: what is no bias along columns stays behind the product") {
    if (!has_gpu()) return;
    const Tensor a = sines({6, 5}, kFloat).cuda(), b = sines({5, 7}, kFloat, 1).cuda();
    const Tensor bias = sines({7}, kFloat, 3).cuda(), column = sines({6, 1}, kFloat).cuda();
    const Tensor matrix = sines({6, 7}, kFloat).cuda();
    check(joins::no, [&] { return mm(a, b) + matrix; });
    check(joins::no, [&] { return mm(a, b) + column; });
    check(joins::no, [&] { return mm(a, b.slice(1, 0, 1)) + column; });
    check(joins::no, [&] { return mm(a, b) - bias; });
    check(joins::no, [&] { return mm(a, b).slice(0, 0, 3) + bias; });
    check(joins::no, [&] { return mm(a, b).slice(1, 0, 3) + bias.slice(0, 0, 3); });
    check(joins::no, [&] { return mm(a, a.t()).t() + column.view({6}); });
    check(joins::no, [&] { return mm(a, b).unsqueeze(0).expand({2, 6, 7}) + bias; });
    check(joins::yes, [&] { return mm(a, b).view({2, 3, 7}) + bias; });
    check(joins::no, [&] { return mm(a, b).view({3, 14}) + matrix.view({3, 14}).select(0, 0); });
    check(joins::no, [&] { return relu(mm(a, b) + bias); });
    check(joins::no, [&] { return mm(a, b) * 2 + bias; });
    check(joins::no, [&] { return mm(a, b) + bias.to(kDouble); });
    check(joins::no, [&] { return (mm(a, b) + bias).to(kDouble); });
    check(joins::no, [&] { return mm(a, b).to(kDouble) + sines({7}, kDouble).cuda().eval(); });
    check(joins::no, [&] { return mm(a, b) + 1.5; });
    check(joins::no, [&] { return mm(a, b).t() + column.view({6}); });
}

TEST_CASE("gpu epilogue: narrow products are rounded before the bias, but under fast math") {
    if (!has_gpu()) return;
    for (ScalarType dtype : {kHalf, kBFloat16}) {
        INFO(std::string(toString(dtype)));
        const Tensor a = sines({6, 5}, dtype).cuda().eval(), b = sines({5, 7}, dtype, 1).cuda();
        const Tensor bias = sines({7}, dtype, 3).cuda().eval();
        check(joins::no, [&] { return mm(a, b) + bias; });
        const FastMathGuard fast;
        const outcome joined = run([&] { return mm(a, b) + bias; });
        CHECK(joined.joined == has_light());
        const Tensor once =
            (mm(a.cpu().to(kFloat), b.cpu().to(kFloat)) + bias.cpu().to(kFloat)).to(dtype);
        CHECK(allclose(joined.result.cpu().to(kFloat), once.to(kFloat), 0.01, 0.01));
        if (joined.joined && testing::is_emulated()) CHECK(equal(joined.result.cpu(), once));
    }
}

TEST_CASE("gpu epilogue: who else reads the product, gets it") {
    if (!has_gpu()) return;
    const Tensor a = sines({6, 5}, kFloat).cuda(), b = sines({5, 7}, kFloat, 1).cuda();
    const Tensor bias = sines({7}, kFloat, 3).cuda(), expected = mm(a, b).eval();
    {
        const Tensor product = mm(a, b), sum = product + bias;
        reset_stats();
        eval({sum});
        CHECK(stats().library_calls == 1);
        CHECK(stats().kernels_launched == 1);
        eval({product});
        CHECK(stats().library_calls == 1);
        CHECK(equal(sum, expected + bias));
        CHECK(equal(product, expected));
    }
    {
        const Tensor product = mm(a, b), both = (product + bias) * product;
        CHECK(equal(both, (expected + bias) * expected));
    }
    {
        const Tensor product = mm(a, b), sum = product + bias, other = product.sum({0});
        eval({sum, other});
        CHECK(equal(sum, expected + bias));
        CHECK(equal(other, expected.sum({0})));
    }
    // Into existing memory, also that of an operand.
    Tensor to = zeros({6, 7}, kCUDA).eval();
    const Tensor view = to.slice(0, 1, 3);
    to.copy_(mm(a, b) + bias);
    CHECK(equal(to, expected + bias));
    CHECK(equal(view, (expected + bias).slice(0, 1, 3)));
    Tensor square = sines({5, 5}, kFloat).cuda();
    const Tensor before = square.clone().eval();
    square.copy_(mm(square, square) + square.select(0, 0));
    CHECK(equal(square, mm(before, before).eval() + before.select(0, 0)));
    Tensor part = zeros({9, 7}, kCUDA).eval();
    part.slice(0, 2, 8).copy_(mm(a, b) + bias);
    CHECK(equal(part.slice(0, 2, 8), expected + bias));
    CHECK(part.slice(0, 0, 2).eq(0).all().item<bool>());
    part.slice(0, 0, 6).copy_(mm(a, b) + bias);
    CHECK(equal(part.slice(0, 0, 6), expected + bias));
    CHECK(equal(part.slice(0, 6, 8), (expected + bias).slice(0, 4, 6)));
    const void* const address = to.zero_().data_ptr();
    to.copy_(mm(a, b) + bias);
    CHECK(equal(to, expected + bias));
    CHECK(to.data_ptr() == address);
    to.zero_();
    add_out(to, mm(a, b), bias);
    CHECK(equal(to, expected + bias));
    CHECK(to.data_ptr() == address);
    check(joins::yes, [&] { return mm(a, b).add_(bias); });
}

TEST_CASE("gpu epilogue: NaN, infinities and products of nothing") {
    if (!has_gpu()) return;
    const float inf = std::numeric_limits<float>::infinity(), nan = std::nanf("");
    const Tensor a = tensor({{1.f, nan}, {inf, 0.f}, {-0.f, 0.f}}).cuda();
    const Tensor b = tensor({{1.f, 0.f}, {0.f, 1.f}}).cuda(), bias = tensor({-inf, -0.f}).cuda();
    check(joins::yes, [&] { return mm(a, b) + bias; });
    check(joins::no, [&] { return relu(mm(a, b) + bias); });
    for (const std::vector<int64_t>& sizes :
         {std::vector<int64_t>{0, 3, 4}, {2, 0, 4}, {2, 3, 0}, {1, 1, 1}, {1, 3, 1}}) {
        const Tensor x = ones({sizes[0], sizes[1]}, kCUDA), y = ones({sizes[1], sizes[2]}, kCUDA);
        const Tensor z = full({sizes[2]}, 0.5, kCUDA).eval();
        const Tensor sum = mm(x, y) + z;
        CHECK(equal(sum.cpu(), full({sizes[0], sizes[2]}, static_cast<float>(sizes[1]) + 0.5f)));
    }
}

TEST_CASE("gpu epilogue: eager mode and explain") {
    if (!has_gpu()) return;
    const Tensor a = sines({6, 5}, kFloat).cuda().eval(), b = sines({5, 7}, kFloat, 1).cuda();
    const Tensor bias = sines({7}, kFloat, 3).cuda();
    const std::string plan = explain(mm(a, b) + bias);
    CHECK(contains(plan, has_light() ? "plan: 2 operations, 0 kernels, 1 library call, at most 168 "
                                       "bytes of values\n  1. library call mm with bias\n"
                                     : "1 kernel, 1 library call, at most 336 bytes of values\n"
                                       "  1. library call mm\n"));
    eval({b, bias});
    const ModeGuard guard(Mode::eager);
    reset_stats();
    const Tensor sum = (mm(a, b) + bias).eval();
    CHECK(stats().library_calls == 1);
    CHECK(stats().kernels_launched == 1);
}

TEST_CASE("gpu epilogue: an algorithm is asked for once, and what has none takes two steps") {
    if (!testing::has_emulator() || !has_light()) return;
    const Tensor bias = sines({7}, kFloat, 3).cuda().eval();
    const auto operands = [](int64_t k) {
        return std::vector<Tensor>{sines({6, k}, kFloat).cuda().eval(),
                                   sines({k, 7}, kFloat, 1).cuda().eval()};
    };
    const std::vector<Tensor> x = operands(11);
    const auto before = counts("ask");
    for (int i = 0; i < 5; ++i) (mm(x[0], x[1]) + bias).eval();
    for (int i = 0; i < 5; ++i) mm(x[0], x[1]).eval();
    CHECK(counts("ask") == before + 1);
    // The emulated library has no algorithm for these.
    for (int64_t k : {13, 17}) {
        const std::vector<Tensor> y = operands(k);
        check(joins::planned, [&] { return mm(y[0], y[1]) + bias; });
        const auto asked = counts("ask");
        check(joins::planned, [&] { return mm(y[0], y[1]) + bias; });
        CHECK(counts("ask") == asked);
    }
    const Tensor expected = mm(x[0], x[1]).eval() + bias;
    make_fail("refuse", 1);
    check(joins::planned, [&] { return mm(x[0], x[1]) + bias; });
    make_fail("blas", 1);
    const Tensor failed = mm(x[0], x[1]) + bias;
    CHECK(contains(text_of([&] { failed.cpu(); }),
                   "[mm] cuBLAS failed; got cublasLtMatmul with status 13 (execution failed)"));
    CHECK(contains(text_of([&] { failed.cpu(); }), "[mm] cuBLAS failed"));
    check(joins::yes, [&] { return mm(x[0], x[1]) + bias; });
    CHECK(equal(mm(x[0], x[1]) + bias, expected));
    CHECK(testing::finding().empty());
}

TEST_CASE("gpu epilogue: threads") {
    if (!has_gpu()) return;
    const Tensor a = sines({12, 9}, kFloat).cuda(), b = sines({9, 10}, kFloat, 1).cuda();
    const Tensor bias = sines({10}, kFloat, 3).cuda(), expected = mm(a, b).eval() + bias;
    eval({a, b, bias, expected});
    std::vector<std::thread> threads;
    std::vector<int> right(2);
    for (std::size_t t = 0; t < right.size(); ++t)
        threads.emplace_back([&, t] {
            for (int64_t i = 1; i < 12; ++i) {
                const Tensor sum = mm(a.slice(0, 0, i), b) + bias;
                right[t] += allclose(sum, expected.slice(0, 0, i), 1e-5, 1e-5);
            }
        });
    for (std::thread& t : threads) t.join();
    CHECK(right == std::vector<int>{11, 11});
}
