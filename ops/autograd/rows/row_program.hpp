// A pointwise function as rows over numbered values: what derivatives are written in, so that a
// derivative is fused like everything else and has derivatives itself.
#pragma once

#include <sinter/op/op.hpp>

#include <array>
#include <cstdint>
#include <vector>

namespace sinter::inline v1::autograd {

using value = int32_t;
inline constexpr value no_value = -1;

/// An input, a number, a row of earlier values, an earlier value in another dtype, a part of a
/// complex one, a complex one joined of its parts, or polygamma of one.
struct row_value {
    enum class kind : uint8_t { input, number, row, cast, part, join, polygamma };
    kind is = kind::input;
    op::id row = op::count;
    std::array<value, 3> operands{no_value, no_value, no_value};
    // Of a number, as double; the order of polygamma; 1 for an imaginary part.
    uint64_t bits = 0;
    // Of a cast, Undefined if of a number; of a part; of a row, if it computes in complex numbers.
    ScalarType from = ScalarType::Undefined;
    ScalarType to = ScalarType::Undefined;  // of a cast, a join, and a row that draws numbers
    // Of a clamp, minimum or maximum whose bounds are numbers.
    bool by_numbers = false;

    bool operator==(const row_value&) const = default;
};

class row_program {
public:
    /// The first values are the inputs.
    explicit row_program(int inputs);

    int inputs() const { return inputs_; }
    const std::vector<row_value>& values() const { return values_; }
    const row_value& at(value v) const { return values_[static_cast<std::size_t>(v)]; }

    /// Each returns the value; equal ones are one.
    value number(double x);
    value apply(op::id row, value a, value b = no_value, value c = no_value);
    value draw(op::id row, value a, value b, ScalarType to);
    value cast(value a, ScalarType from, ScalarType to);
    value polygamma(int order, value a);
    value part(value a, ScalarType from, int which);
    value join(value re, value im, ScalarType to);
    value conjugate(value a, ScalarType dtype);
    /// Appends what another program computes from these operands.
    value repeat(const row_value& of, const std::array<value, 3>& operands);

    std::vector<value> outputs;

private:
    value add(const row_value& v);

    int inputs_;
    std::vector<row_value> values_;
};

}  // namespace sinter::inline v1::autograd
