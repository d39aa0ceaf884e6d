// einsum, compared with a plain evaluation over random equations; the examples of NumPy's and
// PyTorch's documentation; which part is a library call and which a kernel; every error.
#include <sinter/sinter.hpp>

#include "tests/linalg/labelled_case.hpp"
#include "tests/seed.hpp"

#include "tests/linalg/products/products_case.hpp"

#include <doctest/doctest.h>

#include <optional>
#include <ostream>
#include <random>
#include <string>
#include <vector>

using namespace sinter;
using namespace sinter::test;

namespace {

/// Returns true if both have the same dtype, sizes and values.
bool same(const Tensor& a, const Tensor& b) {
    return a.scalar_type() == b.scalar_type() && equal(a, b);
}

}  // namespace

TEST_CASE("einsum of random equations is what nested loops give") {
    std::mt19937_64 random(seed());
    const int count = cases(250);
    for (int i = 0; i < count; ++i) {
        const labelled_case c(random);
        CAPTURE(seed());
        CAPTURE(i);
        CAPTURE(c.describe());
        std::optional<ModeGuard> guard;
        if (i % 4 == 0) guard.emplace(Mode::eager);
        const Tensor r = einsum(c.equation, c.operands, c.path);
        const Tensor expected = c.by_hand();
        REQUIRE((r.scalar_type() == expected.scalar_type()));
        REQUIRE(sizes(r) == sizes(expected));
        REQUIRE(equal(r, expected));
    }
}

TEST_CASE("lazy and eager sums have equal bits, whatever the order of the operands' elements") {
    const Tensor a = rand({6, 40, 33}), b = rand({33, 6, 50}), c = rand({50, 40});
    for (const char* equation : {"bik,kbj,ji->b", "bik,kbj,ji->bij", "bik,kbj,ji->jb"}) {
        const auto f = [&] {
            return einsum(equation, {a - 0.5, b.permute({2, 1, 0}).clone().permute({2, 1, 0}), c});
        };
        const Tensor lazy = f().eval();
        ModeGuard guard(Mode::eager);
        CHECK(equal(lazy, f()));
    }
}

// ---- the examples of the documentation
TEST_CASE("numpy.einsum's examples") {
    const Tensor a = arange(25).reshape({5, 5}), b = arange(5), c = arange(6).reshape({2, 3});
    CHECK(same(einsum("ii", {a}), tensor(60)));
    CHECK(same(einsum("ii->i", {a}), tensor({0, 6, 12, 18, 24})));
    CHECK(same(einsum("ij->i", {a}), tensor({10, 35, 60, 85, 110})));
    CHECK(same(einsum("...j->...", {a}), tensor({10, 35, 60, 85, 110})));
    CHECK(same(einsum("ji", {c}), tensor({{0, 3}, {1, 4}, {2, 5}})));
    CHECK(same(einsum("ij->ji", {c}), tensor({{0, 3}, {1, 4}, {2, 5}})));
    CHECK(same(einsum("i,i", {b, b}), tensor(30)));
    CHECK(same(einsum("ij,j", {a, b}), tensor({30, 80, 130, 180, 230})));
    CHECK(same(einsum("...j,j", {a, b}), tensor({30, 80, 130, 180, 230})));
    CHECK(same(einsum("..., ...", {tensor(3), c}), tensor({{0, 3, 6}, {9, 12, 15}})));
    CHECK(same(einsum(",ij", {tensor(3), c}), tensor({{0, 3, 6}, {9, 12, 15}})));
    CHECK(same(einsum("i,j", {arange(2) + 1, b}), tensor({{0, 1, 2, 3, 4}, {0, 2, 4, 6, 8}})));
    const Tensor x = arange(60.).reshape({3, 4, 5}), y = arange(24.).reshape({4, 3, 2});
    CHECK(equal(
        einsum("ijk,jil->kl", {x, y}),
        tensor({{4400., 4730.}, {4532., 4874.}, {4664., 5018.}, {4796., 5162.}, {4928., 5306.}})));
    const Tensor p = arange(6).reshape({3, 2}), q = arange(12).reshape({4, 3});
    CHECK(same(einsum("ki,jk->ij", {p, q}), tensor({{10, 28, 46, 64}, {13, 40, 67, 94}})));
    CHECK(same(einsum("ki,...k->i...", {p, q}), tensor({{10, 28, 46, 64}, {13, 40, 67, 94}})));
    CHECK(same(einsum("k...,jk", {p, q}), tensor({{10, 28, 46, 64}, {13, 40, 67, 94}})));
    const Tensor v = zeros({3, 3}, kDouble);
    einsum("ii->i", {v}).fill_(1);
    CHECK(equal(v, eye(3, kDouble)));
    const Tensor z = ones({2, 4, 8}, kDouble);
    CHECK(equal(einsum("ijk,ilm,njm,nlk,abc->", {z, z, z, z, z}), tensor(262144.)));
}

TEST_CASE("torch.einsum's examples") {
    const Tensor x = numbers({5}), y = numbers({4}, kDouble, 3);
    CHECK(equal(einsum("ii", {numbers({4, 4})}), numbers({4, 4}).diagonal().sum()));
    CHECK(equal(einsum("i,j->ij", {x, y}), x.unsqueeze(1) * y));
    const Tensor as = numbers({3, 2, 5}), bs = numbers({3, 5, 4}, kDouble, 2);
    CHECK(equal(einsum("bij,bjk->bik", {as, bs}), as.bmm(bs)));
    const Tensor a = numbers({2, 3, 4, 5});
    CHECK(sizes(einsum("...ij->...ji", {a})) == list{2, 3, 5, 4});
    const Tensor A = numbers({3, 5, 4}), l = numbers({2, 5}), r = numbers({2, 4});
    const Tensor bilinear =
        (l.unsqueeze(1).unsqueeze(3) * A * r.unsqueeze(1).unsqueeze(2)).sum({2, 3});
    CHECK(equal(einsum("bn,anm,bm->ba", {l, A, r}), bilinear));
}

TEST_CASE("the grammar: spaces, letters of both cases, ellipses, results that are not named") {
    const Tensor x = numbers({2, 3, 4}), m = numbers({3, 4});
    CHECK(equal(einsum(" i j k -> k j i ", {x}), x.permute({2, 1, 0})));
    CHECK(equal(einsum("jAk", {x}), x.permute({1, 0, 2})));  // A sorts before j
    CHECK(equal(einsum("zbA", {x}), x.permute({2, 1, 0})));
    CHECK(equal(einsum("aA,Ab->ab", {m, m.t()}), m.mm(m.t())));
    CHECK(equal(einsum("...", {x}), x));
    CHECK(equal(einsum("...->", {x}), x.sum()));
    CHECK(equal(einsum("i...->i", {x}), x.sum({1, 2})));
    CHECK(equal(einsum("i...", {x}), x.permute({1, 2, 0})));
    CHECK(equal(einsum("i...k->k...i", {x}), x.permute({2, 1, 0})));
    CHECK(equal(einsum("ijk->kj i...", {x}), x.permute({2, 1, 0})));
    CHECK(equal(einsum("ijk->...", {x}), x.sum()));
    CHECK(equal(einsum("...i,...i", {x, m}), (x * m).sum(2)));
    CHECK(equal(einsum("...i,...i->", {x, m}), (x * m).sum()));
    CHECK(sizes(einsum("...ij,...jk", {ones({2, 3, 4}), ones({5, 2, 4, 6})})) == list{5, 2, 3, 6});
    CHECK(sizes(einsum("a...b,b...", {ones({2, 7, 3}), ones({3, 1, 7})})) == list{1, 7, 2});
    CHECK(equal(einsum("", {tensor(3.)}), tensor(3.)));
    CHECK(equal(einsum("->", {tensor(3.)}), tensor(3.)));
    CHECK(equal(einsum(",", {tensor(3.), tensor(4.)}), tensor(12.)));
    CHECK(equal(einsum(",i->i", {tensor(3.), arange(3.)}), tensor({0., 3., 6.})));
    CHECK(equal(einsum("ij,jk->ik", {m, ones({1, 2}, kDouble)}), m.sum(1, true).expand({3, 2})));
    CHECK(equal(einsum("ij,jk->ik", {zeros({2, 0}), zeros({0, 3})}), zeros({2, 3})));
    CHECK(equal(einsum("i,i->", {zeros({0}), zeros({0})}), tensor(0.f)));
    CHECK(sizes(einsum("ij,jk->ki", {zeros({0, 4}), zeros({4, 3})})) == list{3, 0});
}

TEST_CASE("one operand is a view, or a sum") {
    Tensor x = numbers({3, 3, 4});
    Tensor v = einsum("iij->ji", {x});
    CHECK(v.data_ptr<double>() == x.data_ptr<double>());
    CHECK((v.strides() == IntArrayRef{1, 16}));
    Tensor whole = einsum("ijk->ijk", {x});
    CHECK(whole.data_ptr<double>() == x.data_ptr<double>());
    CHECK(!whole.is_same(x));
}

TEST_CASE("the path is followed") {
    const Tensor a = numbers({2, 30}), b = numbers({30, 40}), c = numbers({40, 5});
    const Tensor r = a.mm(b).mm(c);
    CHECK(equal(einsum("ij,jk,kl->il", {a, b, c}), r));
    CHECK(equal(einsum("ij,jk,kl->il", {a, b, c}, IntArrayRef{0, 1, 0, 1}), r));
    CHECK(equal(einsum("ij,jk,kl->il", {a, b, c}, IntArrayRef{1, 2, 1, 0}), r));
    CHECK(equal(einsum("ij,jk,kl->il", {a, b, c}, IntArrayRef{0, 2, 1, 0}), r));
    CHECK(equal(einsum("ij->ji", {a}, IntArrayRef{0}), a.t()));
}

TEST_CASE("the order that costs least is taken") {
    // One vector product after another, not the product of the matrices first.
    const Tensor m = ones({300, 300}).eval(), v = ones({300}).eval();
    reset_stats();
    const Tensor r = einsum("ij,jk,kl,l->i", {m, m, m, v}).eval();
    CHECK(stats().library_calls == 3);
    CHECK(stats().bytes_allocated < 100000);
    CHECK(r[0].item<float>() == 27000000);
    // Eleven operands, contracted pair by pair.
    const std::vector<Tensor> many(10, m);
    std::vector<Tensor> chain = many;
    chain.push_back(v);
    reset_stats();
    einsum("ab,bc,cd,de,ef,fg,gh,hi,ij,jk,k->a", chain).eval();
    CHECK(stats().library_calls == 10);
    CHECK(stats().bytes_allocated < 100000);
}

// ---- dtypes, as in PyTorch
TEST_CASE("sums of integers alone are Long, sums of products keep the dtype") {
    const Tensor m = tensor({{0, 1, 2}, {3, 4, 5}}, kInt), v = tensor({0, 1, 2}, kInt);
    CHECK(same(einsum("ij,j->i", {m, v}), tensor({5, 14}, kInt)));
    CHECK(same(einsum("ij,ij->i", {m, m}), tensor({5, 50}, kInt)));
    CHECK(same(einsum("i,j", {v, v}), tensor({{0, 0, 0}, {0, 1, 2}, {0, 2, 4}}, kInt)));
    CHECK(same(einsum("ij->i", {m}), tensor({3, 12}, kLong)));
    CHECK(same(einsum("ij->i", {tensor({{3}, {4}}, kInt)}), tensor({3, 4}, kLong)));
    CHECK(same(einsum("ij,j->j", {m, v}), tensor({0, 5, 14}, kLong)));
    CHECK(same(einsum("ij,k->ik", {m, v}), tensor({{0, 3, 6}, {0, 12, 24}}, kLong)));
    CHECK(same(einsum("ij,j->", {tensor({{1, 2}}, kInt), tensor({3, 4}, kInt)}), tensor(11, kInt)));
    const Tensor bytes = tensor({200, 100}, kByte);
    CHECK(same(einsum("i,i->i", {bytes, bytes}), tensor({64, 16}, kByte)));
    CHECK(same(einsum("i,i->", {bytes, bytes}), tensor(80, kByte)));
}

TEST_CASE("truth values have products and sums alone; dtypes mix in products without a sum") {
    const Tensor m = tensor({{0, 1, 1}, {1, 0, 1}}) > 0, v = tensor({0, 1, 1}) > 0;
    CHECK(same(einsum("ij->ji", {m}), m.t().clone()));
    CHECK(same(einsum("ij->", {m}), tensor(4, kLong)));
    CHECK(same(einsum("ij,j->ij", {m, v}), tensor({{0, 1, 1}, {0, 0, 1}}) > 0));
    CHECK(same(einsum("ij,k->k", {m, v}), tensor({0, 4, 4}, kLong)));
    CHECK_THROWS_AS(einsum("ij,j->i", {m, v}), NotImplementedError);
    CHECK(error_of([&] { einsum("i,i", {v, v}); }) ==
          "[einsum] booleans are not supported; got Bool, expected a numeric dtype; try .to(kLong) "
          "first, or & and any()");
    const Tensor i = arange(3), f = ones({3}), d = ones({3}, kDouble);
    CHECK((einsum("i,i->i", {i, f}).scalar_type() == kFloat));
    CHECK((einsum("i,j->ij", {f, d}).scalar_type() == kDouble));
    CHECK_THROWS_AS(einsum("i,i->", {f, d}), Error);
    CHECK(error_of([&] { einsum("i,ij->j", {i, f.unsqueeze(1).expand({3, 2})}); }) ==
          "[einsum] the operands' dtypes differ; got Long and Float, expected the same dtype; try "
          ".to(kFloat) on the first");
}

TEST_CASE("Half and BFloat16 sums are rounded once") {
    for (ScalarType t : {kHalf, kBFloat16}) {
        const Tensor a = full({2, 3000}, 1, t), b = full({3000, 3}, 1, t);
        const Tensor wide = full({2, 3}, 3000, kFloat).to(t);
        CHECK(same(einsum("ij,jk->ik", {a, b}), wide));
        CHECK(same(einsum("ij,ij->i", {a, a}), full({2}, 3000, kFloat).to(t)));
        CHECK(same(einsum("ij->i", {a}), full({2}, 3000, kFloat).to(t)));
    }
}

// ---- what runs
namespace {

/// What runs, and nothing else: library calls and kernels, and the bytes in addition to the
/// result's.
struct effort {
    uint64_t calls, kernels;
    int64_t bytes;
    bool operator==(const effort&) const = default;
};
std::ostream& operator<<(std::ostream& out, const effort& e) {
    return out << e.calls << " calls, " << e.kernels << " kernels, " << e.bytes << " bytes more";
}

effort effort_of(const char* equation, const std::vector<Tensor>& operands) {
    reset_stats();
    const Tensor r = einsum(equation, operands).eval();
    const auto s = stats();
    // Memory is counted in block sizes of the pool.
    const auto more = static_cast<int64_t>(s.bytes_allocated) -
                      r.numel() * static_cast<int64_t>(elementSize(r.scalar_type()));
    return {s.library_calls, s.kernels_launched, more < 512 ? 0 : more};
}

Tensor filled(IntArrayRef sizes) { return rand(sizes).eval(); }

}  // namespace

TEST_CASE("a contraction of two is one library call, and copies nothing") {
    const effort one{1, 0, 0};
    const Tensor q = filled({2, 4, 40, 48}), k = filled({2, 4, 56, 48}), w = filled({2, 4, 40, 56});
    CHECK(effort_of("bhqd,bhkd->bhqk", {q, k}) == one);
    CHECK(effort_of("bhqk,bhkd->bhqd", {w, k}) == one);
    CHECK(effort_of("bhqk,bhkd->bqhd", {w, k}) == one);
    const Tensor q2 = filled({2, 40, 4, 48}), k2 = filled({2, 56, 4, 48});
    CHECK(effort_of("bqhd,bkhd->bhqk", {q2, k2}) == one);
    CHECK(effort_of("bhqk,bkhd->bqhd", {w, k2}) == one);
    const Tensor m = filled({40, 56}), n = filled({56, 48});
    CHECK(effort_of("ij,jk->ik", {m, n}) == one);
    CHECK(effort_of("ij,jk->ki", {m, n}) == one);
    CHECK(effort_of("ji,kj->ik", {m.t(), n.t()}) == one);
    CHECK(effort_of("ij,j->i", {m, filled({56})}) == one);
    CHECK(einsum("ij,jk->ki", {m, n}).is_contiguous());
    // Several letters form one dimension of a matrix, in any order.
    const Tensor t = filled({6, 7, 8, 9}), u = filled({8, 9, 5, 4});
    CHECK(effort_of("abcd,cdef->abef", {t, u}) == one);
    CHECK(effort_of("abcd,cdef->efab", {t, u}) == one);
    CHECK(effort_of("abcd,dcef->efab", {t, u.transpose(0, 1)}) == one);
    CHECK(effort_of("abcd,cdef->bafe", {t, u}) == one);
    // Rows that cannot be viewed as one dimension are several matrices.
    const Tensor part = filled({5, 40, 48}).narrow(1, 3, 33);
    CHECK(effort_of("aij,jk->aik", {part, filled({48, 35})}) == one);
    // An expression is computed into the memory that the product reads.
    reset_stats();
    einsum("bhqd,bhkd->bhqk", {q * 0.125, k}).eval();
    CHECK(stats().library_calls == 1);
}

TEST_CASE("what follows a contraction runs with it" * doctest::test_suite("host")) {
    const Tensor q = filled({2, 4, 64, 48}), k = filled({2, 4, 56, 48}), bias = filled({64, 56});
    const auto scores = [&] { return einsum("bhqd,bhkd->bhqk", {q, k}) * 0.125 + bias; };
    reset_stats();
    Tensor(scores().relu()).eval();
    CHECK(stats().library_calls == 1);
    CHECK(stats().epilogues == 1);
    // Attention as a whole.
    reset_stats();
    const Tensor r = einsum("bhqk,bhkd->bqhd", {scores().softmax(-1), k}).eval();
    CHECK(stats().library_calls == 2);
    CHECK(stats().kernels_launched == 1);
    const Tensor weights = (q.matmul(k.transpose(2, 3)) * 0.125 + bias).softmax(-1);
    CHECK(allclose(r, weights.matmul(k).transpose(1, 2)));
}

TEST_CASE("what lies badly is copied once" * doctest::test_suite("host")) {
    const Tensor t = filled({20, 3, 4, 50}), u = filled({3, 50, 6});
    // b and d cannot be viewed as one dimension in t.
    CHECK(effort_of("abcd,bde->ace", {t, u}) == effort{1, 1, t.numel() * 4});
    CHECK(equal(einsum("abcd,bde->ace", {numbers({2, 3, 4, 5}), numbers({3, 5, 6})}),
                numbers({2, 3, 4, 5})
                    .permute({0, 2, 1, 3})
                    .reshape({8, 15})
                    .mm(numbers({15, 6}))
                    .reshape({2, 4, 6})));
}

TEST_CASE("products without a sum, and sums without a matrix, are one kernel") {
    const Tensor a = filled({30, 40}), b = filled({40, 50}), v = filled({30});
    CHECK(effort_of("ij,jk->ijk", {a, b}) == effort{0, 1, 0});
    CHECK(effort_of("i,j->ij", {v, filled({40})}) == effort{0, 1, 0});
    CHECK(effort_of("ij,ij->i", {a, a}) == effort{0, 1, 0});
    CHECK(effort_of("ij,ij->", {a, a}) == effort{0, 1, 0});
    CHECK(effort_of("ij,i,ij->i", {a, v, a}) == effort{0, 1, 0});
    reset_stats();
    einsum("ij,ij->i", {a + 1, a * 2}).relu().eval();
    CHECK(stats().kernels_launched == 1);
}

// ---- errors
TEST_CASE("errors of einsum") {
    const Tensor x = zeros({2, 3, 4}), m = zeros({3, 4});
    const auto of = [&](const char* equation, const std::vector<Tensor>& operands) {
        return error_of([&] { einsum(equation, operands); });
    };
    CHECK(of("i->i", {}) ==
          "[einsum] the list of operands is empty; got no tensors, expected at least one tensor; "
          "try a tensor for each term of the equation");
    CHECK(of("ijk- >kji", {x}) ==
          "[einsum] a character has no meaning in operand 0; got '-' at position 3 of \"ijk- "
          ">kji\", expected letters, spaces, commas between operands, \"...\" and one \"->\"; try "
          "a letter for each dimension");
    CHECK(of("ij,i1->", {m, m})
              .starts_with(
                  "[einsum] a character has no meaning in operand 1; got '1' at position 4"));
    CHECK(of("ij->i,j", {m})
              .starts_with("[einsum] a character has no meaning in the result; got ',' "
                           "at position 5"));
    CHECK(of("ij->i->j", {m})
              .starts_with("[einsum] a character has no meaning in the result; got '-' "
                           "at position 5"));
    CHECK(of("i..j->i", {m}) ==
          "[einsum] a dot is not part of an ellipsis in operand 0; got position 1 of \"i..j->i\", "
          "expected three dots in a row; try \"...\"");
    CHECK(of("ij->i.", {m})
              .starts_with("[einsum] a dot is not part of an ellipsis in the result; got position "
                           "5 of \"ij->i.\""));
    CHECK(of("i..", {m}).starts_with("[einsum] a dot is not part of an ellipsis in operand 0"));
    CHECK(of("i...j...->i", {x}) ==
          "[einsum] there are two ellipses in operand 0; got \"i...j...->i\", expected at most "
          "one; try a letter for each dimension of one of them");
    CHECK(of("ij->......", {m}).starts_with("[einsum] there are two ellipses in the result"));
    CHECK(of("ij->ii", {m}) ==
          "[einsum] a letter appears twice in the result; got 'i' in \"ij->ii\", expected each "
          "letter at most once; try diag_embed() on the result");
    CHECK(of("ij->ik", {m}) ==
          "[einsum] a letter of the result appears in no operand; got 'k' in \"ij->ik\", expected "
          "letters of the operands; try unsqueeze() on the result");
    CHECK(
        of("i,j->ij", {m}) ==
        "[einsum] the equation has a different number of operands; got 1 tensors for \"i,j->ij\", "
        "expected 2 tensors; try a comma between every two operands of the equation");
    CHECK(of("ij", {m, m})
              .starts_with("[einsum] the equation has a different number of operands; got 2 "
                           "tensors for \"ij\""));
    CHECK(of("ijk->", {m}) ==
          "[einsum] operand 0 has the wrong number of dimensions; got shape [3, 4] for 3 letters, "
          "expected 3 dimensions; try \"...\" for dimensions without a letter");
    CHECK(of("i->", {m}).starts_with("[einsum] operand 0 has the wrong number of dimensions"));
    CHECK(of("ij,ijk...->", {m, m}) ==
          "[einsum] operand 1 has the wrong number of dimensions; got shape [3, 4] for 3 letters, "
          "expected at least 3 dimensions; try \"...\" for dimensions without a letter");
    CHECK(of("ii->i", {m}) ==
          "[einsum] the repeated letter 'i' of operand 0 has two sizes; got shape [3, 4], expected "
          "equal sizes, of which the diagonal is taken; try narrow() on one of the dimensions");
    CHECK(of("ii->i", {zeros({1, 3})}).starts_with("[einsum] the repeated letter 'i'"));
    CHECK(of("ij,jk->ik", {m, m}) ==
          "[einsum] the sizes of 'j' do not broadcast; got 3 in operand 1, expected 4, as in an "
          "earlier operand, or 1; try narrow() or expand() on the operand");
    CHECK(of("...ij,...jk", {zeros({3, 3, 4}), zeros({5, 2, 4, 6})}) ==
          "[einsum] the sizes of dimension -1 of the ellipsis do not broadcast; got 2 in operand "
          "1, expected 3, as in an earlier operand, or 1; try narrow() or expand() on the operand");
    CHECK(of("ij", {Tensor()}).starts_with("[einsum] the tensor is undefined"));
}

TEST_CASE("errors of paths") {
    const Tensor m = ones({2, 2});
    const auto of = [&](const std::vector<int64_t>& path) {
        return error_of([&] { einsum("ij,jk,kl->il", {m, m, m}, IntArrayRef(path)); });
    };
    CHECK(of({0, 1}) ==
          "[einsum] the path has the wrong length; got 2 numbers, expected 4 numbers for 3 "
          "operands; try two numbers for each contraction, or no path");
    CHECK(of({0, 0, 0, 1}) ==
          "[einsum] the path contracts an operand with itself; got 0 and 0 of 3 operands, expected "
          "two different operands; try positions among the operands that remain, with each result "
          "appended");
    CHECK(of({0, 1, 0, 2}) ==
          "[einsum] the path names an operand that does not exist; got 0 and 2 of 2 operands, "
          "expected numbers from 0 to 1; try positions among the operands that remain, with each "
          "result appended");
    CHECK(of({-1, 0, 0, 1}).starts_with("[einsum] the path names an operand that does not exist"));
    CHECK(error_of([&] {
              einsum("ij", {m}, IntArrayRef{});
          }).starts_with("[einsum] the path has the wrong length"));
}
