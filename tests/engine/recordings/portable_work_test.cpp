// A recorded subgraph has the plans of the original, whatever its tables and addresses were.
#include "engine/recordings/portable_work.hpp"

#include "engine/plan/plan.hpp"
#include "tests/ops/check.hpp"
#include "tests/seed.hpp"

#include <doctest/doctest.h>

#include <random>

namespace sinter::test {
namespace {

using indexing::None, indexing::Slice;

struct original {
    std::vector<uint8_t> work;
    plan::built plans;
};

original record(std::initializer_list<Tensor> results) {
    std::vector<Version*> wanted;
    for (const Tensor& t : results)
        wanted.push_back(t.unsafeGetTensorImpl()->storage->current.get());
    const runtime::arena memory;
    const plan::claimed_work claimed(wanted);
    REQUIRE_FALSE(claimed.w.nodes.empty());
    return {plan::write_work(claimed.w), plan::build(claimed.w)};
}

void check_restored(const original& o, const std::string& what) {
    CAPTURE(what);
    const runtime::arena memory;
    const plan::restored_work again(o.work.data(), o.work.size());
    CHECK(plan::write_work(again.w) == o.work);
    const plan::built b = plan::build(again.w);
    CHECK(b.fused == o.plans.fused);
    CHECK(b.apart == o.plans.apart);
}

Tensor ready(IntArrayRef sizes, ScalarType dtype = kFloat) {
    Tensor t = (rand(sizes) * 100).to(dtype);
    t.eval();
    return t;
}

}  // namespace

TEST_CASE(
    "portable work: pointwise expressions of all dtypes, numbers, index leaves, random draws") {
    const Tensor x = ready({40, 30}), zero_dim = ready({}), column = ready({40, 1});
    for (const ScalarType t : {kBool, kByte, kShort, kInt, kLong, kHalf, kBFloat16, kFloat, kDouble,
                               kComplexFloat, kComplexDouble}) {
        const Tensor y = ready({40, 30}, t);
        check_restored(record({y + 1}), toString(t));
        check_restored(record({y * x + zero_dim * 2.5 - column}), toString(t));
        check_restored(record({where(y != 0, y, x)}), toString(t));
    }
    check_restored(record({arange(1000, kLong) * 3}), "arange");
    check_restored(record({randn({50}) + rand({50}, kDouble)}), "random");
    check_restored(record({real(ready({9}, kComplexFloat) * complex<float>(1, 2))}), "complex");
    check_restored(record({x.t().slice(0, 3, 20, 2) / x.slice(1, 0, 40).t().slice(0, 3, 20, 2)}),
                   "views");
    const FastMathGuard fast;
    check_restored(record({x * x + 1.5}), "fast");
}

TEST_CASE("portable work: the default dtype that types depended on") {
    const Tensor n = ready({100}, kLong);
    set_default_dtype(kDouble);
    const original o = record({sqrt(n) + 0.5});
    set_default_dtype(kFloat);
    check_restored(o, "sqrt of Long as Double");
    set_default_dtype(kInt);  // which libtorch takes, too
    const original odd = record({sqrt(n) + 0.5});
    set_default_dtype(kFloat);
    check_restored(odd, "sqrt of Long as Float");
    CHECK(get_default_dtype() == kFloat);
}

TEST_CASE("portable work: reductions, row chains, products, sorts, writes, several results") {
    const Tensor x = ready({64, 50}), w = ready({50, 64});
    check_restored(record({x.sum(0), x.mean(1), x.var(1), x.argmax(1), x.logsumexp({0, 1})}),
                   "reductions");
    check_restored(record({x.softmax(1) * 2 + x.cumsum(0)}), "softmax and scan");
    check_restored(record({relu((x * 2).mm(w) + x.select(1, 3).slice(0, 0, 1))}), "product");
    check_restored(record({std::get<0>(x.sort(1)) + 1, std::get<0>((x + 1).max(1))}), "sort");
    check_restored(record({std::get<0>(linalg::qr(x)).sum()}), "several results");
    check_restored(record({x.index_select(0, ready({5}, kLong) % 64) - 1}), "gather");
    Tensor part = x + 1;
    part.index_put_({Slice(2, 10)}, part.index({Slice(12, 20)}) * 2);
    check_restored(record({part * 2}), "a partial write");
    Tensor held = x.clone();
    held.eval();
    held.index({Slice(None), Slice(1, 3)}) += 1;
    check_restored(record({held}), "a write into a ready tensor");
    Tensor chain = x;
    for (int i = 0; i < 300; ++i) chain = chain * 1.01 + w.t();
    check_restored(record({chain}), "a chain of 300");
    check_restored(record({pow(x.unsqueeze(2) - w.unsqueeze(0), 2).sum(1)}), "pairwise");
    const Tensor big = ready({1000000});
    const Tensor costly = exp(sin(big)).pow(1.5);
    check_restored(record({costly * 2, costly.view({1000, 1000}).sum(0), costly + 1}),
                   "perhaps two plans");
}

TEST_CASE("portable work: equal structures have equal bytes, whatever their values and addresses") {
    const Tensor x = ready({30, 20}), y = ready({30, 20});
    CHECK(record({x.select(0, 3) * 2}).work == record({y.select(0, 17) * 5}).work);
    CHECK(record({x * 2}).work != record({x * 2 + 1}).work);
}

TEST_CASE("portable work: bytes that are none are refused, and none is read past its end") {
    const Tensor x = ready({64, 50});
    Tensor part = x.softmax(1);
    part.index_put_({Slice(2, 10)}, x.index({Slice(12, 20)}).sin());
    const original o = record({part.sum(0), x.mm(x.t()), std::get<1>(x.sort(1)), randn({7}) + 1});
    const runtime::arena memory;
    for (std::size_t n = 0; n < o.work.size(); ++n) {
        const std::vector<uint8_t> cut(o.work.begin(),
                                       o.work.begin() + static_cast<std::ptrdiff_t>(n));
        CHECK_THROWS_AS(plan::restored_work(cut.data(), cut.size()), InternalError);
    }
    std::mt19937_64 random(seed());
    int taken = 0;
    for (int round = 0; round < 4000; ++round) {
        std::vector<uint8_t> bad = o.work;
        for (uint64_t i = 0; i < 1 + random() % 3; ++i)
            bad[random() % bad.size()] = static_cast<uint8_t>(random());
        try {
            const plan::restored_work again(bad.data(), bad.size());
            ++taken;
        } catch (const Error&) {  // refused
        }
    }
    CHECK(taken < 4000);
}

}  // namespace sinter::test
