// The nodes of a recording, in no graph. A call binds them to its own values, so each call that
// runs has a frame of its own.
#pragma once

#include "engine/frames/parts.hpp"
#include "engine/frames/recording.hpp"
#include "engine/frames/taken_places.hpp"
#include "engine/plan/subgraph.hpp"

#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace sinter::frames {

class frame {
public:
    explicit frame(const recording& r);

    /// Binds the nodes to the values of a call. `results`: of nodes, null for those that only other
    /// nodes read, which get versions of their own. Afterwards a value is held by those who read it
    /// or return it, as plans expect.
    void bind(const recording& r, std::span<const intrusive_ptr<Version>> leaves,
              std::span<const intrusive_ptr<Version>> results, const taken_places& places);
    /// Returns what the plan of a part works on; it refers to the frame until the part is released.
    plan::subgraph work_of(const recording& r, const recorded_part& p);
    void release(const recorded_part& p) noexcept;

    std::span<const std::unique_ptr<Node>> nodes() const { return nodes_; }

private:
    std::vector<std::unique_ptr<Node>> nodes_;
    std::vector<Version*> values_;  // of the nodes, then of the leaves
};

/// The claims on the nodes of a frame. Those of a part are held while the part runs: what it reads
/// is not overwritten meanwhile. Other threads wait for the values of nodes whose part has not
/// begun.
class frame_claims {
public:
    /// Enters a flush and waits until the first part may run. Calls `begin` then, and `end` when
    /// the claims end, under the graph mutex.
    frame_claims(const frame& of, const recorded_part& first, const std::function<void()>& begin,
                 std::function<void()> end);
    /// Ends the claims of the part before and takes those of this one.
    void move_on(const recorded_part& before, const recorded_part& next);
    ~frame_claims();
    frame_claims(const frame_claims&) = delete;

private:
    bool claim_all(const recorded_part& p) const;
    Node& node(int i) const { return *of_.nodes()[static_cast<std::size_t>(i)]; }

    const frame& of_;
    std::function<void()> end_;
};

}  // namespace sinter::frames
