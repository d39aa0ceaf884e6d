// Block rows, part special (kernels/block/rows.hpp: group_of). Compiled once for each level.
#include "kernels/block/rows.hpp"

namespace sinter::block::SINTER_BLOCK_LEVEL {

void fill_rows_special(table& t) { fill<group::special>(t); }

}  // namespace sinter::block::SINTER_BLOCK_LEVEL
