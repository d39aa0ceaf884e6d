#include "engine/recordings/expression_work.hpp"

#include "engine/graph/infer.hpp"
#include "engine/recordings/portable_work.hpp"

#include <sinter/expr/expr.hpp>

#include <algorithm>

namespace sinter::plan {
namespace {

/// A value while the program is walked.
struct operand_value {
    expr_meta is;
    int leaf = -1;  // its number, if it is a tensor
};

/// Returns true if an operand of a row has to be Bool or an integer.
bool is_mask(op::id row, int operand) {
    const dtype_rule rule = op::rows[row].rule;
    return rule == dtype_rule::bitwise || (rule == dtype_rule::choice && operand == 0);
}

/// Finds the dtypes of the leaves, and returns that of the result.
ScalarType find_dtypes(std::span<const uint16_t> words, ScalarType dtype, const geometry_ptr& shape,
                       std::vector<leaf>& leaves) {
    std::vector<operand_value> stack;
    for (const uint16_t word : words) {
        if (word == token_leaf) {
            stack.push_back({{shape, dtype}, static_cast<int>(leaves.size())});
            leaves.push_back({shape, make_intrusive<Version>(), false, dtype});
        } else if (word == token_scalar) {
            stack.push_back({{geometry_ptr(), kLong}});
        } else {
            const auto row = static_cast<op::id>(word);
            const int arity = op::rows[row].arity;
            const std::span<operand_value> operands =
                std::span(stack).last(static_cast<std::size_t>(arity));
            detail::meta_view views[3] = {};
            for (int i = 0; i < arity; ++i) {
                operand_value& o = operands[static_cast<std::size_t>(i)];
                const bool whole =
                    isIntegralType(dtype, true) && !(op::rows[row].rule == dtype_rule::choice);
                if (o.leaf >= 0 && is_mask(row, i) && !whole)
                    o.is.dtype = leaves[static_cast<std::size_t>(o.leaf)].dtype = kBool;
                views[i] = {o.is.shape.get(), o.is.dtype};
            }
            expr_meta result = detail::combine(row, views);
            stack.resize(stack.size() - static_cast<std::size_t>(arity));
            stack.push_back({std::move(result)});
        }
    }
    for (leaf& l : leaves) {
        l.value->dtype = l.dtype;
        l.value->numel = shape->numel;
    }
    return stack.back().is.dtype;
}

}  // namespace

std::vector<uint8_t> write_expression(std::span<const uint16_t> words, ScalarType dtype) {
    const int64_t some[] = {1 << 16};  // pointwise kernels are the same for all sizes
    const geometry_ptr shape = make_contiguous(some);
    std::vector<leaf> leaves;
    const ScalarType result = find_dtypes(words, dtype, shape, leaves);
    const std::vector<Scalar> scalars(
        static_cast<std::size_t>(std::ranges::count(words, token_scalar)), Scalar(int64_t{1}));
    const std::unique_ptr<Node> node = pointwise_node(
        intern({words.data(), static_cast<uint16_t>(words.size()),
                static_cast<uint16_t>(leaves.size()), static_cast<uint16_t>(scalars.size()),
                program_digest(words.data(), words.size())}),
        std::span<const leaf>(leaves), scalars, result, shape);
    const intrusive_ptr<Version> value = make_intrusive<Version>();
    value->dtype = result;
    value->numel = shape->numel;
    node->result = value.get();
    const runtime::arena memory;
    subgraph w;
    w.nodes.push_back(node.get());
    w.values.push_back(value.get());
    w.wanted.push_back(1);
    w.kept.push_back(0);
    w.saved.push_back(0);
    for (Edge& e : node->sources) {
        e.number = static_cast<int32_t>(w.values.size());
        w.values.push_back(e.value.get());
    }
    w.find_offsets();
    return write_work(w);
}

}  // namespace sinter::plan
