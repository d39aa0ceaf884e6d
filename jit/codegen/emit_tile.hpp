// Map kernels that read operands across their lanes (stride_class::across): a tile of rows and
// elements at a time, in which such operands are first transposed into a buffer that the first
// cache holds.
#pragma once

#include "jit/codegen/emit_function.hpp"

namespace sinter::codegen {

class tile_emitter {
public:
    explicit tile_emitter(function_emitter& f);

    /// Calls `body` for each row and the elements [begin, end) of it that are in the tile, for all
    /// tiles of rows [0, rows) and elements [begin, end); f is in that row then.
    void for_tiles(llvm::Value* rows, llvm::Value* begin, llvm::Value* end,
                   const std::function<void(llvm::Value* begin, llvm::Value* end)>& body);

private:
    struct buffer {
        std::size_t operand;
        llvm::Type* element;
        llvm::Value* memory;
        llvm::Function* fill;
    };

    int64_t pitch(int64_t element_bytes) const;  // bytes of a buffer from row to row
    llvm::Function* make_fill(unsigned bits);
    /// Asks for the lines of the outputs in elements [begin, end) of the current row.
    void expect_outputs(llvm::Value* begin, llvm::Value* end);

    function_emitter& f_;
    std::vector<buffer> buffers_;
    int64_t rows_;        // of a tile: those of a cache line of an operand
    int64_t few_, most_;  // elements of a tile, within the second cache and beyond
};

}  // namespace sinter::codegen
