// Schedules of learning rates.
#pragma once

#include <sinter/optim/optimizer.hpp>

namespace sinter::inline v1::optim {

/// Changes the learning rates of an optimiser, which must outlive it, from epoch to epoch.
/// libtorch: torch::optim::LRScheduler.
class SINTER_API LRScheduler {
public:
    /// Takes the optimiser.
    explicit LRScheduler(Optimizer& optimizer) : optimizer_(optimizer) {}
    /// Schedulers belong to one optimiser and are not copied.
    ///@{
    LRScheduler(const LRScheduler&) = delete;
    LRScheduler& operator=(const LRScheduler&) = delete;
    ///@}
    /// Leaves the learning rates as they are.
    virtual ~LRScheduler() = default;
    /// Begins the next epoch: sets the learning rate of each group. Throws Error if get_lrs()
    /// returns another number of them than there are groups. PyTorch:
    /// torch.optim.lr_scheduler.LRScheduler.step.
    void step();

protected:
    /// Returns the learning rate of each group for the epoch that begins.
    virtual std::vector<double> get_lrs() = 0;
    /// Returns the learning rate of each group now.
    std::vector<double> get_current_lrs() const;

    /// How often step() was called.
    unsigned step_count_ = 0;

private:
    Optimizer& optimizer_;
};

/// Multiplies learning rates by `gamma` every `step_size` epochs. PyTorch:
/// torch.optim.lr_scheduler.StepLR.
class SINTER_API StepLR : public LRScheduler {
public:
    /// Takes the optimiser. Throws Error for a step_size of 0.
    StepLR(Optimizer& optimizer, unsigned step_size, double gamma = 0.1);

private:
    std::vector<double> get_lrs() override;

    unsigned step_size_;
    double gamma_;
};

}  // namespace sinter::inline v1::optim
