#include "kernels/index/mask.hpp"

#include "kernels/index/mask_on_gpu.hpp"
#include "runtime/base/fail.hpp"
#include "runtime/strided/walk.hpp"
#include "runtime/threads/threads.hpp"

#include <sinter/error.hpp>

#include <algorithm>
#include <cstring>

namespace sinter::index_kernels {

mask_count::mask_count(const uint8_t* mask, int64_t n)
    : mask_(mask), n_(n), before_(static_cast<std::size_t>((n + chunk - 1) / chunk), 0) {
    const auto chunks = static_cast<int64_t>(before_.size());
    runtime::parallel_for(0, chunks, 1, [&](int64_t begin, int64_t end) {
        for (int64_t c = begin; c < end; ++c) {
            int64_t ones = 0;
            for (int64_t i = c * chunk, stop = std::min(n_, i + chunk); i < stop; ++i)
                ones += mask_[i] != 0;
            before_[static_cast<std::size_t>(c)] = ones;
        }
    });
    for (int64_t& b : before_) {
        const int64_t ones = b;
        b = total_;
        total_ += ones;
    }
}

template <class F>
void mask_count::for_each(const F& f) const {
    const auto chunks = static_cast<int64_t>(before_.size());
    runtime::parallel_for(0, chunks, 1, [&](int64_t begin, int64_t end) {
        for (int64_t c = begin; c < end; ++c) {
            int64_t rank = before_[static_cast<std::size_t>(c)];
            for (int64_t i = c * chunk, stop = std::min(n_, i + chunk); i < stop; ++i)
                if (mask_[i] != 0) f(i, rank++);
        }
    });
}

void write_nonzero(const mask_count& ones, IntArrayRef sizes, int64_t* indices) {
    const auto rank = static_cast<int64_t>(sizes.size());
    ones.for_each([&](int64_t at, int64_t row) {
        for (int64_t d = rank; d-- > 0; at /= sizes[static_cast<std::size_t>(d)])
            indices[row * rank + d] = at % sizes[static_cast<std::size_t>(d)];
    });
}

void select_ones(const mask_count& ones, const char* from, std::size_t bytes, char* to) {
    ones.for_each([&](int64_t at, int64_t row) {
        std::memcpy(to + static_cast<std::size_t>(row) * bytes,
                    from + static_cast<std::size_t>(at) * bytes, bytes);
    });
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
    ones_of(c).for_each([&](int64_t at, int64_t row) {
        const auto offset = static_cast<std::size_t>(runtime::offset_of(at, c.shape));
        std::memcpy(c.output + offset * bytes, from + static_cast<std::size_t>(row) * bytes, bytes);
    });
}

constexpr kernel_op masked_scattering(const char* name) {
    return {.name = name,
            .run = run,
            .updates = true,
            .check = check,
            .complex = true,
            .on_gpu = masked_scatter_on_gpu};
}

}  // namespace

const kernel_op masked_scatter_op = masked_scattering("masked_scatter"),
                masked_scatter__op = masked_scattering("masked_scatter_");

}  // namespace sinter::index_kernels
