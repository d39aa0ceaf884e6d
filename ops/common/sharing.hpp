// Tensors that share elements: with others, and with themselves.
#pragma once

#include "ops/common/op_checks.hpp"

namespace sinter::front {

/// How two tensors lie in memory, as PyTorch looks at it before it writes one of them: what has
/// gaps or repeats elements it does not look into.
enum class sharing : uint8_t { none, same, partly, unclear };
sharing sharing_of(const TensorImpl& a, const TensorImpl& b);

/// Whether two indices lead to one address.
bool overlaps_itself(const geometry& g);
/// Warns, once in a process, that such a tensor is written.
void warn_of_overlap(const char* op);

/// A tensor that overlaps itself, as elements of a vector that does not.
struct shared_elements {
    Tensor vector;
    Tensor places;  // Long, of the tensor's sizes: where in the vector its elements are
    explicit shared_elements(const TensorImpl& t);
};

}  // namespace sinter::front
