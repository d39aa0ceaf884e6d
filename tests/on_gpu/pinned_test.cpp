// Pinned memory, and asynchronous copies.
#include "tests/on_gpu/emulator_control.hpp"

#include <sinter/cuda.hpp>
#include <sinter/sinter.hpp>

#include <doctest/doctest.h>

#include <vector>

using namespace sinter;
using testing::contains;
using testing::has_gpu;
using testing::text_of;

namespace {

TensorOptions pinned(ScalarType dtype = kFloat) { return TensorOptions(dtype).pinned_memory(true); }

}  // namespace

TEST_CASE("gpu pinned: what is pinned, and stays so") {
    if (!has_gpu()) return;
    for (Mode mode : {Mode::lazy, Mode::eager}) {
        set_mode(mode);
        const Tensor a = arange(12, kFloat).view({3, 4});
        CHECK(!a.is_pinned());
        Tensor p = a.pin_memory();
        CHECK(p.is_pinned());
        CHECK(p.pin_memory().is_same(p));
        CHECK(p[1].is_pinned());
        CHECK(equal(p, a));
        CHECK(equal(a.t().pin_memory(), a.t()));
        CHECK((a.t().pin_memory().strides() == a.t().strides()));
        const void* address = p.const_data_ptr();
        p.add_(1);
        p.mul_(p);
        p[0].zero_();
        CHECK(p.const_data_ptr() == address);
        CHECK(p.is_pinned());
        CHECK(p[1][0].item<float>() == 25);
        CHECK(!(p + 1).is_pinned());
        CHECK(!p.clone().is_pinned());
        p.resize_({100});
        CHECK(p.is_pinned());
        CHECK(p[5].item<float>() == 36);
        CHECK(zeros({0}).pin_memory().numel() == 0);
    }
    set_mode(Mode::lazy);
}

TEST_CASE("gpu pinned: factories make it, on the CPU alone") {
    if (!has_gpu()) return;
    CHECK(pinned().pinned_memory());
    for (Mode mode : {Mode::lazy, Mode::eager}) {
        set_mode(mode);
        manual_seed(3);
        const Tensor drawn = randn({5});
        manual_seed(3);
        const Tensor all[] = {empty({3}, pinned()),
                              zeros({3}, pinned()),
                              ones({3}, pinned()),
                              full({3}, 7, pinned()),
                              arange(5, pinned()),
                              arange(1, 5, pinned()),
                              linspace(0, 1, 5, pinned()),
                              eye(3, pinned()),
                              tensor({1.0, 2.0}, pinned()),
                              tensor({{1, 2}, {3, 4}}, pinned(kLong)),
                              zeros_like(drawn, pinned()),
                              drawn.new_ones({2}, pinned()),
                              randn({5}, pinned()),
                              randint(10, {4}, pinned(kLong)),
                              randperm(6, pinned(kLong)),
                              randn({2}, pinned(kComplexFloat)),
                              scalar_tensor(2, pinned()),
                              tril_indices(3, 3, 0, pinned(kLong)),
                              drawn.to(nullopt, nullopt, nullopt, true, false, false, nullopt)};
        int at = 0;
        for (const Tensor& t : all) {
            INFO("number " << at++);
            CHECK(t.is_pinned());
            CHECK(t.is_cpu());
        }
        CHECK(all[3].sum().item<float>() == 21);
        CHECK(equal(all[6], linspace(0, 1, 5, kFloat)));
        CHECK(equal(all[12], drawn));
        CHECK(all[12].is_pinned());  // computed in pinned memory
        CHECK(equal(all[18], drawn));
    }
    set_mode(Mode::lazy);
    CHECK(text_of([] { zeros({2}, pinned().device(kCUDA)); }) ==
          "[zeros] only CPU memory can be pinned; got a tensor on cuda:0, expected a CPU tensor; "
          "try .cpu() first");
    CHECK(contains(text_of([] { ones({2}, kCUDA).pin_memory(); }),
                   "[pin_memory] only CPU memory can be pinned; got a tensor on cuda:0"));
}

TEST_CASE("gpu pinned: a copy there and back, without waiting, in every dtype") {
    if (!has_gpu()) return;
    for (ScalarType dtype : {kBool, kByte, kLong, kHalf, kFloat, kComplexDouble}) {
        const Tensor a = (arange(3000) % 7).to(dtype).view({30, 100});
        const Tensor p = a.pin_memory();
        const Tensor x = p.to(kCUDA, true);
        const Tensor back = x.to(kCPU, true);
        CHECK(back.is_pinned());
        CHECK(equal(back, a));
        CHECK(equal(p.t().cuda(0, true).t().cpu(), a));
        CHECK(equal(p.slice(0, 3, 9).cuda(0, true).cpu(), a.slice(0, 3, 9)));
        CHECK(equal(p.slice(1, 3, 9).to(kCUDA, true).to("cpu", true), a.slice(1, 3, 9)));
        CHECK(equal(a.to(kCUDA, true).cpu(), a));  // waits, because it is not pinned
    }
    const Tensor x = arange(10, kFloat).pin_memory().to(Device(kCUDA), kDouble, true);
    CHECK((x.dtype() == kDouble));
    CHECK(equal(x.to(Device(kCPU), kInt, true), arange(10, kInt)));
}

TEST_CASE("gpu pinned: host and device wait for each other, but not at the copy") {
    if (!testing::has_emulator()) return;
    constexpr int64_t n = 1 << 16;
    const Tensor p = full({n}, 1, pinned()).eval();
    const Tensor x = p.cuda().eval();
    cuda::synchronize();
    const auto waits = testing::counts("synchronize");
    const Tensor y = p.to(kCUDA, true);
    const Tensor z = (y * 2).eval();
    const Tensor back = z.to(kCPU, true);
    CHECK(testing::counts("synchronize") == waits);
    CHECK(back.sum().item<float>() == 2 * n);
    CHECK(testing::counts("synchronize") > waits);
    for (int round = 0; round < 20; ++round) {
        Tensor source = full({n}, round, pinned()).eval();
        const Tensor there = source.to(kCUDA, true);
        source.fill_(-1);  // after the copy has read
        source.eval();
        Tensor here = there.to(kCPU, true);
        here.add_(1);  // after it has arrived
        CHECK(here[n - 1].item<float>() == static_cast<float>(round + 1));
        const Tensor sum = there.to(kCPU, true) + there.to(kCPU, true) * source;
        CHECK(sum[n - 1].item<float>() == 0);
        // Freed memory is not reused while it is being copied.
        const Tensor gone = full({n}, round, pinned()).eval().to(kCUDA, true);
        const Tensor next = full({n}, 77, pinned()).eval();
        CHECK(gone[n - 1].item<float>() == static_cast<float>(round));
    }
}

TEST_CASE("gpu pinned: copy_ with and without waiting, over memory that the outside knows") {
    if (!has_gpu()) return;
    constexpr int64_t n = 50000;
    const Stream s = cuda::getStreamFromPool();
    const StreamGuard guard(s);
    Tensor x = zeros({n}, kCUDA), p = empty({n}, pinned());
    auto* here = p.data_ptr<float>();
    for (int round = 1; round < 10; ++round) {
        for (int64_t i = 0; i < n; ++i) here[i] = static_cast<float>(round);
        x.copy_(p, true);
        x.mul_(2);
        const auto version = p._version();
        p.copy_(x, true);
        CHECK(p._version() == version + 1);
        s.synchronize();
        CHECK(here[0] == static_cast<float>(2 * round));
        CHECK(here[n - 1] == static_cast<float>(2 * round));
    }
    // Sinter's reads need no synchronize.
    p.copy_(x + 1, true);
    CHECK(p[n - 1].item<float>() == 19);
    x.data_ptr<float>();
    x.copy_(full({n}, 5, pinned()), true);
    CHECK(x.sum().item<float>() == 5 * n);
    p.slice(0, 10, 20).copy_(x.slice(0, 0, 10), true);
    CHECK(p[9].item<float>() == 19);
    CHECK(p[10].item<float>() == 5);
    p.copy_(ones({1}, kCUDA), true);  // broadcasts
    CHECK(p[n - 1].item<float>() == 1);
    const Tensor read = p + 0;
    p.copy_(x, true);
    CHECK(read[0].item<float>() == 1);
    CHECK(p[0].item<float>() == 5);
    Tensor plain = zeros({n});
    plain.copy_(x, true);
    CHECK(plain[n - 1].item<float>() == 5);
    const std::vector<float> bytes{1, 2};
    const Tensor only_read = from_blob(static_cast<const void*>(bytes.data()), {2});
    CHECK_THROWS_AS(Tensor(only_read).copy_(x.slice(0, 0, 2)), Error);
}
