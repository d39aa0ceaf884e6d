#include "jit/launch/gpu/forms.hpp"

#include "jit/launch/gpu/bytes_in_flight.hpp"
#include "jit/launch/gpu/rows.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace sinter::runtime {
namespace {

/// Returns true if all operands that are read or stored in packs are aligned to 16 bytes.
bool aligned(const launched_kernel& k, std::span<const codegen::argument_operand> operands) {
    const bool pairs = k.rows->form.across && k.rows->form.packed;
    for (std::size_t o = 0; o < operands.size(); ++o) {
        const kernel_ir::operand& operand = k.ir.operands[o];
        if (operand.use != kernel_ir::role::index &&
            (operand.lane == kernel_ir::stride_class::unit ||
             (pairs && operand.use == kernel_ir::role::input)) &&
            reinterpret_cast<uintptr_t>(operands[o].ptr) % 16 != 0)
            return false;
    }
    return true;
}

/// Dimensions of the base form: 8, or as many as a kernel's argument has room for. Of a kernel with
/// reductions, half of them are reduced.
std::size_t base_dims(const kernel_ir::kernel& k) {
    constexpr std::size_t most = 8, room = 3500, word = 8;  // an argument has at most 4096 bytes
    const std::size_t fit = room / (word * std::max<std::size_t>(1, k.operands.size()));
    return std::clamp<std::size_t>(fit - std::min<std::size_t>(fit, 1), 4, most);
}

}  // namespace

codegen::loop_shape form_of(const launched_kernel& k, const device_properties& device,
                            const codegen::element_space& space) {
    if (k.streams) return codegen::element_form(k.ir, space, {bytes_of_thread(device), k.cost});
    int64_t points = 1;
    for (int64_t n : k.extents) points *= n;
    codegen::loop_shape s;
    s.element_dims = static_cast<uint8_t>(k.reduced);
    s.row_dims = static_cast<uint8_t>(k.extents.size() - static_cast<std::size_t>(k.reduced));
    s.wide = points > std::numeric_limits<int32_t>::max();
    if (k.rows) s.rows = aligned(k, space.operands) ? k.rows->form : k.rows->unaligned;
    return s;
}

std::vector<codegen::loop_shape> other_forms(const launched_kernel& k,
                                             const device_properties& device,
                                             const codegen::element_space& space) {
    const codegen::loop_shape form = form_of(k, device, space);
    std::vector<codegen::loop_shape> others;
    const auto add = [&](const codegen::loop_shape& s) {
        if (s != form && (others.empty() || s != others.back())) others.push_back(s);
    };
    codegen::loop_shape plain = form;
    if (k.rows) {
        plain.rows = k.rows->unaligned;
    } else {
        add(codegen::element_form(k.ir, space, {bytes_of_thread(device), k.cost, false}));
        plain.vector = plain.items = 1;
        plain.whole = plain.turned = 0;
    }
    for (const bool wide : {form.wide, true})
        for (const bool far : {form.far, true}) {
            plain.wide = wide;
            plain.far = far;
            add(plain);
        }
    return others;
}

std::optional<base_kernel> base_of(const launched_kernel& k) {
    base_kernel base;
    const std::size_t dims = base_dims(k.ir);
    const std::size_t elements = k.streams ? 1 : dims / 2;
    if (!k.streams && static_cast<std::size_t>(k.reduced) > elements) return std::nullopt;
    base.ir = k.ir;
    for (kernel_ir::operand& o : base.ir.operands) o.lane = kernel_ir::stride_class::other;
    base.key = kernel_ir::serialize(base.ir);
    base.shape.element_dims = static_cast<uint8_t>(elements);
    base.shape.row_dims = static_cast<uint8_t>(dims - elements);
    if (!k.streams) {
        base.rows = rows_of_any_length(base.ir);
        base.shape.rows = base.rows->form;
    }
    return base;
}

std::optional<base_launch> in_base_form(const launched_kernel& k, base_kernel&& base,
                                        std::span<const codegen::argument_operand> operands) {
    const std::size_t elements = base.shape.element_dims, rows = base.shape.row_dims;
    const std::size_t own = k.streams ? 1 : static_cast<std::size_t>(k.reduced);
    const std::size_t outer = k.extents.size() - own;
    if (outer > rows || own > elements) return std::nullopt;
    // Dimensions of one index stand before the rows, and before the elements of a row.
    const auto in_all_dims = [&](const int64_t* values, int64_t missing, std::vector<int64_t>& to) {
        to.insert(to.end(), rows - outer, missing);
        to.insert(to.end(), values, values + outer);
        to.insert(to.end(), elements - own, missing);
        to.insert(to.end(), values + outer, values + outer + own);
    };
    base_launch l;
    l.k.ir = std::move(base.ir);
    l.k.key = std::move(base.key);
    in_all_dims(k.extents.data(), 1, l.k.extents);
    l.k.reduced = static_cast<int>(elements);
    l.k.guarded = k.guarded;
    l.k.streams = k.streams;
    l.k.cost = k.cost;
    l.k.rows = base.rows;
    l.strides.reserve(operands.size() * (rows + elements));
    for (const codegen::argument_operand& o : operands) {
        const std::size_t first = l.strides.size();
        in_all_dims(o.strides, 0, l.strides);
        l.operands.push_back({o.ptr, l.strides.data() + first});
    }
    return l;
}

}  // namespace sinter::runtime
