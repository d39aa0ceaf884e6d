// Functions with gradients of the program's own: include/sinter/autograd/function.hpp.
#include "ops/autograd/rules.hpp"
#include "ops/autograd/saved.hpp"
#include "ops/common/op_checks.hpp"

#include <sinter/autograd.hpp>
#include <sinter/functions/functions.hpp>

#include <algorithm>

namespace sinter::inline v1::autograd {

/// The saved tensors of a call. Results are kept without their node, which owns this.
struct AutogradContext::state {
    const Node* node = nullptr;
    std::vector<saved_value> values;
    std::vector<Edge> edges;     // of operands
    std::vector<int> of_result;  // the number of a result, or -1
    bool released = false;
};

void AutogradContext::save_for_backward(variable_list to_save) { to_save_ = std::move(to_save); }

variable_list AutogradContext::get_saved_variables() const {
    variable_list all;
    if (!saved_) return to_save_;
    for (std::size_t i = 0; i < saved_->values.size(); ++i) {
        if (!saved_->values[i]) {
            all.emplace_back();
            continue;
        }
        Edge e = saved_->edges[i];
        if (saved_->of_result[i] >= 0)
            e = {intrusive_ptr<Node>(const_cast<Node*>(saved_->node)),
                 static_cast<uint32_t>(saved_->of_result[i])};
        all.push_back(saved_->values[i].tensor(*saved_->node, e));
    }
    return all;
}

void AutogradContext::mark_dirty(const variable_list& inputs) {
    for (const Tensor& t : inputs) dirty_.insert(t.unsafeGetTensorImpl());
}
void AutogradContext::mark_non_differentiable(const variable_list& outputs) {
    for (const Tensor& t : outputs) plain_.insert(t.unsafeGetTensorImpl());
}

namespace detail {
namespace {

class custom_gradient final : public Node {
public:
    explicit custom_gradient(function_call&& call)
        : name_(call.name), backward_(std::move(call.backward)), call_(std::move(call)) {
        saved_.node = this;
    }
    std::string name() const override { return name_; }
    void release_variables() override {
        saved_.released = saved_.released || !saved_.values.empty();
        saved_.values.clear();
    }
    variable_list apply(variable_list&& grads) override {
        if (saved_.released) refuse_second_run();
        if (context.materialize_)
            for (std::size_t i = 0; i < grads.size(); ++i)
                if (!grads[i].defined())
                    grads[i] = zeros(results_[i].shape->sizes_ref(), options_[i]);
        variable_list all = backward_(context, std::move(grads));
        if (all.size() != call_.arguments.size())
            runtime::fail("backward",
                          runtime::text("function ", name_,
                                        "Backward returned an incorrect number of gradients"),
                          runtime::text(all.size()), runtime::text(call_.arguments.size()),
                          "one gradient for each argument of forward, undefined for those that "
                          "are no tensors");
        variable_list gradients(next_edges_.size());
        for (std::size_t a = 0; a < all.size(); ++a) {
            const int input = call_.arguments[a];
            if (input < 0 || edge_of_[static_cast<std::size_t>(input)] < 0) continue;
            gradients[static_cast<std::size_t>(edge_of_[static_cast<std::size_t>(input)])] =
                std::move(all[a]);
        }
        return gradients;
    }

    std::optional<variable_list> apply_forward(variable_list&& tangents, bool batched) override {
        if (!call_.jvp || batched) return std::nullopt;
        if (saved_.released) refuse_second_run();
        variable_list of_arguments;
        for (const int input : call_.arguments) {
            const int e = input < 0 ? -1 : edge_of_[static_cast<std::size_t>(input)];
            of_arguments.push_back(e < 0 ? Tensor() : tangents[static_cast<std::size_t>(e)]);
        }
        variable_list results = call_.jvp(context, std::move(of_arguments));
        if (results.size() != results_.size())
            runtime::fail(
                "jvp",
                runtime::text("function ", name_, " returned an incorrect number of tangents"),
                runtime::text(results.size()), runtime::text(results_.size()),
                "one tangent for each result of forward, undefined for 0");
        return results;
    }

    variable_list run() {
        AutogradContext& c = context;
        bool any = false;
        for (const Tensor& t : call_.inputs) {
            Edge e = GradMode::is_enabled() && t.defined() ? gradient_edge(ops::body("apply", t))
                                                           : Edge{};
            c.needed_.push_back(e.is_valid());
            edge_of_.push_back(e.is_valid() ? static_cast<int>(next_edges_.size()) : -1);
            any = any || e.is_valid();
            if (e.is_valid()) next_edges_.push_back(std::move(e));
        }
        renumber();
        variable_list results;
        {
            NoGradGuard unrecorded;
            results = call_.forward(c);
        }
        if (any) attach(results);
        c.to_save_.clear();
        call_.inputs.clear();
        call_.forward = nullptr;
        return results;
    }

    AutogradContext context;

private:
    void attach(variable_list& results) {
        AutogradContext& c = context;
        for (const Tensor& t : call_.inputs)
            if (t.defined() && c.dirty_.count(t.unsafeGetTensorImpl()) > 0)
                rules_of_gradients().check_write(ops::body("apply", t), true);
        for (std::size_t i = 0; i < results.size(); ++i) {
            Tensor& t = results[i];
            const bool written = t.defined() && c.dirty_.count(t.unsafeGetTensorImpl()) > 0;
            // A result that is an operand is another tensor than that.
            if (t.defined() && !written && is_input(t)) {
                TensorImpl* before = t.unsafeGetTensorImpl();
                t = t.detach();
                if (c.plain_.count(before) > 0) c.plain_.insert(t.unsafeGetTensorImpl());
            }
            const geometry_ptr shape =
                t.defined() ? t.unsafeGetTensorImpl()->shape : make_contiguous({});
            describe_result(*this, shape, t.defined() ? t.scalar_type() : kFloat,
                            t.defined() ? t.unsafeGetTensorImpl()->device : runtime::main_memory);
            options_.push_back(t.defined() ? t.options() : TensorOptions());
        }
        save(results);
        for (std::size_t i = 0; i < results.size(); ++i) {
            const Tensor& t = results[i];
            if (!t.defined() || c.plain_.count(t.unsafeGetTensorImpl()) > 0) continue;
            const TensorImpl& impl = *t.unsafeGetTensorImpl();
            if (!is_differentiable(impl.dtype)) continue;
            const intrusive_ptr<Node> self(this);
            if (c.dirty_.count(t.unsafeGetTensorImpl()) > 0) {
                if (impl.base && i > 0)
                    runtime::fail("apply", "a result that is a written view is not the first one",
                                  runtime::text("result ", i), "result 0",
                                  "clone() before the write");
                if (impl.base)
                    rules_of_gradients().written(impl, self);
                else
                    set_origin(impl, self, static_cast<uint32_t>(i));
                continue;
            }
            start_family(const_cast<TensorImpl&>(impl));
            set_origin(impl, self, static_cast<uint32_t>(i));
        }
    }

    bool is_input(const Tensor& t) const {
        return std::any_of(call_.inputs.begin(), call_.inputs.end(),
                           [&](const Tensor& x) { return x.defined() && x.is_same(t); });
    }

    void save(const variable_list& results) {
        for (const Tensor& t : context.to_save_) {
            saved_.values.push_back(t.defined() ? saved_value(t) : saved_value());
            saved_.edges.emplace_back();
            saved_.of_result.push_back(-1);
            if (!t.defined()) continue;
            for (std::size_t i = 0; i < results.size(); ++i)
                if (results[i].defined() && results[i].is_same(t))
                    saved_.of_result.back() = static_cast<int>(i);
            if (saved_.of_result.back() < 0)
                saved_.edges.back() = gradient_edge(ops::body("apply", t));
        }
        context.saved_ = &saved_;
    }

    std::string name_;
    std::function<variable_list(AutogradContext&, variable_list)> backward_;
    function_call call_;
    std::vector<int> edge_of_;
    std::vector<TensorOptions> options_;
    AutogradContext::state saved_;
};

}  // namespace

variable_list run_function(function_call call) {
    install_rules();
    return make_intrusive<custom_gradient>(std::move(call))->run();
}

}  // namespace detail
}  // namespace sinter::inline v1::autograd
