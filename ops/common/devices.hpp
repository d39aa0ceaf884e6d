// Devices of tensors: resolves a Device to a device index, and copies between devices.
#pragma once

#include "ops/common/op_checks.hpp"

namespace sinter::ops {

/// Returns the index of a device; the current GPU if the device has no index. Throws Error if the
/// device does not exist.
runtime::device_index device_index_of(const char* op, Device device);
Device device_of(runtime::device_index device);
/// Returns the device for a new tensor: that of the options, else the thread's default.
runtime::device_index place_for(const char* op, const TensorOptions& options);

/// Returns the calling thread's current GPU.
runtime::device_index current_gpu();
void set_current_gpu(runtime::device_index device);

/// Returns the same tensor if it is on that device. Otherwise returns a copy, with the same strides
/// if the tensor is dense, else contiguous. Flushes pending work. Does not wait for a copy to
/// pinned memory unless `wait`.
Tensor moved(const Tensor& t, runtime::device_index device, bool wait = true);

/// Throws Error if memory cannot be pinned: there is no GPU, or the memory is not the CPU's.
void require_pinnable(const char* op, runtime::device_index device);
/// Returns a tensor that was just made with its value in pinned memory: computed there if it is
/// pending, else copied.
Tensor pinned(Tensor fresh);

/// Returns the tensor in main memory, for code that reads values there.
inline Tensor on_host(const tensor_base& t) { return moved(t.self(), runtime::main_memory); }

/// Tensors made without operands go to this device while the scope lives.
class creation_scope {
public:
    explicit creation_scope(runtime::device_index device) : before_(creation_device()) {
        creation_device() = device;
    }
    ~creation_scope() { creation_device() = before_; }
    creation_scope(const creation_scope&) = delete;
    creation_scope& operator=(const creation_scope&) = delete;

private:
    runtime::device_index before_;
};

/// Throws OutOfMemoryError if the elements would fill main memory many times.
void require_conceivable(const char* op, const TensorImpl& t);

/// Returns a tensor on the device of another, for a caller that writes all its elements by slices
/// before anything reads one. Its memory is allocated by the first of these writes, not here.
Tensor unwritten(const char* op, IntArrayRef sizes, const TensorImpl& beside, ScalarType dtype);

/// The dtype and device that a factory was asked for. Converts to the dtype. While it lives,
/// tensors made without operands go to the device. Throws if the dtype or the device does not
/// exist.
class creation {
public:
    /// Takes the dtype and device from the options, else those given.
    creation(const char* op, const TensorOptions& options, ScalarType dtype,
             runtime::device_index device)
        : op_(op),
          dtype_(options.dtype_or(dtype)),
          pinned_(options.pinned_memory()),
          requires_grad_(options.requires_grad()),
          scope_(options.has_device() ? device_index_of(op, options.device()) : device) {
        runtime::require_dtype(op, dtype_);
        if (pinned_) require_pinnable(op, creation_device());
    }
    operator ScalarType() const { return dtype_; }  // NOLINT: factories pass it as a dtype
    ScalarType dtype() const { return dtype_; }
    /// Returns the new tensor in the memory that was asked for. Throws OutOfMemoryError for a
    /// tensor far larger than memory. Pending, it could fuse and never be stored, but its
    /// computation would take hours, and eager programs get the error too.
    Tensor made(Tensor t) const {
        require_conceivable(op_, *t.unsafeGetTensorImpl());
        if (pinned_) t = pinned(std::move(t));
        if (requires_grad_) t.requires_grad_();
        return t;
    }

private:
    const char* op_;
    ScalarType dtype_;
    bool pinned_, requires_grad_;
    creation_scope scope_;
};

}  // namespace sinter::ops
