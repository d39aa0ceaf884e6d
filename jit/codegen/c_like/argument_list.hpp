// The readers of a kernel's argument. A function lists the members once, each with its name and a
// way to its value: `field` one value, `array` several, `structs` several structs, whose members
// `each` lists. One reader declares the struct, the other one lays out and writes it.
#pragma once

#include "jit/codegen/c_like/program.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace sinter::codegen {

/// The spelling of a type in kernel source.
template <class T>
inline constexpr const char* spelling = T::spelling;
template <>
inline constexpr const char* spelling<char*> = "char*";
template <>
inline constexpr const char* spelling<uint64_t*> = "u64*";
template <>
inline constexpr const char* spelling<uint64_t> = "u64";
template <>
inline constexpr const char* spelling<int64_t> = "i64";
template <>
inline constexpr const char* spelling<int32_t> = "i32";

/// The declaration of a struct. `inner` is the type of its structs, which are declared before it.
class argument_text {
public:
    explicit argument_text(const std::string& name, std::string inner = "")
        : text_("struct " + name + " {\n"), inner_(std::move(inner)) {}

    template <class F>
    void field(const char* name, const F&) {
        add(spelling<std::invoke_result_t<F>>, name);
    }
    template <class F>
    void array(const char* name, std::size_t n, const F&) {
        add(spelling<std::invoke_result_t<F, std::size_t>>, name, n);
    }
    template <class F>
    void structs(const char* name, std::size_t n, const F&) {
        add(inner_, name, n);
    }
    std::string end() const { return text_ + "};\n"; }

private:
    void add(const std::string& type, const char* name, std::size_t n = 0) {
        text_ += "    " + type + " " + name + (n > 0 ? "[" + std::to_string(n) + "]" : "") + ";\n";
    }

    std::string text_, inner_;
};

/// The bytes of a struct of words. Without memory it only counts. Gaps are zeros, because launches
/// compare arguments as a whole.
class argument_bytes {
public:
    argument_bytes() = default;
    explicit argument_bytes(std::span<uint64_t> to) : to_(reinterpret_cast<char*>(to.data())) {
        std::fill(to.begin(), to.end(), 0);
    }

    template <class F>
    void field(const char*, const F& value) {
        array("", 1, [&](std::size_t) { return value(); });
    }
    template <class F>
    void array(const char*, std::size_t n, const F& value) {
        using T = std::invoke_result_t<F, std::size_t>;
        align(alignof(T));
        for (std::size_t i = 0; to_ && i < n; i++) {
            const T v = value(i);
            std::memcpy(to_ + at_ + i * sizeof(T), static_cast<const void*>(&v), sizeof(T));
        }
        at_ += n * sizeof(T);
    }
    template <class F>
    void structs(const char*, std::size_t n, const F& each) {
        for (std::size_t i = 0; i < n; i++) {
            each(i);
            align(sizeof(uint64_t));
        }
    }
    std::size_t words() {
        align(sizeof(uint64_t));
        return at_ / sizeof(uint64_t);
    }

private:
    void align(std::size_t to) { at_ = (at_ + to - 1) / to * to; }

    char* to_ = nullptr;
    std::size_t at_ = 0;
};

/// The members that all arguments have after their operands.
template <class To>
void list_scalars(To& to, const kernel_ir::kernel& k, std::span<const uint64_t> scalars,
                  uint64_t* status) {
    // Arrays have at least one element.
    to.array("scalars", std::max<std::size_t>(1, k.scalars.size()),
             [&](std::size_t s) -> uint64_t { return s < k.scalars.size() ? scalars[s] : 0; });
    to.field("status", [&] { return status; });
}

}  // namespace sinter::codegen
