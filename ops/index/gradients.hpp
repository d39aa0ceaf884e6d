// Rules of gather, scatter and their kin.
#pragma once

#include "ops/autograd/function.hpp"

#include <string>

namespace sinter::ops {

/// Where values go: to the elements that an index names, or to slices along its dimension.
struct placing {
    int64_t dim;
    bool slices;
};

/// How values are combined with the elements at their places.
struct reducing {
    std::string word;  // "sum", "prod", "mean", "amax" or "amin"
    bool include_self = true;
};

/// Returns the reduction that scatter calls "add" or "multiply".
inline reducing reducing_of(const std::string& word) {
    return {word == "add" ? "sum" : "prod", true};
}

/// Returns zeros of the gradient's dtype and device.
Tensor zeros_for(const Tensor& gradient, IntArrayRef sizes);

/// Return the gradient of a tensor of these sizes, of which elements along a dimension were
/// selected: one of each row, with or without that dimension in the result, or several, each at
/// most once.
///@{
Tensor gradient_of_one(const Tensor& g, const Tensor& index, IntArrayRef sizes, int64_t dim,
                       bool keepdim);
Tensor gradient_of_several(const Tensor& g, const Tensor& index, IntArrayRef sizes, int64_t dim);
///@}
/// The rule of a function that returns one element of all. Equal elements share the gradient. The
/// operand and the result must be saved.
autograd::variable_list shared_by_equals(const autograd::rule_call& c);

// Operands of the rules that put values: 0 the tensor, 1 the index, 2 the values.
inline constexpr autograd::saves saves_index{.operands = 0b010};

autograd::rule assigned_rule(placing at, IntArrayRef source_sizes);
autograd::rule added_rule(placing at, IntArrayRef source_sizes, const Scalar& alpha = 1);
autograd::rule filled_rule(placing at);
autograd::rule put_rule(bool accumulate);
autograd::rule multiplied_rule(placing at, const Scalar& factor);
autograd::saves reduced_saves(const reducing& how);
autograd::rule reduced_rule(placing at, const reducing& how, IntArrayRef source_sizes);

/// Computes a result or writes in place, in which case `self` is the target. `make_rule` is called
/// only if an operand requires a gradient.
template <class Compute, class MakeRule>
Tensor put_with_rule(const char* name, bool in_place, const tensor_base& self,
                     const tensor_base& index, const tensor_base* source, autograd::saves what,
                     const Compute& compute, const MakeRule& make_rule) {
    const tensor_base* const operands[] = {&self, &index, source};
    if (!autograd::is_recorded(operands)) return compute();
    if (!in_place)
        return autograd::with_rule(name, {&self, &index, source}, what, compute, make_rule());
    autograd::write_with_rule(
        name, self, {&index, source}, what, [&] { static_cast<void>(compute()); }, make_rule());
    return self.self();
}

}  // namespace sinter::ops
