// Products of vectors and matrices. Shapes and dtypes are checked at the call, and a product
// becomes one pending node over matrices.
#include "ops/products/products.hpp"

#include "engine/run/record.hpp"
#include "kernels/linalg/product.hpp"
#include "ops/autograd/function.hpp"
#include "ops/common/conjugate.hpp"
#include "ops/common/out.hpp"
#include "runtime/memory/stack_array.hpp"

#include <sinter/expr/expr.hpp>
#include <sinter/functions/functions.hpp>
#include <sinter/functions/linalg.hpp>
#include <sinter/functions/pointwise.hpp>
#include <sinter/functions/products.hpp>

#include <algorithm>
#include <optional>
#include <vector>

namespace sinter::ops {
namespace {

IntArrayRef sizes_of(const TensorImpl& t) { return t.shape->sizes_ref(); }

/// An operand as matrices: sizes and strides, of which the last two dimensions are the matrix.
struct factor {
    ops::dims d;
    int64_t offset;
    bool vector;

    explicit factor(const TensorImpl& t)
        : d(*t.shape), offset(t.shape->offset), vector(t.shape->ndim == 1) {}
    int64_t rows() const { return d.sizes[d.sizes.size() - 2]; }
    int64_t cols() const { return d.sizes.back(); }
    IntArrayRef batch() const { return {d.sizes.data(), d.sizes.size() - 2}; }
    leaf read(const TensorImpl& t, const std::vector<int64_t>& batch_sizes) const {
        std::vector<int64_t> sizes = batch_sizes;
        sizes.insert(sizes.end(), d.sizes.end() - 2, d.sizes.end());
        if (t.shape->sizes_ref() == sizes) return ops::read(t);
        geometry_ptr g = make_geometry(d.sizes, d.strides, offset);
        if (!(g->sizes_ref() == sizes)) g = expand_to(*g, sizes);
        return ops::read(t, std::move(g));
    }
};

/// One product: its name for errors, the library operation and the dtype.
struct call {
    const char* name;
    const kernel_op& op;
    ScalarType dtype;
    conjugates taken;

    /// Returns the node's result, whose layout is `node_shape`, viewed as `shape`.
    Tensor pending(leaf a, leaf b, const geometry_ptr& node_shape, geometry_ptr shape) const {
        leaf inputs[] = {std::move(a), std::move(b)};
        if (!isComplexType(dtype))
            return Tensor(make_pending(library_node_taking(&op, inputs, dtype, node_shape),
                                       std::move(shape)));
        bool flags[] = {taken.a, taken.b};
        // For products with vectors, BLAS sums in an order that depends on the layout, so strides
        // must stay.
        const int64_t* sizes = node_shape->sizes() + node_shape->ndim - 2;
        const bool any_layout = sizes[0] > 1 && sizes[1] > 1;
        for (int i = 0; i < 2; ++i)
            while (take_conjugate(inputs[i], any_layout)) flags[i] = !flags[i];
        attributes_ptr conjugated;
        if (flags[0] || flags[1])
            conjugated = make_attributes(blas::product_attributes{flags[0], flags[1]});
        return Tensor(
            make_pending(library_node_taking(&op, inputs, dtype, node_shape, std::move(conjugated)),
                         std::move(shape)));
    }
};

/// Matrices with equal batches: the operands' layouts are the node's.
std::optional<Tensor> plain_product(const call& c, const TensorImpl& a, const TensorImpl& b) {
    const int32_t batch = a.shape->ndim - 2;
    const int64_t *left = a.shape->sizes(), *right = b.shape->sizes();
    if (batch < 0 || b.shape->ndim != a.shape->ndim || !std::equal(left, left + batch, right))
        return std::nullopt;
    require_inner(c.name, a, b, left[batch + 1], right[batch]);
    runtime::stack_array<int64_t, 8> sizes(static_cast<std::size_t>(batch) + 2);
    std::copy_n(left, batch + 1, sizes.data());
    sizes[static_cast<std::size_t>(batch) + 1] = right[batch + 1];
    const geometry_ptr shape = make_contiguous({sizes.data(), static_cast<std::size_t>(batch) + 2});
    return c.pending(read(a), read(b), shape, shape);
}

/// A matrix and a vector, or two vectors.
std::optional<Tensor> vector_product(const call& c, const TensorImpl& a, const TensorImpl& b) {
    const bool row = a.shape->ndim == 1, column = b.shape->ndim == 1;
    if ((!row && !column) || a.shape->ndim > 2 || b.shape->ndim > 2) return std::nullopt;
    const auto matrix = [](const TensorImpl& t, std::size_t at) -> geometry_ptr {
        if (t.shape->ndim == 2) return t.shape;
        int64_t sizes[] = {1, 1}, strides[] = {0, 0};
        sizes[at] = t.shape->sizes()[0];
        strides[at] = t.shape->strides()[0];
        return make_geometry(sizes, strides, t.shape->offset);
    };
    const geometry_ptr left = matrix(a, 1), right = matrix(b, 0);
    const int64_t m = left->sizes()[0], n = right->sizes()[1], both[] = {m, n};
    require_inner(c.name, a, b, left->sizes()[1], right->sizes()[0]);
    return c.pending(read(a, left), read(b, right), make_contiguous(both),
                     make_contiguous({row ? &n : &m, row && column ? 0u : 1u}));
}

}  // namespace

void refuse_inner(const char* name, const TensorImpl& a, const TensorImpl& b,
                  const std::string& expected, const char* remedy) {
    runtime::fail(name, "the inner dimensions do not match", shapes(a, b), expected, remedy);
}

void require_inner(const char* name, const TensorImpl& a, const TensorImpl& b, int64_t a_size,
                   int64_t b_size) {
    if (a_size == b_size) return;
    if (b.shape->ndim == 1)
        refuse_inner(name, a, b, runtime::text(a_size, " elements in the second"),
                     "narrow() on the longer one");
    refuse_inner(name, a, b, runtime::text(a_size, " rows in the second"));
}

ScalarType product_dtype(const char* name, const TensorImpl& a, const TensorImpl& b) {
    require_same_dtype(name, a, b);
    if (a.dtype == kBool) runtime::refuse_bool(name, "Bool and Bool", no_bool_product);
    return a.dtype;
}

void require_ranks(const char* name, const TensorImpl& a, const TensorImpl& b, int32_t a_dims,
                   int32_t b_dims) {
    if (a.shape->ndim == a_dims && b.shape->ndim == b_dims) return;
    runtime::fail(name, "an operand has the wrong number of dimensions", shapes(a, b),
                  runtime::text(a_dims, " and ", b_dims, " dimensions"),
                  "matmul(), which takes any");
}

void require_batches(const char* name, const TensorImpl& a, const TensorImpl& b) {
    require_ranks(name, a, b, 3, 3);
    if (sizes_of(a)[0] != sizes_of(b)[0])
        runtime::fail(name, "the batch sizes differ", shapes(a, b),
                      runtime::text(sizes_of(a)[0], " matrices in the second"),
                      "matmul(), which broadcasts");
}

namespace {

/// The product itself. Its gradient is product()'s.
Tensor compute(const char* name, const kernel_op& op, const TensorImpl& a, const TensorImpl& b,
               conjugates taken) {
    const call c{name, op, product_dtype(name, a, b), taken};
    if (const std::optional<Tensor> r = plain_product(c, a, b)) return *r;
    if (const std::optional<Tensor> r = vector_product(c, a, b)) return *r;
    factor left(a), right(b);
    if (left.vector) left.d.insert(0, 1, 0);
    if (right.vector) right.d.insert(1, 1, 0);
    require_inner(name, a, b, left.cols(), right.rows());

    const std::vector<int64_t> batch = broadcast_shapes(name, left.batch(), right.batch());
    std::vector<int64_t> node_sizes = batch, sizes = batch;
    node_sizes.insert(node_sizes.end(), {left.rows(), right.cols()});
    if (!left.vector) sizes.push_back(left.rows());
    if (!right.vector) sizes.push_back(right.cols());
    return c.pending(left.read(a, batch), right.read(b, batch), make_contiguous(node_sizes),
                     make_contiguous(sizes));
}

Tensor conjugate_if(bool taken, const Tensor& t) { return taken ? conj(t) : t; }

/// Returns the transpose that a gradient of a product takes of an operand: its adjoint, unless the
/// product took the operand conjugated.
Tensor turned(const Tensor& t, bool taken) { return conjugate_if(!taken, t.mT()); }

/// Returns all matrices of a batch, one below the other.
Tensor stacked(const Tensor& t) { return t.flatten(0, -2); }
/// Returns all matrices of a batch side by side.
Tensor abreast(const Tensor& t) { return t.movedim(-2, 0).flatten(1); }

/// The gradients of C = A B, where G is that of C: G B^H and A^H G. A vector is a row on the left
/// and a column on the right. Where the other operand has a batch and this one has none, the sum
/// over the batch is part of one product. Several gradients at once have a leading dimension more.
struct product_gradient {
    int64_t a_dims, b_dims;
    conjugates taken;
    bool batched = false;

    bool row() const { return a_dims == 1; }
    bool column() const { return b_dims == 1; }
    Tensor number(const Tensor& g) const { return batched ? g.unsqueeze(-1) : g; }

    Tensor of_left(const Tensor& g, const Tensor& b) const {
        if (row() && column()) return conjugate_if(taken.a, number(g) * conjugate_if(!taken.b, b));
        if (column())  // an outer product, which fuses
            return conjugate_if(taken.a, g.unsqueeze(-1) * conjugate_if(!taken.b, b));
        if (row() && batched)
            return conjugate_if(taken.a, matmul(g.unsqueeze(-2), turned(b, taken.b)).squeeze(-2));
        if (row() && b_dims == 2)
            return conjugate_if(taken.a, matmul(conjugate_if(!taken.b, b), g));
        if (row())
            return conjugate_if(taken.a, matmul(conjugate_if(!taken.b, abreast(b)), g.flatten()));
        if (a_dims == 2 && b_dims > 2 && !batched)
            return conjugate_if(taken.a, matmul(abreast(g), turned(abreast(b), taken.b)));
        return conjugate_if(taken.a, matmul(g, turned(b, taken.b)));
    }

    Tensor of_right(const Tensor& g, const Tensor& a) const {
        if (row() && column()) return conjugate_if(taken.b, number(g) * conjugate_if(!taken.a, a));
        if (row())
            return conjugate_if(taken.b, conjugate_if(!taken.a, a).unsqueeze(-1) * g.unsqueeze(-2));
        if (column()) {
            const Tensor rows = a_dims == 2 ? a : stacked(a);
            if (batched)
                return conjugate_if(taken.b, matmul(g.flatten(1), conjugate_if(!taken.a, rows)));
            return conjugate_if(taken.b, matmul(turned(rows, taken.a), g.flatten()));
        }
        if (b_dims == 2 && a_dims > 2 && !batched)
            return conjugate_if(taken.b, matmul(turned(stacked(a), taken.a), stacked(g)));
        return conjugate_if(taken.b, matmul(turned(a, taken.a), g));
    }
};

/// PyTorch's name of the operation that it makes of a product of such operands.
const char* operation(const product_gradient& p) {
    if (p.row() && p.column()) return p.taken.a ? "vdot" : "dot";
    if (p.a_dims <= 2 && p.b_dims <= 2) return p.row() || p.column() ? "mv" : "mm";
    return "bmm";
}

}  // namespace

Tensor product(const char* name, const kernel_op& op, const tensor_base& left,
               const tensor_base& right, conjugates taken) {
    const TensorImpl &a = body(name, left), &b = body(name, right);
    const tensor_base* operands[] = {&left, &right};
    if (!autograd::is_recorded(operands)) return compute(name, op, a, b, taken);
    const bool of_left = autograd::is_recorded({&operands[0], 1});
    const bool of_right = autograd::is_recorded({&operands[1], 1});
    const product_gradient p{a.shape->ndim, b.shape->ndim, taken};
    return autograd::with_rule(
        operation(p), {&left, &right}, {(of_left ? 2u : 0u) | (of_right ? 1u : 0u), 0, true},
        [&] { return compute(name, op, a, b, taken); },
        [of = p](const autograd::rule_call& c) -> autograd::variable_list {
            product_gradient p = of;
            p.batched = c.is_batched();
            autograd::variable_list g(2);
            if (c.needs(0)) g[0] = p.of_left(c.grad(), c.operand(1));
            if (c.needs(1)) g[1] = p.of_right(c.grad(), c.operand(0));
            return g;
        });
}

}  // namespace sinter::ops

namespace sinter::inline v1 {

using ops::body;
using ops::product;
using ops::store;

namespace {

Tensor any_ranks(const char* name, const tensor_base& left, const tensor_base& right) {
    const TensorImpl &a = body(name, left), &b = body(name, right);
    if (a.shape->ndim == 0 || b.shape->ndim == 0)
        runtime::fail(name, "an operand has too few dimensions", ops::shapes(a, b),
                      "at least 1 dimension in each", "mul() for a product with a number");
    return product(name, blas::matmul_op, left, right);
}

/// Returns `t` as a matrix whose rows are its last dimension.
Tensor rows_of(const tensor_base& t) {
    const IntArrayRef sizes = t.sizes();
    int64_t rows = 1;
    for (std::size_t i = 0; i + 1 < sizes.size(); ++i) rows *= sizes[i];
    return t.reshape({rows, sizes.back()});
}

Tensor sum_of_last(const char* name, const tensor_base& left, const tensor_base& right) {
    const TensorImpl &a = body(name, left), &b = body(name, right);
    const IntArrayRef rows = a.shape->sizes_ref(), columns = b.shape->sizes_ref();
    if (rows.empty() || columns.empty()) return left.mul(right);
    ops::product_dtype(name, a, b);
    if (rows.back() != columns.back())
        ops::refuse_inner(name, a, b,
                          runtime::text(rows.back(), " as the last size of the second"));
    if (rows.size() == 1 && columns.size() == 1) return product(name, blas::inner_op, left, right);
    std::vector<int64_t> sizes(rows.begin(), rows.end() - 1);
    sizes.insert(sizes.end(), columns.begin(), columns.end() - 1);
    const Tensor l = rows_of(left), r = rows_of(right).t();
    return product(name, blas::inner_op, l, r).view(sizes);
}

Tensor of_ranks(const char* name, const kernel_op& op, const tensor_base& left,
                const tensor_base& right, int32_t left_dims, int32_t right_dims,
                ops::conjugates taken = {}) {
    ops::require_ranks(name, body(name, left), body(name, right), left_dims, right_dims);
    return product(name, op, left, right, taken);
}

Tensor two_matrices(const char* name, const tensor_base& a, const tensor_base& b) {
    return of_ranks(name, blas::mm_op, a, b, 2, 2);
}
Tensor matrix_and_vector(const char* name, const tensor_base& a, const tensor_base& b) {
    return of_ranks(name, blas::mv_op, a, b, 2, 1);
}
Tensor two_vectors(const char* name, const tensor_base& a, const tensor_base& b) {
    return of_ranks(name, blas::dot_op, a, b, 1, 1);
}
Tensor conjugate_and_vector(const char* name, const tensor_base& a, const tensor_base& b) {
    return of_ranks(name, blas::vdot_op, a, b, 1, 1, {true, false});
}

Tensor batches(const char* name, const tensor_base& left, const tensor_base& right) {
    ops::require_batches(name, body(name, left), body(name, right));
    return product(name, blas::bmm_op, left, right);
}

}  // namespace

#define SINTER_PRODUCT(name, value)                                     \
    Tensor tensor_base::name(const tensor_base& other) const {          \
        return value(#name, *this, other);                              \
    }                                                                   \
    Tensor& name##_out(Tensor& out, const Tensor& a, const Tensor& b) { \
        return store(#name "_out", out, value(#name "_out", a, b));     \
    }
SINTER_PRODUCT(matmul, any_ranks)
SINTER_PRODUCT(mm, two_matrices)
SINTER_PRODUCT(mv, matrix_and_vector)
SINTER_PRODUCT(bmm, batches)
SINTER_PRODUCT(dot, two_vectors)
SINTER_PRODUCT(vdot, conjugate_and_vector)
SINTER_PRODUCT(inner, sum_of_last)
#undef SINTER_PRODUCT

Tensor linalg_matmul(const tensor_base& a, const tensor_base& b) {
    return any_ranks("linalg_matmul", a, b);
}
Tensor& linalg_matmul_out(Tensor& result, const Tensor& a, const Tensor& b) {
    return store("linalg_matmul_out", result, any_ranks("linalg_matmul_out", a, b));
}

}  // namespace sinter::inline v1
