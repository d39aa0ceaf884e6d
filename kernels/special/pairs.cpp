#include "kernels/special/pairs.hpp"

#include "kernels/special/hurwitz_zeta.hpp"
#include "kernels/special/incomplete_gamma.hpp"
#include "kernels/special/orthogonal_polynomials.hpp"
#include "runtime/base/fp_environment.hpp"
#include "runtime/threads/threads.hpp"

#include <array>

namespace sinter::special_pairs {

namespace {

template <auto function, class T>
void run(const op_call& call) {
    const op_input &left = call.inputs[0], &right = call.inputs[1];
    const geometry& g = call.shape;
    const auto* a = reinterpret_cast<const T*>(left.data) + left.shape->offset;
    const auto* b = reinterpret_cast<const T*>(right.data) + right.shape->offset;
    auto* to = reinterpret_cast<T*>(call.output) + g.offset;
    constexpr int64_t grain = 500;
    runtime::parallel_for(0, g.numel, grain, [&](int64_t begin, int64_t end) {
        const runtime::fp_environment environment;
        std::array<int64_t, 64> at{};
        int64_t rest = begin;
        for (int d = g.ndim - 1; d >= 0; --d) {
            at[static_cast<std::size_t>(d)] = rest % g.sizes()[d];
            rest /= g.sizes()[d];
        }
        for (int64_t i = begin; i < end; ++i) {
            int64_t first = 0, second = 0, target = 0;
            for (int d = 0; d < g.ndim; ++d) {
                const int64_t n = at[static_cast<std::size_t>(d)];
                first += n * left.shape->strides()[d];
                second += n * right.shape->strides()[d];
                target += n * g.strides()[d];
            }
            to[target] = static_cast<T>(
                function(static_cast<double>(a[first]), static_cast<double>(b[second])));
            for (int d = g.ndim - 1; d >= 0; --d) {
                if (++at[static_cast<std::size_t>(d)] < g.sizes()[d]) break;
                at[static_cast<std::size_t>(d)] = 0;
            }
        }
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
