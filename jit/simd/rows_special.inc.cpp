// Block rows of group special (group_of in jit/simd/rows.hpp). Compiled once for each level.
#include "jit/simd/rows.hpp"

namespace sinter::block::SINTER_BLOCK_LEVEL {

void fill_rows_special(table& t) { fill<group::special>(t); }

}  // namespace sinter::block::SINTER_BLOCK_LEVEL
