// Functions that are recorded once and replayed: the calls of a compiled function build no
// expressions, no graph and no plan.
//
//     auto step = compile([&](const Tensor& x) { return (x.matmul(w) + b).relu(); });
//     Tensor y = step(x);  // the first call records, later ones replay
//
// docs/compile.md says when that pays, and what is not replayed.
#pragma once

#include <sinter/func.hpp>
#include <sinter/generator.hpp>
#include <sinter/scalar.hpp>
#include <sinter/tensor.hpp>

#include <array>
#include <bit>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace sinter::inline v1 {

/// @cond
namespace detail {

/// A list that needs no memory of its own while it is short.
template <class T, std::size_t N>
class short_list {
public:
    void push_back(T v) {
        if (count_ < N)
            here_[count_] = v;
        else
            spill(v);
        ++count_;
    }
    const T* data() const { return count_ <= N ? here_.data() : more_.data(); }
    std::size_t size() const { return count_; }

private:
    void spill(T v) {
        if (count_ == N) more_.assign(here_.begin(), here_.end());
        more_.push_back(v);
    }
    std::size_t count_ = 0;
    std::array<T, N> here_;  // NOLINT: only the first elements are read
    std::vector<T> more_;
};

/// The arguments of a call: its tensors, and everything else as words.
struct call_arguments {
    short_list<TensorImpl*, 8> tensors;
    short_list<uint64_t, 8> words;
    short_list<TensorImpl*, 4> donated;  // some of the tensors
};

/// The type of a list of arguments, as an address.
template <class... A>
inline constexpr char type_of_call = 0;

template <class T>
inline constexpr bool is_list = false;
template <class T>
inline constexpr bool is_list<std::vector<T>> = true;
template <class T, std::size_t N>
inline constexpr bool is_list<std::array<T, N>> = true;
template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;
template <class T>
inline constexpr bool is_complex_number = false;
template <class T>
inline constexpr bool is_complex_number<std::complex<T>> = true;

/// Returns true for what is part of a call's signature by its value.
template <class T>
constexpr bool is_value() {
    if constexpr (is_list<T> || is_optional<T>)
        return is_value<typename T::value_type>();
    else
        return (std::is_arithmetic_v<T> && sizeof(T) <= 8) || std::is_enum_v<T> ||
               is_complex_number<T> || std::is_same_v<T, std::string> ||
               std::is_same_v<T, Scalar> || std::is_same_v<T, Generator>;
}

template <class T>
void add_value(call_arguments& to, const T& value) {
    if constexpr (std::is_enum_v<T>) {
        to.words.push_back(static_cast<uint64_t>(value));
    } else if constexpr (std::is_floating_point_v<T>) {
        to.words.push_back(std::bit_cast<uint64_t>(static_cast<double>(value)));
    } else if constexpr (std::is_arithmetic_v<T>) {
        to.words.push_back(static_cast<uint64_t>(value));
    } else if constexpr (is_complex_number<T>) {
        add_value(to, value.real());
        add_value(to, value.imag());
    } else if constexpr (std::is_same_v<T, Scalar>) {
        add_value(to, value.which());
        if (value.isIntegral(true)) return add_value(to, value.toLong());
        const complex<double> c = value.toComplexDouble();
        add_value(to, c.real());
        add_value(to, c.imag());
    } else if constexpr (std::is_same_v<T, Generator>) {
        to.words.push_back(reinterpret_cast<uintptr_t>(value.unsafeGetGeneratorImpl()));
    } else if constexpr (is_optional<T>) {
        add_value(to, value.has_value());
        if (value) add_value(to, *value);
    } else {
        add_value(to, value.size());
        for (const auto& v : value) add_value(to, v);
    }
}

/// Adds the tensors of a tree, and the lengths of its lists.
struct tree_adder {
    call_arguments& to;
    void operator()(const Tensor& t) const { to.tensors.push_back(t.unsafeGetTensorImpl()); }
    void size(std::size_t n) const { to.words.push_back(n); }
};

template <class T>
void add_argument(call_arguments& to, const T& argument) {
    if constexpr (std::is_same_v<T, Tensor>) {
        to.tensors.push_back(argument.unsafeGetTensorImpl());
    } else if constexpr (is_value<T>()) {
        add_value(to, argument);
    } else {
        static_assert(
            func::tree<T>,
            "an argument of a compiled function is a tensor, a tree of tensors, a number, "
            "an enum, a string, a generator, or a list or an optional of these values");
        func::tree_traits<T>::each(const_cast<T&>(argument), tree_adder{to});
    }
}

template <class T>
void add_argument(call_arguments& to, const T& argument, bool donated) {
    const std::size_t first = to.tensors.size();
    add_argument(to, argument);
    for (std::size_t i = first; donated && i < to.tensors.size(); ++i)
        to.donated.push_back(to.tensors.data()[i]);
}

/// Expressions become tensors, so that what is recorded reads them as arguments.
template <class T>
decltype(auto) as_argument(const T& argument) {
    if constexpr (std::is_base_of_v<tensor_base, T> && !std::is_same_v<T, Tensor>)
        return Tensor(argument);
    else if constexpr (std::is_array_v<T>)
        return std::string(argument);
    else
        return (argument);
}

SINTER_API void require_donatable(std::size_t number);

/// The recordings of a function.
class compiled_calls;
SINTER_API std::shared_ptr<compiled_calls> make_compiled_calls();
SINTER_API std::string explain_calls(const compiled_calls& calls);

/// What a replayed call returns.
struct replayed_call {
    Tensor one;                             // the only result
    std::vector<Tensor> all;                // if there is not one
    std::shared_ptr<const void> structure;  // what the function returned, without tensors
};
/// Replays a call. Returns false if the function must run.
SINTER_API bool replay(compiled_calls& calls, const call_arguments& arguments, replayed_call& to);

/// Takes the values of the donated tensors after the function ran.
SINTER_API void take_donated(const call_arguments& arguments, const std::vector<Tensor>& results);

/// One run of the function, recorded if it may be replayed later.
class SINTER_API recorded_call {
public:
    recorded_call(compiled_calls& calls, const call_arguments& arguments);
    ~recorded_call();
    recorded_call(const recorded_call&) = delete;
    recorded_call& operator=(const recorded_call&) = delete;

    /// Ends the recording. Returns false if nothing was recorded; then `keep` is not called.
    bool end();
    void keep(const std::vector<Tensor>& results, std::shared_ptr<const void> structure);

private:
    struct state;
    std::unique_ptr<state> state_;  // null: nothing is recorded
};

template <class R>
R with_results(replayed_call&& from) {
    if constexpr (std::is_same_v<R, Tensor>) {
        return std::move(from.one);
    } else {
        R result = *static_cast<const R*>(from.structure.get());
        const bool single = from.all.empty();
        std::size_t next = 0;
        func::tree_traits<R>::each(result,
                                   [&](Tensor& t) { t = single ? from.one : from.all[next++]; });
        return result;
    }
}

}  // namespace detail
/// @endcond

/// A function that compile() returned. Copies share what was recorded. Calls may run on several
/// threads at once, if those of the function may.
template <class F>
class compiled_function {
public:
    /// Nothing is recorded yet.
    explicit compiled_function(F f) : f_(std::move(f)), calls_(detail::make_compiled_calls()) {}

    /// Returns what the function returns; an expression that it returns becomes a tensor. Throws
    /// what the function throws.
    template <class... A>
    auto operator()(const A&... arguments) const {
        using result = decltype(std::invoke(f_, detail::as_argument(arguments)...));
        if constexpr (std::is_void_v<result>)
            call(detail::as_argument(arguments)...);
        else
            return call(detail::as_argument(arguments)...);
    }

    /// Lets later calls use up argument `number`, counted from 0: results may take the memory of
    /// its tensors. After such a call a read of these tensors throws Error, until all of one is
    /// written. Tensors that share memory with a result, that may have a gradient, or whose address
    /// was handed out stay as they are. A call that has taken a value throws the errors of its
    /// values at once. Throws IndexError unless the number is less than 64. JAX: donate_argnums.
    compiled_function& donate(std::size_t number) {
        detail::require_donatable(number);
        donated_ |= uint64_t{1} << number;
        return *this;
    }

    /// Returns what `explain` of the function returns.
    std::string describe() const { return detail::explain_calls(*calls_); }

private:
    template <class... A>
    auto call(const A&... arguments) const {
        const auto run = [&] {
            if constexpr (std::is_void_v<decltype(std::invoke(f_, arguments...))>) {
                std::invoke(f_, arguments...);
                return std::vector<Tensor>();
            } else {
                return func::detail::as_tree(std::invoke(f_, arguments...));
            }
        };
        using result = decltype(run());
        static_assert(func::tree<result>,
                      "a compiled function returns a tensor, a tree of them, or nothing");
        detail::call_arguments given;
        given.words.push_back(reinterpret_cast<uintptr_t>(&detail::type_of_call<A...>));
        if (donated_ == 0) {
            (detail::add_argument(given, arguments), ...);
        } else {
            uint64_t left = donated_;
            (detail::add_argument(given, arguments, std::exchange(left, left >> 1) & 1), ...);
        }
        {
            detail::replayed_call found;
            if (detail::replay(*calls_, given, found))
                return detail::with_results<result>(std::move(found));
        }
        detail::recorded_call recorded(*calls_, given);
        auto made = run();
        const bool keeps = recorded.end();
        std::vector<Tensor> tensors;
        if (keeps || donated_ != 0)
            func::tree_traits<result>::each(made, [&](Tensor& t) { tensors.push_back(t); });
        if (keeps) {
            std::shared_ptr<result> structure;
            if constexpr (!std::is_same_v<result, Tensor>) {
                structure = std::make_shared<result>(made);
                func::tree_traits<result>::each(*structure, [](Tensor& t) { t = Tensor(); });
            }
            recorded.keep(tensors, std::move(structure));
        }
        if (donated_ != 0) detail::take_donated(given, tensors);
        return made;
    }

    F f_;
    uint64_t donated_ = 0;  // one bit per argument
    std::shared_ptr<detail::compiled_calls> calls_;
};

/// Returns a function that does what `f` does. `f` takes and returns tensors or trees of tensors,
/// as in <sinter/func.hpp>, or returns nothing; arguments may also be numbers, enums, strings,
/// generators, and lists and optionals of these values.
///
/// The first call with arguments of a signature runs `f` and records the operations that compute
/// its results. Later calls run their plan at once: what they return is computed when they return.
/// The signature consists of the dtypes, shapes, strides and devices of the tensors, the values of
/// the other arguments, and the modes of the thread. At most 64 signatures are kept, those used
/// last. A call that is the first with other tensors than the recorded one records again, to tell
/// arguments from tensors that `f` has by itself.
///
/// `f` must be a function of its arguments, and of tensors that it has by itself, of which each
/// call reads the newest values. These may be written in place between calls, but not be replaced
/// by other tensors. What else `f` does, such as counting its calls, only happens when it runs. `f`
/// runs at each call if its work is not all in the graph: if it reads a value, writes to a part of
/// a tensor that it did not make, draws from a Mersenne Twister, leaves a tensor behind, keeps an
/// argument, or returns a tensor that it has by itself; if an argument or a result requires a
/// gradient; in eager mode; inside another compiled function; and where its values fail. Draws of
/// random numbers go on in the stream as those of the function do. PyTorch: torch.compile.
template <class F>
compiled_function<std::decay_t<F>> compile(F&& f) {
    return compiled_function<std::decay_t<F>>(std::forward<F>(f));
}

/// Returns the recorded signatures of a compiled function, as text: how often each was replayed,
/// and its plan; or why the function runs instead, and at which line. Runs nothing. PyTorch:
/// torch._dynamo.explain.
template <class F>
std::string explain(const compiled_function<F>& f) {
    return f.describe();
}

}  // namespace sinter::inline v1
