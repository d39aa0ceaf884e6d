#include "ops/autograd/anomaly.hpp"

#include "runtime/base/fail.hpp"

#include <sinter/autograd.hpp>
#include <sinter/functions/functions.hpp>

namespace sinter::inline v1::autograd {
namespace {

thread_local bool enabled = false, nan_checked = true;

}  // namespace

bool AnomalyMode::is_enabled() { return enabled; }
bool AnomalyMode::should_check_nan() { return nan_checked; }
void AnomalyMode::set_enabled(bool on, bool check_nan) {
    enabled = on;
    nan_checked = check_nan;
}

void check_anomaly(const Node& n, const variable_list& gradients) {
    if (!enabled) return;
    NoGradGuard plain;
    for (std::size_t i = 0; i < gradients.size(); ++i) {
        if (!gradients[i].defined()) continue;
        gradients[i].eval();
        if (!nan_checked || !isnan(gradients[i]).any().item<bool>()) continue;
        runtime::fail(
            "backward",
            runtime::text("Function '", n.name(), "' returned nan values in its ", i, "th output"),
            runtime::text("a gradient of shape ", gradients[i].sizes(), " with NaN"), "numbers",
            "a look at the operands of that function");
    }
}

}  // namespace sinter::inline v1::autograd
