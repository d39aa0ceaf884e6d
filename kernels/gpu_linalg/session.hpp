// A call of a vendor's library on the caller's stream. It holds a handle, which is expensive and
// serves one call at a time, and a workspace from this library's memory.
#pragma once

#include "kernels/gpu/scratch.hpp"
#include "kernels/gpu_linalg/gemm_call.hpp"
#include "kernels/gpu_linalg/vendor_library.hpp"
#include "runtime/device/stream.hpp"

#include <string>

namespace sinter::gpu_linalg {

/// Thrown if the library is missing or does not take a call: the CPU fallback computes it. Not an
/// Error, because no user sees it.
struct refused {};

using gpu_kernels::scratch;

/// Returns if the code is 0. Otherwise throws OutOfMemoryError, `refused` or Error.
void require(const library_words& of, const char* op, const char* function, int code);

/// Warns once that a library is missing, and throws `refused`.
[[noreturn]] void refuse_missing(const library_words& of, const std::string& why_not);

/// Returns the library's table. If the library is missing, warns once and throws `refused`.
template <class Table>
const Table& table_of() {
    const found_library<Table>& found = find_library<Table>();
    if (!found.it) refuse_missing(Table::words, found.why_not);
    return *found.it;
}

/// Holds a handle, with its device current, for the time of a call.
class session {
public:
    session(const char* op, runtime::gpu_stream& s) : op_(op), stream_(s), scope_(s.device()) {}
    virtual ~session();
    session(const session&) = delete;
    session& operator=(const session&) = delete;

    runtime::gpu_stream& stream() const { return stream_; }
    void* handle() const { return handle_; }
    /// Counts the work that was put, and waits for it if launches block. Throws its errors.
    void end();

protected:
    const char* op_;

    using maker = int (*)(void** handle);
    /// Takes a free handle, or makes one.
    void take(const library_words& of, maker make);

private:
    runtime::gpu_stream& stream_;
    runtime::device_scope scope_;
    const library_words* of_ = nullptr;
    void* handle_ = nullptr;
    bool ended_ = false;
};

/// A session that multiplies.
class gemm_session : public session {
public:
    using session::session;
    /// Puts the product. Throws `refused` if the library does not take it.
    virtual void put(const gemm_call& g) const = 0;
};

}  // namespace sinter::gpu_linalg
