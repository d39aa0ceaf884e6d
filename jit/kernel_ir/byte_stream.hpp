// Bytes of structures that are stored: little-endian, with counts that are checked when read.
#pragma once

#include "runtime/base/fail.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <vector>

namespace sinter::kernel_ir {

class byte_writer {
public:
    template <class T>
    void put(T value) {
        auto bits = static_cast<std::make_unsigned_t<T>>(value);
        for (std::size_t i = 0; i < sizeof(T); i++)
            bytes_.push_back(static_cast<uint8_t>(static_cast<uint64_t>(bits) >> (8 * i)));
    }
    template <class E>
    void put_enum(E value) {
        put(static_cast<uint8_t>(value));
    }
    void put_size(std::size_t n) { put(static_cast<uint32_t>(n)); }
    void put_name(std::string_view name) {
        put(static_cast<uint8_t>(name.size()));
        bytes_.insert(bytes_.end(), name.begin(), name.end());
    }
    std::vector<uint8_t> take() { return std::move(bytes_); }

private:
    std::vector<uint8_t> bytes_;
};

/// Every function throws InternalError if the bytes cannot be what they should be.
class byte_reader {
public:
    /// `where` and `what` are for the error: "the bytes are not a kernel".
    byte_reader(const uint8_t* data, std::size_t size, const char* where, const char* what)
        : data_(data), left_(size), where_(where), what_(what) {}

    template <class T>
    T get() {
        if (left_ < sizeof(T)) malformed("they end too early");
        uint64_t bits = 0;
        for (std::size_t i = 0; i < sizeof(T); i++)
            bits |= static_cast<uint64_t>(data_[i]) << (8 * i);
        data_ += sizeof(T);
        left_ -= sizeof(T);
        return static_cast<T>(bits);
    }
    template <class E>
    E get_enum(E last) {
        const auto value = get<uint8_t>();
        if (value > static_cast<uint8_t>(last)) malformed("a value is outside its enumeration");
        return static_cast<E>(value);
    }
    bool get_flag() { return get_enum(uint8_t{1}) != 0; }
    /// Reads a count of items; rejects more than the remaining bytes can hold.
    std::size_t get_size(std::size_t item) {
        const auto n = get<uint32_t>();
        if (n > left_ / item) malformed("they end too early");
        return n;
    }
    std::string_view get_name() {
        const auto size = get<uint8_t>();
        if (size > left_) malformed("they end too early");
        const std::string_view name(reinterpret_cast<const char*>(data_), size);
        data_ += size;
        left_ -= size;
        return name;
    }
    std::size_t left() const { return left_; }
    [[noreturn]] void malformed(const char* why) const {
        runtime::bug(where_, runtime::text("the bytes are not ", what_, ": ", why));
    }

private:
    const uint8_t* data_;
    std::size_t left_;
    const char *where_, *what_;
};

}  // namespace sinter::kernel_ir
