// Map kernels that read operands across their lanes (stride_class::across). Light kernels run by
// squares of whole vectors, which are transposed in registers (register transpose). Other kernels,
// and the ends that do not fill a square, process a tile of rows and elements at a time: such
// operands are first transposed into a buffer that fits in the first-level cache.
#pragma once

#include "jit/codegen/llvm/emit_function.hpp"

namespace sinter::codegen {

/// Transposes a square of vectors.
void transpose(llvm::IRBuilder<>& b, std::vector<llvm::Value*>& rows, int64_t element_bytes);

class tile_emitter {
public:
    explicit tile_emitter(function_emitter& f);

    /// Runs the kernel for rows [0, rows) and elements [begin, end). Calls `body` for each row and
    /// range of elements of a tile, with f in that row; squares are emitted without `body`.
    void for_tiles(llvm::Value* rows, llvm::Value* begin, llvm::Value* end,
                   const std::function<void(llvm::Value* begin, llvm::Value* end)>& body);

private:
    struct buffer {
        std::size_t operand;
        llvm::Type* element;
        llvm::Value* memory;
        llvm::Function* fill;
    };

    /// Returns true if whole squares need no buffer: transposed values are used in registers.
    bool goes_by_squares() const;
    /// Emits a run-time test if some operand is another operand transposed.
    llvm::Value* mirrors();
    /// Runs rows [0, rows) and elements [begin, end), both multiples of whole squares.
    void squares(llvm::Value* rows, llvm::Value* begin, llvm::Value* end);
    /// Runs one square, whose first elements are at these addresses.
    void square(const std::vector<llvm::Value*>& first);

    struct range {
        llvm::Value *begin, *end;
    };
    /// Runs `body` for a part of all rows and elements, through the buffers.
    void tiles(range rows, range elements, llvm::Value* all_rows, range all_elements,
               const std::function<void(llvm::Value* begin, llvm::Value* end)>& body);
    int64_t pitch(int64_t element_bytes) const;  // bytes between rows of a buffer
    llvm::Function* make_fill(unsigned bits);

    function_emitter& f_;
    std::vector<buffer> buffers_;
    int64_t rows_;        // rows of a tile: as many as a cache line of an operand holds
    int64_t few_, most_;  // elements of a tile, for data within the second-level cache and beyond
};

}  // namespace sinter::codegen
