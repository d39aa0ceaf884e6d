// What a fuzzer draws from: checked, and the same for all its copies.
#pragma once

#include <sinter/benchmark/fuzzer.hpp>

namespace sinter::inline v1::benchmark {

class FuzzStream;

struct Fuzzer::Spec {
    std::vector<FuzzedParameter> parameters;
    std::vector<FuzzedTensor> tensors;
    std::vector<Constraint> constraints;

    struct range {
        int64_t low = 0, high = 0;
    };
    /// The numbers that each parameter can have.
    std::vector<range> ranges = {};

    /// Throws for mistakes, and finds the ranges.
    void check();
    /// Returns the place of the parameter of this name, which there is.
    std::size_t index_of(const std::string& name) const;

    /// Returns numbers for all parameters, without a look at constraints.
    FuzzedParameters draw_parameters(FuzzStream& random) const;
    /// Returns the first rule that refuses such a case, or the number of rules: the constraints,
    /// then `limits` for each tensor.
    std::size_t refusing(const FuzzedParameters& parameters,
                         const std::vector<ScalarType>& dtypes) const;
    static constexpr std::size_t limits = 3;
    std::size_t rules() const { return constraints.size() + limits * tensors.size(); }
    /// Returns the words for a rule in an error.
    std::string rule_text(std::size_t rule) const;

private:
    void check(const FuzzedTensor& t) const;
    void require_known(const FuzzedNumber& n, const char* kind, const std::string& of) const;
    void find_ranges();
    [[noreturn]] void refuse_loop(std::size_t from,
                                  const std::function<bool(const FuzzedChoice&)>& is_open) const;
    range range_of(const FuzzedNumber& n) const;
};

}  // namespace sinter::inline v1::benchmark
