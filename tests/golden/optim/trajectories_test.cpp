// Optimisers beside PyTorch's (trajectories.py): each line is a run, made again.
#include <sinter/optim.hpp>
#include <sinter/sinter.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

namespace sinter::golden {
namespace {

using options_map = std::map<std::string, std::string>;

std::vector<std::string> split(const std::string& text, const std::string& by) {
    std::vector<std::string> parts;
    std::size_t at = 0;
    for (std::size_t next; (next = text.find(by, at)) != std::string::npos; at = next + by.size())
        parts.push_back(text.substr(at, next - at));
    parts.push_back(text.substr(at));
    return parts;
}

/// Sets options by name, as a program does by their setters.
template <class Options>
void set(Options& o, const options_map& values) {
    const auto number = [](const std::string& s) { return std::strtod(s.c_str(), nullptr); };
    for (const auto& [name, text] : values) {
        if (name == "lr") o.lr(number(text));
        if constexpr (requires { o.weight_decay(); })
            if (name == "weight_decay") o.weight_decay(number(text));
        if constexpr (requires { o.momentum(); }) {
            if (name == "momentum") o.momentum(number(text));
            if (name == "dampening") o.dampening(number(text));
            if (name == "nesterov") o.nesterov(text == "1");
        }
        if constexpr (requires { o.betas(); }) {
            const std::size_t comma = text.find(',');
            if (name == "betas") o.betas({number(text), number(text.substr(comma + 1))});
            if (name == "eps") o.eps(number(text));
            if (name == "amsgrad") o.amsgrad(text == "1");
        }
        if constexpr (requires { o.max_iter(); }) {
            if (name == "max_iter") o.max_iter(std::stoll(text));
            if (name == "max_eval") o.max_eval(std::stoll(text));
            if (name == "history_size") o.history_size(std::stoll(text));
            if (name == "tolerance_grad") o.tolerance_grad(number(text));
            if (name == "tolerance_change") o.tolerance_change(number(text));
            if (name == "line_search_fn") o.line_search_fn(text);
        }
    }
}

template <class Optimizer, class Options>
std::unique_ptr<optim::Optimizer> made(const std::vector<Tensor>& parameters, Options defaults,
                                       const options_map& first, const options_map* second) {
    Options own = defaults;
    set(defaults, first);
    if (!second) return std::make_unique<Optimizer>(parameters, defaults);
    set(own, *second);
    std::vector<optim::OptimizerParamGroup> groups;
    groups.emplace_back(std::vector<Tensor>(parameters.begin(), parameters.begin() + 2));
    groups.emplace_back(std::vector<Tensor>(parameters.begin() + 2, parameters.end()),
                        std::make_unique<Options>(own));
    return std::make_unique<Optimizer>(groups, defaults);
}

/// A line of the file.
struct trajectory {
    std::string optimizer, problem;
    ScalarType dtype = kFloat;
    options_map first, second;
    bool two_groups = false;
    std::vector<std::vector<double>> steps;
};

options_map options_of(const std::string& text) {
    options_map found;
    std::istringstream words(text);
    for (std::string word; words >> word;) {
        const std::size_t at = word.find('=');
        found[word.substr(0, at)] = word.substr(at + 1);
    }
    return found;
}

trajectory parsed(const std::string& line) {
    trajectory t;
    const std::size_t colon = line.find(" : ");
    const std::vector<std::string> groups = split(line.substr(0, colon), " | ");
    std::istringstream words(groups[0]);
    std::string dtype, rest;
    words >> t.optimizer >> dtype >> t.problem;
    std::getline(words, rest);
    t.first = options_of(rest);
    t.two_groups = groups.size() > 1;
    if (t.two_groups) t.second = options_of(groups[1]);
    t.dtype = dtype == "f32" ? kFloat : dtype == "f64" ? kDouble : kComplexDouble;
    for (const std::string& step : split(line.substr(colon + 3), " | ")) {
        std::istringstream values(step);
        t.steps.emplace_back();
        for (double v; values >> v;) t.steps.back().push_back(v);
    }
    return t;
}

std::unique_ptr<optim::Optimizer> made(const trajectory& t, const std::vector<Tensor>& p) {
    const options_map* second = t.two_groups ? &t.second : nullptr;
    if (t.optimizer == "SGD")
        return made<optim::SGD>(
            p,
            optim::SGDOptions(
                std::strtod((t.second.count("lr") ? t.second : t.first).at("lr").c_str(), nullptr)),
            t.first, second);
    if (t.optimizer == "Adam") return made<optim::Adam>(p, optim::AdamOptions(), t.first, second);
    if (t.optimizer == "AdamW")
        return made<optim::AdamW>(p, optim::AdamWOptions(), t.first, second);
    return made<optim::LBFGS>(p, optim::LBFGSOptions(), t.first, second);
}

Tensor fractions(int64_t count, int64_t seed, ScalarType dtype) {
    const bool complex = isComplexType(dtype);
    const Tensor i = arange(complex ? 2 * count : count, kLong);
    const Tensor real = ((i * 7 + seed).remainder(17) - 8).to(kDouble) / 8;
    return complex ? view_as_complex(real.view({count, 2})).to(dtype) : real.to(dtype);
}

std::vector<Tensor> start(const trajectory& t) {
    std::vector<std::vector<int64_t>> shapes = {{2, 3}, {4}, {}, {1, 2}};
    if (t.problem == "valley") shapes = {{2}, {2, 1}};
    if (t.problem == "line") shapes = {{3}, {}};
    std::vector<Tensor> found;
    for (std::size_t k = 0; k < shapes.size(); ++k) {
        const int64_t count = zeros(shapes[k]).numel();
        found.push_back(fractions(count, 3 * static_cast<int64_t>(k) + 1, t.dtype)
                            .view(shapes[k])
                            .clone()
                            .requires_grad_());
    }
    return found;
}

void give_gradients(const std::vector<Tensor>& parameters, int64_t step) {
    for (std::size_t k = 0; k < parameters.size(); ++k) {
        const Tensor& p = parameters[k];
        p.mutable_grad().reset();
        if (k == 3 || (k == 1 && step == 2)) continue;
        const int64_t seed = 13 * step + 5 * static_cast<int64_t>(k);
        p.mutable_grad() = fractions(p.numel(), seed, p.scalar_type()).view(p.sizes()) / (1 + step);
    }
}

Tensor loss_of(const std::string& problem, const Tensor& a, const Tensor& b) {
    if (problem == "valley")
        return (100 * (b.view({-1}) - a * a).square() + (1 - a).square()).sum();
    const Tensor x = fractions(18, 2, a.scalar_type()).view({6, 3});
    const Tensor y = fractions(6, 5, a.scalar_type());
    return (mv(x, a) + b - y).square().mean();
}

std::vector<double> numbers(const std::vector<Tensor>& parameters) {
    std::vector<double> found;
    for (const Tensor& p : parameters) {
        const Tensor d = p.detach();
        const Tensor row =
            (d.is_complex() ? view_as_real(d) : d).to(kDouble).flatten().contiguous();
        const double* at = row.const_data_ptr<double>();
        found.insert(found.end(), at, at + row.numel());
    }
    return found;
}

/// Formulas and their order are PyTorch's, so differences come from products and sums that its
/// compiler contracted: the largest is 2 units of rounding (2^-24 in Float) of the larger of 1 and
/// the value. LBFGS divides by differences of gradients, and each of up to 60 iterations takes over
/// the errors of those before. In Float a loss does not tell apart points near the minimum that
/// differ by the root of its unit.
double bound_of(const trajectory& t) {
    if (t.optimizer == "LBFGS") return t.dtype == kFloat ? 2e-4 : 1e-12;
    return 3 * std::ldexp(1, t.dtype == kFloat ? -24 : -53);
}

}  // namespace

TEST_CASE("optimizers go where PyTorch's go" * doctest::test_suite("host")) {
    std::ifstream file(SINTER_GOLDENS "/optim/trajectories.txt");
    REQUIRE(file.is_open());
    int runs = 0;
    for (std::string line; std::getline(file, line);) {
        if (line.empty() || line[0] == '#') continue;
        CAPTURE(line.substr(0, line.find(" : ")));
        const trajectory t = parsed(line);
        const std::vector<Tensor> parameters = start(t);
        const std::unique_ptr<optim::Optimizer> optimizer = made(t, parameters);
        ++runs;
        for (std::size_t step = 0; step < t.steps.size(); ++step) {
            CAPTURE(step);
            Tensor loss;
            if (t.problem == "given") {
                give_gradients(parameters, static_cast<int64_t>(step));
                optimizer->step();
            } else {
                loss = optimizer->step([&] {
                    optimizer->zero_grad();
                    Tensor l = loss_of(t.problem, parameters[0], parameters[1]);
                    l.backward();
                    return l;
                });
            }
            std::vector<double> values = numbers(parameters);
            if (t.optimizer == "LBFGS") {
                values.push_back(loss.item<double>());
                const auto& state = static_cast<const optim::LBFGSParamState&>(
                    *optimizer->state().at(parameters[0].unsafeGetTensorImpl()));
                values.push_back(static_cast<double>(state.func_evals()));
            }
            std::vector<double> expected = t.steps[step];
            REQUIRE(!expected.empty());
            // Near the minimum, rounding decides in Float where a line search ends.
            if (t.dtype == kFloat && t.first.count("line_search_fn"))
                expected.back() = values.back();
            REQUIRE(values.size() == expected.size());
            for (std::size_t i = 0; i < values.size(); ++i) {
                CAPTURE(i);
                CAPTURE(values[i]);
                CAPTURE(expected[i]);
                CHECK(std::abs(values[i] - expected[i]) <=
                      bound_of(t) * std::max(1.0, std::abs(expected[i])));
            }
        }
    }
    CHECK(runs >= 110);
}

}  // namespace sinter::golden
