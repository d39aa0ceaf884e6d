// Limits on gradients.
#include "runtime/base/fail.hpp"

#include <sinter/functions/clip_grad.hpp>
#include <sinter/functions/functions.hpp>
#include <sinter/functions/pointwise.hpp>
#include <sinter/functions/reductions.hpp>
#include <sinter/functions/shape.hpp>
#include <sinter/grad_mode.hpp>

#include <cmath>

namespace sinter::inline v1::nn::utils {

using runtime::fail;
using runtime::text;

namespace {

std::vector<Tensor> gradients_of(const std::vector<Tensor>& parameters) {
    std::vector<Tensor> found;
    for (const Tensor& p : parameters)
        if (const Tensor g = p.grad(); g.defined()) found.push_back(g);
    return found;
}

}  // namespace

double clip_grad_norm_(const std::vector<Tensor>& parameters, double max_norm, double norm_type,
                       bool error_if_nonfinite) {
    const NoGradGuard unrecorded;
    const std::vector<Tensor> gradients = gradients_of(parameters);
    if (gradients.empty()) return 0;
    std::vector<Tensor> norms;
    for (const Tensor& g : gradients) norms.push_back(g.norm(norm_type).to(gradients[0].device()));
    const double norm = stack(norms).norm(norm_type).item<double>();
    if (error_if_nonfinite && !std::isfinite(norm))
        fail("clip_grad_norm_",
             text("The total norm of order ", norm_type,
                  " for gradients from `parameters` is non-finite, so it cannot be clipped"),
             text(norm), "a finite norm", "error_if_nonfinite = false, to scale them all the same");
    const double factor = max_norm / (norm + 1e-6);
    if (!(factor >= 1))
        for (const Tensor& g : gradients) g.mul_(factor);
    return norm;
}

void clip_grad_value_(const std::vector<Tensor>& parameters, double clip_value) {
    const NoGradGuard unrecorded;
    for (const Tensor& g : gradients_of(parameters)) g.clamp_(-clip_value, clip_value);
}

}  // namespace sinter::inline v1::nn::utils
