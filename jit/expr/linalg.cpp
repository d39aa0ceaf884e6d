// Products and linear systems: shapes and dtypes are checked here, at the call. A product becomes
// one pending node over matrices; a system is solved at its line.
#include "jit/expr/parts.hpp"
#include "kernels/linalg/product.hpp"
#include "runtime/stack_array.hpp"

#include <sinter/expr/expr.hpp>
#include <sinter/functions.hpp>

#include <algorithm>
#include <optional>
#include <vector>

namespace sinter::inline v1 {
namespace {

using front::body;
using front::fail;
using front::text;

IntArrayRef sizes_of(const TensorImpl& t) { return t.shape->sizes_ref(); }

std::string shapes(const TensorImpl& a, const TensorImpl& b) {
    return text("shapes ", sizes_of(a), " and ", sizes_of(b));
}

/// The dtype of a product: both operands have it, and it is a number.
ScalarType product_dtype(const char* op, const TensorImpl& a, const TensorImpl& b) {
    if (a.dtype != b.dtype)
        fail<TypeError>(op, "the operands' dtypes differ", text(a.dtype, " and ", b.dtype),
                        "one dtype",
                        text(".to(k", promote_types(a.dtype, b.dtype), ") on one of them"));
    if (a.dtype == kBool)
        fail<NotImplementedError>(op, "truth values have no product", "Bool and Bool", "numbers",
                                  ".to(kLong), or & and any()");
    return a.dtype;
}

void require_ranks(const char* op, const TensorImpl& a, const TensorImpl& b, int32_t a_dims,
                   int32_t b_dims) {
    if (a.shape->ndim == a_dims && b.shape->ndim == b_dims) return;
    fail(op, "an operand has the wrong number of dimensions", shapes(a, b),
         text(a_dims, " and ", b_dims, " dimensions"), "matmul, which takes any");
}

void require_inner(const char* op, const TensorImpl& a, const TensorImpl& b, int64_t a_size,
                   int64_t b_size) {
    if (a_size == b_size) return;
    const bool vector = b.shape->ndim == 1;
    fail(op, "the sizes that are summed over differ", shapes(a, b),
         text(a_size, vector ? " elements in the second" : " rows in the second"),
         vector ? "narrow on the longer one" : "transpose(-2, -1) on one of them");
}

/// An operand as matrices: strides and sizes of the last two dimensions, and the batch before.
struct factor {
    front::dims d;
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
        if (t.shape->sizes_ref() == sizes) return front::read(t);
        geometry_ptr g = make_geometry(d.sizes, d.strides, offset);
        if (!(g->sizes_ref() == sizes)) g = expand_to(*g, sizes);
        return front::read(t, std::move(g));
    }
};

Tensor product_of(const library_op& op, const TensorImpl& a, const TensorImpl& b);

/// Four products of parts.
Tensor complex_product(const library_op& op, const TensorImpl& a, const TensorImpl& b) {
    const auto whole = [](const TensorImpl& t) {
        return Tensor(intrusive_ptr<TensorImpl>(const_cast<TensorImpl*>(&t)));
    };
    const auto product = [&op](const Tensor& x, const Tensor& y) {
        return product_of(op, body(op.name, x), body(op.name, y));
    };
    const Tensor x = whole(a), y = whole(b);
    return front::joined(product(real(x), real(y)) - product(imag(x), imag(y)),
                         product(real(x), imag(y)) + product(imag(x), real(y)));
}

/// Matrices, as many in the one as in the other: their layouts are the node's.
std::optional<Tensor> plain_product(const library_op& op, const TensorImpl& a, const TensorImpl& b,
                                    ScalarType dtype) {
    const int32_t batch = a.shape->ndim - 2;
    const int64_t *left = a.shape->sizes(), *right = b.shape->sizes();
    if (batch < 0 || b.shape->ndim != a.shape->ndim || !std::equal(left, left + batch, right))
        return std::nullopt;
    require_inner(op.name, a, b, left[batch + 1], right[batch]);
    runtime::stack_array<int64_t, 8> sizes(static_cast<std::size_t>(batch) + 2);
    std::copy_n(left, batch + 1, sizes.data());
    sizes[static_cast<std::size_t>(batch) + 1] = right[batch + 1];
    const geometry_ptr shape = make_contiguous({sizes.data(), static_cast<std::size_t>(batch) + 2});
    const leaf inputs[] = {front::read(a), front::read(b)};
    return Tensor(make_pending(library_node(&op, inputs, dtype, shape), shape));
}

/// A matrix and a vector, or two vectors.
std::optional<Tensor> vector_product(const library_op& op, const TensorImpl& a, const TensorImpl& b,
                                     ScalarType dtype) {
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
    require_inner(op.name, a, b, left->sizes()[1], right->sizes()[0]);
    const leaf inputs[] = {front::read(a, left), front::read(b, right)};
    return Tensor(make_pending(library_node(&op, inputs, dtype, make_contiguous(both)),
                               make_contiguous({row ? &n : &m, row && column ? 0u : 1u})));
}

Tensor product_of(const library_op& op, const TensorImpl& a, const TensorImpl& b) {
    const ScalarType dtype = product_dtype(op.name, a, b);
    if (isComplexType(dtype)) return complex_product(op, a, b);
    if (const std::optional<Tensor> r = plain_product(op, a, b, dtype)) return *r;
    if (const std::optional<Tensor> r = vector_product(op, a, b, dtype)) return *r;
    factor left(a), right(b);
    if (left.vector) left.d.insert(0, 1, 0);
    if (right.vector) right.d.insert(1, 1, 0);
    require_inner(op.name, a, b, left.cols(), right.rows());

    const std::vector<int64_t> batch = broadcast_shapes(op.name, left.batch(), right.batch());
    std::vector<int64_t> node_sizes = batch, sizes = batch;
    node_sizes.insert(node_sizes.end(), {left.rows(), right.cols()});
    if (!left.vector) sizes.push_back(left.rows());
    if (!right.vector) sizes.push_back(right.cols());

    const leaf inputs[] = {left.read(a, batch), right.read(b, batch)};
    return Tensor(make_pending(library_node(&op, inputs, dtype, make_contiguous(node_sizes)),
                               make_contiguous(sizes)));
}

}  // namespace

// ---- products
Tensor tensor_base::matmul(const tensor_base& other) const {
    const TensorImpl &a = body("matmul", *this), &b = body("matmul", other);
    if (a.shape->ndim == 0 || b.shape->ndim == 0)
        fail("matmul", "an operand has no dimension", shapes(a, b), "1 or more dimensions each",
             "* for a product with a number");
    return product_of(blas::matmul_op, a, b);
}

Tensor tensor_base::mm(const tensor_base& other) const {
    const TensorImpl &a = body("mm", *this), &b = body("mm", other);
    require_ranks("mm", a, b, 2, 2);
    return product_of(blas::mm_op, a, b);
}

Tensor tensor_base::mv(const tensor_base& other) const {
    const TensorImpl &a = body("mv", *this), &b = body("mv", other);
    require_ranks("mv", a, b, 2, 1);
    return product_of(blas::mv_op, a, b);
}

Tensor tensor_base::dot(const tensor_base& other) const {
    const TensorImpl &a = body("dot", *this), &b = body("dot", other);
    require_ranks("dot", a, b, 1, 1);
    return product_of(blas::dot_op, a, b);
}

Tensor tensor_base::bmm(const tensor_base& other) const {
    const TensorImpl &a = body("bmm", *this), &b = body("bmm", other);
    require_ranks("bmm", a, b, 3, 3);
    if (sizes_of(a)[0] != sizes_of(b)[0])
        fail("bmm", "the batch sizes differ", shapes(a, b),
             text(sizes_of(a)[0], " matrices in the second"), "matmul, which broadcasts");
    return product_of(blas::bmm_op, a, b);
}

}  // namespace sinter::inline v1
