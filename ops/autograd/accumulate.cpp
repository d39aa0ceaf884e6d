#include "ops/autograd/accumulate.hpp"

#include "ops/common/op_checks.hpp"

#include <sinter/grad_mode.hpp>

namespace sinter::inline v1::autograd {
namespace {

class accumulator final : public Node {
public:
    explicit accumulator(gradient_family& f) : family_(&f) {
        describe_result(*this, f.shape, f.dtype, f.device);
        for (const auto& hook : f.hooks) hooks().of_tensors.emplace_back(0, hook);
    }
    ~accumulator() override {
        const std::lock_guard lock(family_->lock);
        if (family_->accumulator == this) family_->accumulator = nullptr;
    }
    std::string name() const override { return "AccumulateGrad"; }

    variable_list apply(variable_list&& grads) override {
        Tensor g = std::move(grads[0]);
        if (!g.defined()) return {};
        const std::lock_guard lock(family_->accumulating);
        Tensor& grad = family_->grad;
        if (!grad.defined()) {
            grad = GradMode::is_enabled() ? g : own(std::move(g));
        } else if (GradMode::is_enabled()) {
            grad = grad + g;
        } else {
            grad.add_(g);
        }
        return {};
    }

private:
    /// Returns the gradient in memory that no other tensor has, in the order of the leaf's.
    Tensor own(Tensor g) const {
        const TensorImpl& t = ops::body("backward", g);
        const geometry& like = *family_->shape;
        const geometry_ptr order = ops::layout_like(like);
        const bool alone = t.references.load() == 1 && t.storage->references.load() == 1 &&
                           !t.storage->external && t.shape->offset == 0 &&
                           t.shape->strides_ref() == order->strides_ref();
        if (alone) return g;
        return ops::sequence().read(ops::read(t)).pending(t.dtype, order);
    }

    intrusive_ptr<gradient_family> family_;
};

}  // namespace

intrusive_ptr<Node> make_accumulator(gradient_family& family) {
    return make_intrusive<accumulator>(family);
}

}  // namespace sinter::inline v1::autograd
