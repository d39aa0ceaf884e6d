// Expressions as objects: moved, copied, kept, assigned. All other tests cover their values.
#include "tests/ops/check.hpp"

#include <sinter/stats.hpp>

#include <type_traits>
#include <utility>

namespace sinter::test {
namespace {

auto returned(const Tensor& a) {
    auto e = a * 2;
    return e;
}

TEST_CASE("an expression that is moved takes its operands along") {
    for_each_mode([] {
        const Tensor a = arange(3, kFloat);
        auto e = a * 2 + 1;
        auto f = std::move(e);
        check<float>(std::move(f) * f.numel(), {3}, {3, 9, 15});
        check<float>(returned(a) + 1, {3}, {1, 3, 5});
        std::vector<decltype(a * 2)> many;
        for (int i = 0; i < 5; ++i) many.push_back(a * i);
        check<float>(many[4], {3}, {0, 4, 8});
        check<float>(many[1], {3}, {0, 1, 2});
    });
}

TEST_CASE("an expression that has been named is moved as the tensor it is") {
    for_each_mode([] {
        const Tensor a = full({3}, 2.0), b = full({3}, 5.0);
        auto e = a * b;
        e.add_(1);
        check<float>(std::move(e) * 3, {3}, {33, 33, 33});
        auto f = a * b;
        auto copy = f;
        check<float>(1 - std::move(copy), {3}, {-9, -9, -9});
        auto g = where(a < b, a + b, b * 2.5);
        g[1] = 0;
        auto h = std::move(g);
        check<float>(maximum(std::move(h), 1), {3}, {7, 1, 7});
    });
}

TEST_CASE("an expression whose value was moved away") {
    for_each_mode([] {
        const Tensor a = arange(3, kFloat);
        const char* gone =
            "[expression] the expression has been moved from; got a use after std::move, expected "
            "an expression that still holds its value; try a copy before the move";
        auto e = a * 2;
        const Tensor x = std::move(e) + 1;
        CHECK_ERROR(Error, e.sizes(), gone);
        CHECK_ERROR(Error, e + 1, gone);
        CHECK_ERROR(Error, std::move(e) + 1, gone);
        CHECK_ERROR(Error, Tensor(std::move(e)), gone);
        e = a;
        check<float>(e + x, {3}, {1, 4, 7});
    });
}

TEST_CASE("a write to what a named expression has read keeps no old bytes") {
    ModeGuard guard(Mode::lazy);
    Tensor a = ones({1 << 20});
    a.eval();
    auto e = a + 1;
    e.eval();
    const int64_t before = stats().bytes_live;
    a.add_(1).eval();
    CHECK(stats().bytes_live == before);
    CHECK(e[7].item<float>() == 2);
}

TEST_CASE("memory of the caller's is read once a statement" * doctest::test_suite("host")) {
    ModeGuard guard(Mode::lazy);
    std::vector<float> memory{1, 2, 3};
    const Tensor p = from_blob(memory.data(), {3}), b = ones({3});
    b.eval();
    reset_stats();
    auto e = p * 2 + b - 3;
    CHECK(stats().flushed(flush_reason::external) == 1);
    memory.assign(3, 100);
    check<float>(e, {3}, {0, 2, 4});
    auto f = b + p * 2 - p;
    CHECK(stats().flushed(flush_reason::external) == 3);
    memory.assign(3, 0);
    check<float>(f, {3}, {101, 101, 101});
}

TEST_CASE("a statement whose part became a tensor leaves other statements of its type alone" *
          doctest::test_suite("host")) {
    for_each_mode([] {
        std::vector<float> memory{3, 6, 5};
        const Tensor m = tensor({4.f, 8.f, 12.f});
        const auto f = [&m](const Tensor& v) { return Tensor(hypot(v, m) * 2 - m); };
        const Tensor p = from_blob(memory.data(), {3});
        check<float>(f(p), {3}, {6, 12, 14});  // hypot was computed at its place
        check<float>(f(tensor({3.f, 6.f, 5.f})), {3}, {6, 12, 14});
        check<float>(f(p), {3}, {6, 12, 14});
    });
}

TEST_CASE("what an expression's type says of it") {
    const Tensor a = ones({3});
    using sum = decltype(a + a);
    static_assert(std::is_same_v<sum, binary_expr<op::add>>);
    static_assert(std::is_same_v<sum, decltype(a.add(a))>);
    static_assert(!std::is_same_v<sum, decltype(a * a)>);
    static_assert(!std::is_same_v<decltype(a + 1), decltype(1 + a)>);
    static_assert(!std::is_assignable_v<sum, sum> && !std::is_assignable_v<sum, Tensor>);
    static_assert(std::is_assignable_v<sum&, Tensor> && std::is_assignable_v<sum&, sum>);
    static_assert(!std::is_assignable_v<sum&, double>);
    sum e = a + a;  // named, so it is a tensor in what follows
    static_assert(std::is_same_v<decltype(exp(e)), unary_expr<op::exp>>);
    static_assert(std::is_same_v<decltype(exp(std::as_const(e))), unary_expr<op::exp>>);
    static_assert(std::is_same_v<decltype(exp(a + a)), expr<op::exp, sum>>);
    CHECK((a * 2 + e).program().size == 5);
}

TEST_CASE("expressions have take") {
    for_each_mode([] {
        const Tensor a = tensor({1.f, 2.f, 3.f}), at = tensor({2, 0});
        check<float>((a + 1).take(at), {2}, {4, 2});
        const auto e = a * 2;
        check<float>(e.take(at), {2}, {6, 2});
    });
}

}  // namespace
}  // namespace sinter::test
