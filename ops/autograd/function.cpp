#include "ops/autograd/function.hpp"

#include "ops/autograd/names.hpp"
#include "ops/autograd/rules.hpp"
#include "ops/common/devices.hpp"

#include <sinter/functions/functions.hpp>

#include <algorithm>

namespace sinter::inline v1::autograd {
namespace {

bool has_bit(uint64_t bits, std::size_t i) { return bits >> std::min<std::size_t>(i, 63) & 1; }

}  // namespace

class function_gradient final : public recorded_gradient {
public:
    function_gradient(const char* name, std::span<const tensor_base* const> operands, saves what,
                      rule gradient, forward_rule tangent = {})
        : name_(name), rule_(std::move(gradient)), forward_(std::move(tangent)), saves_(what) {
        for (std::size_t i = 0; i < operands.size(); ++i) {
            const bool given = operands[i] && operands[i]->defined();
            const Edge e = given ? gradient_edge(ops::body(name, *operands[i])) : Edge{};
            edge_of_.push_back(e.is_valid() ? static_cast<int>(next_edges_.size()) : -1);
            if (e.is_valid()) {
                next_edges_.push_back(e);
                homes_.push_back(ops::body(name, *operands[i]).device);
            }
            operands_.emplace_back();
            if (given && has_bit(what.operands, i))
                operands_.back() = saved_value(operands[i]->self());
        }
        renumber();
    }
    std::string name() const override { return backward_name(name_); }
    void set_result(const leaf&) override {}
    void writes_over(const Version& old) override {
        for (saved_value& v : operands_) v.allow(old);
    }
    void save_result(std::size_t i, const Tensor& t) {
        results_saved_.resize(std::max(results_saved_.size(), i + 1));
        if (has_bit(saves_.results, i)) results_saved_[i] = saved_value(t);
    }
    std::optional<variable_list> apply_forward(variable_list&& tangents, bool batched) override {
        if (!forward_) return std::nullopt;
        if (released_) refuse_second_run();
        variable_list of_operands(edge_of_.size());
        for (std::size_t i = 0; i < edge_of_.size(); ++i)
            if (edge_of_[i] >= 0) of_operands[i] = tangents[static_cast<std::size_t>(edge_of_[i])];
        rule_call call;
        call.grads = nullptr;
        call.node = this;
        return forward_(call, of_operands, batched);
    }
    bool takes_batches() const override { return saves_.batched; }
    void release_variables() override {
        released_ = released_ || saves_.operands != 0 || saves_.results != 0;
        for (saved_value& v : operands_) v = {};
        for (saved_value& v : results_saved_) v = {};
    }
    variable_list apply(variable_list&& grads) override {
        variable_list gradients(next_edges_.size());
        bool any = false;
        for (const Tensor& g : grads) any = any || g.defined();
        if (!any) return gradients;
        if (released_) refuse_second_run();
        rule_call call;
        call.grads = &grads;
        call.node = this;
        variable_list all = rule_(call);
        for (std::size_t i = 0; i < edge_of_.size() && i < all.size(); ++i)
            if (edge_of_[i] >= 0) {
                const auto e = static_cast<std::size_t>(edge_of_[i]);
                gradients[e] = brought_home(std::move(all[i]), homes_[e], next_edges_[e]);
            }
        return gradients;
    }

    Tensor operand(std::size_t i) {
        const int e = edge_of_[i];
        if (!operands_[i]) return {};
        return operands_[i].tensor(*this,
                                   e < 0 ? Edge{} : next_edges_[static_cast<std::size_t>(e)]);
    }
    Tensor result(std::size_t i) {
        if (i >= results_saved_.size() || !results_saved_[i]) return {};
        return results_saved_[i].tensor(*this,
                                        {intrusive_ptr<Node>(this), static_cast<uint32_t>(i)});
    }
    bool needs(std::size_t i) const { return edge_of_[i] >= 0; }

private:
    const char* name_;
    rule rule_;
    forward_rule forward_;
    saves saves_;
    std::vector<int> edge_of_;  // of each operand; -1: it requires no gradient
    std::vector<saved_value> operands_, results_saved_;
    std::vector<runtime::device_index> homes_;  // of each next edge
    bool released_ = false;
};

Tensor brought_home(Tensor gradient, runtime::device_index home, const Edge& to) {
    if (!gradient.defined() || gradient.unsafeGetTensorImpl()->device == home) return gradient;
    // The gradient of a number is summed before it is moved.
    const bool one = to.function->results_[to.input_nr].shape->numel == 1;
    return ops::moved(one ? gradient.sum() : gradient, home);
}

bool rule_call::is_batched() const {
    for (std::size_t i = 0; i < grads->size(); ++i)
        if (grad(i).defined()) return grad(i).dim() > node->results_[i].shape->ndim;
    return false;
}
std::vector<int64_t> rule_call::with_batch(IntArrayRef sizes) const {
    std::vector<int64_t> all = sizes.vec();
    for (std::size_t i = 0; is_batched() && i < grads->size(); ++i)
        if (grad(i).defined()) {
            all.insert(all.begin(), grad(i).size(0));
            break;
        }
    return all;
}
Tensor rule_call::operand(std::size_t i) const { return node->operand(i); }
Tensor rule_call::result(std::size_t i) const { return node->result(i); }
bool rule_call::needs(std::size_t operand) const { return node->needs(operand); }

bool is_recorded(std::span<const tensor_base* const> operands) {
    for (const tensor_base* t : operands) {
        if (!t || !t->defined()) continue;
        const TensorImpl& impl = ops::body("autograd", *t);
        if (impl.storage->differentiated && GradMode::is_enabled() &&
            gradient_edge(impl).is_valid())
            return true;
    }
    return false;
}

Tensor before_write(const tensor_base& target) {
    const tensor_base* operands[] = {&target};
    return is_recorded(operands) ? target.clone() : target.self();
}

void set_rule(const char* name, std::span<const tensor_base* const> operands, saves what,
              std::span<Tensor* const> outputs, rule gradient, forward_rule tangent) {
    const auto node = make_intrusive<function_gradient>(name, operands, what, std::move(gradient),
                                                        std::move(tangent));
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        Tensor& t = *outputs[i];
        if (!t.defined()) {
            describe_result(*node, make_contiguous({}), kFloat, runtime::main_memory);
            continue;
        }
        // A result that is an operand, or a view of one, is another tensor than that.
        if (const TensorImpl& made = *t.unsafeGetTensorImpl();
            made.storage->differentiated || made.references.load() > 1)
            t = t.clone();
        const TensorImpl& impl = *t.unsafeGetTensorImpl();
        describe_result(*node, impl.shape, impl.dtype, impl.device);
        node->save_result(i, t);
        if (!is_differentiable(impl.dtype)) continue;
        start_family(const_cast<TensorImpl&>(impl));
        set_origin(impl, node, static_cast<uint32_t>(i));
    }
}

void write_with_rule(const char* name, const tensor_base& target,
                     std::span<const tensor_base* const> others, saves what,
                     const std::function<void()>& write, rule gradient) {
    std::vector<const tensor_base*> operands{&target};
    operands.insert(operands.end(), others.begin(), others.end());
    if (!is_recorded(operands)) {
        write();
        return;
    }
    const TensorImpl& t = ops::body(name, target);
    rules_of_gradients().check_write(t, true);
    auto node = make_intrusive<function_gradient>(name, operands, what, std::move(gradient));
    node->writes_over(*t.storage->current);
    {
        NoGradGuard unrecorded;
        write();
    }
    describe_result(*node, t.shape, t.dtype, t.device);
    node->save_result(0, target.self());
    rules_of_gradients().written(t, std::move(node));
}

}  // namespace sinter::inline v1::autograd
