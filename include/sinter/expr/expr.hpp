// Pointwise expressions as types, and the operators that build them.
//
// An rvalue expression is a value: it owns its leaves (storage, version and shape, not the handle)
// and is moved into the expression that uses it. An expression with a name is a tensor: its first
// use makes it one pending tensor, kept in the object and shared by its copies. Types flatten at
// once: a type is the program's words, never a nested tree.
#pragma once

#include <sinter/expr/program.hpp>
#include <sinter/tensor.hpp>

#include <atomic>

namespace sinter::inline v1 {
namespace detail {

struct meta_view {
    const geometry* shape;
    ScalarType dtype;
};

/// Result shape and dtype of one operation; throws where shapes, dtypes or devices do not fit.
SINTER_API expr_meta combine(op::id row, const meta_view* operands);
/// The pending tensor of a program over leaves.
SINTER_API intrusive_ptr<TensorImpl> make_pointwise(const program_ref& program, const leaf* leaves,
                                                    const Scalar* scalars, const expr_meta& meta);
SINTER_API intrusive_ptr<TensorImpl> make_pointwise(program_record& program, const leaf* leaves,
                                                    const Scalar* scalars, const expr_meta& meta);
/// Captures a tensor as a leaf. Throws on an undefined tensor.
SINTER_API leaf capture(const Tensor& t);

/// Publishes the named tensor of an expression once, whichever thread comes first.
class SINTER_API name_cell {
public:
    name_cell() = default;
    name_cell(const name_cell&) = delete;
    name_cell& operator=(const name_cell&) = delete;
    bool ready() const { return state_.load(std::memory_order_acquire) == 2; }
    /// True for the one caller that must `publish`; others wait until it has.
    bool claim();
    void publish(Tensor&& t);
    void abandon();
    mutable Tensor tensor;

private:
    std::atomic<int> state_{0};
};

/// What all expression types share, so that a type adds only its operands.
class SINTER_API expr_base : public tensor_base {
public:
    expr_base(program_record& program, leaf* leaves, Scalar* scalars)
        : tensor_base(&name), program_(program), leaves_(leaves), scalars_(scalars) {}
    expr_base(const expr_base&) = delete;
    expr_base& operator=(const expr_base&) = delete;

    /// Takes over what `o` is.
    void adopt(expr_base& o);
    /// Copies share one value: the source gets its name first.
    void share(const expr_base& o);
    void assign(const tensor_base& value);
    /// The pending tensor of a temporary expression.
    Tensor take();

private:
    friend void build(expr_base& result, op::id row, struct operand* operands);
    static Tensor& name(const tensor_base* base);
    void move_operands(leaf* leaves, Scalar* scalars);

    program_record& program_;
    leaf* leaves_;
    Scalar* scalars_;
    expr_meta meta_;
    name_cell cell_;
};

/// An operand of an operation, whatever it is: not a template, so that an operation compiles
/// cheaply.
struct operand {
    const tensor_base* tensor = nullptr;  // a tensor, or an expression with a name
    expr_base* expression = nullptr;      // a temporary expression, whose operands are moved
    Scalar number;

    operand(const tensor_base& t) : tensor(&t) {}  // NOLINT
    operand(expr_base&& e) : expression(&e) {}     // NOLINT
    template <scalar_like T>
    operand(const T& s) : number(s) {}  // NOLINT
};

/// Checks and joins the operands of one operation into `result`.
SINTER_API void build(expr_base& result, op::id row, operand* operands);

template <int A, int B, uint16_t... W>
struct words;
template <class T>
struct program_of {
    using type = words<1, 0, token_leaf>;
};
template <class T>
    requires scalar_like<T>
struct program_of<T> {
    using type = words<0, 1, token_scalar>;
};
template <int NL, int NS, uint16_t... W>
struct program_of<expr<NL, NS, W...>> {  // a temporary; with a name it is a leaf
    using type = words<NL, NS, W...>;
};

template <uint16_t Op, class... P>
struct join;
template <uint16_t Op, int A, int B, uint16_t... W>
struct join<Op, words<A, B, W...>> {
    using type = expr<A, B, W..., Op>;
};
template <uint16_t Op, int A, int B, uint16_t... W, int C, int D, uint16_t... X>
struct join<Op, words<A, B, W...>, words<C, D, X...>> {
    using type = expr<A + C, B + D, W..., X..., Op>;
};
template <uint16_t Op, int A, int B, uint16_t... W, int C, int D, uint16_t... X, int E, int F,
          uint16_t... Y>
struct join<Op, words<A, B, W...>, words<C, D, X...>, words<E, F, Y...>> {
    using type = expr<A + C + E, B + D + F, W..., X..., Y..., Op>;
};
/// The type of an operation on operands of types T, as forwarding references deduce them.
template <uint16_t Op, class... T>
using result = typename join<Op, typename program_of<T>::type...>::type;

}  // namespace detail

template <int NL, int NS, uint16_t... W>
class expr : public detail::expr_base {
public:
    static constexpr uint16_t words[] = {W...};

    expr() : expr_base(record, leaves_, scalars_) {}
    expr(const expr& o) : expr_base(record, leaves_, scalars_) { share(o); }
    expr(expr&& o) : expr_base(record, leaves_, scalars_) { adopt(o); }
    /// A named expression is a tensor: it can be given another value.
    template <tensor_like T>
    expr& operator=(const T& value) & {
        assign(value);
        return *this;
    }
    expr& operator=(const expr& value) & {
        assign(value);
        return *this;
    }
    template <class T>
    expr& operator=(const T&) && = delete;

private:
    inline static constinit program_record record{words, sizeof...(W), NL, NS};

    leaf leaves_[NL];
    Scalar scalars_[NS > 0 ? NS : 1];
};

// ---- operators. `!=` stands beside `==` because C++20 would otherwise take a reversed `==`.
#define SINTER_OPERATOR(symbol, row)                                       \
    template <class L, class R>                                            \
        requires((tensor_like<L> && (tensor_like<R> || scalar_like<R>)) || \
                 (scalar_like<L> && tensor_like<R>))                       \
    detail::result<op::row, L, R> operator symbol(L && l, R && r) {        \
        detail::result<op::row, L, R> e;                                   \
        detail::operand o[] = {std::forward<L>(l), std::forward<R>(r)};    \
        detail::build(e, op::row, o);                                      \
        return e;                                                          \
    }
SINTER_OPERATOR(+, add)
SINTER_OPERATOR(-, sub)
SINTER_OPERATOR(*, mul)
SINTER_OPERATOR(/, div)
SINTER_OPERATOR(%, remainder)
SINTER_OPERATOR(==, eq)
SINTER_OPERATOR(!=, ne)
SINTER_OPERATOR(<, lt)
SINTER_OPERATOR(<=, le)
SINTER_OPERATOR(>, gt)
SINTER_OPERATOR(>=, ge)
SINTER_OPERATOR(&, bitwise_and)
SINTER_OPERATOR(|, bitwise_or)
SINTER_OPERATOR(^, bitwise_xor)
#undef SINTER_OPERATOR

template <tensor_like T>
detail::result<op::neg, T> operator-(T&& t) {
    detail::result<op::neg, T> e;
    detail::operand o[] = {std::forward<T>(t)};
    detail::build(e, op::neg, o);
    return e;
}
template <tensor_like T>
detail::result<op::bitwise_not, T> operator~(T&& t) {
    detail::result<op::bitwise_not, T> e;
    detail::operand o[] = {std::forward<T>(t)};
    detail::build(e, op::bitwise_not, o);
    return e;
}

// ---- free functions, one a row
#define SINTER_UNARY(name)                          \
    template <tensor_like T>                        \
    detail::result<op::name, T> name(T&& t) {       \
        detail::result<op::name, T> e;              \
        detail::operand o[] = {std::forward<T>(t)}; \
        detail::build(e, op::name, o);              \
        return e;                                   \
    }
#define SINTER_BINARY(name)                                                \
    template <class L, class R>                                            \
        requires((tensor_like<L> && (tensor_like<R> || scalar_like<R>)) || \
                 (scalar_like<L> && tensor_like<R>))                       \
    detail::result<op::name, L, R> name(L&& l, R&& r) {                    \
        detail::result<op::name, L, R> e;                                  \
        detail::operand o[] = {std::forward<L>(l), std::forward<R>(r)};    \
        detail::build(e, op::name, o);                                     \
        return e;                                                          \
    }
#include <sinter/expr/each_row.inc>
#undef SINTER_UNARY
#undef SINTER_BINARY

/// `condition ? a : b`, element by element; condition is a Bool tensor.
template <tensor_like C, class L, class R>
    requires((tensor_like<L> || scalar_like<L>) && (tensor_like<R> || scalar_like<R>))
detail::result<op::where, C, L, R> where(C&& condition, L&& a, R&& b) {
    detail::result<op::where, C, L, R> e;
    detail::operand o[] = {std::forward<C>(condition), std::forward<L>(a), std::forward<R>(b)};
    detail::build(e, op::where, o);
    return e;
}

}  // namespace sinter::inline v1
