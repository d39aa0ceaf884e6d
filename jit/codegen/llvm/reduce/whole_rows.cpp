// Rows of at most as many elements as the order has lanes. Chosen if all rows of a kernel are that
// short, and their code too: each row stays in registers from its loads to its stores through all
// stages, and several rows run side by side.
#include "jit/codegen/llvm/reduce/strategy.hpp"

namespace sinter::codegen {

using llvm::Value;

namespace {

/// Runs `count` rows from `row` on; `vectors` are those of one row.
void emit_group(function_emitter& f, Value* row, std::size_t count,
                const std::vector<lane_point>& vectors) {
    const kernel_context& c = f.context;
    std::vector<lane_point> points;
    f.each_row(count, [&](std::size_t n) {
        f.enter_row(f.b.CreateAdd(row, f.number(static_cast<int64_t>(n))), nullptr);
        for (const lane_point& vector : vectors) {
            points.push_back(vector);
            points.back().row = n;
        }
    });
    int number = 0;
    for (const kernel_ir::stage& s : c.order.stages) {
        f.each_row(count, [&](std::size_t) {
            f.emit_row(s.before);
            f.hoist(s.elements);
        });
        stage_reductions stage(f, number++, static_cast<int64_t>(vectors.size()));
        if (!s.reduces.empty()) reduce_points(stage, points, count);
        if (s.stores.empty()) continue;
        std::vector<value_id> roots;
        for (value_id id : s.stores) roots.push_back(c.at(id).b);
        std::vector<value_id> ids = c.needed(s.elements, roots);
        function_emitter::drop_computed(ids, points[0]);
        ids.insert(ids.end(), s.stores.begin(), s.stores.end());
        f.emit_elements(ids, points);
    }
    f.each_row(count, [&](std::size_t) { f.emit_row(c.order.after); });
}

}  // namespace

void emit_whole_rows(const kernel_context& context, const whole_rows& chosen) {
    llvm::Type* pointer = llvm::PointerType::getUnqual(context.module.getContext());
    function_emitter f(context, context.add_function("", {pointer}, true));
    f.rows_are_few_vectors = chosen.vectors <= 2;
    // All rows have the same masks.
    std::vector<lane_point> vectors;
    const auto width = static_cast<int64_t>(f.lanes.width());
    for (int64_t v = 0; v < chosen.vectors; ++v) {
        Value *first = f.number(v * width), *active = nullptr;
        if ((v + 1) * width > chosen.fewest) {
            active = f.lanes.at_most(f.b.CreateSub(f.n0, first), width);
            active = f.b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, active, f.number(0));
        }
        vectors.push_back(f.point(first, active));
        if (active) f.lanes.mask(vectors.back());
    }
    // Runs all whole groups of `count` rows from `begin` on; returns the first remaining row.
    auto rows = [&](int64_t count, Value* begin) {
        Value* end = f.b.CreateSub(f.n1, f.number(count - 1));
        return f.lanes.each(begin, end, count, [&](Value* row) {
            emit_group(f, row, static_cast<std::size_t>(count), vectors);
        });
    };
    Value* rest = f.number(0);
    if (chosen.together > 1) rest = rows(chosen.together, rest);
    rows(1, rest);
    f.finish();
}

}  // namespace sinter::codegen
