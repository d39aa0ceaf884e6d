#include "kernels/index/space.hpp"

#include "kernels/index/space_on_gpu.hpp"
#include "runtime/base/plain_text.hpp"
#include "runtime/threads/threads.hpp"

#include <sinter/error.hpp>

#include <atomic>

namespace sinter::index_kernels {

namespace {

constexpr int64_t item = sizeof(int64_t);

/// Returns the position of the first element outside [low, high), or `total`.
int64_t first_outside(const index_elements& e, int64_t low, int64_t high) {
    std::atomic<int64_t> first{e.total};
    runtime::parallel_for(0, e.total, 1 << 16, [&](int64_t begin, int64_t end) {
        const char* p = e.data;
        const bool dense = e.dense();
        for (int64_t i = begin; i < end; ++i) {
            int64_t value = 0;
            if (dense)
                std::memcpy(&value, p + i * item, sizeof value);
            else
                value = e.at(i);
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

std::string outside(int64_t index, int64_t dim, int64_t size) {
    if (size == 0) return "index is out of bounds for dimension with size 0";
    return "index " + std::to_string(index) + " is out of bounds for dimension " +
           std::to_string(dim) + " with size " + std::to_string(size);
}

void throw_outside(const char* op, const layout& l, const geometry& indexed, std::size_t which,
                   int64_t value) {
    const int64_t dim = l.placed[which];
    const int64_t size = indexed.sizes()[dim];
    runtime::plain_text out;
    out << '[' << op << "] " << outside(value, dim, size) << "; got index " << value
        << " into sizes " << indexed.sizes_ref() << ", expected ";
    if (size == 0)
        out << "a dimension with elements";
    else
        out << (l.wraps ? -size : 0) << " to " << size - 1;
    out << "; try size() of that dimension";
    if (has_sizes_of_space(op)) throw Error(out.str());
    throw IndexError(out.str());
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
    const char* p = data;
    for (std::size_t d = sizes.size(); d-- > 0; element /= sizes[d])
        p += element % sizes[d] * strides[d];
    return p;
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
             ScalarType type, std::span<const op_input> indices) {
    const auto bytes = static_cast<int64_t>(elementSize(type));
    indexed_ = indexed + of.offset * bytes;
    other_ = other + space.offset * bytes;
    for (std::size_t k = 0; k < indices.size(); ++k) {
        const int64_t dim = l.placed[k];
        placements_.push_back({indices[k].data + indices[k].shape->offset * item,
                               {},
                               of.sizes()[dim],
                               of.strides()[dim] * bytes});
    }
    for (int d = 0; d < space.ndim; ++d) {
        total_ *= space.sizes()[d];
        if (space.sizes()[d] == 1) continue;
        const int64_t walked = l.walked[static_cast<std::size_t>(d)];
        sizes_.push_back(space.sizes()[d]);
        indexed_strides_.push_back(walked < 0 ? 0 : of.strides()[walked] * bytes);
        other_strides_.push_back(space.strides()[d] * bytes);
        for (std::size_t k = 0; k < indices.size(); ++k)
            placements_[k].strides.push_back(indices[k].shape->strides()[d] * item);
    }
    if (sizes_.empty()) {
        sizes_.push_back(1);
        indexed_strides_.push_back(0);
        other_strides_.push_back(0);
        for (place& p : placements_) p.strides.push_back(0);
    }
    join_dimensions();
}

void loops::join_dimensions() {
    std::size_t kept = 0;
    for (std::size_t d = 1; d < sizes_.size(); ++d) {
        const auto together = [&](const std::vector<int64_t>& strides) {
            return strides[kept] == strides[d] * sizes_[d];
        };
        bool join = together(indexed_strides_) && together(other_strides_);
        for (const place& p : placements_) join = join && together(p.strides);
        const int64_t size = join ? sizes_[kept] * sizes_[d] : sizes_[d];
        if (!join) ++kept;
        sizes_[kept] = size;
        indexed_strides_[kept] = indexed_strides_[d];
        other_strides_[kept] = other_strides_[d];
        for (place& p : placements_) p.strides[kept] = p.strides[d];
    }
    sizes_.resize(kept + 1);
    indexed_strides_.resize(kept + 1);
    other_strides_.resize(kept + 1);
    for (place& p : placements_) p.strides.resize(kept + 1);
}

int loops::apart() const {
    int best = -1;
    for (std::size_t d = 0; d < sizes_.size(); ++d)
        if (indexed_strides_[d] != 0 &&
            (best < 0 || sizes_[d] > sizes_[static_cast<std::size_t>(best)]))
            best = static_cast<int>(d);
    return best;
}

loops loops::part(int dim, int64_t begin, int64_t end) const {
    loops p = *this;
    const auto d = static_cast<std::size_t>(dim);
    p.sizes_[d] = end - begin;
    p.total_ = total_ / sizes_[d] * (end - begin);
    p.indexed_ += begin * indexed_strides_[d];
    p.other_ += begin * other_strides_[d];
    for (place& q : p.placements_) q.index += begin * q.strides[d];
    return p;
}

loops loops::over(std::span<const std::size_t> dims) const {
    loops p = *this;
    const auto pick = [&](const std::vector<int64_t>& from, std::vector<int64_t>& to, int64_t one) {
        to.clear();
        for (std::size_t d : dims) to.push_back(from[d]);
        if (to.empty()) to.push_back(one);
    };
    pick(sizes_, p.sizes_, 1);
    pick(indexed_strides_, p.indexed_strides_, 0);
    pick(other_strides_, p.other_strides_, 0);
    for (std::size_t k = 0; k < placements_.size(); ++k)
        pick(placements_[k].strides, p.placements_[k].strides, 0);
    p.total_ = 1;
    for (int64_t n : p.sizes_) p.total_ *= n;
    return p;
}

bool loops::widen(int64_t bytes, int64_t times) {
    const int64_t large = bytes * times;
    const auto whole = [&](int64_t n) { return n % large == 0; };
    bool fits = rows_together() && indexed_step() == bytes && other_step() == bytes &&
                inner() % times == 0 && whole(reinterpret_cast<intptr_t>(indexed_)) &&
                whole(reinterpret_cast<intptr_t>(other_));
    for (std::size_t d = 0; d + 1 < sizes_.size(); ++d)
        fits = fits && whole(indexed_strides_[d]) && whole(other_strides_[d]);
    for (const place& p : placements_) fits = fits && whole(p.step);
    if (!fits) return false;
    total_ /= times;
    sizes_.back() /= times;
    indexed_strides_.back() = other_strides_.back() = large;
    return true;
}

bool loops::rows_together() const {
    for (const place& p : placements_)
        if (p.strides.back() != 0) return false;
    return true;
}

void loops::move(row& r, std::size_t dim, int64_t by) const {
    r.indexed += by * indexed_strides_[dim];
    r.other += by * other_strides_[dim];
    for (std::size_t k = 0; k < placements_.size(); ++k)
        r.index[k] += by * placements_[k].strides[dim];
}

void loops::seek(int64_t element, std::vector<int64_t>& at, row& r) const {
    for (std::size_t d = sizes_.size(); d-- > 0; element /= sizes_[d]) {
        at[d] = element % sizes_[d];
        move(r, d, at[d]);
    }
}

void loops::step(int64_t count, std::vector<int64_t>& at, row& r) const {
    std::size_t d = sizes_.size() - 1;
    at[d] += count;
    move(r, d, count);
    while (at[d] == sizes_[d] && d > 0) {
        move(r, d, -at[d]);
        at[d] = 0;
        ++at[--d];
        move(r, d, 1);
    }
}

}  // namespace sinter::index_kernels
