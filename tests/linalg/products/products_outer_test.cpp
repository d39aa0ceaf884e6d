// Vector products, outer products, Kronecker products, cross products, and their outputs.
#include "tests/linalg/products/products_case.hpp"
#include "tests/seed.hpp"

#include <doctest/doctest.h>

#include <cmath>

using namespace sinter;
using namespace sinter::test;

TEST_CASE("dot, vdot and inner of vectors in every dtype") {
    for (const ScalarType t : numeric) {
        INFO(std::string(toString(t)));
        const Tensor a = t == kByte ? numbers({9}, t) % 4 : numbers({9}, t),
                     b = t == kByte ? numbers({9}, t, 3) % 4 : numbers({9}, t, 3);
        const Tensor x = a.to(wide(t)), y = b.to(wide(t));
        CHECK(equal(dot(a, b), (x * y).sum().to(t)));
        CHECK(equal(inner(a, b), (x * y).sum().to(t)));
        CHECK(equal(vdot(a, b), (conj(x) * y).sum().to(t)));
        CHECK((sizes(vdot(a, b)).empty()));
    }
    CHECK(equal(inner(zeros({0}), zeros({0})), zeros({})));
    CHECK(equal(vdot(zeros({0}, kComplexFloat), zeros({0}, kComplexFloat)),
                zeros({}, kComplexFloat)));
}

TEST_CASE("inner sums over the last dimension of both, and a number scales") {
    const Tensor a = numbers({2, 4, 3}, kDouble), b = numbers({5, 3}, kDouble, 2);
    CHECK(equal(inner(a, b), a.matmul(b.t())));
    CHECK(equal(inner(b, a), a.matmul(b.t()).permute({2, 0, 1})));
    CHECK((sizes(inner(a, a)) == list{2, 4, 2, 4}));
    CHECK((sizes(inner(a, b.select(0, 0))) == list{2, 4}));
    CHECK(equal(inner(a.transpose(0, 1), b), a.transpose(0, 1).matmul(b.t())));
    CHECK(equal(inner(zeros({2, 0}), zeros({3, 0})), zeros({2, 3})));
    CHECK(equal(inner(full({}, 2.0, kDouble), a), a * 2));
    CHECK(equal(inner(a, full({}, 2, kLong)), a * 2));
    CHECK((inner(full({}, 2.0), full({}, 3, kLong)).scalar_type() == kFloat));
    CHECK((inner(full({}, true), tensor({true, false})).scalar_type() == kBool));
}

TEST_CASE("outer promotes and takes truth values") {
    for (const ScalarType t : numeric) {
        const Tensor a = t == kByte ? numbers({4}, t) % 4 : numbers({4}, t);
        CHECK(equal(outer(a, a), (a.to(wide(t)).unsqueeze(1) * a.to(wide(t))).to(t)));
        CHECK(equal(ger(a, a), outer(a, a)));
    }
    const Tensor b = tensor({true, false});
    CHECK(equal(outer(b, b), tensor({{true, false}, {false, false}})));
    CHECK((outer(b, arange(3)).scalar_type() == kLong));
    CHECK((outer(ones({2}), arange(3)).scalar_type() == kFloat));
    CHECK((sizes(outer(ones({0}), ones({3}))) == list{0, 3}));
    CHECK(error_of([&] { outer(ones({2, 2}), b); }) ==
          "[outer] an operand has the wrong number of dimensions; got shapes [2, 2] and [2], "
          "expected 1 and 1 dimensions; try matmul(), which takes any");
}

TEST_CASE("kron: every element times all of the other") {
    const auto by_loop = [](const Tensor& a, const Tensor& b) {
        Tensor r = zeros({a.size(0) * b.size(0), a.size(1) * b.size(1)}, a.scalar_type());
        for (int64_t i = 0; i < a.size(0); ++i)
            for (int64_t j = 0; j < a.size(1); ++j)
                r.slice(0, i * b.size(0), (i + 1) * b.size(0))
                    .slice(1, j * b.size(1), (j + 1) * b.size(1))
                    .copy_(a.select(0, i).select(0, j) * b);
        return r;
    };
    for (const ScalarType t : {kFloat, kLong, kComplexDouble, kHalf}) {
        const Tensor a = numbers({2, 3}, t), b = numbers({4, 5}, t, 1);
        CHECK(equal(kron(a, b), by_loop(a, b)));
        CHECK(equal(kron(a.t(), b.t()), by_loop(a.t(), b.t())));
    }
    const Tensor m = numbers({2, 3}, kFloat), v = numbers({3}, kFloat);
    CHECK(equal(kron(v, m), kron(v.unsqueeze(0), m)));
    CHECK(equal(kron(m, v), kron(m, v.unsqueeze(0))));
    CHECK(equal(kron(full({}, 2.0), m), m * 2));
    CHECK((sizes(kron(full({}, 2), full({}, 3.0))).empty()));
    CHECK((sizes(kron(zeros({0}), m)) == list{2, 0}));
    CHECK((sizes(kron(zeros({2, 3, 4}), m)) == list{2, 6, 12}));
    CHECK((kron(m > 0, m > 0).scalar_type() == kBool));
    CHECK((kron(m, v.to(kLong)).scalar_type() == kFloat));
}

TEST_CASE("cross products") {
    const Tensor x = tensor({1.0, 0.0, 0.0}), y = tensor({0.0, 1.0, 0.0}),
                 z = tensor({0.0, 0.0, 1.0});
    CHECK(equal(cross(x, y), z));
    CHECK(equal(linalg_cross(y, z), x));
    CHECK(equal(linalg::cross(z, x), y));
    for (const ScalarType t : {kInt, kHalf, kFloat, kDouble, kComplexFloat}) {
        const Tensor a = numbers({4, 3, 2}, t), b = numbers({4, 3, 2}, t, 5),
                     c = linalg_cross(a, b, 1);
        const auto at = [](const Tensor& v, int64_t i) { return v.select(1, i); };
        for (int64_t i = 0; i < 3; ++i) {
            const int64_t j = (i + 1) % 3, k = (i + 2) % 3;
            CHECK(equal(at(c, i), at(a, j) * at(b, k) - at(a, k) * at(b, j)));
        }
        CHECK(equal(c, cross(a, b, 1)));
        CHECK(equal(c, cross(a, b)));  // along the first dimension of size three
        CHECK(equal(c, linalg_cross(a, b, -2)));
        CHECK(equal(linalg_cross(a, b.narrow(0, 0, 1), 1),
                    linalg_cross(a, b.narrow(0, 0, 1).expand({4, 3, 2}), 1)));
    }
    CHECK(error_of([&] { cross(ones({3, 3}), ones({1, 3}), 0); }).rfind("[cross] ", 0) == 0);
    CHECK((sizes(cross(ones({0, 3}), ones({0, 3}))) == list{0, 3}));
    CHECK(error_of([&] { cross(ones({2, 2}), ones({2, 2})); }) ==
          "[cross] no dimension has size 3; got shapes [2, 2] and [2, 2], expected a dimension of "
          "size 3; try cat() with zeros for vectors of 2 elements");
    CHECK(error_of([&] { linalg_cross(ones({2, 4}), ones({2, 4})); }) ==
          "[linalg_cross] the vectors do not have 3 elements; got shapes [2, 4] and [2, 4] and "
          "dimension 1, expected size 3 in that dimension of both; try passing the dimension of "
          "size 3 as dim");
    CHECK(error_of([&] { linalg_cross(ones({2, 3}), ones({3})); }) ==
          "[linalg_cross] the operands have different numbers of dimensions; got shapes [2, 3] and "
          "[3], expected the same number; try unsqueeze() on one of them");
    CHECK(error_of<Error>([&] {
              cross(x, x.to(kLong));
          }).rfind("[cross] the operands' dtypes", 0) == 0);
    CHECK(error_of<NotImplementedError>([&] { cross(x > 0, x > 0); }).rfind("[cross] ", 0) == 0);
    CHECK(error_of<IndexError>([&] { linalg_cross(x, x, 1); }).rfind("[linalg_cross] ", 0) == 0);
    CHECK(error_of<IndexError>([&] {
              linalg_cross(full({}, 1.0), full({}, 1.0));
          }).rfind("[linalg_cross] ", 0) == 0);
}

TEST_CASE("vecdot conjugates the first, broadcasts, and sums along a dimension") {
    const Tensor a = numbers({2, 4, 3}, kComplexDouble), b = numbers({4, 3}, kComplexDouble, 2);
    CHECK(equal(linalg_vecdot(a, b), (conj(a) * b).sum(-1)));
    CHECK(equal(linalg::vecdot(a, b, 0), (conj(a) * b).sum(0)));
    CHECK(equal(linalg_vecdot(full({}, 2.0), full({}, 3.0)), full({}, 6.0)));
    CHECK(equal(linalg_vecdot(zeros({0}), zeros({0})), zeros({})));
    const Tensor h = full({3}, 0.1, kHalf);
    CHECK(equal(linalg_vecdot(h, h), (h.to(kFloat) * h.to(kFloat)).sum(0).to(kHalf)));
    CHECK(error_of<NotImplementedError>([&] { linalg_vecdot(arange(3), arange(3)); }) ==
          "[linalg_vecdot] integers and booleans are not supported; got Long, expected a "
          "floating-point or complex dtype; try .to(kFloat) first");
    CHECK(error_of<Error>([&] {
              linalg_vecdot(ones({3}), ones({3}, kDouble));
          }).rfind("[linalg_vecdot] ", 0) == 0);
    CHECK(error_of<IndexError>([&] { linalg_vecdot(a, a, 3); }) != "no error");
    CHECK(error_of([&] { linalg_vecdot(ones({2, 3}), ones({2, 4})); }) != "no error");
}

TEST_CASE("every output form") {
    const Tensor v = numbers({3}, kFloat), w = numbers({3}, kFloat, 4), m = numbers({3, 3}, kFloat),
                 n = numbers({3, 3}, kFloat, 2), s = numbers({2, 3, 3}, kFloat);
    const auto check = [](const Tensor& e, auto&& f) {
        for (const ScalarType t : {kFloat, kDouble}) {
            Tensor fresh = empty({0}, t), other = empty({7, 2}, t), dense = empty(e.sizes(), t);
            for (Tensor* out : {&fresh, &other, &dense}) {
                CHECK(&f(*out) == out);
                CHECK((out->scalar_type() == t));
                CHECK(equal(*out, e.to(t)));
            }
        }
        Tensor whole = empty(e.sizes(), kLong);
        CHECK(error_of([&] { f(whole); }).find("_out] ") != std::string::npos);
    };
    check(matmul(s, m), [&](Tensor& o) -> Tensor& { return matmul_out(o, s, m); });
    check(matmul(s, m), [&](Tensor& o) -> Tensor& { return linalg_matmul_out(o, s, m); });
    check(mm(m, n), [&](Tensor& o) -> Tensor& { return mm_out(o, m, n); });
    check(bmm(s, s), [&](Tensor& o) -> Tensor& { return bmm_out(o, s, s); });
    check(mv(m, v), [&](Tensor& o) -> Tensor& { return mv_out(o, m, v); });
    check(dot(v, w), [&](Tensor& o) -> Tensor& { return dot_out(o, v, w); });
    check(vdot(v, w), [&](Tensor& o) -> Tensor& { return vdot_out(o, v, w); });
    check(inner(m, n), [&](Tensor& o) -> Tensor& { return inner_out(o, m, n); });
    check(outer(v, w), [&](Tensor& o) -> Tensor& { return outer_out(o, v, w); });
    check(outer(v, w), [&](Tensor& o) -> Tensor& { return ger_out(o, v, w); });
    check(kron(m, n), [&](Tensor& o) -> Tensor& { return kron_out(o, m, n); });
    check(cross(v, w), [&](Tensor& o) -> Tensor& { return cross_out(o, v, w); });
    check(cross(v, w), [&](Tensor& o) -> Tensor& { return linalg_cross_out(o, v, w); });
    check(linalg_vecdot(m, n), [&](Tensor& o) -> Tensor& { return linalg_vecdot_out(o, m, n); });
    check(linalg_multi_dot({m, n, m}),
          [&](Tensor& o) -> Tensor& { return linalg_multi_dot_out(o, {m, n, m}); });
    check(chain_matmul({m, n}), [&](Tensor& o) -> Tensor& { return chain_matmul_out(o, {m, n}); });
    check(matrix_power(m, 3), [&](Tensor& o) -> Tensor& { return matrix_power_out(o, m, 3); });
    check(matrix_power(m, 3),
          [&](Tensor& o) -> Tensor& { return linalg_matrix_power_out(o, m, 3); });
    Tensor part = v.clone();
    CHECK(equal(cross_out(part, part, w), cross(v, w)));
    Tensor four = numbers({4}, kFloat), tail = four.slice(0, 1, 4);
    CHECK(error_of([&] { cross_out(tail, four.slice(0, 0, 3), w); }).rfind("[cross_out] ", 0) == 0);
}
