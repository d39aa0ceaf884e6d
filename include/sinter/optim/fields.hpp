// Options and states of optimisers: structs with named fields.
#pragma once

#include <sinter/tensor.hpp>

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace sinter::inline v1::optim {

/// Goes through the fields of options or of a state, by name: to save, load or copy them.
class SINTER_API FieldVisitor {
public:
    /// Nothing to do.
    virtual ~FieldVisitor() = default;
    /// Called for each field.
    ///@{
    virtual void field(const char* name, double& value) = 0;
    virtual void field(const char* name, int64_t& value) = 0;
    virtual void field(const char* name, bool& value) = 0;
    virtual void field(const char* name, std::tuple<double, double>& value) = 0;
    virtual void field(const char* name, std::optional<int64_t>& value) = 0;
    virtual void field(const char* name, std::optional<std::string>& value) = 0;
    ///@}
    /// Called for a tensor that belongs to each element of a parameter, undefined or of the
    /// parameter's sizes, and for a list of such tensors.
    ///@{
    virtual void field(const char* name, Tensor& value) = 0;
    virtual void field(const char* name, std::deque<Tensor>& value) = 0;
    ///@}
    /// Called for a 0-d tensor, or a list of them.
    ///@{
    virtual void number(const char* name, Tensor& value) = 0;
    virtual void number(const char* name, std::deque<Tensor>& value) = 0;
    ///@}
};

/// What an optimiser keeps of a parameter from step to step. libtorch:
/// torch::optim::OptimizerParamState.
class SINTER_API OptimizerParamState {
public:
    /// Makes a state without values.
    OptimizerParamState() = default;
    /// States are copied as their class says.
    ///@{
    OptimizerParamState(const OptimizerParamState&) = default;
    OptimizerParamState& operator=(const OptimizerParamState&) = default;
    OptimizerParamState(OptimizerParamState&&) noexcept = default;
    OptimizerParamState& operator=(OptimizerParamState&&) noexcept = default;
    ///@}
    /// Drops the values.
    virtual ~OptimizerParamState() = default;
    /// Returns a copy whose tensors are the same ones.
    virtual std::unique_ptr<OptimizerParamState> clone() const = 0;
    /// Calls the visitor for each field that files keep; by default there are none.
    virtual void visit(FieldVisitor&) {}
};

/// Adds `clone()` to a state. libtorch: torch::optim::OptimizerCloneableParamState.
template <class Derived>
class OptimizerCloneableParamState : public OptimizerParamState {
public:
    /// Returns a copy whose tensors are the same ones.
    std::unique_ptr<OptimizerParamState> clone() const override {
        return std::make_unique<Derived>(static_cast<const Derived&>(*this));
    }
};

/// The options of a group of parameters. libtorch: torch::optim::OptimizerOptions.
class SINTER_API OptimizerOptions {
public:
    /// Makes options with their defaults.
    OptimizerOptions() = default;
    /// Options are copied as their class says.
    ///@{
    OptimizerOptions(const OptimizerOptions&) = default;
    OptimizerOptions& operator=(const OptimizerOptions&) = default;
    OptimizerOptions(OptimizerOptions&&) noexcept = default;
    OptimizerOptions& operator=(OptimizerOptions&&) noexcept = default;
    ///@}
    /// Drops the options.
    virtual ~OptimizerOptions() = default;
    /// Returns a copy.
    virtual std::unique_ptr<OptimizerOptions> clone() const = 0;
    /// Returns the learning rate. Throws Error if the class has none.
    virtual double get_lr() const;
    /// Sets the learning rate. Throws Error if the class has none.
    virtual void set_lr(double lr);
    /// Calls the visitor for each option that files keep and groups take from their optimiser; by
    /// default there are none.
    virtual void visit(FieldVisitor&) {}
    /// Returns true if the option of this name was set, also if to its default.
    bool is_set(std::string_view name) const;

protected:
    /// Notes that an option was set.
    void set(const char* name) {
        if (!is_set(name)) set_.push_back(name);
    }

private:
    std::vector<std::string_view> set_;
};

/// Adds `clone()` to options. libtorch: torch::optim::OptimizerCloneableOptions.
template <class Derived>
class OptimizerCloneableOptions : public OptimizerOptions {
public:
    /// Returns a copy.
    std::unique_ptr<OptimizerOptions> clone() const override {
        return std::make_unique<Derived>(static_cast<const Derived&>(*this));
    }
};

// One field: x.name(value) sets it and returns x, x.name() reads or changes it.
#define SINTER_OPTIMIZER_FIELD(type, name, after, ...)                                     \
private:                                                                                   \
    type name##_{__VA_ARGS__};                                                             \
                                                                                           \
public:                                                                                    \
    /** Sets the field; returns this object. */ auto name(type value) -> decltype(*this) { \
        name##_ = std::move(value);                                                        \
        after;                                                                             \
        return *this;                                                                      \
    }                                                                                      \
    /** Returns the field. */ const type& name() const noexcept { return name##_; }        \
    /** Returns the field, to be changed. */ type& name() noexcept { return name##_; }
#define SINTER_OPTIMIZER_OPTION(type, name, ...) \
    SINTER_OPTIMIZER_FIELD(type, name, set(#name), __VA_ARGS__)
#define SINTER_OPTIMIZER_STATE(type, name, ...) \
    SINTER_OPTIMIZER_FIELD(type, name, static_cast<void>(0), __VA_ARGS__)

}  // namespace sinter::inline v1::optim
