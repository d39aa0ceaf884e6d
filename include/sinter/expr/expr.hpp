// Pointwise expressions as types, and the operators that build them.
//
// An rvalue expression is a value: it owns its leaves (storage, version and shape, not the handle) and
// is moved into the expression that uses it. An expression with a name is a tensor: its first use
// makes it one pending tensor, kept in the object and shared by its copies. Types flatten at once:
// a type is the program's words, never a nested tree.
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

template <class T>
struct part;  // how an operand contributes: counts, words, capture

template <int A, int B, uint16_t... W>
struct words {
    static constexpr int leaves = A, scalars = B;
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

struct tensor_part {
    using program = words<1, 0, token_leaf>;
    leaf captured;
    ScalarType dtype;
    explicit tensor_part(const Tensor& t) : captured(capture(t)), dtype(t.scalar_type()) {}
    meta_view meta() const { return {captured.shape.get(), dtype}; }
    void move_to(leaf* l, Scalar*) { *l = std::move(captured); }
};
struct scalar_part {
    using program = words<0, 1, token_scalar>;
    Scalar value;
    explicit scalar_part(const Scalar& s) : value(s) {}
    meta_view meta() const { return {nullptr, value.type()}; }
    void move_to(leaf*, Scalar* s) { *s = value; }
};
template <class E>
struct rvalue_part;
template <int NL, int NS, uint16_t... W>
struct rvalue_part<expr<NL, NS, W...>> {
    using program = words<NL, NS, W...>;
    expr<NL, NS, W...>& e;
    explicit rvalue_part(expr<NL, NS, W...>& x) : e(x) {}
    meta_view meta() const { return {e.meta_.shape.get(), e.meta_.dtype}; }
    void move_to(leaf* l, Scalar* s) {
        for (int i = 0; i < NL; ++i) l[i] = std::move(e.leaves_[i]);
        for (int i = 0; i < NS; ++i) s[i] = e.scalars_[i];
    }
};

inline tensor_part as_part(const tensor_base& t) { return tensor_part(t.self()); }
template <int NL, int NS, uint16_t... W>
rvalue_part<expr<NL, NS, W...>> as_part(expr<NL, NS, W...>&& e) {
    return rvalue_part<expr<NL, NS, W...>>(e);
}
inline scalar_part as_part(const Scalar& s) { return scalar_part(s); }

template <uint16_t Op, class... P>
typename join<Op, typename P::program...>::type make_node(P... parts) {
    const meta_view metas[] = {parts.meta()...};
    typename join<Op, typename P::program...>::type e(combine(static_cast<op::id>(Op), metas));
    int l = 0, s = 0;
    ((parts.move_to(e.leaves_ + l, e.scalars_ + s), l += P::program::leaves, s += P::program::scalars),
     ...);
    // Bytes that the outside may change between two statements are read within this one.
    bool external = false;
    for (const leaf& x : e.leaves_) external |= x.external;
    if (external) e.self();
    return e;
}

}  // namespace detail

template <int NL, int NS, uint16_t... W>
class expr : public tensor_base {
public:
    static constexpr uint16_t words[] = {W...};
    static constexpr program_ref program() {
        return {words, sizeof...(W), NL, NS, program_digest(words, sizeof...(W))};
    }

    explicit expr(expr_meta meta) : tensor_base(&name), meta_(std::move(meta)) {}
    /// Copies share one value: the source gets its name first.
    expr(const expr& o) : tensor_base(&name) { cell_.publish(Tensor(o.self())); }
    expr(expr&& o) : tensor_base(&name) {
        if (o.cell_.ready()) cell_.publish(Tensor(o.cell_.tensor));
        for (int i = 0; i < NL; ++i) leaves_[i] = std::move(o.leaves_[i]);
        for (int i = 0; i < NS; ++i) scalars_[i] = o.scalars_[i];
        meta_ = std::move(o.meta_);
    }
    /// A named expression is a tensor: it can be given another value of the same shape rules.
    template <tensor_like T>
    expr& operator=(const T& value) & {
        self() = Tensor(value.self());
        return *this;
    }
    expr& operator=(const expr& value) & {
        self() = Tensor(value.self());
        return *this;
    }
    template <class T>
    expr& operator=(const T&) && = delete;

    /// The pending tensor of a temporary expression.
    Tensor take() && {
        if (cell_.ready()) return cell_.tensor;
        return Tensor(detail::make_pointwise(program(), leaves_, scalars_, meta_));
    }

private:
    template <class>
    friend struct detail::rvalue_part;
    template <uint16_t Op, class... P>
    friend typename detail::join<Op, typename P::program...>::type detail::make_node(P... parts);

    static Tensor& name(const tensor_base* base) {
        auto& e = const_cast<expr&>(static_cast<const expr&>(*base));
        if (e.cell_.ready() || !e.cell_.claim()) return e.cell_.tensor;
        try {
            e.cell_.publish(
                Tensor(detail::make_pointwise(program(), e.leaves_, e.scalars_, e.meta_)));
        } catch (...) {
            e.cell_.abandon();
            throw;
        }
        // The leaves stay: `std::move(e) * 2` composes them.
        return e.cell_.tensor;
    }

    leaf leaves_[NL];
    Scalar scalars_[NS > 0 ? NS : 1];
    expr_meta meta_;
    detail::name_cell cell_;
};

// ---- operators. `!=` stands beside `==` because C++20 would otherwise take a reversed `==`.
#define SINTER_OPERATOR(symbol, row)                                                         \
    template <class L, class R>                                                              \
        requires((tensor_like<L> && (tensor_like<R> || scalar_like<R>)) ||                   \
                 (scalar_like<L> && tensor_like<R>))                                         \
    auto operator symbol(L&& l, R&& r) {                                                     \
        return detail::make_node<op::row>(detail::as_part(std::forward<L>(l)),               \
                                          detail::as_part(std::forward<R>(r)));              \
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
auto operator-(T&& t) {
    return detail::make_node<op::neg>(detail::as_part(std::forward<T>(t)));
}
template <tensor_like T>
auto operator~(T&& t) {
    return detail::make_node<op::bitwise_not>(detail::as_part(std::forward<T>(t)));
}

// ---- free functions, one a row
#define SINTER_UNARY(name)                                                        \
    template <tensor_like T>                                                      \
    auto name(T&& t) {                                                            \
        return detail::make_node<op::name>(detail::as_part(std::forward<T>(t)));  \
    }
#define SINTER_BINARY(name)                                                       \
    template <class L, class R>                                                   \
        requires((tensor_like<L> && (tensor_like<R> || scalar_like<R>)) ||        \
                 (scalar_like<L> && tensor_like<R>))                              \
    auto name(L&& l, R&& r) {                                                     \
        return detail::make_node<op::name>(detail::as_part(std::forward<L>(l)),   \
                                           detail::as_part(std::forward<R>(r)));  \
    }
#include <sinter/expr/each_row.inc>
#undef SINTER_UNARY
#undef SINTER_BINARY

/// `condition ? a : b`, element by element; condition is a Bool tensor.
template <tensor_like C, class L, class R>
    requires((tensor_like<L> || scalar_like<L>) && (tensor_like<R> || scalar_like<R>))
auto where(C&& condition, L&& a, R&& b) {
    return detail::make_node<op::where>(detail::as_part(std::forward<C>(condition)),
                                        detail::as_part(std::forward<L>(a)),
                                        detail::as_part(std::forward<R>(b)));
}

}  // namespace sinter::inline v1
