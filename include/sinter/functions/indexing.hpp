// Indices: the arguments of `index({...})`.
#pragma once

#include <sinter/tensor.hpp>

#include <cstdint>
#include <iosfwd>

namespace sinter::inline v1 {

namespace indexing {
/// As many whole dimensions as are left: Python's `...`.
///@{
enum class EllipsisIndexType { Ellipsis };
inline constexpr EllipsisIndexType Ellipsis = EllipsisIndexType::Ellipsis;
///@}
/// The open ends of slices.
///@{
inline constexpr int64_t INDEX_MIN = -(int64_t{1} << 62), INDEX_MAX = -(INDEX_MIN + 1);
///@}
}  // namespace indexing

using std::nullopt_t;
/// As an index, a new dimension of size 1; as a bound, an open end.
inline constexpr nullopt_t None = nullopt;
using indexing::Ellipsis;

/// Python's start:stop:step. Indexing throws Error unless the step is positive. libtorch:
/// torch::indexing::Slice.
class Slice {
public:
    /// A missing bound (None) is an open end.
    Slice(optional<int64_t> start = nullopt, optional<int64_t> stop = nullopt,  // NOLINT
          optional<int64_t> step = nullopt)
        : step_(step.value_or(1)) {
        start_ = start.value_or(step_ < 0 ? indexing::INDEX_MAX : 0);
        stop_ = stop.value_or(step_ < 0 ? indexing::INDEX_MIN : indexing::INDEX_MAX);
    }
    /// Returns a bound, or the step; open ends are INDEX_MIN or INDEX_MAX.
    ///@{
    int64_t start() const { return start_; }
    int64_t stop() const { return stop_; }
    int64_t step() const { return step_; }
    ///@}

private:
    int64_t start_, stop_, step_;
};
/// Prints as `1:3:2`, open ends as their numbers.
SINTER_API std::ostream& operator<<(std::ostream& out, const Slice& slice);

/// One index: an integer, a Slice, None (a new dimension), Ellipsis, a boolean (a new dimension
/// with one element or none), or a tensor: of integers, or a Bool mask over as many dimensions as
/// it has. A 0-d tensor stands for its number. libtorch: torch::indexing::TensorIndex.
class TensorIndex {
public:
    /// The kinds of indices.
    enum class kind : uint8_t { none, ellipsis, integer, boolean, slice, tensor };
    /// An index; the only text is "...".
    ///@{
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
    ///@}

    /// Returns the kind, or true for an index of that kind.
    ///@{
    kind which() const { return kind_; }
    bool is_none() const { return kind_ == kind::none; }
    bool is_ellipsis() const { return kind_ == kind::ellipsis; }
    bool is_integer() const { return kind_ == kind::integer; }
    bool is_boolean() const { return kind_ == kind::boolean; }
    bool is_slice() const { return kind_ == kind::slice; }
    bool is_tensor() const { return kind_ == kind::tensor; }
    ///@}
    /// Returns the value of an index of that kind, without a check.
    ///@{
    int64_t integer() const { return integer_; }
    bool boolean() const { return integer_ != 0; }
    const Slice& slice() const { return slice_; }
    const Tensor& tensor() const { return tensor_; }
    ///@}

private:
    kind kind_;
    int64_t integer_ = 0;
    Slice slice_;
    Tensor tensor_;
};
/// Prints `None`, `...`, `0`, `true`, `1:3:2`, or the tensor; a list in brackets.
///@{
SINTER_API std::ostream& operator<<(std::ostream& out, const TensorIndex& index);
SINTER_API std::ostream& operator<<(std::ostream& out, const std::vector<TensorIndex>& indices);
///@}

namespace indexing {
using sinter::None;
using sinter::Slice;
using sinter::TensorIndex;
}  // namespace indexing

}  // namespace sinter::inline v1
