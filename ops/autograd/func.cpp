// The part of include/sinter/func.hpp that is no template.
#include "ops/autograd/engine.hpp"
#include "ops/autograd/forward.hpp"
#include "ops/common/op_checks.hpp"
#include "ops/vmap/batched.hpp"

#include <sinter/func.hpp>
#include <sinter/mode.hpp>

namespace sinter::inline v1::func::detail {
namespace {

thread_local int depth = 0;

}  // namespace

level::level() { ++depth; }
level::~level() { --depth; }
bool level::is_nested() { return depth > 0; }

Tensor as_variable(const Tensor& t) {
    if (!t.requires_grad()) return t.detach().requires_grad_();
    const TensorImpl& same = ops::body("func", t);
    return Tensor(make_view(same, same.shape));
}

autograd::variable_list gradients(const Tensor& output, const Tensor& cotangent,
                                  const autograd::variable_list& inputs, bool nested) {
    autograd::variable_list found(inputs.size());
    if (output.requires_grad()) {
        autograd::variable_list given;
        if (cotangent.defined()) given.push_back(cotangent);
        found = autograd::grad({output}, inputs, given, true, nested, true);
    }
    for (std::size_t i = 0; i < found.size(); ++i)
        if (!found[i].defined()) found[i] = zeros_like(inputs[i].detach());
    return found;
}

autograd::variable_list tangents(const char* name, const autograd::variable_list& outputs,
                                 const autograd::variable_list& inputs,
                                 const autograd::variable_list& along, bool batched, bool nested) {
    if (along.size() != inputs.size())
        runtime::fail(name, "there is not one tangent for each primal",
                      runtime::text(along.size(), " tangents and ", inputs.size(), " primals"),
                      "as many of both", "a tangent of the type and structure of the primal");
    std::vector<autograd::Edge> varied, roots;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (!batched && along[i].sizes() != inputs[i].sizes())
            runtime::fail(name, "a tangent does not have the shape of its primal",
                          runtime::text("shape ", along[i].sizes(), " for a primal of shape ",
                                        inputs[i].sizes()),
                          "the same shape", "expand_as() on the tangent");
        varied.push_back(gradient_edge(ops::body(name, inputs[i])));
    }
    for (const Tensor& y : outputs) roots.push_back(gradient_edge(ops::body(name, y)));
    autograd::variable_list found =
        autograd::run_forward(roots, varied, along, {.batched = batched, .create_graph = nested});
    for (std::size_t i = 0; i < found.size(); ++i) {
        if (found[i].defined()) continue;
        std::vector<int64_t> sizes = outputs[i].sizes().vec();
        if (batched) sizes.insert(sizes.begin(), along.at(0).size(0));
        found[i] = zeros(sizes, outputs[i].detach().options());
    }
    return found;
}

namespace {

/// Returns true if statements alone lead from the input to the output, element by element: the
/// Jacobian is diagonal then, and one pass finds it.
bool is_elementwise(const Tensor& output, const Tensor& input) {
    if (input.numel() < 2 || !(output.sizes() == input.sizes())) return false;
    const autograd::Edge root = gradient_edge(ops::body("func", output));
    const autograd::Edge variable = gradient_edge(ops::body("func", input));
    if (!root.is_valid() || !variable.is_valid()) return false;
    for (const autograd::Node* n : autograd::nodes_between({root}, {variable}))
        if (n != variable.function.get() &&
            (!n->is_elementwise() || n->hooks_if_any() || n->num_inputs() != 1 ||
             n->results_[0].shape->sizes_ref() != input.sizes()))
            return false;
    return true;
}

/// Returns the Jacobian of elements, each of which depends on its own element of the input.
Tensor diagonal_jacobian(const Tensor& elements, IntArrayRef sizes) {
    return elements.reshape(-1).diag_embed().reshape(sizes);
}

}  // namespace

Tensor jacobian(const Tensor& output, const Tensor& input, bool nested) {
    const Tensor x = input.detach();
    std::vector<int64_t> sizes = output.sizes().vec(), units{x.numel()};
    sizes.insert(sizes.end(), x.sizes().begin(), x.sizes().end());
    units.insert(units.end(), x.sizes().begin(), x.sizes().end());
    if (x.numel() == 0) return zeros(sizes, output.detach().options());
    if (is_elementwise(output, input))
        return diagonal_jacobian(
            tangents("jacfwd", {output}, {input}, {ones_like(x)}, false, nested)[0], sizes);
    const Tensor all = eye(x.numel(), x.options()).reshape(units);
    const Tensor columns = tangents("jacfwd", {output}, {input}, {all}, true, nested)[0];
    return columns.movedim(0, -1).reshape(sizes);
}

namespace {

/// Returns the rows of the Jacobian by one pass in reverse, whose operations have one more
/// dimension; nothing if it reads a value on the way.
optional<Tensor> all_rows(const Tensor& output, const Tensor& input, const Tensor& units) {
    const TensorImpl& y = ops::body("jacrev", output);
    const auto unread = std::make_exception_ptr(ops::no_value_yet("[jacrev] a gradient was read"));
    const ops::placeholder row = ops::make_placeholder(output.sizes(), y.dtype, y.device, unread);
    try {
        const Tensor g = gradients(output, row.tensor, {input}, false)[0];
        if (auto found = ops::over_batch({g}, {{row, units}}, output.numel()))
            return std::move((*found)[0]);
    } catch (const ops::no_value_yet&) {
        // Then each row has values.
    }
    return nullopt;
}

}  // namespace

Tensor jacobian_by_rows(const Tensor& output, const Tensor& input, bool nested) {
    const Tensor x = input.detach();
    const int64_t rows = output.numel();
    std::vector<int64_t> sizes = output.sizes().vec(), units{rows};
    sizes.insert(sizes.end(), x.sizes().begin(), x.sizes().end());
    units.insert(units.end(), output.sizes().begin(), output.sizes().end());
    if (rows == 0) return zeros(sizes, x.options());
    if (is_elementwise(output, input))
        return diagonal_jacobian(gradients(output, ones_like(output.detach()), {input}, nested)[0],
                                 sizes);
    const Tensor all = eye(rows, output.detach().options()).reshape(units);
    if (rows > 1 && !nested && get_mode() == Mode::lazy)
        if (const auto found = all_rows(output, input, all)) return found->reshape(sizes);
    std::vector<Tensor> each;
    for (int64_t i = 0; i < rows; ++i)
        each.push_back(gradients(output, all[i], {input}, nested)[0]);
    return stack(each).reshape(sizes);
}

}  // namespace sinter::inline v1::func::detail
