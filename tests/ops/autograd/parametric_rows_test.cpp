// Gradients of functions of one element with parameters.
#include "tests/ops/autograd/gradient_rows.hpp"

#include <doctest/doctest.h>

namespace testing {

using namespace sinter;
namespace F = sinter::nn::functional;

std::vector<gradient_row> parametric_rows() {
    return {
        GRADIENT_ROW("nan_to_num", complex_too, nan_to_num(a, 1.0), {{2, 3}}),
        GRADIENT_ROW("nan_to_num/in place", complex_too, a.clone().nan_to_num_(1.0), {{2, 3}}),
        GRADIENT_ROW("logit/bounded", real, logit(a, 0.1), {{2, 3}, 0.2, 0.8}),
        GRADIENT_ROW("logit/beyond the bound", real, logit(a, 0.1), {{2, 3}, 0.02, 0.08}),
        GRADIENT_ROW("logit/bounded in place", real, a.clone().logit_(0.1), {{2, 3}, 0.2, 0.8}),
        GRADIENT_ROW("polygamma", real, polygamma(2, a), {{2, 3}, 0.7, 3}),
        GRADIENT_ROW("polygamma/0", real, polygamma(0, a), {{2, 3}, 0.7, 3}),
        GRADIENT_ROW("polygamma/1", real, polygamma(1, a), {{2, 3}, 0.7, 3}),
        GRADIENT_ROW("polygamma/3", real, a.polygamma(3), {{2, 3}, -0.7, -0.3}),
        GRADIENT_ROW("polygamma/in place", real, a.clone().polygamma_(2), {{2, 3}, 0.7, 3}),
        GRADIENT_ROW("mvlgamma", real, mvlgamma(a, 3), {{2, 3}, 1.5, 3}),
        GRADIENT_ROW("mvlgamma/in place", real, a.clone().mvlgamma_(3), {{2, 3}, 1.5, 3}),
        GRADIENT_ROW("round/to decimals", real, round(a, 1), {{2, 3}, 0.46, 0.54}),
        GRADIENT_ROW("round/to decimals in place", real, a.clone().round_(1), {{2, 3}, 0.46, 0.54}),
        GRADIENT_ROW("div/floor", real, div(a, b, "floor"), {{2, 3}, 1.1, 1.9}, {{2, 3}, 0.96, 1}),
        GRADIENT_ROW("div/trunc", real, div(a, b, "trunc"), {{2, 3}, 1.1, 1.9}, {{2, 3}, 0.96, 1}),
        GRADIENT_ROW("div/trunc in place", real, a.clone().div_(b, "trunc"), {{2, 3}, 1.1, 1.9},
                     {{2, 3}, 0.96, 1}),
        GRADIENT_ROW("clamp/by numbers", real, clamp(a, 0.1, 0.9), {{2, 3}, 0.2, 0.8}),
        GRADIENT_ROW("clamp/below", real, clamp(a, 0.1, 0.9), {{2, 3}, -1, 0}),
        GRADIENT_ROW("clamp/by one number", real, clamp(a, 0.1), {{2, 3}, 0.2, 0.8}),
        GRADIENT_ROW("clamp/in place by numbers", real, a.clone().clamp_(0.1, 0.9),
                     {{2, 3}, 0.2, 0.8}),
        GRADIENT_ROW("gelu", real, gelu(a), {{2, 3}}),
        GRADIENT_ROW("gelu/tanh", real, gelu(a, "tanh"), {{2, 3}}),
        GRADIENT_ROW("gelu/in place", real, gelu_(a.clone()), {{2, 3}}),
        GRADIENT_ROW("elu", real, elu(a, 1.5, 1.2, 0.8), {{2, 3}, 0.2, 1}),
        GRADIENT_ROW("elu/negative", real, elu(a, 1.5, 1.2, 0.8), {{2, 3}, -1, -0.2}),
        GRADIENT_ROW("elu/in place", real, elu_(a.clone()), {{2, 3}, -1, -0.2}),
        GRADIENT_ROW("celu", real, celu(a, 1.5), {{2, 3}, -1, -0.2}),
        GRADIENT_ROW("celu/positive", real, celu(a, 1.5), {{2, 3}, 0.2, 1}),
        GRADIENT_ROW("celu/in place", real, celu_(a.clone(), 1.5), {{2, 3}, -1, -0.2}),
        GRADIENT_ROW("selu", real, selu(a), {{2, 3}, -1, -0.2}),
        GRADIENT_ROW("selu/positive", real, selu(a), {{2, 3}, 0.2, 1}),
        GRADIENT_ROW("selu/in place", real, selu_(a.clone()), {{2, 3}, -1, -0.2}),
        GRADIENT_ROW("leaky_relu", real, leaky_relu(a, 0.1), {{2, 3}, -1, -0.2}),
        GRADIENT_ROW("leaky_relu/positive", real, leaky_relu(a, 0.1), {{2, 3}, 0.2, 1}),
        GRADIENT_ROW("leaky_relu/in place", real, leaky_relu_(a.clone(), 0.1), {{2, 3}, -1, -0.2}),
        GRADIENT_ROW("hardtanh", real, hardtanh(a), {{2, 3}, -0.8, 0.8}),
        GRADIENT_ROW("hardtanh/outside", real, hardtanh(a), {{2, 3}, 1.2, 2}),
        GRADIENT_ROW("hardtanh/in place", real, hardtanh_(a.clone()), {{2, 3}, -0.8, 0.8}),
        GRADIENT_ROW("threshold", real, threshold(a, 0.1, 7), {{2, 3}, 0.2, 1}),
        GRADIENT_ROW("threshold/below", real, threshold(a, 0.1, 7), {{2, 3}, -1, 0}),
        GRADIENT_ROW("threshold/in place", real, threshold_(a.clone(), 0.1, 7), {{2, 3}, 0.2, 1}),
        GRADIENT_ROW("softplus/with parameters", real, softplus(a, 2, 5), {{2, 3}, -2, 2}),
        GRADIENT_ROW("softplus/above the threshold", real, softplus(a, 2, 1), {{2, 3}, 1, 2}),
        GRADIENT_ROW("hardshrink", real, hardshrink(a, 0.1), {{2, 3}, 0.2, 1}),
        GRADIENT_ROW("hardshrink/inside", real, hardshrink(a, 0.5), {{2, 3}, -0.4, 0.4}),
        GRADIENT_ROW("softshrink", real, softshrink(a, 0.1), {{2, 3}, 0.2, 1}),
        GRADIENT_ROW("softshrink/inside", real, softshrink(a, 0.5), {{2, 3}, -0.4, 0.4}),
        GRADIENT_ROW("nn::functional::relu", real, F::relu(a), {{2, 3}, 0.2, 1}),
        GRADIENT_ROW("nn::functional::relu6", real, F::relu6(a), {{2, 3}, 0.2, 1}),
        GRADIENT_ROW("nn::functional::selu", real, F::selu(a), {{2, 3}, 0.2, 1}),
        GRADIENT_ROW("nn::functional::silu", real, F::silu(a), {{2, 3}}),
        GRADIENT_ROW("nn::functional::mish", real, F::mish(a), {{2, 3}}),
        GRADIENT_ROW("nn::functional::softsign", real, F::softsign(a), {{2, 3}, 0.2, 1}),
        GRADIENT_ROW("nn::functional::hardsigmoid", real, F::hardsigmoid(a), {{2, 3}}),
        GRADIENT_ROW("nn::functional::hardswish", real, F::hardswish(a), {{2, 3}}),
        GRADIENT_ROW("nn::functional::logsigmoid", real, F::logsigmoid(a), {{2, 3}}),
        GRADIENT_ROW("nn::functional::tanhshrink", real, F::tanhshrink(a), {{2, 3}}),
        GRADIENT_ROW("nn::functional::prelu", real, F::prelu(a, b), {{2, 3}, -1, -0.2}, {{3}}),
        GRADIENT_ROW("nn::functional::elu", real, F::elu(a, F::ELUFuncOptions().alpha(1.5)),
                     {{2, 3}, -1, -0.2}),
        GRADIENT_ROW("nn::functional::celu", real, F::celu(a, F::CELUFuncOptions().alpha(1.5)),
                     {{2, 3}, -1, -0.2}),
        GRADIENT_ROW("nn::functional::gelu", real, F::gelu(a), {{2, 3}}),
        GRADIENT_ROW("nn::functional::hardshrink", real, F::hardshrink(a, 0.1), {{2, 3}, 0.2, 1}),
        GRADIENT_ROW("nn::functional::softshrink", real, F::softshrink(a, 0.1), {{2, 3}, 0.2, 1}),
        GRADIENT_ROW("nn::functional::hardtanh", real, F::hardtanh(a), {{2, 3}, -0.8, 0.8}),
        GRADIENT_ROW("nn::functional::leaky_relu", real, F::leaky_relu(a), {{2, 3}, -1, -0.2}),
        GRADIENT_ROW("nn::functional::softplus", real, F::softplus(a), {{2, 3}}),
        GRADIENT_ROW("nn::functional::threshold", real, F::threshold(a, {0.1, 7}),
                     {{2, 3}, 0.2, 1}),
        GRADIENT_ROW("nn::functional::glu", real, F::glu(a), {{2, 4}}),
        GRADIENT_ROW("nn::functional::glu/of the first dimension", real, F::glu(a, 0), {{2, 3}}),
    };
}

TEST_CASE("gradients of functions with parameters" * doctest::test_suite("host")) {
    for (const gradient_row& r : parametric_rows()) {
        check_gradients(r);
        if (r.operands.size() > 1 || r.name.find("glu") != std::string::npos) continue;
        check_gradients(r, {{}});
        check_gradients(r, {{1}});
    }
}

}  // namespace testing
