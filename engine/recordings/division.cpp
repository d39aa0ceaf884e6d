#include "engine/recordings/division.hpp"

#include "engine/recordings/portable_work.hpp"

#include <algorithm>
#include <set>

namespace sinter::plan {
namespace {

using bytes = std::vector<uint8_t>;

/// A part of a program: words that make one value.
struct part {
    std::size_t first, last;                // words
    std::size_t first_leaf, last_leaf;      // leaves
    std::size_t first_scalar, last_scalar;  // numbers
};

/// Returns the parts of a program that are operations, without the whole.
std::vector<part> parts_of(const std::vector<uint16_t>& words) {
    std::vector<part> stack, all;
    std::size_t leaves = 0, scalars = 0;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const uint16_t word = words[i];
        part p{i, i, leaves, leaves, scalars, scalars};
        std::size_t operands = 1;
        if (word == token_leaf || word == token_scalar) {
            ++(word == token_leaf ? leaves : scalars);
            operands = 0;
        } else if (word == token_join) {
            operands = 2;
        } else if (word < token_first) {
            operands = op::rows[word].arity;
        }
        if (operands > 0) {
            p = stack[stack.size() - operands];
            stack.resize(stack.size() - operands);
        }
        i += has_dtype(word);
        p.last = i + 1;
        p.last_leaf = leaves;
        p.last_scalar = scalars;
        if (operands > 0 && p.last < words.size()) all.push_back(p);
        stack.push_back(p);
    }
    return all;
}

template <class T>
std::vector<T> between(const std::vector<T>& all, std::size_t first, std::size_t last) {
    return {all.begin() + static_cast<std::ptrdiff_t>(first),
            all.begin() + static_cast<std::ptrdiff_t>(last)};
}

/// Returns a list in which `instead` replaces [first, last).
template <class T>
std::vector<T> replaced(std::vector<T> all, std::size_t first, std::size_t last,
                        std::initializer_list<T> instead) {
    const auto at = all.begin() + static_cast<std::ptrdiff_t>(first);
    all.insert(all.erase(at, all.begin() + static_cast<std::ptrdiff_t>(last)), instead);
    return all;
}

std::unique_ptr<Node> node_of(const typed_program* code, ScalarType dtype, geometry_ptr shape,
                              Version* result) {
    std::unique_ptr<Node> n =
        Node::bare(code->leaves.size(), code->scalars.size() + code->constants.size(), false);
    for (std::size_t e = 0; e < n->sources.size(); ++e) ::new (n->sources.data() + e) Edge;
    n->code = code;
    n->dtype = dtype;
    n->shape = std::move(shape);
    n->result = result;
    return n;
}

void copy(const Edge& from, Edge& to) {
    to.value = from.value;
    to.number = from.number;
    to.dtype = from.dtype;
    to.shape = from.shape;
}

/// Returns a layout with size 1 or, if `repeats`, stride 0 along the dimensions of a mask.
geometry_ptr thin(const geometry& g, uint64_t mask, bool repeats) {
    std::vector<int64_t> sizes(g.sizes(), g.sizes() + g.ndim);
    std::vector<int64_t> strides(g.strides(), g.strides() + g.ndim);
    for (std::size_t d = 0; d < sizes.size(); ++d) {
        if (!(mask >> d & 1)) continue;
        strides[d] = 0;
        if (!repeats) sizes[d] = 1;
    }
    return make_geometry(sizes, strides, g.offset);
}

/// Returns true if the reads of a part may repeat along the dimensions of a mask.
bool may_repeat(const subgraph& w, const Node& n, const part& p, uint64_t mask) {
    for (std::size_t l = p.first_leaf; l < p.last_leaf; ++l) {
        const Edge& e = n.sources[l];
        bool changes = false;
        for (int d = 0; d < e.shape->ndim; ++d)
            changes = changes ||
                      ((mask >> d & 1) && e.shape->sizes()[d] > 1 && e.shape->strides()[d] != 0);
        if (!changes) continue;
        if (e.number < static_cast<int32_t>(w.nodes.size())) return false;  // also an index
        for (const Node* reader : w.nodes)
            for (const Edge& other : reader->sources) {
                const auto at = static_cast<std::size_t>(&other - n.sources.data());
                if (other.number == e.number &&
                    (reader != &n || at < p.first_leaf || at >= p.last_leaf))
                    return false;
            }
    }
    return true;
}

/// Returns the dimensions along which all reads of a part repeat.
uint64_t repeated(const Node& n, const part& p) {
    uint64_t mask = ~uint64_t{0};
    for (std::size_t l = p.first_leaf; l < p.last_leaf; ++l) {
        const geometry& g = *n.sources[l].shape;
        for (int d = 0; d < g.ndim; ++d)
            if (g.sizes()[d] != 1 && g.strides()[d] != 0) mask &= ~(uint64_t{1} << d);
    }
    return mask;
}

/// Makes a part of node `i` a node before it. Returns nothing if no program makes such nodes.
bytes divide(const bytes& work, std::size_t i, const part& p, uint64_t mask) {
    constexpr int64_t fewest = 4;  // cheaper operands are computed again
    const runtime::arena memory;
    restored_work restored(work.data(), work.size());
    subgraph& w = restored.w;
    const Node& n = *w.nodes[i];
    const typed_program& t = *n.code;
    if (!may_repeat(w, n, p, mask)) return {};
    const std::vector<uint16_t>& words = t.source->words;
    const typed_program* inner =
        infer({between(words, p.first, p.last), between(t.leaves, p.first_leaf, p.last_leaf),
               between(t.scalars, p.first_scalar, p.last_scalar), t.default_dtype, t.fast});
    if (inner->results[1] >= 0 || cost_of(*inner->source) < fewest) return {};
    const ScalarType made = inner->ops[static_cast<std::size_t>(inner->results[0])].out;
    const typed_program* outer =
        infer({replaced<uint16_t>(words, p.first, p.last, {token_leaf}),
               replaced<operand_type>(t.leaves, p.first_leaf, p.last_leaf,
                                      {{made, operand_type::rank::dimensioned}}),
               replaced<Scalar::kind>(t.scalars, p.first_scalar, p.last_scalar, {}),
               t.default_dtype, t.fast});

    const intrusive_ptr<Version> value = make_intrusive<Version>();
    value->dtype = made;
    const geometry_ptr thinned = thin(*n.shape, mask, false);
    const std::unique_ptr<Node> before =
        node_of(inner, made, make_contiguous(thinned->sizes_ref()), value.get());
    const std::unique_ptr<Node> after = node_of(outer, n.dtype, n.shape, n.result);
    for (Node* other : w.nodes)
        for (Edge& e : other->sources) e.number += e.number >= static_cast<int32_t>(i);
    if (Node& last = *w.nodes.back(); last.partial()) ++last.base().number;
    for (std::size_t e = 0; e < before->sources.size(); ++e) {
        copy(n.sources[p.first_leaf + e], before->sources[e]);
        before->sources[e].shape = thin(*before->sources[e].shape, mask, false);
    }
    for (std::size_t e = 0; e < after->sources.size(); ++e) {
        Edge& to = after->sources[e];
        if (e < p.first_leaf) copy(n.sources[e], to);
        if (e > p.first_leaf) copy(n.sources[e - 1 + before->sources.size()], to);
        if (e != p.first_leaf) continue;
        to.value = value;
        to.number = static_cast<int32_t>(i);
        to.dtype = made;
        const geometry_ptr whole = thin(*before->shape, mask, true);
        to.shape = make_geometry(n.shape->sizes_ref(), whole->strides_ref(), 0);
    }
    const auto at = static_cast<std::ptrdiff_t>(i);
    w.nodes[i] = after.get();
    w.nodes.insert(w.nodes.begin() + at, before.get());
    w.values.insert(w.values.begin() + at, value.get());
    w.wanted.insert(w.wanted.begin() + at, 0);
    w.kept.insert(w.kept.begin() + at, 0);
    w.saved.insert(w.saved.begin() + at, 0);
    w.offsets.of_value.insert(w.offsets.of_value.begin() + at, 0);
    return write_work(w);
}

/// Returns the reads of a node's result.
std::vector<Edge*> reads_of(const subgraph& w, std::size_t i) {
    std::vector<Edge*> reads;
    for (Node* n : w.nodes)
        for (Edge& e : n->sources)
            if (e.number == static_cast<int32_t>(i)) reads.push_back(&e);
    return reads;
}

/// Makes the result of node `i` repeat along the dimensions of a mask. Returns nothing if it has
/// other readers than nodes of its size.
bytes thin_result(const bytes& work, std::size_t i, uint64_t mask) {
    const runtime::arena memory;
    restored_work restored(work.data(), work.size());
    subgraph& w = restored.w;
    Node& n = *w.nodes[i];
    const std::vector<Edge*> reads = reads_of(w, i);
    const part whole{0, 0, 0, n.sources.size(), 0, 0};
    if (w.wanted[i] || reads.empty() || !may_repeat(w, n, whole, mask)) return {};
    for (const Edge* e : reads)
        if (e->reader->kind != node_kind::pointwise || e->dtype != n.dtype ||
            !(e->shape->sizes_ref() == n.shape->sizes_ref()) ||
            !(e->shape->strides_ref() == n.shape->strides_ref()))
            return {};
    const geometry_ptr before = n.shape;
    n.shape = make_contiguous(thin(*before, mask, false)->sizes_ref());
    for (Edge& e : n.sources) e.shape = thin(*e.shape, mask, false);
    for (Edge* e : reads)
        e->shape = make_geometry(before->sizes_ref(), thin(*n.shape, mask, true)->strides_ref(), 0);
    return write_work(w);
}

/// Makes the result of node `i`, which repeats, have all elements of the nodes that read it.
/// Returns nothing if it does not repeat.
bytes thicken_result(const bytes& work, std::size_t i) {
    const runtime::arena memory;
    restored_work restored(work.data(), work.size());
    subgraph& w = restored.w;
    Node& n = *w.nodes[i];
    const std::vector<Edge*> reads = reads_of(w, i);
    if (w.wanted[i] || reads.empty()) return {};
    const geometry_ptr thick = make_contiguous(reads[0]->shape->sizes_ref());
    if (thick->ndim != n.shape->ndim || thick->numel == n.shape->numel) return {};
    for (const Edge* e : reads) {
        if (e->reader->kind != node_kind::pointwise || e->dtype != n.dtype ||
            !(e->shape->sizes_ref() == thick->sizes_ref()))
            return {};
        for (int d = 0; d < thick->ndim; ++d)
            if (n.shape->sizes()[d] != (e->shape->strides()[d] == 0 ? 1 : thick->sizes()[d]))
                return {};
    }
    for (Edge& e : n.sources) {
        std::vector<int64_t> strides(e.shape->strides(), e.shape->strides() + e.shape->ndim);
        for (std::size_t d = 0; d < strides.size(); ++d)
            if (n.shape->sizes()[d] == 1) strides[d] = 0;
        e.shape = make_geometry(thick->sizes_ref(), strides, e.shape->offset);
    }
    n.shape = thick;
    for (Edge* e : reads) e->shape = thick;
    return write_work(w);
}

/// Gives a work of vectors one more dimension. Returns nothing for others.
bytes raise(const bytes& work) {
    const runtime::arena memory;
    restored_work restored(work.data(), work.size());
    const auto rows = [](const geometry& g, int64_t stride) {
        const int64_t sizes[] = {2, g.sizes()[0]}, strides[] = {stride, g.strides()[0]};
        return make_geometry(sizes, strides, g.offset);
    };
    for (Node* n : restored.w.nodes) {
        if (n->kind != node_kind::pointwise || n->partial() || n->shape->ndim != 1) return {};
        for (const Edge& e : n->sources)
            if (restored.w.is_node(e.number) && !e.shape->contiguous) return {};
        for (std::size_t s = 0; s < n->sources.size(); ++s) {
            Edge& e = n->sources[s];
            const bool number = n->code->leaves[s].which == operand_type::rank::zero_dim;
            e.shape = rows(*e.shape, number ? 0 : e.shape->sizes()[0] * e.shape->strides()[0]);
        }
        n->shape = rows(*n->shape, n->shape->sizes()[0]);
    }
    return write_work(restored.w);
}

/// Returns the works in which one node, or a part of one, differs.
std::vector<bytes> neighbours(const bytes& work) {
    const runtime::arena memory;
    const restored_work restored(work.data(), work.size());
    std::vector<bytes> all;
    for (std::size_t i = 0; i < restored.w.nodes.size(); ++i) {
        const Node& n = *restored.w.nodes[i];
        const int rank = n.shape->ndim;
        if (n.kind != node_kind::pointwise || n.partial() || rank == 0 || rank > 32) continue;
        const uint64_t every = (uint64_t{1} << rank) - 1, last = uint64_t{1} << (rank - 1);
        const uint64_t usual[] = {last, every & ~last};
        for (const part& p : parts_of(n.code->source->words)) {
            std::set<uint64_t> masks(std::begin(usual), std::end(usual));
            masks.insert(repeated(n, p) & every);
            masks.erase(0);
            for (const uint64_t mask : masks) all.push_back(divide(work, i, p, mask));
        }
        for (const uint64_t mask : usual)
            if (mask != 0) all.push_back(thin_result(work, i, mask));
        all.push_back(thicken_result(work, i));
    }
    std::erase(all, bytes());
    return all;
}

}  // namespace

std::vector<bytes> divided_works(const bytes& work) {
    constexpr std::size_t most = 24;
    std::set<bytes> known{work};
    std::vector<bytes> all{work};
    if (bytes raised = raise(work); !raised.empty() && known.insert(raised).second)
        all.push_back(std::move(raised));
    for (std::size_t k = 0; k < all.size(); ++k)
        for (bytes& b : neighbours(all[k]))
            if (all.size() <= most && known.insert(b).second) all.push_back(std::move(b));
    all.erase(all.begin());
    return all;
}

}  // namespace sinter::plan
