// Where tensors are: from devices as programs name them to places, and from one place to another.
#pragma once

#include "ops/common/op_checks.hpp"

namespace sinter::front {

/// The place that a device means, the current GPU where it says none. Throws Error where it is not
/// there.
runtime::device_index place_of(const char* op, Device device);
Device device_of(runtime::device_index place);
/// Where options ask for a new tensor; without a device where the thread makes others.
runtime::device_index place_for(const char* op, const TensorOptions& options);

/// The calling thread's current GPU.
runtime::device_index current_gpu();
void set_current_gpu(runtime::device_index place);

/// The same tensor if it is there; else a copy, with the same strides if it is dense, else
/// contiguous. Runs what is pending. Pinned memory is not waited for unless `wait`.
Tensor moved(const Tensor& t, runtime::device_index place, bool wait = true);

/// Throws Error where memory cannot be pinned: there is no GPU, or it is not the CPU's.
void require_pinnable(const char* op, runtime::device_index place);
/// What was just made, its value in pinned memory: computed there if it is pending, else copied.
Tensor pinned(Tensor fresh);

/// In main memory, for code that reads values there.
inline Tensor on_host(const tensor_base& t) { return moved(t.self(), runtime::main_memory); }

/// What is made without operands goes to this place for the time of a scope.
class creation_scope {
public:
    explicit creation_scope(runtime::device_index place) : before_(creation_device()) {
        creation_device() = place;
    }
    ~creation_scope() { creation_device() = before_; }
    creation_scope(const creation_scope&) = delete;
    creation_scope& operator=(const creation_scope&) = delete;

private:
    runtime::device_index before_;
};

/// Throws OutOfMemoryError where the elements would fill main memory many times.
void require_conceivable(const char* op, const TensorImpl& t);

/// What a factory is asked to make: a dtype, which it reads as, and a place, where what is made
/// without operands goes as long as this lives. Throws where either is not there.
class creation {
public:
    /// The options decide, else the dtype and the place given.
    creation(const char* op, const TensorOptions& options, ScalarType dtype,
             runtime::device_index place)
        : op_(op),
          dtype_(options.dtype_or(dtype)),
          pinned_(options.pinned_memory()),
          scope_(options.has_device() ? place_of(op, options.device()) : place) {
        require_dtype(op, dtype_);
        if (pinned_) require_pinnable(op, creation_device());
    }
    operator ScalarType() const { return dtype_; }  // NOLINT: what factories look at
    ScalarType dtype() const { return dtype_; }
    /// What was made, in the memory that was asked for. Throws OutOfMemoryError of a tensor that is
    /// far larger than memory: pending, it could be part of a kernel and never be stored, but not
    /// computed in an hour either, and eager programs get the error.
    Tensor made(Tensor t) const {
        require_conceivable(op_, *t.unsafeGetTensorImpl());
        return pinned_ ? pinned(std::move(t)) : t;
    }

private:
    const char* op_;
    ScalarType dtype_;
    bool pinned_;
    creation_scope scope_;
};

}  // namespace sinter::front
