// Functions with a rule of their own: what they compute is not recorded, and their results get one
// gradient node.
#pragma once

#include "ops/autograd/saved.hpp"
#include "ops/common/op_checks.hpp"

#include <sinter/grad_mode.hpp>

#include <functional>
#include <initializer_list>
#include <span>
#include <tuple>
#include <type_traits>
#include <vector>

namespace sinter::inline v1::autograd {

/// One run of a rule.
class rule_call {
public:
    /// The gradients of the results; undefined where nothing depends on one.
    const Tensor& grad(std::size_t result = 0) const { return (*grads)[result]; }
    /// Returns true if the gradients have one more leading dimension, as in a rule that takes that.
    bool is_batched() const;
    /// Returns the sizes, after those of the leading dimension if the gradients have one.
    std::vector<int64_t> with_batch(IntArrayRef sizes) const;
    /// An operand or a result as it was. The rule must have asked for it to be saved. They are
    /// differentiable if a gradient of gradients is asked for. Undefined if it was not saved.
    ///@{
    Tensor operand(std::size_t i) const;
    Tensor result(std::size_t i = 0) const;
    ///@}
    /// Returns true if the gradient of this operand is wanted.
    bool needs(std::size_t operand) const;

    /// @cond
    const variable_list* grads;
    class function_gradient* node;
    /// @endcond
};

/// Returns the gradients of the operands, in their order; undefined for those that are not needed.
using rule = std::function<variable_list(const rule_call&)>;

/// Returns the tangents of the results for those of the operands, in their order, where undefined
/// ones are 0. `batched`: they have one more leading dimension. The call has no gradients.
using forward_rule =
    std::function<variable_list(const rule_call&, const variable_list& tangents, bool batched)>;

/// What a rule reads, beside the gradients: one bit for each operand and each result. The last bit
/// also counts for those that have none. And whether it takes gradients with one more leading
/// dimension, and returns gradients with it.
struct saves {
    uint64_t operands = 0, results = 0;
    bool batched = false;
};

/// Returns true if operations are recorded and an operand requires a gradient.
bool is_recorded(std::span<const tensor_base* const> operands);

/// Returns the gradient of an operand on the operand's device. The two differ for a number in main
/// memory beside tensors on a GPU.
Tensor brought_home(Tensor gradient, runtime::device_index home, const Edge& to);

/// Returns what a function reads that is about to write over the tensor: a copy if the gradient
/// reads the old elements, too.
Tensor before_write(const tensor_base& target);

/// Gives the results the rule. `outputs` are new tensors. Without a forward rule, tangents are the
/// derivatives of the rule, so that only a function whose rule has none needs one.
void set_rule(const char* name, std::span<const tensor_base* const> operands, saves what,
              std::span<Tensor* const> outputs, rule gradient, forward_rule tangent = {});

/// Returns what `compute` returns: a Tensor, or a tuple or vector of them. If an operand requires a
/// gradient, that is what `gradient` computes: a rule, or a function that makes one, for a rule
/// whose captures take memory. Undefined operands have none. Results of an integral dtype have
/// none.
template <class F, class Rule>
auto with_rule(const char* name, std::initializer_list<const tensor_base*> operands, saves what,
               const F& compute, Rule&& gradient) {
    const std::span<const tensor_base* const> all(operands.begin(), operands.size());
    if (!is_recorded(all)) return compute();
    auto result = [&] {
        NoGradGuard unrecorded;
        return compute();
    }();
    using type = decltype(result);
    std::vector<Tensor*> outputs;
    if constexpr (std::is_same_v<type, Tensor>)
        outputs.push_back(&result);
    else if constexpr (std::is_same_v<type, std::vector<Tensor>>)
        for (Tensor& t : result) outputs.push_back(&t);
    else
        std::apply([&](auto&... t) { (outputs.push_back(&t), ...); }, result);
    if constexpr (std::is_invocable_v<Rule>)
        set_rule(name, all, what, outputs, rule(gradient()));
    else
        set_rule(name, all, what, outputs, rule(std::forward<Rule>(gradient)));
    return result;
}

/// Runs `write`, which changes `target` in place, so that its new value is one of `gradient`'s
/// function. The target's old value is operand 0.
void write_with_rule(const char* name, const tensor_base& target,
                     std::span<const tensor_base* const> others, saves what,
                     const std::function<void()>& write, rule gradient);

inline void write_with_rule(const char* name, const tensor_base& target,
                            std::initializer_list<const tensor_base*> others, saves what,
                            const std::function<void()>& write, rule gradient) {
    write_with_rule(name, target, std::span(others.begin(), others.size()), what, write,
                    std::move(gradient));
}

}  // namespace sinter::inline v1::autograd
