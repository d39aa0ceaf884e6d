// Gradients of moves between devices, and of operations that have GPU kernels.
#include "tests/ops/autograd/checking.hpp"
#include "tests/on_gpu/gpu_case.hpp"
#include "tests/ops/check.hpp"

#include <sinter/functions/gathering.hpp>

using namespace sinter;
using autograd::variable_list;
using test::check_gradients;
using test::some;

namespace {

bool on(const Tensor& t, const Device& d) { return t.device() == d; }

}  // namespace

TEST_CASE("gpu gradients: the gradient of a move goes back") {
    if (!testing::has_gpu()) return;
    manual_seed(31);
    const Device gpu(kCUDA, 0);
    const Tensor x = ones({2, 3}).requires_grad_();
    const Tensor y = x.cuda();
    CHECK(y.requires_grad());
    CHECK(!y.is_leaf());
    Tensor(y * y).sum().backward();
    CHECK(on(x.grad(), kCPU));
    test::check<float>(x.grad(), {2, 3}, {2, 2, 2, 2, 2, 2});

    const Tensor there = ones({2, 3}, TensorOptions().device(gpu)).requires_grad_();
    Tensor(there.cpu() * 3).sum().backward();
    CHECK(on(there.grad(), gpu));
    test::check<float>(there.grad(), {2, 3}, {3, 3, 3, 3, 3, 3});

    check_gradients(
        "moves",
        [&](const variable_list& v) -> variable_list {
            const Tensor a = v[0].to(gpu),
                         b = v[1].t().to(TensorOptions(kComplexDouble).device(gpu));
            return {Tensor(a * a.t()).cpu(), Tensor(real(b) * a).to(kCPU),
                    v[0].to(gpu).to(gpu).index_select(0, tensor({1}).to(kLong).to(gpu)).cpu()};
        },
        {some({2, 2}), some({2, 2})});
}

TEST_CASE("gpu gradients: copies between devices") {
    if (!testing::has_gpu()) return;
    manual_seed(32);
    const Device gpu(kCUDA, 0);
    check_gradients("copy_",
                    [&](const variable_list& v) -> variable_list {
                        const Tensor there = zeros({2, 3}, TensorOptions(kDouble).device(gpu));
                        there.copy_(v[0]);
                        there.narrow(1, 0, 1).copy_(v[1]);
                        const Tensor here = zeros({2, 3}, kDouble);
                        here.copy_(there);
                        return {Tensor(there * there).cpu(), here.sin()};
                    },
                    {some({2, 3}), some({2, 1})});
    // Memory of the caller, which may be copied byte by byte.
    std::vector<double> memory(6);
    const Tensor outside = from_blob(memory.data(), {2, 3}, kDouble);
    const Tensor x = ones({2, 3}, TensorOptions(kDouble).device(gpu)).requires_grad_();
    outside.copy_(x * 2);
    CHECK(outside.requires_grad());
    outside.sum().backward();
    test::check<double>(x.grad(), {2, 3}, {2, 2, 2, 2, 2, 2});
}

TEST_CASE("gpu gradients: numbers in main memory beside tensors on a GPU") {
    if (!testing::has_gpu()) return;
    const Device gpu(kCUDA, 0);
    const Tensor x = ones(3, TensorOptions().device(gpu)).requires_grad_();
    const Tensor s = full({}, 2.0F).requires_grad_();
    Tensor(x * s).sum().backward();
    CHECK(on(s.grad(), kCPU));
    CHECK(s.grad().item<float>() == 3);
    test::check<float>(x.grad(), 3, {2, 2, 2});
    s.mutable_grad().zero_();
    x.masked_fill(tensor({true, false, true}).to(gpu), s).sum().backward();
    CHECK(on(s.grad(), kCPU));
    CHECK(s.grad().item<float>() == 2);
}

TEST_CASE("gpu gradients: functions of indices, scans and sorts on a GPU") {
    if (!testing::has_gpu()) return;
    manual_seed(33);
    const Device gpu(kCUDA, 0);
    const Tensor index = tensor(std::vector<int64_t>{2, 0, 2, 1}, kLong).to(gpu);
    const Tensor mask = tensor({true, false, true}).to(gpu);
    const auto check = [&](const char* name, const auto& f) {
        check_gradients(
            name, [&](const variable_list& v) -> variable_list { return {f(v[0].to(gpu)).cpu()}; },
            {test::apart({4, 3})});
    };
    using T = const Tensor&;
    check("index_select", [&](T x) { return x.index_select(1, index); });
    check("index", [&](T x) { return x.index({Slice(), index}); });
    check("gather", [&](T x) { return x.gather(1, index.unsqueeze(0)); });
    check("take", [&](T x) { return x.take(index); });
    check("masked_select", [&](T x) { return x.masked_select(mask); });
    check("masked_scatter", [&](T x) { return x.masked_scatter(mask, x.t().contiguous()); });
    check("index_put", [&](T x) { return x.index_put({index.narrow(0, 1, 2)}, x[3]); });
    check("index_fill", [&](T x) { return x.index_fill(1, index.narrow(0, 0, 2), x[0][0]); });
    check("scatter_reduce", [&](T x) {
        return x.scatter_reduce(0, index.unsqueeze(1), x.narrow(1, 0, 1).abs(), "prod");
    });
    check("cumprod", [](T x) { return x.cumprod(0); });
    check("logcumsumexp", [](T x) { return x.logcumsumexp(0); });
    check("cummax", [](T x) { return std::get<0>(x.cummax(0)); });
    check("sort", [](T x) { return std::get<0>(x.sort(0)); });
    check("median", [](T x) { return std::get<0>(x.median(0)); });
    check("max", [](T x) { return std::get<0>(x.max(1)); });
    check("quantile", [](T x) { return x.quantile(0.3, 0); });
    check("cat", [](T x) { return cat({x, x.flip(0)}); });
    check("roll", [](T x) { return x.roll(1, 0); });
    check("combinations", [](T x) { return combinations(x[0]); });
}

TEST_CASE("gpu gradients: pinned memory") {
    if (!testing::has_gpu()) return;
    const Tensor x = ones(3).requires_grad_();
    const Tensor y = x.pin_memory();
    CHECK(y.is_pinned());
    Tensor(y * 3).sum().backward();
    test::check<float>(x.grad(), 3, {3, 3, 3});
}

TEST_CASE("gpu gradients: a second device") {
    if (!testing::has_gpu() || cuda::device_count() < 2) return;
    const Tensor x = ones(3).requires_grad_();
    const Tensor y = x.to(Device(kCUDA, 1)), z = y.to(Device(kCUDA, 0));
    Tensor(z * 2).sum().backward();
    test::check<float>(x.grad(), 3, {2, 2, 2});
}
