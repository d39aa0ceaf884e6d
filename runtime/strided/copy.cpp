#include "runtime/strided/copy.hpp"

#include "runtime/memory/stack_array.hpp"
#include "runtime/strided/walk.hpp"
#include "runtime/threads/threads.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace sinter::runtime {
namespace {

constexpr int64_t grain = 32768;      // fewest elements per thread
constexpr int64_t line = 64;          // bytes that the caches hold together
constexpr int64_t row_elements = 64;  // of a tile, by a line of the input

struct pair {
    uint64_t low, high;
};

template <class Bits>
Bits read(const char* from) {
    Bits bits;
    std::memcpy(&bits, from, sizeof bits);
    return bits;
}

template <class Bits>
void copy_bits(char* to, int64_t to_stride, const char* from, int64_t from_stride, int64_t n) {
    constexpr int64_t item = sizeof(Bits);
    if (to_stride == item && from_stride == item) {
        std::memmove(to, from, static_cast<std::size_t>(n * item));
    } else if (from_stride == 0) {
        constexpr std::size_t together = line / item;
        Bits bits[together];
        std::fill_n(bits, together, read<Bits>(from));
        int64_t i = 0;
        for (; to_stride == item && i + line / item <= n; i += line / item)
            std::memcpy(to + i * item, bits, sizeof bits);
        for (; i < n; ++i) std::memcpy(to + i * to_stride, bits, sizeof *bits);
    } else if (to_stride == item) {
        for (int64_t i = 0; i < n; ++i) {
            const Bits bits = read<Bits>(from + i * from_stride);
            std::memcpy(to + i * item, &bits, sizeof bits);
        }
    } else {
        for (int64_t i = 0; i < n; ++i) {
            const Bits bits = read<Bits>(from + i * from_stride);
            std::memcpy(to + i * to_stride, &bits, sizeof bits);
        }
    }
}

/// Calls f(a value of the type that holds `item` bytes).
template <class F>
void with_bits(int64_t item, const F& f) {
    switch (item) {
        case 1: return f(uint8_t{});
        case 2: return f(uint16_t{});
        case 4: return f(uint32_t{});
        case 8: return f(uint64_t{});
        default: return f(pair{});
    }
}

/// Two innermost dimensions: sizes, and strides of the output and the input.
struct plane {
    struct dimension {
        int64_t size, to, from;
    } rows, elements;
};

template <class Bits>
void copy_tile(char* to, const char* from, const plane& p) {
    for (int64_t r = 0; r < p.rows.size; ++r, to += p.rows.to, from += p.rows.from)
        for (int64_t i = 0; i < p.elements.size; ++i) {
            const Bits bits = read<Bits>(from + i * p.elements.from);
            std::memcpy(to + i * p.elements.to, &bits, sizeof bits);
        }
}

/// The space of a copy in bytes: operand 0 is written, operand 1 is read. The dimension with the
/// smallest stride of the output is innermost.
///
/// If the input is read across its cache lines that way, the space counts tiles: of the innermost
/// dimension, and of the one along which the lines lie, which becomes the second. A tile takes a
/// line along the second one, so the lines that it reads are used whole before they are evicted.
class copy_space {
public:
    copy_space(std::span<const int64_t> shape, char* out, const int64_t* out_strides,
               const char* in, const int64_t* in_strides, int64_t item)
        : start_{reinterpret_cast<uint64_t>(out), reinterpret_cast<uint64_t>(in)},
          item_(item),
          sizes_(shape.size()),
          strides_(2 * shape.size()) {
        for (std::size_t d = 0; d < shape.size(); ++d) {
            elements_ *= shape[d];
            if (shape[d] == 1) continue;
            std::size_t to = rank_++;
            sizes_[to] = shape[d];
            at(0, to) = out_strides[d] * item;
            at(1, to) = in_strides[d] * item;
            for (; to > 0 && outer_first(to, to - 1); --to) swap(to, to - 1);
        }
        const auto stride = [this](std::size_t k, std::size_t d) -> int64_t& { return at(k, d); };
        rank_ = merge_dims(rank_, sizes_.data(), 2, stride, sizes_.data(), stride);
        find_tiles();
    }

    std::size_t rank() const { return rank_; }
    static std::size_t operands() { return 2; }
    int64_t size(std::size_t d) const { return sizes_[d]; }
    uint64_t start(std::size_t k) const { return start_[k]; }
    int64_t stride(std::size_t k, std::size_t d) const { return strides_[2 * d + k]; }

    void copy() const {
        if (elements_ == 0) return;
        int64_t all = elements_, each = 1;
        if (tiled_) {
            all = 1;
            for (std::size_t d = 0; d < rank_; ++d) all *= sizes_[d];
            each = line / item_ * row_elements;
        }
        const auto part = [this](int64_t begin, int64_t end) {
            with_bits(item_, [&](auto bits) { copy_part<decltype(bits)>(begin, end); });
        };
        parallel_for(0, all, std::max<int64_t>(grain / each, 1), part);
    }

private:
    int64_t& at(std::size_t k, std::size_t d) { return strides_[2 * d + k]; }

    void swap(std::size_t d, std::size_t e) {
        std::swap(sizes_[d], sizes_[e]);
        for (std::size_t k = 0; k < 2; ++k) std::swap(at(k, d), at(k, e));
    }

    bool outer_first(std::size_t d, std::size_t e) const {
        for (std::size_t k = 0; k < 2; ++k) {
            const int64_t x = std::abs(stride(k, d)), y = std::abs(stride(k, e));
            if (x != y && x != 0 && y != 0) return x > y;
        }
        return false;
    }

    void find_tiles() {
        if (rank_ < 2 || std::abs(stride(1, rank_ - 1)) < line) return;
        std::size_t best = rank_;
        int64_t least = line;
        for (std::size_t d = 0; d + 1 < rank_; ++d) {
            const int64_t step = std::abs(stride(1, d));
            if (step == 0 || step >= least) continue;
            best = d;
            least = step;
        }
        if (best == rank_) return;
        tiled_ = true;
        for (; best + 2 < rank_; ++best) swap(best, best + 1);
        // NOLINTNEXTLINE(clang-analyzer-core.DivideZero): an element has at least one byte
        inside_ = {taken(rank_ - 2, line / item_), taken(rank_ - 1, row_elements)};
    }

    /// Makes a dimension count tiles. Returns what it was.
    plane::dimension taken(std::size_t d, int64_t tile) {
        const plane::dimension was{sizes_[d], stride(0, d), stride(1, d)};
        sizes_[d] = (sizes_[d] + tile - 1) / tile;
        for (std::size_t k = 0; k < 2; ++k) at(k, d) *= tile;
        return was;
    }

    template <class Bits>
    void copy_part(int64_t begin, int64_t end) const {
        cursor<copy_space, 2> at(*this, begin);
        while (begin < end) {
            char* const to = reinterpret_cast<char*>(at.at(0));
            const char* const from = reinterpret_cast<const char*>(at.at(1));
            int64_t n = 1;
            if (tiled_) {
                plane tile = inside_;
                const auto cut = [&](plane::dimension& of, std::size_t d, int64_t side) {
                    of.size = std::min(side, of.size - at.index(d) * side);
                };
                cut(tile.rows, rank_ - 2, line / item_);
                cut(tile.elements, rank_ - 1, row_elements);
                copy_tile<Bits>(to, from, tile);
            } else {
                n = std::min(at.run(), end - begin);
                copy_bits<Bits>(to, at.step(0), from, at.step(1), n);
            }
            begin += n;
            at.advance(n);
        }
    }

    uint64_t start_[2];
    int64_t item_, elements_ = 1;
    std::size_t rank_ = 0;
    stack_array<int64_t, 8> sizes_;
    stack_array<int64_t, 16> strides_;  // of both operands, by dimension
    bool tiled_ = false;
    plane inside_{};  // the two innermost dimensions in elements, if tiled
};

}  // namespace

void copy_run(char* to, int64_t to_stride, const char* from, int64_t from_stride, int64_t n,
              int64_t item) {
    with_bits(item,
              [&](auto bits) { copy_bits<decltype(bits)>(to, to_stride, from, from_stride, n); });
}

void copy_elements(ScalarType type, std::span<const int64_t> shape, char* out,
                   std::span<const int64_t> out_strides, const char* in,
                   std::span<const int64_t> in_strides) {
    copy_space(shape, out, out_strides.data(), in, in_strides.data(),
               static_cast<int64_t>(elementSize(type)))
        .copy();
}

}  // namespace sinter::runtime
