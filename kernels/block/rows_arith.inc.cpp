// Block rows, part arith (kernels/block/rows.hpp: group_of). Compiled once for each level.
#include "kernels/block/rows.hpp"

namespace sinter::block::SINTER_BLOCK_LEVEL {

void fill_rows_arith(table& t) { fill<group::arith>(t); }

}  // namespace sinter::block::SINTER_BLOCK_LEVEL
