// What the routines of cuSOLVER and cuBLAS share, for the time of one routine call of a solver:
// sessions, workspaces and arrays of addresses.
#pragma once

#include "kernels/gpu/moves.hpp"
#include "kernels/gpu_linalg/cuda_libraries.hpp"
#include "runtime/device/uses.hpp"
#include "runtime/types/dtypes.hpp"

#include <sinter/dtype.hpp>

#include <algorithm>
#include <optional>
#include <vector>

namespace sinter::gpu_linalg {

inline int cuda_operation(char trans) { return trans == 'N' ? 0 : trans == 'T' ? 1 : 2; }
inline int cuda_fill(char uplo) { return uplo == 'L' ? 0 : 1; }
inline int cuda_side(char side) { return side == 'L' ? 0 : 1; }
inline int cuda_diagonal(char diagonal) { return diagonal == 'N' ? 0 : 1; }
/// Returns the cudaDataType of T.
template <class T>
int cuda_type() {
    return info_of(scalar_type_v<T>).cuda;
}

// A larger matrix fills the device by itself. On an H200 triangular systems and Cholesky factors of
// 4 matrices of 512 rows take half of the time in a batch, and LU takes as long as for 6 by
// themselves; 1024 rows were not tried in a batch.
inline constexpr int largest_in_batches = 512;
inline bool in_batches(int rows, int count) { return count > 1 && rows <= largest_in_batches; }
inline bool lu_in_batches(int rows, int count) {
    return in_batches(rows, count) && (rows <= 256 || count > 6);
}
/// cuBLAS gives a matrix little of the device: a batch takes as long as 5 to 12 matrices of 32 to
/// 128 rows by themselves on an H200, and 64 of 256.
inline bool qr_in_batches(int rows, int count) {
    return rows <= 256 && count >= std::max(6, rows * rows / 1024);
}

/// Returns true if the matrices follow each other.
template <class T>
bool is_packed(const matrices<T>& m) {
    return m.step == int64_t{m.ld} * m.cols;
}

/// The workspaces of a call of the 64-bit interface. `device` and `host` are null if the call needs
/// none.
struct cuda_work {
    std::optional<scratch> on_device;
    runtime::buffer_ptr on_host;
    std::size_t device_bytes = 0, host_bytes = 0;

    void make(runtime::gpu_stream& s) {
        if (device_bytes > 0) on_device.emplace(s, device_bytes);
        if (host_bytes > 0) on_host = runtime::make_pinned_buffer(host_bytes);
    }
    void* device() const { return on_device ? on_device->data() : nullptr; }
    void* host() const { return on_host ? on_host->data : nullptr; }
    /// The host's memory is not used again before the call has ended on the device.
    void keep(runtime::gpu_stream& s) const {
        if (on_host) on_host->uses->after_write(s, s.mark());
    }
};

/// An object of the library without device memory, such as a set of parameters.
class cuda_object {
public:
    cuda_object(int (*make)(void**), int (*drop)(void*)) : drop_(drop) { code_ = make(&it_); }
    ~cuda_object() {
        if (code_ == 0) drop_(it_);
    }
    cuda_object(const cuda_object&) = delete;
    cuda_object& operator=(const cuda_object&) = delete;
    int code() const { return code_; }
    void* get() const { return it_; }

private:
    int (*const drop_)(void*);
    void* it_ = nullptr;
    int code_ = 0;
};

template <class T>
class cuda_calls {
public:
    cuda_calls(const char* op, runtime::gpu_stream& s) : op_(op), stream_(s) {}

    runtime::gpu_stream& stream() const { return stream_; }
    cublas_session& blas() {
        if (!blas_) blas_.emplace(op_, stream_);
        return *blas_;
    }
    const cublas_typed<T>& on_blas() { return typed<T>(blas().f()); }
    void* dn() { return solver().handle(); }
    const cusolver_typed<T>& f() { return typed<T>(solver().f()); }
    /// Functions without a dtype. Newer ones may be null.
    const cusolver_table& any() { return solver().f(); }
    void check(const char* function, int code) { solver().check(function, code); }
    void end() {
        if (blas_) blas_->end();
        if (solver_) solver_->end();
    }

    scratch elements(int64_t n) const {
        return scratch(stream_, static_cast<std::size_t>(std::max<int64_t>(n, 1)) * sizeof(T));
    }
    scratch integers(int64_t n) const {
        return scratch(stream_, static_cast<std::size_t>(n) * sizeof(int));
    }
    /// Returns the addresses of a matrix or vector of each item of a batch, in device memory.
    template <class Items>
    scratch addresses(const Items& items, int count) const {
        std::vector<T*> all;
        for (int i = 0; i < count; ++i) all.push_back(items[i]);
        scratch memory(stream_, all.size() * sizeof(T*));
        gpu_kernels::upload(stream_, memory.data(), static_cast<const void*>(all.data()),
                            all.size() * sizeof(T*));
        return memory;
    }

    /// to = from^H, as far as `to` reaches.
    void put_adjoint(const matrices<T>& from, const matrices<T>& to, int count) const {
        put(from, {from.step, from.ld, 1}, to, count, true);
    }
    /// to = from, as far as `to` reaches.
    void put_copy(const matrices<T>& from, const matrices<T>& to, int count) const {
        put(from, {from.step, 1, from.ld}, to, count, false);
    }

private:
    void put(const matrices<T>& from, const std::vector<int64_t>& strides, const matrices<T>& to,
             int count, bool conjugate) const {
        gpu_kernels::put_moved(stream_, scalar_type_v<T>, {count, to.rows, to.cols},
                               {reinterpret_cast<char*>(to.data), {to.step, 1, to.ld}},
                               {reinterpret_cast<char*>(from.data), strides}, conjugate);
    }
    cusolver_session& solver() {
        if (!solver_) solver_.emplace(op_, stream_);
        return *solver_;
    }

    const char* op_;
    runtime::gpu_stream& stream_;
    std::optional<cublas_session> blas_;
    std::optional<cusolver_session> solver_;
};

/// Matrices in memory of a call.
template <class T>
class own_matrices {
public:
    own_matrices(const cuda_calls<T>& on, int rows, int cols, int count)
        : memory_(on.elements(int64_t{rows} * cols * count)), rows_(rows), cols_(cols) {}
    matrices<T> get() const {
        return {memory_.as<T>(), rows_, cols_, std::max(rows_, 1), int64_t{rows_} * cols_};
    }

private:
    scratch memory_;
    int rows_, cols_;
};

}  // namespace sinter::gpu_linalg
