// Runs one fused kernel by block rows until its code is compiled. The kernel's values are computed
// for a block of lanes at a time, each by eager mode's function for it. So the bits equal those of
// every other way to run it, and no intermediate leaves the first-level cache.
//
//   lanes    `lanes::element`: a block is a run of elements of one row, and a row value is one
//            number. `lanes::row`: a block is a run of rows at one element.
//   uniform  A value that is one number for all lanes of a block; it lies in a cell of eight bytes.
//   memory   A call has one allocation: cells, row values that differ between lanes, the slots of
//            element values, and the buffers that gather the operands of reductions.
#pragma once

#include "jit/interpret/state_tree.hpp"
#include "jit/kernel_ir/call.hpp"
#include "jit/kernel_ir/kernel_ir.hpp"
#include "jit/kernel_ir/schedule.hpp"
#include "jit/launch/reduction_plan.hpp"
#include "jit/simd/block.hpp"

#include <optional>
#include <vector>

namespace sinter::block {

class block_kernel final : public kernel_ir::call_runner {
public:
    /// Takes a kernel at row level.
    explicit block_kernel(const kernel_ir::kernel& k);

    void run_call(const kernel_ir::kernel_call& call) const override;
    means by() const override { return means::blocks; }

    kernel_ir::lanes along() const { return kernel_.along; }
    /// Returns how threads share rows that this runs; null for a kernel without reductions.
    const runtime::reduction_plan* reductions() const {
        return reductions_ ? &*reductions_ : nullptr;
    }

private:
    friend class block_call;
    /// Returns true if the operand is the same in all lanes. An operand that is constant within
    /// runs only is copied for block rows.
    bool is_still(const kernel_ir::operand& o) const {
        return o.lane == kernel_ir::stride_class::zero && kernel_.form != kernel_ir::row_form::runs;
    }
    using value_id = kernel_ir::value_id;
    using instr = kernel_ir::instr;

    /// The place where a step leaves its value.
    enum class place : uint8_t {
        cell,       // uniform
        row_array,  // a row value, one per lane, until the rows are done
        slot,       // an element value, until its last use
        memory,     // nowhere: the operand's memory already is a block of it
        collector,  // in a buffer that gathers the operand of a reduction
        output,     // in the memory that a store writes
    };

    /// One instruction in one of the lists of a schedule.
    struct step {
        value_id v;
        place to;
        bool round = false;  // rounds to the narrow type; if false, a store rounds
        int64_t at = 0;      // row_array, slot: offset in bytes per lane; collector: its number;
                             // output: the store
        int64_t converted[3] = {};  // slots of arguments that are converted
    };

    /// The properties of a value, the same wherever it is computed.
    struct value_form {
        bool uniform = false;
        bool constant = false;  // depends on scalars alone
        bool direct_load = false;
        int64_t size = 0;  // bytes per lane
        block::block_fn row = nullptr;
        block::load_fn load = nullptr;    // load, cast; null for index and scalar
        block::load_fn convert[3] = {};   // of arguments; null if they have the right type
        block::store_fn round = nullptr;  // null if the type is not narrow
        block::load_fn spread = nullptr;  // repeats one number over a block
        block::store_fn store = nullptr;  // to memory of its type
    };

    struct element_store {
        value_id store;
        bool done = false;  // true if the last step of the stage wrote directly to the output
    };

    /// Elements that a stage reduces, gathered until a whole chunk or group of rows is complete.
    struct collector {
        value_id v;
        block::load_fn convert;  // to the accumulator's type; null if steps write here directly
        int64_t size;
        bool memory = false;  // nothing is gathered: the operand's memory has the elements in line
        int64_t offset = 0;   // bytes
    };

    struct stage_reduction {
        value_id v;
        state_form form;
        std::size_t collector;
        std::size_t ordinal;       // word of row_values
        int64_t words_offset;      // of its state within a chunk's states
        int64_t lanes_offset = 0;  // bytes; lanes::row
    };

    struct stage_steps {
        std::vector<step> before, elements;
        std::vector<element_store> stores;
        std::vector<collector> collectors;
        std::vector<stage_reduction> reductions;
        int64_t words = 0;  // of a chunk's states
        int passes = 1;
        bool idle = false;  // no element needs computing
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
    bool only_reduces_ = false;          // a row is reduced where it is in memory
    bool reads_across_ = false;          // an operand is read across; a call runs in tiles
    std::vector<int64_t> row_array_at_;  // per value: offset in bytes per lane

    // ---- memory of a call, in bytes
    int64_t block_ = 0;           // lanes per block
    int64_t group_ = 0;           // elements that collectors hold (lanes::row)
    int64_t row_array_lane_ = 0;  // bytes per lane of all row arrays
    int64_t slot_lane_ = 0;       // bytes per lane of the slots of the widest stage
    int64_t spread_ = 0;          // the slot that repeats a number so that it can be stored
    int64_t row_arrays_ = 0, slots_ = 0, collectors_ = 0;  // offsets of their first bytes
    int64_t bytes_ = 0;
};

}  // namespace sinter::block
