// include/sinter/autograd/checkpoint.hpp. The result's node saves the inputs, and computes the
// function again with recording on, in a graph of its own.
#include "ops/autograd/engine.hpp"
#include "ops/autograd/forward.hpp"
#include "ops/autograd/function.hpp"

#include <sinter/autograd/checkpoint.hpp>
#include <sinter/generator.hpp>

namespace sinter::inline v1::utils {
namespace {

using autograd::variable_list;
using function = std::function<variable_list(const variable_list&)>;

/// The default generator draws from this state while it lives.
class drawing_again {
public:
    explicit drawing_again(const Tensor& state) : now_(get_rng_state()) { set_rng_state(state); }
    ~drawing_again() { set_rng_state(now_); }
    drawing_again(const drawing_again&) = delete;
    drawing_again& operator=(const drawing_again&) = delete;

private:
    Tensor now_;
};

/// A call of the function again, in a graph of its own.
struct repeated {
    variable_list x, y;

    repeated(const function& f, const Tensor& state, std::size_t inputs,
             const autograd::rule_call& c);
};

repeated::repeated(const function& f, const Tensor& state, std::size_t inputs,
                   const autograd::rule_call& c) {
    if (GradMode::is_enabled())
        runtime::fail<NotImplementedError>(
            "checkpoint", "gradients of the gradients of a checkpoint are not supported",
            "create_graph = true", "create_graph = false", "the function without checkpoint()");
    for (std::size_t i = 0; i < inputs; ++i) {
        x.push_back(c.operand(i));
        if (x[i].defined()) x[i] = x[i].detach();
        if (c.needs(i)) x[i].requires_grad_();
    }
    const drawing_again same(state);
    const AutoGradMode recorded(true);
    y = f(x);
}

variable_list gradients(const function& f, const Tensor& state, std::size_t inputs,
                        const autograd::rule_call& c, std::size_t results) {
    const auto [x, y] = repeated(f, state, inputs, c);
    std::vector<autograd::Edge> roots;
    variable_list given;
    for (std::size_t i = 0; i < results; ++i) {
        if (!c.grad(i).defined() || !y[i].requires_grad()) continue;
        roots.push_back(gradient_edge(ops::body("checkpoint", y[i])));
        given.push_back(c.grad(i));
    }
    autograd::run_backward(roots, std::move(given), {});
    variable_list found;
    for (std::size_t i = 0; i < inputs; ++i) found.push_back(c.needs(i) ? x[i].grad() : Tensor());
    return found;
}

variable_list tangents(const function& f, const Tensor& state, const autograd::rule_call& c,
                       const variable_list& of_inputs, bool batched) {
    const auto [x, y] = repeated(f, state, of_inputs.size(), c);
    const auto edges = [](const variable_list& all) {
        std::vector<autograd::Edge> found;
        for (const Tensor& t : all)
            found.push_back(t.defined() ? gradient_edge(ops::body("checkpoint", t))
                                        : autograd::Edge{});
        return found;
    };
    return autograd::run_forward(edges(y), edges(x), of_inputs, {.batched = batched});
}

}  // namespace

variable_list checkpoint(const function& f, const variable_list& inputs) {
    std::vector<const tensor_base*> operands;
    for (const Tensor& t : inputs) operands.push_back(&t);
    if (!autograd::is_recorded(operands)) return f(inputs);
    const Tensor state = get_rng_state();
    variable_list results;
    {
        const NoGradGuard unrecorded;
        results = f(inputs);
    }
    std::vector<Tensor*> outputs;
    for (Tensor& t : results) outputs.push_back(&t);
    autograd::set_rule(
        "checkpoint", operands, {.operands = ~uint64_t{0}}, outputs,
        [f, state, n = inputs.size(), m = results.size()](const autograd::rule_call& c) {
            return gradients(f, state, n, c, m);
        },
        [f, state](const autograd::rule_call& c, const variable_list& of_inputs, bool batched) {
            return tangents(f, state, c, of_inputs, batched);
        });
    return results;
}

}  // namespace sinter::inline v1::utils
