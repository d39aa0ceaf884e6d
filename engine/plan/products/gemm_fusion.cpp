#include "engine/plan/products/gemm_fusion.hpp"

#include "kernels/linalg/product.hpp"

#include <algorithm>

namespace sinter::plan {
namespace {

/// A value as a matrix of dense rows, counted through the batch.
struct matrix {
    int value;
    int64_t offset, rows, cols;
    ScalarType dtype;
};

std::optional<piecewise> divide(const kernel_step& k, const matrix& m, kernel_ir::role use) {
    if (k.guarded || k.reduced > 1) return std::nullopt;
    const operand_binding* read = nullptr;
    std::optional<piecewise> e(std::in_place);
    e->value = m.value;
    for (std::size_t i = 0; i < k.operands.size(); ++i) {
        const operand_binding& b = k.operands[i];
        if (k.ir.operands[i].use == kernel_ir::role::index || b.value != m.value) continue;
        if (k.ir.operands[i].use != use || k.ir.operands[i].type != m.dtype ||
            b.offset != m.offset || (read && read->strides != b.strides))
            return std::nullopt;
        if (!read) e->operand = static_cast<int>(i);
        read = &b;
    }
    if (!read) return std::nullopt;

    const std::size_t rank = k.extents.size();
    int columns = 0;
    for (std::size_t d = 0; d < rank; ++d) {
        const int64_t extent = k.extents[d], stride = read->strides[d];
        const bool reduced = !k.streams && d + 1 == rank;
        if (extent == 1) {
            // Kept, because the kernel needs both of its inner two dimensions.
            e->dims.push_back({d, 1, 1, m.cols > 1, 1});
        } else if (stride > 0 && stride % m.cols == 0) {
            if (reduced) return std::nullopt;
            e->dims.push_back({d, 1, extent, false, stride / m.cols});
        } else if (stride == 1 && extent > m.cols && extent % m.cols == 0) {
            if (reduced) return std::nullopt;
            e->dims.push_back({d, m.cols, extent / m.cols, false, 1});
            e->dims.push_back({d, 1, m.cols, true, 1});
            ++columns;
        } else if (stride > 0 && stride * extent <= m.cols) {
            e->dims.push_back({d, 1, extent, true, stride});
            ++columns;
        } else {
            return std::nullopt;
        }
    }
    // Each element is visited once if the extents multiply up to the units and the sizes.
    for (const bool column : {false, true}) {
        std::vector<int> order;
        for (std::size_t d = 0; d < e->dims.size(); ++d)
            if (e->dims[d].column == column && e->dims[d].extent > 1)
                order.push_back(static_cast<int>(d));
        const auto at = [&e](int d) -> const piecewise::dim& {
            return e->dims[static_cast<std::size_t>(d)];
        };
        std::sort(order.begin(), order.end(),
                  [&](int a, int b) { return at(a).unit < at(b).unit; });
        int64_t size = 1;
        for (int d : order) {
            if (at(d).unit != size) return std::nullopt;
            size *= at(d).extent;
        }
        if (size != (column ? m.cols : m.rows)) return std::nullopt;
        if (!column) e->inner = std::move(order);
    }
    e->row_bytes = m.cols * static_cast<int64_t>(elementSize(m.dtype));
    e->whole_rows = columns > 1 || !k.streams;
    return e;
}

bool reads(const kernel_step* k, int value) {
    for (std::size_t i = 0; k && i < k->operands.size(); ++i)
        if (k->operands[i].value == value && k->ir.operands[i].use == kernel_ir::role::input)
            return true;
    return false;
}

/// Returns the last step before `end` that makes a product whose next reader is step `end`, or -1.
int find_product(const subgraph& w, const plan& p, int end) {
    const auto step = [&p](int i) -> const plan_step& {
        return p.steps[static_cast<std::size_t>(i)];
    };
    for (int i = end; i-- > 0;) {
        const int v = step(i).library;
        if (v < 0 || step(i).kernel || !reads(step(end), w, v) ||
            !w.nodes[static_cast<std::size_t>(v)]->library->product)
            continue;
        bool read_between = false;
        for (int j = i + 1; j < end; ++j) read_between = read_between || reads(step(j), w, v);
        if (!read_between) return i;
    }
    return -1;
}

const Node& product_of(const subgraph& w, const plan_step& s) {
    return *w.nodes[static_cast<std::size_t>(s.library)];
}

/// Tries to make the kernel of step `s` the epilogue of a product. If it succeeds, removes the
/// product's earlier step and returns true.
bool join_behind(const subgraph& w, plan& p, int s) {
    plan_step& step = p.steps[static_cast<std::size_t>(s)];
    if (!step.kernel || step.library >= 0) return false;
    const int product = find_product(w, p, s);
    if (product < 0) return false;
    const plan_step& from = p.steps[static_cast<std::size_t>(product)];
    const geometry& g = *product_of(w, from).shape;
    if (!g.contiguous || g.ndim < 2) return false;
    const int64_t cols = g.sizes()[g.ndim - 1];
    const matrix m{from.library, g.offset, g.numel / cols, cols, product_of(w, from).dtype};
    step.kernel->pieces = divide(*step.kernel, m, kernel_ir::role::input);
    if (!step.kernel->pieces) return false;
    step.library = from.library;
    p.steps.erase(p.steps.begin() + product);
    return true;
}

/// Returns the step with a map kernel that writes only `value`, or -1.
int find_map(const plan& p, int value) {
    for (std::size_t i = 0; i < p.steps.size(); ++i) {
        const kernel_step* k = p.steps[i].kernels()[1];
        if (!k || p.steps[i].library >= 0 || !k->streams || k->outputs.size() != 1) continue;
        if (k->operands[static_cast<std::size_t>(k->outputs[0])].value == value)
            return static_cast<int>(i);
    }
    return -1;
}

/// Tries to make the kernel that computes the first operand the prologue of the product of step
/// `s`. If it succeeds, removes the kernel's step and returns true.
bool join_before(const subgraph& w, plan& p, int s) {
    plan_step& step = p.steps[static_cast<std::size_t>(s)];
    if (step.library < 0 || step.before || !product_of(w, step).library->product) return false;
    const Node& n = product_of(w, step);
    const Edge& a = n.sources[0];
    const int value = subgraph::value_of(a);
    if (!w.is_node(value) || w.wanted[static_cast<std::size_t>(value)] ||
        subgraph::value_of(n.sources[1]) == value || reads(step.kernels()[1], value))
        return false;
    const Node& made = *w.nodes[static_cast<std::size_t>(value)];
    if (!a.shape->contiguous || a.shape->offset != made.shape->offset ||
        a.shape->numel != made.shape->numel || a.dtype != made.dtype)
        return false;
    for (const plan_step& other : p.steps)
        if (&other != &step && reads(other, w, value)) return false;
    const int from = find_map(p, value);
    if (from < 0) return false;
    std::optional<kernel_step>& map = p.steps[static_cast<std::size_t>(from)].kernel;
    const int64_t cols = a.shape->sizes()[a.shape->ndim - 1];
    const matrix m{value, a.shape->offset, a.shape->numel / cols, cols, a.dtype};
    map->pieces = divide(*map, m, kernel_ir::role::output);
    if (!map->pieces) return false;
    step.before = std::move(map);
    p.steps.erase(p.steps.begin() + from);
    return true;
}

}  // namespace

bool reads(const plan_step& s, const subgraph& w, int value) {
    for (const kernel_step* k : s.kernels())
        if (reads(k, value)) return true;
    if (s.library >= 0)
        for (const Edge& e : w.nodes[static_cast<std::size_t>(s.library)]->sources)
            if (subgraph::value_of(e) == value) return true;
    return false;
}

void join_products(const subgraph& w, plan& p) {
    for (int s = 0; s < static_cast<int>(p.steps.size()); ++s) s -= join_behind(w, p, s);
    for (int s = 0; s < static_cast<int>(p.steps.size()); ++s) s -= join_before(w, p, s);
}

}  // namespace sinter::plan
