// A call of a vendor's library: a handle, which is expensive and serves one call at a time, on the
// caller's stream, with workspace from our own memory.
#pragma once

#include "kernels/gpu/scratch.hpp"
#include "kernels/gpu_linalg/cuda_tables.hpp"
#include "kernels/gpu_linalg/hip_tables.hpp"
#include "runtime/device/stream.hpp"

#include <functional>

namespace sinter::gpu_linalg {

/// The library is not there, or does not take a call: the CPU computes it. No Error, since nobody
/// else sees it.
struct refused {};

using gpu_kernels::scratch;

/// How a library's codes are read.
struct library_words {
    const char* name;      // in messages
    const char* variable;  // that names another library
    int out_of_memory;
    bool (*refuses)(int code);
    std::string (*explain)(int code);
};

/// Throws what a code means: OutOfMemoryError, `refused` or Error; unless it is 0.
void require(const library_words& of, const char* op, const char* function, int code);

/// A handle with its device current, for the time of a call.
class session {
public:
    session(const char* op, runtime::gpu_stream& s) : op_(op), stream_(s), scope_(s.device()) {}
    ~session();
    session(const session&) = delete;
    session& operator=(const session&) = delete;

    runtime::gpu_stream& stream() const { return stream_; }
    void* handle() const { return handle_; }
    /// Counts what was put, and with blocking launches waits for it. Throws its errors.
    void end();

protected:
    const char* op_;

    using maker = int (*)(void** handle);
    /// A free handle, or one that `make` makes.
    void take(const library_words& of, maker make);

private:
    runtime::gpu_stream& stream_;
    runtime::device_scope scope_;
    const library_words* of_ = nullptr;
    void* handle_ = nullptr;
    bool ended_ = false;
};

/// Throws `refused` where there is no cuBLAS.
class cublas_session : public session {
public:
    cublas_session(const char* op, runtime::gpu_stream& s);
    const cublas_table& f() const { return table_; }
    const scratch& workspace() const { return workspace_; }
    void check(const char* function, int code) const;

private:
    const cublas_table& table_;
    scratch workspace_;
};

class cusolver_session : public session {
public:
    cusolver_session(const char* op, runtime::gpu_stream& s);
    const cusolver_table& f() const { return table_; }
    void check(const char* function, int code) const;

private:
    const cusolver_table& table_;
};

/// Of both rocBLAS and rocSOLVER.
class hip_session : public session {
public:
    hip_session(const char* op, runtime::gpu_stream& s);
    const rocblas_table& f() const { return table_; }
    /// Throws `refused` where there is none.
    const rocsolver_table& solver() const;
    /// Calls it with the workspace that it asks for.
    void call(const char* function, const std::function<int()>& f) const;

private:
    const rocblas_table& table_;
};

}  // namespace sinter::gpu_linalg
