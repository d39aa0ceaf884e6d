// Tensors over the caller's memory.
#include "ops/common/devices.hpp"

#include <sinter/functions/functions.hpp>

#include <memory>

namespace sinter::inline v1 {
namespace {

Tensor over_memory(void* data, geometry_ptr shape, const TensorOptions& options,
                   runtime::memory_deleter deleter, bool read_only) {
    const runtime::device_index place = ops::device_index_of("from_blob", options.device());
    const ScalarType dtype = options.dtype();
    runtime::require_dtype("from_blob", dtype);
    if (shape->numel > 0 && !data)
        runtime::fail<ValueError>("from_blob", "the pointer is null",
                                  runtime::text("nullptr for sizes ", shape->sizes_ref()),
                                  "memory for every element", "empty(), which allocates memory");
    const std::size_t bytes = static_cast<std::size_t>(extent_of(*shape)) * elementSize(dtype);
    runtime::buffer_ptr memory =
        runtime::wrap_memory(data, bytes, std::move(deleter), read_only, place);
    runtime::behind_stream(*memory);
    return Tensor(make_ready(std::move(memory), dtype, std::move(shape)));
}

geometry_ptr strided(IntArrayRef sizes, IntArrayRef strides) {
    ops::require_strides("from_blob", sizes, strides,
                         "leaving the strides out if the memory is contiguous");
    return make_geometry(sizes, strides, 0, "from_blob");
}

}  // namespace

Tensor from_blob(void* data, IntArrayRef sizes, const TensorOptions& options) {
    return over_memory(data, make_contiguous(sizes, "from_blob"), options, {}, false);
}

Tensor from_blob(void* data, IntArrayRef sizes, IntArrayRef strides, const TensorOptions& options) {
    return over_memory(data, strided(sizes, strides), options, {}, false);
}

Tensor detail::from_blob(void* data, IntArrayRef sizes, optional<IntArrayRef> strides,
                         blob_deleter deleter, const TensorOptions& options) {
    const std::shared_ptr<void> object(deleter.object, deleter.destroy);
    return over_memory(
        data, strides ? strided(sizes, *strides) : make_contiguous(sizes, "from_blob"), options,
        [object, call = deleter.call](void* memory) { call(object.get(), memory); }, false);
}

Tensor from_blob(const void* data, IntArrayRef sizes, const TensorOptions& options) {
    return over_memory(const_cast<void*>(data), make_contiguous(sizes, "from_blob"), options, {},
                       true);
}

Tensor from_blob(const void* data, IntArrayRef sizes, IntArrayRef strides,
                 const TensorOptions& options) {
    return over_memory(const_cast<void*>(data), strided(sizes, strides), options, {}, true);
}

}  // namespace sinter::inline v1
