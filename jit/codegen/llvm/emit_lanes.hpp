// Lanes: where a vector stands in the iteration space, which of its lanes are active, and how its
// operands are read and written there.
#pragma once

#include "jit/codegen/llvm/emit_value.hpp"

#include <functional>
#include <vector>

namespace sinter::codegen {

/// What a target level means for the shape of the code.
struct vector_shape {
    unsigned bits;      // of a vector register
    bool narrow_masks;  // masked access to elements of 8 and 16 bits exists
};

/// The vector of a pass: its first lane's address in every operand, and its active lanes.
struct lane_point {
    llvm::Value* element = nullptr;  // index of the (first) element
    llvm::Value* active = nullptr;   // number of active lanes, the first ones; null: all
    llvm::Value* skipped = nullptr;  // so many lanes, or none if below 0, are not; null: none
    llvm::Value* mask = nullptr;     // the same as bits, made when first needed
    bool exact = false;              // what follows the active lanes is soon read
    std::size_t row = 0;             // which of the rows side by side
    std::vector<llvm::Value*> values;
};

/// Loops, masks and strided vectors at the insertion point of a builder.
class lane_emitter {
public:
    lane_emitter(llvm::IRBuilder<>& builder, value_emitter& values, vector_shape shape,
                 unsigned width)
        : b_(builder), values_(values), shape_(shape), width_(width) {}

    unsigned width() const { return width_; }

    /// A stack slot, allocated in the function's first block.
    llvm::AllocaInst* slot(llvm::Type* type, llvm::Value* count = nullptr);

    using values = std::vector<llvm::Value*>;
    /// `for (i = begin; i < end; i += step)`: `body` gets i and the carried values and returns the
    /// new ones. Returns the last carried values, and behind them the first i not below `end`.
    values loop(llvm::Value* begin, llvm::Value* end, int64_t step, values carried,
                const std::function<values(llvm::Value*, const values&)>& body);
    values loop(llvm::Value* begin, llvm::Value* end, llvm::Value* step, values carried,
                const std::function<values(llvm::Value*, const values&)>& body);
    void if_then(llvm::Value* condition, const std::function<void()>& body);
    /// `known` where the condition holds, else what `make` emits.
    values choose(llvm::Value* condition, const values& known, const std::function<values()>& make);
    /// The same, where the condition nearly always holds.
    values usually(llvm::Value* condition, const values& known,
                   const std::function<values()>& make);

    /// Whether masked access to an operand goes lane by lane.
    static bool has_slow_tail(const kernel_ir::kernel& k, vector_shape shape);

    /// Lane numbers as a vector.
    llvm::Value* iota(llvm::Type* element);
    llvm::Value* mask(lane_point& at);
    /// The lowest `limit` and `n`.
    llvm::Value* at_most(llvm::Value* n, int64_t limit);

    /// Lanes of type `type` in memory, from `address` on, `stride` bytes apart. A uniform value
    /// where the stride class is zero. Only active lanes touch memory.
    llvm::Value* load(ScalarType type, kernel_ir::stride_class lane, llvm::Value* address,
                      llvm::Value* stride, lane_point& at);
    void store(ScalarType type, kernel_ir::stride_class lane, llvm::Value* value,
               llvm::Value* address, llvm::Value* stride, lane_point& at, bool fault_whole);

private:
    values choose(llvm::Value* condition, const values& known, const std::function<values()>& make,
                  llvm::MDNode* odds);
    bool has_masked_access(llvm::Type* element) const;
    static bool is_slow(kernel_ir::stride_class lane, int64_t bytes, bool writes,
                        vector_shape shape);
    /// Every second word of twice as many in memory.
    llvm::Value* load_pairs(llvm::Type* words, llvm::Value* address, lane_point& at);
    void store_pairs(llvm::Value* words, llvm::Value* address, lane_point& at);
    llvm::Value* first_words(llvm::Value* count);
    /// The lowest `count` words but as many as belong to lanes that are skipped, of those from word
    /// `first` of the lanes on.
    llvm::Value* words_of(lane_point& at, llvm::Value* count, uint64_t first);
    llvm::Value* lane_address(llvm::Value* address, llvm::Value* stride, unsigned lane);
    /// The first `count` lanes, in parts of powers of two. A masked store is as wide as all lanes
    /// to a load behind it, which waits until it has left the store buffer.
    void store_first(llvm::Value* lanes, llvm::Value* address, llvm::Value* count);
    /// Active lanes one by one, through a buffer on the stack.
    llvm::Value* load_each(llvm::Type* element, llvm::Value* address, llvm::Value* stride,
                           lane_point& at);
    void store_each(llvm::Value* value, llvm::Value* address, llvm::Value* stride,
                    llvm::Value* active);

    llvm::IRBuilder<>& b_;
    value_emitter& values_;
    vector_shape shape_;
    unsigned width_;
};

}  // namespace sinter::codegen
