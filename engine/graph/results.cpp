#include "engine/graph/results.hpp"

#include <sinter/error.hpp>

namespace sinter::inline v1 {

const kernel_op result_op{
    .name = "result",
    .run =
        [](const op_call&) { throw InternalError("[result] a part of a bundle is not computed"); },
    .complex = true};

}  // namespace sinter::inline v1
