// One LLVM function of a kernel: its arguments, its current row, and the values of the kernel in
// that row.
#pragma once

#include "jit/codegen/llvm/emit_kernel.hpp"
#include "jit/kernel_ir/call.hpp"

#include <map>

namespace sinter::codegen {

using kernel_ir::kernel;
using kernel_ir::schedule;
using kernel_ir::value_id;

/// Returns true if a value belongs to a function's formula, which uses the bits of its argument or
/// an fma.
bool is_of_formula(const kernel_ir::instr& i);

/// The common state of all functions of one kernel.
struct kernel_context {
    llvm::Module& module;
    const kernel& k;
    schedule order;
    const emit_options& options;
    std::string name;
    unsigned width;                    // lanes of a vector
    bool exact_tails;                  // rows may be short and adjacent: see store_first
    std::vector<int> reduce_number;    // per value: number among the reductions of the body
    std::vector<value_id> rare_owner;  // per value: see rare_owners
    // the values that each `rare` owns, in order
    std::map<value_id, std::vector<value_id>> rare_parts;

    kernel_context(llvm::Module& module, const kernel& k, const emit_options& options,
                   std::string name);

    const kernel_ir::instr& at(value_id v) const { return k.body[static_cast<std::size_t>(v)]; }
    bool is_rare(value_id v) const {
        return rare_owner[static_cast<std::size_t>(v)] != kernel_ir::none;
    }
    bool along_elements() const { return k.along == kernel_ir::lanes::element; }
    bool fault(uint32_t bit) const { return (options.mode & bit) != 0; }
    int64_t reduce_lanes() const;
    /// Returns those of `ids` that `roots` depend on, and the roots among them.
    std::vector<value_id> needed(const std::vector<value_id>& ids,
                                 const std::vector<value_id>& roots) const;
    llvm::Function* add_function(const std::string& suffix, llvm::ArrayRef<llvm::Type*> parameters,
                                 bool exported) const;
};

struct pass_part;

class function_emitter {
public:
    /// Emits the function prologue of `f`, whose first argument is the kernel_call.
    function_emitter(const kernel_context& context, llvm::Function* f);

    /// Emits the end of the function: adds the bits that guards raised to the call's status, and
    /// returns.
    void finish();

    /// Says that a loop of the function has what FastISel selects badly (pass_list.hpp).
    void select_in_blocks();

    llvm::Value* field(std::size_t offset, llvm::Type* type);
    llvm::Value* number(int64_t n) { return b.getInt64(static_cast<uint64_t>(n)); }

    /// Runs `body` kernel_call::n2 times, with the operands of each repetition.
    void each_time(const std::function<void()>& body);

    /// Selects the row that the following calls refer to, if several rows run side by side. The
    /// default is the first.
    void select_row(std::size_t n);
    /// Calls body(n) for the first `count` rows, with row n selected.
    void each_row(std::size_t count, const std::function<void(std::size_t)>& body);
    /// Enters row `row` and forgets the values of the previous row. If lanes run along rows, `row`
    /// is the first of a vector of rows, of which `active` are in use (null: all).
    void enter_row(llvm::Value* row, llvm::Value* active);
    /// Enters a row at these addresses, one per operand, instead of the addresses of a row's start.
    void enter_at(const std::vector<llvm::Value*>& addresses);
    /// Emits row values and row stores.
    void emit_row(const std::vector<value_id>& ids);
    /// Emits those element values that are the same in every lane and element of the row.
    void hoist(const std::vector<value_id>& ids);
    /// Returns the point of a vector of elements from `element` on; if lanes run along rows, of a
    /// vector of rows at `element`.
    lane_point point(llvm::Value* element, llvm::Value* active);
    /// Emits element values and stores at each of the points, interleaved.
    void emit_elements(const std::vector<value_id>& ids, std::vector<lane_point>& points);
    /// Removes the values that are already computed at a point.
    static void drop_computed(std::vector<value_id>& ids, const lane_point& at) {
        std::erase_if(ids, [&](value_id id) { return at.values[index(id)] != nullptr; });
    }
    /// Emits element stores over elements [begin, end).
    void store_pass(const std::vector<value_id>& stores, const std::vector<value_id>& elements,
                    llvm::Value* begin, llvm::Value* end);

    /// Splits a pass over elements that computes `roots` into parts (loop_fission.hpp), without the
    /// values that are hoisted or rare. Returns one part if splitting gains nothing.
    std::vector<pass_part> split(std::vector<value_id> ids,
                                 const std::vector<value_id>& roots) const;
    /// Emits a part over elements [begin, end) of the chunk that begins at `chunk`.
    void run_part(const pass_part& part, unsigned unroll, llvm::Value* chunk, llvm::Value* begin,
                  llvm::Value* end);
    /// Emits a part at each of the points, interleaved.
    void run_part_at(const pass_part& part, std::vector<lane_point>& points, llvm::Value* chunk);
    /// Returns how many elements a chunk between parts has.
    int64_t part_elements() const { return chunk_vectors * lanes.width(); }
    /// Returns how many vectors of a pass are emitted at a time. Two hide latency, above all in
    /// formulas of functions. For a long chain of other operations they would only double the
    /// compile time.
    unsigned unroll_of(const std::vector<value_id>& ids, std::size_t parts) const;

    /// Returns the value of `id` at a point as a vector.
    llvm::Value* lanes_of(value_id id, const lane_point& at);
    llvm::Value* row_value(value_id id) const { return rows_[row_].values[index(id)]; }
    void set_row_value(value_id id, llvm::Value* v) { rows_[row_].values[index(id)] = v; }
    /// Returns the number of active rows if lanes run along rows; null: all.
    llvm::Value* active_rows() const { return rows_[row_].point.active; }

    /// Returns the address of the current row's first element in operand `o`.
    llvm::Value* row_address(std::size_t o) const { return rows_[row_].addresses[o]; }
    void set_row_address(std::size_t o, llvm::Value* row) { rows_[row_].addresses[o] = row; }
    /// Forgets the hoisted values, because the row continues at other addresses.
    void forget_hoisted() {
        std::fill(rows_[row_].hoisted.begin(), rows_[row_].hoisted.end(), nullptr);
    }
    llvm::Value* element_stride(std::size_t o) const { return operands_[o].s0; }
    llvm::Value* row_stride(std::size_t o) const { return operands_[o].s1; }
    /// Returns `address`, of operand `o`, advanced by `bytes`.
    llvm::Value* moved(std::size_t o, llvm::Value* address, llvm::Value* bytes);

    const kernel_context& context;
    llvm::Function* function;
    llvm::IRBuilder<> b;
    value_emitter values;
    lane_emitter lanes;
    llvm::Value* call;
    llvm::Value *n0, *n1;
    /// If true, divisions by a common divisor do not use a reciprocal: computing it takes as long
    /// as dividing one or two vectors.
    bool rows_are_few_vectors = false;

private:
    struct operand_value {
        llvm::Value *ptr, *s1, *s0;
    };
    struct row_state {
        std::vector<llvm::Value*> addresses;  // per operand: address of the row's first element
        std::vector<llvm::Value*> values, hoisted;
        lane_point point;
    };

    /// Memory for one value of a chunk of elements, between the parts of a pass.
    struct buffer {
        llvm::Type* type = nullptr;
        llvm::Value* memory = nullptr;
    };
    static constexpr int64_t chunk_vectors = 32;

    static std::size_t index(value_id id) { return static_cast<std::size_t>(id); }
    const kernel& k() const { return context.k; }
    llvm::Value* find(value_id id, const lane_point* at) const;
    llvm::Value* emit_one(value_id id, lane_point& at);
    /// Returns true if `i` divides vectors by a value that is the same for all elements of the row.
    bool divides_alike(const kernel_ir::instr& i, const lane_point& at) const;
    void emit_divisions(value_id id, std::vector<lane_point>& points);
    /// Emits a `rare` choice at each point. The values that it owns are computed only if a lane at
    /// any point needs them.
    void emit_rare(value_id id, std::vector<lane_point>& points);
    llvm::Value* emit_index(const kernel_ir::instr& i, const lane_point& at);
    llvm::Value* emit_guard(const kernel_ir::instr& i, lane_point& at);
    void emit_store(const kernel_ir::instr& i, lane_point& at);
    llvm::Value* address(const kernel_ir::instr& i, const lane_point& at);
    /// Returns the address of `element` in dense memory that begins with element `begin` (null: 0)
    /// at `first`. A constant that was added to `element` becomes a distance behind the address, as
    /// instructions have it at no cost.
    llvm::Value* element_address(llvm::Type* type, llvm::Value* first, llvm::Value* element,
                                 llvm::Value* begin = nullptr);
    /// Removes the values that are hoisted or rare.
    void drop_emitted(std::vector<value_id>& ids) const;
    llvm::Value* in_buffer(value_id id, const lane_point& at, llvm::Value* chunk);
    /// Returns the lane stride class of operand `o`. An `across` operand is read from a tile, so
    /// its class is unit.
    static kernel_ir::stride_class lane_of(const kernel_ir::operand& o) {
        using kernel_ir::stride_class;
        return o.lane == stride_class::across ? stride_class::unit : o.lane;
    }
    llvm::Value* lane_stride(const kernel_ir::instr& i) const;
    /// Returns true if values of this domain have one element per lane.
    bool is_vector(kernel_ir::domain d) const {
        return !context.along_elements() || d == kernel_ir::domain::element;
    }

    std::vector<operand_value> operands_;
    std::vector<llvm::Value*> scalars_;
    std::vector<row_state> rows_;
    std::size_t row_ = 0;
    llvm::AllocaInst* status_ = nullptr;
    std::map<value_id, buffer> buffers_;
};

}  // namespace sinter::codegen
