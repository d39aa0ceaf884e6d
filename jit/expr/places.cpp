#include "jit/expr/places.hpp"

#include "runtime/device/gpu.hpp"

namespace sinter::front {
namespace {

thread_local runtime::place_number current = 0;

}  // namespace

runtime::place_number current_gpu() { return current; }
void set_current_gpu(runtime::place_number place) { current = place; }

runtime::place_number place_of(const char* op, Device device) {
    if (device.is_cpu()) {
        if (device.index() > 0)
            fail(op, "the device is not there", device.str(), "cpu or cpu:0", "kCPU");
        return runtime::main_memory;
    }
    if (device.is_xla())
        fail<NotImplementedError>(op, "the device is not supported", device.str(), "cpu or cuda",
                                  "kCPU");
    const int there = runtime::gpu_count();
    const int index = device.has_index() ? device.index() : current;
    if (there == 0)
        fail(op, "there is no GPU", device.str(), "cpu",
             "cuda::is_available() first; `sinter info` says what was found");
    if (index >= there)
        fail(op, "there is no such GPU", device.str(), text("cuda:0 to cuda:", there - 1),
             "cuda::device_count() first");
    return static_cast<runtime::place_number>(index);
}

runtime::place_number place_for(const char* op, const TensorOptions& options) {
    return options.has_device() ? place_of(op, options.device()) : creation_place();
}

Device device_of(runtime::place_number place) {
    return place == runtime::main_memory ? Device(kCPU) : Device(kCUDA, place);
}

TensorOptions beside(const TensorImpl& t, ScalarType dtype) {
    return TensorOptions(dtype).device(device_of(t.device));
}
TensorOptions beside(const tensor_base& t, ScalarType dtype) {
    return beside(body("options", t), dtype);
}

Tensor moved(const Tensor& t, runtime::place_number place) {
    const TensorImpl& from = body("to", t);
    if (from.device == place) return t;
    const geometry_ptr shape = layout_like(*from.shape);
    const std::size_t bytes = static_cast<std::size_t>(shape->numel) * elementSize(from.dtype);
    // Its elements alone, in the order in which the copy has them.
    const bool as_it_lies =
        from.shape->numel == 0 || from.shape->strides_ref() == shape->strides_ref();
    const Tensor dense = as_it_lies ? t : sequence().read(read(from)).pending(from.dtype, shape);
    const TensorImpl& d = *dense.unsafeGetTensorImpl();
    const Buffer& source = ready_buffer(d, static_cast<int>(flush_reason::device_copy));
    runtime::buffer_ptr there = runtime::make_buffer(bytes, place);
    runtime::copy_bytes(*there, 0, source,
                        static_cast<std::size_t>(d.shape->offset) * elementSize(d.dtype), bytes);
    return Tensor(make_ready(std::move(there), from.dtype, shape));
}

}  // namespace sinter::front
