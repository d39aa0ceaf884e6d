// DLPack: tensors shared with other libraries without a copy. The structures follow DLPack's ABI
// (version 1.0, and the unversioned one before it), and are declared here so that no other header
// is needed; pointers to those of <dlpack/dlpack.h> must be cast.
#pragma once

#include <sinter/tensor.hpp>

#include <cstdint>

namespace sinter::inline v1 {

/// DLPack's structures and constants, by its names.
///@{
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
///@}

/// Returns the tensor's memory, which is computed first if it is pending, and external for good
/// (docs/laziness.md): both sides see each other's writes. It lives until the deleter has been
/// called, from any thread. Waits for work on a GPU's memory. Read-only memory is marked in the
/// versioned structure's flags; the older structure cannot mark it, so toDLPack throws Error.
/// PyTorch: torch.utils.dlpack.to_dlpack.
///@{
SINTER_API DLManagedTensor* toDLPack(const tensor_base& t);
SINTER_API DLManagedTensorVersioned* toDLPackVersioned(const tensor_base& t);
///@}

/// toDLPack() for a user of the memory on a stream: that stream waits, the host does not. `stream`
/// is that of `__dlpack__`: a handle, as Stream::native_handle() returns; 1 or 2 for NVIDIA's
/// legacy or per-thread default stream; 0 for AMD's default stream; -1 for no waiting. Throws
/// ValueError for other numbers. Without effect on the CPU. PyTorch: torch.Tensor.__dlpack__.
///@{
SINTER_API DLManagedTensor* toDLPack(const tensor_base& t, int64_t stream);
SINTER_API DLManagedTensorVersioned* toDLPackVersioned(const tensor_base& t, int64_t stream);
///@}

/// Returns a tensor over another library's memory, external (writes throw Error if it is
/// read-only), and calls the deleter once: when the last view has died and a GPU has finished with
/// it. A GPU's memory must be ready on Sinter's current stream. Throws Error for devices that do
/// not exist, dtypes without a ScalarType, negative strides, misaligned memory and a newer major
/// version; the caller still owns the structure then. PyTorch: torch.utils.dlpack.from_dlpack.
///@{
SINTER_API Tensor fromDLPack(const DLManagedTensor* source);
SINTER_API Tensor fromDLPack(const DLManagedTensorVersioned* source);
///@}

}  // namespace sinter::inline v1
