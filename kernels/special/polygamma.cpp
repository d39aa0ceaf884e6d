#include "kernels/special/polygamma.hpp"

#include "kernels/special/hurwitz_zeta.cuh"
#include "runtime/strided/walk.hpp"

#include <cmath>

namespace sinter::zeta {
namespace {

template <class T>
void run(const op_call& call) {
    const op_input& in = call.inputs[0];
    const int64_t n = call.attributes->as<polygamma_attributes>().order;
    const double factorial = std::tgamma(static_cast<double>(n) + 1);
    const auto* from = reinterpret_cast<const T*>(in.data);
    auto* to = reinterpret_cast<T*>(call.output);
    runtime::for_each_element(
        {in.shape, &call.shape}, 0, in.shape->numel, [=](int64_t source, int64_t target) {
            to[target] =
                static_cast<T>(on_gpu::polygamma(n, factorial, static_cast<double>(from[source])));
        });
}

void run_any(const op_call& call) { call.dtype == kDouble ? run<double>(call) : run<float>(call); }

}  // namespace

double hurwitz_zeta(int64_t s, double q) { return on_gpu::hurwitz_zeta(s, q); }

const kernel_op polygamma = {.name = "polygamma", .run = run_any, .on_gpu = polygamma_on_gpu};

}  // namespace sinter::zeta
