#include "engine/run/library/run_library.hpp"

#include "engine/graph/infer.hpp"
#include "jit/kernel_ir/kernel_ir.hpp"
#include "kernels/linalg/product.hpp"
#include "runtime/base/fp_environment.hpp"
#include "runtime/report/stats.hpp"
#include "runtime/strided/copy.hpp"

#include <sinter/error.hpp>
#include <sinter/op/op.hpp>

#include <string>
#include <vector>

namespace sinter::plan {
namespace {

std::vector<op_input> library_inputs(const Node& n, std::span<const char* const> data) {
    std::vector<op_input> inputs;
    for (std::size_t i = 0; i < n.sources.size(); ++i)
        inputs.push_back({data[i], n.sources[i].shape.get(), n.sources[i].dtype});
    return inputs;
}

/// `output`: where an operation with one result writes, or null.
void begin_update(const Node& n, std::span<const op_input> inputs, char* output) {
    if (n.library->updates && inputs[0].data != output) {
        const auto item = static_cast<int64_t>(elementSize(n.dtype));
        const geometry &from = *inputs[0].shape, &to = *n.shape;
        runtime::copy_elements(n.dtype, to.sizes_ref(), output + to.offset * item, to.strides_ref(),
                               inputs[0].data + from.offset * item, from.strides_ref());
    }
}

void run_call(const op_call& call) {
    const runtime::fp_environment environment;  // calls of BLAS and LAPACK set more: blas_call
    call.op.run(call);
    (call.op.vendor ? runtime::count().library_calls : runtime::count().kernels_launched).add();
}

}  // namespace

void run_library(const Node& n, char* output, std::span<const char* const> data) {
    const std::vector<op_input> inputs = library_inputs(n, data);
    begin_update(n, inputs, output);
    run_call({*n.library, inputs, n.attributes, output, *n.shape, n.dtype});
}

void run_library(const Node& n, const library_results& to, std::span<const char* const> data) {
    const std::vector<op_input> inputs = library_inputs(n, data);
    const op_call call = to.call(n, inputs);
    begin_update(n, inputs, call.output);
    run_call(call);
}

void run_product_node(const Node& n, char* output, std::span<const char* const> data,
                      const blas::prologue* before, const blas::epilogue* after) {
    const std::vector<op_input> inputs = library_inputs(n, data);
    blas::run_product({*n.library, inputs, n.attributes, output, *n.shape, n.dtype}, before, after);
    runtime::count().library_calls.add();
}

void check_node(const Node& n, std::span<const char* const> data) {
    if (n.kind != node_kind::library || !n.library->check || n.checked) return;
    const std::vector<op_input> inputs = library_inputs(n, data);
    n.library->check({*n.library, inputs, n.attributes, nullptr, *n.shape, n.dtype});
}

std::exception_ptr status_error(uint64_t status, const char* row, const std::string& from) {
    if (status & kernel_ir::status_zero_division)
        return std::make_exception_ptr(
            Error(std::string("[") + (row ? row : "kernel") +
                  "] ZeroDivisionError: an integer was divided by zero; got a zero in the divisor, "
                  "expected none; try where(b == 0, 1, b) as divisor" +
                  from));
    return std::make_exception_ptr(InternalError("[launch] unknown kernel status"));
}

}  // namespace sinter::plan
