// Groups of parameters.
#include "ops/optim/update.hpp"

#include <sinter/autograd/node.hpp>
#include <sinter/functions/functions.hpp>
#include <sinter/grad_mode.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <typeinfo>
#include <unordered_set>

namespace sinter::inline v1::optim {

using runtime::fail;
using runtime::text;

namespace {

/// Calls `f(name, value)` for each field.
template <class F>
class each_field final : public FieldVisitor {
public:
    explicit each_field(F f) : f_(std::move(f)) {}
    void field(const char* name, double& value) override { f_(name, value); }
    void field(const char* name, int64_t& value) override { f_(name, value); }
    void field(const char* name, bool& value) override { f_(name, value); }
    void field(const char* name, std::tuple<double, double>& value) override { f_(name, value); }
    void field(const char* name, std::optional<int64_t>& value) override { f_(name, value); }
    void field(const char* name, std::optional<std::string>& value) override { f_(name, value); }
    void field(const char* name, Tensor& value) override { f_(name, value); }
    void field(const char* name, std::deque<Tensor>& value) override { f_(name, value); }
    void number(const char* name, Tensor& value) override { f_(name, value); }
    void number(const char* name, std::deque<Tensor>& value) override { f_(name, value); }

private:
    F f_;
};

/// Gives options that were not set the values of `from`, which has the same type.
void inherit(OptimizerOptions& to, OptimizerOptions& from) {
    std::map<std::string_view, void*> values;
    each_field collect([&](const char* name, auto& value) { values[name] = &value; });
    from.visit(collect);
    each_field assign([&](const char* name, auto& value) {
        if (!to.is_set(name))
            value = *static_cast<std::remove_reference_t<decltype(value)>*>(values.at(name));
    });
    to.visit(assign);
}

[[noreturn]] void refuse_no_rate(const char* method) {
    fail<NotImplementedError>(method, "the options have no learning rate", "options of this class",
                              "a class with a learning rate", "overriding get_lr() and set_lr()");
}

}  // namespace

double OptimizerOptions::get_lr() const { refuse_no_rate("get_lr"); }
void OptimizerOptions::set_lr(double) { refuse_no_rate("set_lr"); }

bool OptimizerOptions::is_set(std::string_view name) const {
    return std::find(set_.begin(), set_.end(), name) != set_.end();
}

OptimizerParamGroup::OptimizerParamGroup(const OptimizerParamGroup& other)
    : params_(other.params_), options_(other.has_options() ? other.options().clone() : nullptr) {}

OptimizerOptions& OptimizerParamGroup::options() {
    return const_cast<OptimizerOptions&>(std::as_const(*this).options());
}

const OptimizerOptions& OptimizerParamGroup::options() const {
    if (!options_)
        fail("OptimizerParamGroup", "the group has no options", "a group that was made without",
             "a group with options",
             "has_options(), or the groups of an optimizer, which have some");
    return *options_;
}

Optimizer::Optimizer(const std::vector<OptimizerParamGroup>& param_groups,
                     std::unique_ptr<OptimizerOptions> defaults)
    : defaults_(std::move(defaults)) {
    for (const OptimizerParamGroup& group : param_groups) add_param_group(group);
}

void Optimizer::add_param_group(const OptimizerParamGroup& param_group) {
    const std::string op = name();
    std::unordered_set<const void*> known;
    for (const Tensor& p : parameters()) known.insert(p.unsafeGetTensorImpl());
    for (const Tensor& p : param_group.params()) {
        const TensorImpl& t = ops::body(op.c_str(), p);
        if (!p.is_leaf())
            fail(op.c_str(), "can't optimize a non-leaf Tensor",
                 text("a result of ", p.grad_fn()->name()), "a tensor that no operation made",
                 "the tensors from which it was computed, or detach().requires_grad_()");
        if (!known.insert(&t).second)
            fail(op.c_str(), "some parameters appear in more than one parameter group",
                 text("a parameter of ", ops::shape_of(t), " for the second time"),
                 "each parameter once", "taking it out of one of the lists");
    }
    OptimizerParamGroup added = param_group;
    if (!added.has_options()) added.set_options(defaults_->clone());
    OptimizerOptions &own = added.options(), &given = *defaults_;
    if (typeid(own) == typeid(given)) inherit(own, given);  // else check() refuses it
    check(added.options(), param_groups_.size() + 1);
    param_groups_.push_back(std::move(added));
}

void Optimizer::check(const OptimizerOptions&, std::size_t) const {}

Tensor Optimizer::state_like(const Tensor& parameter) const { return parameter; }

void Optimizer::zero_grad(bool set_to_none) {
    const NoGradGuard unrecorded;
    for (const OptimizerParamGroup& group : param_groups_)
        for (const Tensor& p : group.params()) {
            if (!p.grad().defined()) continue;
            Tensor& gradient = p.mutable_grad();
            if (set_to_none) {
                gradient = Tensor();
                continue;
            }
            if (gradient.is_view()) gradient = gradient.detach();
            gradient.detach_().zero_();
        }
}

std::vector<Tensor> Optimizer::parameters() const {
    std::vector<Tensor> all;
    for (const OptimizerParamGroup& group : param_groups_)
        all.insert(all.end(), group.params().begin(), group.params().end());
    return all;
}

std::size_t Optimizer::size() const noexcept {
    std::size_t count = 0;
    for (const OptimizerParamGroup& group : param_groups_) count += group.params().size();
    return count;
}

}  // namespace sinter::inline v1::optim
