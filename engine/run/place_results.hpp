// Where results go. Decided while a plan runs, step by step, because it depends on who holds what.
//
// A fresh result gets a buffer of the pool, or that of an operand that dies in the same step and is
// read element for element where the result is written (donation). A new version of a storage
// whose address somebody may know goes into the main buffer; if another version lives there and is
// still needed, or the step reads it out of step with the writes, that version moves out first.
#pragma once

#include "engine/graph/graph.hpp"

#include <functional>
#include <span>

namespace sinter::plan {

/// A read of the step that writes a result.
struct concurrent_read {
    Version* value;
    bool in_step;  // only the element that is written at the same time, or none that is written
    bool last;     // nobody needs the value after this step
    bool same;     // read exactly where the result is written: its buffer can be taken over
};

/// Tells whether somebody needs a version's value after the step; `mine` references are the
/// asker's.
using needed_fn = std::function<bool(const Version&, uint32_t mine)>;

/// The main buffer of the storage that `v` is the newest version of, if nobody can ask any more for
/// what it holds: a loop that writes a tensor over and over stays in one place. Null otherwise.
/// Under home_lock.
runtime::buffer_ptr forgotten_buffer(const Version& v);

/// The buffer for `v`'s bytes. For a partial write it holds the base's bytes already.
runtime::buffer_ptr place(Version& v, std::span<const concurrent_read> reads,
                          const needed_fn& needed, bool may_donate);

/// Makes `v` ready with its bytes in `buffer`.
void publish(Version& v, runtime::buffer_ptr buffer);

/// The same of the first value of a storage that stays alive, and that has no bytes and gets none
/// from elsewhere meanwhile.
void publish_first(Version& v, Storage& s, runtime::buffer_ptr buffer);

/// Makes `v` fail with this error.
void fail(Version& v, std::exception_ptr error);

}  // namespace sinter::plan
