// Works like a recorded one: the same operations over other sizes and layouts.
#pragma once

#include "engine/recordings/dimensions.hpp"
#include "engine/recordings/portable_work.hpp"

#include <functional>
#include <random>
#include <set>

namespace sinter::plan {

/// An endless sequence, the same for the same work. Sizes that are equal because the program could
/// not run otherwise stay equal.
class variations {
public:
    /// Throws as restored_work does, and is planned for the same GPU. An arena must exist as long
    /// as this.
    variations(const uint8_t* data, std::size_t size, const runtime::gpu* on = nullptr);

    /// Returns the next one. It can be planned until the next call.
    const subgraph& next();
    /// Returns the one that all works have which differ in free sizes and in layouts alone.
    const subgraph& common();
    std::size_t nodes() const { return work_.w.nodes.size(); }

private:
    /// Reads of one ready value with one layout. A write to the base is one of them.
    struct operand {
        std::vector<geometry_ptr*> reads;  // their layouts
        std::vector<Edge*> edges;          // the same but for a write
        std::vector<int> slots;
        geometry_ptr recorded;
        int value;
        ScalarType dtype;
        bool number = false;  // 0-d: it repeats along all dimensions
    };
    /// The dimensions of a slot: two if its root is divided.
    struct extents {
        int64_t of[2] = {1, 1};
        int count = 1;
    };

    uint64_t draw(uint64_t below) { return random_() % below; }
    bool chance(int percent) { return draw(100) < static_cast<uint64_t>(percent); }
    void find_operands();
    void add_operand(Edge* e, geometry_ptr& shape, const std::vector<int>& slots, int value,
                     ScalarType dtype);
    bool draw_sizes();
    int64_t draw_size();
    extents extents_of(int slot) const;
    bool has_elements() const;
    void set_results();
    void set_views();
    void set_operands(bool dense);
    geometry_ptr draw_layout(const operand& o, bool dense);
    void join_operands();

    restored_work work_;
    bool reduces_ = false;  // some node is a reduction
    dimensions dims_;
    std::vector<operand> operands_;
    std::vector<geometry_ptr> results_;  // as recorded
    std::vector<uint64_t> reduced_;      // as recorded
    std::vector<int64_t> sizes_;         // by slot
    std::vector<int64_t> inner_;         // by root: size of the inner part, or 0
    std::mt19937_64 random_;
};

/// Calls `plan` on variations of a work, and of those in which its nodes are divided otherwise,
/// until many in a row bring nothing new: until it returns false for them. Variations that cannot
/// be planned are left out. `known`: what works widened before have in common; does nothing for
/// those.
void widen_work(const std::vector<uint8_t>& work, std::set<std::vector<uint8_t>>& known,
                const std::function<bool(const subgraph&)>& plan, const runtime::gpu* on = nullptr);

}  // namespace sinter::plan
