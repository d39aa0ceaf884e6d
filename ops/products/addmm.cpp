// beta * self + alpha * product. The product is a library call, the rest its epilogue.
#include "kernels/linalg/product.hpp"
#include "ops/autograd/function.hpp"
#include "ops/common/opmath.hpp"
#include "ops/common/out.hpp"
#include "ops/common/pointwise_builder.hpp"
#include "ops/products/products.hpp"

#include <sinter/functions/functions.hpp>
#include <sinter/functions/products.hpp>

#include <optional>

namespace sinter::inline v1 {

using ops::body;
using ops::formula;
using ops::term;
using runtime::fail;
using runtime::text;

namespace {

/// One call. `self` may be expanded to the product's sizes, but not the product to self's.
struct added_call {
    const char* name;
    const tensor_base& self;
    const tensor_base &a, &b;
    Scalar beta, alpha;
    bool in_place;

    const TensorImpl& own() const { return body(name, self); }
    const TensorImpl& left() const { return body(name, a); }
    const TensorImpl& right() const { return body(name, b); }
};

void require_expands(const added_call& c, IntArrayRef sizes) {
    const IntArrayRef own = c.own().shape->sizes_ref();
    bool fits = own.size() <= sizes.size();
    for (std::size_t d = 1; fits && d <= own.size(); ++d) {
        const int64_t size = own[own.size() - d];
        fits = size == 1 || size == sizes[sizes.size() - d];
    }
    if (!fits)
        fail(c.name, "self does not broadcast to the shape of the product",
             text("shape ", own, " for a product of shape ", sizes),
             "sizes that are equal or 1, counted from the last dimension",
             "view() or reshape() on self");
}

/// Returns the factor, truncated for an integer dtype. Throws if the dtype cannot hold it.
Scalar factor_in(const char* name, ScalarType dtype, const Scalar& factor) {
    runtime::require_fits(name, factor, ops::opmath_type(dtype));
    if (isComplexType(dtype)) return factor;
    return isFloatingType(dtype) ? Scalar(factor.toDouble()) : Scalar(factor.truncated());
}

Tensor finish(const added_call& c, const formula& f, term value) {
    if (!c.in_place) return f.pending(std::move(value));
    f.write(std::move(value), c.own());
    return c.self.self();
}

/// Returns beta * self + alpha * product(), whose result has these sizes. An operand with a factor
/// of 0 is not read.
template <class F>
Tensor sum_of(const added_call& c, IntArrayRef sizes, const F& product) {
    const TensorImpl& self = c.own();
    const ScalarType dtype = self.dtype;
    require_expands(c, sizes);
    const Scalar beta = factor_in(c.name, dtype, c.beta), alpha = factor_in(c.name, dtype, c.alpha);
    const auto scaled = [](const term& value, const Scalar& by) {
        return runtime::same_value(by, 1) ? value : value * by;
    };

    const Tensor p =
        runtime::same_value(alpha, 0) ? full(sizes, 0, ops::beside(self, dtype)) : product();
    const TensorImpl& of = body(c.name, p);
    formula f =
        runtime::same_value(beta, 0) ? formula(c.name, {&of}) : formula(c.name, {&of, &self});
    f.set_dtype(dtype);
    if (runtime::same_value(beta, 0)) return finish(c, f, scaled(f.read(of), alpha));
    const term addend = scaled(f.read(self), beta);
    return finish(c, f,
                  runtime::same_value(alpha, 0) ? addend : addend + scaled(f.read(of), alpha));
}

void require_one_dtype(const added_call& c) {
    ops::product_dtype(c.name, c.left(), c.right());
    ops::product_dtype(c.name, c.own(), c.left());
}

/// Returns a product in the opmath type, so that it is rounded once, after the sum.
Tensor wide_product(const char* name, const kernel_op& op, const Tensor& a, const Tensor& b) {
    const Tensor x = ops::to_opmath(a), y = ops::to_opmath(b);
    return ops::product(name, op, x, y);
}

int64_t size_of(const TensorImpl& t, int32_t d) { return t.shape->sizes()[d]; }

/// Checked here because the product is not computed if alpha is 0.
void require_inner(const added_call& c, int64_t a_size, int64_t b_size) {
    ops::require_inner(c.name, c.left(), c.right(), a_size, b_size);
}

Tensor added_mm(const added_call& c) {
    ops::require_ranks(c.name, c.left(), c.right(), 2, 2);
    require_one_dtype(c);
    require_inner(c, size_of(c.left(), 1), size_of(c.right(), 0));
    return sum_of(c, {size_of(c.left(), 0), size_of(c.right(), 1)},
                  [&c] { return wide_product(c.name, blas::mm_op, c.a.self(), c.b.self()); });
}

Tensor added_mv(const added_call& c) {
    ops::require_ranks(c.name, c.left(), c.right(), 2, 1);
    require_one_dtype(c);
    require_inner(c, size_of(c.left(), 1), size_of(c.right(), 0));
    return sum_of(c, size_of(c.left(), 0),
                  [&c] { return wide_product(c.name, blas::mv_op, c.a.self(), c.b.self()); });
}

void require_batches(const added_call& c) {
    ops::require_batches(c.name, c.left(), c.right());
    require_one_dtype(c);
    require_inner(c, size_of(c.left(), 2), size_of(c.right(), 1));
}

Tensor added_batches(const added_call& c) {
    require_batches(c);
    return sum_of(c, {size_of(c.left(), 0), size_of(c.left(), 1), size_of(c.right(), 2)},
                  [&c] { return wide_product(c.name, blas::bmm_op, c.a.self(), c.b.self()); });
}

/// The sum over the batch is one product: the left matrices side by side times the right ones
/// stacked.
Tensor added_sum_of_batches(const added_call& c) {
    require_batches(c);
    const int64_t count = size_of(c.left(), 0), m = size_of(c.left(), 1), k = size_of(c.left(), 2),
                  n = size_of(c.right(), 2);
    return sum_of(c, {m, n}, [&] {
        return wide_product(c.name, blas::mm_op, c.a.permute({1, 0, 2}).reshape({m, count * k}),
                            c.b.reshape({count * k, n}));
    });
}

/// For Bool, + is "or" and * is "and".
Tensor added_outer(const added_call& c) {
    ops::require_ranks(c.name, c.left(), c.right(), 1, 1);
    const ScalarType dtype =
        promote_types(c.own().dtype, promote_types(c.left().dtype, c.right().dtype));
    const auto factor = [&c, dtype](const char* which, const Scalar& value) -> Scalar {
        if (!ops::is_inexact(dtype) && (value.isFloatingPoint() || value.isComplex()))
            fail(c.name, text(which, " is not an integer"),
                 text(runtime::to_text(value), " for ", dtype), "an integer",
                 ".to(kFloat) on self");
        if (value.isBoolean() && dtype != kBool)
            fail(c.name, text(which, " is a boolean"),
                 text(runtime::to_text(value), " for ", dtype), "a number", "1 or 0");
        return dtype == kBool ? Scalar(value.toBool()) : factor_in(c.name, dtype, value);
    };
    const Scalar beta = factor("beta", c.beta), alpha = factor("alpha", c.alpha);
    require_expands(c, {size_of(c.left(), 0), size_of(c.right(), 0)});
    const Tensor column = c.a.unsqueeze(1), row = c.b.unsqueeze(0);
    const TensorImpl &self = c.own(), &l = body(c.name, column), &r = body(c.name, row);
    const bool alone = runtime::same_value(beta, 0);
    formula f = alone ? formula(c.name, {&l, &r}) : formula(c.name, {&l, &r, &self});
    f.set_dtype(dtype);
    const auto scaled = [](const term& value, const Scalar& by) {
        return runtime::same_value(by, 1) ? value : value * by;
    };
    term product = scaled(f.read(l), alpha) * f.read(r);
    return finish(c, f, alone ? product : scaled(f.read(self), beta) + product);
}

/// Returns a function with gradients of 0 for operands that a factor of 0 leaves unread.
template <class F>
Tensor added(const F& value, const added_call& c) {
    Tensor sum = value(c);
    const bool no_self = runtime::same_value(c.beta, 0),
               no_product = runtime::same_value(c.alpha, 0);
    if (!no_self && !no_product) return sum;
    const tensor_base* operands[] = {&sum, no_self ? &c.self : nullptr, no_product ? &c.a : nullptr,
                                     no_product ? &c.b : nullptr};
    if (!autograd::is_recorded(std::span(operands).subspan(1))) return sum;
    std::vector<std::vector<int64_t>> sizes;
    for (const tensor_base* t : operands)
        sizes.push_back(t ? t->sizes().vec() : std::vector<int64_t>());
    return autograd::with_rule(
        c.name, {operands[0], operands[1], operands[2], operands[3]}, {}, [&] { return sum; },
        [sizes](const autograd::rule_call& call) {
            autograd::variable_list g(sizes.size());
            for (std::size_t i = 0; i < sizes.size(); ++i)
                if (call.needs(i))
                    g[i] = i == 0 ? call.grad() : zeros(sizes[i], call.grad().options());
            return g;
        });
}

}  // namespace

#define SINTER_ADDED(name, value)                                                                \
    Tensor tensor_base::name(const tensor_base& a, const tensor_base& b, const Scalar& beta,     \
                             const Scalar& alpha) const {                                        \
        return added(value, {#name, *this, a, b, beta, alpha, false});                           \
    }                                                                                            \
    Tensor& tensor_base::name##_(const tensor_base& a, const tensor_base& b, const Scalar& beta, \
                                 const Scalar& alpha) const {                                    \
        value({#name "_", *this, a, b, beta, alpha, true});                                      \
        return self();                                                                           \
    }                                                                                            \
    Tensor& name##_out(Tensor& out, const Tensor& self, const Tensor& a, const Tensor& b,        \
                       const Scalar& beta, const Scalar& alpha) {                                \
        return ops::store(#name "_out", out,                                                     \
                          value({#name "_out", self, a, b, beta, alpha, false}), {&self});       \
    }
SINTER_ADDED(addmm, added_mm)
SINTER_ADDED(addmv, added_mv)
SINTER_ADDED(baddbmm, added_batches)
SINTER_ADDED(addbmm, added_sum_of_batches)
SINTER_ADDED(addr, added_outer)
#undef SINTER_ADDED

}  // namespace sinter::inline v1
