#include "kernels/special/pairs.hpp"

#include "kernels/special/hurwitz_zeta.hpp"
#include "kernels/special/incomplete_gamma.hpp"
#include "kernels/special/orthogonal_polynomials.hpp"
#include "runtime/base/fp_environment.hpp"
#include "runtime/strided/walk.hpp"
#include "runtime/threads/threads.hpp"

namespace sinter::special_pairs {

namespace {

template <auto function, class T>
void run(const op_call& call) {
    const op_input &left = call.inputs[0], &right = call.inputs[1];
    const geometry& g = call.shape;
    const auto *a = reinterpret_cast<const T*>(left.data),
               *b = reinterpret_cast<const T*>(right.data);
    auto* to = reinterpret_cast<T*>(call.output);
    constexpr int64_t grain = 500;
    runtime::parallel_for(0, g.numel, grain, [&](int64_t begin, int64_t end) {
        const runtime::fp_environment environment;
        runtime::for_each_element({&g, left.shape, right.shape}, begin, end,
                                  [=](int64_t target, int64_t first, int64_t second) {
                                      to[target] =
                                          static_cast<T>(function(static_cast<double>(a[first]),
                                                                  static_cast<double>(b[second])));
                                  });
    });
}

template <auto function>
void run_any(const op_call& call) {
    call.dtype == kDouble ? run<function, double>(call) : run<function, float>(call);
}

}  // namespace

#define SINTER_SPECIAL(function) \
    const kernel_op function{.name = #function, .run = run_any<functions::function>};
SINTER_SPECIAL(igamma)
SINTER_SPECIAL(igammac)
#include <sinter/functions/special_pairs.def>
#undef SINTER_SPECIAL

}  // namespace sinter::special_pairs
