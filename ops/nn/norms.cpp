// Normalisations by means and variances of parts of a tensor, computed in at least Float.
#include "ops/reduce/norms.hpp"

#include "ops/autograd/function.hpp"
#include "ops/common/opmath.hpp"

#include <sinter/functions/nn_functional.hpp>
#include <sinter/grad_mode.hpp>

#include <algorithm>
#include <tuple>

namespace sinter::inline v1::nn::functional {

using ops::body;
using runtime::fail;
using runtime::text;

namespace {

/// The gradient of `standard`, whose results are the values, the mean and the variance. By hand,
/// because it reads the rows once less than the gradients of both means do. The last two results
/// have gradients only where a gradient is differentiated.
Tensor gradient_of_standard(const autograd::rule_call& c, IntArrayRef dims, double eps) {
    const Tensor centred = c.operand(0) - c.result(1);
    const double count = static_cast<double>(centred.numel()) /
                         static_cast<double>(std::max<int64_t>(c.result(2).numel(), 1));
    Tensor sum;
    const auto add = [&sum](const Tensor& t) { sum = sum.defined() ? sum + t : t; };
    if (const Tensor& g = c.grad(0); g.defined()) {
        const Tensor r = rsqrt(c.result(2) + eps), y = centred * r;
        add(r * (g - g.mean(dims, true) - y * (g * y).mean(dims, true)));
    }
    if (c.grad(1).defined()) add((c.grad(1) / count).expand(c.with_batch(centred.sizes())));
    if (c.grad(2).defined()) add(c.grad(2) * (2 / count) * centred);
    return sum;
}

/// Returns (x - mean) / sqrt(var + eps) over these dimensions.
Tensor standard(const char* op, const Tensor& x, IntArrayRef over, double eps) {
    // From behind, as gradients of several at once have a leading dimension.
    std::vector<int64_t> dims = over.vec();
    for (int64_t& d : dims) d -= x.dim();
    const auto results = autograd::with_rule(
        op, {&x}, {.operands = 1, .results = 0b110, .batched = true},
        [&]() -> std::tuple<Tensor, Tensor, Tensor> {
            const Tensor mean = x.mean(dims, true), centred = x - mean;
            const Tensor variance = (centred * centred).mean(dims, true);
            return {centred * rsqrt(variance + eps), mean, variance};
        },
        [dims, eps](const autograd::rule_call& c) -> autograd::variable_list {
            return {gradient_of_standard(c, dims, eps)};
        });
    return std::get<0>(results);
}

/// Returns one number per channel, shaped to broadcast along dimension 1 of x.
Tensor channels(const Tensor& t, const Tensor& x) {
    std::vector<int64_t> sizes(static_cast<std::size_t>(x.dim()), 1);
    sizes[1] = t.numel();
    return t.to(x.scalar_type()).view(sizes);
}
Tensor scaled(Tensor y, const Tensor& weight, const Tensor& bias) {
    if (weight.defined()) y = y * channels(weight, y);
    if (bias.defined()) y = y + channels(bias, y);
    return y;
}

void require_channels(const char* op, const char* what, const Tensor& t, int64_t count) {
    if (t.defined() && (t.dim() != 1 || t.numel() != count))
        fail(op, text(what, " does not match the channels"),
             text("shape ", t.sizes(), " for ", runtime::count_of(count, "channel")),
             text("shape [", count, "]"), "one number for each channel");
}

void require_several(const char* op, const tensor_base& x, int64_t count, const char* where) {
    if (count == 1)
        fail<ValueError>(op, text(where, " has one value, which has no variance"),
                         text("shape ", x.sizes()), "more than 1 value",
                         "a larger batch, or training(false)");
}

std::vector<int64_t> from_dim(int64_t first, int64_t ndim) {
    std::vector<int64_t> dims;
    for (int64_t d = first; d < ndim; ++d) dims.push_back(d);
    return dims;
}

/// Moves a running statistic towards that of the batch. It has no gradient.
void move(const Tensor& running, const Tensor& now, double momentum) {
    const NoGradGuard unrecorded;
    if (running.defined()) running.mul_(1 - momentum).add_(now.to(running.scalar_type()), momentum);
}

}  // namespace

Tensor normalize(const tensor_base& self, const NormalizeFuncOptions& options) {
    const TensorImpl& t = body("normalize", self);
    ops::require_inexact("normalize", t.dtype);
    const Tensor n = self.norm(options.p(), options.dim(), true);
    return self.self() / n.clamp_min(options.eps());
}

Tensor layer_norm(const tensor_base& self, const LayerNormFuncOptions& options) {
    const char* op = "layer_norm";
    const TensorImpl& t = body(op, self);
    ops::require_floating(op, t.dtype);
    const IntArrayRef sizes = t.shape->sizes_ref(), shape(options.normalized_shape());
    if (shape.empty() || shape.size() > sizes.size() ||
        !(sizes.slice(sizes.size() - shape.size(), shape.size()) == shape))
        fail(op, "the tensor's shape does not end in normalized_shape",
             text("shape ", sizes, " and normalized_shape ", shape), "the last sizes of the tensor",
             "{x.size(-1)} to normalize the last dimension");
    for (const Tensor* p : {&options.weight(), &options.bias()})
        if (p->defined() && !(p->sizes() == shape))
            fail(op, "the weight or the bias does not have normalized_shape",
                 text("shape ", p->sizes(), " for ", shape), "equal shapes", "expand() on it");
    const auto first = static_cast<int64_t>(sizes.size() - shape.size());
    const Tensor x = ops::to_opmath(self);
    Tensor y = standard(op, x, from_dim(first, self.dim()), options.eps());
    if (options.weight().defined()) y = y * options.weight().to(x.scalar_type());
    if (options.bias().defined()) y = y + options.bias().to(x.scalar_type());
    return y.to(t.dtype);
}

Tensor batch_norm(const tensor_base& self, const Tensor& running_mean, const Tensor& running_var,
                  const BatchNormFuncOptions& options) {
    const char* op = "batch_norm";
    const TensorImpl& t = body(op, self);
    ops::require_floating(op, t.dtype);
    ops::require_dims_from(op, t, 2, "unsqueeze(0) first");
    const int64_t count = self.size(1);
    require_channels(op, "the running mean", running_mean, count);
    require_channels(op, "the running variance", running_var, count);
    require_channels(op, "the weight", options.weight(), count);
    require_channels(op, "the bias", options.bias(), count);
    const Tensor x = ops::to_opmath(self);
    Tensor y;
    if (options.training()) {
        const int64_t each = count == 0 ? 0 : self.numel() / count;
        require_several(op, self, each, "a channel");
        std::vector<int64_t> dims = from_dim(2, self.dim());
        dims.insert(dims.begin(), 0);
        const double momentum = options.momentum().value_or(0);
        y = standard(op, x, dims, options.eps());
        move(running_mean, x.mean(dims), momentum);
        move(running_var, x.var(dims), momentum);
    } else {
        if (!running_mean.defined() || !running_var.defined())
            fail(op, "the running statistics are undefined", "an undefined tensor",
                 "a mean and a variance for each channel",
                 "training(true), which computes them from the batch");
        y = (x - channels(running_mean, x)) * rsqrt(channels(running_var, x) + options.eps());
    }
    return scaled(y, options.weight(), options.bias()).to(t.dtype);
}

Tensor instance_norm(const tensor_base& self, const InstanceNormFuncOptions& options) {
    const char* op = "instance_norm";
    const TensorImpl& t = body(op, self);
    ops::require_floating(op, t.dtype);
    ops::require_dims_from(op, t, 2, "unsqueeze(0) first");
    const int64_t count = self.size(1);
    require_channels(op, "the running mean", options.running_mean(), count);
    require_channels(op, "the running variance", options.running_var(), count);
    require_channels(op, "the weight", options.weight(), count);
    require_channels(op, "the bias", options.bias(), count);
    const Tensor x = ops::to_opmath(self);
    if (!options.use_input_stats())
        return batch_norm(self, options.running_mean(), options.running_var(),
                          BatchNormFuncOptions()
                              .weight(options.weight())
                              .bias(options.bias())
                              .eps(options.eps()));
    const std::vector<int64_t> dims = from_dim(2, self.dim());
    int64_t each = 1;
    for (int64_t d : dims) each *= self.size(d);
    require_several(op, self, each, "a channel");
    const Tensor y = standard(op, x, dims, options.eps());
    move(options.running_mean(), x.mean(dims).mean(0), options.momentum());
    move(options.running_var(), x.var(dims).mean(0), options.momentum());
    return scaled(y, options.weight(), options.bias()).to(t.dtype);
}

Tensor group_norm(const tensor_base& self, const GroupNormFuncOptions& options) {
    const char* op = "group_norm";
    const TensorImpl& t = body(op, self);
    ops::require_floating(op, t.dtype);
    const int64_t groups = options.num_groups();
    if (t.shape->ndim < 2 || groups < 1 || self.size(1) % groups != 0)
        fail(op, "the channels do not divide into the groups",
             text(ops::shape_of(t), " and ", runtime::count_of(groups, "group")),
             "a number of groups that divides size(1)",
             "1, which normalizes all channels together");
    const int64_t count = self.size(1);
    require_channels(op, "the weight", options.weight(), count);
    require_channels(op, "the bias", options.bias(), count);
    const Tensor x = ops::to_opmath(self);
    require_several(op, self, self.numel() / groups, "a group");
    const Tensor y = self.numel() == 0
                         ? x
                         : standard(op, x.reshape({self.size(0), groups, -1}), 2, options.eps())
                               .reshape(x.sizes());
    return scaled(y, options.weight(), options.bias()).to(t.dtype);
}

Tensor local_response_norm(const tensor_base& self, const LocalResponseNormFuncOptions& options) {
    const char* op = "local_response_norm";
    const TensorImpl& t = body(op, self);
    ops::require_floating(op, t.dtype);
    ops::require_dims_from<ValueError>(op, t, 3, "unsqueeze(-1) first");
    const int64_t size = options.size();
    if (size < 1)
        fail(op, "size is not positive", text(size), "1 or more", "an odd size, such as 5");
    if (self.numel() == 0) return self.self();
    const Tensor x = ops::to_opmath(self);
    std::vector<int64_t> pad(static_cast<std::size_t>(2 * (x.dim() - 1)), 0);
    pad[pad.size() - 2] = size / 2;
    pad[pad.size() - 1] = (size - 1) / 2;
    const Tensor mean = constant_pad_nd(x * x, pad).unfold(1, size, 1).mean(-1);
    return (x / (mean * options.alpha() + options.k()).pow(options.beta())).to(t.dtype);
}

}  // namespace sinter::inline v1::nn::functional
