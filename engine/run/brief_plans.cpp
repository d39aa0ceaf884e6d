#include "engine/run/brief_plans.hpp"

#include "engine/graph/claim.hpp"
#include "engine/graph/gradient.hpp"
#include "engine/graph/pending.hpp"
#include "engine/run/entry_table.hpp"
#include "engine/run/executable/ready_launch.hpp"

#include <algorithm>
#include <bit>
#include <vector>

namespace sinter::plan {

struct brief_plan {
    static constexpr std::size_t most_scalars = 24;
    struct operand {
        int value;       // number; a node's is a result
        int64_t offset;  // bytes, from the first read of the value
        int64_t item;    // bytes of an element
    };

    explicit brief_plan(const executable& e) : launch(e) {}

    std::vector<uint64_t> words;
    std::vector<operand> operands;
    std::vector<scalar_binding> scalars;
    ready_launch launch;
    code_cache::run_count* runs = nullptr;  // null if nothing is recorded
};

namespace {

constinit entry_table<brief_plan, 4096, 4> brief_plans;

constexpr int most_dims = 8;
/// The most words of a node with some sources.
constexpr std::ptrdiff_t words_of(std::size_t sources) {
    constexpr std::ptrdiff_t layout = 3 + 2 * most_dims;
    return 2 + layout * (1 + static_cast<std::ptrdiff_t>(sources));
}

/// Writes a number and a layout, which is left out if it is the one before.
class layout_writer {
public:
    explicit layout_writer(uint64_t* to) : to(to) {}

    uint64_t* to;

    [[gnu::always_inline]] bool put(uint64_t number, const geometry& g, int64_t offset) {
        // By contents, as in structure_key: an executable has one text.
        const bool again = last_ && offset == last_offset_ && (&g == last_ || same(g, *last_));
        *to++ =
            number << 2 | static_cast<uint64_t>(again) << 1 | static_cast<uint64_t>(g.contiguous);
        if (again) return true;
        if (g.ndim > most_dims) return false;
        last_ = &g;
        last_offset_ = offset;
        *to++ = static_cast<uint64_t>(offset) << 8 | static_cast<uint64_t>(g.ndim);
        // Strides follow the sizes, and are told by them if the layout is contiguous.
        const int numbers = g.contiguous ? g.ndim : 2 * g.ndim;
        for (int i = 0; i < numbers; ++i) *to++ = static_cast<uint64_t>(g.sizes()[i]);
        return true;
    }

private:
    static bool same(const geometry& a, const geometry& b) {
        return a.ndim == b.ndim && std::equal(a.sizes(), a.sizes() + 2 * a.ndim, b.sizes());
    }
    const geometry* last_ = nullptr;
    int64_t last_offset_ = 0;
};

/// Writes the structure of work whose edges are numbered. Returns the number of words; 0 if there
/// are too many, or if a source is an index.
std::size_t write_words(std::span<Node* const> nodes, const int64_t* offsets, uint32_t wanted,
                        std::span<uint64_t> words) {
    const uint64_t* const end = words.data() + words.size();
    layout_writer w(words.data());
    *w.to++ = nodes.size() << 32 | wanted;
    for (const Node* n : nodes) {
        if (end - w.to < words_of(n->sources.size())) return 0;
        const uint64_t number = static_cast<uint64_t>(n->kind) |
                                static_cast<uint64_t>(n->dtype) << 8 |
                                static_cast<uint64_t>(n->backward) << 16 |
                                static_cast<uint64_t>(n->sources.size()) << 24;
        if (n->kind == node_kind::reduce) {
            // Its layout follows from that of its operand.
            if (!n->shape->contiguous || n->shape->offset != 0) return 0;
            *w.to++ = number << 2;
            *w.to++ = static_cast<uint64_t>(n->reduction) | static_cast<uint64_t>(n->in) << 32;
            *w.to++ = n->reduced;
        } else {
            if (!w.put(number, *n->shape, n->shape->offset)) return 0;
            *w.to++ = reinterpret_cast<uintptr_t>(n->code);
        }
        for (const Edge& e : n->sources) {
            if (e.number < 0) return 0;
            const auto v = static_cast<std::size_t>(e.number);
            if (!w.put(static_cast<uint64_t>(v) | static_cast<uint64_t>(e.dtype) << 32, *e.shape,
                       e.shape->offset - offsets[v]))
                return 0;
        }
    }
    return static_cast<std::size_t>(w.to - words.data());
}

uint64_t hash_of(std::span<const uint64_t> words) {
    uint64_t h = words.size();
    for (const uint64_t w : words) h = (std::rotl(h, 23) ^ w) * 0x9e3779b97f4a7c15u;
    return h;
}

const brief_plan* find_plan(std::span<const uint64_t> words) {
    return brief_plans.find(hash_of(words), [&](const brief_plan& p) {
        return std::equal(p.words.begin(), p.words.end(), words.begin(), words.end());
    });
}

/// Returns how many outputs a kernel has for these nodes: two for a complex one.
std::size_t outputs_of(const subgraph& w, uint32_t wanted) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < w.nodes.size(); ++i)
        if (wanted >> i & 1) count += isComplexType(w.nodes[i]->dtype) ? 2 : 1;
    return count;
}

/// Returns the wanted nodes, one bit for each; 0 if others must be stored, too.
uint32_t wanted_nodes(const subgraph& w) {
    uint32_t wanted = 0;
    for (std::size_t i = 0; i < w.nodes.size(); ++i) {
        if (w.kept[i] || w.saved[i]) return 0;
        wanted |= static_cast<uint32_t>(w.wanted[i] != 0) << i;
    }
    return wanted;
}

std::unique_ptr<brief_plan> prepare(const subgraph& w, uint32_t wanted, const executable& e,
                                    const kernel_step& k) {
    if (w.eager || k.outputs.size() != outputs_of(w, wanted) ||
        k.scalars.size() > brief_plan::most_scalars)
        return nullptr;
    auto b = std::make_unique<brief_plan>(e);
    const int64_t elements = b->launch.elements();
    if (elements == 0) return nullptr;
    constexpr int64_t few = 16;  // elements that are reduced to one
    const auto is_result = [&](int value) {
        return w.is_node(value) && (wanted >> value & 1) != 0;
    };
    for (std::size_t i = 0; i < w.nodes.size(); ++i)
        if (!b->launch.is_brief() && is_result(static_cast<int>(i)) &&
            w.nodes[i]->shape->numel > elements / few)
            return nullptr;
    for (std::size_t i = 0; i < k.operands.size(); ++i) {
        const operand_binding& o = k.operands[i];
        const kernel_ir::role use = k.ir.operands[i].use;
        if (use == kernel_ir::role::index || o.value < 0 ||
            (use == kernel_ir::role::output ? !is_result(o.value) : w.is_node(o.value)))
            return nullptr;
        const int64_t item = b->launch.item(i);
        b->operands.push_back({o.value, o.offset * item, item});
    }
    b->scalars = k.scalars;
    b->runs = e.runs.load(std::memory_order_acquire);
    return b;
}

}  // namespace

bool is_brief(const brief_plan& p) { return p.launch.is_brief(); }

brief_work::~brief_work() {
    if (numbered_) forget_numbers();
}

void brief_work::forget_numbers() {
    for (std::size_t i = 0; i < nodes_; ++i) node_[i]->result->index = -1;
    for (std::size_t i = nodes_; i < values_; ++i) value_[i]->index = -1;
    numbered_ = false;
}

void brief_work::claim_all() {
    for (std::size_t i = 0; i < nodes_; ++i) claim(*node_[i]);
    enter_flush(false);
    forget_numbers();
}

void brief_work::unclaim_all() {
    leave_flush();
    for (std::size_t i = 0; i < nodes_; ++i) unclaim(*node_[i]);
}

bool brief_work::visit(Version& v) {
    Node* const n = v.producer;
    if (!n || nodes_ == most_nodes || n->claimed || n->marked || n->partial() ||
        n->kind == node_kind::library || v.numel == 0 || n->device != runtime::main_memory)
        return false;
    v.index = 0;
    node_[nodes_++] = n;
    backward_ = backward_ || n->backward;
    return true;
}

bool brief_work::collect(std::span<Version* const> targets) {
    numbered_ = true;
    for (Version* const v : targets)
        if (v->index < 0 && !visit(*v)) return false;
    for (std::size_t i = 0; i < nodes_; ++i)
        for (const Edge& e : node_[i]->sources) {
            Version* const v = e.value.get();
            if (!v) return false;
            if (v->state.load(std::memory_order_acquire) != version_state::pending) {
                if (!readable_bytes(*v)) return false;
            } else if (v->index < 0 && !visit(*v)) {
                return false;
            }
        }
    const auto earlier = [](const Node* a, const Node* b) { return a->sequence < b->sequence; };
    std::reverse(node_, node_ + nodes_);  // most programs are visited in reverse order
    if (!std::is_sorted(node_, node_ + nodes_, earlier)) std::sort(node_, node_ + nodes_, earlier);
    if (!number_values()) return false;
    for (const Version* const v : targets) wanted_ |= uint32_t{1} << v->index;
    words_ = write_words({node_, nodes_}, offset_, wanted_, word_);
    return words_ > 0;
}

bool brief_work::number_values() {
    for (std::size_t i = 0; i < nodes_; ++i) {
        value_[i] = node_[i]->result;
        value_[i]->index = static_cast<int32_t>(i);
        offset_[i] = 0;
    }
    values_ = nodes_;
    for (std::size_t i = 0; i < nodes_; ++i)
        for (Edge& e : node_[i]->sources) {
            Version& v = *e.value;
            if (v.index < 0) {
                if (values_ == most_values) return false;
                v.index = static_cast<int32_t>(values_);
                offset_[values_] = e.shape->offset;
                value_[values_++] = &v;
            }
            e.number = v.index;
            // Its offsets count other units: subgraph::find_offsets.
            if (e.dtype != v.dtype || isComplexType(e.dtype)) offset_[e.number] = 0;
        }
    if (backward_ || !gradients_are_used()) return true;
    // What gradients will read may have to be stored: subgraph::find_saved.
    for (std::size_t i = 0; i < nodes_; ++i) {
        if (value_[i]->saved.load(std::memory_order_relaxed) > 0) return false;
        for (const Edge* e = value_[i]->readers; e; e = e->next)
            if (e->reader->backward) return false;
    }
    return true;
}

const brief_plan* brief_work::find() const { return find_plan({word_, words_}); }

void brief_work::place(const Version& target, const Buffer& memory) {
    memory_[target.index] = &memory;
}

void brief_work::run(const brief_plan& p) const {
    uint64_t scalars[brief_plan::most_scalars];
    for (std::size_t i = 0; i < p.scalars.size(); ++i)
        scalars[i] = scalar_of(*node_[p.scalars[i].node], p.scalars[i]);
    if (p.runs) p.runs->fetch_add(1, std::memory_order_relaxed);
    p.launch.run(
        [&](std::size_t i) {
            const brief_plan::operand& o = p.operands[i];
            const auto v = static_cast<std::size_t>(o.value);
            const Buffer& b = v < nodes_ ? *memory_[v] : *value_[v]->buffer;
            return static_cast<char*>(b.data) + o.offset + offset_[v] * o.item;
        },
        {scalars, p.scalars.size()});
}

void brief_work::end(taken_nodes& taken) {
    if (nodes_ == 1) return taken.take(take_producer(*value_[0]));
    uint32_t reads_ended[most_values] = {};
    for (std::size_t i = nodes_; i-- > 0;) {
        Version& v = *value_[i];
        if (!is_wanted(i) && v.references.load() > reads_ended[i]) {
            node_[i]->marked = true;
            continue;
        }
        for (const Edge& e : node_[i]->sources) ++reads_ended[e.number];
        taken.take(take_producer(v));
    }
}

void learn_brief_plan(const subgraph& w, const executable& e) {
    if (e.offered.load(std::memory_order_relaxed)) return;
    const kernel_step* k = ready_launch::kernel_of(e);
    if (!k) return;
    e.offered.store(true, std::memory_order_relaxed);
    if (w.nodes.size() > brief_work::most_nodes || w.values.size() > brief_work::most_values)
        return;
    for (const Node* n : w.nodes)
        if (n->kind == node_kind::library || n->partial()) return;
    const uint32_t wanted = wanted_nodes(w);
    uint64_t words[brief_work::most_words];
    const std::size_t count =
        wanted == 0 ? 0 : write_words(w.nodes, w.offsets.of_value.data(), wanted, words);
    if (count == 0 || find_plan({words, count})) return;
    std::unique_ptr<brief_plan> b = prepare(w, wanted, e, *k);
    if (!b) return;
    b->words.assign(words, words + count);
    brief_plans.keep(hash_of({words, count}), std::move(b), [&](const brief_plan& p) {
        return std::equal(p.words.begin(), p.words.end(), words, words + count);
    });
}

}  // namespace sinter::plan
