#include "jit/codegen/c_like/program.hpp"

namespace sinter::embedded {
extern const char prelude_host[];  // prelude/host.cuh
}

namespace sinter::codegen {

const dialect host_dialect = {
    .name = "host",
    .kernel = "extern \"C\" void",
    .bounded = "",
    .function = "static inline",
    .inlined = "static __attribute__((noinline))",
    .table = "static const",
    .shared = "",
    .launched = "",
    .block = "(i64)0",
    .blocks = "(i64)1",
    .local_thread = "0",
    .block_threads = "1",
    .threaded = false,
    .barrier = ";",
    .or_word = "or_word",
    .prelude = embedded::prelude_host,
};

}  // namespace sinter::codegen
