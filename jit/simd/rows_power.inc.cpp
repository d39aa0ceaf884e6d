// Block rows of group power (group_of in jit/simd/rows.hpp). Compiled once for each level.
#include "jit/simd/rows.hpp"

namespace sinter::block::SINTER_BLOCK_LEVEL {

void fill_rows_power(table& t) { fill<group::power>(t); }

}  // namespace sinter::block::SINTER_BLOCK_LEVEL
