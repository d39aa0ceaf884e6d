// Pointwise functions written as formulas. A `term` is a program over leaves and numbers with the
// operators of the table's rows. A `formula` is one call, which returns or writes the value of a
// term.
#pragma once

#include "ops/common/op_checks.hpp"

#include <initializer_list>
#include <utility>

namespace sinter::ops {

class term {
public:
    explicit term(sequence code) : code_(std::move(code)) {}
    term(double number) { code_.number(number); }         // NOLINT: as in a formula
    term(int number) { code_.number(number); }            // NOLINT
    term(const Scalar& number) { code_.number(number); }  // NOLINT

    static term apply(op::id row, term a);
    static term apply(op::id row, term a, const term& b);
    static term apply(op::id row, term a, const term& b, const term& c);
    sequence& code() { return code_; }

private:
    sequence code_;
};

#define SINTER_TERM_OPERATOR(symbol, row)                \
    inline term operator symbol(term a, const term& b) { \
        return term::apply(op::row, std::move(a), b);    \
    }
SINTER_TERM_OPERATOR(+, add)
SINTER_TERM_OPERATOR(-, sub)
SINTER_TERM_OPERATOR(*, mul)
SINTER_TERM_OPERATOR(/, div)
SINTER_TERM_OPERATOR(<, lt)
SINTER_TERM_OPERATOR(<=, le)
SINTER_TERM_OPERATOR(>, gt)
SINTER_TERM_OPERATOR(>=, ge)
SINTER_TERM_OPERATOR(==, eq)
#undef SINTER_TERM_OPERATOR

inline term choose(term condition, const term& a, const term& b) {
    return term::apply(op::where, std::move(condition), a, b);
}

/// One call of a pointwise function: the shape and dtype of its result, and the opmath type, which
/// is Float for Half and BFloat16.
class formula {
public:
    /// The tensors broadcast; the result has their common dtype.
    formula(const char* name, std::initializer_list<const TensorImpl*> tensors);

    const char* name() const { return name_; }
    ScalarType dtype() const { return dtype_; }
    ScalarType compute() const { return compute_; }
    /// Sets the dtype of the result, and the opmath type with it.
    void set_dtype(ScalarType dtype);
    /// Changes an integer or bool result to the default dtype.
    void floating();
    /// Throw NotImplementedError: require_floating for integers and bool, require_numbers for bool.
    void require_floating() const;
    void require_numbers() const;
    /// Throws Error unless all tensors have one dtype.
    void require_equal_dtypes() const;
    /// Returns a number in the opmath type. For an integer type its fraction is dropped.
    Scalar number(const Scalar& s) const;

    /// Returns the tensor's elements in the opmath type.
    term read(const TensorImpl& t) const;
    Tensor pending(term value) const;
    /// Writes the value into an operand, which the other operands must not partly overlap.
    void write(term value, const TensorImpl& target) const;

private:
    void finish(term& value, ScalarType to) const;

    const char* name_;
    std::array<const TensorImpl*, 3> tensors_{};
    std::size_t count_ = 0;
    std::vector<int64_t> sizes_;
    ScalarType dtype_, compute_;
};

}  // namespace sinter::ops
