// The works of a program whose operands are smaller than its results, or no longer are: values
// between them then repeat or do not, and an expression is several nodes (`repeats_much` in
// ops/tensor/expression.cpp) where it is one otherwise.
#pragma once

#include <cstdint>
#include <vector>

namespace sinter::plan {

/// Returns works in which pointwise nodes have size 1 along some dimensions where they had not, or
/// the other way round, and in which parts of nodes are such nodes. Throws as restored_work does.
std::vector<std::vector<uint8_t>> divided_works(const std::vector<uint8_t>& work);

}  // namespace sinter::plan
