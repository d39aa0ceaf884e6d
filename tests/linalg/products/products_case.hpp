// Shared by the tests of products and of linear algebra through tensors.
#pragma once

#include <sinter/sinter.hpp>

#include <string>
#include <vector>

namespace sinter::test {

/// Returns small whole numbers, whose products are exact in every dtype; complex ones have both
/// parts.
inline Tensor numbers(IntArrayRef sizes, ScalarType dtype = kDouble, int64_t start = 0) {
    int64_t n = 1;
    for (int64_t s : sizes) n *= s;
    const Tensor whole = arange(start, start + n) % 7 - 3;
    if (!isComplexType(dtype)) return whole.to(dtype).reshape(sizes);
    const Tensor other = arange(start, start + n) % 5 - 2;
    const ScalarType part = toRealValueType(dtype);
    return complex(whole.to(part), other.to(part)).reshape(sizes);
}

/// Returns a wide dtype of the same kind, in which such products are exact.
inline ScalarType wide(ScalarType dtype) { return isComplexType(dtype) ? kComplexDouble : kDouble; }

/// Computes element (.., i, j) of a product by hand.
inline Tensor by_hand(const Tensor& a, const Tensor& b) {
    const ScalarType w = wide(a.scalar_type());
    return (a.to(w).unsqueeze(-1) * b.to(w).unsqueeze(-3)).sum(-2);
}

template <class E = Error, class F>
std::string error_of(F&& f) {
    try {
        f();
    } catch (const E& e) {
        return e.what();
    } catch (const std::exception& e) {
        return std::string("another exception: ") + e.what();
    }
    return "no error";
}

inline std::vector<int64_t> sizes(const Tensor& t) { return t.sizes().vec(); }
using list = std::vector<int64_t>;

inline constexpr ScalarType numeric[] = {kByte, kChar,  kShort,  kInt,          kLong,
                                         kHalf, kFloat, kDouble, kComplexFloat, kComplexDouble};

}  // namespace sinter::test
