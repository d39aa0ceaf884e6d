// Block rows of group logic (group_of in jit/simd/rows.hpp). Compiled once for each level.
#include "jit/simd/rows.hpp"

namespace sinter::block::SINTER_BLOCK_LEVEL {

void fill_rows_logic(table& t) { fill<group::logic>(t); }

}  // namespace sinter::block::SINTER_BLOCK_LEVEL
