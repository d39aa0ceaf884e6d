// Transformations of functions: functions that return derivatives of functions. libtorch has none;
// names and meaning are those of torch.func.
//
// A function takes and returns tensors, or trees of tensors: a std::vector, std::array, std::pair
// or std::tuple of trees, and with <sinter/hana.hpp> structs and Boost.Hana's sequences.
// Derivatives have the type of what they belong to. Transformations may be nested, and their
// results have gradients if an argument requires one. Nothing is computed before a value is read.
#pragma once

#include <sinter/autograd.hpp>
#include <sinter/expr/expr.hpp>
#include <sinter/functions/functions.hpp>
#include <sinter/functions/shape.hpp>
#include <sinter/tensor.hpp>

#include <array>
#include <functional>
#include <initializer_list>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace sinter::inline v1::func {

/// How to go through the tensors of a type, in an order of its own: `each(tree, f)` calls f for
/// each. Specialise it for types of your own.
template <class T>
struct tree_traits;

/// @cond
template <class T>
concept tree =
    requires(std::decay_t<T>& t) { tree_traits<std::decay_t<T>>::each(t, [](Tensor&) {}); };

template <>
struct tree_traits<Tensor> {
    template <class F>
    static void each(Tensor& t, F&& f) {
        f(t);
    }
};
template <class T>
struct tree_traits<std::vector<T>> {
    template <class F>
    static void each(std::vector<T>& all, F&& f) {
        if constexpr (requires { f.size(all.size()); }) f.size(all.size());
        for (T& t : all) tree_traits<T>::each(t, f);
    }
};
template <class T, std::size_t N>
struct tree_traits<std::array<T, N>> {
    template <class F>
    static void each(std::array<T, N>& all, F&& f) {
        for (T& t : all) tree_traits<T>::each(t, f);
    }
};
template <class... T>
struct tree_traits<std::tuple<T...>> {
    template <class F>
    static void each(std::tuple<T...>& all, F&& f) {
        std::apply([&](T&... t) { (tree_traits<T>::each(t, f), ...); }, all);
    }
};
template <class A, class B>
struct tree_traits<std::pair<A, B>> {
    template <class F>
    static void each(std::pair<A, B>& all, F&& f) {
        tree_traits<A>::each(all.first, f);
        tree_traits<B>::each(all.second, f);
    }
};

namespace detail {

/// The nesting of transformations on this thread.
class SINTER_API level {
public:
    level();
    ~level();
    level(const level&) = delete;
    level& operator=(const level&) = delete;
    /// Returns true if another transformation may ask for the gradient of what this one returns.
    static bool is_nested();

private:
    AutoGradMode recorded_{true};
};

/// Returns true if a tensor of the tree requires a gradient.
template <class T>
bool is_tracked(const T& t) {
    if constexpr (std::is_base_of_v<tensor_base, T>) {
        return t.requires_grad();
    } else if constexpr (tree<T>) {
        bool any = false;
        tree_traits<T>::each(const_cast<T&>(t), [&](Tensor& x) { any |= x.requires_grad(); });
        return any;
    } else {
        return false;
    }
}

/// Returns the tensor as a variable of its own, of which an outer transformation still sees that it
/// was made of `t`.
SINTER_API Tensor as_variable(const Tensor& t);
/// Returns gradients with zeros in place of undefined ones.
SINTER_API autograd::variable_list gradients(const Tensor& output, const Tensor& cotangent,
                                             const autograd::variable_list& inputs, bool nested);
/// Returns the tangents of outputs, with zeros in place of undefined ones. With `batched`, those of
/// the inputs have one more leading dimension, and so have those of the outputs.
SINTER_API autograd::variable_list tangents(const char* name,
                                            const autograd::variable_list& outputs,
                                            const autograd::variable_list& inputs,
                                            const autograd::variable_list& along, bool batched,
                                            bool nested);
/// Return the derivatives of all elements of the output by all of the input, column by column or
/// row by row.
///@{
SINTER_API Tensor jacobian(const Tensor& output, const Tensor& input, bool nested);
SINTER_API Tensor jacobian_by_rows(const Tensor& output, const Tensor& input, bool nested);
///@}

template <class T>
autograd::variable_list tensors_of(T& t) {
    autograd::variable_list all;
    tree_traits<T>::each(t, [&](Tensor& x) { all.push_back(x); });
    return all;
}
template <class T>
void set_tensors(T& t, const autograd::variable_list& all) {
    std::size_t next = 0;
    tree_traits<T>::each(t, [&](Tensor& x) { x = all.at(next++); });
}
/// Makes the tensors variables; returns them.
template <class T>
autograd::variable_list make_variables(T& t) {
    tree_traits<T>::each(t, [](Tensor& x) { x = as_variable(x); });
    return tensors_of(t);
}
/// What a user's function returned, as a tree of tensors.
template <class R>
auto as_tree(R&& r) {
    if constexpr (std::is_base_of_v<tensor_base, std::decay_t<R>>)
        return Tensor(std::forward<R>(r));
    else
        return std::decay_t<R>(std::forward<R>(r));
}
template <class T>
auto detached(T tree) {
    tree_traits<T>::each(tree, [](Tensor& x) { x = x.detach(); });
    return tree;
}
template <class T>
auto copy_tree(const T& t) {
    if constexpr (std::is_base_of_v<tensor_base, T>)
        return Tensor(t);
    else
        return T(t);
}

}  // namespace detail
/// @endcond

/// Returns a function that returns a tuple of the gradient and the value of `f`, whose result has
/// one element. The gradient is that with respect to the first argument, and has its type. Throws
/// Error as autograd::backward. PyTorch: torch.func.grad_and_value.
template <class F>
auto grad_and_value(F f) {
    return [f = std::move(f)]<class First, class... Rest>(const First& first, const Rest&... rest) {
        auto inputs = detail::copy_tree(first);
        const bool nested = detail::level::is_nested() || detail::is_tracked(first) ||
                            (detail::is_tracked(rest) || ...);
        const detail::level here;
        const autograd::variable_list variables = detail::make_variables(inputs);
        Tensor value = f(std::as_const(inputs), rest...);
        detail::set_tensors(inputs, detail::gradients(value, Tensor(), variables, nested));
        return std::make_tuple(std::move(inputs), nested ? value : value.detach());
    };
}

/// Returns a function that returns the gradient of `f` with respect to its first argument, with the
/// type of that argument. Otherwise as grad_and_value(). PyTorch: torch.func.grad.
template <class F>
auto grad(F f) {
    return [both = grad_and_value(std::move(f))](const auto&... arguments) {
        return std::get<0>(both(arguments...));
    };
}

/// Returns f(primal) and a function that takes a tensor of its shape and returns the
/// vector-Jacobian product, with the type of `primal`. The result of f is one tensor. PyTorch:
/// torch.func.vjp.
template <class F, class Primal>
auto vjp(const F& f, const Primal& primal) {
    auto inputs = detail::copy_tree(primal);
    const bool nested = detail::level::is_nested() || detail::is_tracked(primal);
    const detail::level here;
    autograd::variable_list variables = detail::make_variables(inputs);
    Tensor output = f(std::as_const(inputs));
    auto pull = [output, variables, inputs, nested](const Tensor& cotangent) {
        auto gradients = inputs;
        detail::set_tensors(gradients, detail::gradients(output, cotangent, variables, nested));
        return gradients;
    };
    return std::make_tuple(nested ? output : output.detach(), std::move(pull));
}

/// Returns f(primal) and a function that takes a tangent of the type of `primal` and returns the
/// derivative of f along it, with the type of f's result. f runs once. PyTorch:
/// torch.func.linearize.
template <class F, class Primal>
auto linearize(const F& f, const Primal& primal) {
    auto inputs = detail::copy_tree(primal);
    const bool nested = detail::level::is_nested() || detail::is_tracked(primal);
    const detail::level here;
    autograd::variable_list variables = detail::make_variables(inputs);
    const auto output = detail::as_tree(f(std::as_const(inputs)));
    auto push = [output, variables, nested](const Primal& tangent) {
        auto along = detail::copy_tree(tangent);
        auto derivative = output;
        detail::set_tensors(derivative,
                            detail::tangents("jvp", detail::tensors_of(derivative), variables,
                                             detail::tensors_of(along), false,
                                             nested || detail::is_tracked(tangent)));
        return derivative;
    };
    return std::make_tuple(nested ? output : detail::detached(output), std::move(push));
}

/// Returns f(primal) and its derivative along `tangent`, which has the type of `primal`: one pass
/// forwards over what f recorded. The derivative has the type of f's result. Throws Error if a
/// tangent has another shape than its primal, NotImplementedError if a function that f uses has no
/// derivative. PyTorch: torch.func.jvp.
template <class F, class Primal>
auto jvp(const F& f, const Primal& primal, const Primal& tangent) {
    auto [output, push] = linearize(f, primal);
    auto derivative = push(tangent);
    return std::make_tuple(std::move(output), std::move(derivative));
}

/// Returns a function that returns the Jacobian of `f`, of one tensor to one tensor: the sizes of
/// the result, then those of the argument. All rows are one pass in reverse, of which the
/// operations have one more dimension, as in vmap(). Within another transformation, and where a
/// gradient reads values, each row is a pass of its own; all of them are pending at once. PyTorch:
/// torch.func.jacrev.
template <class F>
auto jacrev(F f) {
    return [f = std::move(f)](const Tensor& x) {
        const bool nested = detail::level::is_nested() || detail::is_tracked(x);
        const detail::level here;
        const Tensor variable = detail::as_variable(x);
        return detail::jacobian_by_rows(f(variable), variable, nested);
    };
}

/// Returns a function that returns the same as that of jacrev(), computed in one pass forwards for
/// all elements of the argument: the number of kernels does not depend on their number. Functions
/// that have no rule for several tangents at once run once for each. PyTorch: torch.func.jacfwd.
template <class F>
auto jacfwd(F f) {
    return [f = std::move(f)](const Tensor& x) {
        const bool nested = detail::level::is_nested() || detail::is_tracked(x);
        const detail::level here;
        const Tensor variable = detail::as_variable(x);
        return detail::jacobian(f(variable), variable, nested);
    };
}

/// Returns a function that returns the matrix of second derivatives of `f`, whose result has one
/// element: the sizes of the argument twice. It is jacfwd(grad(f)). PyTorch: torch.func.hessian.
template <class F>
auto hessian(F f) {
    return jacfwd(grad(std::move(f)));
}

/// Returns the value of `f` at x, one element, and the product of its Hessian with v. PyTorch:
/// torch.autograd.functional.hvp.
template <class F>
std::tuple<Tensor, Tensor> hvp(const F& f, const Tensor& x, const Tensor& v) {
    const bool nested =
        detail::level::is_nested() || detail::is_tracked(x) || detail::is_tracked(v);
    const detail::level here;
    const Tensor variable = detail::as_variable(x);
    const Tensor y = f(variable);
    const Tensor g = detail::gradients(y, Tensor(), {variable}, true)[0];
    Tensor product = detail::gradients((g * v).sum(), Tensor(), {variable}, nested)[0];
    return {nested ? y : y.detach(), std::move(product)};
}

/// The dimensions over which vmap() goes: one for all, or one for each argument or result, of which
/// nullopt is none.
struct vmap_dims {
    /// One for all.
    ///@{
    vmap_dims(int64_t dim) : each{dim}, all(true) {}              // NOLINT: passed as it is
    vmap_dims(int dim) : vmap_dims(static_cast<int64_t>(dim)) {}  // NOLINT
    ///@}
    /// One for each.
    vmap_dims(std::initializer_list<optional<int64_t>> dims) : each(dims) {}

    /// @cond
    std::vector<optional<int64_t>> each;
    bool all = false;
    /// @endcond
};

/// @cond
namespace detail {

/// Returns what `f` returns for slices of the inputs, stacked.
SINTER_API autograd::variable_list map_slices(
    const autograd::variable_list& inputs, const std::vector<optional<int64_t>>& in_dims,
    const vmap_dims& out_dims,
    const std::function<autograd::variable_list(const autograd::variable_list&)>& f);
/// Returns the dimension of an argument. Throws Error if there are fewer dimensions.
SINTER_API optional<int64_t> dim_of_argument(const vmap_dims& dims, std::size_t argument,
                                             std::size_t arguments);

/// Calls f for each tensor of an argument, which may be anything.
template <class T, class F>
void each_tensor(T& argument, F&& f) {
    if constexpr (tree<T>) tree_traits<T>::each(argument, f);
}

}  // namespace detail
/// @endcond

/// Returns a function that calls `f` on slices of its arguments and stacks what it returns: a
/// tensor, or a tree of them. `in_dims` are the dimensions of the arguments that are sliced, with
/// nullopt for an argument that each call gets whole; all tensors of a tree have that of the tree,
/// and arguments that are no tensors are passed on. `out_dims` are those of the results over which
/// the slices lie. f must return results of equal sizes for all slices. A slice is row-major and a
/// copy if f writes to it; f must write to no other tensor of its caller.
///
/// f is called once, with tensors that have no value, and what it recorded is done for all slices
/// by operations with one more dimension; a hand-written kernel that takes no more dimensions runs
/// for each slice. If f reads values or is differentiated from outside, and in eager mode, f is
/// called for each slice instead. Gradients within f, as in vmap(grad(f)), do not count as that.
/// Random numbers are the same for all slices. Throws Error if no argument is sliced, if the sizes
/// of the dimensions differ, and if one is out of range. PyTorch: torch.func.vmap with randomness =
/// "same".
template <class F>
auto vmap(F f, vmap_dims in_dims = 0, vmap_dims out_dims = 0) {
    return [f = std::move(f), in_dims = std::move(in_dims),
            out_dims = std::move(out_dims)](const auto&... arguments) {
        auto given = std::make_tuple(detail::copy_tree(arguments)...);
        autograd::variable_list inputs;
        std::vector<optional<int64_t>> dims;
        std::size_t number = 0;
        const auto take = [&](auto& argument) {
            const auto dim = detail::dim_of_argument(in_dims, number++, sizeof...(arguments));
            detail::each_tensor(argument, [&](Tensor& t) {
                inputs.push_back(t);
                dims.push_back(dim);
            });
        };
        std::apply([&](auto&... a) { (take(a), ...); }, given);
        using result = decltype(detail::as_tree(std::apply(f, std::as_const(given))));
        optional<result> last;
        const auto of_slices = [&](const autograd::variable_list& slices) {
            auto some = given;
            std::size_t next = 0;
            const auto put = [&](auto& argument) {
                detail::each_tensor(argument, [&](Tensor& t) { t = slices.at(next++); });
            };
            std::apply([&](auto&... a) { (put(a), ...); }, some);
            last.emplace(detail::as_tree(std::apply(f, std::as_const(some))));
            return detail::tensors_of(*last);
        };
        detail::set_tensors(*last, detail::map_slices(inputs, dims, out_dims, of_slices));
        return std::move(*last);
    };
}

}  // namespace sinter::inline v1::func
