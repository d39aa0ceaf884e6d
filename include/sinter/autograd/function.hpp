// Functions with gradients of the program's own.
#pragma once

#include <sinter/autograd/node.hpp>

#include <any>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>

namespace sinter::inline v1 {
namespace detail {

/// Adds a hook to a tensor; Tensor::register_hook.
SINTER_API unsigned add_hook(const tensor_base& self, autograd::Node::tensor_hook hook);

}  // namespace detail

template <class F>
unsigned tensor_base::register_hook(F&& hook) const {
    if constexpr (std::is_void_v<std::invoke_result_t<F, Tensor>>)
        return detail::add_hook(*this, [f = std::forward<F>(hook)](const Tensor& g) {
            f(g);
            return Tensor();
        });
    else
        return detail::add_hook(
            *this, [f = std::forward<F>(hook)](const Tensor& g) { return Tensor(f(g)); });
}

namespace autograd {

/// What `forward` of a Function leaves for `backward` and `jvp`. libtorch:
/// torch::autograd::AutogradContext.
class SINTER_API AutogradContext {
public:
    /// Keeps tensors for backward and jvp, which throw Error if they have been written meanwhile.
    /// They are operands or results of the function.
    void save_for_backward(variable_list to_save);
    /// Returns these tensors; called in backward and jvp.
    variable_list get_saved_variables() const;
    /// Says which operands forward has written.
    void mark_dirty(const variable_list& inputs);
    /// Says which results have no gradient.
    void mark_non_differentiable(const variable_list& outputs);
    /// With false, undefined gradients reach backward as undefined tensors; by default as zeros.
    void set_materialize_grads(bool value) { materialize_ = value; }
    /// Returns true if operand `index`, counted among the tensors, requires a gradient.
    bool needs_input_grad(std::size_t index) const {
        return index < needed_.size() && needed_[index];
    }

    /// Anything else that backward needs, by name.
    std::unordered_map<std::string, std::any> saved_data;

    /// @cond
    struct state;
    variable_list to_save_;
    std::unordered_set<TensorImpl*> dirty_, plain_;
    bool materialize_ = true;
    std::vector<bool> needed_;
    const state* saved_ = nullptr;
    /// @endcond
};

/// @cond
namespace detail {

struct function_call {
    std::string_view name;
    variable_list inputs;  // the tensors among the arguments
    std::function<variable_list(AutogradContext&)> forward;
    std::function<variable_list(AutogradContext&, variable_list)> backward;
    std::function<variable_list(AutogradContext&, variable_list)> jvp;  // may be empty
    // The argument of each of `backward`'s gradients: a tensor's number, or -1.
    std::vector<int> arguments;
};
SINTER_API variable_list run_function(function_call call);

template <class A>
void add_argument(function_call& call, const A& a) {
    if constexpr (std::is_base_of_v<tensor_base, A>) {
        call.arguments.push_back(static_cast<int>(call.inputs.size()));
        call.inputs.push_back(Tensor(a));
    } else if constexpr (std::is_same_v<A, variable_list>) {
        for (const Tensor& t : a) add_argument(call, t);
    } else {
        call.arguments.push_back(-1);
    }
}

inline variable_list as_list(Tensor t) { return {std::move(t)}; }
inline variable_list as_list(variable_list l) { return l; }

template <class T>
constexpr std::string_view name_of_type() {
    constexpr std::string_view all = __PRETTY_FUNCTION__;
    constexpr std::size_t from = all.find("T = ") + 4;
    constexpr std::size_t to = all.find_first_of(";]", from);
    constexpr std::string_view name = all.substr(from, to - from);
    constexpr std::size_t scope = name.rfind("::");
    return scope == std::string_view::npos ? name : name.substr(scope + 2);
}

}  // namespace detail
/// @endcond

/// A function with a gradient of the program's own. T has
///
///     static Tensor forward(AutogradContext* ctx, arguments...);       // or variable_list
///     static variable_list backward(AutogradContext* ctx, variable_list gradients);
///
/// where backward returns a gradient for each argument, undefined for those that are no tensors.
/// What forward computes is not recorded; what backward computes is, if a gradient of gradients is
/// asked for. It may have
///
///     static variable_list jvp(AutogradContext* ctx, variable_list tangents);
///
/// for forward mode, which gets a tangent for each argument, undefined where it is 0 or the
/// argument no tensor, and returns one for each result, undefined for 0. Without it forward mode
/// differentiates backward. libtorch: torch::autograd::Function, which has no jvp.
template <class T>
struct Function {
    /// Returns what T::forward returns, with the gradient of T::backward.
    template <class... Args>
    static auto apply(Args&&... arguments) {
        detail::function_call call;
        call.name = detail::name_of_type<T>();
        (detail::add_argument(call, std::decay_t<Args>(arguments)), ...);
        using result = decltype(T::forward(static_cast<AutogradContext*>(nullptr), arguments...));
        call.forward = [&](AutogradContext& c) {
            return detail::as_list(T::forward(&c, arguments...));
        };
        call.backward = [](AutogradContext& c, variable_list g) {
            return T::backward(&c, std::move(g));
        };
        if constexpr (requires(AutogradContext* c, variable_list t) { T::jvp(c, std::move(t)); })
            call.jvp = [](AutogradContext& c, variable_list t) { return T::jvp(&c, std::move(t)); };
        variable_list results = detail::run_function(std::move(call));
        if constexpr (std::is_same_v<result, variable_list>)
            return results;
        else
            return std::move(results[0]);
    }
};

}  // namespace autograd
}  // namespace sinter::inline v1
