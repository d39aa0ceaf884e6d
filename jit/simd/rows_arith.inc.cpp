// Block rows of group arith (group_of in jit/simd/rows.hpp). Compiled once for each level.
#include "jit/simd/rows.hpp"

namespace sinter::block::SINTER_BLOCK_LEVEL {

void fill_rows_arith(table& t) { fill<group::arith>(t); }

}  // namespace sinter::block::SINTER_BLOCK_LEVEL
