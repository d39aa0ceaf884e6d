// Memory of every layout, for operands and targets, and statements that write from one into
// another. The same value is computed into several layouts; the second time its kernel is known.
#include "tests/property/program.hpp"

#include "engine/graph/graph.hpp"

#include <algorithm>
#include <numeric>

namespace sinter::test {

namespace {

int64_t product_of(const std::vector<int64_t>& sizes) {
    return std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<>());
}

}  // namespace

std::string layout_of(const Tensor& t) {
    if (t.numel() == 0) return "empty";
    if (t.numel() == 1) return "one element";
    const std::string offset = t.storage_offset() ? ", offset" : "";
    if (t.is_contiguous()) return "rows" + offset;
    std::vector<std::pair<int64_t, int64_t>> steps;  // stride, extent
    for (int64_t d = 0; d < t.dim(); ++d)
        if (t.size(d) > 1) steps.emplace_back(t.stride(d), t.size(d));
    std::sort(steps.begin(), steps.end());
    if (steps[0].first == 0) return "expanded" + offset;
    int64_t reach = 1;  // elements that the smaller strides cover
    bool gaps = false;
    for (const auto& [stride, extent] : steps) {
        if (stride < reach) return "overlapping" + offset;
        gaps = gaps || stride > reach;
        reach = stride * (extent - 1) + reach;
    }
    return (gaps ? "gaps" : "permuted") + offset;
}

/// Returns zeros in a layout of any kind; `expanded`: dimensions of stride 0 too.
Tensor machine::in_layout(chooser& c, IntArrayRef sizes, ScalarType dtype, bool expanded) {
    const std::size_t rank = sizes.size();
    std::vector<std::size_t> order(rank);  // of the dimensions in memory
    std::iota(order.begin(), order.end(), 0);
    if (!c.chance(3))
        for (std::size_t i = rank; i > 1; --i)
            std::swap(order[i - 1],
                      order[static_cast<std::size_t>(c.below(static_cast<int64_t>(i)))]);
    const bool spread = c.chance(3);
    std::vector<int64_t> memory(rank), step(rank, 1), back(rank);
    std::vector<bool> repeated(rank, false);
    for (std::size_t i = 0; i < rank; ++i) {
        const std::size_t d = order[i];
        back[d] = static_cast<int64_t>(i);
        repeated[d] = expanded && sizes[d] > 0 && c.chance(3);
        if (spread && c.chance(2)) step[d] = c.between(2, 3);
        memory[i] = (repeated[d] ? 1 : sizes[d]) * step[d];
    }
    const int64_t lead = c.chance(3) ? c.between(1, 9) : 0, n = product_of(memory);
    Tensor t = zeros({lead + n + (lead ? c.below(3) : 0)}, dtype);
    if (c.chance(2)) t.eval();
    t = t.narrow(0, lead, n).view(memory).permute(back);
    for (std::size_t d = 0; d < rank; ++d)
        if (step[d] > 1) t = t.slice(static_cast<int64_t>(d), c.below(step[d]), nullopt, step[d]);
    return expanded ? t.expand(sizes) : t;
}

/// Returns the same values in another layout; with repeated dimensions only some of them.
Tensor machine::laid_out(chooser& c, const Tensor& x) {
    const bool expanded = c.chance(4);
    Tensor t = in_layout(c, x.sizes(), x.scalar_type(), expanded);
    if (!expanded) {
        t.copy_(x);
        return t;
    }
    Tensor some = t, from = x;
    for (int64_t d = 0; d < x.dim(); ++d)
        if (t.stride(d) == 0 && t.size(d) > 1) {
            some = some.narrow(d, 0, 1);
            from = from.narrow(d, 0, 1);
        }
    some.copy_(from);
    return t;
}

/// Returns a slot whose layout can matter, if a few tries find one.
std::size_t machine::shaped_slot(chooser& c) {
    std::size_t at = any_slot(c);
    for (int tries = 0; tries < 4 && (slots_[at].numel() < 2 || slots_[at].dim() < 2); ++tries)
        at = any_slot(c);
    return at;
}

void machine::lay_out(chooser& c) {
    const std::size_t at = shaped_slot(c);
    if (slots_[at].numel() > 9000) return;
    say(" s", at);
    put(c, laid_out(c, slots_[at]), "");
}

/// Writes what `make` returns into tensors of other layouts, with or without computing it first.
template <class Make>
void machine::write_made(chooser& c, const std::string& operands, const Make& make) {
    const Tensor once = make();
    if (once.numel() > 9000 || once.dim() > 5) return;
    if (c.chance(2)) once.eval();
    const ScalarType dtype = c.chance(4) ? random_dtype(c) : once.scalar_type();
    Tensor target;
    for (int64_t k = c.between(1, 4); k > 0; --k) {
        target = in_layout(c, once.sizes(), dtype, false);
        say(" into ", target.sizes(), target.strides());
        ++counts_->layouts[operands + " -> " + layout_of(target)];
        switch (c.below(6)) {
            case 0:
                say(" +=");
                target += make();
                break;
            case 1:
                say(" index_put_");
                target.index_put_({Ellipsis}, make());
                break;
            case 2: {
                // Of a tensor that is ready by then, or not.
                const Tensor value = make();
                if (c.chance(2)) value.eval();
                target.copy_(value);
                break;
            }
            default: target.copy_(make());
        }
        wrote(target, view_kind::same);
        if (c.chance(2)) record("written", target);
    }
    put(c, target, "");
    if (c.chance(2)) put(c, once, "");
}

void machine::write_laid_out(chooser& c) {
    const std::size_t at = shaped_slot(c);
    Tensor x = slots_[at];
    if (x.numel() > 9000) return;
    if (c.chance(2)) x = laid_out(c, x);
    const std::optional<std::size_t> other = fitting(c, x.sizes(), true);
    Tensor y = other ? slots_[*other] : x;
    if (c.chance(2)) y = laid_out(c, y.to(x.scalar_type()));
    if (c.chance(2)) {
        x.eval();
        y.eval();
    }
    const std::string operands = layout_of(x);
    say(" s", at, x.sizes(), x.strides());
    const auto n = c.between(1, 12);
    switch (c.below(10)) {
        case 0: say(" plus ", n); return write_made(c, operands, [&] { return x + n; });
        case 1: say(" times y", y.strides()); return write_made(c, operands, [&] { return x * y; });
        case 2: say(" negated"); return write_made(c, operands, [&] { return -x; });
        case 3:
            say(" times 2 plus y", y.strides());
            return write_made(c, operands, [&] { return x * 2 + y; });
        case 4: say(" above y", y.strides()); return write_made(c, operands, [&] { return x > y; });
        case 5:
            say(" where positive, else y", y.strides());
            return write_made(c, operands, [&] { return where(x > 0, x, y); });
        case 6: say(" itself"); return write_made(c, operands, [&] { return x; });
        case 7: {
            const int64_t dim = x.dim() ? c.below(x.dim()) : 0;
            say(" summed over ", dim);
            return write_made(c, operands, [&] { return x.sum({dim}, true); });
        }
        case 8: {
            say(" transposed, plus itself");
            if (x.dim() < 1) return;
            return write_made(c, operands, [&] { return x.transpose(0, -1) + n; });
        }
        default: {
            const expression_builder e = expression(c, x, static_cast<int>(c.between(1, 2)));
            return write_made(c, operands, [&] { return e.finish(); });
        }
    }
}

}  // namespace sinter::test
