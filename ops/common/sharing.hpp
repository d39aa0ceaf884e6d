// Tensors that share elements, with other tensors or within themselves.
#pragma once

#include "ops/common/op_checks.hpp"

namespace sinter::ops {

/// How two tensors share memory, as PyTorch checks it before it writes one of them. `unclear`: a
/// tensor has gaps or repeats elements, which PyTorch does not examine.
enum class sharing : uint8_t { none, same, partly, unclear };
sharing sharing_of(const TensorImpl& a, const TensorImpl& b);

/// Returns true if two indices lead to one address.
bool overlaps_itself(const geometry& g);
/// Warns, once per process, that a tensor which overlaps itself is written.
void warn_of_overlap(const char* op);
/// Throws Error: an operand shares memory with the tensor that is written. `got` says how.
[[noreturn]] void refuse_overlap(const char* op, const std::string& got, const char* expected);

/// A tensor that overlaps itself, as a selection from a vector that does not.
struct shared_elements {
    Tensor vector;
    Tensor places;  // Long, of the tensor's sizes: the positions of its elements in the vector
    explicit shared_elements(const TensorImpl& t);
};

}  // namespace sinter::ops
