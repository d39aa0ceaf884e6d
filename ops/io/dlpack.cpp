// Tensors to and from DLPack's structures.
#include "ops/common/devices.hpp"
#include "runtime/device/uses.hpp"
#include "runtime/types/number_checks.hpp"

#include <sinter/dlpack.hpp>

#include <memory>

namespace sinter::inline v1 {

using runtime::fail;
using runtime::text;

namespace {

constexpr DLPackVersion version{1, 0};

struct dtype_name {
    ScalarType dtype;
    DLDataType name;
};
constexpr dtype_name dtypes[] = {
#define SINTER_DTYPE(type, computed, name, number, kind, pair, npy, dlpack, ...) \
    {ScalarType::name, {kDL##dlpack, 8 * sizeof(type), 1}},
#define SINTER_COMPLEX_DTYPE SINTER_DTYPE
#include <sinter/core/dtype.def>
};

DLDataType name_of(ScalarType dtype) {
    for (const dtype_name& d : dtypes)
        if (d.dtype == dtype) return d.name;
    runtime::refuse_dtype("toDLPack", toString(dtype), runtime::supported_dtypes());
}

ScalarType dtype_of(DLDataType name) {
    for (const dtype_name& d : dtypes)
        if (d.name.code == name.code && d.name.bits == name.bits && d.name.lanes == name.lanes)
            return d.dtype;
    runtime::refuse_dtype(
        "fromDLPack",
        text("code ", int{name.code}, ", ", int{name.bits}, " bits, ", name.lanes, " lanes"),
        runtime::supported_dtypes(), "converting it in the exporting library first");
}

/// The memory behind an exported structure.
template <class Managed>
struct holder {
    Tensor tensor;  // keeps the memory alive
    std::vector<int64_t> sizes, strides;
    Managed managed{};
};

DLDevice dl_device(runtime::device_index place) {
    if (place == runtime::main_memory) return {kDLCPU, 0};
    const runtime::gpu& g = runtime::gpu_at(place);
    return {static_cast<DLDeviceType>(g.api->vendor->dlpack.device), g.ordinal};
}

/// Returns the index of DLPack's device. Throws NotImplementedError if it does not exist.
runtime::device_index place_named(const DLDevice& d) {
    if (d.device_type == kDLCPU) return runtime::main_memory;
    for (const runtime::gpu_vendor* v : runtime::gpu_vendors)
        if (d.device_type == v->dlpack.host) return runtime::main_memory;
    for (int i = 0; i < runtime::gpu_count(); ++i) {
        const DLDevice there = dl_device(static_cast<runtime::device_index>(i));
        if (there.device_type == d.device_type && there.device_id == d.device_id)
            return static_cast<runtime::device_index>(i);
    }
    fail<NotImplementedError>(
        "fromDLPack", "the tensor's device does not exist here",
        text("device type ", static_cast<int>(d.device_type), ", index ", d.device_id),
        "the CPU, or a GPU that cuda::device_count() counts",
        "copying it to the CPU in the exporting library");
}

/// Returns the stream that `__dlpack__` denotes by a number.
runtime::gpu_stream& stream_named(const runtime::gpu& g, int64_t number) {
    const auto& by = g.api->vendor->dlpack;
    if (number < 0 || (number >= by.refused_from && number <= by.refused_to))
        fail<ValueError>("toDLPack", "the number does not name a stream",
                         text(number, " on ", g.str()), by.streams, "Stream::native_handle()");
    const int64_t handle = number == by.default_stream ? 0 : number;
    return runtime::stream_by_handle(g, reinterpret_cast<void*>(static_cast<intptr_t>(handle)));
}

/// The receiver of GPU memory does not know the streams that use it. So their work is awaited, or
/// ordered before later work on the stream of that number.
void settle_streams(const TensorImpl& t, optional<int64_t> stream) {
    if (t.device == runtime::main_memory || stream == int64_t{-1}) return;
    runtime::stream_uses& uses = *t.storage->current->buffer->uses;
    if (!stream) return uses.finish_uses();
    runtime::gpu_stream& s = stream_named(runtime::gpu_at(t.device), *stream);
    uses.before_write(s);
    uses.used_by_others_on(s);
}

template <class Managed>
Managed* exported(const tensor_base& t, bool read_only, optional<int64_t> stream) {
    const TensorImpl& impl = ops::body("toDLPack", t);
    const DLDataType dtype = name_of(impl.dtype);
    auto h = std::make_unique<holder<Managed>>();
    void* data = read_only ? const_cast<void*>(t.const_data_ptr()) : t.data_ptr();
    settle_streams(impl, stream);
    const DLDevice device = dl_device(impl.device);
    h->tensor = t.self();
    h->sizes = impl.shape->sizes_ref().vec();
    h->strides = impl.shape->strides_ref().vec();
    // Strides of dimensions of size 0 or 1 are set to 1, because some readers take others for gaps.
    for (std::size_t d = 0; d < h->sizes.size(); ++d)
        if (h->sizes[d] < 2) h->strides[d] = 1;
    h->managed.dl_tensor = {data,  device,          static_cast<int32_t>(impl.shape->ndim),
                            dtype, h->sizes.data(), h->strides.data(),
                            0};
    h->managed.manager_ctx = h.get();
    h->managed.deleter = [](Managed* self) {
        delete static_cast<holder<Managed>*>(self->manager_ctx);
    };
    return &h.release()->managed;
}

[[noreturn]] void refuse_null() {
    fail<ValueError>("fromDLPack", "the pointer is null", "nullptr", "a DLPack structure",
                     "a capsule that has not been consumed yet");
}

bool is_read_only(const tensor_base& t) { return ops::body("toDLPack", t).storage->read_only; }

template <class Managed>
Tensor imported(const Managed* source, bool read_only) {
    const DLTensor& d = source->dl_tensor;
    const runtime::device_index place = place_named(d.device);
    const ScalarType dtype = dtype_of(d.dtype);
    if (d.ndim < 0 || d.ndim > 64 || (d.ndim > 0 && !d.shape))
        fail<ValueError>("fromDLPack", "the structure has no valid shape",
                         text(d.ndim, " dimensions, ", d.shape ? "with" : "without", " sizes"),
                         "0 to 64 dimensions and their sizes",
                         "setting ndim and shape of the DLTensor");
    const IntArrayRef sizes(d.shape, static_cast<std::size_t>(d.ndim));
    for (int64_t s : sizes)
        if (s < 0)
            fail<ValueError>("fromDLPack", "a size is negative", text("sizes ", sizes),
                             "sizes of 0 or more", "setting shape of the DLTensor");
    geometry_ptr shape = make_contiguous(sizes);
    if (d.strides) {
        const IntArrayRef strides(d.strides, static_cast<std::size_t>(d.ndim));
        for (std::size_t i = 0; i < strides.size(); ++i)
            if (strides[i] < 0 && sizes[i] > 1)
                fail("fromDLPack", "a stride is negative", text("strides ", strides),
                     "strides of 0 or more", "a copy in the exporting library");
        std::vector<int64_t> walked = strides.vec();
        for (int64_t& s : walked) s = std::max<int64_t>(s, 0);
        shape = make_geometry(sizes, walked, 0);
    }
    char* data = static_cast<char*>(d.data) + d.byte_offset;
    if (shape->numel > 0) {
        if (!d.data)
            fail<ValueError>("fromDLPack", "the pointer is null", text("nullptr for sizes ", sizes),
                             "memory for every element", "setting data of the DLTensor");
        const std::size_t item = elementSize(dtype);
        if (item == 0 || reinterpret_cast<uintptr_t>(data) % item != 0)
            fail<ValueError>("fromDLPack", "the memory is not aligned",
                             text("an address that is not a multiple of ", item),
                             "an address that is a multiple of the element size",
                             "a copy in the exporting library");
    }
    const std::size_t bytes = static_cast<std::size_t>(extent_of(*shape)) * elementSize(dtype);
    auto* owned = const_cast<Managed*>(source);
    runtime::memory_deleter deleter = [owned](void*) {
        if (owned->deleter) owned->deleter(owned);
    };
    // External in both cases: if this side may only read the memory, the other may still write it.
    auto memory = runtime::wrap_memory(data, bytes, std::move(deleter), false, place);
    runtime::behind_stream(*memory);
    auto impl = make_ready(std::move(memory), dtype, std::move(shape));
    impl->storage->read_only = read_only;
    return Tensor(std::move(impl));
}

}  // namespace

namespace {

DLManagedTensor* to_old(const tensor_base& t, optional<int64_t> stream) {
    if (is_read_only(t))
        runtime::refuse_read_only(
            "toDLPack", "toDLPackVersioned(), which marks it as read-only, or clone() first");
    return exported<DLManagedTensor>(t, false, stream);
}

DLManagedTensorVersioned* to_versioned(const tensor_base& t, optional<int64_t> stream) {
    const bool read_only = is_read_only(t);
    auto* managed = exported<DLManagedTensorVersioned>(t, read_only, stream);
    managed->version = version;
    managed->flags = read_only ? DLPACK_FLAG_BITMASK_READ_ONLY : 0;
    return managed;
}

}  // namespace

DLManagedTensor* toDLPack(const tensor_base& t) { return to_old(t, nullopt); }
DLManagedTensor* toDLPack(const tensor_base& t, int64_t stream) { return to_old(t, stream); }

DLManagedTensorVersioned* toDLPackVersioned(const tensor_base& t) {
    return to_versioned(t, nullopt);
}
DLManagedTensorVersioned* toDLPackVersioned(const tensor_base& t, int64_t stream) {
    return to_versioned(t, stream);
}

Tensor fromDLPack(const DLManagedTensor* source) {
    if (!source) refuse_null();
    return imported(source, false);
}

Tensor fromDLPack(const DLManagedTensorVersioned* source) {
    if (!source) refuse_null();
    if (source->version.major > version.major)
        fail<NotImplementedError>(
            "fromDLPack", "the DLPack version is too new",
            text("version ", source->version.major, ".", source->version.minor),
            text("a major version of at most ", version.major),
            "an older max_version in the exporting library");
    return imported(source, (source->flags & DLPACK_FLAG_BITMASK_READ_ONLY) != 0);
}

}  // namespace sinter::inline v1
