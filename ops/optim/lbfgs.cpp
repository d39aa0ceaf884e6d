// L-BFGS. It decides as PyTorch does, so that it goes the same way up to rounding.
#include "ops/optim/line_search.hpp"
#include "ops/optim/update.hpp"

#include <sinter/functions/functions.hpp>
#include <sinter/functions/products.hpp>
#include <sinter/functions/reductions.hpp>
#include <sinter/functions/shape.hpp>
#include <sinter/grad_mode.hpp>
#include <sinter/optim/lbfgs.hpp>

#include <algorithm>
#include <cmath>

namespace sinter::inline v1::optim {

using ops::by_parts_of;
using ops::line_point;
using ops::options_of;
using ops::state_of;
using ops::update;
using runtime::fail;
using runtime::text;

namespace {

void require_valid(const LBFGSOptions& o) {
    if (o.line_search_fn() && *o.line_search_fn() != "strong_wolfe")
        fail("LBFGS", "only 'strong_wolfe' is supported", text('"', *o.line_search_fn(), '"'),
             "\"strong_wolfe\" or no line search", ".line_search_fn(\"strong_wolfe\")");
}

double number(const Tensor& t) { return t.item<double>(); }
double largest_of(const Tensor& t) { return number(t.abs().max()); }

/// A loss as a function of all parameters in one row.
class objective {
public:
    objective(const Optimizer::LossClosure& closure, const std::vector<Tensor>& parameters)
        : closure_(closure) {
        for (const Tensor& p : parameters) parameters_.push_back(by_parts_of(p));
        of_gradients_ = parameters;
    }

    Tensor loss() {
        ++evaluations_;
        return ops::evaluated(closure_);
    }
    int64_t evaluations() const { return evaluations_; }

    /// Returns the gradients that the last call of the closure left, 0 where there is none.
    Tensor gradient() const {
        std::vector<Tensor> parts;
        for (std::size_t i = 0; i < parameters_.size(); ++i) {
            const Tensor g = of_gradients_[i].grad();
            parts.push_back(g.defined() ? by_parts_of(g.detach()).reshape({-1})
                                        : zeros_like(parameters_[i]).reshape({-1}));
        }
        return cat(parts);
    }

    /// Adds `t` times the direction to the parameters.
    void move(double t, const Tensor& direction) const {
        int64_t at = 0;
        for (const Tensor& p : parameters_) {
            update(p, p + direction.narrow(0, at, p.numel()).view(p.sizes()) * t);
            at += p.numel();
        }
    }

    std::vector<Tensor> values() const {
        std::vector<Tensor> all;
        for (const Tensor& p : parameters_) all.push_back(p.detach().clone());
        return all;
    }
    void set(const std::vector<Tensor>& values) const {
        for (std::size_t i = 0; i < values.size(); ++i) parameters_[i].copy_(values[i]);
    }

private:
    const Optimizer::LossClosure& closure_;
    std::vector<Tensor> parameters_;  // their parts, if they are complex
    std::vector<Tensor> of_gradients_;
    int64_t evaluations_ = 0;
};

/// Adds the last change of the gradient and of the parameters to the history, if it has a positive
/// curvature.
void remember(LBFGSParamState& s, const Tensor& gradient, int64_t most) {
    const Tensor y = gradient - s.prev_flat_grad(), step = s.d() * s.t();
    const Tensor curvature = y.dot(step);
    if (!(number(curvature) > 1e-10)) return;
    if (static_cast<int64_t>(s.old_dirs().size()) == most) {
        s.old_dirs().pop_front();
        s.old_stps().pop_front();
        s.ro().pop_front();
    }
    s.old_dirs().push_back(y);
    s.old_stps().push_back(step);
    s.ro().push_back(1 / curvature);
    s.H_diag(curvature / y.dot(y));
}

/// Returns the product of the approximate inverse Hessian and the gradient, with the other sign:
/// the two loops of Nocedal and Wright, algorithm 7.4.
Tensor direction(const LBFGSParamState& s, const Tensor& gradient) {
    const std::size_t count = s.old_dirs().size();
    std::vector<Tensor> factors(count);
    Tensor q = -gradient;
    for (std::size_t i = count; i-- > 0;) {
        factors[i] = s.old_stps()[i].dot(q) * s.ro()[i];
        q = q - s.old_dirs()[i] * factors[i];
    }
    q = q * s.H_diag();
    for (std::size_t i = 0; i < count; ++i) {
        const Tensor factor = s.old_dirs()[i].dot(q) * s.ro()[i];
        q = q + s.old_stps()[i] * (factors[i] - factor);
    }
    return q;
}

/// Moves the parameters along the direction to a point that satisfies the Wolfe conditions.
line_point search(objective& f, const Tensor& d, const line_point& start, double first,
                  int64_t evaluations) {
    const std::vector<Tensor> before = f.values();
    const auto evaluate = [&](double t) {
        f.move(t, d);
        const Tensor loss = f.loss(), gradient = f.gradient(), slope = gradient.dot(d);
        f.set(before);
        eval({loss, gradient, slope});
        return line_point{t, number(loss), gradient, number(slope)};
    };
    line_point found = ops::strong_wolfe(evaluate, start, first, largest_of(d), evaluations);
    f.move(found.at, d);
    return found;
}

}  // namespace

void LBFGSOptions::visit(FieldVisitor& v) {
    v.field("lr", lr());
    v.field("max_iter", max_iter());
    v.field("max_eval", max_eval());
    v.field("tolerance_grad", tolerance_grad());
    v.field("tolerance_change", tolerance_change());
    v.field("history_size", history_size());
    v.field("line_search_fn", line_search_fn());
}

void LBFGSParamState::visit(FieldVisitor& v) {
    v.field("func_evals", func_evals());
    v.field("n_iter", n_iter());
    v.field("t", t());
    v.field("prev_loss", prev_loss());
    v.field("d", d());
    v.number("H_diag", H_diag());
    v.field("prev_flat_grad", prev_flat_grad());
    v.field("old_dirs", old_dirs());
    v.field("old_stps", old_stps());
    v.number("ro", ro());
}

LBFGS::LBFGS(const std::vector<OptimizerParamGroup>& param_groups, LBFGSOptions defaults)
    : Optimizer(param_groups, defaults.clone()) {
    if (param_groups_.size() != 1) LBFGS::check(*defaults_, param_groups_.size());
    LBFGS::check(param_groups_[0].options(), 1);
    for (OptimizerOptions* options : {&param_groups_[0].options(), defaults_.get()}) {
        auto& o = static_cast<LBFGSOptions&>(*options);
        if (!o.max_eval()) o.max_eval() = o.max_iter() * 5 / 4;
    }
}

void LBFGS::check(const OptimizerOptions& options, std::size_t groups) const {
    if (groups != 1)
        fail("LBFGS", "LBFGS doesn't support per-parameter options (parameter groups)",
             runtime::count_of(static_cast<int64_t>(groups), "group"), "1 group",
             "one list of all parameters");
    require_valid(options_of<LBFGSOptions>("LBFGS", options));
}

std::unique_ptr<OptimizerParamState> LBFGS::new_state() const {
    return std::make_unique<LBFGSParamState>();
}

Tensor LBFGS::state_like(const Tensor& parameter) const {
    int64_t elements = 0;
    for (const Tensor& p : param_groups_[0].params()) elements += by_parts_of(p).numel();
    return empty({elements}, by_parts_of(parameter).options());
}

Tensor LBFGS::step(LossClosure closure) {
    if (!closure)
        fail("LBFGS", "LBFGS requires a closure function", "no closure",
             "a function that computes the loss and its gradients",
             "step([&] { optimizer.zero_grad(); Tensor loss = ...; loss.backward(); return loss; "
             "})");
    const NoGradGuard unrecorded;
    const std::vector<Tensor>& parameters = param_groups_[0].params();
    objective f(closure, parameters);
    const Tensor first_loss = f.loss();
    if (parameters.empty()) return first_loss;

    const LBFGSOptions& o = options_of<LBFGSOptions>("LBFGS", param_groups_[0].options());
    const int64_t most_evaluations = o.max_eval().value_or(o.max_iter() * 5 / 4);
    LBFGSParamState& s = state_of<LBFGSParamState>(state_, parameters[0]);
    const int64_t evaluations_before = s.func_evals();
    s.func_evals(evaluations_before + 1);
    Tensor gradient = f.gradient();
    double loss = number(first_loss);
    if (largest_of(gradient) <= o.tolerance_grad()) return first_loss;

    for (int64_t iteration = 1; iteration <= o.max_iter(); ++iteration) {
        s.n_iter(s.n_iter() + 1);
        if (s.n_iter() == 1) {
            s.H_diag(ones({}, gradient.options()));
        } else {
            remember(s, gradient, o.history_size());
        }
        s.d(direction(s, gradient)).prev_flat_grad(gradient).prev_loss(loss);
        s.t(s.n_iter() == 1 ? std::min(1.0, 1.0 / number(gradient.abs().sum())) * o.lr() : o.lr());
        const double slope = number(gradient.dot(s.d()));
        if (slope > -o.tolerance_change()) break;

        if (o.line_search_fn()) {
            const line_point start{0, loss, gradient, slope};
            const line_point found =
                search(f, s.d(), start, s.t(), most_evaluations - f.evaluations());
            s.t(found.at);
            loss = found.loss;
            gradient = found.gradient;
        } else {
            f.move(s.t(), s.d());
            // The last point is not evaluated: where the loss is random, that would say little.
            if (iteration < o.max_iter()) {
                loss = number(f.loss());
                gradient = f.gradient();
            }
        }
        s.func_evals(evaluations_before + f.evaluations());
        if (iteration == o.max_iter() || f.evaluations() >= most_evaluations ||
            largest_of(gradient) <= o.tolerance_grad() ||
            largest_of(s.d() * s.t()) <= o.tolerance_change() ||
            std::abs(loss - s.prev_loss()) < o.tolerance_change())
            break;
    }
    return first_loss;
}

}  // namespace sinter::inline v1::optim
