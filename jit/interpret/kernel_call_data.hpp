// Buffers, strides and scalars for one call of a kernel, to compare its code with the interpreter:
// seeded data with special values, strides that fit the kernel's classes, and canaries around
// everything that is written.
#pragma once

#include "jit/kernel_ir/call.hpp"
#include "jit/kernel_ir/kernel_ir.hpp"
#include "jit/kernel_ir/reduce_order.hpp"

#include <bit>
#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <span>
#include <string>

namespace sinter::kernel_ir {

/// Returns true if the bits of an element of this type are a NaN.
inline bool is_nan(ScalarType type, uint64_t bits) {
    switch (type) {
        case kHalf: return (bits & 0x7fff) > 0x7c00;
        case kBFloat16: return (bits & 0x7fff) > 0x7f80;
        case kFloat: return (bits & 0x7fffffff) > 0x7f800000;
        case kDouble: return (bits & ~(uint64_t{1} << 63)) > uint64_t{0x7ff} << 52;
        default: return false;
    }
}

/// The smallest and largest number of elements of a row that a kernel takes.
///@{
inline int64_t shortest_row(const kernel& k) {
    if (k.extent) return k.extent;
    return k.form == row_form::up_to_32 ? 17 : k.one_chunk() ? 1 : 0;
}
inline int64_t longest_row(const kernel& k) {
    if (k.extent) return k.extent;
    switch (k.form) {
        case row_form::one_chunk: return reduce_chunk;
        case row_form::up_to_32: return 32;
        case row_form::up_to_16: return 16;
        case row_form::few: return reduce_few;
        default: return std::numeric_limits<int64_t>::max();
    }
}
///@}

class kernel_call_data {
public:
    /// The same seed and extents give the same bytes, so that two calls can be compared.
    kernel_call_data(const kernel& k, int64_t n1, int64_t n0, uint64_t seed)
        : kernel_(k), n1_(n1), n0_(n0), random_(seed) {
        for (const operand& o : k.operands) add_operand(o);
        for (mtype t : k.scalars) scalars_.push_back(scalar_bits(t));
        for (const instr& i : k.body) {
            if (i.op == opcode::scalar && is_narrow(i.type))
                scalars_[static_cast<std::size_t>(i.a)] =
                    widened(i.type, storage_bits(i.type, random_));
            // The correction of var and std is a small count, as in real programs.
            if (i.op == opcode::reduce && i.b != none) set_correction(i.b);
        }
        for (const known_scalar& s : k.known) scalars_[static_cast<std::size_t>(s.number)] = s.bits;
    }

    /// Returns a call of all rows. Its pointers live as long as this object.
    kernel_call call() {
        kernel_call c{};
        c.operands = args_.data();
        c.scalars = scalars_.data();
        c.status = &status_;
        c.n1 = n1_;
        c.n0 = n0_;
        c.mode = call_mode::rows;
        return c;
    }

    struct view {
        char* lo;  // the bytes that operand k may access
        char* hi;
        std::size_t alignment;
    };
    const view& bytes(std::size_t operand) const { return views_[operand]; }
    std::size_t operands() const { return args_.size(); }
    /// Returns all memory of an operand, with what lies around it; nothing for an index.
    std::span<char> memory(std::size_t operand) {
        return {buffers_[operand].bytes, buffers_[operand].size};
    }
    const operand_arg& arg(std::size_t operand) const { return args_[operand]; }
    uint64_t status() const { return status_; }
    void set_status(uint64_t status) { status_ = status; }
    std::span<const uint64_t> scalars() const { return scalars_; }
    uint64_t& scalar(std::size_t i) { return scalars_[i]; }

    /// Returns an empty text if outputs, status and canaries agree, otherwise what differs. NaNs
    /// are equal.
    std::string difference(const kernel_call_data& other) const {
        if (status_ != other.status_) return "status differs";
        for (std::size_t o = 0; o < views_.size(); o++) {
            if (kernel_.operands[o].use != role::output) continue;
            for (std::size_t at = 0; at < buffers_[o].size; at++) {
                const char mine = buffers_[o].bytes[at], theirs = other.buffers_[o].bytes[at];
                if (mine != theirs && !both_nan(o, at, other)) {
                    const auto element =
                        (static_cast<int64_t>(at) - canary) /
                        static_cast<int64_t>(elementSize(kernel_.operands[o].type));
                    return "operand " + std::to_string(o) + " differs at element " +
                           std::to_string(element) + " of its memory: " + hex(o, at) + " and " +
                           other.hex(o, at);
                }
            }
        }
        return {};
    }

    /// Returns true if the bytes before and after every output are unchanged.
    bool canaries_alive() const {
        for (std::size_t o = 0; o < views_.size(); o++) {
            const buffer& b = buffers_[o];
            for (std::size_t at = 0; b.bytes && at < canary; at++) {
                if (b.bytes[at] != canary_byte || b.bytes[b.size - 1 - at] != canary_byte) {
                    return false;
                }
            }
        }
        return true;
    }

    /// Returns the bit pattern of one element of an operand's memory, as the call addresses it.
    uint64_t element(std::size_t operand, int64_t row, int64_t element) const {
        const operand_arg& a = args_[operand];
        uint64_t bits = 0;
        std::memcpy(&bits, a.ptr + row * a.s1 + element * a.s0,
                    elementSize(kernel_.operands[operand].type));
        return bits;
    }
    void set_element(std::size_t operand, int64_t row, int64_t element, uint64_t bits) {
        const operand_arg& a = args_[operand];
        std::memcpy(a.ptr + row * a.s1 + element * a.s0, &bits,
                    elementSize(kernel_.operands[operand].type));
    }

    /// Returns a bit pattern of storage type `type`: special values, small numbers or random bits.
    static uint64_t storage_bits(ScalarType type, std::mt19937_64& random) {
        const uint64_t r = random();
        const uint64_t kind = random() % 8;
        const auto small = static_cast<int64_t>(r % 17) - 8;
        switch (type) {
            case kBool: return r & 1;
            case kByte: return (kind < 3 ? r % 9 : r) & 0xff;
            case kChar: return static_cast<uint8_t>(kind < 5 ? small : static_cast<int64_t>(r));
            case kShort:
                return static_cast<uint16_t>(kind == 0  ? extreme<int16_t>(r)
                                             : kind < 6 ? small
                                                        : static_cast<int64_t>(r));
            case kInt:
                return static_cast<uint32_t>(kind == 0  ? extreme<int32_t>(r)
                                             : kind < 6 ? small
                                                        : static_cast<int64_t>(r));
            case kLong:
                return static_cast<uint64_t>(kind == 0  ? extreme<int64_t>(r)
                                             : kind < 6 ? small
                                                        : static_cast<int64_t>(r));
            case kHalf:
                return kind == 0 ? special<uint16_t, 5>(r)
                                 : (kind < 6 ? (r & 0x8fff) + 0x3000 : r & 0xffff);
            case kBFloat16:
                return kind == 0 ? special<uint16_t, 8>(r)
                                 : (kind < 6 ? (r & 0x81ff) + 0x3f00 : r & 0xffff);
            case kFloat:
                if (kind == 0) return special<uint32_t, 8>(r);
                return kind == 1 ? static_cast<uint32_t>(r)
                                 : std::bit_cast<uint32_t>(static_cast<float>(ordinary(r)));
            default:
                if (kind == 0) return special<uint64_t, 11>(r);
                return kind == 1 ? r : std::bit_cast<uint64_t>(ordinary(r));
        }
    }

private:
    static constexpr std::ptrdiff_t canary = 128;
    static constexpr char canary_byte = 0x5a;

    struct buffer {
        std::unique_ptr<char[]> memory;
        char* bytes = nullptr;  // aligned to 64; begins with the canary
        std::size_t size = 0;
    };

    template <class T>
    static int64_t extreme(uint64_t r) {
        constexpr T values[] = {std::numeric_limits<T>::min(), std::numeric_limits<T>::max(), -1, 0,
                                std::numeric_limits<T>::min() + 1};
        return values[r % std::size(values)];
    }
    /// Zeros, ones, infinities, NaN, extremes of the normal and subnormal numbers, with either
    /// sign.
    template <class U, int exponent_bits>
    static uint64_t special(uint64_t r) {
        constexpr int fraction = static_cast<int>(sizeof(U)) * 8 - 1 - exponent_bits;
        constexpr uint64_t infinity = ((uint64_t{1} << exponent_bits) - 1) << fraction;
        constexpr uint64_t one = ((uint64_t{1} << (exponent_bits - 1)) - 1) << fraction;
        constexpr uint64_t quiet = infinity | (uint64_t{1} << (fraction - 1));
        const uint64_t values[] = {0,
                                   one,
                                   infinity,
                                   quiet,
                                   1,
                                   one + 1,
                                   infinity - 1,
                                   uint64_t{1} << fraction,
                                   (uint64_t{1} << fraction) - 1,
                                   one - 1};
        const uint64_t sign = (r >> 8 & 1) << (sizeof(U) * 8 - 1);
        return values[r % std::size(values)] | sign;
    }
    static double ordinary(uint64_t r) {
        const double unit = static_cast<double>(r >> 11) * 0x1p-53;
        const double scale[] = {1, 2, 10, 100, 1e4, 1e-3, 0x1p33, 0x1p65};
        return (unit * 2 - 1) * scale[r % std::size(scale)];
    }

    void add_operand(const operand& o) {
        const auto size = static_cast<int64_t>(elementSize(o.type));
        const bool output = o.use == role::output;
        const bool per_row = only_row_domain(args_.size());
        const bool along_elements = kernel_.along == lanes::element;
        const int64_t n_lane = along_elements ? n0_ : n1_, n_other = along_elements ? n1_ : n0_;
        if (o.use == role::index) {
            const int64_t lane_step = o.lane == stride_class::zero ? 0 : 1 + below(3);
            const int64_t other_step = below(3) * 1000 - 1000;
            push(buffer{}, {},
                 make_arg(reinterpret_cast<char*>(below(100)), lane_step, other_step));
            return;
        }
        int64_t lane = size;
        if (o.lane == stride_class::zero) lane = 0;
        if (o.lane == stride_class::pair) lane = 2 * size;
        if (o.lane == stride_class::other) lane = (2 + below(3)) * size;
        // Consecutive rows, rows with gaps, or (inputs) one row for all; an output's elements never
        // overlap.
        int64_t other = lane * n_lane + below(3) * size;
        if (lane == 0) other = size;
        if (!output && below(4) == 0) other = 0;
        // Elements a whole row apart, if the lane dimension is not contiguous.
        if (o.lane == stride_class::across || (o.lane == stride_class::other && below(2) == 0)) {
            other = size;
            lane = (n_other + 1 + below(2)) * size;
            if (lane == size) lane = 2 * size;
        }
        if (per_row && along_elements) lane = 0, other = (1 + below(2)) * size;
        // A per-row operand only has memory for its rows.
        if (per_row && !along_elements) other = 0;
        int64_t span = 1;
        if (n_lane > 0 && n_other > 0) span = (n_lane - 1) * lane + (n_other - 1) * other + size;
        if (per_row) span = n1_ > 0 ? (n1_ - 1) * (along_elements ? other : lane) + size : 1;

        buffer b;
        b.size = static_cast<std::size_t>(span + 2 * canary);
        b.memory = std::make_unique<char[]>(b.size + 64);
        const auto address = reinterpret_cast<uintptr_t>(b.memory.get());
        b.bytes = b.memory.get() + (64 - address % 64) % 64;
        // The start has any offset that the element type's alignment allows.
        std::memset(b.bytes, canary_byte, b.size);
        char* lo = b.bytes + canary;
        for (int64_t at = 0; at + size <= span; at += size) {
            const uint64_t bits = output ? 0 : storage_bits(o.type, random_);
            std::memcpy(lo + at, &bits, static_cast<std::size_t>(size));
        }
        const view v{lo, lo + span, static_cast<std::size_t>(size)};
        push(std::move(b), v, make_arg(lo, lane, other));
    }

    operand_arg make_arg(char* ptr, int64_t lane, int64_t other) const {
        return kernel_.along == lanes::element ? operand_arg{ptr, other, lane}
                                               : operand_arg{ptr, lane, other};
    }
    void push(buffer b, view v, operand_arg a) {
        buffers_.push_back(std::move(b));
        views_.push_back(v);
        args_.push_back(a);
    }
    bool only_row_domain(std::size_t operand) const {
        bool used = false;
        for (const instr& i : kernel_.body) {
            const bool reads = i.op == opcode::load || i.op == opcode::store;
            if (!reads || static_cast<std::size_t>(i.a) != operand) continue;
            if (i.dom == domain::element) return false;
            used = true;
        }
        return used;
    }
    uint64_t scalar_bits(mtype t) {
        constexpr ScalarType storage[] = {kBool, kByte, kInt, kLong, kFloat, kDouble};
        return storage_bits(storage[static_cast<int>(t)], random_);
    }
    /// Returns the machine value of an element of a narrow type: no kernel gets a scalar that its
    /// type does not hold.
    static uint64_t widened(ScalarType type, uint64_t bits) {
        switch (type) {
            case kHalf:
                return std::bit_cast<uint32_t>(
                    static_cast<float>(std::bit_cast<Half>(static_cast<uint16_t>(bits))));
            case kBFloat16: return static_cast<uint32_t>(bits << 16);
            case kChar: return static_cast<uint32_t>(static_cast<int8_t>(bits));
            case kShort: return static_cast<uint32_t>(static_cast<int16_t>(bits));
            default: return bits;
        }
    }
    void set_correction(value_id v) {
        const instr& i = kernel_.body[static_cast<std::size_t>(v)];
        if (i.op != opcode::scalar) return;
        scalars_[static_cast<std::size_t>(i.a)] =
            i.mt == mtype::f64 ? std::bit_cast<uint64_t>(1.0) : std::bit_cast<uint32_t>(1.0f);
    }
    int64_t below(int64_t n) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(n)); }

    bool both_nan(std::size_t o, std::size_t at, const kernel_call_data& other) const {
        const ScalarType type = kernel_.operands[o].type;
        return is_nan(type, bits_at(o, at)) && is_nan(type, other.bits_at(o, at));
    }
    uint64_t bits_at(std::size_t o, std::size_t at) const {
        const std::size_t size = elementSize(kernel_.operands[o].type);
        const std::size_t start = canary + (at - canary) / size * size;
        uint64_t bits = 0;
        if (at < canary || start + size > buffers_[o].size) return bits;
        std::memcpy(&bits, buffers_[o].bytes + start, size);
        return bits;
    }
    std::string hex(std::size_t o, std::size_t at) const {
        static constexpr char digits[] = "0123456789abcdef";
        std::string text = "0x";
        const uint64_t bits = bits_at(o, at);
        for (int i = static_cast<int>(elementSize(kernel_.operands[o].type)) * 2 - 1; i >= 0; i--) {
            text += digits[bits >> (4 * i) & 15];
        }
        return text;
    }

    kernel kernel_;
    int64_t n1_, n0_;
    std::mt19937_64 random_;
    std::vector<buffer> buffers_;
    std::vector<view> views_;
    std::vector<operand_arg> args_;
    std::vector<uint64_t> scalars_;
    uint64_t status_ = 0;
};

/// Replaces special values by finite numbers, since special values turn almost every long sum into
/// NaN.
inline void make_finite(kernel_call_data& data, const kernel& k, int64_t n1, int64_t n0,
                        uint64_t seed) {
    std::mt19937_64 random(seed);
    for (std::size_t o = 0; o < k.operands.size(); o++) {
        const ScalarType type = k.operands[o].type;
        if (k.operands[o].use != role::input || !isFloatingType(type)) continue;
        for (int64_t at = 0; at < n1 * n0; at++) {
            const double x = static_cast<double>(random() >> 11) * 0x1p-53 + 0.5;
            uint64_t bits = std::bit_cast<uint64_t>(x);
            if (type == kFloat) bits = std::bit_cast<uint32_t>(static_cast<float>(x));
            if (type == kHalf) bits = Half(static_cast<float>(x)).bits;
            if (type == kBFloat16) bits = BFloat16(static_cast<float>(x)).bits;
            data.set_element(o, at / n0, at % n0, bits);
        }
    }
}

}  // namespace sinter::kernel_ir
