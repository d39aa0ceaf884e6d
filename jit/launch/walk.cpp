#include "jit/launch/walk.hpp"

#include <algorithm>

namespace sinter::runtime {

space::space(const launch_request& r)
    : request(r),
      outer_dims(std::max(r.rank - 2, 0)),
      outer(1),
      n1(r.rank >= 2 ? r.extents[r.rank - 2] : 1),
      n0(r.rank >= 1 ? r.extents[r.rank - 1] : 1) {
    for (int d = 0; d < outer_dims; ++d) outer *= r.extents[d];
}

walker::walker(const space& s, int64_t outer_index)
    : space_(s),
      operands_(s.request.operands.size()),
      at_(outer_index),
      index_(static_cast<std::size_t>(s.outer_dims)),
      base_(operands_),
      args_(operands_) {
    for (std::size_t k = 0; k < operands_; ++k) {
        base_[k] = reinterpret_cast<uint64_t>(s.request.operands[k].base);
        args_[k].s1 = s.stride1(k);
        args_[k].s0 = s.stride0(k);
        args_[k].s2 = s.outer_dims > 0 ? s.stride(k, s.outer_dims - 1) : 0;
    }
    for (int d = s.outer_dims - 1; d >= 0; --d) {
        int64_t i = outer_index % s.request.extents[d];
        outer_index /= s.request.extents[d];
        index_[static_cast<std::size_t>(d)] = i;
        for (std::size_t k = 0; i != 0 && k < operands_; ++k)
            base_[k] += static_cast<uint64_t>(i) * static_cast<uint64_t>(s.stride(k, d));
    }
}

int64_t walker::left() const {
    const int d = space_.outer_dims - 1;
    return d < 0 ? 1 : space_.request.extents[d] - index_[static_cast<std::size_t>(d)];
}

void walker::next(int64_t steps) {
    at_ += steps;
    for (int d = space_.outer_dims - 1; d >= 0; --d) {
        int64_t& i = index_[static_cast<std::size_t>(d)];
        const bool carries = i + steps >= space_.request.extents[d];
        const int64_t moved = carries ? -i : steps;
        i += moved;
        for (std::size_t k = 0; k < operands_; ++k)
            base_[k] += static_cast<uint64_t>(moved) * static_cast<uint64_t>(space_.stride(k, d));
        if (!carries) return;
        steps = 1;
    }
}

const kernel_ir::operand_arg* walker::arguments(int64_t row, int64_t element) {
    for (std::size_t k = 0; k < operands_; ++k) {
        uint64_t address = base_[k] +
                           static_cast<uint64_t>(row) * static_cast<uint64_t>(args_[k].s1) +
                           static_cast<uint64_t>(element) * static_cast<uint64_t>(args_[k].s0);
        args_[k].ptr = reinterpret_cast<char*>(address);
    }
    return args_.data();
}

void call_kernel(const launch_request& r, const kernel_ir::kernel_call& call) {
    if (r.fn) return r.fn(&call);
    r.runner->run_call(call);
}

}  // namespace sinter::runtime
