// Devices and the options of a new tensor.
#pragma once

#include <sinter/config.hpp>
#include <sinter/dtype.hpp>

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <type_traits>

namespace sinter::inline v1 {

/// Kinds of devices, numbered as libtorch numbers them. Tensors can be on the CPU and on GPUs; the
/// others can be named, and asking for a tensor there throws NotImplementedError.
enum class DeviceType : int8_t {
    CPU = 0,
    CUDA = 1,
    MKLDNN = 2,
    OPENGL = 3,
    OPENCL = 4,
    IDEEP = 5,
    HIP = 6,
    XLA = 9,
};
/// Of a device among those of its type.
using DeviceIndex = int8_t;
inline constexpr DeviceType kCPU = DeviceType::CPU;
inline constexpr DeviceType kCUDA = DeviceType::CUDA;
inline constexpr DeviceType kHIP = DeviceType::HIP;
inline constexpr DeviceType kXLA = DeviceType::XLA;
SINTER_API std::ostream& operator<<(std::ostream& out, DeviceType type);

/// Who made a GPU. Of the CPU that is not said.
enum class Vendor : int8_t { none, nvidia, amd };
SINTER_API std::ostream& operator<<(std::ostream& out, Vendor vendor);

/// How elements lie in memory. Only strided tensors can be made.
enum class Layout : int8_t { Strided = 0, Sparse = 1, SparseCsr = 2 };
inline constexpr Layout kStrided = Layout::Strided;
inline constexpr Layout kSparse = Layout::Sparse;
inline constexpr Layout kSparseCsr = Layout::SparseCsr;
SINTER_API std::ostream& operator<<(std::ostream& out, Layout layout);

/// In which order the dimensions of a dense tensor lie. ChannelsLast is of four dimensions, the
/// second of which lies innermost; ChannelsLast3d of five. Preserve is the tensor's own.
enum class MemoryFormat : int8_t {
    Contiguous = 0,
    Preserve = 1,
    ChannelsLast = 2,
    ChannelsLast3d = 3,
};
SINTER_API std::ostream& operator<<(std::ostream& out, MemoryFormat format);

/// Where a tensor lives. Index -1 is the current device of the type.
class SINTER_API Device {
public:
    Device(DeviceType type, int8_t index = -1) : type_(type), index_(index) {}  // NOLINT
    /// "cpu", "cuda:1": cpu, cuda, hip or xla, with or without an index. Throws Error on anything
    /// else. A device that is named need not be there.
    Device(const std::string& text);                         // NOLINT
    Device(const char* text) : Device(std::string(text)) {}  // NOLINT

    DeviceType type() const { return type_; }
    int8_t index() const { return index_; }
    bool is_cpu() const { return type_ == kCPU; }
    bool is_cuda() const { return type_ == kCUDA; }
    bool is_hip() const { return type_ == kHIP; }
    bool is_xla() const { return type_ == kXLA; }
    bool supports_as_strided() const { return true; }
    bool has_index() const { return index_ >= 0; }
    void set_index(int8_t index) { index_ = index; }
    std::string str() const;
    /// Whose GPU it is, the current one where there is no index. Throws Error where it is not
    /// there.
    Vendor vendor() const;
    friend bool operator==(const Device& a, const Device& b) {
        return a.type_ == b.type_ && a.index_ == b.index_;
    }

private:
    DeviceType type_;
    int8_t index_;
};

SINTER_API std::ostream& operator<<(std::ostream& out, const Device& device);

/// dtype, device and layout of a new tensor. Implicit from any of them and from a device's name;
/// chained setters as in libtorch.
class SINTER_API TensorOptions {
public:
    TensorOptions() = default;
    TensorOptions(ScalarType dtype) : dtype_(dtype) {}                    // NOLINT
    TensorOptions(TypeMeta dtype) : dtype_(dtype) {}                      // NOLINT
    TensorOptions(Device device) : device_(device), has_device_(true) {}  // NOLINT
    TensorOptions(DeviceType device) : TensorOptions(Device(device)) {}   // NOLINT
    // A template, so that an index may be any integer between braces.
    template <class I>
        requires std::is_integral_v<I>
    TensorOptions(DeviceType device, I index)
        : TensorOptions(Device(device, static_cast<DeviceIndex>(index))) {}
    TensorOptions(Layout layout) { *this = TensorOptions().layout(layout); }  // NOLINT
    // A template, or 0 would be a null pointer to a name.
    template <class T>
        requires std::is_convertible_v<const T&, std::string>
    TensorOptions(const T& device) : TensorOptions(Device(std::string(device))) {}  // NOLINT

    TensorOptions dtype(ScalarType t) const {
        TensorOptions o = *this;
        o.dtype_ = t;
        return o;
    }
    TensorOptions device(Device d) const {
        TensorOptions o = *this;
        o.device_ = d;
        o.has_device_ = true;
        return o;
    }
    TensorOptions device(DeviceType type, int8_t index) const {
        return device(Device(type, index));
    }
    /// CUDA's.
    TensorOptions device_index(int8_t index) const { return device(Device(kCUDA, index)); }
    /// Only strided: others throw NotImplementedError.
    TensorOptions layout(Layout layout) const;
    /// Only `false`: there is no differentiation yet, and `true` throws NotImplementedError.
    TensorOptions requires_grad(bool on) const;
    /// Main memory that copies to and from a GPU need not wait for; functions that make tensors on
    /// the CPU take it, and throw Error where there is no GPU, or on another device.
    TensorOptions pinned_memory(bool on) const;

    TypeMeta dtype() const {
        return dtype_ == ScalarType::Undefined ? get_default_dtype() : TypeMeta(dtype_);
    }
    ScalarType dtype_or(ScalarType other) const {
        return dtype_ == ScalarType::Undefined ? other : dtype_;
    }
    Device device() const { return device_; }
    Layout layout() const { return kStrided; }
    bool requires_grad() const { return false; }
    bool pinned_memory() const { return pinned_memory_; }
    bool is_sparse() const { return false; }
    std::optional<TypeMeta> dtype_opt() const {
        return has_dtype() ? std::optional(TypeMeta(dtype_)) : std::nullopt;
    }
    std::optional<Device> device_opt() const {
        return has_device_ ? std::optional(device_) : std::nullopt;
    }
    std::optional<Layout> layout_opt() const {
        return has_layout_ ? std::optional(kStrided) : std::nullopt;
    }
    bool has_dtype() const { return dtype_ != ScalarType::Undefined; }
    bool has_device() const { return has_device_; }
    bool has_layout() const { return has_layout_; }
    bool has_requires_grad() const { return has_requires_grad_; }
    bool has_pinned_memory() const { return has_pinned_memory_; }

private:
    ScalarType dtype_ = ScalarType::Undefined;
    Device device_ = kCPU;
    bool has_device_ = false, has_layout_ = false;
    bool has_requires_grad_ = false, has_pinned_memory_ = false;
    bool pinned_memory_ = false;
};
SINTER_API std::ostream& operator<<(std::ostream& out, const TensorOptions& options);

inline TensorOptions dtype(ScalarType t) { return TensorOptions(t); }
/// `dtype<double>()` is `dtype(kDouble)`.
template <class T>
TensorOptions dtype() {
    return TensorOptions(scalar_type_v<T>);
}
inline TensorOptions device(Device d) { return TensorOptions(d); }
inline TensorOptions device_index(int8_t index) { return TensorOptions().device_index(index); }
inline TensorOptions layout(Layout layout) { return TensorOptions(layout); }
inline TensorOptions requires_grad(bool on = true) { return TensorOptions().requires_grad(on); }

}  // namespace sinter::inline v1
