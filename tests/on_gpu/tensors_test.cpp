// Tensors on a GPU: the same values as on the CPU, from the same plans.
#include "tests/on_gpu/gpu_case.hpp"

#include <sinter/sinter.hpp>

#include <doctest/doctest.h>

#include <sstream>
#include <thread>
#include <vector>

using namespace sinter;
using testing::contains;
using testing::has_gpu;
using testing::text_of;

namespace {

/// Returns true if bits, sizes and dtype are equal, on any devices.
bool same(const Tensor& a, const Tensor& b) {
    return a.scalar_type() == b.scalar_type() && a.sizes() == b.sizes() &&
           repr(a.cpu()) == repr(b.cpu()) && a.cpu().equal(b.cpu());
}

Tensor copy_there(const Tensor& t) { return t.to(kCUDA); }

}  // namespace

TEST_CASE("gpu tensors: there and back, in every dtype and layout") {
    if (!has_gpu()) return;
    CHECK(cuda::is_available());
    for (ScalarType dtype : {kBool, kByte, kChar, kShort, kInt, kLong, kHalf, kBFloat16, kFloat,
                             kDouble, kComplexFloat, kComplexDouble}) {
        const Tensor a = (arange(24) % 7).to(dtype).view({2, 3, 4});
        const Tensor x = copy_there(a);
        CHECK((x.device() == Device(kCUDA, 0)));
        CHECK(x.is_cuda());
        CHECK(same(x, a));
        CHECK(same(copy_there(a.transpose(0, 2)), a.transpose(0, 2)));
        CHECK(same(copy_there(a.slice(1, 1, 3)), a.slice(1, 1, 3)));
        CHECK(same(x.slice(2, 1, 4, 2), a.slice(2, 1, 4, 2)));
    }
    const Tensor x = copy_there(ones({3}));
    CHECK(x.to(kCUDA).is_same(x));
    CHECK(x.cuda().is_same(x));
    CHECK(!x.cpu().is_same(x));
    CHECK((copy_there(zeros({0, 3})).sizes() == IntArrayRef({0, 3})));
    CHECK(copy_there(tensor(2.5)).item<double>() == 2.5);
    CHECK((copy_there(ones({2}, kFloat)).to(Device(kCPU), kDouble).scalar_type() == kDouble));
}

TEST_CASE("gpu tensors: an expression is one kernel, and its bits are the CPU's") {
    if (!has_gpu()) return;
    const Tensor a = linspace(-3, 3, 1000, kFloat), b = linspace(1, 2, 1000, kFloat);
    const Tensor x = copy_there(a), y = copy_there(b);
    const auto formula = [](const Tensor& p, const Tensor& q) {
        return Tensor(sigmoid(p * 2 - q) * exp(-p * p) + sqrt(q) / (1 + p * p));
    };
    const Tensor expected = formula(a, b);
    reset_stats();
    const Tensor z = formula(x, y);
    CHECK((z.device() == Device(kCUDA, 0)));
    z.eval();
    CHECK(stats().kernels_launched == 1);
    CHECK(stats().host_fallbacks == 0);
    CHECK(same(z, expected));
}

TEST_CASE("gpu tensors: waits of the host are counted") {
    if (!has_gpu()) return;
    const Tensor x = copy_there(arange(1000, kFloat)), places = copy_there(arange(1000)),
                 divisors = copy_there(arange(1, 1001));
    const auto waits = [](const auto& f) {
        cuda::synchronize();
        reset_stats();
        f();
        return stats().host_waits;
    };
    CHECK(waits([&] { (x * 2 + 1).sum().eval(); }) == 0);
    CHECK(waits([&] { (void)(x * 2 + 1).sum().item<float>(); }) == 1);
    CHECK(waits([&] { (void)x.cpu(); }) == 1);
    // Are all indices in range, is a divisor zero? That is asked with the value.
    CHECK(waits([&] { x.index_select(0, places).eval(); }) == 0);
    CHECK(waits([&] { places.floor_divide(divisors).eval(); }) == 0);
    CHECK(waits([&] { (void)x.index_select(0, places).cpu(); }) == 2);
    CHECK(waits([&] { (void)x.nonzero(); }) == 1);  // how many rows?
    CHECK(waits([&] { cuda::synchronize(); }) == 1);
}

TEST_CASE("gpu tensors: broadcasts, views, many dimensions") {
    if (!has_gpu()) return;
    const Tensor a = arange(2 * 3 * 4 * 5 * 6, kDouble).view({2, 3, 4, 5, 6});
    const Tensor x = copy_there(a);
    CHECK(same(x.permute({4, 1, 3, 0, 2}) + 1, a.permute({4, 1, 3, 0, 2}) + 1));
    CHECK(same(x.flip({1, 3}) * x, a.flip({1, 3}) * a));
    CHECK(same(x + x.select(2, 1).unsqueeze(2), a + a.select(2, 1).unsqueeze(2)));
    CHECK(same(x.slice(4, 0, 6, 2).contiguous(), a.slice(4, 0, 6, 2).contiguous()));
    CHECK(same(x.permute({1, 4, 0, 3, 2}).sum({0, 3}), a.permute({1, 4, 0, 3, 2}).sum({0, 3})));
    CHECK(same(x.transpose(0, 4).amax(2), a.transpose(0, 4).amax(2)));
}

TEST_CASE("gpu tensors: reductions and what is made of them, in the CPU's order") {
    if (!has_gpu()) return;
    manual_seed(11);
    const Tensor a = randn({37, 1203}, kFloat);
    const Tensor x = copy_there(a);
    CHECK(same(x.sum(), a.sum()));
    CHECK(same(x.sum(0), a.sum(0)));
    CHECK(same(x.sum(1), a.sum(1)));
    CHECK(same(x.mean(1), a.mean(1)));
    CHECK(same(x.var(1), a.var(1)));
    CHECK(same(x.amax(0), a.amax(0)));
    CHECK(same(x.argmin(1), a.argmin(1)));
    CHECK(same((x > 0).any(1), (a > 0).any(1)));
    reset_stats();
    const Tensor s = softmax(x, 1);
    s.eval();
    CHECK(stats().kernels_launched == 1);
    CHECK(same(s, softmax(a, 1)));
    CHECK(same((x - x.mean(1, true)) / x.std(1, true, true),
               (a - a.mean(1, true)) / a.std(1, true, true)));
    CHECK(same(copy_there(zeros({0})).sum(), zeros({0}).sum()));
    CHECK(same(copy_there(zeros({3, 0})).sum(1), zeros({3, 0}).sum(1)));
}

TEST_CASE("gpu tensors: writes in place, through views, with readers before them") {
    if (!has_gpu()) return;
    Tensor a = arange(12, kFloat).view({3, 4});
    Tensor x = copy_there(a);
    for (Tensor* t : {&a, &x}) {
        const Tensor before = *t * 10;
        t->add_(5);
        t->select(0, 1).fill_(-1);
        t->slice(1, 0, 4, 2).mul_(2);
        t->copy_(t->slice(1, 0, 4).contiguous() + before);
    }
    CHECK(same(x, a));
    Tensor row = x[1];
    row.zero_();
    CHECK(x[1].sum().item<float>() == 0);
    x[0][2] = 42;
    CHECK(x[0][2].item<float>() == 42);
    x.resize_({20});
    CHECK((x.device() == Device(kCUDA, 0)));
}

TEST_CASE("gpu tensors: what has no kernel there is computed by the CPU, and counted") {
    if (!has_gpu()) return;
    const Tensor a = tensor({{3, 1, 2}, {9, 8, 7}});
    const Tensor x = copy_there(a);
    CHECK(same(matmul(x, x.t()), matmul(a, a.t())));
    CHECK((matmul(x, x.t()).device() == Device(kCUDA, 0)));
    const Tensor square = tensor({{3., 1.}, {2., 4.}}), at = copy_there(square);
    reset_stats();
    CHECK(same(std::get<0>(linalg::lstsq(at, at, nullopt, "gelsd")),
               std::get<0>(linalg::lstsq(square, square, nullopt, "gelsd"))));
    CHECK(stats().host_fallbacks > 0);
    reset_stats();
    CHECK(same(x.index_select(1, copy_there(tensor({2, 0}))), a.index_select(1, tensor({2, 0}))));
    CHECK(stats().host_fallbacks == 0);
}

TEST_CASE("gpu tensors: operands on different devices, but for numbers") {
    if (!has_gpu()) return;
    const Tensor a = ones({2, 3}), x = copy_there(a);
    CHECK(text_of([&] { x + a; }) ==
          "[add] Expected all tensors to be on the same device, but found at least two devices, "
          "cuda:0 and cpu; got a tensor of sizes [2, 3] on cuda:0 and a tensor of sizes [2, 3] on "
          "cpu, expected one device; try .to(\"cuda:0\") on the other tensor");
    CHECK(contains(text_of([&] { matmul(a, x.t()); }),
                   "[matmul] Expected all tensors to be on the same device, but found at least two "
                   "devices, cpu and cuda:0; got a tensor of sizes [2, 3] on cpu and a tensor of "
                   "sizes [3, 2] on cuda:0"));
    CHECK(text_of([&] { Tensor(x).add_(a); }) ==
          "[add_] Expected all tensors to be on the same device, but found at least two devices, "
          "cuda:0 and cpu; got a tensor of sizes [2, 3] on cuda:0 and a tensor of sizes [2, 3] on "
          "cpu, expected one device; try .to(\"cuda:0\") on the other tensor");
    CHECK(same(x + tensor(2.5), a + 2.5));
    CHECK(same(tensor(2.5) * x, 2.5 * a));
    CHECK(((x + tensor(2.5)).device() == Device(kCUDA, 0)));
    Tensor y = copy_there(zeros({2, 3}));
    y.copy_(a);  // moves
    CHECK(same(y, a));
    Tensor b = zeros({2, 3});
    b.copy_(x);
    CHECK(same(b, a));
}

TEST_CASE("gpu tensors: an integer divided by zero is refused as on the CPU") {
    if (!has_gpu()) return;
    const Tensor x = copy_there(tensor({1, 2, 3})), zero = copy_there(tensor({1, 0, 1}));
    const Tensor q = x.floor_divide(zero), fine = x + 1;
    CHECK(contains(text_of([&] { q.cpu(); }),
                   "[floor_divide] ZeroDivisionError: an integer was "
                   "divided by zero"));
    CHECK(contains(text_of([&] { (q + 1).cpu(); }), "ZeroDivisionError"));
    CHECK(same(fine, tensor({2, 3, 4})));
}

TEST_CASE("gpu tensors: a write that fails after its first kernel leaves the tensor") {
    if (!has_gpu()) return;
    const ModeGuard guard(Mode::eager);  // a kernel for each operation
    Tensor x = copy_there(tensor({1, 2, 3}, kInt));
    x.data_ptr();                                       // so that the line waits
    const Tensor zero = copy_there(tensor({1, 0, 1}));  // Long: x is cast, divided and cast back
    CHECK(contains(text_of([&] { x.floor_divide_(zero); }), "ZeroDivisionError"));
    CHECK(same(x, tensor({1, 2, 3}, kInt)));
}

TEST_CASE("gpu tensors: printing, items, devices by name") {
    if (!has_gpu()) return;
    const Tensor x = copy_there(tensor({1.0, 2.0}));
    CHECK(repr(x) == "tensor([1., 2.], device='cuda:0')");
    std::ostringstream out;
    out << x;
    CHECK(out.str() == " 1\n 2\n[ CUDAFloatType{2} ]");
    CHECK(x.toString() == "CUDAFloatType");
    CHECK(x.get_device() == 0);
    CHECK(x[1].item<double>() == 2);
    CHECK((x.options().device() == Device("cuda:0")));
    CHECK(contains(text_of([&] { x.to("cuda:99"); }),
                   "[to] the device index is out of range; got cuda:99"));
    CHECK(
        contains(text_of([&] { x.to("xla"); }), "[to] the device type is not supported; got xla"));
}

TEST_CASE("gpu tensors: the current device, guards, and several devices") {
    if (!has_gpu() || cuda::device_count() < 2) return;
    CHECK(cuda::current_device() == 0);
    const Tensor a = arange(5, kFloat);
    {
        const DeviceGuard guard(Device("cuda:1"));
        CHECK(cuda::current_device() == 1);
        CHECK((a.cuda().device() == Device("cuda:1")));
        CHECK((a.cuda(0).device() == Device("cuda:0")));
    }
    CHECK(cuda::current_device() == 0);
    {
        OptionalDeviceGuard guard;
        guard.reset_device(Device("cuda:1"));
        CHECK(cuda::current_device() == 1);
    }
    CHECK(cuda::current_device() == 0);
    cuda::set_device(1);
    CHECK((a.to(kCUDA).device() == Device("cuda:1")));
    cuda::set_device(0);
    const Tensor x = a.to("cuda:0") * 2, y = x.to("cuda:1") + 1;
    CHECK((y.device() == Device("cuda:1")));
    CHECK(same(y, a * 2 + 1));
    CHECK(contains(text_of([&] { x + y; }), "on cuda:0 and a tensor of sizes [5] on cuda:1"));
    const Tensor p = a.to("cuda:0") * 3, q = a.to("cuda:1") * 4;
    eval({p, q});  // one plan per device
    CHECK(same(p, a * 3));
    CHECK(same(q, a * 4));
    cuda::synchronize();
    cuda::synchronize(1);
}

TEST_CASE("gpu tensors: eager mode") {
    if (!has_gpu()) return;
    set_mode(Mode::eager);
    const Tensor a = arange(6, kFloat).view({2, 3});
    Tensor x = copy_there(a);
    const Tensor y = x * 2 + x.sum(0);
    x.add_(1);
    CHECK(same(y, a * 2 + a.sum(0)));
    CHECK(same(x, a + 1));
    set_mode(Mode::lazy);
}

TEST_CASE("gpu tensors: random formulas over random layouts equal the CPU's bit for bit") {
    if (!has_gpu()) return;
    manual_seed(5);
    for (int turn = 0; turn < 40; ++turn) {
        INFO("turn " << turn);
        const int64_t n = 1 + turn % 7, m = 1 + (turn * 13) % 33;
        const ScalarType dtype = turn % 4 == 0 ? kDouble : turn % 4 == 1 ? kHalf : kFloat;
        const Tensor a = randn({n, m}, kFloat).to(dtype), b = randn({m, n}, kFloat).to(dtype);
        const auto formula = [turn](const Tensor& p, const Tensor& q) {
            switch (turn % 5) {
                case 0: return Tensor(tanh(p) * q.t() - erf(p + q.t()));
                case 1: return Tensor((p + q.t()).sum(turn % 2) * 2);
                case 2: return Tensor(where(p > q.t(), sin(p), cos(q.t())).amax(1, true) + p);
                case 3: return Tensor(log_softmax(p * q.t(), turn % 2));
                default: return Tensor(pow(abs(p), 1.5).cumsum(0) / (1 + q.t() * q.t()));
            }
        };
        CHECK(same(formula(copy_there(a), copy_there(b)), formula(a, b)));
    }
}

TEST_CASE("gpu tensors: threads") {
    if (!has_gpu()) return;
    std::vector<std::thread> threads;
    for (int t = 0; t < 6; ++t)
        threads.emplace_back([t] {
            const Tensor a = arange(100 + t, kFloat);
            for (int i = 0; i < 10; ++i) {
                const Tensor x = a.to(kCUDA);
                if ((x * i + t).sum().item<float>() != (a * i + t).sum().item<float>())
                    FAIL_CHECK("thread " << t << " turn " << i);
            }
        });
    for (std::thread& t : threads) t.join();
}
