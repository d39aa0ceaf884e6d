// Rows of one chunk, several side by side: one row alone has few accumulators, each a dependency
// chain, and stalls while its lanes fold.
#include "jit/codegen/llvm/reduce/emit_reduce.hpp"

namespace sinter::codegen {

using llvm::Value;
using op::reduction_kind;

std::size_t reduce_emitter::rows_side_by_side(bool stores) {
    const std::vector<sweep> sweeps = make_sweeps(stores);
    for (int64_t rows : {4, 2, 1}) {
        bool fit = true;
        for (const sweep& s : sweeps) fit &= in_registers(s, rows);
        if (fit) return static_cast<std::size_t>(rows);
    }
    return 0;
}

void reduce_emitter::pass_rows(std::size_t rows, bool stores) {
    const std::vector<sweep> sweeps = make_sweeps(stores);
    if (rows > rows_side_by_side(stores)) {
        for (const sweep& s : sweeps) f_.hoist(s.elements);
        std::vector<values> alone = chunk_states(sweeps, f_.number(0), f_.n0);
        for (std::size_t r = 0; r < reductions_.size(); ++r) finish(reductions_[r], alone[r]);
        return;
    }
    finish_rows(sweeps, rows, [&](const sweep& s) { return fold_rows(s, rows); });
}

void reduce_emitter::pass_at(std::vector<lane_point>& points, std::size_t rows) {
    finish_rows(make_sweeps(false), rows,
                [&](const sweep& s) { return fold_points(s, points, rows); });
}

void reduce_emitter::finish_rows(const std::vector<sweep>& sweeps, std::size_t rows,
                                 const std::function<folds(const sweep&)>& fold) {
    folds states = for_all(sweeps[0], fold(sweeps[0]));
    if (sweeps.size() > 1) {
        for (std::size_t r = 0; r < reductions_.size(); ++r) {
            if (reductions_[r].parts.kind != reduction_kind::moments) continue;
            reductions_[r].mean.clear();
            for (values& state : states[r]) {
                state = call(reductions_[r].parts.mean, {state[0], f_.n0});
                reductions_[r].mean.push_back(state[0]);
            }
        }
        const folds squares = fold(sweeps[1]);
        for (std::size_t n = 0; n < squares.size(); ++n) {
            auto r = static_cast<std::size_t>(sweeps[1].reductions[n] - reductions_.data());
            for (std::size_t row = 0; row < rows; ++row)
                states[r][row].push_back(squares[n][row][0]);
        }
    }
    for (std::size_t row = 0; row < rows; ++row) {
        f_.select_row(row);
        for (std::size_t r = 0; r < reductions_.size(); ++r) finish(reductions_[r], states[r][row]);
    }
}

reduce_emitter::folds reduce_emitter::fold_rows(const sweep& s, std::size_t rows) {
    const int64_t width = f_.lanes.width(), group = width * vectors_;
    for (std::size_t row = 0; row < rows; ++row) {
        f_.select_row(row);
        f_.hoist(s.elements);
    }
    Value* whole = b_.CreateAnd(f_.n0, f_.number(-group));
    auto points = [&](Value* e) {
        std::vector<lane_point> made;
        for (std::size_t row = 0; row < rows; ++row) {
            f_.select_row(row);
            for (int64_t v = 0; v < vectors_; ++v)
                made.push_back(f_.point(b_.CreateAdd(e, f_.number(v * width)), nullptr));
        }
        return made;
    };
    const std::size_t all = rows * static_cast<std::size_t>(vectors_);
    values last =
        f_.lanes.loop(f_.number(0), whole, group, fresh(s, all), [&](Value* e, const values& old) {
            std::vector<lane_point> at = points(e);
            return round(s, at, old);
        });
    last.pop_back();
    // The rest, masked: the first vector of each row, and the other vectors that still have
    // elements.
    for (int64_t v = 0; v < vectors_; ++v) {
        Value* first = b_.CreateAdd(whole, f_.number(v * width));
        values old;
        for (auto n = static_cast<std::size_t>(v); n < last.size();
             n += static_cast<std::size_t>(vectors_))
            old.push_back(last[n]);
        const values now = f_.lanes.choose(b_.CreateICmpSGE(first, f_.n0), old, [&] {
            std::vector<lane_point> at;
            for (std::size_t row = 0; row < rows; ++row) {
                f_.select_row(row);
                at.push_back(f_.point(first, b_.CreateSub(f_.n0, first)));
                if (row > 0) at.back().mask = at[0].mask;
                f_.lanes.mask(at.back());
            }
            return round(s, at, old);
        });
        for (std::size_t n = 0; n < now.size(); ++n)
            last[static_cast<std::size_t>(v) + n * static_cast<std::size_t>(vectors_)] = now[n];
    }
    return fold_all(s, last, rows);
}

reduce_emitter::folds reduce_emitter::fold_points(const sweep& s, std::vector<lane_point>& points,
                                                  std::size_t rows) {
    sweep rest = s;
    function_emitter::drop_computed(rest.elements, points[0]);
    return fold_all(s, round(rest, points, fresh(s, points.size())), rows);
}

reduce_emitter::folds reduce_emitter::fold_all(const sweep& s, const values& all,
                                               std::size_t rows) {
    folds folded;
    auto at = all.begin();
    for (const reduction* r : s.reductions) {
        std::vector<std::vector<values>> vectors(rows);
        for (auto& of_row : vectors) of_row.resize(static_cast<std::size_t>(vectors_));
        for (std::size_t p = 0; p < r->lane_types.size(); ++p)
            for (auto& of_row : vectors)
                for (values& vector : of_row) vector.push_back(*at++);
        std::vector<values>& results = folded.emplace_back();
        for (auto& of_row : vectors)
            results.push_back(state_of(*r, fold_vectors(*r, std::move(of_row)), f_.number(0)));
    }
    return folded;
}

}  // namespace sinter::codegen
