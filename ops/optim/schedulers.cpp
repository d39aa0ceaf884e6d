#include "runtime/base/fail.hpp"

#include <sinter/optim/schedulers.hpp>

namespace sinter::inline v1::optim {

using runtime::fail;
using runtime::text;

void LRScheduler::step() {
    const std::vector<double> rates = get_lrs();
    std::vector<OptimizerParamGroup>& groups = optimizer_.param_groups();
    if (rates.size() != groups.size())
        fail("LRScheduler", "the number of learning rates is not equal to the number of groups",
             text(rates.size(), " for ", groups.size()), "one for each group",
             "get_current_lrs() as a start");
    for (std::size_t i = 0; i < groups.size(); ++i) groups[i].options().set_lr(rates[i]);
    ++step_count_;
}

std::vector<double> LRScheduler::get_current_lrs() const {
    std::vector<double> rates;
    for (const OptimizerParamGroup& g : optimizer_.param_groups())
        rates.push_back(g.options().get_lr());
    return rates;
}

StepLR::StepLR(Optimizer& optimizer, unsigned step_size, double gamma)
    : LRScheduler(optimizer), step_size_(step_size), gamma_(gamma) {
    if (step_size == 0)
        fail("StepLR", "the step size is not positive", "0", "a number of epochs",
             "1, to change the rate in each epoch");
}

std::vector<double> StepLR::get_lrs() {
    std::vector<double> rates = get_current_lrs();
    if (step_count_ > 0 && step_count_ % step_size_ == 0)
        for (double& lr : rates) lr *= gamma_;
    return rates;
}

}  // namespace sinter::inline v1::optim
