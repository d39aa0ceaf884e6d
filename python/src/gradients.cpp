// Gradients: attributes of tensors, hooks, and `autograd.grad`.
#include "bound.hpp"
#include "later.hpp"

#include <sinter/autograd.hpp>

#include <memory>

namespace {

nb::object optional_tensor(const Tensor& t) { return t.defined() ? nb::cast(t) : nb::none(); }

/// A tensor, or a sequence of them.
std::vector<Tensor> tensors_of(nb::handle given) {
    if (given.is_none()) return {};
    if (nb::isinstance<Tensor>(given)) return {nb::cast<Tensor>(given)};
    std::vector<Tensor> tensors;
    for (const nb::handle t : nb::borrow<nb::sequence>(given))
        tensors.push_back(t.is_none() ? Tensor() : nb::cast<Tensor>(t));
    return tensors;
}

/// A hook that was added to a tensor, to be removed again.
struct hook_handle {
    Tensor tensor;
    unsigned number;
};

hook_handle register_hook(const Tensor& t, nb::callable hook) {
    // The graph may be let go of on a thread without the interpreter's lock.
    const std::shared_ptr<nb::callable> kept(
        new nb::callable(std::move(hook)),
        [](nb::callable* ended) { run_locked([ended] { delete ended; }); });
    return {t, t.register_hook([kept](const Tensor& gradient) {
                const nb::gil_scoped_acquire locked;
                const nb::object result = (*kept)(gradient);
                return result.is_none() ? Tensor() : nb::cast<Tensor>(result);
            })};
}

}  // namespace

void add_gradients(nb::module_& module, nb::class_<Tensor>& tensor) {
    tensor
        .def_prop_rw(
            "requires_grad", [](const Tensor& t) { return t.requires_grad(); },
            [](const Tensor& t, bool on) { t.requires_grad_(on); },
            "True if gradients of the tensor are recorded. May be set for a leaf.")
        .def_prop_rw(
            "grad", [](const Tensor& t) { return optional_tensor(t.grad()); },
            [](const Tensor& t, std::optional<Tensor> grad) {
                t.mutable_grad() = grad.value_or(Tensor());
            },
            "The gradient that backward() has added up, or None.",
            nb::for_setter(nb::arg("grad").none()))
        .def(
            "backward",
            [](const Tensor& t, std::optional<Tensor> gradient, std::optional<bool> retain_graph,
               bool create_graph, nb::handle inputs) {
                t.backward(gradient.value_or(Tensor()), retain_graph, create_graph,
                           tensors_of(inputs));
            },
            "gradient"_a = nb::none(), "retain_graph"_a = nb::none(), "create_graph"_a = false,
            "inputs"_a = nb::none(),
            "Adds the gradient of the tensor to `grad` of the leaves that it depends on. Pending, "
            "as all values are.");
    nb::class_<hook_handle>(module, "_HookHandle").def("remove", [](const hook_handle& self) {
        self.tensor.remove_hook(self.number);
    });
    tensor.def("register_hook", &register_hook, "hook"_a,
               "Calls `hook` with the tensor's gradient when it is known; what it returns, unless "
               "None, takes its place.\n"
               "Returns an object with remove().");
    nb::module_ autograd = module.def_submodule("autograd", "Gradients of recorded operations.");
    autograd.def(
        "grad",
        [](nb::handle outputs, nb::handle inputs, nb::handle grad_outputs,
           std::optional<bool> retain_graph, bool create_graph, bool allow_unused) {
            nb::list found;
            for (const Tensor& t :
                 autograd::grad(tensors_of(outputs), tensors_of(inputs), tensors_of(grad_outputs),
                                retain_graph, create_graph, allow_unused))
                found.append(optional_tensor(t));
            return nb::tuple(found);
        },
        "outputs"_a, "inputs"_a, "grad_outputs"_a = nb::none(), "retain_graph"_a = nb::none(),
        "create_graph"_a = false, "allow_unused"_a = false,
        "Returns the gradients of the outputs' sum with respect to each input.");
    autograd.def(
        "backward",
        [](nb::handle tensors, nb::handle grad_tensors, std::optional<bool> retain_graph,
           bool create_graph, nb::handle inputs) {
            autograd::backward(tensors_of(tensors), tensors_of(grad_tensors), retain_graph,
                               create_graph, tensors_of(inputs));
        },
        "tensors"_a, "grad_tensors"_a = nb::none(), "retain_graph"_a = nb::none(),
        "create_graph"_a = false, "inputs"_a = nb::none());
}
