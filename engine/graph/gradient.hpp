// What the graph keeps for differentiation. The gradient graph (<sinter/autograd/node.hpp>) is its
// own: the nodes of pending work vanish when they have run, gradient nodes live as long as results
// need them.
//
//   gradient_family  a tensor and its views: where the gradient of their newest value goes. Most
//                    share the storage's family; detach() and requires_grad_() start another one
//                    over the same storage, which the tensor and its later views hold.
//   gradient_view    how the gradient of a view reaches what it was taken of. Views hold geometry;
//                    their gradient nodes are made when one is read, and again after a write.
//
// A leaf of an expression captures the gradient node of its tensor, as it captures the version. So
// what is recorded is fixed by the line that was written. Without a family nothing is done but one
// test of a flag for each leaf.
#pragma once

#include <sinter/autograd/node.hpp>

#include "engine/graph/graph.hpp"
#include "runtime/base/spin_lock.hpp"

#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace sinter::inline v1 {

/// What a tensor holds: its family, or how it is a view.
struct gradient_meta {
    detail::reference_count references;
    const bool is_view;

    explicit gradient_meta(bool view) : is_view(view) {}
};

struct gradient_family : gradient_meta {
    gradient_family() : gradient_meta(false) {}

    geometry_ptr shape;  // of the tensor itself, not of a view
    ScalarType dtype = ScalarType::Undefined;
    runtime::device_index device = runtime::main_memory;
    bool requires_grad = false;  // a leaf that does
    runtime::spin_lock lock;     // guards what follows
    autograd::Edge origin;       // of the newest value; without a node: a leaf
    std::mutex accumulating;     // guards `grad` where backward passes add to it
    Tensor grad;
    // retain_grad: what the hook of a node writes, which may outlive the tensor.
    std::shared_ptr<Tensor> retained;
    // The node that adds to `grad`, while the gradient graph has it.
    autograd::Node* accumulator = nullptr;
    std::vector<std::shared_ptr<autograd::Node::tensor_hook>> hooks;  // of a leaf
};

struct gradient_view : gradient_meta {
    gradient_view() : gradient_meta(true) {}

    intrusive_ptr<gradient_family> family;  // null: the storage's
    intrusive_ptr<gradient_view> parent;    // null: it is a view of the family's tensor
    geometry_ptr of;                        // shape of what it was taken of
    ScalarType of_dtype = ScalarType::Undefined;
    // The elements of the view among those of a row-major tensor of the shape `of`. Null: they are
    // told by the storage alone, among those of the family's tensor; `parent` is null then, too.
    geometry_ptr map;
    geometry_ptr shape;  // of the view, in its storage
    ScalarType dtype = ScalarType::Undefined;
    int64_t storage_elements = 0;   // of dtype `of_dtype`
    bool without_gradient = false;  // made while nothing was recorded
    runtime::spin_lock lock;        // guards what follows
    autograd::Edge node;            // its gradient node, made for the value that `origin` computed
    autograd::Edge origin;
    std::shared_ptr<Tensor> retained;  // as in gradient_family
};

/// A gradient node that may need the result of the work that it was made with.
struct recorded_gradient : autograd::Node, runtime::pooled {
    /// Called before the work can run. `result` reads the value.
    virtual void set_result(const leaf& result) = 0;
    /// Called if the work writes its result over a value, which it may have read and saved.
    virtual void writes_over(const Version&) {}
};

/// Makes gradient nodes. ops/autograd has the rules; the graph learns of them when the first tensor
/// requires a gradient.
struct gradient_rules {
    virtual ~gradient_rules() = default;
    virtual intrusive_ptr<recorded_gradient> of_pointwise(const typed_program& code,
                                                          std::span<const leaf> leaves,
                                                          std::span<const Scalar> scalars) = 0;
    virtual intrusive_ptr<recorded_gradient> of_reduction(op::reduction row, const leaf& source,
                                                          ScalarType in, uint64_t reduced,
                                                          double correction) = 0;
    virtual intrusive_ptr<recorded_gradient> of_library(const kernel_op& op,
                                                        std::span<const leaf> inputs,
                                                        const attributes_ptr& attributes) = 0;
    virtual intrusive_ptr<autograd::Node> of_view(const gradient_view& v,
                                                  const gradient_family& family,
                                                  autograd::Edge next) = 0;
    virtual intrusive_ptr<autograd::Node> of_leaf(gradient_family& family) = 0;
    /// Throws Error if the tensor may not be written. `tracked`: the new elements have a gradient.
    virtual void check_write(const TensorImpl& target, bool tracked) = 0;
    /// Notes that the elements of `target` have been written, with values that `source` computed;
    /// null if they have no gradient.
    virtual void written(const TensorImpl& target, intrusive_ptr<autograd::Node> source) = 0;
};
/// The rules; null as long as no tensor requires a gradient.
extern constinit std::atomic<gradient_rules*> known_gradient_rules;
inline gradient_rules& rules_of_gradients() {
    return *known_gradient_rules.load(std::memory_order_acquire);
}

/// Returns true if a tensor has ever required a gradient: one test for all leaves of a node.
inline bool gradients_are_used() {
    return known_gradient_rules.load(std::memory_order_acquire) != nullptr;
}

/// Returns true if a tensor of this dtype can have a gradient.
constexpr bool is_differentiable(ScalarType t) { return isFloatingType(t) || isComplexType(t); }

/// Returns how a tensor is a view; null if it is none, or was made before it could have a gradient.
inline gradient_view* view_of(const TensorImpl& t) {
    gradient_meta* m = t.gradient.get();
    return m && m->is_view ? static_cast<gradient_view*>(m) : nullptr;
}
/// Returns the family that a tensor holds; null: the storage's.
intrusive_ptr<gradient_family> family_pointer(const TensorImpl& t);
/// Returns the family of a tensor; null if it has none yet.
gradient_family* family_of(const TensorImpl& t);
/// Makes the tensor the first of a new family.
gradient_family& start_family(TensorImpl& t);
/// The same for a tensor that forgets how its value was computed. The storage forgets it, too, if
/// it has no other tensor: a gradient would keep alive the graph that leads back to itself.
void leave_family(TensorImpl& t);
/// Makes the family one in which gradients are looked for.
gradient_family& differentiated_family(const TensorImpl& t);
/// Returns where the gradient of the tensor's newest value goes, in any mode.
autograd::Edge gradient_edge(const TensorImpl& t);
/// Gives a new tensor the node that made its value.
void set_origin(const TensorImpl& t, intrusive_ptr<autograd::Node> node, uint32_t result);
/// Adds a result to the node: the tensor's shape, dtype and device.
void describe_result(autograd::Node& node, const geometry_ptr& shape, ScalarType dtype,
                     runtime::device_index device);

/// Says that who computes `gradient`, or what depends on it, probably wants `value`, too, as a
/// training step wants its loss. If `value` is still pending then, and a tensor holds it, the same
/// flush computes it: later its whole function would have to be computed again.
void accompany(Version& gradient, intrusive_ptr<Version> value);
/// How many values have companions.
extern constinit std::atomic<int64_t> companions;
/// Returns these values for what the wanted ones depend on. `take`: the last time.
std::vector<intrusive_ptr<Version>> find_companions(std::span<Version* const> wanted, bool take);

/// Returns true if the version is the newest value of an inference tensor.
bool is_inference(const Version& v);

/// Returns true if one of the leaves has a gradient.
template <class Leaf>
bool has_gradient(std::span<Leaf> leaves) {
    for (const leaf& l : leaves)
        if (l.gradient) return true;
    return false;
}

}  // namespace sinter::inline v1
