#include "jit/plan/epilogue.hpp"

#include "kernels/linalg/product.hpp"
#include "runtime/stack_array.hpp"

#include <algorithm>

namespace sinter::plan {
namespace {

/// The result of a product: dense rows, counted through the batch.
struct matrix {
    int value;
    int64_t offset, rows, cols;
    ScalarType dtype;
};

std::unique_ptr<epilogue> follow(const kernel_step& k, const matrix& m) {
    if (k.guarded || k.reduced > 1) return nullptr;
    const operand_binding* read = nullptr;
    for (std::size_t i = 0; i < k.operands.size(); ++i) {
        const operand_binding& b = k.operands[i];
        if (k.ir.operands[i].use != kernel_ir::role::input || b.value != m.value) continue;
        if (k.ir.operands[i].type != m.dtype || b.offset != m.offset) return nullptr;
        if (read && read->strides != b.strides) return nullptr;
        read = &b;
    }
    if (!read) return nullptr;

    auto e = std::make_unique<epilogue>();
    e->value = m.value;
    const std::size_t rank = k.extents.size();
    int columns = 0;
    for (std::size_t d = 0; d < rank; ++d) {
        const int64_t extent = k.extents[d], stride = read->strides[d];
        const bool reduced = !k.streams && d + 1 == rank;
        if (extent == 1) {
            // Of the kernel's inner two dimensions none may be lost.
            e->dims.push_back({d, 1, 1, m.cols > 1, 1});
        } else if (stride > 0 && stride % m.cols == 0) {
            if (reduced) return nullptr;
            e->dims.push_back({d, 1, extent, false, stride / m.cols});
        } else if (stride == 1 && extent > m.cols && extent % m.cols == 0) {
            if (reduced) return nullptr;
            e->dims.push_back({d, m.cols, extent / m.cols, false, 1});
            e->dims.push_back({d, 1, m.cols, true, 1});
            ++columns;
        } else if (stride > 0 && stride * extent <= m.cols) {
            e->dims.push_back({d, 1, extent, true, stride});
            ++columns;
        } else {
            return nullptr;
        }
    }
    // Each element once: units multiply up to the sizes.
    for (const bool column : {false, true}) {
        std::vector<int> order;
        for (std::size_t d = 0; d < e->dims.size(); ++d)
            if (e->dims[d].column == column && e->dims[d].extent > 1)
                order.push_back(static_cast<int>(d));
        const auto at = [&e](int d) -> const epilogue::dim& {
            return e->dims[static_cast<std::size_t>(d)];
        };
        std::sort(order.begin(), order.end(),
                  [&](int a, int b) { return at(a).unit < at(b).unit; });
        int64_t size = 1;
        for (int d : order) {
            if (at(d).unit != size) return nullptr;
            size *= at(d).extent;
        }
        if (size != (column ? m.cols : m.rows)) return nullptr;
        if (!column) e->inner = std::move(order);
    }
    e->whole_rows = columns > 1 || !k.streams;
    return e;
}

bool reads(const plan_step& s, const work& w, int value) {
    if (s.kernel)
        for (std::size_t i = 0; i < s.kernel->operands.size(); ++i)
            if (s.kernel->operands[i].value == value &&
                s.kernel->ir.operands[i].use == kernel_ir::role::input)
                return true;
    if (s.library >= 0)
        for (const Edge& e : w.nodes[static_cast<std::size_t>(s.library)]->sources)
            if (work::value_of(e) == value) return true;
    return false;
}

/// The step before `end` that makes a product which step `end` is the next to read; the last of
/// several; -1.
int find_product(const work& w, const plan& p, int end) {
    const auto step = [&p](int i) -> const plan_step& {
        return p.steps[static_cast<std::size_t>(i)];
    };
    for (int i = end; i-- > 0;) {
        const int v = step(i).library;
        if (v < 0 || step(i).kernel || !reads(step(end), w, v) ||
            !blas::is_product(*w.nodes[static_cast<std::size_t>(v)]->library))
            continue;
        bool read_between = false;
        for (int j = i + 1; j < end; ++j) read_between = read_between || reads(step(j), w, v);
        if (!read_between) return i;
    }
    return -1;
}

}  // namespace

void join_epilogues(const work& w, plan& p) {
    for (int s = 0; s < static_cast<int>(p.steps.size()); ++s) {
        plan_step& step = p.steps[static_cast<std::size_t>(s)];
        if (!step.kernel) continue;
        const int product = find_product(w, p, s);
        if (product < 0) continue;
        const int value = p.steps[static_cast<std::size_t>(product)].library;
        const Node& n = *w.nodes[static_cast<std::size_t>(value)];
        const geometry& g = *n.shape;
        if (!g.contiguous || g.ndim < 2) continue;
        const int64_t cols = g.sizes()[g.ndim - 1];
        step.kernel->follows =
            follow(*step.kernel, {value, g.offset, g.numel / cols, cols, n.dtype});
        if (!step.kernel->follows) continue;
        step.library = value;
        p.steps.erase(p.steps.begin() + product);
        --s;
    }
}

piecewise_launch::piecewise_launch(const epilogue& e, const runtime::launch_request& whole)
    : e_(e), whole_(whole) {
    for (const runtime::launch_operand& o : whole.operands)
        for (const epilogue::dim& d : e.dims) strides_.push_back(o.strides[d.from] * d.step);
}

void piecewise_launch::run(int64_t row, int64_t rows, int64_t col, int64_t cols) const {
    const std::size_t rank = e_.dims.size(), operands = whole_.operands.size();
    runtime::stack_array<int64_t, 8> begin(rank), extents(rank);
    runtime::stack_array<runtime::launch_operand, 16> at(operands);
    for (std::size_t d = 0; d < rank; ++d) {
        const bool part = e_.dims[d].column && e_.dims[d].extent > 1 && !e_.whole_rows;
        begin[d] = part ? col : 0;
        extents[d] = part ? cols : e_.dims[d].extent;
    }
    // Boxes: inner dimensions whole, then a part of one, and one index of those outside.
    for (const int64_t end = row + rows; row < end;) {
        int64_t taken = 1;
        bool whole = true;
        for (int i : e_.inner) {
            const auto d = static_cast<std::size_t>(i);
            const epilogue::dim& dim = e_.dims[d];
            const int64_t index = row / dim.unit % dim.extent;
            begin[d] = index;
            extents[d] = whole ? std::min(dim.extent - index, (end - row) / dim.unit) : 1;
            if (whole) taken = extents[d] * dim.unit;
            whole = whole && extents[d] == dim.extent;
        }
        for (std::size_t k = 0; k < operands; ++k) {
            const int64_t* strides = strides_.data() + k * rank;
            auto address = reinterpret_cast<uint64_t>(whole_.operands[k].base);
            for (std::size_t d = 0; d < rank; ++d)
                address += static_cast<uint64_t>(begin[d]) * static_cast<uint64_t>(strides[d]);
            at[k] = {reinterpret_cast<char*>(address), strides};
        }
        runtime::launch_request part = whole_;
        part.rank = static_cast<int>(rank);
        part.extents = extents.data();
        part.operands = {at.data(), operands};
        runtime::launch_part(part);
        row += taken;
    }
}

}  // namespace sinter::plan
