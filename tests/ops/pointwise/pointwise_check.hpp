// Pointwise functions against plain loops in double, over dtypes, views and both modes.
#pragma once

#include "tests/ops/check.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace sinter::test {

inline std::vector<double> doubles(const tensor_base& t) {
    return elements<double>(t.to(kDouble).contiguous());
}

/// Values of shape {4, 6} from -4 to 4, including zero and halves, and views of it.
inline Tensor grid(ScalarType dtype) {
    return (arange(24, kDouble) * 0.34375 - 4).where(arange(24) != 11, 0.0).view({4, 6}).to(dtype);
}
inline std::vector<Tensor> views_of(const Tensor& t) {
    return {t,
            t.t(),
            t.slice(1, 1, nullopt, 2),
            t.slice(0, 1, 3).t(),
            t.select(1, 2),
            t.select(0, 1).select(0, 3),
            t.slice(0, 2, 2),
            t.select(1, 1).unsqueeze(1).expand({4, 3})};
}

/// Checks dtype and sizes, and that each result is within `places` ULP of the reference in its
/// dtype.
inline void check_near(const tensor_base& got, ScalarType dtype, IntArrayRef sizes,
                       const std::vector<double>& expected, double places = 3) {
    REQUIRE((got.scalar_type() == dtype));
    REQUIRE(got.sizes() == sizes);
    const std::vector<double> values = doubles(got);
    REQUIRE(values.size() == expected.size());
    const double eps = isFloatingType(dtype) ? finfo(dtype).eps : 0;
    const double least = isFloatingType(dtype) ? finfo(dtype).tiny : 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        CAPTURE(i);
        CAPTURE(values[i]);
        CAPTURE(expected[i]);
        if (std::isnan(expected[i]) || std::isinf(expected[i]))
            CHECK((values[i] == expected[i] || (std::isnan(values[i]) && std::isnan(expected[i]))));
        else
            CHECK(std::fabs(values[i] - expected[i]) <=
                  places * eps * std::max(std::fabs(expected[i]), least));
    }
}

inline constexpr ScalarType floats[] = {kHalf, kBFloat16, kFloat, kDouble};

/// Compares f(tensor) with reference(element) over floats, views and modes.
template <class F, class R>
void check_unary(const F& f, const R& reference, double places = 3) {
    for_each_mode([&] {
        for (ScalarType dtype : floats) {
            CAPTURE(dtype);
            for (const Tensor& x : views_of(grid(dtype))) {
                std::vector<double> expected = doubles(x);
                for (double& e : expected) e = reference(e);
                check_near(f(x), dtype, x.sizes(), expected, places);
            }
        }
    });
}

/// Checks that the in-place form gives the same as the returning form, through a view, and writes
/// nothing else.
template <class F, class W>
void check_writing(const F& f, const W& write, ScalarType dtype = kFloat) {
    for_each_mode([&] {
        Tensor whole = grid(dtype), expected = grid(dtype);
        const Tensor part = whole.t().slice(0, 1, nullopt, 2), value = f(part);
        expected.t().slice(0, 1, nullopt, 2).copy_(value);
        const Tensor& back = write(part);
        CHECK(back.is_same(part));
        CHECK(equal(whole, expected));
    });
}

}  // namespace sinter::test
