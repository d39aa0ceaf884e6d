// Block rows, part logic (kernels/block/rows.hpp: group_of). Compiled once for each level.
#include "kernels/block/rows.hpp"

namespace sinter::block::SINTER_BLOCK_LEVEL {

void fill_rows_logic(table& t) { fill<group::logic>(t); }

}  // namespace sinter::block::SINTER_BLOCK_LEVEL
