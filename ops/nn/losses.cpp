// Losses: compositions of table rows and reductions, with PyTorch's formulas.
#include "ops/autograd/function.hpp"
#include "ops/common/op_checks.hpp"
#include "ops/common/opmath.hpp"

#include <sinter/functions/nn_functional.hpp>
#include <sinter/functions/scans.hpp>

namespace sinter::inline v1::nn::functional {

using ops::body;
using runtime::fail;
using runtime::text;

namespace {

using kind = reduction_t::kind;

Tensor reduced(const char* op, const Tensor& losses, const reduction_t& reduction) {
    switch (static_cast<kind>(reduction)) {
        case kind::none: return losses;
        case kind::mean: return losses.mean();
        case kind::sum: return losses.sum();
        case kind::batch_mean: break;
    }
    fail<ValueError>(op, "the reduction is not supported", "kBatchMean", "kNone, kMean or kSum",
                     "kMean, the default");
}

Tensor zero_at_least(const Tensor& x) { return x.clamp_min(0); }

Tensor weighted(const Tensor& losses, const Tensor& weight) {
    return weight.defined() ? losses * weight : losses;
}

[[noreturn]] void refuse_target(const char* op, const tensor_base& input, const tensor_base& target,
                                const std::string& expected, const char* remedy) {
    fail<ValueError>(
        op, "the target's shape does not match the input's",
        text("a target of shape ", target.sizes(), " for an input of shape ", input.sizes()),
        expected, remedy);
}

/// `wrong` holds the classes outside of [least, count).
template <class E = Error>
[[noreturn]] void refuse_class(const char* op, const Tensor& wrong, int64_t least, int64_t count,
                               const char* remedy) {
    fail<E>(op, "a class is out of range", text(wrong[0].item<int64_t>()),
            text(least, " to ", count - 1), remedy);
}

[[noreturn]] void refuse_dims(const char* op, const tensor_base& a, const tensor_base& b,
                              const tensor_base& c) {
    fail(op, "the tensors have different numbers of dimensions",
         text("shapes ", a.sizes(), ", ", b.sizes(), " and ", c.sizes()), "the same number",
         "unsqueeze() on the smaller ones");
}

void require_same_sizes(const char* op, const tensor_base& input, const tensor_base& target) {
    body(op, input);
    body(op, target);
    if (!(input.sizes() == target.sizes()))
        refuse_target(op, input, target, "equal shapes", "expand_as(input) on the target");
}

void require_floating(const char* op, const tensor_base& input) {
    ops::require_inexact(op, body(op, input).dtype);
}

Tensor distance(const char* op, const tensor_base& input, const tensor_base& target) {
    body(op, input);
    body(op, target);
    return abs(input.self() - target.self());
}

Tensor smooth_l1(const tensor_base& input, const tensor_base& target, const reduction_t& reduction,
                 double beta) {
    const char* op = "smooth_l1_loss";
    if (beta < 0) fail(op, "beta is negative", text(beta), "0 or more", "1, the default");
    const Tensor z = distance(op, input, target);
    require_floating(op, z);
    if (beta == 0) return reduced(op, z, reduction);
    return reduced(op, where(z < beta, z * z * (0.5 / beta), z - 0.5 * beta), reduction);
}

// ---- classes

/// The checked arguments of a loss over classes, and the elements to ignore.
struct classes {
    int64_t dim, count;
    Tensor ignored;        // true if the element is ignored; undefined if none is
    Tensor safe;           // the class, or 0 if ignored
    bool checked = false;  // the classes are known to exist
};
classes classes_of(const char* op, const tensor_base& input, const tensor_base& target,
                   const Tensor& weight, int64_t ignore_index) {
    const TensorImpl &x = body(op, input), &t = body(op, target);
    const IntArrayRef sizes = x.shape->sizes_ref(), places = t.shape->sizes_ref();
    ops::require_dims_from<ValueError>(op, x, 1, "unsqueeze(0) first");
    if (t.dtype != kLong && t.dtype != kByte)
        fail(op, "the target has the wrong dtype", toString(t.dtype), "Long or Byte",
             ".to(kLong) on the target");
    const int64_t dim = sizes.size() == 1 ? 0 : 1;
    std::vector<int64_t> rest = sizes.vec();
    rest.erase(rest.begin() + dim);
    if (places != IntArrayRef(rest))
        refuse_target(op, input, target,
                      text("shape ", IntArrayRef(rest), ", the input's without its classes"),
                      "squeeze() on the target, or argmax() if it is one-hot");
    const int64_t count = sizes[static_cast<std::size_t>(dim)];
    if (weight.defined() && (weight.dim() != 1 || weight.numel() != count))
        fail(op, "the weight does not match the classes",
             text("shape ", weight.sizes(), " for ", count, " classes"),
             text("shape [", count, "]"), "one weight for each class");
    const Tensor named = target.to(kLong);
    const Tensor ignored = named == ignore_index;
    const classes with_ignored{dim, count, ignored, where(ignored, 0, named)};
    // A pending target is not read here. The gather checks it when it runs.
    if (t.storage->current->state == version_state::pending) return with_ignored;
    enum : int { none, some_ignored, some_wrong };
    int found = none;
    if (t.shape->numel > 0) {
        const Tensor wrong = ignored.logical_not() & ((named < 0) | (named >= count));
        const Tensor each =
            where(wrong, int{some_wrong}, where(ignored, int{some_ignored}, int{none}));
        found = each.max().item<int>();
        if (found == some_wrong)
            refuse_class<IndexError>(op, named.masked_select(wrong), 0, count,
                                     "ignore_index for classes to leave out");
    }
    classes c = found == none ? classes{dim, count, {}, named} : with_ignored;
    c.checked = true;
    return c;
}

Tensor without_ignored(const classes& c, const Tensor& x) {
    return c.ignored.defined() ? where(c.ignored, 0, x) : x;
}

/// Returns which elements of the input, which has these sizes, belong to the named class.
Tensor is_named(const classes& c, IntArrayRef sizes) {
    std::vector<int64_t> along(sizes.size(), 0);
    along[static_cast<std::size_t>(c.dim)] = 1;
    const Tensor named = c.safe.unsqueeze(c.dim).expand(sizes);
    ops::sequence code;
    code.read(ops::index_leaf(sizes, along, 0)).read(ops::read(body("nll_loss", named)));
    return code.row(op::eq).pending(kBool, make_contiguous(sizes));
}

/// Returns the element of the named class for each target. A gather would need the logarithms in
/// memory, and its gradient zeros to add to. The maximum of the one element has its bits.
Tensor picked(const Tensor& x, const classes& c) {
    if (!c.checked || x.is_complex())
        return x.gather(c.dim, c.safe.unsqueeze(c.dim)).squeeze(c.dim);
    return autograd::with_rule(
        "gather", {&x}, {},
        [&] { return where(is_named(c, x.sizes()), x, -INFINITY).amax({c.dim}); },
        [c, sizes = x.sizes().vec()](const autograd::rule_call& call) -> autograd::variable_list {
            return {where(is_named(c, sizes), call.grad().unsqueeze(c.dim), 0)};
        });
}

/// Returns picked(log_softmax(scores)). Its gradient adds up no gradients over the classes, of
/// which only that of the named one is not 0, so that a row kernel can compute it with the value.
Tensor picked_logarithms(const Tensor& scores, const classes& c) {
    if (!c.checked) return picked(v1::log_softmax(scores, c.dim), c);
    // The second result is there to be saved, and has a gradient only in derivatives of the rule.
    const auto both = autograd::with_rule(
        "nll_loss", {&scores}, {.results = 2},
        [&] {
            const Tensor all = v1::log_softmax(scores, c.dim);
            return std::make_tuple(picked(all, c), all);
        },
        [c](const autograd::rule_call& call) -> autograd::variable_list {
            const Tensor all = ops::to_opmath(call.result(1));
            Tensor g, total;
            if (call.grad(0).defined()) {
                total = ops::to_opmath(call.grad(0).unsqueeze(c.dim));
                g = where(is_named(c, all.sizes()), total, 0);
            }
            if (call.grad(1).defined()) {
                const Tensor more = ops::to_opmath(call.grad(1));
                const Tensor sum = more.sum(c.dim, true);
                g = g.defined() ? g + more : more;
                total = total.defined() ? total + sum : sum;
            }
            return {g - exp(all) * total};
        });
    return std::get<0>(both);
}

Tensor weights_of(const classes& c, const Tensor& weight) {
    return weight.index_select(0, c.safe.reshape(-1)).view(c.safe.sizes());
}

/// Returns what the reduction makes of losses, which are weighted by their classes: a mean is
/// divided by the sum of the weights.
Tensor reduced_over_classes(const char* op, const classes& c, const Tensor& losses,
                            const Tensor& weight, const reduction_t& reduction) {
    if (static_cast<kind>(reduction) != kind::mean || (!weight.defined() && !c.ignored.defined()))
        return reduced(op, losses, reduction);
    const Tensor weights = weight.defined() ? weights_of(c, weight) : ones_like(losses);
    return losses.sum() / without_ignored(c, weights).sum();
}

/// Returns the loss of the logarithms of the named classes.
Tensor class_loss(const char* op, const classes& c, const Tensor& logarithms, const Tensor& weight,
                  const reduction_t& reduction) {
    const Tensor each =
        weight.defined() ? Tensor(-logarithms * weights_of(c, weight)) : Tensor(-logarithms);
    return reduced_over_classes(op, c, without_ignored(c, each), weight, reduction);
}

/// Returns a weight for each class, shaped to broadcast with the input.
Tensor along(const Tensor& weight, const Tensor& like, int64_t dim) {
    std::vector<int64_t> sizes(static_cast<std::size_t>(like.dim()), 1);
    sizes[static_cast<std::size_t>(dim)] = weight.numel();
    return weight.view(sizes);
}

Tensor smoothed(const char* op, const classes& c, const Tensor& x,
                const CrossEntropyFuncOptions& options) {
    const double smoothing = options.label_smoothing();
    const Tensor& weight = options.weight();
    const Tensor sharp = class_loss(op, c, picked(x, c), weight, options.reduction());
    const Tensor all = weight.defined() ? Tensor(x * along(weight, x, c.dim)) : x;
    const Tensor even = reduced_over_classes(op, c, without_ignored(c, -all.sum(c.dim)), weight,
                                             options.reduction());
    return sharp * (1 - smoothing) + even * (smoothing / static_cast<double>(c.count));
}

Tensor of_probabilities(const Tensor& x, const tensor_base& target,
                        const CrossEntropyFuncOptions& options, int64_t dim) {
    const char* op = "cross_entropy";
    if (!target.is_floating_point())
        fail(op, "the target has the wrong dtype", toString(target.scalar_type()),
             "a floating-point dtype", ".to(kFloat) on the target");
    const auto count = static_cast<double>(x.size(dim));
    const double smoothing = options.label_smoothing();
    Tensor y = target.self();
    if (smoothing > 0) y = y * (1 - smoothing) + smoothing / count;
    if (options.weight().defined()) y = y * along(options.weight(), x, dim);
    const Tensor losses = -(x * y).sum(dim);
    if (static_cast<kind>(options.reduction()) == kind::mean)
        return losses.sum() / (static_cast<double>(x.numel()) / count);
    return reduced(op, losses, options.reduction());
}

}  // namespace

Tensor l1_loss(const tensor_base& input, const tensor_base& target,
               const L1LossFuncOptions& options) {
    return reduced("l1_loss", distance("l1_loss", input, target), options.reduction());
}

Tensor mse_loss(const tensor_base& input, const tensor_base& target,
                const MSELossFuncOptions& options) {
    body("mse_loss", input);
    body("mse_loss", target);
    const Tensor d = input.self() - target.self();
    require_floating("mse_loss", d);
    return reduced("mse_loss", d * d, options.reduction());
}

Tensor smooth_l1_loss(const tensor_base& input, const tensor_base& target,
                      const SmoothL1LossFuncOptions& options) {
    return smooth_l1(input, target, options.reduction(), options.beta().value_or(1));
}
Tensor smooth_l1_loss(const tensor_base& input, const tensor_base& target,
                      const SmoothL1LossFuncOptions& options, double beta) {
    if (options.beta())
        fail("smooth_l1_loss", "beta is given twice",
             text(*options.beta(), " in the options and ", beta, " as an argument"), "one of them",
             "leaving it out of the options");
    return smooth_l1(input, target, options.reduction(), beta);
}

Tensor huber_loss(const tensor_base& input, const tensor_base& target,
                  const HuberLossFuncOptions& options) {
    const double delta = options.delta();
    if (!(delta > 0))
        fail("huber_loss", "delta is not positive", text(delta), "a positive number",
             "1, the default");
    const Tensor z = distance("huber_loss", input, target);
    require_floating("huber_loss", z);
    return reduced("huber_loss", where(z <= delta, z * z * 0.5, (z - 0.5 * delta) * delta),
                   options.reduction());
}

namespace {

/// Of the input, the quotient is bounded, as in PyTorch.
autograd::variable_list cross_entropy_gradients(const autograd::rule_call& c) {
    const Tensor g = c.grad(), x = c.operand(0), y = c.operand(1);
    Tensor of_input, of_target;
    if (c.needs(0)) of_input = g * (x - y) / ((1 - x) * x).clamp_min(1e-12);
    if (c.needs(1)) of_target = g * (log1p(-x).clamp_min(-100) - log(x).clamp_min(-100));
    return {of_input, of_target};
}

}  // namespace

Tensor binary_cross_entropy(const tensor_base& input, const tensor_base& target,
                            const BinaryCrossEntropyFuncOptions& options) {
    const char* op = "binary_cross_entropy";
    require_same_sizes(op, input, target);
    require_floating(op, input);
    const Tensor &x = input.self(), &y = target.self();
    if (const Tensor inside = (x >= 0) & (x <= 1); !inside.all().item<bool>())
        fail(op, "an element of the input is not a probability",
             text(x.masked_select(inside.logical_not())[0].item<double>()), "0 to 1",
             "sigmoid() first, or binary_cross_entropy_with_logits()");
    const Tensor losses = autograd::with_rule(
        op, {&x, &y}, {.operands = 3, .batched = true},
        [&] { return Tensor((y - 1) * log1p(-x).clamp_min(-100) - y * log(x).clamp_min(-100)); },
        cross_entropy_gradients);
    return reduced(op, weighted(losses, options.weight()), options.reduction());
}

Tensor binary_cross_entropy_with_logits(const tensor_base& input, const tensor_base& target,
                                        const BinaryCrossEntropyWithLogitsFuncOptions& options) {
    const char* op = "binary_cross_entropy_with_logits";
    require_same_sizes(op, input, target);
    require_floating(op, input);
    const Tensor &x = input.self(), &y = target.self();
    Tensor logarithm = x.log_sigmoid();
    if (options.pos_weight().defined())
        logarithm = logarithm * ((options.pos_weight() - 1) * y + 1);
    const Tensor losses = (1 - y) * x - logarithm;
    return reduced(op, weighted(losses, options.weight()), options.reduction());
}

Tensor kl_div(const tensor_base& input, const tensor_base& target,
              const KLDivFuncOptions& options) {
    const char* op = "kl_div";
    require_floating(op, input);
    require_floating(op, target);
    const Tensor &x = input.self(), &y = target.self();
    const Tensor losses =
        options.log_target() ? Tensor(exp(y) * (y - x)) : Tensor(xlogy(y, y) - y * x);
    if (static_cast<kind>(options.reduction()) == kind::batch_mean)
        return losses.sum() / (x.dim() == 0 ? 1 : x.size(0));
    return reduced(op, losses, options.reduction());
}

Tensor nll_loss(const tensor_base& input, const tensor_base& target,
                const NLLLossFuncOptions& options) {
    const char* op = "nll_loss";
    require_floating(op, input);
    const classes c = classes_of(op, input, target, options.weight(), options.ignore_index());
    return class_loss(op, c, picked(input.self(), c), options.weight(), options.reduction());
}

Tensor cross_entropy(const tensor_base& input, const tensor_base& target,
                     const CrossEntropyFuncOptions& options) {
    const char* op = "cross_entropy";
    require_floating(op, input);
    body(op, target);
    const double smoothing = options.label_smoothing();
    if (!(smoothing >= 0 && smoothing <= 1))
        fail(op, "label_smoothing is out of range", text(smoothing), "0 to 1", "0, the default");
    const int64_t dim = input.dim() < 2 ? 0 : 1;
    if (input.dim() > 0 && input.sizes() == target.sizes())
        return of_probabilities(v1::log_softmax(input, dim), target, options, dim);
    const classes c = classes_of(op, input, target, options.weight(), options.ignore_index());
    if (smoothing > 0) return smoothed(op, c, v1::log_softmax(input, dim), options);
    return class_loss(op, c, picked_logarithms(input.self(), c), options.weight(),
                      options.reduction());
}

Tensor hinge_embedding_loss(const tensor_base& input, const tensor_base& target,
                            const HingeEmbeddingLossFuncOptions& options) {
    const char* op = "hinge_embedding_loss";
    body(op, input);
    body(op, target);
    const Tensor &x = input.self(), &y = target.self();
    const Tensor losses =
        where(y != 1, zero_at_least(options.margin() - x), 0) + where(y != -1, x, 0);
    return reduced(op, losses, options.reduction());
}

Tensor margin_ranking_loss(const tensor_base& input1, const tensor_base& input2,
                           const tensor_base& target, const MarginRankingLossFuncOptions& options) {
    const char* op = "margin_ranking_loss";
    body(op, input1);
    if (body(op, input2).shape->ndim != input1.dim() ||
        body(op, target).shape->ndim != input1.dim())
        refuse_dims(op, input1, input2, target);
    const Tensor d = input1.self() - input2.self();
    return reduced(op, zero_at_least(-target.self() * d + options.margin()), options.reduction());
}

Tensor cosine_embedding_loss(const tensor_base& input1, const tensor_base& input2,
                             const tensor_base& target,
                             const CosineEmbeddingLossFuncOptions& options) {
    const char* op = "cosine_embedding_loss";
    body(op, input1);
    body(op, input2);
    const int64_t dim = body(op, target).shape->ndim;
    ops::require_dims_to(op, body(op, target), 1, "flatten() on the target");
    const Tensor &a = input1.self(), &b = input2.self(), &y = target.self();
    if (a.dim() != dim + 1 || b.dim() != dim + 1)
        fail(op, "the inputs have the wrong number of dimensions",
             text("shapes ", a.sizes(), " and ", b.sizes(), " for a target of shape ", y.sizes()),
             text(runtime::count_of(dim + 1, "dimension"), " in each input"),
             dim == 0 ? "a target of shape [N] for inputs of shape [N, D]"
                      : "unsqueeze(0) on the inputs");
    constexpr double eps = 1e-12;
    const Tensor sizes = ((a * a).sum(dim) + eps) * ((b * b).sum(dim) + eps);
    const Tensor cosine = (a * b).sum(dim) / sqrt(sizes);
    const Tensor losses =
        where(y == 1, 1 - cosine, 0) + where(y == -1, zero_at_least(cosine - options.margin()), 0);
    return reduced(op, losses, options.reduction());
}

Tensor soft_margin_loss(const tensor_base& input, const tensor_base& target,
                        const SoftMarginLossFuncOptions& options) {
    const char* op = "soft_margin_loss";
    require_floating(op, input);
    body(op, target);
    return reduced(op, -(target.self() * input.self()).log_sigmoid(), options.reduction());
}

Tensor multilabel_soft_margin_loss(const tensor_base& input, const tensor_base& target,
                                   const MultiLabelSoftMarginLossFuncOptions& options) {
    const char* op = "multilabel_soft_margin_loss";
    require_floating(op, input);
    body(op, target);
    const Tensor &x = input.self(), &y = target.self();
    const Tensor losses = -(y * x.log_sigmoid() + (1 - y) * (-x).log_sigmoid());
    return reduced(op, weighted(losses, options.weight()).mean(-1), options.reduction());
}

namespace {

/// Throws Error unless every class is in [least, count). Reads the target.
void require_classes(const char* op, const Tensor& target, int64_t least, int64_t count) {
    if (target.numel() == 0) return;
    if (const Tensor bad = (target < least) | (target >= count); bad.any().item<bool>())
        refuse_class(op, target.masked_select(bad), least, count, "clamp() on the target");
}

}  // namespace

Tensor multi_margin_loss(const tensor_base& input, const tensor_base& target,
                         const MultiMarginLossFuncOptions& options) {
    const char* op = "multi_margin_loss";
    require_floating(op, input);
    const TensorImpl& t = body(op, target);
    if (options.p() != 1 && options.p() != 2)
        fail<ValueError>(op, "p is neither 1 nor 2", text(options.p()), "1 or 2", "1, the default");
    const bool vector = input.dim() <= 1;
    const Tensor x = vector ? input.reshape({1, -1}) : input.self();
    if (x.dim() != 2 || t.dtype != kLong || t.shape->ndim > 1 || t.shape->numel != x.size(0))
        fail(op, "the target does not name one class for each row",
             text("a ", t.dtype, " target of shape ", t.shape->sizes_ref(),
                  " for an input of shape ", input.sizes()),
             text("a Long target of shape [", x.size(0), "]"),
             "argmax(1) if the target is one-hot");
    const int64_t count = x.size(1);
    const Tensor named = target.reshape({-1, 1});
    require_classes(op, named, 0, count);
    Tensor z = zero_at_least(x - x.gather(1, named) + options.margin());
    if (options.p() == 2) z = z * z;
    if (options.weight().defined())
        z = z * options.weight().index_select(0, named.reshape(-1)).unsqueeze(1);
    const Tensor other = named != arange(count, named.options());
    Tensor losses = where(other, z, 0).sum(1) / count;
    if (vector) losses = losses.reshape({});
    return reduced(op, losses, options.reduction());
}

Tensor multilabel_margin_loss(const tensor_base& input, const tensor_base& target,
                              const MultilabelMarginLossFuncOptions& options) {
    const char* op = "multilabel_margin_loss";
    require_floating(op, input);
    require_same_sizes(op, input, target);
    const bool vector = input.dim() <= 1;
    const Tensor x = vector ? input.reshape({1, -1}) : input.self();
    const Tensor y = vector ? target.reshape({1, -1}) : target.self();
    if (x.dim() != 2 || y.scalar_type() != kLong)
        fail(op, "the target does not list classes for each row",
             text("a ", y.scalar_type(), " target of shape ", target.sizes()),
             "a Long target of at most 2 dimensions", ".to(kLong) on the target");
    const int64_t count = x.size(1);
    require_classes(op, y, -1, count);
    // Only the classes before the first -1 count.
    const Tensor named = Tensor(y == -1).cumsum(1) == 0;
    const Tensor safe = where(named, y, 0);
    const Tensor all = arange(count, y.options());
    const Tensor is_named =
        (Tensor(safe.unsqueeze(2) == all) & named.unsqueeze(2)).any(1);  // (row, class)
    const Tensor above = x.gather(1, safe).unsqueeze(2) - x.unsqueeze(1);
    const Tensor counted = named.unsqueeze(2) & is_named.logical_not().unsqueeze(1);
    Tensor losses = where(counted, zero_at_least(1 - above), 0).sum({1, 2}) / count;
    if (vector) losses = losses.reshape({});
    return reduced(op, losses, options.reduction());
}

Tensor triplet_margin_loss(const tensor_base& anchor, const tensor_base& positive,
                           const tensor_base& negative,
                           const TripletMarginLossFuncOptions& options) {
    const char* op = "triplet_margin_loss";
    body(op, anchor);
    if (!(options.margin() > 0))
        fail<ValueError>(op, "the margin is not positive", text(options.margin()),
                         "a positive number", "1, the default");
    if (body(op, positive).shape->ndim != anchor.dim() ||
        body(op, negative).shape->ndim != anchor.dim())
        refuse_dims(op, anchor, positive, negative);
    const auto apart = [&](const tensor_base& a, const tensor_base& b) {
        return v1::pairwise_distance(a, b, options.p(), options.eps());
    };
    const Tensor near = apart(anchor, positive);
    Tensor far = apart(anchor, negative);
    if (options.swap()) far = minimum(far, apart(positive, negative));
    return reduced(op, zero_at_least(near - far + options.margin()), options.reduction());
}

Tensor poisson_nll_loss(const tensor_base& input, const tensor_base& target,
                        const PoissonNLLLossFuncOptions& options) {
    const char* op = "poisson_nll_loss";
    body(op, input);
    body(op, target);
    const Tensor &x = input.self(), &y = target.self();
    Tensor losses =
        options.log_input() ? Tensor(exp(x) - y * x) : Tensor(x - y * log(x + options.eps()));
    if (options.full()) {
        const Tensor stirling = y * log(y) - y + 0.5 * log(y * 6.283185307179586);
        losses = losses + where(y <= 1, 0, stirling);
    }
    return reduced(op, losses, options.reduction());
}

}  // namespace sinter::inline v1::nn::functional
