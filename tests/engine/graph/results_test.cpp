// Operations with several results: one run computes all of them, and each is a separate tensor.
#include "tests/ops/check.hpp"

#include "engine/graph/results.hpp"
#include "engine/run/record.hpp"

namespace sinter::test {
namespace {

struct factor {
    int64_t by;
    bool operator==(const factor&) const = default;
};

int runs = 0;

/// Results: inputs[0] times `by`, and the first element of inputs[0] as Long. Throws if that
/// element is negative.
void run_scaled(const op_call& call) {
    ++runs;
    const auto* in =
        reinterpret_cast<const float*>(call.inputs[0].data) + call.inputs[0].shape->offset;
    if (in[0] < 0) throw Error("[scaled] the first element is negative");
    const int64_t by = call.attributes->as<factor>().by;
    auto* const scaled = reinterpret_cast<float*>(call.results[0].data);
    for (int64_t i = 0; i < call.results[0].shape->numel; ++i)
        scaled[i] = in[i] * static_cast<float>(by);
    *reinterpret_cast<int64_t*>(call.results[1].data) = static_cast<int64_t>(in[0]);
}

const kernel_op scaled_op{.name = "scaled", .run = run_scaled};

std::vector<Tensor> scaled(const Tensor& x, int64_t by) {
    const TensorImpl& t = *x.unsafeGetTensorImpl();
    const leaf in{t.shape, t.storage->current, false, t.dtype};
    std::vector<Tensor> results;
    for (auto& r : make_pending_results(
             &scaled_op, {&in, 1},
             make_attributes(factor{by},
                             {{kFloat, make_contiguous(x.sizes())}, {kLong, make_contiguous({})}})))
        results.emplace_back(std::move(r));
    return results;
}

Tensor ready(std::initializer_list<float> values) {
    Tensor t = tensor(std::vector<float>(values));
    t.eval();
    return t;
}

TEST_CASE("one run computes all results, whichever is read first") {
    const Tensor x = ready({3, 4});
    for (const std::size_t first : {0u, 1u}) {
        CAPTURE(first);
        runs = 0;
        const std::vector<Tensor> r = scaled(x, 10);
        if (first == 1) CHECK(r[1].item<int64_t>() == 3);
        CHECK(equal(r[0], tensor({30.0f, 40.0f})));
        CHECK(r[1].item<int64_t>() == 3);
        CHECK(runs == 1);
    }
}

TEST_CASE("a result stays readable when the others and the operand are gone") {
    Tensor last;
    {
        Tensor x = ready({3, 4});
        const std::vector<Tensor> r = scaled(x, 2);
        r[0].eval();
        x.fill_(0);
        last = r[1];
    }
    CHECK(last.item<int64_t>() == 3);
}

TEST_CASE("what is asked for twice runs once, and its results can be written apart") {
    if (get_mode() == Mode::eager) return;
    const Tensor x = ready({3, 4});
    runs = 0;
    const std::vector<Tensor> a = scaled(x, 10), b = scaled(x, 10), other = scaled(x, 20);
    a[0].add_(1);
    CHECK(equal(a[0], tensor({31.0f, 41.0f})));
    CHECK(equal(b[0], tensor({30.0f, 40.0f})));
    CHECK(runs == 1);
    b[0].mul_(2);
    CHECK(equal(a[0], tensor({31.0f, 41.0f})));
    CHECK(equal(b[0], tensor({60.0f, 80.0f})));
    CHECK(equal(other[0], tensor({60.0f, 80.0f})));
    CHECK(runs == 2);
    CHECK(b[1].item<int64_t>() == a[1].item<int64_t>());
}

TEST_CASE("results are written into and read by kernels like any value") {
    const Tensor x = ready({3, 4}) * 1;
    const std::vector<Tensor> r = scaled(x + 1, 10);
    const Tensor sum = r[0] * 2 + r[1];
    r[0][0] = 7;
    CHECK(equal(sum, tensor({84.0f, 104.0f})));
    CHECK(equal(r[0], tensor({7.0f, 50.0f})));
}

TEST_CASE("an operation that fails fails all of its results") {
    const Tensor x = ready({-3, 4});
    if (get_mode() == Mode::eager) {
        CHECK_THROWS_WITH_AS(scaled(x, 10), "[scaled] the first element is negative", Error);
        return;
    }
    const std::vector<Tensor> r = scaled(x, 10);
    for (const Tensor& t : {r[0], r[1], r[0]})
        CHECK_THROWS_WITH_AS(t.eval(), "[scaled] the first element is negative", Error);
}

TEST_CASE("a result that nobody reads costs no copy") {
    if (get_mode() == Mode::eager) return;
    const Tensor x = ready({3, 4});
    const std::vector<Tensor> r = scaled(x, 10);
    reset_stats();
    eval({r[0], r[1]});
    CHECK(stats().kernels_launched == 1);
    const Tensor none = scaled(ready({}), 1)[0];  // has no elements
    CHECK(none.numel() == 0);
    none.eval();
}

TEST_CASE("an extreme of a scan and its index come from one pass") {
    const Tensor x = ready({3, 1, 4, 1, 5, 9, 2, 6});
    reset_stats();
    const auto [values, indices] = x.cummax(0);
    eval({values, indices});
    CHECK(stats().kernels_launched == 1);
    CHECK(equal(values, tensor({3.0f, 3.0f, 4.0f, 4.0f, 5.0f, 9.0f, 9.0f, 9.0f})));
    CHECK(equal(indices, tensor({0, 0, 2, 2, 4, 5, 5, 5})));
    const std::string plan = explain(std::get<1>(x.cummin(0)));
    CAPTURE(plan);
    if (get_mode() == Mode::lazy) CHECK(plan.find("1 operation, 1 kernel") != std::string::npos);
    CHECK(plan.find("result") == std::string::npos);
}

TEST_CASE("attributes are equal as their structs and results are") {
    const auto a = make_attributes(factor{2}), b = make_attributes(factor{2}),
               c = make_attributes(factor{3}), d = make_attributes(no_attributes{}),
               e = make_attributes(factor{2}, {{kFloat, make_contiguous({3})}}),
               f = make_attributes(factor{2}, {{kFloat, make_contiguous({3})}}),
               g = make_attributes(factor{2}, {{kLong, make_contiguous({3})}});
    CHECK(*a == *b);
    CHECK_FALSE(*a == *c);
    CHECK_FALSE(*a == *d);
    CHECK_FALSE(*a == *e);
    CHECK(*e == *f);
    CHECK_FALSE(*e == *g);
    CHECK_THROWS_AS(a->as<no_attributes>(), std::bad_cast);
}

}  // namespace
}  // namespace sinter::test
