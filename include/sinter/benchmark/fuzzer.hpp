// Random shapes, memory layouts and dtypes, for benchmarks and tests: names and meaning are those
// of torch.utils.benchmark. Part of <sinter/benchmark.hpp>.
//
//     using namespace benchmark;
//     Fuzzer fuzzer({FuzzedParameter::loguniform("m", 1, 1024), FuzzedParameter::alias("n", "m")},
//                   {FuzzedTensor("x").size({"m", "n"}), FuzzedTensor("y").size({"n"})});
//     for (const FuzzedCase& c : fuzzer.take(10)) check(c.tensor("x") + c.tensor("y"));
//
// A case is a function of the seed and of its number: it is the same on every machine, and the
// default generator of the program does not move.
#pragma once

#include <sinter/core/array_ref.hpp>
#include <sinter/core/tensor_fwd.hpp>
#include <sinter/dtype.hpp>
#include <sinter/options.hpp>
#include <sinter/tensor.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace sinter::inline v1::benchmark {

/// A number, or the name of a parameter that stands for the parameter's number. PyTorch: an int or
/// a str in FuzzedTensor's size, and torch.utils.benchmark.ParameterAlias.
class FuzzedNumber {
public:
    /// Holds a number or a name; implicit. Templates, so that 0 is no pointer.
    ///@{
    template <class I>
        requires std::is_integral_v<I>
    FuzzedNumber(I number) : number_(static_cast<int64_t>(number)) {}  // NOLINT
    template <class T>
        requires std::is_convertible_v<const T&, std::string>
    FuzzedNumber(const T& name) : is_name_(true), name_(name) {}  // NOLINT
    ///@}

    /// Returns true if this is a name.
    bool is_name() const { return is_name_; }
    /// Returns the name, empty for a number.
    const std::string& name() const { return name_; }
    /// Returns the number, 0 for a name.
    int64_t number() const { return number_; }

private:
    bool is_name_ = false;
    int64_t number_ = 0;
    std::string name_;
};

/// A value that a parameter can have, and its weight. PyTorch: an item of the dict that
/// torch.utils.benchmark.FuzzedParameter takes as distribution.
struct FuzzedChoice {
    /// Holds a number, or the name of another parameter, and how likely it is beside the others.
    template <class T>
        requires std::convertible_to<const T&, FuzzedNumber>
    FuzzedChoice(const T& v, double p = 1) : value(v), probability(p) {}  // NOLINT: implicit

    FuzzedNumber value;  ///< The number, or the parameter whose number it is.
    double probability;  ///< The weight; weights need not add up to 1.
};

/// A named integer, drawn for each case. PyTorch: torch.utils.benchmark.FuzzedParameter.
class SINTER_API FuzzedParameter {
public:
    /// Returns a parameter whose numbers from `low` to `high`, both included, are equally likely.
    /// Throws ValueError if `low` is above `high`. PyTorch: torch.utils.benchmark.FuzzedParameter
    /// with distribution="uniform".
    static FuzzedParameter uniform(std::string name, int64_t low, int64_t high);
    /// Returns a parameter from `low` to `high`, both included, whose logarithm is uniform: a
    /// number of 1 to 9 is as likely as one of 10 to 99. A real number from `low` up to `high + 1`
    /// is drawn, and rounded down, so that `high` comes too; PyTorch draws up to `high`, which
    /// almost never comes. Throws ValueError if `low` is above `high`, and for `low` below 1.
    /// PyTorch: torch.utils.benchmark.FuzzedParameter with distribution="loguniform".
    static FuzzedParameter loguniform(std::string name, int64_t low, int64_t high);
    /// Returns a parameter with one of these values: `{1, 2, 4}`, equally likely, or with weights,
    /// `{{1, 0.9}, {"n", 0.1}}`, which are divided by their sum. A name takes the number that the
    /// parameter of this name has in the case. Throws ValueError for a weight that is negative or
    /// not finite, and if none is positive. PyTorch: torch.utils.benchmark.FuzzedParameter with a
    /// dict as distribution.
    static FuzzedParameter choice(std::string name, std::vector<FuzzedChoice> choices);
    /// Returns a parameter that always has the number of parameter `of`. PyTorch:
    /// torch.utils.benchmark.ParameterAlias.
    static FuzzedParameter alias(std::string name, std::string of);

    /// Returns the name.
    const std::string& name() const { return name_; }

private:
    friend class Fuzzer;
    enum class distribution : uint8_t { uniform, loguniform, choice };
    FuzzedParameter(std::string name, distribution kind, int64_t low, int64_t high)
        : name_(std::move(name)), kind_(kind), low_(low), high_(high) {}

    std::string name_;
    distribution kind_;
    int64_t low_, high_;
    std::vector<FuzzedChoice> choices_;
};

/// How a tensor is drawn. A setter returns the object, `x.size({"m", 4})`, and `x.size()` reads.
/// Fuzzer checks what is set. PyTorch: torch.utils.benchmark.FuzzedTensor.
class SINTER_API FuzzedTensor {
public:
    /// The type of constructor(): a function of sizes and a dtype.
    using Constructor = std::function<Tensor(IntArrayRef, ScalarType)>;

    /// Names the tensor; it is a Float scalar until setters say otherwise.
    explicit FuzzedTensor(std::string name) : name_(std::move(name)) {}

    /// Returns the name.
    const std::string& name() const { return name_; }
    /// Sets or returns the sizes, each a number or the name of a parameter; none at first. PyTorch:
    /// size.
    ///@{
    FuzzedTensor& size(std::vector<FuzzedNumber> sizes) { return set(size_, std::move(sizes)); }
    const std::vector<FuzzedNumber>& size() const { return size_; }
    ///@}
    /// Sets or returns the steps of the dimensions, 1 where there is none. A tensor of size * step
    /// elements is made, and each step-th of them taken. PyTorch: steps.
    ///@{
    FuzzedTensor& steps(std::vector<FuzzedNumber> steps) { return set(steps_, std::move(steps)); }
    const std::vector<FuzzedNumber>& steps() const { return steps_; }
    ///@}
    /// Sets or returns the name of the parameter that is the number of dimensions: so many of the
    /// sizes, the first ones, are used. Empty at first: all are. PyTorch: dim_parameter.
    ///@{
    FuzzedTensor& dim_parameter(std::string name) { return set(dim_parameter_, std::move(name)); }
    const std::string& dim_parameter() const { return dim_parameter_; }
    ///@}
    /// Sets or returns how likely it is that the dimensions lie in memory in their order, 0.5 at
    /// first. Otherwise they lie in another order, drawn, before `steps` are taken. PyTorch:
    /// probability_contiguous.
    ///@{
    FuzzedTensor& probability_contiguous(double p) { return set(probability_contiguous_, p); }
    double probability_contiguous() const { return probability_contiguous_; }
    ///@}
    /// Set or return limits of the number of elements, and of the bytes of the tensor from which
    /// steps are taken; none at first. A case beyond them is drawn again. PyTorch: min_elements,
    /// max_elements, max_allocation_bytes.
    ///@{
    FuzzedTensor& min_elements(optional<int64_t> n) { return set(min_elements_, n); }
    optional<int64_t> min_elements() const { return min_elements_; }
    FuzzedTensor& max_elements(optional<int64_t> n) { return set(max_elements_, n); }
    optional<int64_t> max_elements() const { return max_elements_; }
    FuzzedTensor& max_allocation_bytes(optional<int64_t> n) { return set(max_bytes_, n); }
    optional<int64_t> max_allocation_bytes() const { return max_bytes_; }
    ///@}
    /// Sets or returns the dtypes, of which each is equally likely; Float at first. PyTorch: dtype,
    /// which is one.
    ///@{
    FuzzedTensor& dtypes(std::vector<ScalarType> dtypes) { return set(dtypes_, std::move(dtypes)); }
    const std::vector<ScalarType>& dtypes() const { return dtypes_; }
    ///@}
    /// Sets or returns the device; without one it is the default device, or that of constructor().
    /// PyTorch: cuda.
    ///@{
    FuzzedTensor& device(optional<Device> device) { return set(device_, device); }
    optional<Device> device() const { return device_; }
    ///@}
    /// Sets or returns the function that makes a tensor of these sizes and this dtype, before its
    /// dimensions are moved in memory and steps are taken. Empty at first: then the case's own
    /// generator draws floating and complex numbers in [0, 1), integers of 1 to 126, or truth
    /// values. A function that draws from another generator moves that one. PyTorch:
    /// tensor_constructor.
    ///@{
    FuzzedTensor& constructor(Constructor make) { return set(constructor_, std::move(make)); }
    const Constructor& constructor() const { return constructor_; }
    ///@}

private:
    template <class T>
    FuzzedTensor& set(T& field, T value) {
        field = std::move(value);
        return *this;
    }

    std::string name_;
    std::vector<FuzzedNumber> size_, steps_;
    std::string dim_parameter_;
    double probability_contiguous_ = 0.5;
    optional<int64_t> min_elements_, max_elements_, max_bytes_;
    std::vector<ScalarType> dtypes_{kFloat};
    optional<Device> device_;
    Constructor constructor_;
};

/// The parameters of a case: pairs of name and number, in the order in which Fuzzer got them.
/// PyTorch: the dict of parameters that torch.utils.benchmark.Fuzzer yields.
class SINTER_API FuzzedParameters {
public:
    /// Holds these pairs.
    explicit FuzzedParameters(std::vector<std::pair<std::string, int64_t>> all = {})
        : all_(std::move(all)) {}

    /// Returns the number of the parameter. Throws ValueError if none has this name.
    int64_t operator[](std::string_view name) const;
    /// Returns how many there are.
    std::size_t size() const { return all_.size(); }
    /// Iterate over the pairs.
    ///@{
    auto begin() const { return all_.begin(); }
    auto end() const { return all_.end(); }
    ///@}
    /// Returns true if names and numbers are equal.
    bool operator==(const FuzzedParameters&) const = default;

private:
    std::vector<std::pair<std::string, int64_t>> all_;
};

/// Numbers and tensors that were drawn together. PyTorch: what torch.utils.benchmark.Fuzzer yields.
class SINTER_API FuzzedCase {
public:
    /// Holds these parameters and tensors.
    FuzzedCase(FuzzedParameters parameters, std::vector<std::pair<std::string, Tensor>> tensors)
        : parameters_(std::move(parameters)), tensors_(std::move(tensors)) {}

    /// Returns the parameters, or the number of one. Throws ValueError if none has this name.
    ///@{
    const FuzzedParameters& parameters() const { return parameters_; }
    int64_t parameter(std::string_view name) const { return parameters_[name]; }
    ///@}
    /// Returns pairs of name and tensor, in the order in which Fuzzer got them, or one tensor. They
    /// are computed. Throws ValueError if none has this name.
    ///@{
    const std::vector<std::pair<std::string, Tensor>>& tensors() const { return tensors_; }
    const Tensor& tensor(std::string_view name) const;
    ///@}
    /// Returns one line: the parameters, then each tensor's dtype, sizes, strides, and whether it
    /// is contiguous.
    std::string to_string() const;

private:
    FuzzedParameters parameters_;
    std::vector<std::pair<std::string, Tensor>> tensors_;
};
/// Writes `to_string()`, without the end of a line. PyTorch: none.
SINTER_API std::ostream& operator<<(std::ostream& out, const FuzzedCase& c);

/// Draws cases: parameters, and tensors of sizes, layouts and dtypes that follow from them. The
/// numbers and values of case k depend on the seed and k only. Copies go on by themselves. PyTorch:
/// torch.utils.benchmark.Fuzzer.
class SINTER_API Fuzzer {
public:
    /// Returns whether a case may have these parameters.
    using Constraint = std::function<bool(const FuzzedParameters&)>;

    /// Draws nothing yet. Throws ValueError for a name that no parameter has, for one name of two
    /// parameters or tensors, for parameters that stand for each other in a loop, and for an empty
    /// constraint. Of a tensor: for sizes that can be negative, steps that can be below 1, more
    /// steps than sizes, numbers of dimensions that can be negative or above the number of sizes,
    /// no dtypes, and a probability outside [0, 1]. Throws NotImplementedError for dtypes that
    /// tensors cannot have.
    Fuzzer(std::vector<FuzzedParameter> parameters, std::vector<FuzzedTensor> tensors,
           std::vector<Constraint> constraints = {}, uint64_t seed = 0);

    /// Returns the first n cases, the same ones at each call. Throws ValueError for n < 0, and as
    /// next() does. PyTorch: torch.utils.benchmark.Fuzzer.take.
    std::vector<FuzzedCase> take(int64_t n);
    /// Returns the next case: the first one at the first call, whatever take() returned. Throws
    /// Error if 1,000 draws in a row break a constraint or a limit, and if a constructor() returns
    /// other sizes or another dtype. PyTorch: one step of
    /// torch.utils.benchmark.Fuzzer.take.
    FuzzedCase next();
    /// Returns case k, counted from 0; next() goes on where it was. Throws as next() does. PyTorch:
    /// none.
    FuzzedCase at(uint64_t k) const;

    /// Returns the share of the draws of next() and take() that were refused, 0 before the first.
    /// PyTorch: torch.utils.benchmark.Fuzzer.rejection_rate.
    double rejection_rate() const;
    /// Returns the seed.
    uint64_t seed() const { return seed_; }

private:
    struct Spec;
    struct Counts {
        uint64_t drawn = 0, refused = 0;
    };
    FuzzedCase draw(uint64_t k, Counts& counts) const;

    std::shared_ptr<const Spec> spec_;
    uint64_t seed_, next_ = 0;
    Counts counts_;
};

}  // namespace sinter::inline v1::benchmark
