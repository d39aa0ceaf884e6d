#include "engine/plan/fusing/run_order.hpp"

#include <cstddef>
#include <utility>

namespace sinter::plan {

namespace {

class order {
public:
    explicit order(const subgraph& w) : w_(w) {}

    std::vector<uint8_t> totals_of_rows() const {
        const std::vector<uint8_t> none(w_.nodes.size());
        std::vector<uint8_t> found(w_.nodes.size(), 1);
        bool any = false;
        for (std::size_t v = w_.nodes.size(); v-- > 0;) {
            const Node& n = *w_.nodes[v];
            found[v] =
                found[v] && n.shape->numel == 1 && n.kind != node_kind::library && !n.partial();
            if (found[v] && n.kind == node_kind::reduce) {
                if (!reads_row_values(v)) return none;
                any = true;
            }
            if (!found[v] || n.kind != node_kind::pointwise) mark_sources(n, found, 0);
        }
        return any ? found : none;
    }

    void add_sums_over_rows(std::vector<uint8_t>& late) const {
        std::vector<uint8_t> is_read(w_.nodes.size());
        for (const Node* n : w_.nodes) mark_sources(*n, is_read, 1);
        for (std::size_t v = 0; v < w_.nodes.size(); ++v) {
            const Node& n = *w_.nodes[v];
            if (!is_read[v] && n.backward && n.kind == node_kind::reduce && n.shape->numel > 1 &&
                reads_row_values(v, true))
                late[v] = 1;
        }
    }

private:
    void mark_sources(const Node& n, std::vector<uint8_t>& marks, uint8_t mark) const {
        for (const Edge& e : n.sources)
            if (const int source = subgraph::value_of(e); w_.is_node(source))
                marks[static_cast<std::size_t>(source)] = mark;
    }

    /// Returns true if a reduction reads, through pointwise nodes, what another one made of rows.
    /// `across`: of other dimensions than those that it reduces itself.
    bool reads_row_values(std::size_t v, bool across = false) const {
        const Node& reader = *w_.nodes[v];
        std::vector<std::size_t> open{v};
        std::vector<uint8_t> seen(w_.nodes.size());
        while (!open.empty()) {
            const Node& n = *w_.nodes[open.back()];
            open.pop_back();
            for (const Edge& e : n.sources) {
                const int source = subgraph::value_of(e);
                if (!w_.is_node(source) || std::exchange(seen[static_cast<std::size_t>(source)], 1))
                    continue;
                const Node& of = *w_.nodes[static_cast<std::size_t>(source)];
                if (of.kind == node_kind::pointwise)
                    open.push_back(static_cast<std::size_t>(source));
                else if (of.kind == node_kind::reduce && of.shape->numel > 1 &&
                         !(across &&
                           (of.shape->ndim != reader.shape->ndim || of.reduced & reader.reduced)))
                    return true;
            }
        }
        return false;
    }

    const subgraph& w_;
};

}  // namespace

std::vector<uint8_t> runs_last(const subgraph& w) {
    const order o(w);
    std::vector<uint8_t> late = o.totals_of_rows();
    o.add_sums_over_rows(late);
    return late;
}

}  // namespace sinter::plan
