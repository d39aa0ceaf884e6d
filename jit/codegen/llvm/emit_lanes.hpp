// Lanes: the place of a vector in the iteration space, its active lanes, and its loads and stores.
#pragma once

#include "jit/codegen/llvm/emit_value.hpp"

#include <functional>
#include <vector>

namespace sinter::codegen {

/// The properties of a target level that shape the code.
struct vector_shape {
    unsigned bits;      // of a vector register
    bool narrow_masks;  // true if masked access to 8- and 16-bit elements exists
};

/// The place of one vector in a pass: its element, its active lanes and its values.
struct lane_point {
    llvm::Value* element = nullptr;  // index of the (first) element
    llvm::Value* active = nullptr;   // number of active lanes, from the first on; null: all
    llvm::Value* skipped = nullptr;  // number of inactive lanes at the start (none if negative);
                                     // null: none
    llvm::Value* mask = nullptr;     // the active lanes as bits, made when first needed
    bool exact = false;              // the memory after the active lanes is soon read: see
                                     // store_first
    std::size_t row = 0;             // number among the rows side by side
    std::vector<llvm::Value*> values;
};

/// Loops, masks and strided vectors at the insertion point of a builder.
class lane_emitter {
public:
    lane_emitter(llvm::IRBuilder<>& builder, value_emitter& values, vector_shape shape,
                 unsigned width)
        : b_(builder), values_(values), shape_(shape), width_(width) {}

    unsigned width() const { return width_; }

    /// Returns a stack slot, allocated in the function's first block.
    llvm::AllocaInst* slot(llvm::Type* type, llvm::Value* count = nullptr);

    using values = std::vector<llvm::Value*>;
    /// Emits `for (i = begin; i < end; i += step)`. `body` gets i and the carried values and
    /// returns the new ones. Returns the last carried values, followed by the first i not below
    /// `end`.
    values loop(llvm::Value* begin, llvm::Value* end, int64_t step, values carried,
                const std::function<values(llvm::Value*, const values&)>& body);
    values loop(llvm::Value* begin, llvm::Value* end, llvm::Value* step, values carried,
                const std::function<values(llvm::Value*, const values&)>& body);
    /// Emits the loop without carried values. Returns the first i not below `end`.
    llvm::Value* each(llvm::Value* begin, llvm::Value* end, llvm::Value* step,
                      const std::function<void(llvm::Value*)>& body);
    llvm::Value* each(llvm::Value* begin, llvm::Value* end, int64_t step,
                      const std::function<void(llvm::Value*)>& body) {
        return each(begin, end, b_.getInt64(static_cast<uint64_t>(step)), body);
    }
    void if_then(llvm::Value* condition, const std::function<void()>& body);
    /// Returns `known` if the condition holds at run time, else what `make` emits.
    values choose(llvm::Value* condition, const values& known, const std::function<values()>& make);
    /// Does the same for a condition that nearly always holds.
    values usually(llvm::Value* condition, const values& known,
                   const std::function<values()>& make);

    /// Returns true if masked access to some operand goes lane by lane.
    static bool has_slow_tail(const kernel_ir::kernel& k, vector_shape shape);

    /// Returns the lane numbers as a vector.
    llvm::Value* iota(llvm::Type* element);
    llvm::Value* mask(lane_point& at);
    /// Returns the smaller of `n` and `limit`.
    llvm::Value* at_most(llvm::Value* n, int64_t limit);

    /// Loads or stores lanes of type `type` at `address`, `stride` bytes apart. A load of stride
    /// class zero returns a uniform value. Only active lanes access memory.
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
    /// Accesses every second of 2 * width words in memory.
    llvm::Value* load_pairs(llvm::Type* words, llvm::Value* address, lane_point& at);
    void store_pairs(llvm::Value* words, llvm::Value* address, lane_point& at);
    llvm::Value* first_words(llvm::Value* count);
    /// Returns the mask of the first `count` words, without the words of skipped lanes. The words
    /// begin at word `first` of the lanes.
    llvm::Value* words_of(lane_point& at, llvm::Value* count, uint64_t first);
    llvm::Value* lane_address(llvm::Value* address, llvm::Value* stride, unsigned lane);
    /// Stores the first `count` lanes in parts of powers of two. A masked store counts as full
    /// width for a later overlapping load, which then waits until the store has left the store
    /// buffer.
    void store_first(llvm::Value* lanes, llvm::Value* address, llvm::Value* count);
    /// Accesses active lanes one by one, through a buffer on the stack.
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
