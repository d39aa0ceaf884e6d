// Products with an added operand: addmm addmv addr baddbmm addbmm, in all their forms.
#include "tests/linalg/products/products_case.hpp"
#include "tests/seed.hpp"

#include <doctest/doctest.h>

#include <cmath>

using namespace sinter;
using namespace sinter::test;

namespace {

/// Computes the definition of each function by hand, in a wide dtype.
Tensor expected(const char* name, const Tensor& self, const Tensor& a, const Tensor& b, int beta,
                int alpha) {
    const std::string n = name;
    const ScalarType w = wide(self.scalar_type());
    Tensor product;
    if (n == "addr")
        product = a.to(w).unsqueeze(1) * b.to(w);
    else if (n == "addmv")
        product = by_hand(a, b.unsqueeze(1)).squeeze(1);
    else
        product = by_hand(a, b);
    if (n == "addbmm") product = product.sum(0);
    return self.to(w) * beta + product * alpha;
}

struct operands {
    const char* name;
    list self, a, b;
};
const operands forms[] = {{"addmm", {4, 5}, {4, 6}, {6, 5}},
                          {"addmv", {4}, {4, 6}, {6}},
                          {"addr", {4, 5}, {4}, {5}},
                          {"baddbmm", {3, 4, 5}, {3, 4, 6}, {3, 6, 5}},
                          {"addbmm", {4, 5}, {3, 4, 6}, {3, 6, 5}}};

Tensor call(const std::string& n, const Tensor& s, const Tensor& a, const Tensor& b,
            const Scalar& beta, const Scalar& alpha) {
    if (n == "addmm") return addmm(s, a, b, beta, alpha);
    if (n == "addmv") return addmv(s, a, b, beta, alpha);
    if (n == "addr") return addr(s, a, b, beta, alpha);
    if (n == "baddbmm") return baddbmm(s, a, b, beta, alpha);
    return addbmm(s, a, b, beta, alpha);
}
Tensor& call_in_place(const std::string& n, Tensor& s, const Tensor& a, const Tensor& b,
                      const Scalar& beta, const Scalar& alpha) {
    if (n == "addmm") return s.addmm_(a, b, beta, alpha);
    if (n == "addmv") return s.addmv_(a, b, beta, alpha);
    if (n == "addr") return s.addr_(a, b, beta, alpha);
    if (n == "baddbmm") return s.baddbmm_(a, b, beta, alpha);
    return s.addbmm_(a, b, beta, alpha);
}
Tensor& call_out(const std::string& n, Tensor& out, const Tensor& s, const Tensor& a,
                 const Tensor& b, const Scalar& beta, const Scalar& alpha) {
    if (n == "addmm") return addmm_out(out, s, a, b, beta, alpha);
    if (n == "addmv") return addmv_out(out, s, a, b, beta, alpha);
    if (n == "addr") return addr_out(out, s, a, b, beta, alpha);
    if (n == "baddbmm") return baddbmm_out(out, s, a, b, beta, alpha);
    return addbmm_out(out, s, a, b, beta, alpha);
}

}  // namespace

TEST_CASE("all forms in all dtypes, with all factors") {
    for (const operands& f : forms)
        for (const ScalarType t : numeric)
            for (const int beta : {0, 1, 2})
                for (const int alpha : {0, 1, 3}) {
                    INFO(f.name << " beta " << beta << " alpha " << alpha << " dtype "
                                << std::string(toString(t)));
                    // Compiled kernels use the same formula, so a few cases are enough for them.
                    const bool fused = t == kFloat || (beta == 2 && alpha == 3);
                    const ModeGuard guard(fused ? Mode::lazy : Mode::eager);
                    const bool byte = t == kByte;
                    const auto operand = [&](const list& sizes, int64_t start) {
                        return byte ? numbers(sizes, t, start) % 4 : numbers(sizes, t, start);
                    };
                    const Tensor s = operand(f.self, 1), a = operand(f.a, 2), b = operand(f.b, 3);
                    const Tensor e = expected(f.name, s, a, b, beta, alpha).to(t);
                    const Tensor r = call(f.name, s, a, b, beta, alpha);
                    CHECK((r.scalar_type() == t));
                    CHECK(equal(r, e));
                    Tensor target = s.clone();
                    CHECK(&call_in_place(f.name, target, a, b, beta, alpha) == &target);
                    CHECK(equal(target, e));
                    Tensor out = empty({0}, t);
                    CHECK(&call_out(f.name, out, s, a, b, beta, alpha) == &out);
                    CHECK(equal(out, e));
                    Tensor same = s.clone();  // the output is self
                    call_out(f.name, same, same, a, b, beta, alpha);
                    CHECK(equal(same, e));
                }
}

TEST_CASE("self expands, the product does not") {
    const Tensor a = numbers({2, 3}, kFloat), b = numbers({3, 4}, kFloat), p = a.mm(b);
    CHECK(equal(addmm(full({}, 2.0), a, b), p + 2));
    CHECK(equal(addmm(arange(4).to(kFloat), a, b), p + arange(4)));
    CHECK(equal(addmm(ones({2, 1}), a, b), p + 1));
    CHECK(equal(addmv(ones({1}), a, b.select(1, 0)), a.mv(b.select(1, 0)) + 1));
    CHECK(equal(addr(ones({3}), ones({2}), ones({3})), full({2, 3}, 2.0)));
    CHECK(equal(baddbmm(ones({4}), a.expand({5, 2, 3}), b.expand({5, 3, 4})),
                (p + 1).expand({5, 2, 4})));
    CHECK(equal(addbmm(ones({4}), a.expand({5, 2, 3}), b.expand({5, 3, 4})), p * 5 + 1));
    // A number of another dtype counts in type promotion like a matrix.
    CHECK((addr(ones({}, kDouble), ones({2}), ones({3})).scalar_type() == kDouble));
}

TEST_CASE("a factor of 0 is no read") {
    const Tensor nan2 = full({2, 4}, NAN), a = ones({2, 3}), b = ones({3, 4});
    CHECK(equal(addmm(nan2, a, b, 0), full({2, 4}, 3.0)));
    CHECK(equal(addmm(nan2, a, b, 0.0, 2), full({2, 4}, 6.0)));
    CHECK(equal(addmm(ones({2, 4}), a * NAN, b, 1, 0), ones({2, 4})));
    CHECK(equal(addmm(nan2, a * NAN, b, 0, 0), zeros({2, 4})));
    CHECK(equal(addmv(full({2}, NAN), a, ones({3}), 0), full({2}, 3.0)));
    CHECK(equal(addr(nan2, ones({2}), ones({4}), 0), ones({2, 4})));
    CHECK(equal(baddbmm(nan2.expand({5, 2, 4}), a.expand({5, 2, 3}), b.expand({5, 3, 4}), 0),
                full({5, 2, 4}, 3.0)));
    CHECK(equal(addbmm(nan2, a.expand({5, 2, 3}), b.expand({5, 3, 4}), 0), full({2, 4}, 15.0)));
    Tensor x = full({2, 4}, NAN);
    CHECK(equal(x.addmm_(a, b, 0), full({2, 4}, 3.0)));
    CHECK(addmm(nan2, a, b, NAN, 0).isnan().all().item<bool>());
    // addr is not a library call: its product is always read.
    CHECK(addr(ones({2, 4}), full({2}, NAN), ones({4}), 1, 0).isnan().all().item<bool>());
}

TEST_CASE("nothing to sum, and nothing to write") {
    CHECK(equal(addmm(ones({2, 4}), zeros({2, 0}), zeros({0, 4}), 3), full({2, 4}, 3.0)));
    CHECK(equal(addmm(full({2, 4}, NAN), zeros({2, 0}), zeros({0, 4}), 0), zeros({2, 4})));
    CHECK((sizes(addmm(ones({0, 4}), zeros({0, 3}), zeros({3, 4}))) == list{0, 4}));
    CHECK(equal(addmv(ones({2}), zeros({2, 0}), zeros({0}), 2), full({2}, 2.0)));
    CHECK(equal(addbmm(ones({2, 4}), zeros({0, 2, 3}), zeros({0, 3, 4}), 2), full({2, 4}, 2.0)));
    CHECK(equal(baddbmm(ones({4}), zeros({5, 2, 0}), zeros({5, 0, 4}), 2), full({5, 2, 4}, 2.0)));
    CHECK((sizes(addr(ones({0, 3}), zeros({0}), ones({3}))) == list{0, 3}));
}

TEST_CASE("factors of integers are cut to whole numbers") {
    const Tensor s = ones({2, 4}, kLong), a = ones({2, 3}, kLong), b = ones({3, 4}, kLong);
    CHECK(equal(addmm(s, a, b, 1.5), full({2, 4}, 4, kLong)));
    CHECK(equal(addmm(s, a, b, 1, 2.9), full({2, 4}, 7, kLong)));
    CHECK(equal(addmm(s * 0 + 9, a, b, 0.9), full({2, 4}, 3, kLong)));
    CHECK(equal(addmm(s, a, b, true, true), full({2, 4}, 4, kLong)));
    CHECK(equal(addmm(s.to(kByte), a.to(kByte), b.to(kByte), -1), full({2, 4}, 2, kByte)));
}

TEST_CASE("Bool has addr alone") {
    const Tensor s = tensor({{true, false}, {false, false}}), v = tensor({true, false}),
                 w = tensor({true, true});
    CHECK(equal(addr(s, v, w), tensor({{true, true}, {false, false}})));
    CHECK(equal(addr(s, v, w, true, false), s));
    CHECK(equal(addr(s, w, v, false), tensor({{true, false}, {true, false}})));
    CHECK(equal(addr(s, v, w, 1, 2), tensor({{true, true}, {false, false}})));
    CHECK((addr(ones({2, 2}), v, w, 2.5).scalar_type() == kFloat));
    CHECK(error_of<NotImplementedError>([&] { addmm(s, s, s); }) ==
          "[addmm] booleans are not supported; got Bool and Bool, expected a numeric dtype; try "
          ".to(kLong) first, or & and any()");
}

TEST_CASE("addr promotes") {
    const Tensor l = ones({2}, kLong), f = ones({3});
    CHECK((addr(ones({2, 3}, kLong), l, f).scalar_type() == kFloat));
    CHECK((addr(ones({2, 3}), l, f.to(kDouble)).scalar_type() == kDouble));
    CHECK(addr(ones({2, 3}), l, l.expand({2}).repeat({2}).narrow(0, 0, 3), 1, 2.5)
              .select(0, 0)
              .select(0, 0)
              .item<float>() == 3.5f);
}

TEST_CASE("16-bit floats are rounded once") {
    const Tensor s = full({2, 2}, 0.1, kHalf), a = full({2, 3}, 1.0, kHalf),
                 b = full({3, 2}, 1.0, kHalf);
    const float h = s.select(0, 0).select(0, 0).to(kFloat).item<float>();
    const float once = 0.3f * h + 3.0f * 0.7f;
    CHECK(equal(addmm(s, a, b, 0.3, 0.7), full({2, 2}, once, kFloat).to(kHalf)));
}

TEST_CASE("a product and what is added to it are one step, and relu after it" *
          doctest::test_suite("host")) {
    const Tensor a = rand({40, 50}), b = rand({50, 60}), c = rand({60});
    eval({a, b, c});
    for (const auto& f :
         std::initializer_list<Tensor (*)(const Tensor&, const Tensor&, const Tensor&)>{
             [](const Tensor& x, const Tensor& y, const Tensor& z) {
                 return Tensor(relu(addmm(z, x, y)));
             },
             [](const Tensor& x, const Tensor& y, const Tensor& z) {
                 return Tensor(relu(x.matmul(y) + z));
             },
             [](const Tensor& x, const Tensor& y, const Tensor& z) {
                 return Tensor(relu(addmm(z, x, y, 2, 3)));
             }}) {
        const Tensor t = f(a, b, c);
        CHECK(explain(t).find("epilogue of m") != std::string::npos);
        reset_stats();
        t.eval();
        CHECK(stats().library_calls == 1);
        CHECK(stats().kernels_launched == 1);
    }
}

TEST_CASE("lazy and eager bits are equal, for any number of threads") {
    manual_seed(seed());
    for (const ScalarType t : {kFloat, kDouble, kHalf, kComplexFloat, kLong}) {
        const auto draw = [t](IntArrayRef s) {
            if (isComplexType(t)) return Tensor(complex(rand(s) - 0.5, rand(s) - 0.5));
            return t == kLong ? randint(-5, 5, s, kLong) : Tensor((rand(s) - 0.5).to(t));
        };
        const Tensor a = draw({300, 270}), b = draw({270, 280}), c = draw({280});
        const auto f = [&] { return addmm(c, a, b, 2, 3).mul(2).eval(); };
        const int threads = get_num_threads();
        set_num_threads(1);
        const Tensor lazy = f();
        set_num_threads(4);
        CHECK(equal(lazy, f()));
        ModeGuard guard(Mode::eager);
        CHECK(equal(lazy, f()));
        set_num_threads(threads);
    }
}

TEST_CASE("outputs: resized, converted, and operands themselves") {
    const Tensor a = numbers({3, 3}, kFloat), b = numbers({3, 3}, kFloat, 4), p = a.mm(b);
    Tensor wide_out = empty({3, 3}, kDouble);
    CHECK(equal(addmm_out(wide_out, a, a, b), (p + a).to(kDouble)));
    Tensor q = a.clone();
    CHECK(equal(mm_out(q, q, b), p));
    q = a.clone();
    CHECK(equal(addmm_out(q, b, q, q), a.mm(a) + b));
    q = a.clone();
    CHECK(equal(q.addmm_(q, q), a.mm(a) + a));
    Tensor whole = numbers({4, 3}, kFloat), before = whole.clone();
    whole.slice(0, 1, 4).addmm_(whole.slice(0, 0, 3), b);
    CHECK(equal(whole.slice(0, 1, 4), before.slice(0, 1, 4) + before.slice(0, 0, 3).mm(b)));
    CHECK(equal(whole.select(0, 0), before.select(0, 0)));
    Tensor turned = empty({3, 3}).t();
    CHECK(equal(mm_out(turned, a, b), p));
    CHECK((turned.strides().vec() == list{1, 3}));
    Tensor whole_numbers = empty({3, 3}, kLong);
    CHECK(error_of([&] { addmm_out(whole_numbers, a, a, b); }).rfind("[addmm_out] ", 0) == 0);
    Tensor narrow = empty({1}).expand({3, 3});
    CHECK(error_of([&] { mm_out(narrow, a, b); }).rfind("[mm_out] ", 0) == 0);
}

TEST_CASE("errors of added products") {
    const Tensor m = zeros({2, 3}), n = zeros({3, 4}), v = zeros({3}), l = zeros({2, 4}, kLong),
                 s = zeros({2, 4});
    CHECK(error_of([&] { addmm(s, m, v); }) ==
          "[addmm] an operand has the wrong number of dimensions; got shapes [2, 3] and [3], "
          "expected 2 and 2 dimensions; try matmul(), which takes any");
    CHECK(error_of([&] { addmm(s, m, m); }) ==
          "[addmm] the inner dimensions do not match; got shapes [2, 3] and [2, 3], expected 3 "
          "rows in the second; try transpose(-2, -1) on one of them");
    CHECK(error_of<Error>([&] { addmm(l, m, n); }) ==
          "[addmm] the operands' dtypes differ; got Long and Float, expected the same dtype; try "
          ".to(kFloat) on the first");
    CHECK(error_of<Error>([&] { addmm(s, m, n.to(kDouble)); }) ==
          "[addmm] the operands' dtypes differ; got Float and Double, expected the same dtype; try "
          ".to(kDouble) on the first");
    CHECK(error_of([&] { addmm(zeros({3}), m, n); }) ==
          "[addmm] self does not broadcast to the shape of the product; got shape [3] for a "
          "product of shape [2, 4], expected sizes that are equal or 1, counted from the last "
          "dimension; try view() or reshape() on self");
    CHECK(error_of([&] { addmm(zeros({1, 2, 4}), m, n); }).rfind("[addmm] self does not", 0) == 0);
    CHECK(error_of([&] { zeros({4}).addmm_(m, n); }).rfind("[addmm_] ", 0) == 0);
    CHECK(error_of<ValueError>([&] {
              addmm(s, m, n, complex<double>(0, 1));
          }).rfind("[addmm] ", 0) == 0);
    CHECK(error_of<ValueError>([&] { addmm(s, m, n, 1, 1e300); }).rfind("[addmm] ", 0) == 0);
    CHECK(error_of<ValueError>([&] {
              addmm(l.to(kByte), l.narrow(1, 0, 3).to(kByte), n.to(kByte), 1, 300);
          }).rfind("[addmm] ", 0) == 0);
    CHECK(error_of([&] { baddbmm(s, zeros({5, 2, 3}), zeros({4, 3, 4})); }) ==
          "[baddbmm] the batch sizes differ; got shapes [5, 2, 3] and [4, 3, 4], expected 5 "
          "matrices in the second; try matmul(), which broadcasts");
    CHECK(error_of([&] { addbmm(s, m, n); }) ==
          "[addbmm] an operand has the wrong number of dimensions; got shapes [2, 3] and [3, 4], "
          "expected 3 and 3 dimensions; try matmul(), which takes any");
    CHECK(error_of([&] { addmv(zeros({3}), m, v); }).rfind("[addmv] self does not", 0) == 0);
    CHECK(error_of([&] { addr(zeros({2, 3}), m, v); }).rfind("[addr] an operand", 0) == 0);
    const Tensor lv = zeros({2}, kLong);
    CHECK(error_of([&] { addr(zeros({2, 2}, kLong), lv, lv, 2.5); }) ==
          "[addr] beta is not an integer; got 2.5 for Long, expected an integer; try .to(kFloat) "
          "on self");
    CHECK(error_of([&] { addr(zeros({2, 2}), lv, lv, 1, true); }) ==
          "[addr] alpha is a boolean; got true for Float, expected a number; try 1 or 0");
    CHECK(error_of([&] { zeros({2, 2}, kLong).addr_(lv.to(kFloat), lv); }).rfind("[addr_] ", 0) ==
          0);
    Tensor x = ones({3, 3});
    CHECK(error_of([&] {
              Tensor part = x.slice(0, 1, 3);
              addr_out(part, x.slice(0, 0, 2), ones({2}), ones({3}));
          }).rfind("[addr_out] ", 0) == 0);
}
