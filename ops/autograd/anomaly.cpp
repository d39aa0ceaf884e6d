#include "ops/autograd/anomaly.hpp"

#include "runtime/base/fail.hpp"

#include <sinter/autograd.hpp>
#include <sinter/functions/functions.hpp>
#include <sinter/functions/pointwise.hpp>

namespace sinter::inline v1::autograd {

void check_anomaly(const Node& n, const variable_list& gradients) {
    if (!AnomalyMode::is_enabled()) return;
    NoGradGuard plain;
    for (std::size_t i = 0; i < gradients.size(); ++i) {
        if (!gradients[i].defined()) continue;
        gradients[i].eval();
        if (!AnomalyMode::should_check_nan() || !isnan(gradients[i]).any().item<bool>()) continue;
        const std::string line = n.line();
        runtime::fail("backward",
                      runtime::text("Function '", n.name(), "'",
                                    line.empty() ? "" : ", recorded at " + line + ",",
                                    " returned nan values in its ", i, "th output"),
                      runtime::text("a gradient of shape ", gradients[i].sizes(), " with NaN"),
                      "numbers", "a look at the operands of that function");
    }
}

}  // namespace sinter::inline v1::autograd
