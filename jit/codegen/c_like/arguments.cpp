// The argument of a kernel by rows: its declaration and its bytes. Dimensions are innermost first.
#include "jit/codegen/c_like/kernel.hpp"

#include <algorithm>

namespace sinter::codegen {

using kernel_ir::kernel;

namespace {

/// Arrays have at least one element.
std::size_t scalar_words(const kernel& k) { return std::max<std::size_t>(1, k.scalars.size()); }
std::size_t places(uint8_t dims) { return std::max<std::size_t>(1, dims); }
std::string number(std::size_t n) { return std::to_string(n); }

/// Returns the product of the extents.
int64_t count(std::span<const int64_t> extents) {
    int64_t n = 1;
    for (int64_t e : extents) n *= e;
    return n;
}

}  // namespace

std::string c_operand_type(const loop_shape& shape) {
    return "operand_" + number(shape.row_dims) + "_" + number(shape.element_dims);
}

std::string c_operand(const loop_shape& shape) {
    return "struct " + c_operand_type(shape) + " {\n    char* ptr;\n    i64 rows[" +
           number(places(shape.row_dims)) + "], elements[" + number(places(shape.element_dims)) +
           "];\n};\n";
}

std::string c_arguments_type(const kernel& k, const loop_shape& shape) {
    return "arguments_" + number(k.operands.size()) + "_" + number(scalar_words(k)) + "_" +
           number(shape.row_dims) + "_" + number(shape.element_dims);
}

std::string c_arguments(const kernel& k, const loop_shape& shape) {
    return "struct " + c_arguments_type(k, shape) + " {\n    " + c_operand_type(shape) +
           " operands[" + number(k.operands.size()) + "];\n    u64 scalars[" +
           number(scalar_words(k)) +
           "];\n    u64* status;\n    char* work;\n    i64 span, together, n1, n0;\n    i64 rows[" +
           number(places(shape.row_dims)) + "], elements[" + number(places(shape.element_dims)) +
           "];\n};\n";
}

std::size_t argument_words(const kernel& k, const loop_shape& shape) {
    const std::size_t dims = places(shape.row_dims) + places(shape.element_dims);
    return k.operands.size() * (1 + dims) + scalar_words(k) + 6 + dims;
}

void pack_arguments(const kernel& k, const loop_shape& shape, std::span<const int64_t> extents,
                    std::span<const argument_operand> operands, std::span<const uint64_t> scalars,
                    uint64_t* status, const row_parts& parts, std::span<uint64_t> words) {
    std::size_t at = 0;
    const auto push = [&](auto word) { words[at++] = static_cast<uint64_t>(word); };
    const auto push_dims = [&](const int64_t* values) {
        const std::size_t rows = shape.row_dims, elements = shape.element_dims;
        for (std::size_t d = 0; d < places(shape.row_dims); d++)
            push(d < rows ? values[rows - 1 - d] : 0);
        for (std::size_t d = 0; d < places(shape.element_dims); d++)
            push(d < elements ? values[rows + elements - 1 - d] : 0);
    };
    for (std::size_t o = 0; o < k.operands.size(); o++) {
        push(reinterpret_cast<uintptr_t>(operands[o].ptr));
        push_dims(operands[o].strides);
    }
    for (std::size_t s = 0; s < scalar_words(k); s++) push(s < k.scalars.size() ? scalars[s] : 0);
    push(reinterpret_cast<uintptr_t>(status));
    push(reinterpret_cast<uintptr_t>(parts.work));
    push(parts.span);
    push(parts.together);
    push(count(extents.first(shape.row_dims)));
    push(count(extents.last(shape.element_dims)));
    push_dims(extents.data());
}

std::vector<uint64_t> pack_arguments(const kernel& k, const kernel_ir::kernel_call& call) {
    std::vector<int64_t> strides;
    for (std::size_t o = 0; o < k.operands.size(); o++) {
        strides.push_back(call.operands[o].s1);
        strides.push_back(call.operands[o].s0);
    }
    std::vector<argument_operand> operands;
    for (std::size_t o = 0; o < k.operands.size(); o++)
        operands.push_back({call.operands[o].ptr, &strides[2 * o]});
    const int64_t extents[] = {call.n1, call.n0};
    std::vector<uint64_t> words(argument_words(k, {}));
    pack_arguments(k, {}, extents, operands, {call.scalars, k.scalars.size()}, call.status, {},
                   words);
    return words;
}

}  // namespace sinter::codegen
