#include "engine/recordings/widening.hpp"

#include "engine/graph/infer.hpp"
#include "engine/recordings/division.hpp"

#include <sinter/error.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>

namespace sinter::plan {
namespace {

/// The first and last sizes of ranges at whose bounds plans change: few_elements, many_rows,
/// reduce_lanes, reduce_few, the longest of find_lane_rows, reduce_chunk, the longest row and
/// column of stage_values.
constexpr std::array<std::array<int64_t, 2>, 12> ranges{{{1, 1},
                                                         {2, 2},
                                                         {3, 7},
                                                         {8, 8},
                                                         {9, 16},
                                                         {17, 32},
                                                         {33, 63},
                                                         {64, 256},
                                                         {257, 512},
                                                         {513, 2048},
                                                         {2049, 4096},
                                                         {4097, 40000}}};
/// Elements of a result or a read. Larger ones have the plans of some smaller ones.
constexpr int64_t most_elements = int64_t{1} << 26;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// Returns the dimensions of a layout, outermost first, as their strides order them.
std::vector<std::size_t> by_stride(const geometry& g) {
    std::vector<std::size_t> order(at(g.ndim));
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&g](std::size_t a, std::size_t b) {
        return std::abs(g.strides()[a]) > std::abs(g.strides()[b]);
    });
    return order;
}

geometry_ptr layout(const std::vector<int64_t>& sizes, const std::vector<int64_t>& strides,
                    int64_t offset) {
    return make_geometry({sizes.data(), sizes.size()}, {strides.data(), strides.size()}, offset);
}

}  // namespace

variations::variations(const uint8_t* data, std::size_t size, const runtime::gpu* on)
    : work_(data, size, on), dims_(work_.w) {
    for (const Node* n : work_.w.nodes) {
        results_.push_back(n->shape);
        reduces_ = reduces_ || n->kind == node_kind::reduce;
        reduced_.push_back(n->kind == node_kind::reduce ? n->reduced : 0);
    }
    find_operands();
}

void variations::find_operands() {
    for (std::size_t i = 0; i < work_.w.nodes.size(); ++i) {
        Node& n = *work_.w.nodes[i];
        std::vector<int> slots;
        if (n.partial()) {
            for (int d = 0; d < n.shape->ndim; ++d) slots.push_back(dims_.of_result(i, d));
            add_operand(nullptr, n.shape, slots, subgraph::value_of(n.base()), n.dtype);
        }
        for (std::size_t s = 0; s < n.sources.size(); ++s) {
            Edge& e = n.sources[s];
            if (work_.w.is_node(subgraph::value_of(e))) continue;
            slots.clear();
            for (int d = 0; d < e.shape->ndim; ++d) slots.push_back(dims_.of_read(i, s, d));
            add_operand(&e, e.shape, slots, subgraph::value_of(e), e.dtype);
            operands_.back().number |= n.kind == node_kind::pointwise &&
                                       n.code->leaves[s].which == operand_type::rank::zero_dim;
        }
    }
}

/// Adds a read, to an operand that is the same or as a new one, which is then the last.
void variations::add_operand(Edge* e, geometry_ptr& shape, const std::vector<int>& slots, int value,
                             ScalarType dtype) {
    const auto same = [&](const operand& o) {
        if (o.value != value || o.dtype != dtype || o.slots.size() != slots.size() ||
            o.recorded->offset != shape->offset ||
            !(o.recorded->strides_ref() == shape->strides_ref()))
            return false;
        for (std::size_t d = 0; d < slots.size(); ++d)
            if (dims_.root_of(o.slots[d]) != dims_.root_of(slots[d]) ||
                dims_.recorded(o.slots[d]) != dims_.recorded(slots[d]))
                return false;
        return true;
    };
    auto found = std::find_if(operands_.begin(), operands_.end(), same);
    if (found == operands_.end()) {
        operand& o = operands_.emplace_back();
        o.slots = slots;
        o.recorded = shape;
        o.value = value;
        o.dtype = dtype;
        found = operands_.end() - 1;
    }
    found->reads.push_back(&shape);
    if (e) found->edges.push_back(e);
    std::rotate(found, found + 1, operands_.end());
}

int64_t variations::draw_size() {
    const auto& [least, most] = ranges[draw(ranges.size())];
    return least + static_cast<int64_t>(draw(static_cast<uint64_t>(most - least + 1)));
}

/// Draws sizes that the work can have. Returns false if these are none.
bool variations::draw_sizes() {
    const std::vector<int>& free = dims_.free_roots();
    std::vector<int64_t> sizes;
    for (const int root : free) {
        const int64_t as_recorded = dims_.recorded(root);
        if (chance(as_recorded == 1 ? 50 : 10))
            sizes.push_back(as_recorded);
        else if (!sizes.empty() && chance(10))
            sizes.push_back(sizes[draw(sizes.size())]);
        else if (chance(1))
            sizes.push_back(0);
        else
            sizes.push_back(draw_size());
    }
    std::vector<int64_t> inner(sizes.size(), 0);
    for (std::size_t f = 0; f < free.size(); ++f)
        if (dims_.divisible(free[f]) && chance(30)) {
            inner[f] = draw_size();
            sizes[f] = inner[f] * draw_size();
        }
    sizes_ = dims_.sizes(sizes);
    if (sizes_.empty() && !free.empty()) return false;
    inner_.assign(sizes_.size(), 0);
    for (std::size_t f = 0; f < free.size(); ++f) inner_[at(free[f])] = inner[f];
    return has_elements();
}

variations::extents variations::extents_of(int slot) const {
    const int64_t inner = inner_[at(dims_.root_of(slot))], size = sizes_[at(slot)];
    return inner == 0 ? extents{{size, 1}, 1} : extents{{size / inner, inner}, 2};
}

/// Returns true if no result is empty, and nothing is too large.
bool variations::has_elements() const {
    const auto elements = [this](int first, int ndim) {
        int64_t n = 1;
        for (int d = 0; d < ndim && n <= most_elements; ++d) n *= sizes_[at(first + d)];
        return n;
    };
    for (std::size_t i = 0; i < work_.w.nodes.size(); ++i) {
        const int64_t n = elements(dims_.of_result(i, 0), results_[i]->ndim);
        if (n < 1 || n > most_elements) return false;
        const Node& node = *work_.w.nodes[i];
        if (node.kind == node_kind::reduce &&
            elements(dims_.of_read(i, 0, 0), results_[i]->ndim) > most_elements)
            return false;
    }
    return true;
}

/// Gives results their sizes, in the order in which they lay.
void variations::set_results() {
    for (std::size_t i = 0; i < work_.w.nodes.size(); ++i) {
        Node& n = *work_.w.nodes[i];
        const geometry& before = *results_[i];
        std::vector<std::size_t> first(at(before.ndim));
        std::vector<int64_t> sizes;
        uint64_t reduced = 0;
        for (int d = 0; d < before.ndim; ++d) {
            first[at(d)] = sizes.size();
            // A reduced dimension of a result has size 1 and is as many as those that are read.
            const bool folded = reduced_[i] >> d & 1;
            const extents e = extents_of(folded ? dims_.of_read(i, 0, d) : dims_.of_result(i, d));
            for (int k = 0; k < e.count; ++k) {
                if (folded) reduced |= uint64_t{1} << sizes.size();
                sizes.push_back(folded ? 1 : e.of[k]);
            }
        }
        std::vector<int64_t> strides(sizes.size());
        int64_t stride = 1;
        const std::vector<std::size_t> order = by_stride(before);
        for (std::size_t o = order.size(); o-- > 0;) {
            const std::size_t d = order[o];
            const std::size_t end = d + 1 < first.size() ? first[d + 1] : sizes.size();
            for (std::size_t k = end; k-- > first[d];) {
                strides[k] = stride;
                stride *= std::max<int64_t>(sizes[k], 1);
            }
        }
        if (n.kind == node_kind::reduce) n.reduced = reduced;
        n.shape = layout(sizes, strides, before.offset);
        n.result->numel = n.shape->numel;
    }
}

/// Gives reads of results the layouts that the results have now.
void variations::set_views() {
    for (std::size_t i = 0; i < work_.w.nodes.size(); ++i)
        for (std::size_t s = 0; s < work_.w.nodes[i]->sources.size(); ++s) {
            Edge& e = work_.w.nodes[i]->sources[s];
            const int v = subgraph::value_of(e);
            if (!work_.w.is_node(v)) continue;
            const result_view& view = dims_.view(i, s);
            if (view.literal) continue;
            const geometry& from = *work_.w.nodes[at(v)]->shape;
            std::vector<std::size_t> first;  // dimension of the result that was one before
            std::size_t count = 0;
            for (int d = 0; d < results_[at(v)]->ndim; ++d) {
                first.push_back(count);
                const bool folded = reduced_[at(v)] >> d & 1;
                count +=
                    at(extents_of(folded ? dims_.of_read(at(v), 0, d) : dims_.of_result(at(v), d))
                           .count);
            }
            std::vector<int64_t> sizes, strides;
            for (std::size_t k = 0; k < view.dims.size(); ++k) {
                const view_dim& dim = view.dims[k];
                const extents is = extents_of(dims_.of_read(i, s, static_cast<int>(k)));
                for (int half = 0; half < is.count; ++half) {
                    sizes.push_back(is.of[half]);
                    int64_t stride = 0;
                    if (dim.of >= 0)
                        stride = dim.factor * from.strides()[first[at(dim.of)] + at(half)];
                    for (int p = 1; p <= dim.parts; ++p)
                        stride *= sizes_[at(dims_.of_read(i, s, static_cast<int>(k) + p))];
                    strides.push_back(stride);
                }
            }
            const int64_t unit = e.dtype == work_.w.nodes[at(v)]->dtype ? 1 : 2;
            int64_t offset = from.offset + view.starts.back();
            for (std::size_t d = 0; d < first.size(); ++d) {
                const int64_t start = view.starts[d];
                const extents is = extents_of(dims_.of_result(at(v), static_cast<int>(d)));
                if (start < 0) {  // from the end
                    for (int half = 0; half < is.count; ++half)
                        offset += unit * (is.of[half] - 1) * from.strides()[first[d] + at(half)];
                    offset += unit * (start + 1) * from.strides()[first[d]];
                } else if (start > 0) {
                    offset += unit * start * from.strides()[first[d]];
                }
            }
            e.shape = layout(sizes, strides, offset);
        }
}

/// Draws a layout: as recorded, or dense, with steps, with gaps, in another order, repeating.
geometry_ptr variations::draw_layout(const operand& o, bool dense) {
    const geometry& before = *o.recorded;
    std::vector<int64_t> sizes;
    std::vector<bool> repeats;
    std::vector<std::vector<std::size_t>> dims;  // by recorded dimension
    for (std::size_t d = 0; d < o.slots.size(); ++d) {
        const extents e = extents_of(o.slots[d]);
        dims.emplace_back();
        for (int k = 0; k < e.count; ++k) {
            dims.back().push_back(sizes.size());
            sizes.push_back(e.of[k]);
            repeats.push_back(o.number || (before.sizes()[d] != 1 && before.strides()[d] == 0));
        }
    }
    std::vector<std::size_t> order;  // outermost first
    for (const std::size_t d : by_stride(before))
        order.insert(order.end(), dims[d].begin(), dims[d].end());
    int64_t step = 1, gap = 0;
    if (dense) {
        std::iota(order.begin(), order.end(), 0);
        std::fill(repeats.begin(), repeats.end(), o.number);
    } else if (draw(10) < 4) {  // as recorded, or nearly
        if (before.numel > 1 && !order.empty()) {
            int64_t least = INT64_MAX;
            for (int d = 0; d < before.ndim; ++d)
                if (before.sizes()[d] > 1 && before.strides()[d] != 0)
                    least = std::min(least, std::abs(before.strides()[d]));
            if (least <= 3) step = least;
            if (!before.contiguous) gap = chance(50) ? 0 : 3;
        }
    } else {
        std::iota(order.begin(), order.end(), 0);
        if (chance(50))
            for (std::size_t k = order.size(); k > 1; --k) std::swap(order[k - 1], order[draw(k)]);
        if (chance(40)) step = 2 + static_cast<int64_t>(draw(2));
        if (chance(30)) gap = 3;
        // A row's parameters stay the same for all rows.
        const int often[] = {0, 35, 35, 100}, percent = often[draw(4)];
        if (!o.number && o.value >= 0 && chance(70))
            for (std::size_t k = 0; k < repeats.size(); ++k)
                repeats[k] = (reduces_ && repeats[k]) || chance(percent);
    }
    const bool write = o.edges.size() < o.reads.size();
    std::vector<int64_t> strides(sizes.size(), 0);
    int64_t stride = step;
    for (std::size_t k = order.size(); k-- > 0;) {
        const std::size_t d = order[k];
        if (repeats[d] && !write) continue;
        strides[d] = stride;
        stride = stride * std::max<int64_t>(sizes[d], 1) + (gap > 0 && sizes[d] > 1 ? gap : 0);
    }
    return layout(sizes, strides, o.recorded->offset);
}

void variations::set_operands(bool dense) {
    for (const operand& o : operands_) {
        const geometry_ptr g = draw_layout(o, dense);
        for (geometry_ptr* read : o.reads) *read = g;
        for (Edge* e : o.edges) {
            e->number = o.value;
            if (o.value >= 0) e->value = share(work_.w.values[at(o.value)]);
        }
    }
}

/// Perhaps makes an operand another one: f(x, x).
void variations::join_operands() {
    if (operands_.size() < 2 || !chance(20)) return;
    const operand& a = operands_[draw(operands_.size())];
    for (const operand& b : operands_) {
        if (&a == &b || a.value < 0 || b.value < 0 || a.dtype != b.dtype || a.number != b.number ||
            a.edges.empty() || b.edges.size() < b.reads.size() ||
            a.slots.size() != b.slots.size() || !chance(60))
            continue;
        bool same = true;
        for (std::size_t d = 0; d < a.slots.size(); ++d)
            same = same && dims_.root_of(a.slots[d]) == dims_.root_of(b.slots[d]) &&
                   sizes_[at(a.slots[d])] == sizes_[at(b.slots[d])];
        if (!same) continue;
        for (geometry_ptr* read : b.reads) *read = *a.reads.front();
        for (Edge* e : b.edges) {
            e->number = a.value;
            e->value = share(work_.w.values[at(a.value)]);
        }
    }
}

const subgraph& variations::next() {
    for (int tries = 0; !draw_sizes(); ++tries)
        if (tries == 100) {  // the recorded ones
            std::vector<int64_t> sizes;
            for (const int root : dims_.free_roots()) sizes.push_back(dims_.recorded(root));
            sizes_ = dims_.sizes(sizes);
            inner_.assign(sizes_.size(), 0);
            break;
        }
    set_results();
    set_operands(false);
    set_views();
    join_operands();
    return work_.w;
}

const subgraph& variations::common() {
    std::vector<int64_t> sizes;
    for (const int root : dims_.free_roots())
        sizes.push_back(dims_.recorded(root) == 1 ? 1 : 1000 + root);
    sizes_ = dims_.sizes(sizes);
    if (sizes_.empty()) return work_.w;
    inner_.assign(sizes_.size(), 0);
    set_results();
    set_operands(true);
    set_views();
    return work_.w;
}

void widen_work(const std::vector<uint8_t>& work, std::set<std::vector<uint8_t>>& known,
                const std::function<bool(const subgraph&)>& plan, const runtime::gpu* on) {
    // A few nodes are planned in 15 us. Where there are many, few of them share a kernel.
    const auto patience = [](const variations& v) {
        return std::clamp(50000 / (static_cast<int>(v.nodes()) + 1), 300, 10000);
    };
    const auto widen = [&](const std::vector<uint8_t>& one, int share) {
        const runtime::arena memory;
        variations v(one.data(), one.size(), on);
        if (!known.insert(write_work(v.common())).second) return;
        const int quiet = patience(v) / share, most = 10 * quiet;
        int drawn = 0;
        for (int still = 0; still < quiet && drawn < most; ++still, ++drawn) try {
                const runtime::arena of_plan;
                if (plan(v.next())) still = 0;
            } catch (const Error&) {  // not a work that a program has
            }
    };
    widen(work, 1);
    for (const std::vector<uint8_t>& other : divided_works(work)) widen(other, 10);
}

}  // namespace sinter::plan
