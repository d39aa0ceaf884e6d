// Pointwise expressions as types, and the operators that build them.
//
// An rvalue expression is a value: it owns its leaves (storage, version and shape, not the handle)
// and is moved into the expression that uses it. An expression with a name is a tensor: its first
// use makes it one pending tensor, kept in the object and shared by its copies.
//
// Every operation of a user's program is a type of its own, so a type has to cost the compiler next
// to nothing: it names its operands' types and computes nothing from them but sizes, the library
// flattens its program when its first object is made, and whatever would be emitted once a type is
// inlined even without optimization.
#pragma once

#include <sinter/expr/program.hpp>
#include <sinter/tensor.hpp>

#include <atomic>

/// For functions that only call the library, and are part of every expression.
#define SINTER_INLINE [[gnu::always_inline]] inline

namespace sinter::inline v1 {
namespace detail {

struct meta_view {
    const geometry* shape;
    ScalarType dtype;
};

/// Returns the result's shape and dtype. Throws Error if shapes, dtypes or devices do not fit.
SINTER_API expr_meta combine(op::id row, const meta_view* operands);
/// Returns the pending tensor of a program over leaves.
SINTER_API intrusive_ptr<TensorImpl> make_pointwise(const program_ref& program, const leaf* leaves,
                                                    const Scalar* scalars, const expr_meta& meta);
/// Returns a leaf that reads the tensor. Throws Error if the tensor is undefined.
SINTER_API leaf capture(const Tensor& t);

/// The named tensor of an expression, which the first thread publishes once.
class SINTER_API name_cell {
public:
    name_cell() = default;
    name_cell(const name_cell&) = delete;
    name_cell& operator=(const name_cell&) = delete;
    bool ready() const { return state_.load(std::memory_order_acquire) == 2; }
    /// Returns true for the one caller that must `publish`; other callers wait until it has.
    bool claim();
    void publish(Tensor&& t);
    void abandon();
    mutable Tensor tensor;

private:
    std::atomic<int> state_{0};
};

/// An operand of any kind. Not a template, so that an operation compiles fast.
struct operand {
    const tensor_base* tensor = nullptr;  // a tensor, or an expression with a name
    expr_base* expression = nullptr;      // a temporary expression, whose operands are moved
    union {
        Scalar number;  // of neither
    };

    operand(const tensor_base& t) : tensor(&t) {}  // NOLINT
    operand(expr_base&& e) : expression(&e) {}     // NOLINT
    template <scalar_like T>
    operand(const T& s) : number(s) {}  // NOLINT
};

/// The common base of all expression types. A type adds only room for its operands right after this
/// object: leaves, then scalars.
class SINTER_API expr_base : public tensor_base {
public:
    /// Returns the program of a temporary; its words live as long as the process.
    program_ref program() const;

protected:
    /// Checks and joins the operands of one operation.
    expr_base(program_record& record, op::id row, operand* operands);
    expr_base(expr_base&& o);  // NOLINT: naming what it holds may throw
    /// Copies share one value: the source gets its name first.
    expr_base(const expr_base& o);
    expr_base& operator=(const expr_base&) = delete;
    ~expr_base();
    void assign(const tensor_base& value);

private:
    friend Tensor;
    friend tensor_base;
    explicit expr_base(name_fn name);
    static Tensor& name(const tensor_base* base);
    Tensor moved_value();
    void move_value_into(const TensorImpl& target);
    Tensor pending() const;
    bool join_alike(const void* known, op::id row, operand& a, operand& b);
    void join(program_record& record, op::id row, operand* operands);
    static bool take_operand(operand& o, const TensorImpl* t, leaf*& leaves, Scalar*& scalars);
    leaf* leaf_room() const;
    Scalar* scalar_room() const;
    void move_operands(leaf* leaves, Scalar* scalars);
    void drop_operands();

    const void* code_ = nullptr;  // the library's program; null where there are no operands
    expr_meta meta_;
    bool by_type_ = true;  // whether that is the program of the type: no part became a tensor
    // Of all leaves, which share the result's geometry and device; Undefined: they may differ.
    ScalarType leaf_dtype_ = ScalarType::Undefined;
    name_cell cell_;
};

/// The part of an expression's type that stands for an operand of type T, a deduced forwarding
/// reference. Plain bools, because operators on enumerators would look up the operators below.
template <class T, bool Tensor>
struct named_part {  // an expression with a name is a tensor
    static constexpr bool tensor = true, any = true;
    using type = tensor_operand;
};
template <class T>
struct named_part<T, false> {
    static constexpr bool tensor = false, any = scalar_like<T>;
    using type = number_operand;
};
template <class T>
struct part : named_part<T, __is_base_of(tensor_base, T)> {};
template <class T>
struct part<T&> : part<const T> {};
template <op::id Op, class... P>
struct part<expr<Op, P...>> {
    static constexpr bool tensor = true, any = true;
    using type = expr<Op, P...>;
};

template <class T>
concept tensor_part = part<T>::tensor;
template <class T>
concept any_part = part<T>::any;
template <class L, class R>
concept binary_parts = part<L>::any && part<R>::any && (part<L>::tensor || part<R>::tensor);

/// The type of an operation on operands of types T.
template <op::id Op, class... T>
using result = expr<Op, typename part<T>::type...>;

}  // namespace detail

/// A pointwise operation as a value. It is moved into the expression that uses it; with a name it
/// is one pending tensor, and has all of its methods. Never written by hand: functions and
/// operators return it.
template <op::id Op, class... Operands>
class expr final : public detail::expr_base {
public:
    /// The numbers of tensors and of scalars that it reads.
    ///@{
    static constexpr int leaves = (Operands::leaves + ...), scalars = (Operands::scalars + ...);
    ///@}

    /// For the library.
    ///@{
    SINTER_INLINE explicit expr(detail::operand* operands) : expr_base(record, Op, operands) {}
    SINTER_INLINE expr(const expr& o) : expr_base(o) {}
    SINTER_INLINE expr(expr&& o)  // NOLINT: naming what it holds may throw
        : expr_base(static_cast<expr_base&&>(o)) {}
    SINTER_INLINE ~expr() {}
    ///@}
    /// Gives a named expression another value.
    ///@{
    SINTER_INLINE expr& operator=(const tensor_base& value) & {
        assign(value);
        return *this;
    }
    SINTER_INLINE expr& operator=(const expr& value) & {  // NOLINT: `assign` takes itself as well
        assign(value);
        return *this;
    }
    template <class T>
    expr& operator=(const T&) && = delete;
    ///@}

private:
    inline static constinit program_record record;

    alignas(leaf) unsigned char room_[leaves * sizeof(leaf) + scalars * sizeof(Scalar)];
};

// ---- operators. `!=` stands beside `==` because C++20 would otherwise take a reversed `==`.
#define SINTER_OPERATOR(symbol, row)                                              \
    template <class L, class R>                                                   \
        requires detail::binary_parts<L, R>                                       \
    SINTER_INLINE detail::result<op::row, L, R> operator symbol(L && l, R && r) { \
        detail::operand o[] = {static_cast<L&&>(l), static_cast<R&&>(r)};         \
        return detail::result<op::row, L, R>(o);                                  \
    }
/// The operator, element by element; sizes broadcast, and one operand may be a number. The same as
/// the functions add, sub, mul, div, remainder, eq, ne, lt, le, gt, ge, bitwise_and, bitwise_or and
/// bitwise_xor.
///@{
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
///@}
#undef SINTER_OPERATOR

/// neg().
template <detail::tensor_part T>
SINTER_INLINE detail::result<op::neg, T> operator-(T&& t) {
    detail::operand o[] = {static_cast<T&&>(t)};
    return detail::result<op::neg, T>(o);
}
/// bitwise_not().
template <detail::tensor_part T>
SINTER_INLINE detail::result<op::bitwise_not, T> operator~(T&& t) {
    detail::operand o[] = {static_cast<T&&>(t)};
    return detail::result<op::bitwise_not, T>(o);
}

// ---- free functions, one for each row and alias
#define SINTER_UNARY(name, row)                            \
    template <detail::tensor_part T>                       \
    SINTER_INLINE detail::result<op::row, T> name(T&& t) { \
        detail::operand o[] = {static_cast<T&&>(t)};       \
        return detail::result<op::row, T>(o);              \
    }
#define SINTER_BINARY(name, row)                                          \
    template <class L, class R>                                           \
        requires detail::binary_parts<L, R>                               \
    SINTER_INLINE detail::result<op::row, L, R> name(L&& l, R&& r) {      \
        detail::operand o[] = {static_cast<L&&>(l), static_cast<R&&>(r)}; \
        return detail::result<op::row, L, R>(o);                          \
    }
#include <sinter/expr/each_row.inc>
#undef SINTER_UNARY
#undef SINTER_BINARY

/// Returns `condition ? a : b`, element by element, of the promoted dtype; sizes broadcast. Throws
/// Error if they do not or the condition is neither Bool nor Byte.
template <detail::tensor_part C, detail::any_part L, detail::any_part R>
SINTER_INLINE detail::result<op::where, C, L, R> where(C&& condition, L&& a, R&& b) {
    detail::operand o[] = {static_cast<C&&>(condition), static_cast<L&&>(a), static_cast<R&&>(b)};
    return detail::result<op::where, C, L, R>(o);
}

#undef SINTER_INLINE
}  // namespace sinter::inline v1
