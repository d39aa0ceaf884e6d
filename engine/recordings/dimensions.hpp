// Which sizes of a work depend on each other: what holds when the work is given other sizes.
#pragma once

#include "engine/plan/subgraph.hpp"

#include <vector>

namespace sinter::plan {

/// One dimension of a read, in terms of the result that is read.
struct view_dim {
    int of = -1;         // the dimension of the result along which it runs; -1: it repeats
    int64_t factor = 1;  // of strides; negative: backwards
    int parts = 0;       // this many of the next dimensions divide the same dimension further
};

/// A node's read of another's result.
struct result_view {
    bool literal = false;         // no relation is known: all sizes are as recorded
    std::vector<view_dim> dims;   // of the read
    std::vector<int64_t> starts;  // by dimension of the result; -1 - n: n before its end
};

/// The sizes of results and reads, each of which has a slot. A size is that of another slot, the
/// root, plus a number. The size of a root is free, fixed, or a product.
class dimensions {
public:
    explicit dimensions(const subgraph& w);

    int of_result(std::size_t node, int d) const { return results_[node] + d; }
    int of_read(std::size_t node, std::size_t source, int d) const {
        return reads_[node][source] + d;
    }
    const result_view& view(std::size_t node, std::size_t source) const {
        return views_[node][source];
    }

    int root_of(int slot) const;
    int64_t recorded(int slot) const { return slots_[at(slot)].recorded; }
    const std::vector<int>& free_roots() const { return free_; }
    /// Returns true if the dimensions of a free root may be divided into two.
    bool divisible(int root) const { return !slots_[at(root)].whole; }
    /// Returns the sizes of all slots, given those of the free roots. Returns none if there are
    /// none.
    std::vector<int64_t> sizes(const std::vector<int64_t>& of_free) const;

private:
    struct slot {
        int64_t recorded;
        int parent;
        bool fixed = false;        // of a root
        bool whole = false;        // of a root
        std::vector<int> factors;  // of a root: slots
    };
    struct product {
        int slot;
        std::vector<int> factors;
    };

    static std::size_t at(int i) { return static_cast<std::size_t>(i); }
    int add(const geometry& g);
    void join(int a, int b);
    void fix(int slot) { slots_[at(root_of(slot))].fixed = true; }
    void join_operands(const Node& n, std::size_t i);
    void join_library(const Node& n, std::size_t i);
    void join_reads(const subgraph& w);
    bool find_view(const Node& made, std::size_t v, const Edge& e, int read, result_view& view);
    void multiply(const product& p);

    std::vector<slot> slots_;
    std::vector<int> results_;
    std::vector<std::vector<int>> reads_;
    std::vector<std::vector<result_view>> views_;
    std::vector<product> products_;
    std::vector<int> free_;
};

}  // namespace sinter::plan
