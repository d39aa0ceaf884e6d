// Operations with several results. The node computes a bundle that no tensor shows, and each result
// is a node of its own that takes a part of the bundle. So a node has one value everywhere else, as
// XLA's tuples and their elements are.
#pragma once

#include "engine/graph/graph.hpp"

#include <vector>

namespace sinter::inline v1 {

struct result_attributes {
    std::size_t index;
    const kernel_op* of;  // computes the bundle
    bool operator==(const result_attributes&) const = default;
};

/// Takes one part of inputs[0], a bundle. Attributes: result_attributes. It computes nothing, so it
/// counts as no operation.
extern const kernel_op result_op;

/// Returns the operation that computes a library node's value: of a result, the bundle's.
inline const kernel_op& computed_by(const Node& n) {
    return n.library == &result_op ? *n.attributes->as<result_attributes>().of : *n.library;
}

/// Pending tensors, one for each of `attributes->results`, of storages of their own. The same
/// operation of the same inputs and attributes that is pending already is not made again.
std::vector<intrusive_ptr<TensorImpl>> make_pending_results(const kernel_op* op,
                                                            std::span<const leaf> inputs,
                                                            attributes_ptr attributes);

}  // namespace sinter::inline v1
