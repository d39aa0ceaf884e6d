// What stands between the braces of `index({...})`.
#pragma once

#include <sinter/tensor.hpp>

#include <cstdint>
#include <iosfwd>

namespace sinter::inline v1 {

namespace indexing {
enum class EllipsisIndexType { Ellipsis };
inline constexpr EllipsisIndexType Ellipsis = EllipsisIndexType::Ellipsis;
/// What the open ends of slices are.
inline constexpr int64_t INDEX_MIN = -(int64_t{1} << 62), INDEX_MAX = -(INDEX_MIN + 1);
}  // namespace indexing

using std::nullopt_t;
inline constexpr nullopt_t None = nullopt;
using indexing::Ellipsis;

/// Python's start:stop:step; a missing bound is None. Steps must be positive where it indexes.
class Slice {
public:
    Slice(optional<int64_t> start = nullopt, optional<int64_t> stop = nullopt,  // NOLINT
          optional<int64_t> step = nullopt)
        : step_(step.value_or(1)) {
        start_ = start.value_or(step_ < 0 ? indexing::INDEX_MAX : 0);
        stop_ = stop.value_or(step_ < 0 ? indexing::INDEX_MIN : indexing::INDEX_MAX);
    }
    int64_t start() const { return start_; }
    int64_t stop() const { return stop_; }
    int64_t step() const { return step_; }

private:
    int64_t start_, stop_, step_;
};
/// `1:3:2`, bounds that are missing as INDEX_MIN or INDEX_MAX.
SINTER_API std::ostream& operator<<(std::ostream& out, const Slice& slice);

/// An integer, a Slice, None (a new dimension), Ellipsis, a boolean (a new dimension with one
/// element or none), or a tensor: of integers, or a mask of truth values over as many dimensions as
/// it has. A tensor without dimensions is the number that it holds.
class TensorIndex {
public:
    enum class kind : uint8_t { none, ellipsis, integer, boolean, slice, tensor };
    TensorIndex(nullopt_t) : kind_(kind::none) {}                                  // NOLINT
    TensorIndex(indexing::EllipsisIndexType) : kind_(kind::ellipsis) {}            // NOLINT
    SINTER_API TensorIndex(const char* text);                                      // NOLINT: "..."
    TensorIndex(Slice slice) : kind_(kind::slice), slice_(slice) {}                // NOLINT
    TensorIndex(const tensor_base& t) : kind_(kind::tensor), tensor_(t.self()) {}  // NOLINT
    template <class T>
        requires std::is_integral_v<T>
    TensorIndex(T value)  // NOLINT
        : kind_(std::is_same_v<T, bool> ? kind::boolean : kind::integer),
          integer_(static_cast<int64_t>(value)) {}

    kind which() const { return kind_; }
    bool is_none() const { return kind_ == kind::none; }
    bool is_ellipsis() const { return kind_ == kind::ellipsis; }
    bool is_integer() const { return kind_ == kind::integer; }
    bool is_boolean() const { return kind_ == kind::boolean; }
    bool is_slice() const { return kind_ == kind::slice; }
    bool is_tensor() const { return kind_ == kind::tensor; }
    int64_t integer() const { return integer_; }
    bool boolean() const { return integer_ != 0; }
    const Slice& slice() const { return slice_; }
    const Tensor& tensor() const { return tensor_; }

private:
    kind kind_;
    int64_t integer_ = 0;
    Slice slice_;
    Tensor tensor_;
};
/// `None`, `...`, `0`, `true`, `1:3:2`, or the tensor; a list in brackets.
SINTER_API std::ostream& operator<<(std::ostream& out, const TensorIndex& index);
SINTER_API std::ostream& operator<<(std::ostream& out, const std::vector<TensorIndex>& indices);

namespace indexing {
using sinter::None;
using sinter::Slice;
using sinter::TensorIndex;
}  // namespace indexing

}  // namespace sinter::inline v1
