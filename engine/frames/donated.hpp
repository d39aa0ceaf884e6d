// Arguments whose values a call may use up: compiled_function::donate.
#pragma once

#include "engine/graph/graph.hpp"

#include <span>

namespace sinter::frames {

/// Returns true if the memory of a tensor may go to another one: nobody outside knows its address,
/// and no gradient may need it.
bool may_be_donated(const Storage& s);

/// Takes the newest value away from its storage. Whoever holds the value still reads it; a tensor
/// over the storage has a value that failed, until all of it is written.
void take_value(Storage& s);

/// Does so for those of the donated tensors that no result shares memory with. Null pointers are
/// undefined tensors.
void take_values(std::span<TensorImpl* const> donated,
                 std::span<const intrusive_ptr<TensorImpl>> results);

}  // namespace sinter::frames
