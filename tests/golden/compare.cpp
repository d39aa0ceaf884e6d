#include "tests/golden/compare.hpp"

#include "tests/support/element_types.hpp"

#include <bit>
#include <cmath>
#include <cstdio>
#include <typeinfo>

namespace sinter::golden {
namespace {

/// Maps numbers of a type to integers in the same order, so that a difference counts ULP.
int64_t ordered(uint64_t bits, ScalarType type) {
    // NOLINTNEXTLINE(clang-analyzer-core.BitwiseShift): `type` is a floating dtype
    const uint64_t sign = uint64_t{1} << (elementSize(type) * 8 - 1);
    return bits & sign ? -static_cast<int64_t>(bits & (sign - 1)) : static_cast<int64_t>(bits);
}

double value_of(uint64_t bits, ScalarType type) {
    switch (type) {
        case kHalf: return Half::from_bits(static_cast<uint16_t>(bits));
        case kBFloat16: return BFloat16::from_bits(static_cast<uint16_t>(bits));
        case kFloat: return std::bit_cast<float>(static_cast<uint32_t>(bits));
        case kDouble: return std::bit_cast<double>(bits);
        default: return static_cast<double>(static_cast<int64_t>(bits));
    }
}

double smallest_normal(ScalarType type) { return finfo(type).tiny; }

bool close(uint64_t got, uint64_t expected, ScalarType type, double ulp, const golden_call& c) {
    if (got == expected) return true;
    if (!isFloatingType(type)) return false;
    if (testing::is_nan(type, got) || testing::is_nan(type, expected))
        return testing::is_nan(type, got) && testing::is_nan(type, expected);
    const double x = value_of(got, type), y = value_of(expected, type);
    if ((c.bound > 0 || c.relative > 0) && std::isfinite(x) && std::isfinite(y))
        return std::fabs(x - y) <= c.bound + c.relative * std::fabs(y);
    if (ulp == 0 || std::isinf(y) != std::isinf(x)) return false;
    // The exp(-x) of a formula overflows while the result is still subnormal.
    if (std::fabs(x) < smallest_normal(type) && std::fabs(y) < smallest_normal(type)) return true;
    return std::fabs(static_cast<double>(ordered(got, type) - ordered(expected, type))) <= ulp;
}

/// PyTorch's functions are not exact either. Their error is assumed to be as large as ours, plus
/// one rounding.
double allowed_ulp(const entry& e, ScalarType type) {
    const double own = type == kDouble ? e.ulp_f64 : e.ulp_f32;
    if (own == 0) return 0;
    return type == kHalf || type == kBFloat16 ? 1 : std::ceil(2 * own) + 1;
}

std::string shown(IntArrayRef sizes) {
    std::string s = "[";
    for (std::size_t i = 0; i < sizes.size(); ++i) s += (i ? "," : "") + std::to_string(sizes[i]);
    return s + "]";
}

}  // namespace

std::string difference(const Tensor& t, const expected_tensor& e, const golden_call& c,
                       const entry& f, bool views) {
    if (t.scalar_type() != e.dtype)
        return std::string("dtype ") + toString(t.scalar_type()) + ", expected " +
               toString(e.dtype);
    if (t.sizes() != IntArrayRef(e.sizes))
        return "sizes " + shown(t.sizes()) + ", expected " + shown(e.sizes);
    if (e.is_view && views) {
        if (!c.args.t(0).defined() || !t.is_alias_of(c.args.t(0))) return "a copy, expected a view";
        if (t.strides() != IntArrayRef(e.strides))
            return "strides " + shown(t.strides()) + ", expected " + shown(e.strides);
        if (t.storage_offset() != e.offset)
            return "offset " + std::to_string(t.storage_offset()) + ", expected " +
                   std::to_string(e.offset);
    }
    const Tensor dense = t.cpu().contiguous();
    const void* memory = dense.const_data_ptr();
    const ScalarType type = toRealValueType(e.dtype);
    const auto words = static_cast<int64_t>(e.bits.size());
    const int64_t parts = isComplexType(e.dtype) ? 2 : 1;
    if (e.step == 0) return {};  // not unique
    if ((dense.numel() + e.step - 1) / e.step * parts != words)
        return "the line has " + std::to_string(e.bits.size()) + " elements";
    for (int64_t k = 0; k < words; ++k) {
        const int64_t i = k / parts * e.step * parts + k % parts;
        const uint64_t got = bits_at(memory, i, type), want = e.bits[static_cast<std::size_t>(k)];
        if (close(got, want, type, allowed_ulp(f, type), c)) continue;
        char text[200];
        std::snprintf(text, sizeof text, "%s %lld is %.17g (%llx), expected %.17g (%llx)",
                      isComplexType(e.dtype) ? "part" : "element", static_cast<long long>(i),
                      value_of(got, type), static_cast<unsigned long long>(got),
                      value_of(want, type), static_cast<unsigned long long>(want));
        return text;
    }
    return {};
}

/// PyTorch's exceptions have the same classes here. Its RuntimeError is Error, for which Sinter may
/// throw a more specific class for the types or the values of the operands.
std::string wrong_error(const Error& got, const std::string& expected) {
    const std::type_info& type = typeid(got);
    const bool refined = type == typeid(TypeError) || type == typeid(ValueError) ||
                         type == typeid(NotImplementedError);
    const bool fits = expected == "IndexError"            ? type == typeid(IndexError)
                      : expected == "ValueError"          ? type == typeid(ValueError)
                      : expected == "TypeError"           ? type == typeid(TypeError)
                      : expected == "LinAlgError"         ? type == typeid(LinAlgError)
                      : expected == "NotImplementedError" ? type == typeid(NotImplementedError)
                                                          : refined || type == typeid(Error);
    return fits ? ""
                : std::string("threw ") + type.name() + " '" + got.what() + "', expected " +
                      expected;
}

}  // namespace sinter::golden
