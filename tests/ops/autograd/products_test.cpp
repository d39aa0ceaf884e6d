// Gradients of products of vectors, matrices and batches, against finite differences.
#include <doctest/doctest.h>
#include <sinter/sinter.hpp>

#include <functional>
#include <limits>
#include <string_view>
#include <vector>

using namespace sinter;
using autograd::checked_function;
using autograd::gradcheck;
using autograd::gradgradcheck;
using autograd::variable_list;

namespace {

Tensor random_leaf(IntArrayRef sizes, ScalarType dtype = kDouble) {
    return randn(sizes, dtype).eval().requires_grad_();
}

/// Checks first and second derivatives, with both inputs or one of them requiring a gradient.
void check_product(const std::function<Tensor(const Tensor&, const Tensor&)>& f, IntArrayRef left,
                   IntArrayRef right) {
    for (const ScalarType dtype : {kDouble, kComplexDouble}) {
        const checked_function both = [&](const variable_list& x) -> variable_list {
            return {f(x[0], x[1])};
        };
        const Tensor a = random_leaf(left, dtype), b = random_leaf(right, dtype);
        CAPTURE(left);
        CAPTURE(right);
        CAPTURE(dtype);
        CHECK(gradcheck(both, {a, b}, 1e-6, 1e-5, 1e-3, true, true, true));
        CHECK(gradgradcheck(both, {a, b}, {}, 1e-6, 1e-5, 1e-3, true, true));
        CHECK(gradcheck(both, {a, b.detach()}, 1e-6, 1e-5, 1e-3, true, true, true));
        CHECK(gradcheck(both, {a.detach(), b}, 1e-6, 1e-5, 1e-3, true, true, true));
    }
}

void check_operands(const std::function<Tensor(const variable_list&)>& f,
                    const std::vector<std::vector<int64_t>>& sizes,
                    std::initializer_list<ScalarType> dtypes = {kDouble, kComplexDouble}) {
    for (const ScalarType dtype : dtypes) {
        variable_list inputs;
        for (const auto& s : sizes) inputs.push_back(random_leaf(s, dtype));
        const checked_function one = [&](const variable_list& x) -> variable_list {
            return {f(x)};
        };
        CAPTURE(dtype);
        CHECK(gradcheck(one, inputs, 1e-6, 1e-5, 1e-3, true, true, true));
        CHECK(gradgradcheck(one, inputs, {}, 1e-6, 1e-5, 1e-3, true, true));
    }
}

}  // namespace

TEST_CASE("matmul has gradients for all ranks and batches") {
    manual_seed(1);
    const auto f = [](const Tensor& a, const Tensor& b) { return matmul(a, b); };
    using sizes = std::vector<int64_t>;
    const std::pair<sizes, sizes> cases[] = {{{3}, {3}},
                                             {{2, 3}, {3}},
                                             {{3}, {3, 2}},
                                             {{2, 3}, {3, 2}},
                                             {{2, 2, 3}, {3}},
                                             {{3}, {2, 3, 2}},
                                             {{2, 2, 3}, {3, 2}},
                                             {{2, 3}, {2, 3, 2}},
                                             {{2, 2, 3}, {2, 3, 1}},
                                             {{2, 1, 1, 2}, {3, 2, 2}},
                                             {{1, 2, 2}, {3, 2, 2}},
                                             {{2, 1, 2, 2}, {2}},
                                             {{1, 1}, {1, 1}},
                                             {{1}, {1}}};
    for (const auto& [a, b] : cases) check_product(f, a, b);
}

TEST_CASE("products of fixed ranks have gradients") {
    manual_seed(2);
    check_product([](const Tensor& a, const Tensor& b) { return mm(a, b); }, {2, 3}, {3, 2});
    check_product([](const Tensor& a, const Tensor& b) { return a.mv(b); }, {2, 3}, {3});
    check_product([](const Tensor& a, const Tensor& b) { return bmm(a, b); }, {2, 2, 3}, {2, 3, 1});
    check_product([](const Tensor& a, const Tensor& b) { return dot(a, b); }, {3}, {3});
    check_product([](const Tensor& a, const Tensor& b) { return vdot(a, b); }, {3}, {3});
    check_product([](const Tensor& a, const Tensor& b) { return inner(a, b); }, {2, 3}, {2, 2, 3});
    check_product([](const Tensor& a, const Tensor& b) { return inner(a, b); }, {3}, {3});
    check_product([](const Tensor& a, const Tensor& b) { return inner(a, b); }, {}, {2, 2});
    check_product([](const Tensor& a, const Tensor& b) { return outer(a, b); }, {2}, {3});
    check_product([](const Tensor& a, const Tensor& b) { return ger(a, b); }, {2}, {3});
    check_product([](const Tensor& a, const Tensor& b) { return kron(a, b); }, {2, 2}, {3});
    check_product([](const Tensor& a, const Tensor& b) { return cross(a, b, 1); }, {2, 3}, {2, 3});
    check_product([](const Tensor& a, const Tensor& b) { return linalg_cross(a, b); }, {2, 3},
                  {1, 3});
    check_product([](const Tensor& a, const Tensor& b) { return linalg_vecdot(a, b); }, {2, 3},
                  {3});
}

TEST_CASE("conjugates and transposes of operands reach their gradients") {
    manual_seed(3);
    check_product([](const Tensor& a, const Tensor& b) { return matmul(conj(a), b.mH()); }, {2, 3},
                  {2, 3});
    check_product([](const Tensor& a, const Tensor& b) { return vdot(conj(a), conj(b)); }, {3},
                  {3});
    check_product([](const Tensor& a, const Tensor& b) { return matmul(a.mT(), conj(b).mT()); },
                  {3, 2}, {2, 3});
}

TEST_CASE("products plus a tensor have gradients") {
    manual_seed(4);
    const auto of = [](auto member) {
        return [member](const variable_list& x) { return (x[0].*member)(x[1], x[2], 0.5, -2); };
    };
    check_operands(of(&Tensor::addmm), {{2, 2}, {2, 3}, {3, 2}});
    check_operands(of(&Tensor::addmm), {{2}, {2, 3}, {3, 2}});
    check_operands(of(&Tensor::addmm), {{}, {2, 3}, {3, 2}});
    check_operands(of(&Tensor::addmv), {{2}, {2, 3}, {3}});
    check_operands(of(&Tensor::baddbmm), {{2, 1}, {2, 2, 3}, {2, 3, 1}});
    check_operands(of(&Tensor::addbmm), {{2, 2}, {2, 2, 3}, {2, 3, 2}});
    check_operands(of(&Tensor::addr), {{2, 3}, {2}, {3}});
    check_operands(
        [](const variable_list& x) {
            Tensor t = x[0] * 2;
            t.addmm_(x[1], x[2], 0.5, -2);
            return t;
        },
        {{2, 2}, {2, 3}, {3, 2}});
    check_operands(
        [](const variable_list& x) {
            Tensor out = empty({0}, x[0].detach().options());
            return addmm(x[0], x[1], x[2], 1, 1).mul(x[0]);
        },
        {{2, 2}, {2, 3}, {3, 2}});
}

TEST_CASE("chains and powers have gradients") {
    manual_seed(5);
    check_operands([](const variable_list& x) { return linalg_multi_dot({x[0], x[1], x[2]}); },
                   {{2, 3}, {3, 2}, {2, 2}});
    check_operands([](const variable_list& x) { return linalg_multi_dot({x[0], x[1], x[2]}); },
                   {{3}, {3, 2}, {2}});
    check_operands([](const variable_list& x) { return chain_matmul({x[0], x[1]}); },
                   {{2, 3}, {3, 2}});
    check_operands([](const variable_list& x) { return chain_matmul({x[0]}); }, {{2, 3}});
    for (const int64_t n : {0, 1, 2, 3, 5})
        check_operands([n](const variable_list& x) { return matrix_power(x[0], n); }, {{2, 2, 2}});
}

TEST_CASE("einsum and tensordot have gradients") {
    manual_seed(6);
    const auto e = [](const char* equation, const std::vector<std::vector<int64_t>>& sizes) {
        CAPTURE(equation);
        check_operands([equation](const variable_list& x) { return einsum(equation, x); }, sizes);
    };
    e("ij,jk->ik", {{2, 3}, {3, 2}});
    e("ij,kj->ki", {{2, 3}, {2, 3}});
    e("bij,bjk->bik", {{2, 2, 3}, {2, 3, 2}});
    e("ij,ij->", {{2, 3}, {2, 3}});
    e("ij,ij->i", {{2, 3}, {2, 3}});
    e("ii->i", {{3, 3}});
    e("ii->", {{3, 3}});
    e("ij->ji", {{2, 3}});
    e("ij->", {{2, 3}});
    e("i,j->ij", {{2}, {3}});
    e("ii,ij->j", {{3, 3}, {3, 2}});
    e("...ij,...jk->...ik", {{2, 2, 2}, {1, 2, 2}});
    e("ij,jk,kl->il", {{2, 3}, {3, 2}, {2, 2}});
    e("abc,cbd->ad", {{2, 2, 3}, {3, 2, 2}});
    e("abc,bca->", {{2, 3, 2}, {3, 2, 2}});
    e("ij,jk->ik", {{2, 1}, {3, 2}});
    e("ij,k->k", {{2, 3}, {2}});
    check_product([](const Tensor& a, const Tensor& b) { return tensordot(a, b, {1, 2}, {0, 1}); },
                  {2, 3, 2}, {3, 2, 2});
    check_product([](const Tensor& a, const Tensor& b) { return tensordot(a, b, 1); }, {2, 3},
                  {3, 2});
    check_product([](const Tensor& a, const Tensor& b) { return tensordot(a, b, 0); }, {2}, {3});
    check_product([](const Tensor& a, const Tensor& b) { return tensordot(a, b, {0}, {1}); },
                  {1, 2}, {2, 3});
}

TEST_CASE("contractions of views have gradients") {
    manual_seed(7);
    check_operands(
        [](const variable_list& x) {
            const Tensor wide = x[0].unsqueeze(0).expand({2, 2, 3});
            return einsum("bij,bkj->ik", {wide, x[1].transpose(0, 1)});
        },
        {{2, 3}, {2, 2, 3}});
    check_operands(
        [](const variable_list& x) {
            return einsum("ij,jk->ik", {x[0].narrow(1, 1, 2).t(), x[1].flip(0)});
        },
        {{3, 4}, {3, 2}});
    check_operands(
        [](const variable_list& x) {
            const Tensor y = x[0] * 2;
            return einsum("iji,jk->ki", {y, y.select(2, 0).t()});
        },
        {{2, 2, 2}});
    check_operands(
        [](const variable_list& x) {
            const Tensor wide = x[0].expand({3, 2});
            return einsum("ij,kj->ik", {wide, x[1]}) + matmul(wide, x[1].t());
        },
        {{1, 2}, {2, 2}});
}

TEST_CASE("products of empty operands have gradients") {
    for (const auto& [left, right] :
         {std::pair<std::vector<int64_t>, std::vector<int64_t>>{{2, 0}, {0, 3}},
          {{0, 2}, {2, 3}},
          {{2, 0, 2}, {2, 3}},
          {{0, 2, 2}, {2, 3}},
          {{2, 2}, {0, 2, 3}},
          {{0}, {0}},
          {{0}, {2, 0, 3}},
          {{2, 3, 0}, {0}}}) {
        const Tensor a = random_leaf(left), b = random_leaf(right);
        matmul(a, b).sum().backward();
        REQUIRE(a.grad().defined());
        CHECK(a.grad().sizes() == a.sizes());
        CHECK(b.grad().sizes() == b.sizes());
        CHECK(a.grad().sum().item<double>() == 0);
        CHECK(b.grad().sum().item<double>() == 0);
    }
}

TEST_CASE("contractions of empty operands have gradients") {
    for (const auto& [equation, left, right] :
         {std::tuple<const char*, std::vector<int64_t>, std::vector<int64_t>>{
              "ij,jk->ik", {2, 0}, {0, 3}},
          {"bij,bjk->bik", {0, 2, 2}, {0, 2, 3}},
          {"ij,ij->i", {2, 0}, {2, 0}},
          {"i,j->ij", {0}, {3}},
          {"ij->i", {2, 0}, {}}}) {
        CAPTURE(equation);
        variable_list x{random_leaf(left)};
        if (std::string_view(equation).find(',') != std::string_view::npos)
            x.push_back(random_leaf(right));
        einsum(equation, x).sum().backward();
        for (const Tensor& t : x) {
            REQUIRE(t.grad().defined());
            CHECK(t.grad().sizes() == t.sizes());
            CHECK(t.grad().sum().item<double>() == 0);
        }
    }
}

TEST_CASE("operands that a factor of 0 leaves unread have gradients of 0") {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const auto run = [&](const Scalar& beta, const Scalar& alpha) {
        const Tensor self = full({2}, beta.toDouble() == 0 ? nan : 1., kDouble).requires_grad_();
        const Tensor a = ones({2, 2}, kDouble).requires_grad_();
        const Tensor b = ones({2, 2}, kDouble).requires_grad_();
        self.addmm(a, b, beta, alpha).sum().backward();
        return variable_list{self.grad(), a.grad(), b.grad()};
    };
    const variable_list no_self = run(0, 3), no_product = run(2, 0);
    CHECK(equal(no_self[0], zeros({2}, kDouble)));
    CHECK(equal(no_self[1], full({2, 2}, 6, kDouble)));
    CHECK(equal(no_product[0], full({2}, 4, kDouble)));
    CHECK(equal(no_product[1], zeros({2, 2}, kDouble)));
    CHECK(equal(no_product[2], zeros({2, 2}, kDouble)));
    const Tensor x = ones({2, 2}, kDouble), self = ones({2, 2}, kDouble).requires_grad_();
    CHECK(self.addmm(x, x, 0).requires_grad());
    CHECK(self.addr(x.select(0, 0), x.select(0, 1), 0).requires_grad());
}

TEST_CASE("a product saves only the operand that its gradients read") {
    const Tensor x = random_leaf({2, 3}), w = random_leaf({3, 2});
    const Tensor constant = randn({3, 2}, kDouble).eval();
    Tensor y = mm(x, constant);
    Tensor middle = mm(x.detach(), w);
    middle.sum().backward();
    CHECK(y.sum().requires_grad());
    // x.detach() was read for w's gradient, constant for x's.
    constant.mul_(2);
    CHECK_THROWS_WITH_AS(y.sum().backward(), doctest::Contains("modified by an inplace operation"),
                         Error);
    const Tensor other = randn({3, 2}, kDouble).eval().requires_grad_();
    const Tensor data = randn({2, 3}, kDouble).eval();
    const Tensor z = mm(data, other);
    {
        NoGradGuard plain;
        other.mul_(2);
    }
    z.sum().backward();
    CHECK(allclose(other.grad(), data.sum(0).unsqueeze(1).expand({3, 2})));
}

TEST_CASE("gradients of products have the names of PyTorch's nodes") {
    CHECK(mm(random_leaf({2, 2}), random_leaf({2, 2})).grad_fn()->name() == "MmBackward0");
    CHECK(matmul(random_leaf({2, 2}), random_leaf({2})).grad_fn()->name() == "MvBackward0");
    CHECK(dot(random_leaf({2}), random_leaf({2})).grad_fn()->name() == "DotBackward0");
    CHECK(bmm(random_leaf({1, 2, 2}), random_leaf({1, 2, 2})).grad_fn()->name() == "BmmBackward0");
}
