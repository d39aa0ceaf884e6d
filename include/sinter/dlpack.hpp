// DLPack: tensors shared with other libraries without a copy. The structures are DLPack's own ABI
// (version 1.0, and the unversioned one before it), declared here so that no other header is
// needed; where <dlpack/dlpack.h> is used as well, pointers are to be cast.
#pragma once

#include <sinter/tensor.hpp>

#include <cstdint>

namespace sinter::inline v1 {

enum DLDeviceType : int32_t {
    kDLCPU = 1,
    kDLCUDA = 2,
    kDLCUDAHost = 3,
    kDLROCM = 10,
    kDLROCMHost = 11
};
enum DLDataTypeCode : uint8_t {
    kDLInt = 0,
    kDLUInt = 1,
    kDLFloat = 2,
    kDLBfloat = 4,
    kDLComplex = 5,
    kDLBool = 6
};
struct DLDevice {
    DLDeviceType device_type;
    int32_t device_id;
};
struct DLDataType {
    uint8_t code;
    uint8_t bits;
    uint16_t lanes;
};
struct DLTensor {
    void* data;
    DLDevice device;
    int32_t ndim;
    DLDataType dtype;
    int64_t* shape;
    int64_t* strides;  // in elements; null: contiguous
    uint64_t byte_offset;
};
struct DLManagedTensor {
    DLTensor dl_tensor;
    void* manager_ctx;
    void (*deleter)(DLManagedTensor* self);
};
struct DLPackVersion {
    uint32_t major;
    uint32_t minor;
};
inline constexpr uint64_t DLPACK_FLAG_BITMASK_READ_ONLY = 1;
inline constexpr uint64_t DLPACK_FLAG_BITMASK_IS_COPIED = 2;
struct DLManagedTensorVersioned {
    DLPackVersion version;
    void* manager_ctx;
    void (*deleter)(DLManagedTensorVersioned* self);
    uint64_t flags;
    DLTensor dl_tensor;
};

/// The tensor's memory, computed first if it is pending, and external for good (docs/laziness.md):
/// both sides see each other's writes. It lives until the deleter has been called, from any
/// thread. A GPU's memory is waited for. Read-only memory throws, for the old structure cannot say
/// so.
SINTER_API DLManagedTensor* toDLPack(const tensor_base& t);
/// The same in the versioned structure, whose flags say that memory is read-only.
SINTER_API DLManagedTensorVersioned* toDLPackVersioned(const tensor_base& t);

/// The same for who uses the memory on a stream: it waits there, and the host does not. The number
/// is the `stream` of `__dlpack__`: a handle, as of Stream::native_handle; 1 or 2 for NVIDIA's
/// legacy or per-thread default stream; 0 for AMD's default one; -1 for no waiting at all. Others
/// throw ValueError. On the CPU it says nothing.
SINTER_API DLManagedTensor* toDLPack(const tensor_base& t, int64_t stream);
SINTER_API DLManagedTensorVersioned* toDLPackVersioned(const tensor_base& t, int64_t stream);

/// A tensor over another library's memory, which calls the deleter once, when its last view has
/// died and a GPU has ended what uses it. The memory is external; where it is read-only, writes
/// throw. A GPU's memory is to be ready on its current stream: that is the `stream` to ask the
/// other library for. Throws on other devices, and where there is none, on dtypes that Sinter has
/// not, negative strides, misaligned memory, and a newer major version; the structure then still
/// belongs to the caller.
SINTER_API Tensor fromDLPack(const DLManagedTensor* source);
SINTER_API Tensor fromDLPack(const DLManagedTensorVersioned* source);

}  // namespace sinter::inline v1
