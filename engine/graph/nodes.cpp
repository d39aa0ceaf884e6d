// How nodes are made.
#include "engine/graph/device_check.hpp"
#include "engine/graph/gradient.hpp"
#include "engine/graph/graph.hpp"
#include "engine/graph/infer.hpp"
#include "runtime/strided/sizes_list.hpp"
#include "runtime/types/number_checks.hpp"

#include <sinter/error.hpp>

#include <boost/container/small_vector.hpp>

#include <algorithm>
#include <vector>

namespace sinter::inline v1 {

namespace {

std::unique_ptr<Node> new_node(node_kind kind, ScalarType dtype, geometry_ptr shape,
                               std::size_t sources) {
    std::unique_ptr<Node> n = Node::bare(sources, 0, false);
    for (Edge& e : n->sources) ::new (&e) Edge;
    n->kind = kind;
    n->dtype = dtype;
    n->shape = std::move(shape);
    return n;
}

/// Makes a leaf captured before the storage became external read the value of that time.
inline void read_as_captured(Edge& e, const leaf& l) {
    const Version* v = e.value.get();
    if (!v || l.external || !v->external.load(std::memory_order_acquire)) return;
    if (const intrusive_ptr<Version> before = v->before_external) e.value = before;
}

void set_source(Edge& e, const leaf& l) {
    e.dtype = dtype_of(l);
    e.value = l.value;
    e.shape = l.shape;
    read_as_captured(e, l);
}

/// Moves from the leaf.
void set_source(Edge& e, leaf& l) {
    e.dtype = dtype_of(l);
    e.value = std::move(l.value);
    e.shape = std::move(l.shape);
    read_as_captured(e, l);
}

void make_edge(Edge* e, const leaf& l) {
    ::new (e) Edge{.value = l.value, .shape = l.shape, .dtype = dtype_of(l)};
    read_as_captured(*e, l);
}
void make_edge(Edge* e, leaf& l) {
    const ScalarType dtype = dtype_of(l);
    ::new (e) Edge{.value = std::move(l.value), .shape = std::move(l.shape), .dtype = dtype};
    read_as_captured(*e, l);
}

/// Makes the node keep a gradient node until it is recorded. `make` gets leaves that read what the
/// sources do. The gradients of the caller's leaves are dropped, since nobody destroys leaves that
/// were moved from.
template <class Leaf, class Make>
void keep_gradient(Node& n, std::span<Leaf> leaves, const Make& make) {
    if (is_differentiable(n.dtype)) {
        boost::container::small_vector<leaf, 4> sources;
        for (std::size_t i = 0; i < leaves.size(); ++i) {
            const Edge& e = n.sources[i];
            sources.push_back(
                {e.shape, e.value, false, e.dtype, leaves[i].result, leaves[i].gradient});
        }
        n.gradient = make(std::span<const leaf>(sources.data(), sources.size())).detach();
    }
    if constexpr (!std::is_const_v<Leaf>)
        for (leaf& l : leaves) l.gradient.reset();
}

// Not inlined, and without closures in their callers: statements without gradients pass by.
template <class Leaf>
[[gnu::noinline, gnu::cold]] void keep_gradient_of_pointwise(Node& n, std::span<Leaf> leaves,
                                                             const typed_program& code,
                                                             std::span<const Scalar> scalars) {
    keep_gradient(n, leaves, [&](std::span<const leaf> sources) {
        return rules_of_gradients().of_pointwise(code, sources, scalars);
    });
}
template <class Leaf>
[[gnu::noinline, gnu::cold]] void keep_gradient_of_library(Node& n, std::span<Leaf> inputs,
                                                           const kernel_op& op,
                                                           const attributes_ptr& attributes) {
    keep_gradient(n, inputs, [&](std::span<const leaf> sources) {
        return rules_of_gradients().of_library(op, sources, attributes);
    });
}

/// Copies const leaves and moves from others.
template <class Leaf>
std::unique_ptr<Node> pointwise_node_of(const program* code, std::span<Leaf> leaves,
                                        std::span<const Scalar> scalars, ScalarType dtype,
                                        geometry_ptr shape, bool base = false) {
    bool uniform = false;
    const typed_program* typed = infer(code, leaves, scalars, &uniform);
    auto n = Node::bare(leaves.size(), scalars.size() + typed->constants.size(), base);
    n->dtype = dtype;
    const geometry* whole = shape.get();
    bool alike = uniform && leaves[0].shape.get() == whole;  // no edge needs further work
    bool plain = alike && !base && whole->contiguous && whole->offset == 0 && whole->numel > 1 &&
                 !isComplexType(dtype) && !isComplexType(typed->uniform);
    Edge* e = n->sources.data();
    const Version* somewhere = nullptr;
    bool apart = false;
    for (Leaf& l : leaves) {
        make_edge(e, l);
        if (const Version* v = e->value.get()) {
            plain &= v->dtype == typed->uniform;
            if (!somewhere) {
                somewhere = v;
                n->device = v->device;
            }
            apart |= v->device != somewhere->device;
        } else {
            plain = false;
        }
        ++e;
    }
    if (base) ::new (e) Edge;
    if (gradients_are_used() && has_gradient(leaves)) [[unlikely]]
        keep_gradient_of_pointwise(*n, leaves, *typed, scalars);
    if (!somewhere) n->device = creation_device();
    if (apart) {
        check_devices("expression", *n);
        alike = false;
    }
    n->shape = std::move(shape);
    n->plain = plain && alike;
    for (Edge& odd : alike ? std::span<Edge>() : n->sources) {
        if (odd.shape.get() != whole && !(odd.shape->sizes_ref() == whole->sizes_ref()))
            odd.shape = expand_to(*odd.shape, whole->sizes_ref());
    }
    std::copy(typed->constants.begin(), typed->constants.end(),
              std::copy(scalars.begin(), scalars.end(), n->scalars.begin()));
    n->code = typed;
    return n;
}

}  // namespace

std::unique_ptr<Node> pointwise_node(const program* code, std::span<const leaf> leaves,
                                     std::span<const Scalar> scalars, ScalarType dtype,
                                     geometry_ptr shape) {
    return pointwise_node_of(code, leaves, scalars, dtype, std::move(shape));
}

std::unique_ptr<Node> pointwise_node(const program* code, std::span<leaf> leaves,
                                     std::span<const Scalar> scalars, ScalarType dtype,
                                     geometry_ptr shape) {
    return pointwise_node_of(code, leaves, scalars, dtype, std::move(shape));
}

std::unique_ptr<Node> place_node(const leaf& from, ScalarType dtype, geometry_ptr shape,
                                 intrusive_ptr<Version> base) {
    static const uint16_t identity[] = {token_leaf};
    static const program* copy = intern({identity, 1, 1, 0, program_digest(identity, 1)});
    auto n = pointwise_node_of(copy, std::span(&from, 1), {}, dtype, std::move(shape), true);
    n->base().value = std::move(base);
    return n;
}

std::unique_ptr<Node> alike_node(const program* code, std::span<leaf> leaves,
                                 std::span<const Scalar> scalars, ScalarType in, ScalarType dtype,
                                 geometry_ptr shape) {
    const typed_program* typed = code->recent.load(std::memory_order_acquire);
    if (!typed || !is_of_alike(*typed, in, scalars))
        return pointwise_node_of(code, leaves, scalars, dtype, std::move(shape));
    auto n = Node::bare(leaves.size(), scalars.size() + typed->constants.size(), false);
    n->dtype = dtype;
    n->code = typed;
    n->device = leaves[0].value->device;
    bool plain = shape->numel > 1 && !isComplexType(dtype);
    Edge* e = n->sources.data();
    for (leaf& l : leaves) {
        plain &= l.value->dtype == in;
        ::new (e) Edge{.value = std::move(l.value), .shape = std::move(l.shape), .dtype = in};
        read_as_captured(*e++, l);
    }
    n->plain = plain;
    if (gradients_are_used() && has_gradient(leaves)) [[unlikely]]
        keep_gradient_of_pointwise(*n, leaves, *typed, scalars);
    n->shape = std::move(shape);
    if (!n->scalars.empty())
        std::copy(typed->constants.begin(), typed->constants.end(),
                  std::copy(scalars.begin(), scalars.end(), n->scalars.begin()));
    return n;
}

std::unique_ptr<Node> reduce_node(op::reduction row, const leaf& source, ScalarType in,
                                  uint64_t reduced_dims, double correction, ScalarType dtype) {
    sizes_list kept(source.shape->sizes_ref());
    for (std::size_t d = 0; d < kept.size(); ++d)
        if (reduced_dims >> d & 1) kept[d] = 1;
    auto n = new_node(node_kind::reduce, dtype, make_contiguous(kept), 1);
    set_source(n->sources[0], source);
    if (source.gradient) [[unlikely]]
        keep_gradient(*n, std::span(&source, 1), [&](std::span<const leaf> sources) {
            return rules_of_gradients().of_reduction(row, sources[0], in, reduced_dims, correction);
        });
    n->reduction = row;
    n->reduced = reduced_dims;
    n->in = in;
    n->correction = correction;
    n->device = source.value ? source.value->device : creation_device();
    return n;
}

namespace {

/// Copies const leaves and moves from others.
template <class Leaf>
std::unique_ptr<Node> library_node_of(const kernel_op* op, std::span<Leaf> inputs, ScalarType dtype,
                                      geometry_ptr shape, attributes_ptr attributes) {
    auto n = new_node(node_kind::library, dtype, std::move(shape), inputs.size());
    const bool gradient = gradients_are_used() && has_gradient(inputs);
    const ScalarType* complex = isComplexType(dtype) ? &dtype : nullptr;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        set_source(n->sources[i], inputs[i]);
        if (!complex && isComplexType(n->sources[i].dtype)) complex = &n->sources[i].dtype;
    }
    if (gradient) [[unlikely]]
        keep_gradient_of_library(*n, inputs, *op, attributes);
    n->attributes = attributes.detach();
    if (complex && !op->complex) runtime::refuse_complex(op->name, toString(*complex));
    n->library = op;
    n->device = creation_device();
    const Version* somewhere = nullptr;
    bool apart = false;
    for (const Edge& e : n->sources) {
        if (!e.value) continue;
        apart |= somewhere && somewhere->device != e.value->device;
        somewhere = e.value.get();
        n->device = somewhere->device;
    }
    if (apart) check_devices(op->name, *n);
    return n;
}

}  // namespace

std::unique_ptr<Node> library_node(const kernel_op* op, std::span<const leaf> inputs,
                                   ScalarType dtype, geometry_ptr shape,
                                   attributes_ptr attributes) {
    return library_node_of(op, inputs, dtype, std::move(shape), std::move(attributes));
}

std::unique_ptr<Node> library_node_taking(const kernel_op* op, std::span<leaf> inputs,
                                          ScalarType dtype, geometry_ptr shape,
                                          attributes_ptr attributes) {
    return library_node_of(op, inputs, dtype, std::move(shape), std::move(attributes));
}

}  // namespace sinter::inline v1
