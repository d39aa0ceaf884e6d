// What stands between the braces of `index({...})`.
#pragma once

#include <sinter/tensor.hpp>

namespace sinter::inline v1 {

namespace indexing {
enum class EllipsisIndexType { Ellipsis };
inline constexpr EllipsisIndexType Ellipsis = EllipsisIndexType::Ellipsis;
}  // namespace indexing

using std::nullopt_t;
inline constexpr nullopt_t None = nullopt;
inline constexpr indexing::EllipsisIndexType Ellipsis = indexing::Ellipsis;

/// Python's start:stop:step; a missing bound is None. Steps must be positive where it indexes.
class Slice {
public:
    Slice(optional<int64_t> start = nullopt, optional<int64_t> stop = nullopt,  // NOLINT
          optional<int64_t> step = nullopt)
        : start_(start), stop_(stop), step_(step.value_or(1)) {}
    optional<int64_t> start() const { return start_; }
    optional<int64_t> stop() const { return stop_; }
    int64_t step() const { return step_; }

private:
    optional<int64_t> start_, stop_;
    int64_t step_;
};

/// An integer, a Slice, None (a new dimension), or Ellipsis.
class TensorIndex {
public:
    enum class kind { none, ellipsis, integer, slice };
    TensorIndex(nullopt_t) : kind_(kind::none) {}                        // NOLINT
    TensorIndex(indexing::EllipsisIndexType) : kind_(kind::ellipsis) {}  // NOLINT
    SINTER_API TensorIndex(const char* text);                            // NOLINT: "..."
    TensorIndex(Slice slice) : kind_(kind::slice), slice_(slice) {}      // NOLINT
    template <class T>
        requires(std::is_integral_v<T> && !std::is_same_v<T, bool>)
    TensorIndex(T value) : kind_(kind::integer), integer_(static_cast<int64_t>(value)) {}  // NOLINT

    kind which() const { return kind_; }
    int64_t integer() const { return integer_; }
    const Slice& slice() const { return slice_; }

private:
    kind kind_;
    int64_t integer_ = 0;
    Slice slice_;
};

}  // namespace sinter::inline v1
