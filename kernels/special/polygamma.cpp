#include "kernels/special/polygamma.hpp"

#include "kernels/special/hurwitz_zeta.cuh"

#include <array>
#include <cmath>

namespace sinter::zeta {
namespace {

template <class T>
void run(const op_call& call) {
    const op_input& in = call.inputs[0];
    const geometry& g = *in.shape;
    const int64_t n = call.attributes->as<polygamma_attributes>().order;
    const double factorial = std::tgamma(static_cast<double>(n) + 1);
    const auto* from = reinterpret_cast<const T*>(in.data) + g.offset;
    auto* to = reinterpret_cast<T*>(call.output) + call.shape.offset;
    // Both shapes have the same sizes.
    std::array<int64_t, 64> at{};
    for (int64_t left = g.numel; left > 0; --left) {
        int64_t source = 0, target = 0;
        for (int d = 0; d < g.ndim; ++d) {
            source += at[static_cast<std::size_t>(d)] * g.strides()[d];
            target += at[static_cast<std::size_t>(d)] * call.shape.strides()[d];
        }
        to[target] =
            static_cast<T>(on_gpu::polygamma(n, factorial, static_cast<double>(from[source])));
        for (int d = g.ndim - 1; d >= 0; --d) {
            if (++at[static_cast<std::size_t>(d)] < g.sizes()[d]) break;
            at[static_cast<std::size_t>(d)] = 0;
        }
    }
}

void run_any(const op_call& call) { call.dtype == kDouble ? run<double>(call) : run<float>(call); }

}  // namespace

double hurwitz_zeta(int64_t s, double q) { return on_gpu::hurwitz_zeta(s, q); }

const kernel_op polygamma = {.name = "polygamma", .run = run_any, .on_gpu = polygamma_on_gpu};

}  // namespace sinter::zeta
