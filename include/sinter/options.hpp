// Devices and the options of a new tensor.
#pragma once

#include <sinter/config.hpp>
#include <sinter/dtype.hpp>

#include <cstdint>
#include <iosfwd>
#include <string>

namespace sinter::inline v1 {

enum class DeviceType : int8_t { CPU = 0, CUDA = 1, HIP = 6 };
inline constexpr DeviceType kCPU = DeviceType::CPU;
inline constexpr DeviceType kCUDA = DeviceType::CUDA;

/// Where a tensor lives. Index -1 is the current device of the type.
class SINTER_API Device {
public:
    Device(DeviceType type, int8_t index = -1) : type_(type), index_(index) {}  // NOLINT
    /// "cpu", "cuda", "cuda:1". Throws Error on anything else.
    Device(const std::string& text);                         // NOLINT
    Device(const char* text) : Device(std::string(text)) {}  // NOLINT

    DeviceType type() const { return type_; }
    int8_t index() const { return index_; }
    bool is_cpu() const { return type_ == kCPU; }
    bool is_cuda() const { return type_ == kCUDA; }
    std::string str() const;
    friend bool operator==(const Device& a, const Device& b) {
        return a.type_ == b.type_ && a.index_ == b.index_;
    }

private:
    DeviceType type_;
    int8_t index_;
};

SINTER_API std::ostream& operator<<(std::ostream& out, const Device& device);

/// dtype and device of a new tensor. Implicit from either; chained setters as in libtorch.
class SINTER_API TensorOptions {
public:
    TensorOptions() = default;
    TensorOptions(ScalarType dtype) : dtype_(dtype) {}     // NOLINT
    TensorOptions(Device device) : device_(device) {}      // NOLINT
    TensorOptions(DeviceType device) : device_(device) {}  // NOLINT

    TensorOptions dtype(ScalarType t) const {
        TensorOptions o = *this;
        o.dtype_ = t;
        return o;
    }
    TensorOptions device(Device d) const {
        TensorOptions o = *this;
        o.device_ = d;
        return o;
    }
    /// Only `false`: there is no differentiation yet, and `true` throws NotImplementedError.
    TensorOptions requires_grad(bool on) const;

    ScalarType dtype() const {
        return dtype_ == ScalarType::Undefined ? get_default_dtype() : dtype_;
    }
    ScalarType dtype_or(ScalarType other) const {
        return dtype_ == ScalarType::Undefined ? other : dtype_;
    }
    bool has_dtype() const { return dtype_ != ScalarType::Undefined; }
    Device device() const { return device_; }

private:
    ScalarType dtype_ = ScalarType::Undefined;
    Device device_ = kCPU;
};

inline TensorOptions dtype(ScalarType t) { return TensorOptions(t); }
inline TensorOptions device(Device d) { return TensorOptions(d); }

}  // namespace sinter::inline v1
