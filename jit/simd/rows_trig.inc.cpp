// Block rows of group trig (group_of in jit/simd/rows.hpp). Compiled once for each level.
#include "jit/simd/rows.hpp"

namespace sinter::block::SINTER_BLOCK_LEVEL {

void fill_rows_trig(table& t) { fill<group::trig>(t); }

}  // namespace sinter::block::SINTER_BLOCK_LEVEL
