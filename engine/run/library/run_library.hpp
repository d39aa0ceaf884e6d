// Calls the function of a library node on the CPU.
#pragma once

#include "engine/run/results/library_results.hpp"
#include "kernels/linalg/epilogue.hpp"

#include <exception>
#include <span>
#include <string>

namespace sinter::plan {

/// Runs a library node that has one result into `output`, which has the node's layout. `data`: the
/// bytes of each source.
void run_library(const Node& n, char* output, std::span<const char* const> data);

/// Runs a library node, which writes its results to `to`. `data`: the bytes of each source.
void run_library(const Node& n, const library_results& to, std::span<const char* const> data);

/// Runs the node of a product. If not null, `before` makes rows of its first operand and `after`
/// takes pieces of its result.
void run_product_node(const Node& n, char* output, std::span<const char* const> data,
                      const blas::prologue* before, const blas::epilogue* after);

/// Throws the node's error if the values do not allow a library node to run.
void check_node(const Node& n, std::span<const char* const> data);

/// Returns the exception for status bits. `row`: the one that raised them; null: unknown. `from`:
/// text at the end.
std::exception_ptr status_error(uint64_t status, const char* row, const std::string& from = "");

}  // namespace sinter::plan
