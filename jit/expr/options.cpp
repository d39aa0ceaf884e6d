// Devices as text, and the options that are refused.
#include "jit/expr/front.hpp"

#include <charconv>
#include <ostream>

namespace sinter::inline v1 {

Device::Device(const std::string& text) : type_(kCPU), index_(-1) {
    const std::size_t colon = text.find(':');
    const std::string name = text.substr(0, colon);
    bool known = true;
    if (name == "cpu")
        type_ = DeviceType::CPU;
    else if (name == "cuda")
        type_ = DeviceType::CUDA;
    else if (name == "hip")
        type_ = DeviceType::HIP;
    else
        known = false;
    if (known && colon != std::string::npos) {
        const char* begin = text.data() + colon + 1;
        const char* end = text.data() + text.size();
        const auto [stop, error] = std::from_chars(begin, end, index_);
        known = error == std::errc() && stop == end && index_ >= 0;
    }
    if (!known)
        front::fail("device", "the text names no device", '"' + text + '"',
                    "cpu, cuda or hip, then perhaps a colon and an index", "\"cpu\"");
}

std::string Device::str() const {
    std::string name = type_ == DeviceType::CPU    ? "cpu"
                       : type_ == DeviceType::CUDA ? "cuda"
                                                   : "hip";
    if (index_ >= 0) name += ":" + std::to_string(index_);
    return name;
}

std::ostream& operator<<(std::ostream& out, const Device& device) { return out << device.str(); }

TensorOptions TensorOptions::requires_grad(bool on) const {
    if (on)
        front::fail<NotImplementedError>("requires_grad", "there is no differentiation yet", "true",
                                         "false", "requires_grad(false)");
    return *this;
}

}  // namespace sinter::inline v1
