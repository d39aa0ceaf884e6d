// Values that a gradient node keeps: versions, which a write does not change.
#pragma once

#include "engine/graph/gradient.hpp"

#include <sinter/autograd/node.hpp>

#include <utility>

namespace sinter::inline v1::autograd {

class saved_value {
public:
    saved_value() = default;
    saved_value(const saved_value& o)
        : value_(o.value_), may_be_overwritten_(o.may_be_overwritten_) {
        count(1);
    }
    saved_value(saved_value&& o) noexcept
        : value_(std::exchange(o.value_, {})), may_be_overwritten_(o.may_be_overwritten_) {}
    saved_value& operator=(saved_value o) noexcept {
        std::swap(value_, o.value_);
        std::swap(may_be_overwritten_, o.may_be_overwritten_);
        return *this;
    }
    ~saved_value() { count(-1); }
    /// Keeps the value that the leaf reads.
    explicit saved_value(const leaf& l);
    /// Keeps the tensor's newest value.
    explicit saved_value(const Tensor& t);

    explicit operator bool() const { return static_cast<bool>(value_.shape); }
    /// Returns a leaf that reads it. Its gradient goes to `edge` if operations are recorded. Throws
    /// Error, named by `by`, if the tensor has been written since.
    leaf read(const Node& by, const Edge& edge) const;
    /// The node itself writes over this value: that is no error if it is the one saved.
    void allow(const Version& overwritten) {
        may_be_overwritten_ = may_be_overwritten_ || value_.value.get() == &overwritten;
    }
    /// Returns a tensor that reads it.
    Tensor tensor(const Node& by, const Edge& edge) const;

private:
    /// The planner asks how many nodes will read a value.
    void count(int more) {
        if (value_.value) value_.value->saved.fetch_add(more, std::memory_order_relaxed);
    }

    leaf value_;
    bool may_be_overwritten_ = false;  // it was, when it was saved, or the node itself does it
};

/// Throws Error: a node runs a second time after its saved values have been dropped.
[[noreturn]] void refuse_second_run();

}  // namespace sinter::inline v1::autograd
