// Rows on complex numbers, expanded into formulas of real rows over the parts.
#pragma once

#include "engine/graph/infer.hpp"

#include <map>
#include <tuple>

namespace sinter::inline v1 {

/// The kind of result that a row has for complex operands; `refused` if it does not take them.
enum class complex_result : uint8_t { refused, same, real, truth };
complex_result complex_result_of(op::id row);

/// Builds typed operations over real values; equal operations are made once.
class parts_builder {
public:
    /// `numbers`: the number of scalars of the program; constants are numbered after them.
    explicit parts_builder(std::size_t numbers) : numbers_(numbers) {}

    int32_t add(const typed_op& o);
    int32_t constant(double value);

    std::vector<typed_op> ops;
    std::vector<Scalar> constants;
    uint16_t origin = 0;  // given to the operations that `add` makes

private:
    using key =
        std::tuple<int, uint16_t, ScalarType, ScalarType, uint8_t, int32_t, int32_t, int32_t>;
    std::size_t numbers_;
    std::map<key, int32_t> known_;
};

/// The parts of a complex value, as operations. A real value has im == -1.
struct complex_parts {
    int32_t re = -1, im = -1;
};

/// Returns the value of a row on complex operands, computed on parts of dtype `type`.
complex_parts expand_row(parts_builder& to, op::id row, ScalarType type, const complex_parts* args);
/// Returns an operation that is true if the complex value is not 0.
int32_t truth_of(parts_builder& to, ScalarType type, const complex_parts& z);

}  // namespace sinter::inline v1
