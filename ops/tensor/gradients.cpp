// What a tensor says of its gradient, and where backward passes begin.
#include "engine/graph/gradient.hpp"
#include "ops/autograd/engine.hpp"
#include "ops/autograd/rules.hpp"
#include "ops/common/op_checks.hpp"

#include <sinter/autograd.hpp>
#include <sinter/functions/functions.hpp>

namespace sinter::inline v1 {

using ops::body;
using runtime::fail;
using runtime::text;

namespace {

bool is_tracked(const TensorImpl& t) {
    return t.storage->differentiated.load(std::memory_order_acquire);
}

/// Returns where the gradient goes. Throws Error if the tensor requires none.
autograd::Edge edge_of(const char* op, const TensorImpl& t) {
    autograd::Edge e = is_tracked(t) ? gradient_edge(t) : autograd::Edge{};
    if (!e.is_valid())
        fail(op, "element of tensors does not require grad and does not have a grad_fn",
             text("a ", t.dtype, " tensor of shape ", t.shape->sizes_ref(), " without a gradient"),
             "a tensor that was computed from one that requires a gradient",
             "requires_grad_() on a leaf before the computation");
    return e;
}

bool is_leaf_of(const gradient_family& f) { return f.requires_grad && !f.origin.is_valid(); }

/// Returns where retain_grad() has the gradient kept; null if it was not called.
std::shared_ptr<Tensor>* retained_by(const TensorImpl& t) {
    if (!is_tracked(t)) return nullptr;
    if (t.base) {
        gradient_view* v = view_of(t);
        return v ? &v->retained : nullptr;
    }
    gradient_family* f = family_of(t);
    return f ? &f->retained : nullptr;
}

/// Where backward() keeps the gradient that grad() returns.
Tensor* grad_of(const TensorImpl& t) {
    if (const std::shared_ptr<Tensor>* kept = retained_by(t); kept && *kept) return kept->get();
    if (!is_tracked(t) || t.base) return nullptr;
    gradient_family* f = family_of(t);
    return f ? &f->grad : nullptr;
}

}  // namespace

bool tensor_base::requires_grad() const {
    const TensorImpl& t = body("requires_grad", *this);
    return is_tracked(t) && gradient_edge(t).is_valid();
}

Tensor& tensor_base::requires_grad_(bool on) const {
    const TensorImpl& t = body("requires_grad_", *this);
    if (!on) {
        if (!is_tracked(t) || !requires_grad()) return self();
        gradient_family& f = *family_of(t);
        if (t.base || !is_leaf_of(f))
            fail("requires_grad_", "you can only change requires_grad flags of leaf variables",
                 "a tensor that was computed from others", "a leaf",
                 "detach(), which gives the same values without a gradient");
        f.requires_grad = false;
        return self();
    }
    if (!is_differentiable(t.dtype))
        fail("requires_grad_",
             "only Tensors of floating point and complex dtype can require gradients",
             text(t.dtype), "a floating or complex dtype", ".to(kFloat) first");
    if (requires_grad()) return self();
    if (t.storage->inference && !in_inference_mode)
        fail("requires_grad_",
             "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed",
             "a tensor that was made in inference mode", "an ordinary tensor", "clone() first");
    autograd::install_rules();
    start_family(const_cast<TensorImpl&>(t)).requires_grad = true;
    t.storage->differentiated.store(true, std::memory_order_release);
    return self();
}

bool tensor_base::is_leaf() const {
    const TensorImpl& t = body("is_leaf", *this);
    if (!is_tracked(t) || !requires_grad()) return true;
    return !t.base && is_leaf_of(*family_of(t));
}

void tensor_base::backward() const { backward(Tensor()); }

void tensor_base::backward(const Tensor& gradient, optional<bool> retain_graph,
                           bool create_graph) const {
    backward(gradient, retain_graph, create_graph, {});
}

void tensor_base::backward(const Tensor& gradient, optional<bool> retain_graph, bool create_graph,
                           const std::vector<Tensor>& inputs) const {
    autograd::variable_list gradients;
    if (gradient.defined()) gradients.push_back(gradient);
    autograd::backward({self()}, gradients, retain_graph, create_graph, inputs);
}

Tensor tensor_base::grad() const {
    const Tensor* g = grad_of(body("grad", *this));
    return g ? *g : Tensor();
}

Tensor& tensor_base::mutable_grad() const {
    const TensorImpl& t = body("mutable_grad", *this);
    if (Tensor* g = grad_of(t)) return *g;
    if (!t.base) return differentiated_family(t).grad;
    retain_grad();
    return *grad_of(t);
}

void tensor_base::retain_grad() const {
    const TensorImpl& t = body("retain_grad", *this);
    const autograd::Edge e = edge_of("retain_grad", t);
    if (is_leaf() || retains_grad()) return;
    // The node may outlive the tensor, which holds the node.
    auto kept = std::make_shared<Tensor>();
    e.function->hooks().retaining.emplace_back(e.input_nr, [kept](const Tensor& g) {
        *kept = kept->defined() ? Tensor(*kept + g) : g;
        return Tensor();
    });
    *retained_by(t) = std::move(kept);
}

bool tensor_base::retains_grad() const {
    const std::shared_ptr<Tensor>* kept = retained_by(body("retains_grad", *this));
    return kept && *kept;
}

intrusive_ptr<autograd::Node> tensor_base::grad_fn() const {
    const TensorImpl& t = body("grad_fn", *this);
    if (is_leaf()) return {};
    return gradient_edge(t).function;
}

int64_t tensor_base::output_nr() const {
    const TensorImpl& t = body("output_nr", *this);
    return is_leaf() ? 0 : gradient_edge(t).input_nr;
}

unsigned detail::add_hook(const tensor_base& self, autograd::Node::tensor_hook hook) {
    const TensorImpl& t = body("register_hook", self);
    const autograd::Edge e = edge_of("register_hook", t);
    auto shared = std::make_shared<autograd::Node::tensor_hook>(std::move(hook));
    e.function->hooks().of_tensors.emplace_back(e.input_nr, shared);
    if (!self.is_leaf()) return static_cast<unsigned>(e.function->hooks().of_tensors.size() - 1);
    gradient_family& f = *family_of(t);
    f.hooks.push_back(std::move(shared));
    return static_cast<unsigned>(f.hooks.size() - 1);
}

void tensor_base::remove_hook(unsigned number) const {
    const TensorImpl& t = body("remove_hook", *this);
    const autograd::Edge e = edge_of("remove_hook", t);
    const auto refuse = [&] {
        fail<IndexError>("remove_hook", "there is no hook of this number", text(number),
                         "a number that register_hook() returned", "keeping that number");
    };
    if (is_leaf()) {
        gradient_family& f = *family_of(t);
        if (number >= f.hooks.size()) refuse();
        *f.hooks[number] = nullptr;
        return;
    }
    auto& hooks = e.function->hooks().of_tensors;
    if (number >= hooks.size()) refuse();
    *hooks[number].second = nullptr;
}

bool tensor_base::is_view() const { return static_cast<bool>(body("is_view", *this).base); }

Tensor tensor_base::_base() const {
    const TensorImpl& t = body("_base", *this);
    if (!t.base)
        fail("_base", "Can't get base of non-view Tensor", ops::shape_of(t), "a view",
             "is_view(), which tells whether it is one");
    auto whole = make_intrusive<TensorImpl>();
    whole->storage = t.storage;
    whole->shape = t.base;
    whole->dtype = t.storage->current->dtype;
    whole->device = t.device;
    whole->gradient = family_pointer(t);
    return Tensor(std::move(whole));
}

namespace autograd {
namespace {

/// Returns the gradients of roots, which may be left out for tensors of one element.
variable_list gradients_of(const char* op, const variable_list& roots, const variable_list& given) {
    if (!given.empty() && given.size() != roots.size())
        fail(op, "got a different number of gradients than of tensors",
             text(given.size(), " gradients for ", roots.size(), " tensors"),
             "one gradient for each tensor", "an undefined Tensor for a gradient of 1");
    variable_list all;
    NoGradGuard plain;
    for (std::size_t i = 0; i < roots.size(); ++i) {
        const Tensor& y = roots[i];
        if (!given.empty() && given[i].defined()) {
            if (given[i].sizes() != y.sizes())
                fail(op, "Mismatch in shape: a gradient has another shape than its tensor",
                     text("shape ", given[i].sizes(), " for shape ", y.sizes()),
                     text("shape ", y.sizes()), "expand_as() on the gradient");
            all.push_back(given[i]);
            continue;
        }
        if (y.numel() != 1)
            fail(op, "grad can be implicitly created only for scalar outputs",
                 text("a tensor of shape ", y.sizes()), "one element, or a gradient for it",
                 "sum() first");
        if (y.is_complex())
            fail(op, "grad can be implicitly created only for real scalar outputs",
                 text(y.scalar_type()), "a real tensor, or a gradient for it", "abs() first");
        all.push_back(ones_like(y));
        const auto& value = body(op, y).storage->current;
        if (value->state.load() == version_state::pending)
            accompany(*body(op, all.back()).storage->current, value);
    }
    return all;
}

std::vector<Edge> edges_of(const char* op, const variable_list& tensors) {
    std::vector<Edge> all;
    for (const Tensor& t : tensors) all.push_back(edge_of(op, body(op, t)));
    return all;
}

}  // namespace

void backward(const variable_list& tensors, const variable_list& grad_tensors,
              std::optional<bool> retain_graph, bool create_graph, const variable_list& inputs) {
    const std::vector<Edge> roots = edges_of("backward", tensors);
    run_options options;
    options.create_graph = create_graph;
    options.keep_graph = retain_graph.value_or(create_graph);
    options.wanted = edges_of("backward", inputs);
    for (const Tensor& t : inputs)
        if (!t.is_leaf())
            fail("backward", "one of the inputs is no leaf, so nothing is added to its grad()",
                 text("shape ", t.sizes(), ", made by ", t.grad_fn()->name()), "leaves",
                 "autograd::grad(), which returns gradients of any tensor");
    run_backward(roots, gradients_of("backward", tensors, grad_tensors), options);
}

variable_list grad(const variable_list& outputs, const variable_list& inputs,
                   const variable_list& grad_outputs, std::optional<bool> retain_graph,
                   bool create_graph, bool allow_unused) {
    const std::vector<Edge> roots = edges_of("grad", outputs);
    if (inputs.empty())
        fail("grad", "grad requires non-empty inputs", "no inputs", "one input or more",
             "backward(), which adds to the gradients of all leaves");
    run_options options;
    options.create_graph = create_graph;
    options.keep_graph = retain_graph.value_or(create_graph);
    options.accumulate = false;
    for (const Tensor& t : inputs) {
        if (!t.requires_grad())
            fail("grad", "One of the differentiated Tensors does not require grad",
                 text("a tensor of shape ", t.sizes()), "tensors that require a gradient",
                 "requires_grad_() before the computation");
        options.wanted.push_back(gradient_edge(body("grad", t)));
    }
    variable_list found = run_backward(roots, gradients_of("grad", outputs, grad_outputs), options);
    for (std::size_t i = 0; i < found.size(); ++i)
        if (!found[i].defined() && !allow_unused)
            fail("grad",
                 "One of the differentiated Tensors appears to not have been used in the graph",
                 text("input ", i, " of shape ", inputs[i].sizes()),
                 "inputs that the outputs depend on", "allow_unused = true");
    return found;
}

}  // namespace autograd
}  // namespace sinter::inline v1
