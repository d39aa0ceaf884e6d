// The gradient graph. Each statement that computes something from tensors which require a gradient
// has a Node there, which turns the gradients of its results into those of its operands.
#pragma once

#include <sinter/tensor.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sinter::inline v1::autograd {

/// A list of tensors, some of which may be undefined. libtorch: torch::autograd::variable_list.
using variable_list = std::vector<Tensor>;

struct Node;

/// One result of a node: where a gradient goes. libtorch: torch::autograd::Edge.
struct Edge {
    /// The node; null if nothing wants the gradient.
    intrusive_ptr<Node> function;
    /// Which of the node's results it is.
    uint32_t input_nr = 0;

    /// Returns true if there is a node.
    bool is_valid() const { return static_cast<bool>(function); }
    /// Compares nodes and numbers.
    bool operator==(const Edge& o) const = default;
};

/// What a node knows of one of its results.
struct result_metadata {
    /// Sizes; gradients are summed to them.
    geometry_ptr shape;
    /// The dtype; gradients are converted to it.
    ScalarType dtype = ScalarType::Undefined;
    /// The device; tangents are moved to it.
    int8_t device = -1;
};

/// A function of the gradient graph. libtorch: torch::autograd::Node.
struct SINTER_API Node {
    /// Called with the gradient of one result; returns another one, or an undefined tensor to keep
    /// it.
    using tensor_hook = std::function<Tensor(const Tensor&)>;
    /// Called before the node, with the gradients of its results; returns those to use.
    using pre_hook = std::function<variable_list(const variable_list&)>;
    /// Called after the node, with what it returned and what it got; returns what to use instead.
    using post_hook = std::function<variable_list(const variable_list&, const variable_list&)>;

    /// Numbers the node.
    Node();
    /// Nodes are shared and not copied.
    ///@{
    Node(const Node&) = delete;
    Node& operator=(const Node&) = delete;
    ///@}
    /// Drops what the node saved.
    virtual ~Node();

    /// Returns the name, such as "MulBackward0".
    virtual std::string name() const = 0;
    /// Returns the gradients of the operands, one for each next edge, undefined where there is
    /// none. `grads` are those of the results. Throws Error if saved values are gone or were
    /// overwritten.
    virtual variable_list apply(variable_list&& grads) = 0;
    /// Returns the tangents of the results. `tangents` are those of the operands, one for each next
    /// edge; an undefined one is 0. With `batched` there are several at once: each has one more
    /// leading dimension, and so have those of the results. Returns nothing if the node has no rule
    /// of its own: its tangents are the derivatives of apply(), which is linear in the gradients.
    virtual std::optional<variable_list> apply_forward(variable_list&& tangents, bool batched);
    /// Returns true if apply() takes gradients with one more leading dimension.
    virtual bool takes_batches() const { return false; }
    /// Returns true if an element of the result depends on no other element of an operand that has
    /// the result's sizes.
    virtual bool is_elementwise() const { return false; }
    /// Drops saved values: the node cannot run again.
    virtual void release_variables() {}

    /// Returns a number that is larger than those of all nodes made before.
    uint64_t sequence_nr() const { return sequence_; }
    /// Returns the nodes that get the gradients of the operands.
    const std::vector<Edge>& next_edges() const { return next_edges_; }
    /// Returns the number of results that the node has gradients of.
    std::size_t num_inputs() const { return results_.size(); }
    /// Returns the number of operands.
    std::size_t num_outputs() const { return next_edges_.size(); }

    /// Add a hook.
    ///@{
    void add_tensor_pre_hook(uint32_t result, tensor_hook hook);
    void add_pre_hook(pre_hook hook);
    void add_post_hook(post_hook hook);
    ///@}

    /// @cond
    struct hook_lists {
        std::vector<std::pair<uint32_t, std::shared_ptr<tensor_hook>>> of_tensors;
        std::vector<pre_hook> before;
        std::vector<post_hook> after;
        // retain_grad: runs after the other hooks of its result.
        std::vector<std::pair<uint32_t, tensor_hook>> retaining;
    };
    /// Numbers the node again, after the nodes that it leads to.
    void renumber();
    /// Returns the line of the statement, such as "fit.cpp:12"; nothing if it is not known.
    std::string line() const;
    hook_lists& hooks();
    const hook_lists* hooks_if_any() const { return hooks_.get(); }

    detail::reference_count references;
    std::vector<Edge> next_edges_;
    std::vector<result_metadata> results_;

private:
    uint64_t sequence_;
    std::unique_ptr<hook_lists> hooks_;
    std::shared_ptr<const void> site_;  // in anomaly mode: the stack of the statement
    /// @endcond
};

/// Counts the pointers to a node, for intrusive_ptr.
///@{
SINTER_API void retain(const Node* n);
SINTER_API void release(const Node* n);
///@}

}  // namespace sinter::inline v1::autograd
