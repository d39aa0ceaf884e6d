// The CPU loop of every scan. If rows lie across memory, a block of them is scanned side by side,
// so that each cache line is read once.
#pragma once

#include "kernels/scan/scan.hpp"
#include "kernels/slices/numbers.hpp"
#include "kernels/slices/row_walk.hpp"

namespace sinter::scan {

/// Scans one row at a time, or up to `side_by_side` at once. Constructing a `State` begins a row;
/// take(x, i) returns the result for element i. store(result, offset) writes it to an offset in
/// elements, by the strides of `shape`.
template <class State, class In, class Store>
void scan_rows(const op_call& call, const geometry& shape, const Store& store) {
    constexpr int64_t side_by_side = 64;
    const op_input& input = call.inputs[0];
    const rows::row_walk walk({input.shape, &shape}, call.attributes->as<scan_attributes>().dim);
    const auto* in = reinterpret_cast<const In*>(input.data);
    const int64_t n = walk.length(0), in_step = walk.step(0), out_step = walk.step(1);
    const int64_t in_next = walk.next(0), out_next = walk.next(1);
    const bool across = std::min(in_next, out_next) < std::min(in_step, out_step);
    const int64_t block = across ? side_by_side : 1;
    walk.for_each_line(n, [&](const rows::line& l) {
        for (int64_t begin = 0; begin < l.count; begin += block) {
            const int64_t count = std::min(block, l.count - begin);
            const In* from = in + l.first[0] + begin * in_next;
            int64_t to = l.first[1] + begin * out_next;
            if (count == 1) {  // the state stays in registers
                State state;
                for (int64_t i = 0; i < n; ++i, from += in_step, to += out_step)
                    store(state.take(*from, i), to);
                continue;
            }
            State states[side_by_side];
            for (int64_t i = 0; i < n; ++i, from += in_step, to += out_step)
                for (int64_t j = 0; j < count; ++j)
                    store(states[j].take(from[j * in_next], i), to + j * out_next);
        }
    });
}

/// Scans with one result per element, which goes to the call's output.
template <class State, class In, class Out>
void scan_rows(const op_call& call) {
    auto* const out = reinterpret_cast<Out*>(call.output);
    scan_rows<State, In>(call, call.shape, [out](Out x, int64_t at) { out[at] = x; });
}

}  // namespace sinter::scan
