// Conversions, copies, fills and indices.
#include "jit/interpret/eager/eager.hpp"
#include "jit/interpret/eager/nest.hpp"
#include "jit/simd/block.hpp"
#include "runtime/base/fp_environment.hpp"
#include "runtime/threads/threads.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

namespace sinter::eager {

namespace {

/// Calls f(walk, elements) for every part of an innermost run, on several threads if there are
/// enough elements.
template <class F>
void for_each_run(const nest& loops, F f) {
    const auto part = [&](int64_t begin, int64_t end) {
        const runtime::fp_environment environment;
        walk at(loops, begin);
        while (begin < end) {
            const int64_t n = std::min(end - begin, at.run());
            f(at, n);
            at.advance(n);
            begin += n;
        }
    };
    if (loops.total < 2 * parallel_grain)
        part(0, loops.total);
    else
        runtime::parallel_for(0, loops.total, parallel_grain, part);
}

template <class Bits>
void move_bits(char* to, int64_t to_stride, const char* from, int64_t from_stride, int64_t n) {
    constexpr int64_t size = sizeof(Bits);
    if (to_stride == size && from_stride == size) {
        std::memmove(to, from, static_cast<std::size_t>(n) * sizeof(Bits));
        return;
    }
    if (from_stride == 0) {
        Bits bits;
        std::memcpy(&bits, from, sizeof bits);
        if (to_stride == size) {
            for (int64_t i = 0; i < n; ++i) std::memcpy(to + i * size, &bits, sizeof bits);
        } else {
            for (int64_t i = 0; i < n; ++i) std::memcpy(to + i * to_stride, &bits, sizeof bits);
        }
        return;
    }
    for (int64_t i = 0; i < n; ++i) {
        Bits bits;
        std::memcpy(&bits, from + i * from_stride, sizeof bits);
        std::memcpy(to + i * to_stride, &bits, sizeof bits);
    }
}

using move_fn = void (*)(char*, int64_t, const char*, int64_t, int64_t);

move_fn move_of(ScalarType type) {
    switch (elementSize(type)) {
        case 1: return move_bits<uint8_t>;
        case 2: return move_bits<uint16_t>;
        case 4: return move_bits<uint32_t>;
        default: return move_bits<uint64_t>;
    }
}

}  // namespace

void copy(std::span<const int64_t> shape, const operand& out, const operand& in) {
    cast(shape, out, in);
}

void cast(std::span<const int64_t> shape, const operand& out, const operand& in) {
    const operand* of[] = {&out, &in};
    const nest loops(shape, of);
    if (loops.total == 0) return;
    const int64_t* to = loops.stride[0];
    const int64_t* from = loops.stride[1];
    if (out.type == in.type) {
        const move_fn move = move_of(out.type);
        for_each_run(loops, [&](const walk& at, int64_t n) {
            move(at.pointer(0), to[0], at.pointer(1), from[0], n);
        });
        return;
    }
    const block::load_fn load = block::find_load(in.type, out.type);
    const block::store_fn store = block::find_store(out.type, out.type);
    const bool in_place =
        !kernel_ir::is_narrow(out.type) && to[0] == static_cast<int64_t>(elementSize(out.type));
    for_each_run(loops, [&](walk at, int64_t n) {
        if (in_place) {
            load(at.pointer(0), at.pointer(1), from[0], n);
            return;
        }
        alignas(64) char buffer[block_elements * 8];
        for (int64_t m; n > 0; n -= m) {
            m = std::min(n, block_elements);
            load(buffer, at.pointer(1), from[0], m);
            store(at.pointer(0), to[0], buffer, m);
            if (m < n) at.advance(m);
        }
    });
}

void copy_elements(ScalarType type, std::span<const int64_t> shape, char* out,
                   std::span<const int64_t> out_strides, const char* in,
                   std::span<const int64_t> in_strides) {
    const auto item = static_cast<int64_t>(elementSize(type));
    const ScalarType part = toRealValueType(type);
    std::vector<int64_t> sizes(shape.begin(), shape.end()), to, from;
    for (int64_t s : out_strides) to.push_back(s * item);
    for (int64_t s : in_strides) from.push_back(s * item);
    if (isComplexType(type)) {  // copied as pairs of parts
        sizes.push_back(2);
        to.push_back(item / 2);
        from.push_back(item / 2);
    }
    copy(sizes, {out, part, to.data()}, {const_cast<char*>(in), part, from.data()});
}

}  // namespace sinter::eager
