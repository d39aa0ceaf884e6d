// Gradients of functions of one element.
#include "tests/ops/autograd/gradient_rows.hpp"

#include <doctest/doctest.h>

namespace testing {

using namespace sinter;

// Of numbers in [low, high): the function, and its form in place.
#define UNARY(name, of, low, high)                         \
    GRADIENT_ROW(#name, of, name(a), {{2, 3}, low, high}), \
        GRADIENT_ROW(#name "/in place", of, a.clone().name##_(), {{2, 3}, low, high})
// Without a form in place.
#define PLAIN(name, of, low, high) GRADIENT_ROW(#name, of, name(a), {{2, 3}, low, high})

std::vector<gradient_row> unary_rows() {
    return {
        UNARY(neg, complex_too, -1, 1),
        UNARY(negative, complex_too, -1, 1),
        PLAIN(positive, complex_too, -1, 1),
        UNARY(abs, real, 0.2, 2),
        GRADIENT_ROW("abs/negative", complex_too, sinter::abs(a), {{2, 3}, -2, -0.2}),
        UNARY(absolute, real, 0.2, 2),
        PLAIN(absolute, complex_too, 0.2, 2),
        UNARY(sign, real, 0.2, 2),
        UNARY(sgn, complex_too, 0.2, 2),
        UNARY(square, complex_too, -1, 1),
        UNARY(deg2rad, real, -1, 1),
        UNARY(rad2deg, real, -1, 1),
        UNARY(reciprocal, complex_too, 0.5, 2),
        UNARY(frexp_mantissa, real, 1.1, 1.9),
        GRADIENT_ROW("frexp", real, std::get<0>(frexp(a)), {{2, 3}, 1.1, 1.9}),
        UNARY(relu, real, 0.2, 2),
        GRADIENT_ROW("relu/negative", real, relu(a), {{2, 3}, -2, -0.2}),
        UNARY(relu6, real, 0.2, 5),
        GRADIENT_ROW("relu6/above", real, relu6(a), {{2, 3}, 6.2, 8}),
        UNARY(sqrt, complex_too, 0.3, 2),
        UNARY(rsqrt, complex_too, 0.3, 2),
        UNARY(exp, complex_too, -1, 1),
        UNARY(exp2, complex_too, -1, 1),
        UNARY(expm1, complex_too, -1, 1),
        UNARY(log, complex_too, 0.3, 2),
        UNARY(log1p, complex_too, -0.5, 1),
        UNARY(log2, complex_too, 0.3, 2),
        UNARY(log10, complex_too, 0.3, 2),
        UNARY(logit, real, 0.1, 0.9),
        UNARY(entr, real, 0.1, 2),
        UNARY(sin, complex_too, -1.5, 1.5),
        UNARY(cos, complex_too, -1.5, 1.5),
        UNARY(tan, complex_too, -1, 1),
        UNARY(asin, complex_too, -0.8, 0.8),
        UNARY(arcsin, complex_too, -0.8, 0.8),
        UNARY(acos, complex_too, -0.8, 0.8),
        UNARY(arccos, complex_too, -0.8, 0.8),
        UNARY(atan, complex_too, -0.8, 0.8),
        UNARY(arctan, complex_too, -0.8, 0.8),
        UNARY(sinc, complex_too, 0.1, 1),
        GRADIENT_ROW("sinc/near zero", real, sinc(a), {{2, 3}, -0.01, 0.01}),
        UNARY(sinh, complex_too, -1, 1),
        UNARY(cosh, complex_too, -1, 1),
        UNARY(tanh, complex_too, -1, 1),
        UNARY(asinh, complex_too, -1, 1),
        UNARY(arcsinh, complex_too, -1, 1),
        UNARY(acosh, complex_too, 1.2, 3),
        UNARY(arccosh, complex_too, 1.2, 3),
        UNARY(atanh, complex_too, -0.8, 0.8),
        UNARY(arctanh, complex_too, -0.8, 0.8),
        UNARY(erf, real, -1.5, 1.5),
        UNARY(erfc, real, -1.5, 1.5),
        UNARY(silu, real, -2, 2),
        UNARY(mish, real, -2, 2),
        PLAIN(softplus, real, -2, 2),
        UNARY(log_sigmoid, real, -2, 2),
        UNARY(softsign, real, 0.2, 2),
        GRADIENT_ROW("softsign/negative", real, softsign(a), {{2, 3}, -2, -0.2}),
        UNARY(hardsigmoid, real, -2, 2),
        GRADIENT_ROW("hardsigmoid/above", real, hardsigmoid(a), {{2, 3}, 3.5, 5}),
        UNARY(hardswish, real, -2, 2),
        GRADIENT_ROW("hardswish/above", real, hardswish(a), {{2, 3}, 3.5, 5}),
        GRADIENT_ROW("hardswish/below", real, hardswish(a), {{2, 3}, -5, -3.5}),
        UNARY(sigmoid, complex_too, -2, 2),
        UNARY(erfinv, real, -0.8, 0.8),
        UNARY(erfcx, real, -1, 2),
        UNARY(ndtr, real, -2, 2),
        UNARY(log_ndtr, real, -3, 2),
        UNARY(ndtri, real, 0.1, 0.9),
        UNARY(lgamma, real, 0.3, 3),
        UNARY(digamma, real, 0.5, 3),
        UNARY(trigamma, real, 0.7, 3),
        GRADIENT_ROW("trigamma/negative", real, trigamma(a), {{2, 3}, -0.7, -0.3}),
        UNARY(spherical_bessel_j0, real, 0.05, 3),
        UNARY(i0, real, -2, 2),
        UNARY(i0e, real, 0.2, 2),
        UNARY(i1, real, 0.2, 2),
        UNARY(i1e, real, 0.2, 2),
        UNARY(bessel_j0, real, -2, 2),
        UNARY(bessel_j1, real, 0.2, 2),
        UNARY(bessel_y0, real, 0.5, 2),
        UNARY(bessel_y1, real, 0.5, 2),
        UNARY(modified_bessel_k0, real, 0.5, 2),
        UNARY(modified_bessel_k1, real, 0.5, 2),
        UNARY(scaled_modified_bessel_k0, real, 0.5, 2),
        UNARY(scaled_modified_bessel_k1, real, 0.5, 2),
        UNARY(floor, real, 0.1, 0.9),
        UNARY(ceil, real, 0.1, 0.9),
        UNARY(round, real, 0.6, 1.4),
        UNARY(trunc, real, 0.1, 0.9),
        UNARY(fix, real, 0.1, 0.9),
        UNARY(frac, real, 0.1, 0.9),
        PLAIN(conj, complex_too, -1, 1),
        UNARY(conj_physical, complex_only, -1, 1),
        PLAIN(resolve_conj, complex_too, -1, 1),
        PLAIN(resolve_neg, complex_too, -1, 1),
        PLAIN(angle, complex_too, 0.2, 2),
        PLAIN(real, complex_too, -1, 1),
        PLAIN(imag, complex_only, -1, 1),
        PLAIN(view_as_real, complex_only, -1, 1),
        GRADIENT_ROW("view_as_complex", real, view_as_complex(a.contiguous()), {{3, 2}}),
        GRADIENT_ROW("view_as_complex/of parts", real, view_as_complex(stack({a, b}, -1)), {{3}},
                     {{3}}),
        GRADIENT_ROW("complex", real, sinter::complex(a, b), {{2, 3}}, {{3}}),
        GRADIENT_ROW("polar", real, polar(a, b), {{2, 3}, 0.3, 2}, {{3}, -2, 2}),
        GRADIENT_ROW("clone", complex_too, clone(a), {{2, 3}}),
        GRADIENT_ROW("contiguous", complex_too, a.contiguous(), {{2, 3}}),
        GRADIENT_ROW("cpu", real, a.cpu() * a, {{2, 3}}),
        GRADIENT_ROW("to", complex_too, a.to(kComplexDouble), {{2, 3}}),
        GRADIENT_ROW("toType", real, a.toType(kComplexDouble), {{2, 3}}),
        GRADIENT_ROW("type", real, a.type(kComplexDouble), {{2, 3}}),
        GRADIENT_ROW("type_as", real, a.type_as(b), {{2, 3}}, {{2}}),
        GRADIENT_ROW("copy_", complex_too, zeros_like(a).copy_(a), {{2, 3}}),
        GRADIENT_ROW("copy_/broadcast", complex_too, a.clone().copy_(b), {{2, 3}}, {{3}}),
        GRADIENT_ROW("fill", complex_too, fill(a, 2) + a, {{2, 3}}),
        GRADIENT_ROW("fill/of a tensor", complex_too, fill(a, b), {{2, 3}}, {{}}),
        GRADIENT_ROW("zero_", complex_too, (a * 2).zero_(), {{2, 3}}),
    };
}

TEST_CASE("gradients of functions of one element" * doctest::test_suite("host")) {
    for (const gradient_row& r : unary_rows()) {
        check_gradients(r);
        if (r.of == numbers::complex_only || r.operands.size() > 1) continue;
        if (r.name == "view_as_complex") continue;
        check_gradients(r, {{}});
        check_gradients(r, {{1}});
    }
}

}  // namespace testing
