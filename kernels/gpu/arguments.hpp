// What the host makes of a .cuh file: the structs that its kernels take. The host includes the file
// and sees these alone; the device's compiler is given its text, where SINTER_DEVICE is defined and
// the kernels are, too.
//
// A struct is a template over what the text leaves open, as the host knows that at run time only:
// pointers to elements are `void` to it, and a `list` has any length.
#pragma once

#include <boost/pfr/core.hpp>

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

namespace sinter::on_gpu {

using u8 = uint8_t;
using i32 = int32_t;
using u32 = uint32_t;
using i64 = int64_t;
using u64 = uint64_t;
using f32 = float;
using f64 = double;

/// An array to the device.
template <class type, int>
using list = std::vector<type>;
inline constexpr int any_length = 0;

}  // namespace sinter::on_gpu

namespace sinter::gpu_kernels {

/// The only argument of a kernel, laid out as the device sees its struct.
class arguments {
public:
    template <class T>
    explicit arguments(const T& of) {
        add(of);
    }
    const void* data() const { return words_.data(); }
    /// Returns true if a kernel can take so many.
    bool fit() const { return words_.size() * sizeof(uint64_t) <= 4096; }

private:
    template <class T>
    void add(const T& x) {
        if constexpr (std::is_trivially_copyable_v<T>) {
            constexpr std::size_t bytes = sizeof(T);
            static_assert(bytes % sizeof(uint64_t) == 0, "no padding, on either side");
            const std::size_t at = words_.size();
            words_.resize(at + bytes / sizeof(uint64_t));
            std::memcpy(words_.data() + at, static_cast<const void*>(&x), bytes);
        } else {
            boost::pfr::for_each_field(x, [this](const auto& field) { this->add(field); });
        }
    }
    template <class T>
    void add(const std::vector<T>& all) {
        for (const T& x : all) add(x);
        if (all.empty()) add(T{});  // as in elements.cuh
    }

    std::vector<uint64_t> words_;
};

}  // namespace sinter::gpu_kernels
