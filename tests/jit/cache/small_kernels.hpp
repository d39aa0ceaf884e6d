// Kernels of one operation.
#pragma once

#include "tests/support/kernel_builder.hpp"

namespace sinter::code_cache::testing {

inline kernel_ir::kernel map_of(op::id row, ScalarType type) {
    kernel_ir::testing::kernel_builder b;
    const kernel_ir::value_id x = b.load(type);
    b.store(op::info(row).arity == 1 ? b.row(row, type, {x}) : b.row(row, type, {x, b.load(type)}));
    return b.get();
}

inline kernel_ir::kernel sum_of(ScalarType type) {
    kernel_ir::testing::kernel_builder b;
    b.store(b.reduce(op::reduction::sum, b.load(type)));
    return b.get();
}

}  // namespace sinter::code_cache::testing
