#include "engine/graph/view_map.hpp"

#include "runtime/strided/geometry.hpp"

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace sinter::inline v1 {
namespace {

/// A dimension of the source: a digit of an offset, whose place value is the stride.
struct digit {
    int64_t size, stride;
    int64_t dense;     // stride in a row-major tensor
    int64_t last = 0;  // the largest index that the view reaches
};

/// Returns the dimensions from the largest stride to the smallest; none if elements may share an
/// address.
bool find_digits(const geometry& source, std::vector<digit>& digits) {
    int64_t dense = 1;
    for (int d = source.ndim - 1; d >= 0; --d) {
        const int64_t size = source.sizes()[d], stride = source.strides()[d];
        if (size > 1) digits.push_back({size, stride, dense});
        dense *= size;
    }
    std::sort(digits.begin(), digits.end(),
              [](const digit& a, const digit& b) { return a.stride > b.stride; });
    for (std::size_t k = 0; k < digits.size(); ++k) {
        const int64_t below = k + 1 < digits.size() ? digits[k + 1].size * digits[k + 1].stride : 1;
        if (digits[k].stride < below) return false;
    }
    return true;
}

/// Splits a distance into digits, each multiplied by `times` and added to the last index reached.
/// Returns the distance in a row-major tensor, or -1.
int64_t dense_distance(std::vector<digit>& digits, int64_t distance, int64_t times) {
    int64_t dense = 0;
    for (digit& d : digits) {
        const int64_t steps = distance / d.stride;
        distance -= steps * d.stride;
        d.last += steps * times;
        dense += steps * d.dense;
    }
    return distance == 0 ? dense : -1;
}

/// Returns true if no index leaves its dimension, but into the next one where both are one in the
/// source and in a row-major tensor.
bool stays_inside(std::vector<digit>& digits) {
    for (std::size_t k = digits.size(); k-- > 0;) {
        digit& d = digits[k];
        if (d.last < d.size) continue;
        if (k == 0) return false;
        digit& next = digits[k - 1];
        if (next.stride != d.size * d.stride || next.dense != d.size * d.dense) return false;
        next.last += d.last / d.size;
    }
    return true;
}

}  // namespace

geometry_ptr map_of_view(const geometry& source, const geometry& view) {
    std::vector<digit> digits;
    if (!find_digits(source, digits)) return {};
    if (view.numel == 0) return make_contiguous(view.sizes_ref());
    // Dimensions that go backwards are turned for a while.
    int64_t first = view.offset - source.offset;
    for (int d = 0; d < view.ndim; ++d)
        if (view.strides()[d] < 0) first += (view.sizes()[d] - 1) * view.strides()[d];
    if (first < 0) return {};
    int64_t offset = dense_distance(digits, first, 1);
    if (offset < 0) return {};
    std::vector<int64_t> strides(static_cast<std::size_t>(view.ndim), 0);
    for (int d = 0; d < view.ndim; ++d) {
        const int64_t size = view.sizes()[d], stride = view.strides()[d];
        if (size == 1 || stride == 0) continue;
        int64_t& dense = strides[static_cast<std::size_t>(d)];
        dense = dense_distance(digits, std::abs(stride), size - 1);
        if (dense < 0) return {};
        if (stride > 0) continue;
        offset += (size - 1) * dense;
        dense = -dense;
    }
    if (!stays_inside(digits)) return {};
    return make_geometry(view.sizes_ref(), strides, offset);
}

}  // namespace sinter::inline v1
