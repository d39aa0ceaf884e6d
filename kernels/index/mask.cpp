#include "kernels/index/mask.hpp"

#include "kernels/index/mask_on_gpu.hpp"
#include "kernels/slices/places.hpp"
#include "runtime/base/fail.hpp"
#include "runtime/strided/walk.hpp"
#include "runtime/threads/threads.hpp"

#include <sinter/error.hpp>

#include <algorithm>
#include <array>
#include <cstring>

namespace sinter::index_kernels {

namespace {

int64_t count_nonzero(const uint8_t* mask, int64_t n) {
    int64_t ones = 0, i = 0;
    for (; i + 8 <= n; i += 8)
        ones += static_cast<int64_t>(
            rows::nonzero_bytes(rows::eight_bytes(mask + i)) * 0x0101010101010101 >> 56);
    for (; i < n; ++i) ones += mask[i] != 0;
    return ones;
}

/// Some positions of true elements, in rising order: `first + places[i]`.
struct places_block {
    static constexpr int64_t bytes = 1024;  // of the mask
    int64_t first, count, rank;             // rank: true elements before them
    uint16_t places[bytes + 8];

    void find(const uint8_t* mask, int64_t n) { count = rows::nonzero_places(mask, n, places); }
};

}  // namespace

mask_count::mask_count(const uint8_t* mask, int64_t n)
    : mask_(mask), n_(n), before_(static_cast<std::size_t>((n + chunk - 1) / chunk), 0) {
    const auto chunks = static_cast<int64_t>(before_.size());
    runtime::parallel_for(0, chunks, 1, [&](int64_t begin, int64_t end) {
        for (int64_t c = begin; c < end; ++c)
            before_[static_cast<std::size_t>(c)] =
                count_nonzero(mask_ + c * chunk, std::min(n_ - c * chunk, chunk));
    });
    for (int64_t& b : before_) {
        const int64_t ones = b;
        b = total_;
        total_ += ones;
    }
}

template <class F>
void mask_count::for_each_block(const F& f) const {
    const auto chunks = static_cast<int64_t>(before_.size());
    runtime::parallel_for(0, chunks, 1, [&](int64_t begin, int64_t end) {
        places_block b;
        for (int64_t c = begin; c < end; ++c) {
            b.rank = before_[static_cast<std::size_t>(c)];
            const int64_t stop = std::min(n_, (c + 1) * chunk);
            for (b.first = c * chunk; b.first < stop; b.first += places_block::bytes) {
                b.find(mask_ + b.first, std::min(stop - b.first, places_block::bytes));
                if (b.count > 0) f(b);
                b.rank += b.count;
            }
        }
    });
}

namespace {

/// The row-major indices of rising positions.
class rising_indices {
public:
    rising_indices(IntArrayRef sizes, int64_t at) : sizes_(sizes) {
        const int64_t last = sizes_[sizes_.size() - 1];
        row_begin_ = at - at % last;
        at /= last;
        for (std::size_t d = sizes_.size() - 1; d-- > 0; at /= sizes_[d]) at_[d] = at % sizes_[d];
    }
    void write(int64_t at, int64_t* to) {
        const std::size_t inner = sizes_.size() - 1;
        for (; at >= row_begin_ + sizes_[inner]; row_begin_ += sizes_[inner])
            for (std::size_t d = inner; d-- > 0;) {
                if (++at_[d] < sizes_[d]) break;
                at_[d] = 0;
            }
        for (std::size_t d = 0; d < inner; ++d) to[d] = at_[d];
        to[inner] = at - row_begin_;
    }

private:
    IntArrayRef sizes_;
    std::array<int64_t, 64> at_;  // as many as a tensor may have
    int64_t row_begin_;
};

template <class Bits>
void select_ones(const mask_count& ones, const char* from, char* to) {
    ones.for_each_block([&](const places_block& b) {
        const char* in = from + static_cast<std::size_t>(b.first) * sizeof(Bits);
        char* out = to + static_cast<std::size_t>(b.rank) * sizeof(Bits);
        for (int64_t i = 0; i < b.count; ++i)
            std::memcpy(out + static_cast<std::size_t>(i) * sizeof(Bits),
                        in + static_cast<std::size_t>(b.places[i]) * sizeof(Bits), sizeof(Bits));
    });
}

}  // namespace

void write_nonzero(const mask_count& ones, IntArrayRef sizes, int64_t* indices) {
    const auto rank = static_cast<int64_t>(sizes.size());
    ones.for_each_block([&](const places_block& b) {
        int64_t* to = indices + b.rank * rank;
        if (rank == 1) {
            for (int64_t i = 0; i < b.count; ++i) to[i] = b.first + b.places[i];
        } else if (rank > 1) {
            rising_indices at(sizes, b.first + b.places[0]);
            for (int64_t i = 0; i < b.count; ++i, to += rank) at.write(b.first + b.places[i], to);
        }
    });
}

void select_ones(const mask_count& ones, const char* from, std::size_t bytes, char* to) {
    switch (bytes) {
        case 1: return select_ones<uint8_t>(ones, from, to);
        case 2: return select_ones<uint16_t>(ones, from, to);
        case 4: return select_ones<uint32_t>(ones, from, to);
        case 8: return select_ones<uint64_t>(ones, from, to);
        default: return select_ones<complex<double>>(ones, from, to);
    }
}

void require_enough(const char* op, int64_t ones, int64_t have) {
    if (ones > have)
        runtime::fail(op, "the source has too few elements",
                      runtime::text(have, " elements for a mask with ", ones, " true elements"),
                      runtime::text(ones, " elements or more"),
                      "where(), whose source has the mask's shape");
}

namespace {

mask_count ones_of(const op_call& c) {
    const op_input& mask = c.inputs[1];
    return {reinterpret_cast<const uint8_t*>(mask.data + mask.shape->offset), c.shape.numel};
}

void check(const op_call& c) {
    require_enough(c.op.name, ones_of(c).total(), c.inputs[2].shape->numel);
}

void run(const op_call& c) {
    const std::size_t bytes = elementSize(c.dtype);
    const char* from =
        c.inputs[2].data + static_cast<std::size_t>(c.inputs[2].shape->offset) * bytes;
    ones_of(c).for_each_block([&](const places_block& b) {
        for (int64_t i = 0; i < b.count; ++i) {
            const int64_t at = b.first + b.places[i];
            const int64_t to =
                c.shape.contiguous ? c.shape.offset + at : runtime::offset_of(at, c.shape);
            std::memcpy(c.output + static_cast<std::size_t>(to) * bytes,
                        from + static_cast<std::size_t>(b.rank + i) * bytes, bytes);
        }
    });
}

constexpr kernel_op masked_scattering(const char* name) {
    return {.name = name,
            .run = run,
            .updates = true,
            .check = check,
            .complex = true,
            .on_gpu = masked_scatter_on_gpu,
            .waits_for = "the number of true elements"};
}

}  // namespace

const kernel_op masked_scatter_op = masked_scattering("masked_scatter"),
                masked_scatter__op = masked_scattering("masked_scatter_");

}  // namespace sinter::index_kernels
