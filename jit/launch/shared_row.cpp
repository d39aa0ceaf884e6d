#include "jit/launch/shared_row.hpp"

#include "jit/kernel_ir/reduce_order.hpp"
#include "jit/launch/row_stages.hpp"
#include "runtime/base/fp_environment.hpp"
#include "runtime/threads/threads.hpp"

#include <algorithm>

namespace sinter::runtime {

using kernel_ir::call_mode;
using kernel_ir::chunk_count;

bool shares_rows(const space& s, int threads) {
    const reduction_plan* plan = s.request.reductions;
    if (!plan || !plan->sharable || chunk_count(s.n0) <= 8) return false;
    // The share of threads that whole rows keep busy; below three quarters sharing is faster.
    int64_t rounds = (s.rows() + threads - 1) / threads;
    return 4 * s.rows() < 3 * rounds * threads;
}

uint64_t run_shared_rows(const space& s, int64_t grain) {
    const int64_t chunks = chunk_count(s.n0);
    const int64_t chunk_grain = std::max<int64_t>(grain / kernel_ir::reduce_chunk, 1);
    row_stages stages(s.request, s.n0);
    const fp_environment environment;
    const auto run_row = [&](const kernel_ir::operand_arg* arguments) {
        stages.run([&](call_mode mode, int64_t stage) {
            if (stage == stages.stages()) return stages.call(arguments, mode, stage, 0, 0);
            parallel_for(0, chunks, chunk_grain, [&](int64_t begin, int64_t end) {
                const fp_environment worker;
                stages.call(arguments, mode, stage, begin, end);
            });
        });
    };
    walker w(s, 0);
    for (int64_t o = 0; o < s.outer; ++o) {
        if (o > 0) w.next();
        for (int64_t row = 0; row < s.n1; ++row) run_row(w.arguments(row, 0));
    }
    return stages.status();
}

}  // namespace sinter::runtime
