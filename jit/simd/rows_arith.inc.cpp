// Block rows, part arith (jit/simd/rows.hpp: group_of). Compiled once for each level.
#include "jit/simd/rows.hpp"

namespace sinter::block::SINTER_BLOCK_LEVEL {

void fill_rows_arith(table& t) { fill<group::arith>(t); }

}  // namespace sinter::block::SINTER_BLOCK_LEVEL
