// Statements that make values: new data, random draws, pointwise expressions.
#include "tests/property/program.hpp"

#include <cmath>
#include <limits>

namespace sinter::test {

namespace {

constexpr int64_t small = 9000;  // elements; bounds the run time of a program

constexpr ScalarType dtypes[] = {kByte, kChar,     kShort, kInt,    kLong,
                                 kHalf, kBFloat16, kFloat, kDouble, kBool};

const double special[] = {0.0,  -0.0,          1.0,          -1.0,   INFINITY, -INFINITY,
                          NAN,  1e-42,         -6e-8,        5e-324, 65504.0,  65520.0,
                          3e38, -2147483648.0, 2147483648.0, 255.0,  256.0,    0.5};

Tensor from_values(chooser& c, IntArrayRef sizes, ScalarType dtype) {
    int64_t n = 1;
    for (int64_t s : sizes) n *= s;
    std::vector<double> v(static_cast<std::size_t>(n));
    const bool odd = c.chance(4);
    for (double& x : v) {
        x = static_cast<double>(c.between(-4000, 4000)) / 512;
        if (odd && c.chance(8)) x = special[c.below(std::size(special))];
    }
    const Tensor x = tensor(v, kDouble).to(isComplexType(dtype) ? toRealValueType(dtype) : dtype);
    return (isComplexType(dtype) ? Tensor(sinter::complex(x, x.flip(0))) : x).view(sizes);
}

expression_builder number(chooser& c, bool nonzero) {
    switch (c.below(4)) {
        case 0: return expression_builder(Scalar(nonzero ? c.between(1, 7) : c.between(-3, 7)));
        case 1: return expression_builder(Scalar(static_cast<double>(c.between(1, 40)) / 8));
        case 2: return expression_builder(Scalar(nonzero ? 1.5 : c.chance(2) ? -0.0 : 0.0));
        default: return expression_builder(Scalar(c.between(1, 3)));
    }
}

bool divides(op::id row) {
    return row == op::floor_divide || row == op::remainder || row == op::fmod;
}

}  // namespace

std::optional<std::vector<int64_t>> small_broadcast(IntArrayRef a, IntArrayRef b) {
    std::vector<int64_t> out(std::max(a.size(), b.size()));
    int64_t n = 1;
    for (std::size_t i = 0; i < out.size(); ++i) {
        const int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1,
                      y = i < b.size() ? b[b.size() - 1 - i] : 1;
        if (x != y && x != 1 && y != 1) return std::nullopt;
        const int64_t e = x == 1 ? y : x;
        out[out.size() - 1 - i] = e;
        n *= e;
    }
    if (n > small || out.size() > 5) return std::nullopt;
    return out;
}

std::vector<int64_t> random_sizes(chooser& c) {
    static constexpr int64_t edge[] = {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33};
    static constexpr int64_t large[] = {4095, 4096, 4097, 8191, 8193};
    if (c.chance(12)) return {large[c.below(5)]};
    if (c.chance(40)) return {c.between(1, 2), large[c.below(3)]};
    // Few shapes, so that operands often fit each other.
    static constexpr int64_t common[] = {4, 4, 8, 3};
    std::vector<int64_t> s;
    const int64_t rank = c.below(5);
    for (int64_t i = 0; i < rank; ++i) {
        if (rank <= 2 && c.chance(2))
            s.push_back(edge[c.below(std::size(edge))]);
        else if (c.chance(40))
            s.push_back(0);
        else if (c.chance(6))
            s.push_back(1);
        else
            s.push_back(common[i]);
    }
    return s;
}

ScalarType random_dtype(chooser& c) {
    if (c.chance(3)) return kFloat;
    if (c.chance(7)) return c.chance(3) ? kComplexDouble : kComplexFloat;
    return dtypes[c.below(std::size(dtypes))];
}

Tensor machine::fresh(chooser& c, bool floating) {
    static constexpr ScalarType real[] = {kFloat, kDouble, kHalf, kBFloat16, kFloat};
    const ScalarType dtype = floating ? real[c.below(5)] : random_dtype(c);
    const std::vector<int64_t> sizes = random_sizes(c);
    const IntArrayRef s(sizes);
    for (int64_t e : sizes) ++counts_->extents[std::to_string(e)];
    ++counts_->dtypes[toString(dtype)];
    say(" ", dtype, s);
    switch (c.below(12)) {
        case 0: say(" zeros"); return zeros(s, dtype);
        case 1: say(" ones"); return ones(s, dtype);
        case 2: say(" full"); return full(s, c.between(0, 1), dtype);
        case 3: {
            int64_t n = 1;
            for (int64_t e : sizes) n *= e;
            say(" arange");
            return arange(n, kLong).to(dtype).view(s);
        }
        case 4:
            say(" linspace");
            return linspace(-1.5, 2.5, sizes.empty() ? 3 : sizes[0]).to(dtype);
        case 5: say(" eye"); return eye(c.between(0, 9), c.between(1, 9), dtype);
        case 6: {
            say(" empty, filled");
            Tensor t = empty(s, dtype);
            t.fill_(c.between(0, 1));
            return t;
        }
        default: say(" values"); return from_values(c, s, dtype);
    }
}

Tensor machine::draw(chooser& c) {
    static constexpr ScalarType real[] = {kFloat, kDouble, kHalf, kBFloat16};
    const std::vector<int64_t> sizes = random_sizes(c);
    const ScalarType dtype = real[c.below(4)];
    switch (c.below(5)) {
        case 0:
            say(" manual_seed");
            manual_seed(c.bits());
            [[fallthrough]];
        case 1:
            ++counts_->rows[op::philox_uniform];
            say(" rand");
            return rand(sizes, dtype);
        case 2:
            ++counts_->rows[op::philox_normal];
            say(" randn");
            return randn(sizes, dtype);
        case 3:
            ++counts_->rows[op::philox_bits];
            say(" randint");
            return randint(-20, 20, sizes);
        default:
            ++counts_->rows[op::philox_bits];
            say(" randint int");
            return randint(5, sizes, kInt);
    }
}

/// Applies one more row to `e`; `sizes` are the result's. Throws if dtypes do not fit.
expression_builder machine::apply_row(op::id row, const expression_builder& e,
                                      std::vector<int64_t>& sizes, chooser& c) {
    using E = expression_builder;
    const int arity = op::rows[row].arity;
    if (row == op::where) {
        const E condition =
            c.chance(2) ? E::apply(op::gt, {e, E(Scalar(0.25))}) : E::apply(op::isfinite, {e});
        return E::apply(row, {condition, e, number(c, false)});
    }
    if (arity == 1) return E::apply(row, {e});
    if (arity == 3) return E::apply(row, {e, E(Scalar(-1)), number(c, false)});
    const std::optional<std::size_t> other = fitting(c, sizes, false);
    if (!other || c.chance(4)) {
        const bool left = c.chance(5) && !divides(row) && row != op::pow;
        E n = number(c, divides(row));
        return left ? E::apply(row, {n, e}) : E::apply(row, {e, n});
    }
    const Tensor& b = slots_[*other];
    E right(b);
    // An integer division by zero throws, in lazy mode later. Other tests cover it.
    if (divides(row) && isIntegralType(b.scalar_type(), true))
        right = E::apply(op::bitwise_or, {right, E(Scalar(1))});
    const std::vector<int64_t> result = *small_broadcast(sizes, b.sizes());
    E r = c.chance(3) && !divides(row) ? E::apply(row, {right, e}) : E::apply(row, {e, right});
    say(" with s", *other);
    sizes = result;
    return r;
}

expression_builder machine::expression(chooser& c, const Tensor& first, int depth) {
    using E = expression_builder;
    E e(first);
    std::vector<int64_t> sizes = first.sizes().vec();
    for (int k = 0; k < depth; ++k) {
        auto row = static_cast<op::id>(c.below(op::count));
        if (k == 0 && c.chance(2) && isIntegralType(first.scalar_type(), false))
            row = c.chance(4)
                      ? c.chance(2) ? op::gcd : op::lcm
                      : static_cast<op::id>(op::bitwise_not +
                                            c.below(op::bitwise_right_shift - op::bitwise_not + 1));
        for (int attempt = 0; attempt < 6;
             ++attempt, row = static_cast<op::id>((row + 7) % op::count)) {
            if (op::rows[row].rule == dtype_rule::random) continue;
            try {
                say(" ", op::rows[row].name);
                E next = apply_row(row, e, sizes, c);
                e = next;
                ++counts_->rows[row];
                break;
            } catch (const Error&) {
                say("(refused)");
            }
        }
        // Keeps values from all becoming NaN.
        if (c.chance(3)) {
            say(" tamed");
            e = E::apply(op::where, {E::apply(op::isfinite, {e}), e, E(Scalar(1))});
        }
    }
    return e;
}

}  // namespace sinter::test
