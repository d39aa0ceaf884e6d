// A call of a vendor's library on the caller's stream. It holds a handle, which is expensive and
// serves one call at a time, and a workspace from this library's memory.
#pragma once

#include "kernels/gpu/scratch.hpp"
#include "kernels/gpu_linalg/cuda_tables.hpp"
#include "kernels/gpu_linalg/hip_tables.hpp"
#include "runtime/device/stream.hpp"

#include <functional>

namespace sinter::gpu_linalg {

/// Thrown if the library is missing or does not take a call: the CPU fallback computes it. Not an
/// Error, because it never leaves this folder.
struct refused {};

using gpu_kernels::scratch;

/// How a library's codes are read.
struct library_words {
    const char* name;      // for messages
    const char* variable;  // the environment variable that names another library
    int out_of_memory;
    bool (*refuses)(int code);
    std::string (*explain)(int code);
};

/// Returns if the code is 0. Otherwise throws OutOfMemoryError, `refused` or Error.
void require(const library_words& of, const char* op, const char* function, int code);

/// Holds a handle, with its device current, for the time of a call.
class session {
public:
    session(const char* op, runtime::gpu_stream& s) : op_(op), stream_(s), scope_(s.device()) {}
    ~session();
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

/// The constructor throws `refused` if there is no cuBLAS.
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

/// For both rocBLAS and rocSOLVER.
class hip_session : public session {
public:
    hip_session(const char* op, runtime::gpu_stream& s);
    const rocblas_table& f() const { return table_; }
    /// Throws `refused` if there is no rocSOLVER.
    const rocsolver_table& solver() const;
    /// Calls `f` with the workspace that it asks for.
    void call(const char* function, const std::function<int()>& f) const;

private:
    const rocblas_table& table_;
};

}  // namespace sinter::gpu_linalg
