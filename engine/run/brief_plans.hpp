// Plans of one kernel over few nodes, prepared once: their launch needs addresses and scalars
// alone. Found by the structure of the work, as other plans are, but under the graph mutex. A short
// kernel also runs under it, since claims, which take it twice, would take longer. Longer kernels
// are kept if they reduce to few elements: others may take the memory of their operands, which
// needs a plan.
#pragma once

#include "engine/run/execute.hpp"

#include <boost/container/static_vector.hpp>

#include <cstddef>
#include <memory>
#include <span>

namespace sinter::plan {

struct brief_plan;

/// Nodes to destroy without the graph mutex, perhaps with their sources.
class taken_nodes {
public:
    static constexpr std::size_t most = 16;

    taken_nodes() {}  // NOLINT(modernize-use-equals-default): does not clear the array
    ~taken_nodes() {
        for (std::size_t i = 0; i < count_; ++i) delete node_[i];
    }
    taken_nodes(const taken_nodes&) = delete;
    void take(std::unique_ptr<Node> n) { node_[count_++] = n.release(); }

    boost::container::static_vector<intrusive_ptr<Version>, most> held;  // values that must outlive
                                                                         // the flush

private:
    std::size_t count_ = 0;
    Node* node_[most];
};

/// The pending nodes that some values need and the values that they read, numbered as those of a
/// subgraph. All use is under the graph mutex.
class brief_work {
public:
    static constexpr std::size_t most_nodes = taken_nodes::most, most_values = 40, most_words = 320;

    brief_work() {}  // NOLINT(modernize-use-equals-default): does not clear the arrays
    ~brief_work();
    brief_work(const brief_work&) = delete;

    /// Returns false if there are too many nodes, if some are claimed, write parts, are
    /// hand-written or must be stored, or if some value cannot be read now.
    bool collect(std::span<Version* const> targets);
    /// Returns the prepared plan, which lives as long as the process, or null.
    const brief_plan* find() const;
    /// Claims the nodes for a flush that does not hold the mutex, which must be free to enter.
    void claim_all();
    void unclaim_all();
    /// Says where a target is computed. Each is told before `run`.
    void place(const Version& target, const Buffer& memory);
    /// Computes the targets. Does not need the mutex if the nodes are claimed.
    void run(const brief_plan& p) const;

    /// Once the targets are published: takes the nodes out of the graph, except those that a tensor
    /// still holds. They stay pending and are stored when they are computed again.
    void end(taken_nodes& taken);

private:
    bool visit(Version& v);
    bool number_values();
    void forget_numbers();
    bool is_wanted(std::size_t node) const { return wanted_ >> node & 1; }

    std::size_t nodes_ = 0, values_ = 0, words_ = 0;
    Node* node_[most_nodes];
    Version* value_[most_values];
    int64_t offset_[most_values];       // of the first read of each value
    uint64_t word_[most_words];         // the structure
    const Buffer* memory_[most_nodes];  // of targets
    uint32_t wanted_ = 0;               // the targets, one bit for each node
    bool backward_ = false;
    bool numbered_ = false;  // versions hold scratch numbers
};

/// Returns true if the plan's kernel may run under the mutex.
bool is_brief(const brief_plan& p);

/// Keeps the plan of a subgraph if it is such a plan and its kernel is compiled.
void learn_brief_plan(const subgraph& w, const executable& e);

}  // namespace sinter::plan
