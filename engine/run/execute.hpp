// Running: a plan with its kernels, or nodes one by one.
#pragma once

#include "engine/plan/plan.hpp"
#include "engine/run/library_results.hpp"
#include "kernels/linalg/epilogue.hpp"

namespace sinter::plan {

/// How kernels run. `compiled`: by the kernel cache, which compiles what it lacks. `background`:
/// the same, but while a kernel is compiled it runs block by block. `interpret`: by the interpreter
/// of the kernel IR, slow, for tests. `eager`: no plan; each operation by its block rows.
enum class executor { compiled, background, interpret, eager };

/// Runs a plan over the work that it was made for, or one of the same structure. Values that a
/// guard refuses become failed versions, as do their readers; other exceptions leave what has not
/// run pending.
void execute(const plan& p, subgraph& w, executor how);

/// Runs every node of the work by itself, in program order. Nodes leave the work as they are done.
void execute_eagerly(subgraph& w);

/// Runs one node into `output`, whose layout is the node's own. `data` gives the bytes of a source.
/// Returns status bits.
uint64_t run_node(const Node& n, char* output, std::span<const char* const> data);

/// Runs a library node.
void run_library(const Node& n, const library_results& to, std::span<const char* const> data);

/// Runs the node of a product: `before` makes rows of its first operand and `after` takes pieces of
/// its result, where they exist.
void run_product_node(const Node& n, char* output, std::span<const char* const> data,
                      const blas::prologue* before, const blas::epilogue* after);

/// Whether the values allow a library node to run; throws the node's error if not.
void check_node(const Node& n, std::span<const char* const> data);

/// The exception that the status bits of a node stand for.
std::exception_ptr status_error(uint64_t status, const Node& n);

}  // namespace sinter::plan
