// One LLVM function of a kernel: its arguments, the row it is in, and the values of the kernel
// there.
#pragma once

#include "jit/codegen/llvm/emit_kernel.hpp"
#include "jit/kernel_ir/call.hpp"

#include <map>

namespace sinter::codegen {

using kernel_ir::kernel;
using kernel_ir::schedule;
using kernel_ir::value_id;

/// What all functions of one kernel share.
struct kernel_context {
    llvm::Module& module;
    const kernel& k;
    schedule order;
    const emit_options& options;
    std::string name;
    unsigned width;                    // lanes of a vector
    bool exact_tails;                  // rows may be short and follow each other: see store_first
    std::vector<int> reduce_number;    // per value: place among the reductions of the body
    std::vector<value_id> rare_owner;  // per value: see rare_owners
    std::map<value_id, std::vector<value_id>> rare_parts;  // what each choice owns, in order

    kernel_context(llvm::Module& module, const kernel& k, const emit_options& options,
                   std::string name);

    const kernel_ir::instr& at(value_id v) const { return k.body[static_cast<std::size_t>(v)]; }
    bool is_rare(value_id v) const {
        return rare_owner[static_cast<std::size_t>(v)] != kernel_ir::none;
    }
    bool along_elements() const { return k.along == kernel_ir::lanes::element; }
    bool fault(uint32_t bit) const { return (options.mode & bit) != 0; }
    int64_t reduce_lanes() const;
    /// Those of `ids` that `roots` depend on.
    std::vector<value_id> needed(const std::vector<value_id>& ids,
                                 const std::vector<value_id>& roots) const;
    llvm::Function* add_function(const std::string& suffix, llvm::ArrayRef<llvm::Type*> parameters,
                                 bool exported) const;
};

struct pass_part;

class function_emitter {
public:
    /// Emits the prologue of `f`, whose first argument is the kernel_call.
    function_emitter(const kernel_context& context, llvm::Function* f);

    /// Adds what guards raised to the call's status, and returns.
    void finish();

    llvm::Value* field(std::size_t offset, llvm::Type* type);
    llvm::Value* number(int64_t n) { return b.getInt64(static_cast<uint64_t>(n)); }

    /// Runs `body` for each time that the call asks for.
    void each_time(const std::function<void()>& body);

    /// Which of several rows side by side the following concerns; the first one else.
    void select_row(std::size_t n);
    /// Moves to row `row` (the first of a vector of rows where lanes run along rows, of which
    /// `active` are in use, or all). Forgets the values of the row before.
    void enter_row(llvm::Value* row, llvm::Value* active);
    /// The same at these addresses, one for each operand, instead of those of a row's beginning.
    void enter_at(const std::vector<llvm::Value*>& addresses);
    /// Emits row values and row stores.
    void emit_row(const std::vector<value_id>& ids);
    /// Emits those element values that are the same in every lane and element of the row.
    void hoist(const std::vector<value_id>& ids);
    /// A vector of elements from `element` on; where lanes run along rows, of rows at `element`.
    lane_point point(llvm::Value* element, llvm::Value* active);
    /// Emits element values and stores at each of the points, interleaved.
    void emit_elements(const std::vector<value_id>& ids, std::vector<lane_point>& points);
    /// Leaves out what has been computed at a point.
    static void drop_computed(std::vector<value_id>& ids, const lane_point& at) {
        std::erase_if(ids, [&](value_id id) { return at.values[index(id)] != nullptr; });
    }
    /// Emits element stores over elements [begin, end).
    void store_pass(const std::vector<value_id>& stores, const std::vector<value_id>& elements,
                    llvm::Value* begin, llvm::Value* end);

    /// The value of `id` at a point, as a vector.
    llvm::Value* lanes_of(value_id id, const lane_point& at);
    llvm::Value* row_value(value_id id) const { return rows_[row_].values[index(id)]; }
    void set_row_value(value_id id, llvm::Value* v) { rows_[row_].values[index(id)] = v; }
    /// Active rows where lanes run along rows; null: all.
    llvm::Value* active_rows() const { return rows_[row_].point.active; }

    /// Where operand `o` has the current row's first element.
    llvm::Value* row_address(std::size_t o) const { return rows_[row_].addresses[o]; }
    void set_row_address(std::size_t o, llvm::Value* row) { rows_[row_].addresses[o] = row; }
    /// Forgets what `hoist` made: the row goes on elsewhere.
    void forget_hoisted() {
        std::fill(rows_[row_].hoisted.begin(), rows_[row_].hoisted.end(), nullptr);
    }
    llvm::Value* element_stride(std::size_t o) const { return operands_[o].s0; }
    llvm::Value* row_stride(std::size_t o) const { return operands_[o].s1; }
    /// `address`, of operand `o`, so many bytes on.
    llvm::Value* moved(std::size_t o, llvm::Value* address, llvm::Value* bytes);

    const kernel_context& context;
    llvm::Function* function;
    llvm::IRBuilder<> b;
    value_emitter values;
    lane_emitter lanes;
    llvm::Value* call;
    llvm::Value *n0, *n1;
    /// Divisors are not worth a reciprocal: it takes as long as dividing a vector or two.
    bool rows_are_few_vectors = false;

private:
    struct operand_value {
        llvm::Value *ptr, *s1, *s0;
    };
    struct row_state {
        std::vector<llvm::Value*> addresses;  // per operand: of the row's first element
        std::vector<llvm::Value*> values, hoisted;
        lane_point point;
    };

    /// One value of a chunk of elements, between the parts of a pass.
    struct buffer {
        llvm::Type* type = nullptr;
        llvm::Value* memory = nullptr;
    };
    static constexpr int64_t chunk_vectors = 32;

    static std::size_t index(value_id id) { return static_cast<std::size_t>(id); }
    const kernel& k() const { return context.k; }
    llvm::Value* find(value_id id, const lane_point* at) const;
    llvm::Value* emit_one(value_id id, lane_point& at);
    /// Whether vectors are divided by what is the same for all elements of the row.
    bool divides_alike(const kernel_ir::instr& i, const lane_point& at) const;
    void emit_divisions(value_id id, std::vector<lane_point>& points);
    /// A choice at each point: what it owns is computed where it is needed by a lane of any.
    void emit_rare(value_id id, std::vector<lane_point>& points);
    llvm::Value* emit_index(const kernel_ir::instr& i, const lane_point& at);
    llvm::Value* emit_guard(const kernel_ir::instr& i, lane_point& at);
    void emit_store(const kernel_ir::instr& i, lane_point& at);
    llvm::Value* address(const kernel_ir::instr& i, const lane_point& at);
    /// Emits a part of a pass over elements [begin, end) of the chunk that begins at `chunk`.
    void store_part(const pass_part& part, unsigned unroll, llvm::Value* chunk, llvm::Value* begin,
                    llvm::Value* end);
    llvm::Value* in_buffer(value_id id, const lane_point& at, llvm::Value* chunk);
    /// How lanes find operand `o`; what is read across them lies in a tile, as units.
    static kernel_ir::stride_class lane_of(const kernel_ir::operand& o) {
        using kernel_ir::stride_class;
        return o.lane == stride_class::across ? stride_class::unit : o.lane;
    }
    llvm::Value* lane_stride(const kernel_ir::instr& i) const;
    /// Whether values of this domain have one element a lane.
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
