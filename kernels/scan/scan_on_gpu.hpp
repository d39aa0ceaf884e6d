// Scans on a GPU. For rows of at most `serial_elements`, and for many rows side by side, one thread
// takes each row in order. Other rows are scanned by tiles, those of long rows at the same time.
// Only sizes and dtypes decide the order of joining.
#pragma once

#include "jit/codegen/c_like/program.hpp"
#include "kernels/gpu/kernel_source.hpp"
#include "kernels/kernel_op.hpp"
#include "kernels/scan/fold_table.cuh"

namespace sinter::scan {

/// The `on_gpu` of the operations of scan.hpp. They wait for nothing.
#define SINTER_ON_GPU(name, ...) bool name##_on_gpu(const op_call& c, runtime::gpu_stream& s);
SINTER_FOLD_SCANS(SINTER_ON_GPU)
#undef SINTER_ON_GPU
bool cummax_on_gpu(const op_call& c, runtime::gpu_stream& s);
bool cummin_on_gpu(const op_call& c, runtime::gpu_stream& s);
bool logcumsumexp_on_gpu(const op_call& c, runtime::gpu_stream& s);

/// Returns the source of logcumsumexp in a language.
std::string logs_text(const codegen::dialect& to);

/// A text by its name, and the definitions that an operation asks it with.
struct named_words {
    const char* source;
    gpu_kernels::macro_definitions words;
};
/// Returns what scans of a dtype that is not complex ask for, of rows of less than 2^32 elements.
std::vector<named_words> usual_scans(ScalarType t);

}  // namespace sinter::scan
