#include "kernels/index/gather.hpp"

#include "kernels/index/on_gpu.hpp"
#include "kernels/index/space.hpp"
#include "runtime/threads/threads.hpp"

namespace sinter::index_kernels {
namespace {

template <class Bits>
void copy_row(char* to, int64_t to_step, const char* from, int64_t from_step, int64_t n) {
    constexpr int64_t size = sizeof(Bits);
    if (to_step == size && from_step == size) {
        std::memcpy(to, from, static_cast<std::size_t>(n) * sizeof(Bits));
        return;
    }
    for (int64_t i = 0; i < n; ++i) std::memcpy(to + i * to_step, from + i * from_step, size);
}

template <class Bits>
void gather_rows(const loops& l, int64_t begin, int64_t end) {
    const int64_t from_step = l.indexed_step(), to_step = l.other_step();
    if (l.rows_together()) {
        l.for_each_row(begin, end, [&](const loops::row& r) {
            copy_row<Bits>(r.other, to_step, r.indexed + l.placed(r, 0), from_step, r.count);
        });
        return;
    }
    const auto move = [&](auto to_step, auto from_step) {
        l.for_each_row(begin, end, [&](const loops::row& r) {
            l.each_place<sizeof(Bits)>(
                r, [=, to = r.other, from = r.indexed](int64_t i, int64_t at) {
                    std::memcpy(to + i * to_step, from + i * from_step + at, sizeof(Bits));
                });
        });
    };
    // Nearly always: dense results, all from one row.
    if (to_step == sizeof(Bits) && from_step == 0)
        move(std::integral_constant<int64_t, sizeof(Bits)>(), std::integral_constant<int64_t, 0>());
    else
        move(to_step, from_step);
}

void check(const op_call& c) {
    const auto indices = c.inputs.subspan(1);
    check_range(c, c.attributes->as<layout>(), *c.inputs[0].shape, indices);
}

void run(const op_call& c) {
    const auto indices = c.inputs.subspan(1);
    const loops l(c.attributes->as<layout>(), const_cast<char*>(c.inputs[0].data),
                  *c.inputs[0].shape, c.output, c.shape, c.dtype, indices);
    runtime::parallel_for(0, l.total(), 1 << 14, [&](int64_t begin, int64_t end) {
        switch (elementSize(c.dtype)) {
            case 1: return gather_rows<uint8_t>(l, begin, end);
            case 2: return gather_rows<uint16_t>(l, begin, end);
            case 4: return gather_rows<uint32_t>(l, begin, end);
            case 8: return gather_rows<uint64_t>(l, begin, end);
            default: return gather_rows<complex<double>>(l, begin, end);
        }
    });
}

constexpr kernel_op gathering(const char* name) {
    return {.name = name, .run = run, .check = check, .complex = true, .on_gpu = gather_on_gpu};
}

}  // namespace

const kernel_op gather_op = gathering("gather"), take_along_dim_op = gathering("take_along_dim"),
                take_op = gathering("take"), index_op = gathering("index"),
                index_select_op = gathering("index_select");

}  // namespace sinter::index_kernels
