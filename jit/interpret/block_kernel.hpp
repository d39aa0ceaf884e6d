// One fused kernel by block rows: what runs until its code is compiled. The kernel's values are
// computed for a block of lanes at a time, each by the function that eager mode has for it, so the
// bits are those of every other way to run it, and no intermediate leaves the first-level cache.
//
//   lanes    `lanes::element`: a block is a run of elements of one row, and a row value is one
//            number. `lanes::row`: a block is a run of rows at one element.
//   uniform  A value that is one number for all lanes of a block, in a cell of eight bytes.
//   memory   A call has one piece of memory: cells, row values that differ from lane to lane, the
//            slots of element values, and what gathers the operands of reductions.
#pragma once

#include "jit/interpret/state_tree.hpp"
#include "jit/kernel_ir/call.hpp"
#include "jit/kernel_ir/kernel_ir.hpp"
#include "jit/kernel_ir/schedule.hpp"
#include "jit/launch/reduction_plan.hpp"
#include "jit/simd/block.hpp"

#include <optional>
#include <vector>

namespace sinter::eager {

class block_kernel final : public kernel_ir::call_runner {
public:
    /// Of a kernel at row level.
    explicit block_kernel(const kernel_ir::kernel& k);

    void run_call(const kernel_ir::kernel_call& call) const override;
    means by() const override { return means::blocks; }

    kernel_ir::lanes along() const { return kernel_.along; }
    /// How threads share rows that this runs; null for a kernel without reductions.
    const runtime::reduction_plan* reductions() const {
        return reductions_ ? &*reductions_ : nullptr;
    }

private:
    friend class block_call;
    /// The same in all lanes. What is so within runs only is copied for block rows.
    bool is_still(const kernel_ir::operand& o) const {
        return o.lane == kernel_ir::stride_class::zero && kernel_.form != kernel_ir::row_form::runs;
    }
    using value_id = kernel_ir::value_id;
    using instr = kernel_ir::instr;

    /// Where a step leaves its value.
    enum class place : uint8_t {
        cell,       // uniform
        row_array,  // a row value, one a lane, until the rows are done
        slot,       // an element value, until its last use
        memory,     // nowhere: the operand's memory is a block of it already
        collector,  // in line, for a reduction
        output,     // in the memory of a store
    };

    /// One instruction at its place in one of the lists of a schedule.
    struct step {
        value_id v;
        place to;
        bool round = false;  // to its narrow type; otherwise a store does that
        int64_t at = 0;      // row_array, slot: bytes a lane before it; collector: its number;
                             // output: the store
        int64_t converted[3] = {};  // slots of arguments that are converted
    };

    /// What is known of a value wherever it is computed.
    struct value_form {
        bool uniform = false;
        bool constant = false;  // depends on scalars alone
        bool direct_load = false;
        int64_t size = 0;  // bytes a lane
        block::block_fn row = nullptr;
        block::load_fn load = nullptr;    // load, cast; and index, scalar: none
        block::load_fn convert[3] = {};   // of arguments, null where they are right
        block::store_fn round = nullptr;  // null where the type is not narrow
        block::load_fn spread = nullptr;  // from one to many
        block::store_fn store = nullptr;  // to memory of its type
    };

    struct element_store {
        value_id store;
        bool done = false;  // by the last step of the stage, which wrote to the output
    };

    /// Elements that a stage reduces, gathered until a whole chunk or group of rows is there.
    struct collector {
        value_id v;
        block::load_fn convert;  // to the accumulator's type; null: steps write here
        int64_t size;
        bool memory = false;  // nothing is gathered: the operand's memory is that already
        int64_t offset = 0;   // bytes
    };

    struct stage_reduction {
        value_id v;
        state_form form;
        std::size_t collector;
        std::size_t ordinal;       // word of row_values
        int64_t words_offset;      // of its state in a chunk's
        int64_t lanes_offset = 0;  // bytes; lanes::row
    };

    struct stage_steps {
        std::vector<step> before, elements;
        std::vector<element_store> stores;
        std::vector<collector> collectors;
        std::vector<stage_reduction> reductions;
        int64_t words = 0;  // of a chunk's states
        int passes = 1;
        bool idle = false;  // nothing to do for single elements
    };

    const instr& at(value_id v) const { return kernel_.body[static_cast<std::size_t>(v)]; }
    const value_form& form(value_id v) const { return forms_[static_cast<std::size_t>(v)]; }
    bool by_element() const { return kernel_.along == kernel_ir::lanes::element; }

    value_form make_form(value_id v) const;
    void form_row(value_form& f, const instr& i) const;
    void make_lists();
    std::vector<step> place_row_values(const std::vector<value_id>& list);
    step place_row_value(value_id v);
    void collect(const kernel_ir::stage& s, stage_steps& steps) const;
    void place_elements(const kernel_ir::stage& s, stage_steps& steps);
    void choose_output(stage_steps& steps) const;
    void lay_out();

    kernel_ir::kernel kernel_;
    std::vector<value_form> forms_;
    std::vector<step> constants_, after_;
    std::vector<stage_steps> stages_;
    std::optional<runtime::reduction_plan> reductions_;
    std::vector<int64_t> row_array_at_;  // per value: bytes a lane before it

    // ---- memory of a call, in bytes
    int64_t block_ = 0;           // lanes
    int64_t group_ = 0;           // elements that collectors hold; lanes::row
    int64_t row_array_lane_ = 0;  // bytes a lane of all row arrays
    int64_t slot_lane_ = 0;       // bytes a lane of the slots of the widest stage
    int64_t spread_ = 0;          // the slot where a number is repeated to be stored
    int64_t row_arrays_ = 0, slots_ = 0, collectors_ = 0;  // where they begin
    int64_t bytes_ = 0;
};

}  // namespace sinter::eager
