// What the fuser asks the cost model: a node and the cluster that would compute it, in the model's
// terms. Nothing here decides; the fuser does.
#pragma once

#include "engine/plan/cluster.hpp"
#include "engine/plan/cost_model.hpp"

namespace sinter::plan {

class estimator {
public:
    explicit estimator(const subgraph& w);

    /// A pointwise value computed where `u` reads it; `times`: so many maps of the cluster do.
    verdict of_value(int v, const cluster& c, const use& u, int times, const placement& p) const;
    /// The operations of a map, where a value among them makes short loops of long ones.
    verdict of_loops(const Node& n, const cluster& c, const placement& p) const;
    /// The operations of a cluster beside a reduction that was not in it: those on its rows are
    /// computed one number at a time where lanes run along the reduced range; those on its elements
    /// have short vectors where they do not, or find their operands apart.
    verdict with_reduction(const Node& n, const cluster& c, const placement& p) const;

    /// Whether a later stage can find the value of an earlier one in an output.
    bool can_keep(const Node& n, const cluster& c, const use& u) const;

private:
    /// What leads up to a value through pointwise operations.
    struct lead {
        double cost = 0;   // primitives of an element
        bool flat = true;  // each of them is one loop over everything
    };

    const Node& node(int v) const { return *w_.nodes[static_cast<std::size_t>(v)]; }
    lead lead_up_to(const Node& n) const;
    verdict behind_short_rows(const Node& n, const cluster& c, const placement& p) const;

    const subgraph& w_;
    runtime::arena_vector<int64_t>
        reduced_from_;  // per node: most elements of a reduction before it; 0: none
    runtime::arena_vector<lead> lead_;
};

}  // namespace sinter::plan
