// Element operations with parameters.
#include "tests/golden/table.hpp"

namespace sinter::golden {
namespace {

optional<std::string_view> optional_text(const arguments& a, std::size_t i) {
    if (a.is_none(i)) return nullopt;
    return std::string_view(a.text(i));
}

optional<double> optional_double(const arguments& a, std::size_t i) {
    if (a.is_none(i)) return nullopt;
    return a.s(i).toDouble();
}

}  // namespace

// Largest errors: for a composition, one for each of its rows, as `ulp`.
void add_parameters(function_table& table) {
    SINTER_CALL(div_rounded, a.is_tensor(1) ? div(a.t(0), a.t(1), optional_text(a, 2))
                                            : div(a.t(0), a.s(1), optional_text(a, 2)));
    table["div_rounded_"].call = [](const arguments& a) {
        return give(a.is_tensor(1) ? a.t(0).div_(a.t(1), optional_text(a, 2))
                                   : a.t(0).div_(a.s(1), optional_text(a, 2)));
    };
    SINTER_CALL(lerp_,
                a.is_tensor(2) ? a.t(0).lerp_(a.t(1), a.t(2)) : a.t(0).lerp_(a.t(1), a.s(2)));
    SINTER_CALL(addcmul_, a.t(0).addcmul_(a.t(1), a.t(2), a.s(3)));
    SINTER_CALL(addcdiv_, a.t(0).addcdiv_(a.t(1), a.t(2), a.s(3)));
    SINTER_CALL(float_power_,
                a.is_tensor(1) ? a.t(0).float_power_(a.t(1)) : a.t(0).float_power_(a.s(1)));
    SINTER_CALL(round_decimals_, a.t(0).round_(a.n(1)));
    SINTER_CALL(resolve_neg, resolve_neg(a.t(0)));
    SINTER_CALL(lerp, a.is_tensor(2) ? lerp(a.t(0), a.t(1), a.t(2)) : lerp(a.t(0), a.t(1), a.s(2)));
    SINTER_CALL(addcmul, addcmul(a.t(0), a.t(1), a.t(2), a.s(3)));
    SINTER_CALL(addcdiv, addcdiv(a.t(0), a.t(1), a.t(2), a.s(3)));
    SINTER_CALL(clamp_tensors, clamp(a.t(0), optional_tensor(a, 1), optional_tensor(a, 2)));
    SINTER_CALL(nan_to_num, nan_to_num(a.t(0), optional_double(a, 1), optional_double(a, 2),
                                       optional_double(a, 3)));
    SINTER_CALL(logit_eps, logit(a.t(0), optional_double(a, 1)));
    SINTER_CALL(ldexp, ldexp(a.t(0), a.t(1)));
    SINTER_CALL(frexp, frexp(a.t(0)));
    SINTER_CALL(float_power, !a.is_tensor(0)   ? float_power(a.s(0), a.t(1))
                             : !a.is_tensor(1) ? float_power(a.t(0), a.s(1))
                                               : float_power(a.t(0), a.t(1)));
    SINTER_CALL(polygamma, polygamma(a.n(0), a.t(1)));
    SINTER_CALL(mvlgamma, mvlgamma(a.t(0), a.n(1)));
    SINTER_CALL(angle, angle(a.t(0)));
    SINTER_CALL(isreal, isreal(a.t(0)));
    SINTER_CALL(positive, positive(a.t(0)));
    SINTER_CALL(round_decimals, round(a.t(0), a.n(1)));
    SINTER_CALL(gelu, gelu(a.t(0), a.text(1)));
    SINTER_CALL(elu, elu(a.t(0), a.s(1)));
    SINTER_CALL(celu, celu(a.t(0), a.s(1)));
    SINTER_CALL(selu, selu(a.t(0)));
    SINTER_CALL(leaky_relu, leaky_relu(a.t(0), a.s(1)));
    SINTER_CALL(hardtanh, hardtanh(a.t(0), a.s(1), a.s(2)));
    SINTER_CALL(threshold, threshold(a.t(0), a.s(1), a.s(2)));
    SINTER_CALL(softplus_with, softplus(a.t(0), a.s(1), a.s(2)));
    SINTER_CALL(hardshrink, hardshrink(a.t(0), a.s(1)));
    SINTER_CALL(softshrink, softshrink(a.t(0), a.s(1)));
    SINTER_CALL(prelu, prelu(a.t(0), a.t(1)));
    for (const char* name :
         {"lerp",      "addcmul",      "addcdiv",         "logit_eps",     "float_power",
          "polygamma", "mvlgamma",     "round_decimals",  "gelu",          "elu",
          "celu",      "selu",         "leaky_relu",      "lerp_",         "addcmul_",
          "addcdiv_",  "float_power_", "round_decimals_", "softplus_with", "softshrink",
          "prelu",     "ldexp"})
        table[name].ulp_f32 = table[name].ulp_f64 = 4;
}

}  // namespace sinter::golden
