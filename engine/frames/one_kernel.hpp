// The shortest way through a recording whose plan is one compiled kernel on the CPU: its launch is
// prepared once, and a call only puts addresses into it.
#pragma once

#include "engine/frames/recording.hpp"
#include "engine/frames/taken_places.hpp"
#include "engine/run/executable/ready_launch.hpp"

#include <array>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace sinter::frames {

class one_kernel {
public:
    static constexpr std::size_t most_operands = plan::ready_launch::most_operands,
                                 most_storages = 4, most_scalars = 32;

    /// Returns null if the plan is another one, is still being chosen by measuring, or its kernel
    /// is not compiled yet. `w`: the recording's subgraph.
    static std::unique_ptr<one_kernel> make(const recording& r, const plan::executable& code,
                                            const plan::subgraph& w);

    using storages = std::array<intrusive_ptr<Storage>, most_storages>;
    /// Runs the kernel over the newest values of the arguments and fills `made`. The caller holds
    /// the graph mutex, which is released while a long kernel runs. Returns false, with nothing
    /// done, if a value is not ready or another flush is in the way. Throws OutOfMemoryError.
    bool run(const recording& r, std::span<TensorImpl* const> arguments, const taken_places& places,
             std::unique_lock<runtime::waiting_lock>& graph_lock, storages& made) const;

private:
    struct operand {
        int leaf = -1, storage = -1;  // both -1: an index
        int64_t offset = 0;           // bytes; the index
    };

    /// A scalar that the place of a draw sets.
    struct drawn_scalar {
        std::size_t at;
        int draw;
        bool first;  // else the seed
    };

    explicit one_kernel(const plan::executable& code) : launch_(code) {}
    void launch(std::span<const Version* const> leaves, const taken_places& places,
                const storages& made) const;

    std::vector<operand> operands_;
    std::vector<uint64_t> scalars_;
    std::vector<drawn_scalar> drawn_;
    plan::ready_launch launch_;
};

}  // namespace sinter::frames
