#include "jit/codegen/c_like/form.hpp"

#include "jit/codegen/c_like/argument_list.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace sinter::codegen {

using kernel_ir::kernel;
using kernel_ir::role;

namespace {

constexpr int64_t access = 16;  // bytes, the largest memory access of a thread
constexpr std::size_t known_operands = 64;
constexpr int64_t shortest_side = tile_side / 2;  // a smaller side leaves a tile mostly empty
constexpr int64_t shared_bytes = 48 << 10;
constexpr int64_t most_items = 8;
/// Primitives per thread beyond which compile time costs more than loads in flight gain.
constexpr int64_t longest_text = 1024;
constexpr int64_t few_points = 8 * element_threads;
constexpr int64_t near = std::numeric_limits<int32_t>::max();

int64_t size_of(const kernel& k, std::size_t o) {
    return static_cast<int64_t>(elementSize(k.operands[o].type));
}

int64_t points(std::span<const int64_t> extents) {
    int64_t n = 1;
    for (int64_t e : extents) n *= e;
    return n;
}

/// Returns true if all elements of an operand lie within 2^31 bytes of its first.
bool is_near(const element_space& s, const argument_operand& o) {
    int64_t reach = 0;
    for (std::size_t d = 0; d < s.extents.size(); d++) {
        const int64_t step = std::abs(o.strides[d]), times = s.extents[d] - 1;
        if (times <= 0 || step == 0) continue;
        if (step > near || times > near || step * times > near - reach) return false;
        reach += step * times;
    }
    return reach + access <= near;
}

/// The operands that vectors of some width can access as a whole.
struct vectors {
    uint64_t whole = 0;
    int64_t whole_bytes = 0, other_bytes = 0;  // per element
};

vectors try_width(const kernel& k, const element_space& s, int64_t width) {
    vectors v;
    const std::size_t lane = s.extents.size() - 1;
    for (std::size_t o = 0; o < k.operands.size(); o++) {
        const argument_operand& at = s.operands[o];
        if (k.operands[o].use == role::index || at.strides[lane] == 0) continue;
        const int64_t size = size_of(k, o), step = std::min(access, width * size);
        bool whole = o < known_operands && at.strides[lane] == size &&
                     reinterpret_cast<uintptr_t>(at.ptr) % static_cast<uintptr_t>(step) == 0;
        for (std::size_t d = 0; d < lane; d++)
            whole = whole && (at.strides[d] % step == 0 || s.extents[d] == 1);
        (whole ? v.whole_bytes : v.other_bytes) += size;
        if (whole) v.whole |= uint64_t{1} << o;
    }
    return v;
}

/// Chooses the widest vectors in which at least half of the bytes are whole accesses. The narrowest
/// operand fills one access, unless the widest operand would then need more than two.
void choose_vectors(const kernel& k, const element_space& s, int64_t cost, loop_shape& form) {
    int64_t least = access, most = 1;
    for (std::size_t o = 0; o < k.operands.size(); o++) {
        if (k.operands[o].use == role::index || s.operands[o].strides[s.extents.size() - 1] == 0)
            continue;
        least = std::min(least, size_of(k, o));
        most = std::max(most, size_of(k, o));
    }
    for (int64_t width = std::min(access / least, 2 * access / most); width > 1; width /= 2) {
        if (s.extents.size() > 1 && s.extents.back() % width != 0) continue;
        if (width > 2 && width * cost > longest_text) continue;
        const vectors v = try_width(k, s, width);
        if (v.whole_bytes < v.other_bytes || v.whole == 0) continue;
        form.vector = static_cast<uint8_t>(width);
        form.whole = v.whole;
        return;
    }
}

void choose_items(const kernel& k, const element_space& s, const element_machine& machine,
                  loop_shape& form) {
    int64_t bytes = 0;  // loaded per step
    for (std::size_t o = 0; o < k.operands.size(); o++)
        if (k.operands[o].use == role::input && s.operands[o].strides[s.extents.size() - 1] != 0)
            bytes += form.vector * size_of(k, o);
    int64_t items = 1;
    while (bytes > 0 && items < most_items && items * bytes < machine.bytes_in_flight &&
           2 * items * form.vector * machine.cost <= longest_text)
        items *= 2;
    form.items = static_cast<uint8_t>(items);
}

/// Returns true if an operand is dense along a dimension. Parts of complex numbers are two elements
/// apart.
bool is_dense(int64_t stride, int64_t size) { return stride == size || stride == 2 * size; }

/// Returns the operands that are dense along the next dimension, as many as fit in shared memory.
uint64_t turned_operands(const kernel& k, const element_space& s) {
    const std::size_t rank = s.extents.size();
    if (rank < 2 || std::min(s.extents[rank - 1], s.extents[rank - 2]) < shortest_side) return 0;
    uint64_t turned = 0;
    int64_t bytes = 0;
    for (std::size_t o = 0; o < std::min(known_operands, k.operands.size()); o++) {
        const int64_t size = size_of(k, o), lane = s.operands[o].strides[rank - 1];
        const int64_t tile = tile_side * (tile_side + 1) * size;
        if (k.operands[o].use == role::index || lane == 0 || is_dense(lane, size) ||
            !is_dense(s.operands[o].strides[rank - 2], size) || bytes + tile > shared_bytes)
            continue;
        turned |= uint64_t{1} << o;
        bytes += tile;
    }
    return turned;
}

/// Returns dimension `d` of the space as threads walk it, innermost first: tiles or steps, then the
/// outer dimensions.
int64_t walked(const loop_shape& form, std::span<const int64_t> extents, std::size_t d) {
    const int64_t n = extents[extents.size() - 1 - d];
    if (form.turned != 0) return d < 2 ? (n + tile_side - 1) / tile_side : n;
    return d > 0 ? n : (n + form.vector - 1) / form.vector;
}

int64_t all_walked(const loop_shape& form, std::span<const int64_t> extents) {
    int64_t n = 1;
    for (std::size_t d = 0; d < extents.size(); d++) n *= walked(form, extents, d);
    return n;
}

std::size_t dims_of(const loop_shape& form) {
    return static_cast<std::size_t>(form.row_dims) + form.element_dims;
}

/// The divisor of the kernel source: n / d is (the high word of n * factor, plus n) >> shift, for n
/// below 2^31.
struct divisor {
    static constexpr const char* spelling = "divisor";
    uint32_t d = 1, factor = 1, shift = 0;

    explicit divisor(int64_t n) : d(static_cast<uint32_t>(std::max<int64_t>(1, n))) {
        while (uint64_t{1} << shift < d) shift++;
        factor = static_cast<uint32_t>((((uint64_t{1} << shift) - d) << 32) / d + 1);
    }
};

struct element_values {
    const element_space& space;
    std::span<const uint64_t> scalars;
    uint64_t* status = nullptr;
};

template <class To>
void list_operand(To& to, const loop_shape& shape, const element_values& v, std::size_t o) {
    const std::size_t dims = dims_of(shape);
    const auto stride = [&](std::size_t d) { return v.space.operands[o].strides[dims - 1 - d]; };
    to.field("ptr", [&] { return v.space.operands[o].ptr; });
    if (shape.far)
        to.array("strides", dims, stride);
    else
        to.array("strides", dims, [&](std::size_t d) { return static_cast<int32_t>(stride(d)); });
}

template <class To>
void list_arguments(To& to, const kernel& k, const loop_shape& shape, const element_values& v) {
    const std::span<const int64_t> extents = v.space.extents;
    const std::size_t dims = dims_of(shape);
    const auto walk = [&](std::size_t d) { return walked(shape, extents, d); };
    to.structs("operands", k.operands.size(),
               [&](std::size_t o) { list_operand(to, shape, v, o); });
    list_scalars(to, k, v.scalars, v.status);
    to.field("blocks", [&] { return element_blocks(shape, extents); });
    to.field("steps", [&] { return all_walked(shape, extents); });
    to.field("whole", [&] { return points(extents) / shape.vector; });
    to.array("n", 2, [&](std::size_t d) { return d < dims ? extents[dims - 1 - d] : int64_t{1}; });
    if (shape.wide)
        to.array("by", dims, [&](std::size_t d) { return std::max<int64_t>(1, walk(d)); });
    else
        to.array("by", dims, [&](std::size_t d) { return divisor(walk(d)); });
}

}  // namespace

loop_shape element_form(const kernel& k, const element_space& space,
                        const element_machine& machine) {
    loop_shape form;
    form.row_dims = static_cast<uint8_t>(space.extents.size() - 1);
    form.element_dims = 1;
    form.wide = points(space.extents) > near;
    form.far = !std::all_of(space.operands.begin(), space.operands.end(),
                            [&](const argument_operand& o) { return is_near(space, o); });
    if (machine.plain_if_few && points(space.extents) < few_points) return form;
    form.turned = turned_operands(k, space);
    if (form.turned != 0) return form;
    choose_vectors(k, space, machine.cost, form);
    choose_items(k, space, machine, form);
    return form;
}

int64_t element_blocks(const loop_shape& shape, std::span<const int64_t> extents) {
    const int64_t all = all_walked(shape, extents);
    if (shape.turned != 0) return all;
    const int64_t in_a_block = int64_t{element_threads} * shape.items;
    return (all + in_a_block - 1) / in_a_block;
}

std::size_t element_argument_words(const kernel& k, const loop_shape& shape) {
    argument_bytes size;
    list_arguments(size, k, shape, {{}, {}});
    return size.words();
}

std::string c_element_arguments(const kernel& k, const loop_shape& shape, const std::string& name) {
    const std::string operand = name + "_operand";
    argument_text inner(operand), text(name + "_arguments", operand);
    list_operand(inner, shape, {{}, {}}, 0);
    list_arguments(text, k, shape, {{}, {}});
    return inner.end() + text.end();
}

void pack_elements(const kernel& k, const loop_shape& shape, const element_space& space,
                   std::span<const uint64_t> scalars, uint64_t* status, std::span<uint64_t> words) {
    argument_bytes to(words);
    list_arguments(to, k, shape, {space, scalars, status});
}

}  // namespace sinter::codegen
