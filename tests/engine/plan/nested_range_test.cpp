// Reductions over several dimensions that cannot be merged in their operands: the values equal
// those of eager mode, bit for bit, with any number of threads, and no temporary is as large as the
// range.
#include "tests/engine/plan/one_kernel.hpp"

using namespace sinter;

namespace {

/// Runs lazily with several numbers of threads, and in eager mode.
template <class F>
void check_as_eager(const F& make) {
    const Tensor expected = [&] {
        ModeGuard guard(Mode::eager);
        return Tensor(make()).eval();
    }();
    const int before = get_num_threads();
    for (int threads : {1, 2, 3}) {
        CAPTURE(threads);
        set_num_threads(threads);
        const Tensor lazy = Tensor(make()).eval();
        CHECK(lazy.sizes() == expected.sizes());
        CHECK(equal(lazy, expected));
    }
    set_num_threads(before);
}

template <class F>
void check_reductions(ScalarType type, const F& make) {
    check_as_eager([&] { return make().sum(); });
    check_as_eager([&] { return make().amax(); });
    check_as_eager([&] { return make().argmin(); });
    check_as_eager([&] { return any(make() > 20); });
    if (isFloatingType(type)) {
        check_as_eager([&] { return make().var(); });
        check_as_eager([&] { return logsumexp(make().flatten(), {0}); });
        check_as_eager([&] { return make().mean() + make().std(); });
    }
}

}  // namespace

TEST_CASE("nested ranges: slices") {
    manual_seed(11);
    for (ScalarType type : {kFloat, kDouble, kHalf, kChar, kLong, kBool}) {
        CAPTURE(type);
        const Tensor x = (randn({70, 80, 9}) * 9).to(type);
        for (int64_t width : {1, 2, 31, 33, 79})
            for (int64_t deep : {4, 9}) {
                CAPTURE(width);
                CAPTURE(deep);
                const Tensor part = x.slice(1, 1, 1 + width).slice(2, 0, deep);
                check_reductions(type, [&] { return part * 1; });
                check_as_eager([&] { return part.sum({0, 1}); });
                check_as_eager([&] { return part.sum({0, 2}); });
                check_as_eager([&] { return part.sum({1, 2}); });
                check_as_eager([&] { return part.transpose(0, 2).argmax(); });
            }
        const Tensor wide = (randn({5, 9000}) * 9).to(type);
        for (int64_t width : {4095, 4096, 4097, 8999})
            check_reductions(type, [&] { return wide.slice(1, 0, width); });
        check_reductions(type, [&] { return wide.slice(1, 1, 9000, 2) * 1; });
        check_reductions(type, [&] { return wide.slice(1, 1, 9000, 2).t() * 1; });
    }
}

TEST_CASE("nested ranges: outer products and masks") {
    manual_seed(12);
    for (ScalarType type : {kFloat, kDouble, kHalf, kInt}) {
        CAPTURE(type);
        for (int64_t n : {3, 129})
            for (int64_t m : {1, 31, 64, 400}) {
                CAPTURE(n);
                CAPTURE(m);
                const Tensor x = (randn({n}) * 9).to(type), y = (randn({m}) * 9).to(type),
                             z = (randn({n, m}) * 9).to(type), mask = (randn({n}) > 0);
                check_reductions(type, [&] { return x.unsqueeze(1) * y; });
                check_reductions(type, [&] { return z * mask.unsqueeze(1); });
                check_as_eager([&] { return (x.unsqueeze(1) - y).abs().sum() + x.sum(); });
                check_as_eager([&] { return (x.unsqueeze(1) * y * z.slice(1, 0, m)).sum(); });
                const Tensor w = (randn({n, 5, 40}) * 9).to(type), v = w.select(1, 0);
                check_as_eager([&] { return (w * v.unsqueeze(1)).sum({0, 2}); });
                check_as_eager(
                    [&] { return (w.unsqueeze(0) - w.slice(0, 0, 2).unsqueeze(1)).sum(); });
                check_as_eager([&] { return (w * mask.unsqueeze(1).unsqueeze(2)).sum({0, 2}); });
                check_as_eager([&] { return where(mask.unsqueeze(1), z, 0).argmax(); });
            }
    }
}

TEST_CASE("nested ranges: rows side by side") {
    manual_seed(13);
    for (ScalarType type : {kFloat, kHalf, kDouble})
        for (int64_t columns : {1, 8, 63, 130})
            for (int64_t outer : {2, 40, 200}) {
                CAPTURE(type);
                CAPTURE(columns);
                CAPTURE(outer);
                const Tensor x = (randn({outer, 30, columns}) * 9).to(type);
                const Tensor part = x.slice(1, 3, 28);
                check_as_eager([&] { return part.sum({0, 1}); });
                check_as_eager(
                    [&] { return (part * part.select(2, 0).unsqueeze(2)).amax({0, 1}); });
                check_as_eager([&] { return part.var(IntArrayRef{0, 1}); });
                check_as_eager([&] { return part.permute({2, 0, 1}).flatten(1).argmin(1); });
            }
}

TEST_CASE("nested ranges: what is reduced and read otherwise") {
    manual_seed(14);
    const Tensor x = randn({60}).eval(), y = randn({300}).eval();
    const auto both = [&] {
        const Tensor p = x.unsqueeze(1) * y;
        return p + p.sum();
    };
    check_as_eager(both);
    const auto centred = [&] {
        const Tensor p = randn({60, 300}) * 0 + x.unsqueeze(1) * y;
        return p.slice(1, 0, 200) - p.slice(1, 0, 200).mean();
    };
    check_as_eager(centred);
    check_as_eager([&] { return arange(60).unsqueeze(1).mul(arange(300)).sum(); });
    Tensor target = randn({50, 300});
    const Tensor copy = target.clone();
    target.slice(1, 0, 100).add_(target.slice(1, 0, 150).sum());
    ModeGuard guard(Mode::eager);
    copy.slice(1, 0, 100).add_(copy.slice(1, 0, 150).sum());
    CHECK(equal(target, copy));
}

TEST_CASE("nested ranges: one kernel, and memory that does not grow with the range") {
    const Tensor x = randn({1000}).eval(), y = randn({2000}).eval();
    for (bool sliced : {false, true}) {
        const Tensor z = randn({1000, 1000}).eval();
        const Tensor s = sliced ? z.slice(1, 0, 900).sum() : (x.unsqueeze(1) * y).sum();
        CHECK(kernels_of(s) == 1);
        CHECK(stats().bytes_allocated < 4096);
    }
    const Tensor z = randn({64, 100, 100}).eval();
    CHECK(kernels_of(z.slice(2, 0, 50).sum({0, 2})) == 1);
    CHECK(stats().bytes_allocated < 4096);
    CHECK(explain(z.slice(2, 0, 50).sum()).find("2 dimensions reduced piece by piece") !=
          std::string::npos);
}
