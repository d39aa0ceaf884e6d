// Devices, and the options of a new tensor.
#pragma once

#include <sinter/config.hpp>
#include <sinter/dtype.hpp>

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <type_traits>

namespace sinter::inline v1 {

/// Kinds of devices, numbered as in libtorch. Tensors can be on the CPU and on GPUs; the others can
/// be named, but making a tensor there throws NotImplementedError.
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
/// The index of a device among those of its type.
using DeviceIndex = int8_t;
/// libtorch's names of the device types.
///@{
inline constexpr DeviceType kCPU = DeviceType::CPU;
inline constexpr DeviceType kCUDA = DeviceType::CUDA;
inline constexpr DeviceType kHIP = DeviceType::HIP;
inline constexpr DeviceType kXLA = DeviceType::XLA;
///@}
/// Prints the type as in a device's name: "cuda".
SINTER_API std::ostream& operator<<(std::ostream& out, DeviceType type);

/// The vendor of a GPU; `none` for a CPU.
enum class Vendor : int8_t { none, nvidia, amd };
/// Prints the vendor's name.
SINTER_API std::ostream& operator<<(std::ostream& out, Vendor vendor);

/// How elements lie in memory. Only strided tensors can be made.
enum class Layout : int8_t { Strided = 0, Sparse = 1, SparseCsr = 2 };
/// libtorch's names of the layouts.
///@{
inline constexpr Layout kStrided = Layout::Strided;
inline constexpr Layout kSparse = Layout::Sparse;
inline constexpr Layout kSparseCsr = Layout::SparseCsr;
///@}
/// Prints the layout's name.
SINTER_API std::ostream& operator<<(std::ostream& out, Layout layout);

/// The order in memory of the dimensions of a dense tensor. ChannelsLast is for four dimensions, of
/// which the second lies innermost; ChannelsLast3d for five. Preserve means the tensor's current
/// order.
enum class MemoryFormat : int8_t {
    Contiguous = 0,
    Preserve = 1,
    ChannelsLast = 2,
    ChannelsLast3d = 3,
};
/// Prints the format's name.
SINTER_API std::ostream& operator<<(std::ostream& out, MemoryFormat format);

/// A device that can hold tensors. Index -1 is the current device of the type.
class SINTER_API Device {
public:
    /// Names a device of a type, which need not exist.
    Device(DeviceType type, int8_t index = -1) : type_(type), index_(index) {}  // NOLINT
    /// Parses "cpu", "cuda:1" and the like: a type with or without an index. Throws Error for any
    /// other text. The device need not exist.
    ///@{
    Device(const std::string& text);                         // NOLINT
    Device(const char* text) : Device(std::string(text)) {}  // NOLINT
    ///@}

    /// Returns the type, or the index, -1 for the current device.
    ///@{
    DeviceType type() const { return type_; }
    int8_t index() const { return index_; }
    ///@}
    /// Returns true if the device is of this type.
    ///@{
    bool is_cpu() const { return type_ == kCPU; }
    bool is_cuda() const { return type_ == kCUDA; }
    bool is_hip() const { return type_ == kHIP; }
    bool is_xla() const { return type_ == kXLA; }
    ///@}
    /// Returns true: every device has strided tensors.
    bool supports_as_strided() const { return true; }
    /// Returns true if the device names one index rather than the current device.
    bool has_index() const { return index_ >= 0; }
    /// Sets the index.
    void set_index(int8_t index) { index_ = index; }
    /// Returns the name, such as "cuda:1".
    std::string str() const;
    /// Returns the vendor of the GPU, of the current one without an index. Throws Error if the
    /// device does not exist.
    Vendor vendor() const;
    /// Returns true if type and index are equal.
    friend bool operator==(const Device& a, const Device& b) {
        return a.type_ == b.type_ && a.index_ == b.index_;
    }

private:
    DeviceType type_;
    int8_t index_;
};

/// Prints the name, such as "cuda:1".
SINTER_API std::ostream& operator<<(std::ostream& out, const Device& device);

/// dtype, device, layout and pinned memory of a new tensor. Each can be left out. Setters return
/// changed options and can be chained, as in libtorch.
class SINTER_API TensorOptions {
public:
    /// Names nothing.
    TensorOptions() = default;
    /// Names the dtype or the device; implicit.
    ///@{
    TensorOptions(ScalarType dtype) : dtype_(dtype) {}                    // NOLINT
    TensorOptions(TypeMeta dtype) : dtype_(dtype) {}                      // NOLINT
    TensorOptions(Device device) : device_(device), has_device_(true) {}  // NOLINT
    TensorOptions(DeviceType device) : TensorOptions(Device(device)) {}   // NOLINT
    ///@}
    /// Names a device by type and index or by its name ("cuda:1"), or the layout. Throws Error if
    /// the name names no device and NotImplementedError for a layout that is not strided.
    ///@{
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
    ///@}

    /// Returns these options with this dtype or device.
    ///@{
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
    ///@}
    /// Returns these options with this CUDA device.
    TensorOptions device_index(int8_t index) const { return device(Device(kCUDA, index)); }
    /// Returns these options with this layout. Throws NotImplementedError unless it is kStrided.
    TensorOptions layout(Layout layout) const;
    /// Returns these options, for tensors that require a gradient or do not.
    TensorOptions requires_grad(bool on) const;
    /// Returns these options with pinned main memory, from which copies to a GPU run without the
    /// CPU waiting. Functions that make tensors on the CPU accept it; they throw Error without a
    /// GPU, or for another device.
    TensorOptions pinned_memory(bool on) const;

    /// Returns the dtype, the default dtype if none is named.
    TypeMeta dtype() const {
        return dtype_ == ScalarType::Undefined ? get_default_dtype() : TypeMeta(dtype_);
    }
    /// Returns the dtype, `other` if none is named.
    ScalarType dtype_or(ScalarType other) const {
        return dtype_ == ScalarType::Undefined ? other : dtype_;
    }
    /// Returns what the options name, or its default: the CPU, kStrided, false.
    ///@{
    Device device() const { return device_; }
    Layout layout() const { return kStrided; }
    bool requires_grad() const { return requires_grad_; }
    bool pinned_memory() const { return pinned_memory_; }
    bool is_sparse() const { return false; }
    ///@}
    /// Returns what the options name, nullopt if they do not.
    ///@{
    std::optional<TypeMeta> dtype_opt() const {
        return has_dtype() ? std::optional(TypeMeta(dtype_)) : std::nullopt;
    }
    std::optional<Device> device_opt() const {
        return has_device_ ? std::optional(device_) : std::nullopt;
    }
    std::optional<Layout> layout_opt() const {
        return has_layout_ ? std::optional(kStrided) : std::nullopt;
    }
    ///@}
    /// Returns true if the options name it.
    ///@{
    bool has_dtype() const { return dtype_ != ScalarType::Undefined; }
    bool has_device() const { return has_device_; }
    bool has_layout() const { return has_layout_; }
    bool has_requires_grad() const { return has_requires_grad_; }
    bool has_pinned_memory() const { return has_pinned_memory_; }
    ///@}

private:
    ScalarType dtype_ = ScalarType::Undefined;
    Device device_ = kCPU;
    bool has_device_ = false, has_layout_ = false;
    bool has_requires_grad_ = false, has_pinned_memory_ = false;
    bool pinned_memory_ = false, requires_grad_ = false;
};
/// Prints all options and which of them are defaults.
SINTER_API std::ostream& operator<<(std::ostream& out, const TensorOptions& options);

/// Returns options with this dtype. libtorch: torch::dtype.
inline TensorOptions dtype(ScalarType t) { return TensorOptions(t); }
/// Returns options with T's dtype: `dtype<double>()` is `dtype(kDouble)`. libtorch: torch::dtype.
template <class T>
TensorOptions dtype() {
    return TensorOptions(scalar_type_v<T>);
}
/// Returns options with this device, CUDA device, layout or gradient, as the setter of this name of
/// TensorOptions. libtorch: torch::device and so on.
///@{
inline TensorOptions device(Device d) { return TensorOptions(d); }
inline TensorOptions device_index(int8_t index) { return TensorOptions().device_index(index); }
inline TensorOptions layout(Layout layout) { return TensorOptions(layout); }
inline TensorOptions requires_grad(bool on = true) { return TensorOptions().requires_grad(on); }
///@}

}  // namespace sinter::inline v1
