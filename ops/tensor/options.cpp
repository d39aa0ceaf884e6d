// Text forms of devices and options, and refused options.
#include "ops/common/op_checks.hpp"
#include "runtime/base/plain_text.hpp"

#include <charconv>
#include <ostream>

namespace sinter::inline v1 {
namespace {

struct device_type_name {
    DeviceType type;
    const char* name;
};
constexpr device_type_name device_names[] = {
    {DeviceType::CPU, "cpu"},       {DeviceType::CUDA, "cuda"},     {DeviceType::MKLDNN, "mkldnn"},
    {DeviceType::OPENGL, "opengl"}, {DeviceType::OPENCL, "opencl"}, {DeviceType::IDEEP, "ideep"},
    {DeviceType::HIP, "hip"},       {DeviceType::XLA, "xla"},
};

}  // namespace

Device::Device(const std::string& text) : type_(kCPU), index_(-1) {
    const std::size_t colon = text.find(':');
    const std::string name = text.substr(0, colon);
    bool known = false;
    for (const device_type_name& d : device_names) {
        if (name != d.name) continue;
        type_ = d.type;
        known = true;
    }
    if (known && colon != std::string::npos) {
        const char* begin = text.data() + colon + 1;
        const char* end = text.data() + text.size();
        const auto [stop, error] = std::from_chars(begin, end, index_);
        const bool padded = end - begin > 1 && *begin == '0';  // "cuda:01" is refused, as in
                                                               // PyTorch
        known = error == std::errc() && stop == end && index_ >= 0 && !padded;
    }
    if (!known)
        runtime::fail(
            "Device", "Invalid device string: '" + text + "'", "an unknown name or index",
            "cpu, cuda, hip, xla, mkldnn, opengl, opencl or ideep, with or without an index, "
            "as in cuda:1",
            "\"cpu\" or \"cuda\"");
}

std::string Device::str() const {
    runtime::plain_text name;
    name << type_;
    if (index_ >= 0) name << ':' << static_cast<int>(index_);
    return name.str();
}

std::ostream& operator<<(std::ostream& out, DeviceType type) {
    for (const device_type_name& d : device_names)
        if (d.type == type) return out << d.name;
    return out << "unknown";
}

std::ostream& operator<<(std::ostream& out, const Device& device) { return out << device.str(); }

std::ostream& operator<<(std::ostream& out, Layout layout) {
    switch (layout) {
        case Layout::Strided: return out << "Strided";
        case Layout::Sparse: return out << "Sparse";
        case Layout::SparseCsr: return out << "SparseCsr";
    }
    return out << "unknown";
}

std::ostream& operator<<(std::ostream& out, MemoryFormat format) {
    switch (format) {
        case MemoryFormat::Contiguous: return out << "Contiguous";
        case MemoryFormat::Preserve: return out << "Preserve";
        case MemoryFormat::ChannelsLast: return out << "ChannelsLast";
        case MemoryFormat::ChannelsLast3d: return out << "ChannelsLast3d";
    }
    return out << "unknown";
}

TensorOptions TensorOptions::layout(Layout layout) const {
    if (layout != kStrided)
        runtime::fail<NotImplementedError>("layout", "sparse tensors are not supported",
                                           runtime::text(layout), "Strided", "kStrided");
    TensorOptions o = *this;
    o.has_layout_ = true;
    return o;
}

TensorOptions TensorOptions::requires_grad(bool on) const {
    TensorOptions o = *this;
    o.has_requires_grad_ = true;
    o.requires_grad_ = on;
    return o;
}

TensorOptions TensorOptions::pinned_memory(bool on) const {
    TensorOptions o = *this;
    o.has_pinned_memory_ = true;
    o.pinned_memory_ = on;
    return o;
}

std::ostream& operator<<(std::ostream& out, const TensorOptions& o) {
    const auto unless = [](bool given) { return given ? "" : " (default)"; };
    return out << "TensorOptions(dtype=" << o.dtype() << unless(o.has_dtype())
               << ", device=" << o.device() << unless(o.has_device()) << ", layout=" << o.layout()
               << unless(o.has_layout())
               << ", requires_grad=" << (o.requires_grad() ? "true" : "false")
               << unless(o.has_requires_grad())
               << ", pinned_memory=" << (o.pinned_memory() ? "true" : "false")
               << unless(o.has_pinned_memory()) << ", memory_format=(nullopt))";
}

}  // namespace sinter::inline v1
