// Eager mode on a GPU: each operation of a statement gets a separate kernel, with temporaries
// between them. Steps of one source operation stay in one kernel: the parts of complex numbers, and
// implicit conversions.
#include "engine/graph/infer.hpp"
#include "engine/plan/kernel.hpp"
#include "engine/plan/kernel_body.hpp"

#include <algorithm>

namespace sinter::plan {
namespace {

class operations_builder {
public:
    operations_builder(const subgraph& w, const cluster& c, plan& p)
        : w_(w),
          c_(c),
          p_(p),
          i_(c.instances[0]),
          n_(*w.nodes[static_cast<std::size_t>(i_.node)]),
          ops_(n_.code->ops),
          kept_(ops_.size()) {}

    void run() {
        const int last = last_operation();
        for (std::size_t first = 0; first < ops_.size();) {
            std::size_t end = first + 1;
            while (end < ops_.size() && ops_[end].origin == ops_[first].origin) ++end;
            if (ops_[first].origin == last) return add_last(first, end);
            add(first, end);
            first = end;
        }
        add_last(ops_.size(), ops_.size());  // only leaves, or parts of several operations
    }

private:
    /// The temporary that holds a result until the last operation has read it.
    struct kept_value {
        int value = -1;  // a temporary
        index_map at;
    };

    const typed_op& op(int32_t k) const { return ops_[static_cast<std::size_t>(k)]; }
    static bool is_operation(const typed_op& o) {
        return o.what == typed_op::kind::row || o.what == typed_op::kind::cast;
    }

    /// Returns the origin of the operation that makes the results, or -1 if none or several do.
    int last_operation() const {
        int origin = -1;
        for (int32_t r : n_.code->results) {
            if (r < 0 || !is_operation(op(r))) continue;
            if (origin >= 0 && origin != op(r).origin) return -1;
            origin = op(r).origin;
        }
        return origin;
    }

    bool is_read_behind(std::size_t k, std::size_t end) const {
        for (int32_t r : n_.code->results)
            if (r == static_cast<int32_t>(k)) return true;
        for (std::size_t l = end; l < ops_.size(); ++l)
            for (int32_t a : ops_[l].args)
                if (a == static_cast<int32_t>(k)) return true;
        return false;
    }

    /// Loads leaves and results of operations before `first`. `all`: also loads the results of the
    /// program.
    void load_operands(body_builder& b, const instance& i, std::size_t first, std::size_t end,
                       std::vector<value_id>& value, bool all = false) const {
        const auto load = [&](int32_t k) {
            if (k < 0 || value[static_cast<std::size_t>(k)] != none) return;
            const typed_op& o = op(k);
            if (o.what == typed_op::kind::leaf)
                value[static_cast<std::size_t>(k)] = b.read_leaf(i, n_, o);
            else if (is_operation(o) && static_cast<std::size_t>(k) < first)
                value[static_cast<std::size_t>(k)] = load_kept(b, k);
        };
        for (std::size_t k = first; k < end; ++k)
            for (int32_t a : ops_[k].args) load(a);
        if (all)
            for (int32_t r : n_.code->results) load(r);
    }

    value_id load_kept(body_builder& b, int32_t k) const {
        const kept_value& v = kept_[static_cast<std::size_t>(k)];
        return b.load(v.value, in_space(v.at), op(k).out);
    }

    /// Translates a map over the node's space to the space of the current kernel.
    index_map in_space(const index_map& m) const {
        index_map part{m.offset, {}};
        for (std::size_t d : used_) part.strides.push_back(m.stride(d));
        return part;
    }

    /// Finds the dimensions along which some operand of the operations varies.
    void find_used(std::size_t first, std::size_t end) {
        used_.clear();
        for (std::size_t d = 0; d < c_.space.size(); ++d) {
            bool moves = false;
            for (std::size_t k = first; k < end; ++k)
                for (int32_t a : ops_[k].args) {
                    if (a < 0) continue;
                    const typed_op& o = op(a);
                    if (o.what == typed_op::kind::leaf)
                        moves = moves || i_.sources[o.id].stride(d) != 0;
                    else if (is_operation(o) && static_cast<std::size_t>(a) < first)
                        moves = moves || kept_[static_cast<std::size_t>(a)].at.stride(d) != 0;
                }
            if (moves) used_.push_back(d);
        }
    }

    index_map dense() const {
        index_map m;
        m.strides.assign(c_.space.size(), 0);
        int64_t stride = 1;
        for (std::size_t d = used_.size(); d-- > 0; stride *= c_.space[used_[d]])
            m.strides[used_[d]] = stride;
        return m;
    }

    void add(std::size_t first, std::size_t end) {
        std::vector<std::size_t> results;
        for (std::size_t k = first; k < end; ++k)
            if (is_operation(ops_[k]) && is_read_behind(k, end)) results.push_back(k);
        if (results.empty()) return;
        find_used(first, end);
        cluster c;
        int64_t numel = 1;
        for (std::size_t d : used_) {
            c.space.push_back(c_.space[d]);
            numel *= c_.space[d];
        }
        c.reduced.assign(used_.size(), false);
        instance i{i_.node, {}, {}};
        for (const index_map& m : i_.sources) i.sources.push_back(in_space(m));
        body_builder b(w_, c);
        std::vector<value_id> value(ops_.size(), none);
        load_operands(b, i, first, end, value);
        b.emit_operations(i, n_, first, end, value);
        for (std::size_t k : results) {
            kept_[k] = {p_.values + static_cast<int>(p_.temporaries.size()), dense()};
            p_.temporaries.push_back({ops_[k].out, numel});
            b.store_made(value[k], kept_[k].value, in_space(kept_[k].at), ops_[k].out);
        }
        add_step(c, std::move(b));
    }

    /// Adds the kernel that computes the node's value.
    void add_last(std::size_t first, std::size_t end) {
        used_.clear();
        for (std::size_t d = 0; d < c_.space.size(); ++d) used_.push_back(d);
        body_builder b(w_, c_);
        std::vector<value_id> value(ops_.size(), none);
        load_operands(b, i_, first, end, value, true);
        b.emit_operations(i_, n_, first, end, value);
        b.finish_program(i_, n_, value);
        for (const output& o : c_.outputs) b.store(o);
        add_step(c_, std::move(b));
    }

    void add_step(const cluster& c, body_builder&& b) {
        b.nodes.push_back(i_.node);
        plan_step step;
        step.kernel = finish_on_gpu(c, std::move(b), w_.gpu());
        p_.steps.push_back(std::move(step));
    }

    const subgraph& w_;
    const cluster& c_;
    plan& p_;
    const instance& i_;
    const Node& n_;
    const std::vector<typed_op>& ops_;
    std::vector<kept_value> kept_;   // per operation
    std::vector<std::size_t> used_;  // dimensions of the current kernel
};

}  // namespace

void build_operations(const subgraph& w, const cluster& c, plan& p) {
    operations_builder(w, c, p).run();
}

}  // namespace sinter::plan
