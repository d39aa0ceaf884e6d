#include "ops/autograd/forward.hpp"
#include "ops/common/op_checks.hpp"

#include <sinter/autograd.hpp>
#include <sinter/functions/functions.hpp>
#include <sinter/functions/pointwise.hpp>

#include <algorithm>
#include <cmath>

namespace sinter::inline v1::autograd {
namespace {

/// The real numbers of a tensor: of a complex one, both parts of each element.
std::vector<double> numbers_of(const Tensor& t) {
    const Tensor plain = t.detach().cpu();
    const Tensor flat = (plain.is_complex() ? view_as_real(plain) : plain).to(kDouble).flatten();
    const Tensor dense = flat.contiguous();
    const double* at = dense.const_data_ptr<double>();
    return {at, at + dense.numel()};
}

std::vector<double> numbers_of(const variable_list& all) {
    std::vector<double> numbers;
    for (const Tensor& t : all) {
        if (!t.defined() || !(t.is_floating_point() || t.is_complex())) continue;
        const std::vector<double> own = numbers_of(t);
        numbers.insert(numbers.end(), own.begin(), own.end());
    }
    return numbers;
}

/// A tensor of zeros like t with 1 as its number `at`.
Tensor unit(const Tensor& t, int64_t at) {
    const Tensor e = zeros(t.sizes(), t.options());
    (t.is_complex() ? view_as_real(e) : e).view({-1})[at].fill_(1);
    return e;
}

int64_t count_of(const Tensor& t) { return t.numel() * (t.is_complex() ? 2 : 1); }

class checker {
public:
    checker(const checked_function& f, const variable_list& inputs, double eps)
        : f_(f), inputs_(inputs), eps_(eps) {}

    /// Returns the derivatives of all numbers of the outputs by one number of an input.
    std::vector<double> differences(std::size_t input, int64_t at) const {
        NoGradGuard plain;
        variable_list moved = inputs_;
        const Tensor& x = inputs_[input];
        const Tensor step = unit(x.detach(), at) * eps_;
        moved[input] = Tensor(x.detach() + step).eval();
        std::vector<double> up = numbers_of(f_(moved));
        moved[input] = Tensor(x.detach() - step).eval();
        const std::vector<double> down = numbers_of(f_(moved));
        for (std::size_t i = 0; i < up.size(); ++i) up[i] = (up[i] - down[i]) / (2 * eps_);
        return up;
    }

    /// Returns, for each number of the outputs, its derivatives by all numbers of the inputs that
    /// require a gradient.
    std::vector<std::vector<double>> gradients() const {
        variable_list wanted;
        for (const Tensor& x : inputs_)
            if (x.requires_grad()) wanted.push_back(x);
        const variable_list outputs = f_(inputs_);
        std::vector<std::vector<double>> rows;
        for (const Tensor& y : outputs) {
            if (!y.defined() || !(y.is_floating_point() || y.is_complex())) continue;
            for (int64_t i = 0; i < count_of(y); ++i) {
                if (!y.requires_grad()) {
                    rows.emplace_back();
                    for (const Tensor& x : wanted)
                        rows.back().resize(rows.back().size() +
                                           static_cast<std::size_t>(count_of(x)));
                    continue;
                }
                variable_list g = grad({y}, wanted, {unit(y.detach(), i)}, true, false, true);
                for (std::size_t k = 0; k < g.size(); ++k)
                    if (!g[k].defined()) g[k] = zeros_like(wanted[k].detach());
                rows.push_back(numbers_of(g));
            }
        }
        return rows;
    }

    /// Returns the same as gradients(), in forward mode: along one direction after the other, or
    /// along all at once.
    std::vector<std::vector<double>> tangents(bool batched) const {
        const variable_list outputs = f_(inputs_);
        std::vector<Edge> roots;
        for (const Tensor& y : outputs)
            roots.push_back(y.defined() ? gradient_edge(ops::body("gradcheck", y)) : Edge{});
        std::vector<std::vector<double>> columns;
        for (const Tensor& x : inputs_) {
            if (!x.defined() || !x.requires_grad()) continue;
            const std::vector<Edge> varied{gradient_edge(ops::body("gradcheck", x))};
            std::vector<Tensor> units;
            for (int64_t at = 0; at < count_of(x); ++at) units.push_back(unit(x.detach(), at));
            if (batched && !units.empty()) {
                const variable_list all =
                    run_forward(roots, varied, {stack(units)}, {.batched = true});
                for (int64_t at = 0; at < count_of(x); ++at)
                    columns.push_back(column(outputs, all, at));
                continue;
            }
            for (const Tensor& e : units)
                columns.push_back(column(outputs, run_forward(roots, varied, {e}, {}), nullopt));
        }
        std::vector<std::vector<double>> rows(columns.empty() ? 0 : columns[0].size());
        for (const std::vector<double>& c : columns)
            for (std::size_t i = 0; i < rows.size(); ++i) rows[i].push_back(c[i]);
        return rows;
    }

private:
    /// Returns the derivatives of all numbers of the outputs along a direction.
    static std::vector<double> column(const variable_list& outputs, const variable_list& tangents,
                                      optional<int64_t> which) {
        variable_list all;
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            all.push_back(outputs[i].defined() ? zeros_like(outputs[i].detach()) : Tensor());
            if (tangents[i].defined()) all[i] = which ? tangents[i].select(0, *which) : tangents[i];
        }
        return numbers_of(all);
    }

    const checked_function& f_;
    const variable_list& inputs_;
    double eps_;
};

}  // namespace

bool gradcheck(const checked_function& f, const variable_list& inputs, double eps, double atol,
               double rtol, bool raise_exception, bool check_forward_ad,
               bool check_batched_forward_grad) {
    const checker c(f, inputs, eps);
    struct derivatives {
        const char* differs;
        std::vector<std::vector<double>> rows;
    };
    std::vector<derivatives> all{{"a gradient differs from the finite difference", c.gradients()}};
    if (check_forward_ad)
        all.push_back(
            {"a derivative in forward mode differs from the finite difference", c.tangents(false)});
    if (check_batched_forward_grad)
        all.push_back(
            {"a derivative in forward mode, of several at once, differs from the finite "
             "difference",
             c.tangents(true)});
    std::size_t column = 0;
    for (std::size_t input = 0; input < inputs.size(); ++input) {
        const Tensor& x = inputs[input];
        if (!x.defined() || !x.requires_grad()) continue;
        for (int64_t at = 0; at < count_of(x); ++at, ++column) {
            const std::vector<double> numeric = c.differences(input, at);
            for (const derivatives& d : all)
                for (std::size_t i = 0; i < d.rows.size(); ++i) {
                    const double a = d.rows[i][column], n = numeric.at(i);
                    if (std::abs(a - n) <= atol + rtol * std::abs(n)) continue;
                    if (!raise_exception) return false;
                    runtime::fail("gradcheck", d.differs,
                                  runtime::text(a, " of output number ", i, " by number ", at,
                                                " of input ", input),
                                  runtime::text(n), "a larger atol, or another formula");
                }
        }
    }
    return true;
}

bool gradgradcheck(const checked_function& f, const variable_list& inputs,
                   const variable_list& grad_outputs, double eps, double atol, double rtol,
                   bool raise_exception, bool check_fwd_over_rev) {
    variable_list all = inputs;
    std::vector<bool> is_output;
    std::size_t next = 0;
    for (const Tensor& y : f(inputs)) {
        is_output.push_back(y.defined() && y.requires_grad());
        if (!is_output.back()) continue;
        const Tensor g = next < grad_outputs.size() ? grad_outputs[next]
                                                    : randn(y.sizes(), y.detach().options());
        all.push_back(g.detach().eval().requires_grad_());
        ++next;
    }
    const checked_function gradients = [&](const variable_list& at) {
        // What is not varied must be a leaf of this call alone.
        AutoGradMode recorded(true);
        variable_list wanted(at.begin(), at.begin() + static_cast<int64_t>(inputs.size()));
        for (std::size_t i = 0; i < wanted.size(); ++i)
            if (inputs[i].defined() && inputs[i].requires_grad() && !wanted[i].requires_grad())
                wanted[i] = wanted[i].detach().requires_grad_();
        const variable_list y = f(wanted);
        variable_list outputs, given, to;
        std::size_t g = inputs.size();
        for (std::size_t i = 0; i < y.size(); ++i)
            if (is_output[i]) {
                outputs.push_back(y[i]);
                given.push_back(at[g++]);
            }
        for (std::size_t i = 0; i < wanted.size(); ++i)
            if (inputs[i].defined() && inputs[i].requires_grad()) to.push_back(wanted[i]);
        variable_list found = grad(outputs, to, given, true, true, true);
        for (std::size_t i = 0; i < found.size(); ++i)
            if (!found[i].defined()) found[i] = zeros_like(to[i].detach());
        return found;
    };
    return gradcheck(gradients, all, eps, atol, rtol, raise_exception, check_fwd_over_rev);
}

}  // namespace sinter::inline v1::autograd
