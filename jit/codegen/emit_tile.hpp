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

    int64_t pitch(const buffer& b) const;  // bytes from row to row
    llvm::Function* make_fill(unsigned bits);

    function_emitter& f_;
    std::vector<buffer> buffers_;
    int64_t elements_;  // of a tile
};

}  // namespace sinter::codegen
