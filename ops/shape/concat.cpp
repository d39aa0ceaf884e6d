// cat and its kin: an uninitialised result, whose parts are written by pending copies.
#include "engine/graph/infer.hpp"
#include "ops/autograd/function.hpp"
#include "ops/common/devices.hpp"

#include <sinter/functions/functions.hpp>

namespace sinter::inline v1 {

using ops::body;
using runtime::fail;
using runtime::text;

namespace {

/// Returns PyTorch's common dtype of several tensors. Throws if the list is empty: ValueError for
/// cat and its aliases, else Error.
ScalarType joined_dtype(const char* op, TensorList tensors) {
    const auto refuse = [&]<class E>(const E&) {
        fail<E>(op, "the list of tensors is empty", "{}", "one tensor or more",
                "{empty({0})}, which joins to an empty tensor");
    };
    if (tensors.empty())
        std::string_view(op).find("cat") != std::string_view::npos ? refuse(ValueError(""))
                                                                   : refuse(Error(""));
    std::vector<operand_type> types;
    for (const Tensor& tensor : tensors) {
        const TensorImpl& t = body(op, tensor);
        using rank = operand_type::rank;
        types.push_back({t.dtype, t.shape->ndim == 0 ? rank::zero_dim : rank::dimensioned});
    }
    return common_dtype(types);
}

/// Returns true for a 1-d tensor without elements. cat skips it, for old programs that start from
/// an empty tensor.
bool is_left_out(const geometry& g) { return g.ndim == 1 && g.numel == 0; }

bool fits_beside(const geometry& a, const geometry& b, int64_t dim) {
    if (a.ndim != b.ndim) return false;
    for (int d = 0; d < a.ndim; ++d)
        if (d != dim && a.sizes()[d] != b.sizes()[d]) return false;
    return true;
}

/// Returns what `compute` returns. `make_part_of` makes the function that cuts its gradient into
/// those of the tensors.
template <class F, class MakePartOf>
Tensor with_parts(const char* op, TensorList tensors, const F& compute,
                  const MakePartOf& make_part_of) {
    std::vector<const tensor_base*> operands;
    bool tracked = false;
    for (const Tensor& t : tensors)
        tracked = tracked || body(op, t).storage->differentiated.load(std::memory_order_relaxed);
    if (tracked)
        for (const Tensor& t : tensors) operands.push_back(&t);
    if (!tracked || !autograd::is_recorded(operands)) return compute();
    Tensor result = [&] {
        NoGradGuard unrecorded;
        return compute();
    }();
    Tensor* const results[] = {&result};
    autograd::set_rule(
        op, operands, {}, results,
        [part_of = make_part_of(), n = tensors.size()](const autograd::rule_call& c) {
            autograd::variable_list gradients(n);
            for (std::size_t i = 0; i < n; ++i)
                if (c.needs(i)) gradients[i] = part_of(c.grad(), i);
            return gradients;
        });
    return result;
}

Tensor joined(const char* op, TensorList tensors, int64_t dim) {
    const ScalarType dtype = joined_dtype(op, tensors);
    const geometry* first = nullptr;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        const geometry& g = *body(op, tensors[i]).shape;
        if (g.ndim == 0)
            fail(op, text("zero-dimensional tensor (at position ", i, ") cannot be concatenated"),
                 "a 0-d tensor", "at least 1 dimension", "stack(), or unsqueeze(0) first");
        if (!first && !is_left_out(g)) first = &g;
    }
    if (!first)
        return with_parts(
            op, tensors, [&] { return empty(0, ops::beside(tensors[0], dtype)); },
            [] { return [](const Tensor& g, std::size_t) { return g; }; });
    dim = ops::wrap_dim(op, dim, first->ndim);
    std::vector<int64_t> sizes = first->sizes_ref().vec();
    int64_t& whole = sizes[static_cast<std::size_t>(dim)];
    whole = 0;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        const geometry& g = *body(op, tensors[i]).shape;
        if (is_left_out(g)) continue;
        if (!fits_beside(*first, g, dim))
            fail(op, text("Sizes of tensors must match except in dimension ", dim),
                 text("shapes ", first->sizes_ref(), " and ", g.sizes_ref(), " at position ", i),
                 "equal sizes in the other dimensions", "concatenating along another dimension");
        whole += g.sizes()[dim];
    }
    return with_parts(
        op, tensors,
        [&] {
            Tensor result = ops::unwritten(op, sizes, body(op, tensors[0]), dtype);
            int64_t at = 0;
            for (const Tensor& tensor : tensors) {
                const geometry& g = *body(op, tensor).shape;
                if (is_left_out(g)) continue;
                const int64_t next = at + g.sizes()[dim];
                result.slice(dim, at, next).copy_(tensor);
                at = next;
            }
            return result;
        },
        [&] {
            std::vector<int64_t> starts{0};
            for (const Tensor& tensor : tensors) {
                const geometry& g = *body(op, tensor).shape;
                starts.push_back(starts.back() + (is_left_out(g) ? 0 : g.sizes()[dim]));
            }
            return [dim, starts](const Tensor& g, std::size_t i) {
                return g.slice(dim, starts[i], starts[i + 1]);
            };
        });
}

}  // namespace

Tensor cat(TensorList tensors, int64_t dim) { return joined("cat", tensors, dim); }
Tensor concat(TensorList tensors, int64_t dim) { return joined("concat", tensors, dim); }
Tensor concatenate(TensorList tensors, int64_t dim) { return joined("concatenate", tensors, dim); }

Tensor stack(TensorList tensors, int64_t dim) {
    const ScalarType dtype = joined_dtype("stack", tensors);
    const geometry& first = *body("stack", tensors[0]).shape;
    dim = ops::wrap_dim("stack", dim, first.ndim + 1);
    for (std::size_t i = 1; i < tensors.size(); ++i) {
        const IntArrayRef sizes = tensors[i].sizes();
        if (!(sizes == first.sizes_ref()))
            fail("stack", "stack expects each tensor to be equal size",
                 text("shapes ", first.sizes_ref(), " and ", sizes, " at position ", i),
                 "equal shapes", "cat(), which joins along an existing dimension");
    }
    std::vector<int64_t> sizes = first.sizes_ref().vec();
    sizes.insert(sizes.begin() + dim, static_cast<int64_t>(tensors.size()));
    return with_parts(
        "stack", tensors,
        [&] {
            Tensor result = ops::unwritten("stack", sizes, body("stack", tensors[0]), dtype);
            for (std::size_t i = 0; i < tensors.size(); ++i)
                result.select(dim, static_cast<int64_t>(i)).copy_(tensors[i]);
            return result;
        },
        [&] {
            return [dim](const Tensor& g, std::size_t i) {
                return g.select(dim, static_cast<int64_t>(i));
            };
        });
}

Tensor hstack(TensorList tensors) {
    joined_dtype("hstack", tensors);
    const std::vector<Tensor> parts = atleast_1d(tensors);
    return joined("hstack", parts, parts[0].dim() == 1 ? 0 : 1);
}

Tensor vstack(TensorList tensors) {
    joined_dtype("vstack", tensors);
    return joined("vstack", atleast_2d(tensors), 0);
}

Tensor row_stack(TensorList tensors) {
    joined_dtype("row_stack", tensors);
    return joined("row_stack", atleast_2d(tensors), 0);
}

Tensor dstack(TensorList tensors) {
    joined_dtype("dstack", tensors);
    return joined("dstack", atleast_3d(tensors), 2);
}

Tensor column_stack(TensorList tensors) {
    joined_dtype("column_stack", tensors);
    std::vector<Tensor> parts;
    for (const Tensor& t : tensors) parts.push_back(t.dim() <= 1 ? t.reshape({t.numel(), 1}) : t);
    return joined("column_stack", parts, 1);
}

Tensor block_diag(TensorList tensors) {
    if (tensors.empty()) return empty({1, 0});
    const ScalarType dtype = joined_dtype("block_diag", tensors);
    std::vector<Tensor> blocks;
    int64_t rows = 0, columns = 0;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        if (tensors[i].dim() > 2)
            fail("block_diag", "a tensor has too many dimensions",
                 text("shape ", tensors[i].sizes(), " at position ", i), "at most 2 dimensions",
                 "flatten(1) on it");
        blocks.push_back(atleast_2d(tensors[i]));
        rows += blocks.back().size(0);
        columns += blocks.back().size(1);
    }
    struct place {
        int64_t row, column, rows, columns;
    };
    std::vector<place> places;
    int64_t row = 0, column = 0;
    for (const Tensor& b : blocks) {
        places.push_back({row, column, b.size(0), b.size(1)});
        row += b.size(0);
        column += b.size(1);
    }
    const auto block_of = [places](const Tensor& t, std::size_t i) {
        const place& p = places[i];
        return t.narrow(0, p.row, p.rows).narrow(1, p.column, p.columns);
    };
    return with_parts(
        "block_diag", blocks,
        [&] {
            Tensor result = zeros({rows, columns}, ops::beside(tensors[0], dtype));
            for (std::size_t i = 0; i < blocks.size(); ++i) block_of(result, i).copy_(blocks[i]);
            return result;
        },
        [&] { return block_of; });
}

}  // namespace sinter::inline v1
