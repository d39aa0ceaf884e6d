// What parameters and tensors of a fuzzer must keep, found before anything is drawn.
#include "ops/benchmark/fuzzer_spec.hpp"
#include "runtime/base/fail.hpp"
#include "runtime/types/number_checks.hpp"

#include <algorithm>
#include <cmath>

namespace sinter::inline v1::benchmark {

using runtime::fail;
using runtime::text;

namespace {

std::string in_quotes(std::string_view name) { return text('"', name, '"'); }

template <class T>
bool have(const std::vector<T>& all, const std::string& name) {
    return std::any_of(all.begin(), all.end(), [&](const T& one) { return one.name() == name; });
}

void require_order(int64_t low, int64_t high) {
    if (low > high)
        fail<ValueError>("FuzzedParameter", "the lower end is above the upper one",
                         text(low, " and ", high), "low <= high", "exchanging them");
}

void require_once(std::vector<std::string> names) {
    std::sort(names.begin(), names.end());
    const auto twice = std::adjacent_find(names.begin(), names.end());
    if (twice != names.end())
        fail<ValueError>("Fuzzer", "two parameters or tensors have one name", in_quotes(*twice),
                         "a name of its own for each", "a number at the end of the name");
}

}  // namespace

FuzzedParameter FuzzedParameter::uniform(std::string name, int64_t low, int64_t high) {
    require_order(low, high);
    return {std::move(name), distribution::uniform, low, high};
}

FuzzedParameter FuzzedParameter::loguniform(std::string name, int64_t low, int64_t high) {
    require_order(low, high);
    if (low < 1)
        fail<ValueError>("FuzzedParameter", "the lower end has no logarithm", text(low),
                         "1 or more", "uniform(), or a choice() for 0");
    return {std::move(name), distribution::loguniform, low, high};
}

FuzzedParameter FuzzedParameter::choice(std::string name, std::vector<FuzzedChoice> choices) {
    double sum = 0;
    for (const FuzzedChoice& c : choices) {
        if (!(c.probability >= 0) || std::isinf(c.probability))
            fail<ValueError>("FuzzedParameter", "a probability is negative or not finite",
                             text(c.probability), "0 or more",
                             "weights in proportion; they are divided by their sum");
        sum += c.probability;
    }
    if (!(sum > 0) || std::isinf(sum))
        fail<ValueError>("FuzzedParameter", "the probabilities cannot be normalized",
                         text(sum, " as sum of ", choices.size()), "a positive, finite sum",
                         "a list without weights");
    FuzzedParameter p(std::move(name), distribution::choice, 0, 0);
    p.choices_ = std::move(choices);
    return p;
}

FuzzedParameter FuzzedParameter::alias(std::string name, std::string of) {
    return choice(std::move(name), {FuzzedChoice(std::move(of))});
}

void Fuzzer::Spec::check() {
    std::vector<std::string> names;
    for (const FuzzedParameter& p : parameters) names.push_back(p.name());
    for (const FuzzedTensor& t : tensors) names.push_back(t.name());
    require_once(std::move(names));
    for (const FuzzedParameter& p : parameters)
        for (const FuzzedChoice& c : p.choices_) require_known(c.value, "parameter", p.name());
    find_ranges();
    for (const FuzzedTensor& t : tensors) check(t);
    if (std::any_of(constraints.begin(), constraints.end(), [](const auto& c) { return !c; }))
        fail<ValueError>("Fuzzer", "a constraint is empty", "a std::function without a target",
                         "a function of the parameters", "leaving it out");
}

void Fuzzer::Spec::require_known(const FuzzedNumber& n, const char* kind,
                                 const std::string& of) const {
    if (!n.is_name() || have(parameters, n.name())) return;
    std::string known;
    for (const FuzzedParameter& p : parameters)
        known += (known.empty() ? "one of " : ", ") + in_quotes(p.name());
    fail<ValueError>("Fuzzer", text(kind, " ", in_quotes(of), " names an unknown parameter"),
                     in_quotes(n.name()),
                     known.empty() ? "no name, as there is no parameter" : known,
                     "a FuzzedParameter of this name");
}

void Fuzzer::Spec::refuse_loop(std::size_t from,
                               const std::function<bool(const FuzzedChoice&)>& is_open) const {
    const auto next = [&](std::size_t i) {
        const std::vector<FuzzedChoice>& all = parameters[i].choices_;
        return index_of(std::find_if(all.begin(), all.end(), is_open)->value.name());
    };
    // So many steps end within the loop, wherever they begin.
    for (std::size_t i = 0; i < parameters.size(); ++i) from = next(from);
    std::string loop = in_quotes(parameters[from].name());
    std::size_t at = from;
    do {
        at = next(at);
        loop += " for " + in_quotes(parameters[at].name());
    } while (at != from);
    fail<ValueError>("Fuzzer", "parameters stand for each other in a loop", loop,
                     "names that lead to a number", "uniform() for one of them");
}

void Fuzzer::Spec::find_ranges() {
    // Round by round, those that stand for no one whose range is open; a loop never closes.
    std::vector<std::size_t> open(parameters.size());
    for (std::size_t i = 0; i < open.size(); ++i) open[i] = i;
    ranges.resize(parameters.size());
    const auto is_open = [&](const FuzzedChoice& c) {
        return c.value.is_name() && std::any_of(open.begin(), open.end(), [&](std::size_t i) {
                   return parameters[i].name() == c.value.name();
               });
    };
    while (!open.empty()) {
        std::vector<std::size_t> still;
        for (const std::size_t i : open) {
            const FuzzedParameter& p = parameters[i];
            if (std::any_of(p.choices_.begin(), p.choices_.end(), is_open)) {
                still.push_back(i);
                continue;
            }
            ranges[i] = {p.low_, p.high_};
            if (p.kind_ != FuzzedParameter::distribution::choice) continue;
            ranges[i] = {INT64_MAX, INT64_MIN};
            for (const FuzzedChoice& c : p.choices_) {
                if (c.probability == 0) continue;
                const range r = range_of(c.value);
                ranges[i] = {std::min(ranges[i].low, r.low), std::max(ranges[i].high, r.high)};
            }
        }
        if (still.size() == open.size()) refuse_loop(still[0], is_open);
        open = std::move(still);
    }
}

std::size_t Fuzzer::Spec::index_of(const std::string& name) const {
    const auto found = std::find_if(parameters.begin(), parameters.end(),
                                    [&](const FuzzedParameter& p) { return p.name() == name; });
    return static_cast<std::size_t>(found - parameters.begin());
}

Fuzzer::Spec::range Fuzzer::Spec::range_of(const FuzzedNumber& n) const {
    return n.is_name() ? ranges[index_of(n.name())] : range{n.number(), n.number()};
}

void Fuzzer::Spec::check(const FuzzedTensor& t) const {
    const auto refuse = [&](const char* what, const std::string& got, const std::string& expected,
                            const char* remedy) {
        fail<ValueError>("Fuzzer", text("tensor ", in_quotes(t.name()), " ", what), got, expected,
                         remedy);
    };
    const auto least = [&](const FuzzedNumber& n) {
        const int64_t low = range_of(n).low;
        return n.is_name() ? text(low, " as the least ", in_quotes(n.name())) : text(low);
    };
    for (const FuzzedNumber& n : t.size()) {
        require_known(n, "tensor", t.name());
        if (range_of(n).low < 0)
            refuse("has a negative size", least(n), "0 or more", "uniform() from 0");
    }
    for (const FuzzedNumber& n : t.steps()) {
        require_known(n, "tensor", t.name());
        if (range_of(n).low < 1)
            refuse("has a step that is not positive", least(n), "1 or more", "1 for every element");
    }
    const auto count = static_cast<int64_t>(t.size().size());
    if (t.steps().size() > t.size().size())
        refuse("has more steps than sizes", text(t.steps().size(), " and ", count),
               text(count, " or fewer"), "a step for each size");
    if (!t.dim_parameter().empty()) {
        require_known(t.dim_parameter(), "tensor", t.name());
        const range r = range_of(t.dim_parameter());
        if (r.low < 0 || r.high > count)
            refuse("has a number of dimensions out of range",
                   text(r.low, " to ", r.high, " as ", in_quotes(t.dim_parameter())),
                   text("0 to ", count), "a size for each dimension that can be");
    }
    if (!(t.probability_contiguous() >= 0 && t.probability_contiguous() <= 1))
        refuse("has a probability out of range", text(t.probability_contiguous()), "0 to 1",
               "0.5, the default");
    if (t.dtypes().empty())
        refuse("has no dtypes", "an empty list", "at least one dtype", "{kFloat}, the default");
    for (const ScalarType dtype : t.dtypes()) runtime::require_dtype("Fuzzer", dtype);
}

}  // namespace sinter::inline v1::benchmark
