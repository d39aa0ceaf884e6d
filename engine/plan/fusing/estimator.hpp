// Translates a node and the cluster that would compute it into the terms of the cost model. The
// fuser makes the decisions.
#pragma once

#include "engine/plan/cluster.hpp"
#include "engine/plan/fusing/cost_model.hpp"

namespace sinter::plan {

class estimator {
public:
    explicit estimator(const subgraph& w);

    /// Judges a pointwise value computed where `u` reads it. `times`: the number of maps through
    /// which the cluster reads the value.
    verdict of_value(int v, const cluster& c, const use& u, int times, const placement& p) const;
    /// Judges the operations of a map if fusing the value turns its long loops into short ones.
    verdict of_loops(const Node& n, const cluster& c, const placement& p) const;
    /// Judges the operations of a cluster if the reduction `n` joins it. If lanes run along the
    /// reduced range, operations on rows become scalar. Otherwise operations on elements get short
    /// vectors or strided operands.
    verdict with_reduction(const Node& n, const cluster& c, const placement& p) const;

    /// Returns true if a later stage can reload the value of an earlier stage from an output.
    bool can_keep(const Node& n, const cluster& c, const use& u) const;

private:
    /// The pointwise operations that produce a value, itself included.
    struct lead {
        double cost = 0;   // primitives per element
        bool flat = true;  // each of them is a single loop
    };

    const Node& node(int v) const { return *w_.nodes[static_cast<std::size_t>(v)]; }
    lead lead_up_to(const Node& n) const;
    verdict behind_short_rows(const Node& n, const cluster& c, const placement& p) const;

    const subgraph& w_;
    runtime::arena_vector<int64_t>
        reduced_from_;  // per node: size of the largest reduction result it depends on, or 0
    runtime::arena_vector<lead> lead_;
};

}  // namespace sinter::plan
