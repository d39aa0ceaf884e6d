// Where results go. Decided while a plan runs, step by step, because it depends on who holds what.
//
// A fresh result gets a buffer of the pool, or that of an operand that dies in the same step and is
// read element for element where the result is written (donation). A new version of a storage
// whose address somebody may know goes into the main buffer; if another version lives there and is
// still needed, or the step reads it out of step with the writes, that version moves out first.
#pragma once

#include "jit/graph/graph.hpp"

#include <span>

namespace sinter::plan {

/// A read of the step that writes a result.
struct concurrent_read {
    Version* value;
    bool in_step;     // the same element that is written, at the same time
    bool last;        // nobody needs the value after this step
};

/// The buffer for `v`'s bytes. For a partial write it holds the base's bytes already.
/// `base_needed`: somebody needs the base of a partial write afterwards.
runtime::buffer_ptr place(Version& v, std::span<const concurrent_read> reads, bool base_needed,
                          bool resident_needed, bool may_donate);

/// Makes `v` ready with its bytes in `buffer`.
void publish(Version& v, runtime::buffer_ptr buffer);

/// Makes `v` fail with this error.
void fail(Version& v, std::exception_ptr error);

}  // namespace sinter::plan
