#include "engine/recordings/dimensions.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <optional>

namespace sinter::plan {
namespace {

/// Returns the index along each dimension of a layout at which an offset lies, or nothing.
std::optional<std::vector<int64_t>> indices_at(const geometry& g, int64_t offset) {
    std::vector<int64_t> index(static_cast<std::size_t>(g.ndim), 0);
    std::vector<int> order(static_cast<std::size_t>(g.ndim));
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](int a, int b) { return g.strides()[a] > g.strides()[b]; });
    for (const int d : order) {
        if (g.sizes()[d] <= 1 || g.strides()[d] <= 0) continue;
        const int64_t i = offset / g.strides()[d];
        if (i >= g.sizes()[d]) return std::nullopt;
        index[static_cast<std::size_t>(d)] = i;
        offset -= i * g.strides()[d];
    }
    if (offset != 0) return std::nullopt;
    return index;
}

}  // namespace

dimensions::dimensions(const subgraph& w) {
    for (const Node* n : w.nodes) {
        results_.push_back(add(*n->shape));
        std::vector<int>& reads = reads_.emplace_back();
        for (const Edge& e : n->sources) reads.push_back(add(*e.shape));
        views_.emplace_back(n->sources.size());
    }
    for (std::size_t i = 0; i < w.nodes.size(); ++i) {
        join_operands(*w.nodes[i], i);
        for (std::size_t s = 0; s < w.nodes[i]->sources.size(); ++s) {
            const Edge& e = w.nodes[i]->sources[s];
            const int v = subgraph::value_of(e);
            if (!w.is_node(v)) continue;
            const Node& made = *w.nodes[at(v)];
            result_view& view = views_[i][s];
            if (find_view(made, at(v), e, reads_[i][s], view)) continue;
            view.literal = true;
            for (int d = 0; d < e.shape->ndim; ++d) fix(reads_[i][s] + d);
            for (int d = 0; d < made.shape->ndim; ++d) fix(results_[at(v)] + d);
        }
    }
    join_reads(w);
    for (const product& p : products_) multiply(p);
    for (std::size_t k = 0; k < slots_.size(); ++k) {
        const slot& s = slots_[k];
        if (s.parent == static_cast<int>(k) && !s.fixed && s.factors.empty())
            free_.push_back(static_cast<int>(k));
    }
}

int dimensions::add(const geometry& g) {
    const int first = static_cast<int>(slots_.size());
    for (int d = 0; d < g.ndim; ++d) slots_.push_back({g.sizes()[d], first + d, false, false, {}});
    return first;
}

int dimensions::root_of(int slot) const {
    while (slots_[at(slot)].parent != slot) slot = slots_[at(slot)].parent;
    return slot;
}

void dimensions::join(int a, int b) {
    a = root_of(a);
    b = root_of(b);
    if (a == b) return;
    if (b < a) std::swap(a, b);
    slots_[at(b)].parent = a;
    slots_[at(a)].fixed = slots_[at(a)].fixed || slots_[at(b)].fixed;
    slots_[at(a)].whole = slots_[at(a)].whole || slots_[at(b)].whole ||
                          slots_[at(a)].recorded != slots_[at(b)].recorded;
}

/// Joins the sizes of an operation's operands with those of its result.
void dimensions::join_operands(const Node& n, std::size_t i) {
    if (n.kind == node_kind::library) return join_library(n, i);
    for (std::size_t s = 0; s < n.sources.size(); ++s)
        for (int d = 0; d < n.shape->ndim; ++d) {
            if (n.kind == node_kind::reduce && (n.reduced >> d & 1))
                fix(of_result(i, d));
            else
                join(of_read(i, s, d), of_result(i, d));
        }
}

/// Planning does not check the sizes of a call. They are equal where they were.
void dimensions::join_library(const Node& n, std::size_t i) {
    std::vector<std::pair<const geometry*, int>> all{{n.shape.get(), results_[i]}};
    for (std::size_t s = 0; s < n.sources.size(); ++s)
        all.emplace_back(n.sources[s].shape.get(), reads_[i][s]);
    for (const auto& [g, first] : all)
        for (int d = 0; d < g->ndim; ++d) {
            slots_[at(root_of(first + d))].whole = true;
            for (const auto& [other, other_first] : all)
                for (int k = 0; k < other->ndim; ++k) {
                    const bool opposite = d == k || g->ndim - d == other->ndim - k;
                    const bool product = n.library->product && g != other;
                    if ((opposite || product) && g->sizes()[d] == other->sizes()[k] &&
                        g->sizes()[d] > 1)
                        join(first + d, other_first + k);
                }
        }
}

/// Joins the sizes of reads of one ready value: dimensions with one stride are one dimension of a
/// tensor, or nearly all of one.
void dimensions::join_reads(const subgraph& w) {
    constexpr int64_t nearly = 4;
    struct dim {
        int value, place, slot;
        int64_t stride;
    };
    std::vector<dim> known;
    for (std::size_t i = 0; i < w.nodes.size(); ++i)
        for (std::size_t s = 0; s < w.nodes[i]->sources.size(); ++s) {
            const Edge& e = w.nodes[i]->sources[s];
            const int v = subgraph::value_of(e);
            if (w.is_node(v) || v < 0) continue;
            for (int d = 0; d < e.shape->ndim; ++d) {
                const dim one{v, d, reads_[i][s] + d, e.shape->strides()[d]};
                for (const dim& k : known) {
                    const int64_t a = recorded(k.slot), b = recorded(one.slot);
                    if (k.value != v || k.stride != one.stride || std::abs(a - b) > nearly ||
                        ((a == 1 || one.stride == 0) && k.place != d) || (a == 1) != (b == 1))
                        continue;
                    join(k.slot, one.slot);
                    break;
                }
                known.push_back(one);
            }
        }
}

/// Finds how an edge reads the result of node `v`. Returns false if no relation is known.
bool dimensions::find_view(const Node& made, std::size_t v, const Edge& e, int read,
                           result_view& view) {
    const geometry &from = *made.shape, &to = *e.shape;
    int64_t unit = 1;
    if (e.dtype != made.dtype) {
        if (e.dtype != toRealValueType(made.dtype)) return false;
        unit = 2;
    }
    const int64_t offset = to.offset - unit * from.offset;
    int64_t lowest = offset;  // in the result
    for (int k = 0; k < to.ndim; ++k)
        if (to.strides()[k] < 0) lowest += to.strides()[k] * (to.sizes()[k] - 1);
    if (lowest < 0) return false;
    const auto starts = indices_at(from, lowest / unit);
    if (!starts) return false;
    view.starts = *starts;
    view.starts.push_back(lowest % unit);  // the part of a complex number
    view.dims.assign(static_cast<std::size_t>(to.ndim), {});
    std::vector<bool> taken(static_cast<std::size_t>(from.ndim), false);
    for (int k = 0; k < to.ndim; ++k) {
        const int64_t size = to.sizes()[k], stride = to.strides()[k];
        if (size == 1 && k < from.ndim && from.sizes()[k] == 1) {
            view.dims[at(k)] = {k, unit, 0};
            join(read + k, results_[v] + k);
            taken[at(k)] = true;
        }
        if (size == 1 || stride == 0) continue;
        view_dim& dim = view.dims[at(k)];
        const int64_t step = stride < 0 ? -stride : stride;
        // One dimension of the result, or a range of one.
        for (int d = 0; d < from.ndim && dim.of < 0; ++d) {
            const int64_t first = (*starts)[at(d)];
            if (taken[at(d)] || from.sizes()[d] == 1 || unit * from.strides()[d] != step ||
                first + size > from.sizes()[d])
                continue;
            dim = {d, stride < 0 ? -unit : unit, 0};
            join(read + k, results_[v] + d);
            if (stride < 0) view.starts[at(d)] = -1 - (from.sizes()[d] - first - size);
        }
        // Several dimensions of the result, as one.
        int64_t merged = 1;
        std::vector<int> factors;
        for (int d = from.ndim; d-- > 0 && dim.of < 0 && stride > 0;) {
            if (factors.empty() && unit * from.strides()[d] != step) continue;
            if (factors.empty() ? false
                                : from.strides()[d] != from.strides()[d + 1] * from.sizes()[d + 1])
                break;
            if (taken[at(d)] || (*starts)[at(d)] != 0) break;
            merged *= from.sizes()[d];
            factors.push_back(results_[v] + d);
            if (merged != size || factors.size() < 2) continue;
            dim = {factors[0] - results_[v], unit, 0};
            products_.push_back({read + k, factors});
            for (const int f : factors) taken[at(f - results_[v])] = true;
        }
        // A part of a dimension of the result, of which the next dimensions are the other parts.
        int64_t divided = size;
        std::vector<int> parts{read + k};
        for (int j = k + 1; j < to.ndim && dim.of < 0 && stride > 0; ++j) {
            if (to.strides()[j - 1] != to.strides()[j] * to.sizes()[j]) break;
            divided *= to.sizes()[j];
            parts.push_back(read + j);
            for (int d = 0; d < from.ndim; ++d) {
                if (taken[at(d)] || from.sizes()[d] != divided || (*starts)[at(d)] != 0 ||
                    unit * from.strides()[d] != to.strides()[j])
                    continue;
                for (int p = k; p <= j; ++p) view.dims[at(p)] = {d, unit, j - p};
                products_.push_back({results_[v] + d, parts});
                taken[at(d)] = true;
                k = j;
                break;
            }
        }
        if (view.dims[at(k)].of < 0) return false;
        taken[at(view.dims[at(k)].of)] = true;
    }
    // What is read again and again along a dimension stays one element there.
    for (int d = 0; d < from.ndim; ++d)
        if (!taken[at(d)] && from.sizes()[d] == 1) fix(results_[v] + d);
    return true;
}

/// Makes the size of a slot a product, or, if it depends on others already, fixes all of them.
void dimensions::multiply(const product& p) {
    const int root = root_of(p.slot);
    slot& r = slots_[at(root)];
    bool one = !r.fixed && r.factors.empty() && r.recorded == recorded(p.slot);
    for (const int f : p.factors) {
        slots_[at(root_of(f))].whole = true;
        one = one && root_of(f) != root;
    }
    r.whole = true;
    if (one) {
        r.factors = p.factors;
        return;
    }
    if (r.factors.size() == p.factors.size() &&
        std::equal(p.factors.begin(), p.factors.end(), r.factors.begin(),
                   [this](int a, int b) { return root_of(a) == root_of(b); }))
        return;
    std::vector<int> todo{root};
    todo.insert(todo.end(), p.factors.begin(), p.factors.end());
    while (!todo.empty()) {
        slot& s = slots_[at(root_of(todo.back()))];
        todo.pop_back();
        s.fixed = true;
        todo.insert(todo.end(), s.factors.begin(), s.factors.end());
        s.factors.clear();
    }
}

std::vector<int64_t> dimensions::sizes(const std::vector<int64_t>& of_free) const {
    constexpr int64_t unknown = -1, most = int64_t{1} << 40;
    std::vector<int64_t> of_root(slots_.size(), unknown);
    for (std::size_t k = 0; k < slots_.size(); ++k)
        if (slots_[k].fixed) of_root[k] = slots_[k].recorded;
    for (std::size_t f = 0; f < free_.size(); ++f) of_root[at(free_[f])] = of_free[f];
    const auto size_of = [&](int slot) {
        const int root = root_of(slot);
        const int64_t size = of_root[at(root)];
        return size == unknown ? unknown : size + recorded(slot) - recorded(root);
    };
    // Products of products need another pass, cycles never end: at most a pass for each slot.
    bool more = true;
    for (std::size_t pass = 0; more && pass <= slots_.size(); ++pass) {
        more = false;
        for (std::size_t k = 0; k < slots_.size(); ++k) {
            if (slots_[k].factors.empty() || of_root[k] != unknown) continue;
            int64_t size = 1;
            for (const int f : slots_[k].factors) {
                const int64_t factor = size_of(f);
                size = factor == unknown || size == unknown ? unknown : size * factor;
                if (size > most) return {};
            }
            of_root[k] = size;
            more = true;
        }
    }
    std::vector<int64_t> all;
    for (std::size_t k = 0; k < slots_.size(); ++k) {
        const int root = root_of(static_cast<int>(k));
        const int64_t size = size_of(static_cast<int>(k));
        if (of_root[at(root)] == unknown || size < 0) return {};
        all.push_back(size);
    }
    return all;
}

}  // namespace sinter::plan
