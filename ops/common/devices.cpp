#include "ops/common/devices.hpp"

#include "engine/run/flush.hpp"
#include "engine/run/memory_pressure.hpp"
#include "ops/autograd/function.hpp"
#include "runtime/base/device.hpp"
#include "runtime/device/gpu.hpp"

#include <atomic>
#include <cmath>
#include <mutex>

namespace sinter::ops {
namespace {

thread_local runtime::device_index current = 0;
constexpr const char* no_gpu_remedy =
    "checking cuda::is_available() first; `sinter info` shows what was found";

}  // namespace

runtime::device_index current_gpu() { return current; }
void set_current_gpu(runtime::device_index device) { current = device; }

runtime::device_index device_index_of(const char* op, Device device) {
    if (device.is_cpu()) {
        if (device.index() > 0)
            runtime::fail(op, "the CPU has one device", device.str(), "cpu or cpu:0", "kCPU");
        return runtime::main_memory;
    }
    if (!device.is_cuda() && !device.is_hip())
        runtime::fail<NotImplementedError>(op, "the device type is not supported", device.str(),
                                           "cpu or cuda", "kCPU");
    const int there = runtime::gpu_count();
    const runtime::device_index index = device.has_index() ? device.index() : current;
    if (there == 0) runtime::fail(op, "no GPU is available", device.str(), "cpu", no_gpu_remedy);
    if (index >= there)
        runtime::fail(op, "the device index is out of range", device.str(),
                      there == 1 ? "cuda:0" : runtime::text("cuda:0 to cuda:", there - 1),
                      "cuda::device_count(), which counts the GPUs");
    return index;
}

Tensor unwritten(const char* op, IntArrayRef sizes, const TensorImpl& beside, ScalarType dtype) {
    geometry_ptr shape = make_contiguous(sizes, op);
    if (shape->numel == 0) return Tensor(make_empty(dtype, std::move(shape), beside.device));
    Tensor t(make_unwritten(dtype, std::move(shape), beside.device));
    require_conceivable(op, *t.unsafeGetTensorImpl());
    return t;
}

void require_conceivable(const char* op, const TensorImpl& t) {
    // A smaller tensor may be a sample or a grid that a fused reduction consumes, which takes no
    // memory.
    constexpr double times = 64;
    const double bytes =
        static_cast<double>(t.shape->numel) * static_cast<double>(elementSize(t.dtype));
    static constinit std::atomic<uint64_t> known{0};
    if (!known.load(std::memory_order_relaxed))
        known.store(runtime::memory_bytes(), std::memory_order_relaxed);
    const auto memory = static_cast<double>(known.load(std::memory_order_relaxed));
    if (bytes <= times * memory) return;
    constexpr double gib = 0x1p30;
    runtime::fail<OutOfMemoryError>(op, "the tensor is far larger than memory",
                                    runtime::text(shape_of(t), " of ", t.dtype, ", which takes ",
                                                  std::ceil(bytes / gib), " GiB"),
                                    runtime::text("at most ", times, " times the main memory of ",
                                                  std::floor(memory / gib), " GiB"),
                                    "smaller sizes, or a loop over slices");
}

runtime::device_index place_for(const char* op, const TensorOptions& options) {
    return options.has_device() ? device_index_of(op, options.device()) : creation_device();
}

Device device_of(runtime::device_index device) {
    return device == runtime::main_memory ? Device(kCPU) : Device(kCUDA, device);
}

TensorOptions beside(const TensorImpl& t, ScalarType dtype) {
    return TensorOptions(dtype).device(device_of(t.device));
}
TensorOptions beside(const tensor_base& t, ScalarType dtype) {
    return beside(body("options", t), dtype);
}

namespace {

/// Copies the elements into `there`, with layout `shape`. Flushes pending work.
Tensor copied(const TensorImpl& from, runtime::buffer_ptr there, const geometry_ptr& shape,
              bool wait) {
    // Only this tensor's elements, in the order of the copy.
    const bool as_it_lies =
        from.shape->numel == 0 || from.shape->strides_ref() == shape->strides_ref();
    const Tensor dense = as_it_lies
                             ? Tensor(intrusive_ptr<TensorImpl>(const_cast<TensorImpl*>(&from)))
                             : sequence().read(read(from)).pending(from.dtype, shape);
    const TensorImpl& d = *dense.unsafeGetTensorImpl();
    const Buffer& source = ready_buffer(d, static_cast<int>(flush_reason::device_copy));
    runtime::copy_bytes(*there, 0, source,
                        static_cast<std::size_t>(d.shape->offset) * elementSize(d.dtype),
                        static_cast<std::size_t>(shape->numel) * elementSize(from.dtype), wait);
    return Tensor(make_ready(std::move(there), from.dtype, shape));
}

}  // namespace

Tensor moved(const Tensor& t, runtime::device_index device, bool wait) {
    const TensorImpl& from = body("to", t);
    if (from.device == device) return t;
    const geometry_ptr shape = layout_like(*from.shape);
    const std::size_t bytes = static_cast<std::size_t>(shape->numel) * elementSize(from.dtype);
    const bool arrives_later = !wait && device == runtime::main_memory;
    return autograd::with_rule(
        "to_copy", {&t}, {.batched = true},
        [&] {
            return copied(from,
                          arrives_later ? runtime::make_pinned_buffer(bytes)
                                        : make_buffer_with_room(bytes, device),
                          shape, wait);
        },
        [back = from.device](const autograd::rule_call& c) -> autograd::variable_list {
            return {moved(c.grad(), back)};
        });
}

void require_pinnable(const char* op, runtime::device_index device) {
    if (runtime::gpu_count() == 0)
        runtime::fail(op, "no GPU is available", "a request for pinned memory", "pageable memory",
                      no_gpu_remedy);
    if (device != runtime::main_memory)
        runtime::fail(op, "only CPU memory can be pinned",
                      runtime::text("a tensor on ", device_of(device).str()), "a CPU tensor",
                      ".cpu() first");
}

namespace {

/// Sets the memory in which a fresh storage's value will be computed. Returns false if it has been
/// computed or has memory.
bool give_home(const TensorImpl& t, const runtime::buffer_ptr& home) {
    Storage& s = *t.storage;
    const std::lock_guard lock(home_lock());
    if (s.current->state != version_state::pending || s.main || s.resident) return false;
    s.main = home;
    s.address_known = true;
    return true;
}

bool in_pinned_memory(const TensorImpl& t) {
    const std::lock_guard lock(home_lock());
    const Storage& s = *t.storage;
    return s.main && s.main->owner == runtime::memory_owner::pinned;
}

Tensor copied_to_pinned(const TensorImpl& t) {
    const geometry_ptr shape = layout_like(*t.shape);
    return copied(
        t,
        runtime::make_pinned_buffer(static_cast<std::size_t>(shape->numel) * elementSize(t.dtype)),
        shape, true);
}

}  // namespace

Tensor pinned(Tensor fresh) {
    const TensorImpl& t = body("pin_memory", fresh);
    if (t.storage->current->state == version_state::pending &&
        give_home(t, runtime::make_pinned_buffer(t.storage->current->nbytes())))
        return fresh;
    return copied_to_pinned(t);
}

}  // namespace sinter::ops

namespace sinter::inline v1 {

bool tensor_base::is_pinned(optional<Device>) const {
    return ops::in_pinned_memory(ops::body("is_pinned", *this));
}

Tensor tensor_base::pin_memory(optional<Device>) const {
    const TensorImpl& t = ops::body("pin_memory", *this);
    ops::require_pinnable("pin_memory", t.device);
    if (ops::in_pinned_memory(t)) return self();
    return autograd::with_rule(
        "pin_memory", {this}, {.batched = true}, [&] { return ops::copied_to_pinned(t); },
        [](const autograd::rule_call& c) -> autograd::variable_list { return {c.grad()}; });
}

}  // namespace sinter::inline v1
