// Map kernels that read operands across their lanes (stride_class::across). Light ones go by
// squares of whole vectors, which are transposed and used in registers. Others, and what is left at
// the ends, take a tile of rows and elements at a time, in which such operands are first transposed
// into a buffer that the first cache holds.
#pragma once

#include "jit/codegen/llvm/emit_function.hpp"

namespace sinter::codegen {

/// Swaps rows and columns of a square of vectors.
void transpose(llvm::IRBuilder<>& b, std::vector<llvm::Value*>& rows, int64_t element_bytes);

class tile_emitter {
public:
    explicit tile_emitter(function_emitter& f);

    /// Runs the kernel for rows [0, rows) and elements [begin, end): calls `body` for each row and
    /// elements of it in a tile, with f in that row, or emits what it would itself.
    void for_tiles(llvm::Value* rows, llvm::Value* begin, llvm::Value* end,
                   const std::function<void(llvm::Value* begin, llvm::Value* end)>& body);

private:
    struct buffer {
        std::size_t operand;
        llvm::Type* element;
        llvm::Value* memory;
        llvm::Function* fill;
    };

    /// Whether whole squares need no buffer: what they are turned into is used from registers.
    bool goes_by_squares() const;
    /// Whether at run time one operand is another one with rows and elements exchanged.
    llvm::Value* mirrors();
    /// All of rows [0, rows) and elements [begin, end), both of whole squares.
    void squares(llvm::Value* rows, llvm::Value* begin, llvm::Value* end);
    /// One square, whose first elements are at these addresses.
    void square(const std::vector<llvm::Value*>& first);

    struct range {
        llvm::Value *begin, *end;
    };
    /// Runs `body` for rows and elements that are a part of all of them, through the buffers.
    void tiles(range rows, range elements, llvm::Value* all_rows, range all_elements,
               const std::function<void(llvm::Value* begin, llvm::Value* end)>& body);
    int64_t pitch(int64_t element_bytes) const;  // bytes of a buffer from row to row
    llvm::Function* make_fill(unsigned bits);

    function_emitter& f_;
    std::vector<buffer> buffers_;
    int64_t rows_;        // of a tile: those of a cache line of an operand
    int64_t few_, most_;  // elements of a tile, within the second cache and beyond
};

}  // namespace sinter::codegen
