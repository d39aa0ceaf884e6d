#include "engine/plan/index_map.hpp"

#include "runtime/strided/walk.hpp"

#include <algorithm>
#include <numeric>

namespace sinter::plan {

bool index_map::operator==(const index_map& o) const {
    if (offset != o.offset) return false;
    const std::size_t n = std::max(strides.size(), o.strides.size());
    for (std::size_t k = 0; k < n; ++k)
        if (stride(k) != o.stride(k)) return false;
    return true;
}

index_map part_of(const index_map& m, int part) {
    index_map p = m;
    p.offset = 2 * m.offset + part;
    for (int64_t& s : p.strides) s *= 2;
    return p;
}

std::optional<index_map> whole_of(const index_map& parts) {
    index_map m = parts;
    m.offset /= 2;
    for (int64_t& s : m.strides) {
        if (s % 2 != 0) return std::nullopt;
        s /= 2;
    }
    return m;
}

node_dims plain_dims_of(const Node& n) {
    node_dims d;
    d.sources.resize(n.sources.size());
    const geometry& r = *n.shape;
    for (int k = 0; k < r.ndim; ++k) {
        if (r.sizes()[k] == 1) continue;
        d.extents.push_back(r.sizes()[k]);
        d.result.push_back(r.strides()[k]);
        for (std::size_t s = 0; s < n.sources.size(); ++s)
            d.sources[s].push_back(n.sources[s].shape->strides()[k]);
    }
    return d;
}

node_dims dims_of(const Node& n) {
    node_dims d = plain_dims_of(n);
    const auto at = [&d](std::size_t o, std::size_t k) -> int64_t& {
        return o == 0 ? d.result[k] : d.sources[o - 1][k];
    };
    const std::size_t rank = runtime::merge_dims(d.extents.size(), d.extents.data(),
                                                 1 + d.sources.size(), at, d.extents.data(), at);
    d.extents.resize(rank);
    d.result.resize(rank);
    for (dims_vector& s : d.sources) s.resize(rank);
    return d;
}

std::optional<affine_index> factor(const index_map& map, const dims_vector& space,
                                   const node_dims& dims, int64_t result_offset) {
    const std::size_t n = dims.extents.size();
    std::vector<std::size_t> order(n);  // by falling stride, to divide an offset into indices
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](auto a, auto b) { return dims.result[a] > dims.result[b]; });
    affine_index at;
    at.start.assign(n, 0);
    at.steps.assign(n, dims_vector(space.size(), 0));
    int64_t rest = map.offset - result_offset;
    if (rest < 0) return std::nullopt;
    for (std::size_t d : order) {
        at.start[d] = rest / dims.result[d];
        rest -= at.start[d] * dims.result[d];
    }
    if (rest != 0) return std::nullopt;
    for (std::size_t k = 0; k < space.size(); ++k) {
        const int64_t stride = map.stride(k);
        if (stride == 0 || space[k] <= 1) continue;
        int64_t left = stride < 0 ? -stride : stride;
        for (std::size_t d : order) {
            const int64_t q = left / dims.result[d];
            left -= q * dims.result[d];
            at.steps[d][k] = stride < 0 ? -q : q;
        }
        if (left != 0) return std::nullopt;
    }
    for (std::size_t d = 0; d < n; ++d) {
        int64_t low = at.start[d], high = at.start[d];
        for (std::size_t k = 0; k < space.size(); ++k) {
            const int64_t reach = at.steps[d][k] * std::max<int64_t>(space[k] - 1, 0);
            (reach < 0 ? low : high) += reach;
        }
        if (low < 0 || high >= dims.extents[d]) return std::nullopt;
    }
    return at;
}

index_map through(const affine_index& at, const node_dims& dims, std::size_t s, int64_t offset,
                  std::size_t rank) {
    index_map m;
    m.offset = offset;
    m.strides.assign(rank, 0);
    for (std::size_t d = 0; d < dims.extents.size(); ++d) {
        m.offset += at.start[d] * dims.sources[s][d];
        for (std::size_t k = 0; k < at.steps[d].size(); ++k)
            m.strides[k] += at.steps[d][k] * dims.sources[s][d];
    }
    return m;
}

}  // namespace sinter::plan
