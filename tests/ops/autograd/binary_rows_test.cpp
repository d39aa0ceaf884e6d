// Gradients of functions of several elements, which broadcast.
#include "tests/ops/autograd/gradient_rows.hpp"

#include <doctest/doctest.h>

namespace testing {

using namespace sinter;

// Of operands in [low, high) and [low2, high2): the function, its form in place, and with numbers.
#define BINARY(name, of, low, high, low2, high2)                                                  \
    GRADIENT_ROW(#name, of, name(a, b), {{2, 3}, low, high}, {{2, 3}, low2, high2}),              \
        GRADIENT_ROW(#name "/in place", of, a.clone().name##_(b), {{2, 3}, low, high},            \
                     {{2, 3}, low2, high2}),                                                      \
        GRADIENT_ROW(#name "/by a number", of, name(a, (low2 + high2) / 2), {{2, 3}, low, high}), \
        GRADIENT_ROW(#name "/of a number", of, name((low + high) / 2, a), {{2, 3}, low2, high2})

std::vector<gradient_row> binary_rows() {
    return {
        BINARY(add, complex_too, -1.0, 1.0, -1.0, 1.0),
        BINARY(sub, complex_too, -1.0, 1.0, -1.0, 1.0),
        BINARY(subtract, complex_too, -1.0, 1.0, -1.0, 1.0),
        GRADIENT_ROW("rsub", complex_too, rsub(a, b), {{2, 3}}, {{2, 3}}),
        BINARY(mul, complex_too, -1.0, 1.0, -1.0, 1.0),
        BINARY(multiply, complex_too, -1.0, 1.0, -1.0, 1.0),
        BINARY(div, complex_too, -1.0, 1.0, 0.5, 2.0),
        BINARY(divide, complex_too, -1.0, 1.0, 0.5, 2.0),
        BINARY(true_divide, complex_too, -1.0, 1.0, 0.5, 2.0),
        BINARY(remainder, real, 0.6, 0.9, 0.35, 0.55),
        BINARY(fmod, real, 0.6, 0.9, 0.35, 0.55),
        GRADIENT_ROW("remainder/negative", real, remainder(a, b), {{2, 3}, -0.9, -0.6},
                     {{2, 3}, 0.35, 0.55}),
        GRADIENT_ROW("fmod/negative", real, fmod(a, b), {{2, 3}, -0.9, -0.6}, {{2, 3}, 0.35, 0.55}),
        GRADIENT_ROW("floor_divide", real, floor_divide(a, b), {{2, 3}, 1.1, 1.9},
                     {{2, 3}, 0.96, 1}),
        GRADIENT_ROW("nextafter", real, nextafter(a, b), {{2, 3}, 1.1, 1.9}, {{2, 3}, 3, 4}),
        GRADIENT_ROW("linspace", real, linspace(a, b, 4, kDouble), {{}}, {{}}),
        GRADIENT_ROW("linspace/to a number", real, linspace(a, 2.0, 4, kDouble), {{}}),
        GRADIENT_ROW("linspace/from a number", real, linspace(2.0, a, 3, kDouble), {{}}),
        GRADIENT_ROW("logspace", real, logspace(a, b, 4, 2.0, kDouble), {{}}, {{}}),
        GRADIENT_ROW("logspace/to a number", real, logspace(a, 0.5, 4, 10, kDouble), {{}}),
        GRADIENT_ROW("pow", complex_too, pow(a, b), {{2, 3}, 0.5, 2}, {{2, 3}, -1, 2}),
        GRADIENT_ROW("pow/by a number", complex_too, pow(a, 2.5), {{2, 3}, 0.5, 2}),
        GRADIENT_ROW("pow/by 2", complex_too, pow(a, 2), {{2, 3}}),
        GRADIENT_ROW("pow/by 3", complex_too, a.pow(3), {{2, 3}}),
        GRADIENT_ROW("pow/by 1/2", complex_too, pow(a, 0.5), {{2, 3}, 0.5, 2}),
        GRADIENT_ROW("pow/by -1", complex_too, pow(a, -1), {{2, 3}, 0.5, 2}),
        GRADIENT_ROW("pow/by 0", complex_too, pow(a, 0), {{2, 3}, 0.5, 2}),
        GRADIENT_ROW("pow/by 1", complex_too, pow(a, 1), {{2, 3}, 0.5, 2}),
        GRADIENT_ROW("pow/of a number", complex_too, pow(1.5, a), {{2, 3}}),
        GRADIENT_ROW("pow/in place", complex_too, a.clone().pow_(b), {{2, 3}, 0.5, 2},
                     {{2, 3}, -1, 2}),
        GRADIENT_ROW("pow/in place by a number", complex_too, a.clone().pow_(2.5),
                     {{2, 3}, 0.5, 2}),
        GRADIENT_ROW("float_power", complex_too, float_power(a, b), {{2, 3}, 0.5, 2},
                     {{2, 3}, -1, 2}),
        GRADIENT_ROW("float_power/by a number", complex_too, float_power(a, 2.5), {{2, 3}, 0.5, 2}),
        GRADIENT_ROW("float_power/of a number", complex_too, float_power(1.5, a), {{2, 3}}),
        GRADIENT_ROW("float_power/in place", complex_too, a.clone().float_power_(2.5),
                     {{2, 3}, 0.5, 2}),
        BINARY(copysign, real, 0.2, 1.0, -1.0, -0.2),
        BINARY(hypot, real, 0.2, 1.0, 0.3, 1.0),
        BINARY(xlogy, real, 0.2, 1.0, 0.3, 1.0),
        BINARY(xlog1py, real, 0.2, 1.0, 0.3, 1.0),
        BINARY(logaddexp, real, -1.0, 1.0, -1.0, 1.0),
        BINARY(logaddexp2, real, -1.0, 1.0, -1.0, 1.0),
        BINARY(atan2, real, 0.2, 1.0, -1.0, -0.2),
        BINARY(arctan2, real, 0.2, 1.0, -1.0, -0.2),
        BINARY(minimum, real, 0.2, 1.0, 1.2, 2.0),
        BINARY(maximum, real, 0.2, 1.0, 1.2, 2.0),
        BINARY(fmin, real, 0.2, 1.0, 1.2, 2.0),
        BINARY(fmax, real, 0.2, 1.0, 1.2, 2.0),
        GRADIENT_ROW("clamp_min", real, clamp_min(a, b), {{2, 3}, 0.2, 1}, {{2, 3}, 1.2, 2}),
        GRADIENT_ROW("clamp_min/by a number", real, clamp_min(a, 0.5), {{2, 3}, 0.6, 1}),
        GRADIENT_ROW("clamp_min/in place", real, a.clone().clamp_min_(b), {{2, 3}, 1.2, 2},
                     {{2, 3}, 0.2, 1}),
        GRADIENT_ROW("clamp_max", real, clamp_max(a, b), {{2, 3}, 0.2, 1}, {{2, 3}, 1.2, 2}),
        GRADIENT_ROW("clamp_max/by a number", real, clamp_max(a, 0.5), {{2, 3}, 0.6, 1}),
        GRADIENT_ROW("clamp_max/in place", real, a.clone().clamp_max_(b), {{2, 3}, 1.2, 2},
                     {{2, 3}, 0.2, 1}),
        GRADIENT_ROW("max/of two", real, max(a, b), {{2, 3}, 0.2, 1}, {{2, 3}, 1.2, 2}),
        GRADIENT_ROW("min/of two", real, min(a, b), {{2, 3}, 0.2, 1}, {{2, 3}, 1.2, 2}),
        GRADIENT_ROW("add/with alpha", complex_too, add(a, b, 3), {{2, 3}}, {{2, 3}}),
        GRADIENT_ROW("sub/with alpha", complex_too, sub(a, b, 3), {{2, 3}}, {{2, 3}}),
        GRADIENT_ROW("rsub/with alpha", complex_too, rsub(a, b, 3), {{2, 3}}, {{2, 3}}),
        GRADIENT_ROW("add/in place with alpha", complex_too, a.clone().add_(b, 3), {{2, 3}},
                     {{2, 3}}),
        GRADIENT_ROW("sub/in place with alpha", complex_too, a.clone().sub_(b, 3), {{2, 3}},
                     {{2, 3}}),
        GRADIENT_ROW("div/without rounding", real, div(a, b, nullopt), {{2, 3}}, {{2, 3}, 0.5, 2}),
        GRADIENT_ROW("ldexp", complex_too, ldexp(a, b), {{2, 3}}, {{2, 3}}),
        GRADIENT_ROW("ldexp/by integers", real, ldexp(a, tensor({1, 2, -3})), {{2, 3}}),
        GRADIENT_ROW("ldexp/in place", real, a.clone().ldexp_(tensor({1, 2, -3})), {{2, 3}}),
        GRADIENT_ROW("special::zeta", real, special::zeta(2.5, a), {{2, 3}, 0.5, 2}),
        GRADIENT_ROW("igamma", real, igamma(full({}, 1.5, kDouble), a), {{2, 3}, 0.5, 2}),
        GRADIENT_ROW("igammac", real, igammac(full({}, 1.5, kDouble), a), {{2, 3}, 0.5, 2}),
        GRADIENT_ROW("lerp", complex_too, lerp(a, b, c), {{2, 3}}, {{2, 3}}, {{2, 3}, 0.1, 0.4}),
        GRADIENT_ROW("lerp/from the end", complex_too, lerp(a, b, c), {{2, 3}}, {{2, 3}},
                     {{2, 3}, 0.6, 0.9}),
        GRADIENT_ROW("lerp/by a number", complex_too, lerp(a, b, 0.3), {{2, 3}}, {{2, 3}}),
        GRADIENT_ROW("lerp/in place", complex_too, a.clone().lerp_(b, c), {{2, 3}}, {{2, 3}},
                     {{2, 3}, 0.1, 0.4}),
        GRADIENT_ROW("addcmul", complex_too, addcmul(a, b, c, 2), {{2, 3}}, {{2, 3}}, {{2, 3}}),
        GRADIENT_ROW("addcmul/in place", complex_too, a.clone().addcmul_(b, c, 2), {{2, 3}},
                     {{2, 3}}, {{2, 3}}),
        GRADIENT_ROW("addcdiv", complex_too, addcdiv(a, b, c, 2), {{2, 3}}, {{2, 3}},
                     {{2, 3}, 0.5, 2}),
        GRADIENT_ROW("addcdiv/in place", complex_too, a.clone().addcdiv_(b, c, 2), {{2, 3}},
                     {{2, 3}}, {{2, 3}, 0.5, 2}),
        GRADIENT_ROW("clamp/inside", real, clamp(a, b, c), {{2, 3}, -0.3, 0.3}, {{2, 3}, -1, -0.5},
                     {{2, 3}, 0.5, 1}),
        GRADIENT_ROW("clamp", real, clamp(a, b, c), {{2, 3}, -2, -1.1}, {{2, 3}, -1, -0.5},
                     {{2, 3}, 0.5, 1}),
        GRADIENT_ROW("clamp/above", real, clamp(a, b, c), {{2, 3}, 1.1, 2}, {{2, 3}, -1, -0.5},
                     {{2, 3}, 0.5, 1}),
        GRADIENT_ROW("clamp/crossed", real, clamp(a, b, c), {{2, 3}, 1.1, 2}, {{2, 3}, 0.5, 1},
                     {{2, 3}, -1, -0.5}),
        GRADIENT_ROW("clamp/in place", real, a.clone().clamp_(b, c), {{2, 3}, 1.1, 2},
                     {{2, 3}, -1, -0.5}, {{2, 3}, 0.5, 1}),
        GRADIENT_ROW("clip", real, clip(a, optional<Tensor>(b), optional<Tensor>(c)),
                     {{2, 3}, 1.1, 2}, {{2, 3}, -1, -0.5}, {{2, 3}, 0.5, 1}),
        GRADIENT_ROW("where", complex_too, where(tensor({true, false, true}), a, b), {{2, 3}},
                     {{2, 3}}),
        GRADIENT_ROW("where/with a number", complex_too, a.where(tensor({true, false, true}), 2.0),
                     {{2, 3}}),
        GRADIENT_ROW("prelu", real, prelu(a, b.reshape(-1)[0]), {{2, 3}, 0.2, 1}, {{2, 3}, 0.1, 1}),
        GRADIENT_ROW("prelu/negative", real, prelu(a, b.reshape(-1)[0]), {{2, 3}, -1, -0.2},
                     {{2, 3}, 0.1, 1}),
    };
}

TEST_CASE("gradients of functions of several elements" * doctest::test_suite("host")) {
    for (const gradient_row& r : binary_rows()) {
        check_gradients(r);
        const std::size_t n = r.operands.size();
        if (n < 2 || r.operands[0].sizes.empty()) continue;
        // The gradient of what broadcasts is a sum.
        if (r.name.find("in place") == std::string::npos) {
            check_gradients(r, {{3}, {2, 3}});
            check_gradients(r, {{2, 1}, {1, 3}});
            check_gradients(r, {{}, {3}});
            check_gradients(r, {{}, {}});
            if (n > 2) check_gradients(r, {{3}, {2, 1}, {}});
        }
        check_gradients(r, {{2, 3}, {3}});
        check_gradients(r, {{2, 3}, {}});
        if (n > 2) check_gradients(r, {{2, 3}, {3}, {2, 1}});
    }
}

TEST_CASE("an operand that is given twice gets both gradients") {
    check_gradients(GRADIENT_ROW("mul", complex_too, a * a, {{2, 3}}));
    check_gradients(GRADIENT_ROW("pow", real, pow(a, a), {{2, 3}, 0.5, 2}));
    check_gradients(GRADIENT_ROW("mul", real, a.clone().mul_(a), {{2, 3}}));
    check_gradients(GRADIENT_ROW("addcmul", real, addcmul(a, a, a), {{2, 3}}));
}

}  // namespace testing
