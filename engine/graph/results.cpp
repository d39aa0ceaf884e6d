#include "engine/graph/results.hpp"

#include "runtime/base/fail.hpp"

#include <sinter/error.hpp>

namespace sinter::inline v1 {

const kernel_op result_op{
    .name = "result",
    .run =
        [](const op_call&) {
            runtime::bug("result", "a result of a node with several results is not computed");
        },
    .complex = true};

}  // namespace sinter::inline v1
