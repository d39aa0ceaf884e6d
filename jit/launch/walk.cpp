#include "jit/launch/walk.hpp"

#include <algorithm>

namespace sinter::runtime {

space::space(const launch_request& r)
    : request(r),
      outer_dims(std::max(r.rank - 2, 0)),
      outer_space{r, 0, outer_dims},
      outer(1),
      n1(r.rank >= 2 ? r.extents[r.rank - 2] : 1),
      n0(r.rank >= 1 ? r.extents[r.rank - 1] : 1) {
    for (int d = 0; d < outer_dims; ++d) outer *= r.extents[d];
}

walker::walker(const space& s, int64_t outer_index)
    : outer_index_(outer_index), at_(s.outer_space, outer_index), args_(s.request.operands.size()) {
    for (std::size_t k = 0; k < s.request.operands.size(); ++k) {
        args_[k].s1 = s.stride1(k);
        args_[k].s0 = s.stride0(k);
        args_[k].s2 = at_.step(k);
    }
}

const kernel_ir::operand_arg* walker::arguments(int64_t row, int64_t element) {
    for (std::size_t k = 0; k < at_.operands(); ++k) {
        uint64_t address = at_.at(k) +
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
