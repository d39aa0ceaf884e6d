// Eager mode on a GPU: one kernel per operation, with the bits of fused kernels.
#include "engine/run/executable/gpu_replay.hpp"
#include "tests/on_gpu/gpu_case.hpp"

#include <sinter/cuda.hpp>
#include <sinter/sinter.hpp>

#include <doctest/doctest.h>

#include <functional>

using namespace sinter;
using testing::contains;
using testing::has_gpu;
using testing::text_of;

namespace {

/// Returns the number of kernels that a statement launches in eager mode. Checks that its bits
/// equal the CPU's and those of fused kernels.
uint64_t launches(const std::function<Tensor(const Tensor&, const Tensor&)>& statement,
                  const Tensor& a, const Tensor& b) {
    const Tensor expected = statement(a, b).clone();
    const Tensor x = a.cuda(), y = b.cuda();
    CHECK(equal(statement(x, y).cpu(), expected));
    x.eval();
    y.eval();
    const ModeGuard guard(Mode::eager);
    reset_stats();
    const auto pending = stats().nodes_pending;
    const Tensor z = statement(x, y);
    const uint64_t launched = stats().kernels_launched;
    CHECK(stats().nodes_pending == pending);
    CHECK(stats().host_fallbacks == 0);
    CHECK(equal(z.cpu(), expected));
    return launched;
}

}  // namespace

TEST_CASE("gpu eager: as many kernels as operations") {
    if (!has_gpu()) return;
    for (ScalarType type : {kFloat, kDouble, kHalf}) {
        const Tensor a = (arange(77, kFloat) * 0.25 - 3).to(type), b = (a * 0.5 + 1).to(type);
        const auto count = [&](auto&& f) { return launches(f, a, b); };
        CHECK(count([](auto& x, auto& y) { return x + y; }) == 1);
        CHECK(count([](auto& x, auto& y) { return x * 2 + y; }) == 2);
        CHECK(count([](auto& x, auto& y) { return x * y + x * y; }) == 3);
        CHECK(count([](auto& x, auto& y) { return where(x > y, tanh(x), y - 1) * 3; }) == 5);
        CHECK(count([](auto& x, auto& y) {
                  Tensor z = x * y;
                  for (int i = 0; i < 8; i++) z = z * 1.5 - y;
                  return exp(-abs(z));
              }) == 20);
        CHECK(count([](auto& x, auto& y) { return (x * y).sum(); }) == 2);
        CHECK(count([](auto& x, auto& y) { return (x - y).amax(0) / 2 + x; }) == 4);
        CHECK(count([](auto& x, auto& y) {
                  Tensor z = x.clone();
                  z += x * y;
                  z.mul_(2).sub_(y);
                  return z;
              }) == 5);
    }
}

TEST_CASE("gpu eager: layouts, broadcasts, dtypes and parts") {
    if (!has_gpu()) return;
    const Tensor a = arange(120, kFloat).view({4, 5, 6}) * 0.5, b = arange(6, kFloat) - 2.5;
    CHECK(launches(
              [](auto& x, auto& y) { return x.transpose(0, 2) * 2 + x.sum() - y.view({6, 1, 1}); },
              a, b) == 4);
    // Results keep the smallest size that their operands allow.
    CHECK(launches([](auto& x, auto& y) { return (y * 2 - 1) * x + (y.sum() + 3) / 4; }, a, b) ==
          7);
    CHECK(launches([](auto& x, auto& y) { return (x.to(kInt) / 3 + y).to(kHalf) * 2; }, a, b) == 5);
    CHECK(launches([](auto& x, auto& y) { return ((x > 3) & (x < 9)).to(kByte) + y; }, a, b) == 5);
    CHECK(launches(
              [](auto& x, auto& y) {
                  Tensor z = x.clone();
                  z.slice(2, 1, 4) = x.slice(2, 0, 3) * 2 - 1;
                  z.select(0, 1).add_(y);
                  return z;
              },
              a, b) > 5);
    // An operation on complex numbers is one kernel, including the rounding of narrow ones.
    const Tensor z = complex(a, a + 1), w = complex(b, -b);
    CHECK(launches([](auto& x, auto& y) { return x * y; }, z, w) == 1);
    CHECK(launches([](auto& x, auto& y) { return x * y + exp(y) / x; }, z, w) == 4);
    CHECK(launches([](auto& x, auto& y) { return real(x * y) * imag(y) - 1; }, z, w) == 3);
    // If two operations compute the parts of a result, one more kernel combines them.
    CHECK(launches([](auto& x, auto& y) { return complex(abs(x), real(y) * 2); }, z, w) > 1);
    CHECK(launches([](auto& x, auto&) { return x.to(kComplexFloat); }, a.to(kDouble), w) == 1);
    CHECK(launches([](auto& x, auto& y) { return nextafter(x, y) * 2 + x; }, a.to(kHalf),
                   b.to(kHalf)) == 3);
    CHECK(launches([](auto&, auto& y) { return full({3}, 2.5, y.options()) * 2 + 1; }, a, b) > 0);
    CHECK(launches([](auto& x, auto&) { return x * 2 + 1; }, zeros({0, 3}), b) == 0);
    CHECK(launches([](auto& x, auto&) { return x * 2 + 1; }, ones({}), b) == 2);
}

TEST_CASE("gpu eager: an operation that a guard refuses fails its statement, and no other") {
    if (!has_gpu()) return;
    const ModeGuard guard(Mode::eager);
    const Tensor x = arange(10).cuda(), zero = zeros({10}, kLong).cuda();
    CHECK(contains(text_of([&] { ((x + 1) % zero * 2 + 1).cpu(); }), "ZeroDivisionError"));
    CHECK(contains(text_of([&] { floor_divide(x, zero).cpu(); }), "ZeroDivisionError"));
    CHECK(equal(((x + 1) % (zero + 3) * 2 + 1).cpu(), (arange(10) + 1) % 3 * 2 + 1));
    Tensor y = x.clone();
    y += x % zero - 1;
    CHECK(contains(text_of([&] { y.cpu(); }), "ZeroDivisionError"));
    y.fill_(3);
    CHECK(equal(y.cpu(), full({10}, 3)));
}

TEST_CASE("gpu eager: what was pending when the mode changed runs operation by operation") {
    if (!has_gpu()) return;
    const Tensor a = arange(50, kFloat), x = a.cuda().eval();
    const Tensor y = x * 2, z = y + x, w = (z - 1).sum();
    const ModeGuard guard(Mode::eager);
    reset_stats();
    const Tensor v = w * 2;
    CHECK(stats().kernels_launched == 5);
    CHECK(v.item<float>() == ((a * 3 - 1).sum() * 2).item<float>());
    CHECK(equal(y.cpu(), a * 2));
}

TEST_CASE("gpu eager: launches are no graph's") {
    if (!has_gpu()) return;
    const plan::replay_mode before = plan::replays();
    plan::force_replays(plan::replay_mode::on);
    {
        const Tensor x = arange(100, kFloat).cuda().eval();
        const ModeGuard guard(Mode::eager);
        reset_stats();
        for (int i = 0; i < 5; i++) CHECK(((x * i + 1) * x - 3)[2].item<float>() == 4 * i - 1);
        CHECK(stats().kernels_launched == 20);
        CHECK(stats().graph_launches == 0);
    }
    plan::force_replays(before);
}
