#include "kernels/index/space.hpp"

#include "kernels/index/space_on_gpu.hpp"
#include "runtime/base/fail.hpp"
#include "runtime/threads/threads.hpp"

#include <sinter/error.hpp>

#include <algorithm>
#include <atomic>

namespace sinter::index_kernels {

namespace {

constexpr int64_t item = sizeof(int64_t);

/// Returns how many elements at the beginning of `n` dense ones are surely in [low, high): low <= 0
/// <= high. In blocks, without a branch for each element.
int64_t all_inside(const char* data, int64_t n, int64_t low, int64_t high) {
    constexpr int64_t block = 512;
    int64_t i = 0;
    while (i < n) {
        const int64_t count = std::min(block, n - i);
        uint64_t outside = 0;  // the sign bit
        for (int64_t k = 0; k < count; ++k) {
            int64_t value;
            std::memcpy(&value, data + (i + k) * item, sizeof value);
            const auto x = static_cast<uint64_t>(value);
            outside |= (x - static_cast<uint64_t>(low)) | (static_cast<uint64_t>(high) - 1 - x);
        }
        if (outside >> 63 != 0) return i;
        i += count;
    }
    return n;
}

/// Returns the position of the first element outside [low, high), or `total`.
int64_t first_outside(const index_elements& e, int64_t low, int64_t high) {
    std::atomic<int64_t> first{e.total};
    runtime::parallel_for(0, e.total, 1 << 16, [&](int64_t begin, int64_t end) {
        if (e.dense()) begin += all_inside(e.data + begin * item, end - begin, low, high);
        for (int64_t i = begin; i < end; ++i) {
            const int64_t value = e.at(i);
            if (value >= low && value < high) continue;
            int64_t seen = first.load();
            while (i < seen && !first.compare_exchange_weak(seen, i)) {
            }
            return;
        }
    });
    return first;
}

bool has_sizes_of_space(std::string_view op) {
    return op == "gather" || op == "take_along_dim" || op.starts_with("scatter");
}

}  // namespace

std::string outside(const char* op, int64_t index, int64_t dim, const geometry& indexed,
                    bool wraps) {
    const int64_t size = indexed.sizes()[dim];
    const std::string got =
        runtime::text("; got index ", index, " into shape ", indexed.sizes_ref());
    if (size == 0)
        return runtime::text("[", op, "] index is out of bounds for dimension with size 0", got,
                             ", expected a dimension with elements; try checking size(", dim,
                             ") first");
    return runtime::text("[", op, "] index ", index, " is out of bounds for dimension ", dim,
                         " with size ", size, got, ", expected ", wraps ? -size : 0, " to ",
                         size - 1,
                         wraps ? "; try -1 for the last element"
                               : "; try remainder() on the index if it counts from the end");
}

void throw_outside(const char* op, const layout& l, const geometry& indexed, std::size_t which,
                   int64_t value, const std::string& from) {
    const std::string text = outside(op, value, l.placed[which], indexed, l.wraps) + from;
    if (has_sizes_of_space(op)) throw Error(text);
    throw IndexError(text);
}

index_elements::index_elements(const op_input& in) : data(in.data + in.shape->offset * item) {
    for (int d = 0; d < in.shape->ndim; ++d) {
        if (in.shape->sizes()[d] == 0) total = 0;
        if (in.shape->strides()[d] == 0 || in.shape->sizes()[d] == 1) continue;
        sizes.push_back(in.shape->sizes()[d]);
        strides.push_back(in.shape->strides()[d] * item);
        total *= sizes.back();
    }
}

const char* index_elements::address(int64_t element) const {
    return data + runtime::offset_of(element, sizes.size(), sizes.data(), strides.data());
}

int64_t index_elements::at(int64_t element) const {
    int64_t value = 0;
    std::memcpy(&value, address(element), sizeof value);
    return value;
}

bool index_elements::dense() const {
    return sizes.empty() || (sizes.size() == 1 && strides[0] == item);
}

void check_range(const op_call& c, const layout& l, const geometry& indexed,
                 std::span<const op_input> indices) {
    if (c.stream) return check_range_on_gpu(c, l, indexed, indices);
    for (std::size_t k = 0; k < indices.size(); ++k) {
        const index_elements e(indices[k]);
        const int64_t size = indexed.sizes()[l.placed[k]];
        const int64_t i = first_outside(e, l.wraps ? -size : 0, size);
        if (i < e.total) throw_outside(c.op.name, l, indexed, k, e.at(i));
    }
}

loops::loops(const layout& l, char* indexed, const geometry& of, char* other, const geometry& space,
             ScalarType type, std::span<const op_input> indices)
    : wraps_(l.wraps) {
    const auto bytes = static_cast<int64_t>(elementSize(type));
    starts_ = {indexed + of.offset * bytes, other + space.offset * bytes};
    for (std::size_t k = 0; k < indices.size(); ++k) {
        const int64_t dim = l.placed[k];
        starts_.push_back(const_cast<char*>(indices[k].data) + indices[k].shape->offset * item);
        placements_.push_back({of.sizes()[dim], of.strides()[dim] * bytes});
    }
    space_.extents = space.sizes_ref().vec();
    space_.strides.resize(starts_.size());
    for (int d = 0; d < space.ndim; ++d) {
        total_ *= space.sizes()[d];
        const int64_t walked = l.walked[static_cast<std::size_t>(d)];
        space_.strides[0].push_back(walked < 0 ? 0 : of.strides()[walked] * bytes);
        space_.strides[1].push_back(space.strides()[d] * bytes);
        for (std::size_t k = 0; k < indices.size(); ++k)
            space_.strides[2 + k].push_back(indices[k].shape->strides()[d] * item);
    }
    space_.merge();
    space_.at_least_one();
}

int loops::apart() const {
    int best = -1;
    for (std::size_t d = 0; d < rank(); ++d)
        if (indexed_strides()[d] != 0 &&
            (best < 0 || size(d) > size(static_cast<std::size_t>(best))))
            best = static_cast<int>(d);
    return best;
}

loops loops::part(std::size_t d, int64_t begin, int64_t end) const {
    loops p = *this;
    p.space_.extents[d] = end - begin;
    p.total_ = total_ / size(d) * (end - begin);
    for (std::size_t k = 0; k < operands(); ++k) p.starts_[k] += begin * stride(k, d);
    return p;
}

loops loops::over(std::span<const std::size_t> dims) const {
    loops p = *this;
    p.space_ = space_.over(dims);
    p.space_.at_least_one();
    p.total_ = 1;
    for (int64_t n : p.sizes()) p.total_ *= n;
    return p;
}

bool loops::widen(int64_t bytes, int64_t times) {
    const int64_t large = bytes * times;
    const auto whole = [&](int64_t n) { return n % large == 0; };
    bool fits = rows_together() && indexed_step() == bytes && other_step() == bytes &&
                inner() % times == 0 && whole(reinterpret_cast<intptr_t>(indexed())) &&
                whole(reinterpret_cast<intptr_t>(other()));
    for (std::size_t d = 0; d + 1 < rank(); ++d)
        fits = fits && whole(indexed_strides()[d]) && whole(other_strides()[d]);
    for (const place& p : placements_) fits = fits && whole(p.step);
    if (!fits) return false;
    total_ /= times;
    space_.extents.back() /= times;
    space_.strides[0].back() = space_.strides[1].back() = large;
    return true;
}

bool loops::rows_together() const {
    for (std::size_t k = 0; k < indices(); ++k)
        if (index_strides(k).back() != 0) return false;
    return true;
}

}  // namespace sinter::index_kernels
