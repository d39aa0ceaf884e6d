// The argument of a kernel by rows: its declaration and its bytes. Dimensions are innermost first.
#include "jit/codegen/c_like/argument_list.hpp"
#include "jit/codegen/c_like/kernel.hpp"

namespace sinter::codegen {

using kernel_ir::kernel;

namespace {

/// Returns the product of the extents.
int64_t count(std::span<const int64_t> extents) {
    int64_t n = 1;
    for (int64_t e : extents) n *= e;
    return n;
}

struct row_values {
    std::span<const int64_t> extents;
    std::span<const argument_operand> operands;
    std::span<const uint64_t> scalars;
    uint64_t* status = nullptr;
    row_parts parts;
};

/// `values` returns a value for each dimension, outermost first. Arrays have at least one element.
template <class To, class F>
void list_dims(To& to, const loop_shape& shape, const F& values) {
    const std::size_t rows = shape.row_dims, elements = shape.element_dims;
    to.array("rows", std::max<std::size_t>(1, rows),
             [&](std::size_t d) -> int64_t { return d < rows ? values()[rows - 1 - d] : 0; });
    to.array("elements", std::max<std::size_t>(1, elements), [&](std::size_t d) -> int64_t {
        return d < elements ? values()[rows + elements - 1 - d] : 0;
    });
}

template <class To>
void list_operand(To& to, const loop_shape& shape, const row_values& v, std::size_t o) {
    to.field("ptr", [&] { return v.operands[o].ptr; });
    list_dims(to, shape, [&] { return v.operands[o].strides; });
}

template <class To>
void list_arguments(To& to, const kernel& k, const loop_shape& shape, const row_values& v) {
    to.structs("operands", k.operands.size(),
               [&](std::size_t o) { list_operand(to, shape, v, o); });
    list_scalars(to, k, v.scalars, v.status);
    to.field("work", [&] { return static_cast<char*>(v.parts.work); });
    to.field("span", [&] { return v.parts.span; });
    to.field("together", [&] { return v.parts.together; });
    to.field("n1", [&] { return count(v.extents.first(shape.row_dims)); });
    to.field("n0", [&] { return count(v.extents.last(shape.element_dims)); });
    list_dims(to, shape, [&] { return v.extents.data(); });
}

std::string number(std::size_t n) { return std::to_string(n); }

}  // namespace

std::string c_operand_type(const loop_shape& shape) {
    return "operand_" + number(shape.row_dims) + "_" + number(shape.element_dims);
}

std::string c_operand(const loop_shape& shape) {
    argument_text text(c_operand_type(shape));
    list_operand(text, shape, {}, 0);
    return text.end();
}

std::string c_arguments_type(const kernel& k, const loop_shape& shape) {
    return "arguments_" + number(k.operands.size()) + "_" +
           number(std::max<std::size_t>(1, k.scalars.size())) + "_" + number(shape.row_dims) + "_" +
           number(shape.element_dims);
}

std::string c_arguments(const kernel& k, const loop_shape& shape) {
    argument_text text(c_arguments_type(k, shape), c_operand_type(shape));
    list_arguments(text, k, shape, {});
    return text.end();
}

std::size_t argument_words(const kernel& k, const loop_shape& shape) {
    argument_bytes size;
    list_arguments(size, k, shape, {});
    return size.words();
}

void pack_arguments(const kernel& k, const loop_shape& shape, std::span<const int64_t> extents,
                    std::span<const argument_operand> operands, std::span<const uint64_t> scalars,
                    uint64_t* status, const row_parts& parts, std::span<uint64_t> words) {
    argument_bytes to(words);
    list_arguments(to, k, shape, {extents, operands, scalars, status, parts});
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
