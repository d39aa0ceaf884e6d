// Cases of a fuzzer: numbers, layouts and values from one stream for each case.
#include "ops/benchmark/fuzzer_spec.hpp"
#include "runtime/base/fail.hpp"

#include <sinter/error.hpp>
#include <sinter/functions/random.hpp>
#include <sinter/random_engines.hpp>

#include <algorithm>
#include <limits>
#include <numeric>
#include <ostream>
#include <random>
#include <string_view>

namespace sinter::inline v1::benchmark {

using runtime::fail;
using runtime::text;

/// Numbers for one case. The standard fixes what these engines give, but not its distributions or
/// the last bits of log() and exp2(): so conversions are here, of basic arithmetic only.
class FuzzStream {
public:
    FuzzStream(uint64_t seed, uint64_t k) {
        std::seed_seq words{seed & word, seed >> 32, k & word, k >> 32};
        engine_.seed(words);
    }

    uint64_t bits() { return engine_(); }
    /// Returns a number from 0 up to 1.
    double share() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
    /// Returns a number below n, or any for 0, without a bias.
    uint64_t below(uint64_t n) {
        if (n == 0) return bits();
        const uint64_t surplus = (0 - n) % n;  // 2^64 mod n
        uint64_t drawn = bits();
        while (drawn < surplus) drawn = bits();
        return drawn % n;
    }
    int64_t uniform(int64_t low, int64_t high) {
        const uint64_t first = static_cast<uint64_t>(low);
        return static_cast<int64_t>(first + below(static_cast<uint64_t>(high) - first + 1));
    }
    /// Density 1 / x from low up to high + 1: m * 2^e of low, any e as likely, and m of 1 to 2
    /// taken with probability 1 / m. Ends that are closer than a double tells have one density.
    int64_t loguniform(int64_t low, int64_t high) {
        if (high - low <= low >> 40) return uniform(low, high);
        const double from = static_cast<double>(low), end = static_cast<double>(high) + 1;
        const double width = std::min(1.0, end / from - 1);
        uint64_t octaves = 1;
        for (double reach = 2 * from; reach < end; reach *= 2) ++octaves;
        for (;;) {
            const double m = 1 + share() * width;
            const bool taken = share() * m < 1;
            const double x = from * m * static_cast<double>(uint64_t{1} << below(octaves));
            if (taken && x < end) return std::clamp(static_cast<int64_t>(x), low, high);
        }
    }
    const FuzzedNumber& choice(const std::vector<FuzzedChoice>& choices) {
        double sum = 0;
        for (const FuzzedChoice& c : choices) sum += c.probability;
        double left = share() * sum;
        const FuzzedChoice* last = nullptr;
        for (const FuzzedChoice& c : choices) {
            if (c.probability == 0) continue;
            last = &c;
            if (left < c.probability) break;
            left -= c.probability;
        }
        return last->value;
    }
    /// Returns 0 to n - 1 in another order, n > 1.
    std::vector<int64_t> other_order(int64_t n) {
        std::vector<int64_t> order(static_cast<std::size_t>(n));
        std::iota(order.begin(), order.end(), 0);
        while (std::is_sorted(order.begin(), order.end()))
            for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[below(i)]);
        return order;
    }

private:
    static constexpr uint64_t word = 0xffffffff;
    std::mt19937_64 engine_;
};

namespace {

struct shape {
    std::vector<int64_t> sizes, steps, allocation;
};

int64_t product(int64_t a, int64_t b) {
    int64_t p = 0;
    return __builtin_mul_overflow(a, b, &p) ? std::numeric_limits<int64_t>::max() : p;
}

int64_t product(int64_t first, const std::vector<int64_t>& all) {
    if (std::find(all.begin(), all.end(), 0) != all.end()) return 0;
    return std::accumulate(all.begin(), all.end(), first,
                           [](int64_t a, int64_t b) { return product(a, b); });
}

shape shape_of(const FuzzedTensor& t, const FuzzedParameters& p) {
    const auto number = [&](const FuzzedNumber& n) {
        return n.is_name() ? p[n.name()] : n.number();
    };
    const std::size_t dims = t.dim_parameter().empty()
                                 ? t.size().size()
                                 : static_cast<std::size_t>(p[t.dim_parameter()]);
    shape s;
    for (std::size_t d = 0; d < dims; ++d) {
        s.sizes.push_back(number(t.size()[d]));
        s.steps.push_back(d < t.steps().size() ? number(t.steps()[d]) : 1);
        s.allocation.push_back(product(s.sizes[d], s.steps[d]));
    }
    return s;
}

Tensor values(IntArrayRef sizes, ScalarType dtype, optional<Device> device, const Generator& g) {
    const TensorOptions options = device ? TensorOptions(dtype).device(*device) : dtype;
    if (isFloatingType(dtype) || isComplexType(dtype)) return rand(sizes, g, options);
    return dtype == kBool ? randint(0, 2, sizes, g, options) : randint(1, 127, sizes, g, options);
}

/// Returns what the user's function makes.
Tensor constructed(const FuzzedTensor& t, IntArrayRef sizes, ScalarType dtype) {
    Tensor made = t.constructor()(sizes, dtype);
    const auto refuse = [&](const std::string& got) {
        fail("Fuzzer", text("the constructor of \"", t.name(), "\" returned another tensor"), got,
             text(dtype, " of sizes ", sizes), "making it of both arguments");
    };
    if (!made.defined()) refuse("an undefined tensor");
    if (made.sizes() != sizes || made.scalar_type() != dtype)
        refuse(text(made.scalar_type(), " of sizes ", made.sizes()));
    return t.device() ? made.to(*t.device()) : made;
}

Tensor make_tensor(const FuzzedTensor& t, const shape& s, ScalarType dtype, FuzzStream& random,
                   const Generator& g) {
    Tensor made = t.constructor() ? constructed(t, s.allocation, dtype)
                                  : values(s.allocation, dtype, t.device(), g);
    const bool contiguous = random.share() < t.probability_contiguous();
    if (!contiguous && s.sizes.size() > 1) {
        const std::vector<int64_t> order = random.other_order(static_cast<int64_t>(s.sizes.size()));
        std::vector<int64_t> back(order.size());
        for (std::size_t d = 0; d < order.size(); ++d)
            back[static_cast<std::size_t>(order[d])] = static_cast<int64_t>(d);
        made = made.permute(order).contiguous().permute(back);
    }
    for (std::size_t d = 0; d < s.sizes.size(); ++d)
        if (s.steps[d] != 1)
            made = made.slice(static_cast<int64_t>(d), 0, s.allocation[d], s.steps[d]);
    made.eval();
    return made;
}

[[noreturn]] void refuse_name(const char* kind, std::string_view name, const std::string& known) {
    fail<ValueError>("FuzzedCase", text("no ", kind, " has this name"), text('"', name, '"'),
                     known.empty() ? text("no name, as there is no ", kind) : "one of " + known,
                     "a loop over all of them");
}

template <class T>
const T& named(const std::vector<std::pair<std::string, T>>& all, const char* kind,
               std::string_view name) {
    std::string known;
    for (const auto& [key, value] : all) {
        if (key == name) return value;
        known += (known.empty() ? "\"" : ", \"") + key + '"';
    }
    refuse_name(kind, name, known);
}

}  // namespace

// ---- cases

int64_t FuzzedParameters::operator[](std::string_view name) const {
    return named(all_, "parameter", name);
}

const Tensor& FuzzedCase::tensor(std::string_view name) const {
    return named(tensors_, "tensor", name);
}

std::string FuzzedCase::to_string() const {
    std::string all;
    for (const auto& [name, number] : parameters_)
        all += text(all.empty() ? "" : ", ", name, "=", number);
    for (const auto& [name, t] : tensors_)
        all +=
            text(all.empty() ? "" : "; ", name, ": ", t.scalar_type(), " ", t.sizes(), " strides ",
                 t.strides(), t.is_contiguous() ? " contiguous" : " not contiguous");
    return all;
}

std::ostream& operator<<(std::ostream& out, const FuzzedCase& c) { return out << c.to_string(); }

// ---- draws

FuzzedParameters Fuzzer::Spec::draw_parameters(FuzzStream& random) const {
    using distribution = FuzzedParameter::distribution;
    std::vector<FuzzedNumber> drawn;
    for (const FuzzedParameter& p : parameters) {
        if (p.kind_ == distribution::uniform)
            drawn.emplace_back(random.uniform(p.low_, p.high_));
        else if (p.kind_ == distribution::loguniform)
            drawn.emplace_back(random.loguniform(p.low_, p.high_));
        else
            drawn.push_back(random.choice(p.choices_));
    }
    std::vector<std::pair<std::string, int64_t>> numbers;
    for (std::size_t i = 0; i < drawn.size(); ++i) {
        std::size_t at = i;
        while (drawn[at].is_name()) at = index_of(drawn[at].name());
        numbers.emplace_back(parameters[i].name(), drawn[at].number());
    }
    return FuzzedParameters(std::move(numbers));
}

std::size_t Fuzzer::Spec::refusing(const FuzzedParameters& p,
                                   const std::vector<ScalarType>& dtypes) const {
    std::size_t rule = 0;
    for (const Constraint& keeps : constraints) {
        if (!keeps(p)) return rule;
        ++rule;
    }
    for (std::size_t i = 0; i < tensors.size(); ++i, rule += limits) {
        const FuzzedTensor& t = tensors[i];
        const shape s = shape_of(t, p);
        const int64_t elements = product(1, s.sizes);
        const auto item = static_cast<int64_t>(elementSize(dtypes[i]));
        if (t.min_elements() && elements < *t.min_elements()) return rule;
        if (t.max_elements() && elements > *t.max_elements()) return rule + 1;
        if (t.max_allocation_bytes() && product(item, s.allocation) > *t.max_allocation_bytes())
            return rule + 2;
    }
    return rule;
}

std::string Fuzzer::Spec::rule_text(std::size_t rule) const {
    if (rule < constraints.size()) return text("constraint ", rule);
    static constexpr const char* names[limits] = {"min_elements", "max_elements",
                                                  "max_allocation_bytes"};
    rule -= constraints.size();
    return text(names[rule % limits], " of \"", tensors[rule / limits].name(), '"');
}

FuzzedCase Fuzzer::draw(uint64_t k, Counts& counts) const {
    constexpr int most = 1000;
    FuzzStream random(seed_, k);
    std::vector<int> refused(spec_->rules());
    std::vector<ScalarType> dtypes(spec_->tensors.size());
    for (int tried = 0; tried < most; ++tried) {
        FuzzedParameters parameters = spec_->draw_parameters(random);
        for (std::size_t i = 0; i < dtypes.size(); ++i) {
            const std::vector<ScalarType>& among = spec_->tensors[i].dtypes();
            dtypes[i] = among[random.below(among.size())];
        }
        ++counts.drawn;
        const std::size_t rule = spec_->refusing(parameters, dtypes);
        if (rule < refused.size()) {
            ++counts.refused;
            ++refused[rule];
            continue;
        }
        // Not the default generator, whatever its algorithm: the values are the case's own.
        const Generator g = make_generator<PhiloxGeneratorImpl>(random.bits());
        std::vector<std::pair<std::string, Tensor>> tensors;
        for (std::size_t i = 0; i < dtypes.size(); ++i) {
            const FuzzedTensor& t = spec_->tensors[i];
            tensors.emplace_back(t.name(),
                                 make_tensor(t, shape_of(t, parameters), dtypes[i], random, g));
        }
        return {std::move(parameters), std::move(tensors)};
    }
    const auto worst = std::max_element(refused.begin(), refused.end());
    const auto rule = static_cast<std::size_t>(worst - refused.begin());
    fail("Fuzzer", text(most, " draws in a row were refused, most by ", spec_->rule_text(rule)),
         text(*worst, " refusals by it"), "parameters that keep all constraints and limits",
         "narrower ranges of parameters, or wider limits");
}

Fuzzer::Fuzzer(std::vector<FuzzedParameter> parameters, std::vector<FuzzedTensor> tensors,
               std::vector<Constraint> constraints, uint64_t seed)
    : seed_(seed) {
    Spec spec{std::move(parameters), std::move(tensors), std::move(constraints)};
    spec.check();
    spec_ = std::make_shared<const Spec>(std::move(spec));
}

std::vector<FuzzedCase> Fuzzer::take(int64_t n) {
    if (n < 0)
        fail<ValueError>("Fuzzer", "the number of cases is negative", text(n), "0 or more",
                         "next() for one case");
    std::vector<FuzzedCase> cases;
    for (uint64_t k = 0; k < static_cast<uint64_t>(n); ++k) cases.push_back(draw(k, counts_));
    return cases;
}

FuzzedCase Fuzzer::next() {
    FuzzedCase drawn = draw(next_, counts_);
    ++next_;
    return drawn;
}

FuzzedCase Fuzzer::at(uint64_t k) const {
    Counts uncounted;
    return draw(k, uncounted);
}

double Fuzzer::rejection_rate() const {
    if (counts_.drawn == 0) return 0;
    return static_cast<double>(counts_.refused) / static_cast<double>(counts_.drawn);
}

}  // namespace sinter::inline v1::benchmark
