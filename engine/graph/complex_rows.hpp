// What rows mean on complex numbers: formulas over the real rows of their parts.
#pragma once

#include "engine/graph/infer.hpp"

#include <map>
#include <tuple>

namespace sinter::inline v1 {

/// What a row returns of complex operands, if it takes them.
enum class complex_result : uint8_t { refused, same, real, truth };
complex_result complex_result_of(op::id row);

/// Typed operations over real values; equal ones are made once.
class parts_builder {
public:
    /// `numbers`: how many the program has; constants are numbered after them.
    explicit parts_builder(std::size_t numbers) : numbers_(numbers) {}

    int32_t add(const typed_op& o);
    int32_t constant(double value);

    std::vector<typed_op> ops;
    std::vector<Scalar> constants;
    uint16_t origin = 0;  // of what is added

private:
    using key =
        std::tuple<int, uint16_t, ScalarType, ScalarType, uint8_t, int32_t, int32_t, int32_t>;
    std::size_t numbers_;
    std::map<key, int32_t> known_;
};

/// The parts of a complex value, as operations; a real one has no imaginary part.
struct complex_parts {
    int32_t re = -1, im = -1;
};

/// The value of a row that takes complex operands, computed in parts of dtype `type`.
complex_parts expand_row(parts_builder& to, op::id row, ScalarType type, const complex_parts* args);
/// Whether a complex value is not 0.
int32_t truth_of(parts_builder& to, ScalarType type, const complex_parts& z);

}  // namespace sinter::inline v1
