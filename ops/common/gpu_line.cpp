#include "ops/common/gpu_line.hpp"

#include "engine/run/flush.hpp"
#include "ops/common/op_checks.hpp"

namespace sinter::ops {

gpu_line::gpu_line(runtime::device_index device)
    : place_(device), stream_(runtime::current_stream(runtime::gpu_at(device))), uses_(stream_) {}

const char* gpu_line::reads(const Tensor& dense) {
    const TensorImpl& t = body("read", dense);
    runtime::buffer_ptr b(&ready_buffer(t, static_cast<int>(flush_reason::value_read)));
    uses_.reads(*b);
    held_.push_back(b);
    return static_cast<const char*>(b->data) +
           t.shape->offset * static_cast<int64_t>(elementSize(t.dtype));
}

gpu_line::result gpu_line::writes(IntArrayRef sizes, ScalarType dtype) {
    geometry_ptr shape = make_contiguous(sizes);
    runtime::buffer_ptr b =
        runtime::make_buffer(static_cast<std::size_t>(shape->numel) * elementSize(dtype), place_);
    uses_.writes(*b);
    held_.push_back(b);
    char* const first = static_cast<char*>(b->data);
    return {Tensor(make_ready(std::move(b), dtype, std::move(shape))), first};
}

}  // namespace sinter::ops
