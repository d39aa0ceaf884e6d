// Memory placement of results. Decided while a plan runs, step by step, because it depends on the
// references that exist.
//
// A fresh result gets a pool buffer, or the buffer of an operand that dies in the same step and is
// read at the same element as the result is written (donation). A new version of a storage whose
// address is known goes into the main buffer. If that holds another version that is still needed,
// or that the step reads at other elements than it writes, that version moves out first.
#pragma once

#include "engine/graph/graph.hpp"

#include <functional>
#include <span>

namespace sinter::plan {

/// A read of the step that writes a result.
struct concurrent_read {
    Version* value;
    bool in_step;  // true if it reads only the element being written, or no written element
    bool last;     // true if the value is not needed after this step
    bool same;     // true if read exactly where the result is written: its buffer can be donated
};

/// Returns true if a version's value is needed after the step. `mine`: references that belong to
/// the caller.
using needed_fn = std::function<bool(const Version&, uint32_t mine)>;

/// Returns the main buffer of the storage of `v`, if no version in it can be read any more, so that
/// a loop that overwrites a tensor stays in one buffer. Returns null otherwise. Under home_lock.
runtime::buffer_ptr forgotten_buffer(const Version& v);

/// Returns the buffer of an operand of `v`'s node that dies with it, if the node reads it exactly
/// where the result is written, and nothing else can see it. Returns null otherwise. For a
/// pointwise node whose result is dense. Under the graph mutex and home_lock.
runtime::buffer_ptr dying_buffer(const Version& v);

/// Returns the buffer for the bytes of `v`. For a partial write it already holds the base's bytes.
/// The caller holds the buffers that it got for other results of the step, so that none is given
/// twice.
runtime::buffer_ptr result_buffer(Version& v, std::span<const concurrent_read> reads,
                                  const needed_fn& needed);

/// Makes `v` ready with its bytes in `buffer`.
void publish(Version& v, runtime::buffer_ptr buffer);

/// Publishes the first value of a storage without taking the lock. The storage stays alive, and no
/// other thread gives it bytes meanwhile.
void publish_first(Version& v, Storage& s, runtime::buffer_ptr buffer);

/// Publishes a result that was computed in a separate buffer. Copies it to the main buffer of its
/// storage if that address is known.
void settle_result(Version& v, runtime::buffer_ptr result);

/// Returns true if outside code may read the memory that `v` will have.
bool has_known_address(const Version& v);
/// Returns true if outside code cannot see the memory of `v` before it is published.
bool is_private(const Version& v);

/// Frees the memory of a ready version that nothing will read any more.
void release_bytes(Version& v);

/// Makes `v` fail with this error.
void fail(Version& v, std::exception_ptr error);

}  // namespace sinter::plan
