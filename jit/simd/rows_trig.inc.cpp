// Block rows, part trig (jit/simd/rows.hpp: group_of). Compiled once for each level.
#include "jit/simd/rows.hpp"

namespace sinter::block::SINTER_BLOCK_LEVEL {

void fill_rows_trig(table& t) { fill<group::trig>(t); }

}  // namespace sinter::block::SINTER_BLOCK_LEVEL
