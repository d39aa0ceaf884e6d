// Block rows of group bessel (group_of in jit/simd/rows.hpp). Compiled once for each level.
#include "jit/simd/rows.hpp"

namespace sinter::block::SINTER_BLOCK_LEVEL {

void fill_rows_bessel(table& t) { fill<group::bessel>(t); }

}  // namespace sinter::block::SINTER_BLOCK_LEVEL
