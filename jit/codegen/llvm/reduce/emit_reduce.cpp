#include "jit/codegen/llvm/reduce/emit_reduce.hpp"

#include "jit/codegen/protocol.hpp"
#include "jit/kernel_ir/reduce_order.hpp"

#include <algorithm>

namespace sinter::codegen {

using kernel_ir::opcode;
using llvm::Value;
using op::reduction_kind;

namespace {

constexpr int64_t stack_limit = 40;  // enough for pairwise merging of 2^39 chunks
/// Prefetch distance in a chunk. The hardware prefetcher stops at page ends and restarts in each
/// page.
constexpr int64_t bytes_ahead = 8192;
/// Lanes, each a vector of rows, if the order is free: they stay in registers.
constexpr int64_t free_lanes = 4;

/// Returns true if the order of elements cannot change a bit: for choices, and for integers, which
/// wrap.
bool in_any_order(const instr& reduce) {
    switch (static_cast<op::reduction>(reduce.row)) {
        case op::reduction::amax:
        case op::reduction::amin:
        case op::reduction::any:
        case op::reduction::all:
        case op::reduction::argmax:
        case op::reduction::argmin: return true;
        case op::reduction::sum:
        case op::reduction::prod:
            return !is_float(kernel_ir::accumulator_type(reduce.row, reduce.in));
        default: return false;
    }
}

bool is_largest(uint16_t row) { return row == static_cast<uint16_t>(op::reduction::amax); }

/// Returns true for amax and amin of floats: as a formula they take six instructions, on integer
/// keys one.
bool has_keys(const kernel_ir::instr& reduce, mtype acc) {
    return (is_largest(reduce.row) || reduce.row == static_cast<uint16_t>(op::reduction::amin)) &&
           kernel_ir::is_float(acc);
}

/// Returns the bits of a float, with those below the sign flipped if it is negative. It is its own
/// inverse.
uint64_t key_of(mtype t, uint64_t bits) {
    const uint64_t sign = t == mtype::f64 ? uint64_t{1} << 63 : uint64_t{1} << 31;
    return bits & sign ? bits ^ (sign - 1) : bits;
}

/// Returns `scalar`, or a vector of it with as many elements as `v`.
llvm::Type* like(llvm::Type* scalar, Value* v) {
    auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(v->getType());
    return vector ? llvm::FixedVectorType::get(scalar, vector->getNumElements()) : scalar;
}

}  // namespace

reduce_emitter::reduce_emitter(function_emitter& f, int stage, int64_t blocks, int64_t vectors)
    : f_(f),
      b_(f.b),
      stage_(f.context.order.stages[static_cast<std::size_t>(stage)]),
      blocks_(blocks) {
    // If lanes run along elements, they are the lanes of the order. If they run along rows, each
    // lane of the order is a vector.
    int64_t lanes = f.context.reduce_lanes();
    any_order_ = std::all_of(stage_.reduces.begin(), stage_.reduces.end(),
                             [&](value_id id) { return in_any_order(f.context.at(id)); });
    if (any_order_ && !f.context.along_elements()) lanes = free_lanes;
    vectors_ = f.context.along_elements() ? lanes / f.lanes.width() : lanes;
    if (vectors > 0) vectors_ = vectors;  // the other lanes fold to the identity
    for (value_id id : stage_.reduces) {
        const instr& i = f.context.at(id);
        reduction r{id, kernel_ir::make_fragments(i.row, i.in), {}, {}, {}, {}, {}};
        r.lane_types = {r.parts.acc};
        if (r.parts.kind == reduction_kind::arg) r.lane_types.push_back(mtype::i32);
        r.state_types = {r.parts.acc};
        if (r.parts.kind == reduction_kind::arg) r.state_types.push_back(mtype::i64);
        if (r.parts.kind == reduction_kind::moments) r.state_types.push_back(r.parts.acc);
        if (has_keys(i, r.parts.acc)) {
            r.keyed = true;
            r.lane_types = {r.parts.acc == mtype::f64 ? mtype::i64 : mtype::i32};
            r.parts.identity = {key_of(r.parts.acc, r.parts.identity[0])};
        }
        auto slot = [&](mtype t, unsigned width, int64_t count) {
            llvm::Type* type = t == mtype::b1 ? b_.getInt8Ty() : f.values.type(t);
            if (width) type = llvm::FixedVectorType::get(type, width);
            return f.lanes.slot(type, f.number(count));
        };
        for (mtype t : r.lane_types)
            r.lanes.push_back(
                slot(t, f.lanes.width(), (f.context.along_elements() ? 1 : blocks) * vectors_));
        for (mtype t : r.state_types) {
            r.stack.push_back(slot(t, state_width(), blocks * stack_limit));
        }
        r.same = find_same(r);
        reductions_.push_back(std::move(r));
    }
    depth_ = f.lanes.slot(b_.getInt64Ty());
    counts_ = f.lanes.slot(b_.getInt64Ty(), f.number(stack_limit));
}

std::size_t reduce_emitter::find_same(const reduction& r) const {
    const auto equal = [](const kernel_ir::fragment& x, const kernel_ir::fragment& y) {
        return x.body == y.body && x.results == y.results;
    };
    const auto sums_same = [&](const reduction& o) {
        return f_.context.at(o.id).a == f_.context.at(r.id).a && o.parts.acc == r.parts.acc &&
               o.parts.kind != reduction_kind::arg && r.parts.kind != reduction_kind::arg &&
               o.keyed == r.keyed && o.parts.identity == r.parts.identity &&
               equal(o.parts.prepare, r.parts.prepare) && equal(o.parts.combine, r.parts.combine);
    };
    const auto first = std::find_if(reductions_.begin(), reductions_.end(), sums_same);
    return static_cast<std::size_t>(first - reductions_.begin());
}

// ---- the pass

void reduce_emitter::pass(Value* begin, Value* end, bool stores, Value* partials) {
    start();
    const std::vector<sweep> sweeps = make_sweeps(stores);
    f_.lanes.if_then(b_.CreateICmpSLT(begin, end), [&] {
        for (const sweep& s : sweeps) f_.hoist(s.elements);
        f_.lanes.loop(begin, end, 1, {}, [&](Value* c, const values&) {
            chunk(c, sweeps, partials);
            return values{};
        });
        // Nothing is left to merge if chunks were written to `partials`.
        merge(b_.CreateSub(get(depth_, mtype::i64, 0), f_.number(1)));
    });
}

void reduce_emitter::finish() {
    for (const reduction& r : reductions_) {
        values parts;
        for (std::size_t p = 0; p < r.state_types.size(); ++p)
            parts.push_back(get(state(r, p, f_.number(0)), r.state_types[p], state_width()));
        finish(r, std::move(parts));
    }
}

void reduce_emitter::finish(const reduction& r, values state) {
    if (r.parts.kind != reduction_kind::arg) state.push_back(f_.n0);
    if (r.parts.kind == reduction_kind::moments)
        state.push_back(f_.row_value(f_.context.at(r.id).b));
    f_.set_row_value(r.id, call(r.parts.finish, state)[0]);
}

std::vector<reduce_emitter::sweep> reduce_emitter::make_sweeps(bool stores) {
    bool moments = false;
    for (const reduction& r : reductions_) moments |= r.parts.kind == reduction_kind::moments;
    // Stores come last, since an output may share memory with an input.
    std::vector<sweep> sweeps{make_sweep(false, stores && !moments)};
    if (moments) sweeps.push_back(make_sweep(true, stores));
    return sweeps;
}

reduce_emitter::sweep reduce_emitter::make_sweep(bool deviations, bool stores) {
    sweep s{{}, {}, deviations};
    std::vector<value_id> roots;
    for (reduction& r : reductions_) {
        if (deviations && r.parts.kind != reduction_kind::moments) continue;
        if (!deviations && &r != &reductions_[r.same]) continue;
        s.reductions.push_back(&r);
        roots.push_back(f_.context.at(r.id).a);
    }
    if (stores)
        for (value_id id : stage_.stores) roots.push_back(f_.context.at(id).b);
    s.elements = f_.context.needed(stage_.elements, roots);
    if (stores) s.elements.insert(s.elements.end(), stage_.stores.begin(), stage_.stores.end());
    return s;
}

void reduce_emitter::chunk(Value* number, const std::vector<sweep>& sweeps, Value* partials) {
    Value* begin = b_.CreateMul(number, f_.number(kernel_ir::reduce_chunk));
    Value* end =
        b_.CreateAdd(begin, f_.lanes.at_most(b_.CreateSub(f_.n0, begin), kernel_ir::reduce_chunk));
    leave(chunk_states(sweeps, begin, end), number, b_.CreateSub(end, begin), partials);
}

std::vector<reduce_emitter::values> reduce_emitter::chunk_states(const std::vector<sweep>& sweeps,
                                                                 Value* begin, Value* end) {
    Value* count = b_.CreateSub(end, begin);
    std::vector<values> states = for_all(sweeps[0], fold_chunk(sweeps[0], begin, end));
    if (sweeps.size() > 1) {
        for (std::size_t r = 0; r < reductions_.size(); ++r)
            if (reductions_[r].parts.kind == reduction_kind::moments)
                states[r] = reductions_[r].mean =
                    call(reductions_[r].parts.mean, {states[r][0], count});
        std::vector<values> squares = fold_chunk(sweeps[1], begin, end);
        for (std::size_t n = 0; n < squares.size(); ++n) {
            auto r = static_cast<std::size_t>(sweeps[1].reductions[n] - reductions_.data());
            states[r].push_back(squares[n][0]);
        }
    }
    return states;
}

/// Pushes the states of a chunk, or writes them if `partials` is not null at run time.
void reduce_emitter::leave(const std::vector<values>& states, Value* number, Value* count,
                           Value* partials) {
    if (!partials) {
        push(states, number, count);
        return;
    }
    Value* merging = b_.CreateIsNull(partials);
    f_.lanes.if_then(merging, [&] { push(states, number, count); });
    f_.lanes.if_then(b_.CreateNot(merging), [&] { write(states, number, partials); });
}

// ---- one chunk

std::vector<reduce_emitter::values> reduce_emitter::fold_chunk(const sweep& s, Value* begin,
                                                               Value* end) {
    Value* folding = f_.number(vectors_);
    if (!f_.context.along_elements() && in_quads(s)) {
        folding = sweep_quads(s, begin, end);
    } else if (!f_.context.along_elements()) {
        fill_identities(s);
        sweep_memory(s, begin, end, false);
    } else if (in_registers(s, 1)) {
        Value* whole = sweep_registers(s, begin, end);
        sweep_memory(s, whole, end, true);
    } else {
        fill_identities(s);
        int64_t width = f_.lanes.width();
        Value* count = b_.CreateSub(end, begin);
        Value* whole = b_.CreateAdd(begin, b_.CreateAnd(count, f_.number(-width)));
        sweep_memory(s, begin, whole, false);
        sweep_memory(s, whole, end, true);
    }
    std::vector<values> states;
    for (const reduction* r : s.reductions)
        states.push_back(state_of(*r,
                                  f_.context.along_elements() ? fold_vectors(*r, kept_vectors(*r))
                                                              : fold_memory(*r, folding),
                                  begin));
    return states;
}

reduce_emitter::values reduce_emitter::prepared(const reduction& r, const lane_point& at) {
    values more = call(r.parts.prepare, {f_.lanes_of(f_.context.at(r.id).a, at)});
    if (r.keyed) more[0] = to_key(r, more[0]);
    return more;
}

reduce_emitter::values reduce_emitter::step(const sweep& s, const reduction& r, const values& old,
                                            const lane_point& at) {
    values more = prepared(r, at);
    if (s.deviations) more = call(r.parts.deviation, {more[0], r.mean[at.row]});
    if (r.parts.kind == reduction_kind::arg) {
        // A lane's elements come in order, so the lane keeps the first of equal values.
        Value* take = call(r.parts.better, {more[0], old[0]})[0];
        Value* place = b_.CreateAnd(at.element, f_.number(kernel_ir::reduce_chunk - 1));
        place = f_.values.splat(b_.CreateTrunc(place, b_.getInt32Ty()), f_.lanes.width());
        if (f_.context.along_elements())
            place = b_.CreateAdd(place, f_.lanes.iota(b_.getInt32Ty()));
        return {b_.CreateSelect(take, more[0], old[0]), b_.CreateSelect(take, place, old[1])};
    }
    return combine(r, old, more);
}

bool reduce_emitter::in_registers(const sweep& s, int64_t chunks) const {
    int64_t parts = 0, bits = 0;
    for (const reduction* r : s.reductions) {
        for (mtype t : r->lane_types) {
            ++parts;
            bits += vectors_ * f_.lanes.width() * (t == mtype::f64 || t == mtype::i64 ? 64 : 32);
        }
    }
    int64_t work = static_cast<int64_t>(s.elements.size()) + 4 * parts;
    int64_t registers = f_.context.options.shape.bits == 512 ? 20 : 10;
    return bits * chunks <= registers * f_.context.options.shape.bits &&
           work * vectors_ * chunks <= 96;
}

/// Reduces whole rounds of elements [begin, end). Leaves the accumulators in memory; returns the
/// end of the rounds.
Value* reduce_emitter::sweep_registers(const sweep& s, Value* begin, Value* end) {
    int64_t width = f_.lanes.width(), group = width * vectors_;
    auto body = [&](Value* e, const values& old) {
        read_ahead(s, e, group);
        std::vector<lane_point> points;
        for (int64_t v = 0; v < vectors_; ++v)
            points.push_back(f_.point(b_.CreateAdd(e, f_.number(v * width)), nullptr));
        return round(s, points, old);
    };
    Value* whole = b_.CreateAdd(begin, b_.CreateAnd(b_.CreateSub(end, begin), f_.number(-group)));
    const values start = fresh(s, static_cast<std::size_t>(vectors_));
    values last = f_.lanes.loop(begin, whole, group, start, body);
    std::size_t n = 0;
    for (const reduction* r : s.reductions)
        for (std::size_t p = 0; p < r->lane_types.size(); ++p)
            for (int64_t v = 0; v < vectors_; ++v) put(last[n++], accumulator(*r, p, f_.number(v)));
    return whole;
}

/// Prefetches the lines that are `bytes_ahead` after `count` elements from `first`, for all
/// operands that the sweep reads.
void reduce_emitter::read_ahead(const sweep& s, Value* first, int64_t count) {
    constexpr int64_t line = 64;
    std::vector<bool> asked(f_.context.k.operands.size());
    for (value_id id : s.elements) {
        const instr& i = f_.context.at(id);
        if (i.op != opcode::load || i.dom != kernel_ir::domain::element) continue;
        const auto o = static_cast<std::size_t>(i.a);
        const kernel_ir::operand& kind = f_.context.k.operands[o];
        if (kind.lane != kernel_ir::stride_class::unit || asked[o]) continue;
        asked[o] = true;
        const auto size = static_cast<int64_t>(elementSize(kind.type));
        Value* at = b_.CreateGEP(f_.values.memory_type(kind.type), f_.row_address(o), first);
        at = b_.CreateConstGEP1_64(b_.getInt8Ty(), at, bytes_ahead);
        for (int64_t byte = 0; byte < count * size; byte += line)
            b_.CreateIntrinsic(
                llvm::Intrinsic::prefetch, {b_.getPtrTy()},
                {b_.CreateConstGEP1_64(b_.getInt8Ty(), at, static_cast<uint64_t>(byte)),
                 b_.getInt32(0), b_.getInt32(3), b_.getInt32(1)});
    }
}

reduce_emitter::values reduce_emitter::fresh(const sweep& s, std::size_t count) {
    values start;
    for (const reduction* r : s.reductions)
        for (std::size_t p = 0; p < r->lane_types.size(); ++p)
            for (std::size_t v = 0; v < count; ++v)
                start.push_back(identity(*r, p, f_.number(static_cast<int64_t>(v) % vectors_)));
    return start;
}

reduce_emitter::values reduce_emitter::round(const sweep& s, std::vector<lane_point>& points,
                                             const values& old) {
    f_.emit_elements(s.elements, points);
    values now = old;
    std::size_t first = 0;
    for (const reduction* r : s.reductions) {
        const std::size_t parts = r->lane_types.size();
        for (std::size_t v = 0; v < points.size(); ++v) {
            values mine;
            for (std::size_t p = 0; p < parts; ++p)
                mine.push_back(old[first + p * points.size() + v]);
            const values next = step(s, *r, mine, points[v]);
            for (std::size_t p = 0; p < parts; ++p)
                now[first + p * points.size() + v] =
                    points[v].active ? b_.CreateSelect(f_.lanes.mask(points[v]), next[p], mine[p])
                                     : next[p];
        }
        first += parts * points.size();
    }
    return now;
}

/// With lanes along elements, `begin` is at the first accumulator, or a whole number of rounds
/// after it.
void reduce_emitter::sweep_memory(const sweep& s, Value* begin, Value* end, bool masked,
                                  Value* from) {
    bool along = f_.context.along_elements();
    int64_t width = along ? f_.lanes.width() : 1;
    f_.lanes.loop(begin, end, width, {}, [&](Value* e, const values&) {
        Value* active = masked ? f_.lanes.at_most(b_.CreateSub(end, e), width) : nullptr;
        std::vector<lane_point> points{f_.point(e, active)};
        if (from) points[0].skipped = b_.CreateSub(from, e);
        f_.emit_elements(s.elements, points);
        Value* turn = along ? b_.CreateUDiv(e, f_.number(width)) : e;
        turn = b_.CreateAnd(turn, f_.number(vectors_ - 1));
        for (const reduction* r : s.reductions) {
            values old;
            for (std::size_t p = 0; p < r->lane_types.size(); ++p)
                old.push_back(get(accumulator(*r, p, turn), r->lane_types[p], f_.lanes.width()));
            values now = step(s, *r, old, points[0]);
            for (std::size_t p = 0; p < now.size(); ++p) {
                if (masked) now[p] = b_.CreateSelect(f_.lanes.mask(points[0]), now[p], old[p]);
                put(now[p], accumulator(*r, p, turn));
            }
        }
        return values{};
    });
}

void reduce_emitter::fill_identities(const sweep& s) {
    f_.lanes.loop(f_.number(0), f_.number(vectors_), 1, {}, [&](Value* v, const values&) {
        for (const reduction* r : s.reductions)
            for (std::size_t p = 0; p < r->lane_types.size(); ++p)
                put(identity(*r, p, v), accumulator(*r, p, v));
        return values{};
    });
}

std::vector<reduce_emitter::values> reduce_emitter::kept_vectors(const reduction& r) {
    std::vector<values> vectors;
    for (int64_t v = 0; v < vectors_; ++v) {
        vectors.emplace_back();
        for (std::size_t p = 0; p < r.lane_types.size(); ++p)
            vectors.back().push_back(
                get(accumulator(r, p, f_.number(v)), r.lane_types[p], f_.lanes.width()));
    }
    return vectors;
}

reduce_emitter::values reduce_emitter::fold_vectors(const reduction& r,
                                                    std::vector<values> vectors) {
    for (std::size_t h = vectors.size() / 2; h > 0; h /= 2)
        for (std::size_t v = 0; v < h; ++v) vectors[v] = combine(r, vectors[v], vectors[v + h]);
    values all = vectors[0];
    for (unsigned h = f_.lanes.width() / 2; h > 0; h /= 2) {
        values low, high;
        std::vector<int> first, second;
        for (unsigned l = 0; l < h; ++l) {
            first.push_back(static_cast<int>(l));
            second.push_back(static_cast<int>(l + h));
        }
        for (Value* v : all) {
            low.push_back(b_.CreateShuffleVector(v, first));
            high.push_back(b_.CreateShuffleVector(v, second));
        }
        all = combine(r, low, high);
    }
    for (Value*& v : all) v = b_.CreateExtractElement(v, uint64_t{0});
    if (r.keyed) all[0] = from_key(r, all[0]);
    return all;
}

reduce_emitter::values reduce_emitter::fold_memory(const reduction& r, Value* count) {
    auto all = [&](Value* lane) {
        values parts;
        for (std::size_t p = 0; p < r.lane_types.size(); ++p)
            parts.push_back(get(accumulator(r, p, lane), r.lane_types[p], f_.lanes.width()));
        return parts;
    };
    Value* halvings = b_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, count, b_.getTrue());
    f_.lanes.loop(f_.number(0), halvings, 1, {}, [&](Value* n, const values&) {
        Value* half = b_.CreateLShr(count, b_.CreateAdd(n, f_.number(1)));
        f_.lanes.loop(f_.number(0), half, 1, {}, [&](Value* l, const values&) {
            values folded = combine(r, all(l), all(b_.CreateAdd(l, half)));
            for (std::size_t p = 0; p < folded.size(); ++p) put(folded[p], accumulator(r, p, l));
            return values{};
        });
        return values{};
    });
    values folded = all(f_.number(0));
    if (r.keyed) folded[0] = from_key(r, folded[0]);
    return folded;
}

// ---- chunk states

void reduce_emitter::start() {
    each_block([&] {
        for (const reduction& r : reductions_)
            for (std::size_t p = 0; p < r.state_types.size(); ++p) {
                Value* empty = f_.values.constant(r.state_types[p], r.parts.empty[p]);
                put(f_.values.splat(empty, state_width()), state(r, p, f_.number(0)));
            }
    });
    put(f_.number(0), depth_);
}

void reduce_emitter::each_block(const std::function<void()>& body) {
    if (blocks_ == 1) {
        body();
        return;
    }
    f_.lanes.loop(f_.number(0), block_count_, 1, {}, [&](Value* block, const values&) {
        block_ = block;
        body();
        block_ = nullptr;
        return values{};
    });
}

Value* reduce_emitter::state(const reduction& r, std::size_t part, Value* depth) {
    if (block_) depth = b_.CreateAdd(b_.CreateMul(block_, f_.number(stack_limit)), depth);
    return b_.CreateGEP(r.stack[part]->getAllocatedType(), r.stack[part], depth);
}

void reduce_emitter::keep(const std::vector<values>& states, Value* depth) {
    for (std::size_t r = 0; r < states.size(); ++r)
        for (std::size_t p = 0; p < states[r].size(); ++p)
            put(states[r][p], state(reductions_[r], p, depth));
}

void reduce_emitter::push(const std::vector<values>& states, Value* chunk, Value* count) {
    keep(states, get(depth_, mtype::i64, 0));
    raise(chunk, count);
}

/// Notes one more state on the stack, that of chunk `chunk`, and merges as far as possible.
void reduce_emitter::raise(Value* chunk, Value* count) {
    Value* depth = get(depth_, mtype::i64, 0);
    put(count, b_.CreateGEP(b_.getInt64Ty(), counts_, depth));
    put(b_.CreateAdd(depth, f_.number(1)), depth_);
    merge(b_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, b_.CreateNot(chunk), b_.getFalse()));
}

void reduce_emitter::merge(Value* times) {
    f_.lanes.loop(f_.number(0), times, 1, {}, [&](Value*, const values&) {
        merge_top();
        return values{};
    });
}

void reduce_emitter::merge_top() {
    Value* upper = b_.CreateSub(get(depth_, mtype::i64, 0), f_.number(1));
    put(upper, depth_);
    Value* lower = b_.CreateSub(upper, f_.number(1));
    auto count_at = [&](Value* at) { return b_.CreateGEP(b_.getInt64Ty(), counts_, at); };
    Value* n_lower = get(count_at(lower), mtype::i64, 0);
    Value* n_upper = get(count_at(upper), mtype::i64, 0);
    each_block([&] {
        for (const reduction& r : reductions_) {
            bool moments = r.parts.kind == reduction_kind::moments;
            values arguments;
            for (Value* at : {lower, upper}) {
                for (std::size_t p = 0; p < r.state_types.size(); ++p)
                    arguments.push_back(get(state(r, p, at), r.state_types[p], state_width()));
                if (moments) arguments.push_back(at == lower ? n_lower : n_upper);
            }
            values merged = call(moments ? r.parts.merge : r.parts.combine, arguments);
            for (std::size_t p = 0; p < merged.size(); ++p) put(merged[p], state(r, p, lower));
        }
    });
    put(b_.CreateAdd(n_lower, n_upper), count_at(lower));
}

void reduce_emitter::write(const std::vector<values>& states, Value* chunk, Value* partials) {
    kernel_ir::partial_layout layout = make_partial_layout(f_.context.k, stage_);
    Value* first = b_.CreateMul(chunk, f_.number(layout.words));
    for (std::size_t r = 0; r < states.size(); ++r)
        for (std::size_t p = 0; p < states[r].size(); ++p) {
            Value* at = b_.CreateAdd(first, f_.number(layout.offsets[r] + static_cast<int64_t>(p)));
            b_.CreateStore(f_.values.to_word(states[r][p]),
                           b_.CreateGEP(b_.getInt64Ty(), partials, at));
        }
}

// ---- pieces

reduce_emitter::values reduce_emitter::call(const kernel_ir::fragment& fragment,
                                            const values& arguments) {
    values made(fragment.body.size());
    auto value = [&](value_id v) {
        return v == kernel_ir::none ? nullptr : made[static_cast<std::size_t>(v)];
    };
    for (std::size_t v = 0; v < fragment.body.size(); ++v) {
        const instr& i = fragment.body[v];
        made[v] = i.op == opcode::scalar ? arguments[static_cast<std::size_t>(i.a)]
                                         : f_.values.emit(i, value(i.a), value(i.b), value(i.c));
    }
    values results;
    for (value_id v : fragment.results) results.push_back(value(v));
    return results;
}

Value* reduce_emitter::identity(const reduction& r, std::size_t part, Value* vector) {
    const unsigned width = f_.lanes.width();
    if (r.parts.kind != reduction_kind::arg || part == 0)
        return f_.values.splat(f_.values.constant(r.lane_types[part], r.parts.identity[part]),
                               width);
    // Starts with the index of the lane's first element: if that element is no better than the
    // identity, it is still the first. A lane without elements loses to the lanes before it.
    llvm::Type* type = b_.getInt32Ty();
    if (!f_.context.along_elements()) return f_.values.splat(b_.CreateTrunc(vector, type), width);
    Value* first = b_.CreateMul(vector, f_.number(width));
    return b_.CreateAdd(f_.values.splat(b_.CreateTrunc(first, type), width), f_.lanes.iota(type));
}

reduce_emitter::values reduce_emitter::combine(const reduction& r, values low, const values& high) {
    if (r.keyed) {
        const bool largest = is_largest(f_.context.at(r.id).row);
        return {b_.CreateBinaryIntrinsic(largest ? llvm::Intrinsic::smax : llvm::Intrinsic::smin,
                                         low[0], high[0])};
    }
    low.insert(low.end(), high.begin(), high.end());
    if (r.parts.kind != reduction_kind::arg) return call(r.parts.combine, low);
    llvm::Type* narrow = low[1]->getType();
    llvm::Type* wide = narrow->getWithNewType(b_.getInt64Ty());
    for (std::size_t n : {1, 3}) low[n] = b_.CreateSExt(low[n], wide);
    values all = call(r.parts.combine, low);
    all[1] = b_.CreateTrunc(all[1], narrow);
    return all;
}

reduce_emitter::values reduce_emitter::state_of(const reduction& r, values lanes, Value* begin) {
    if (r.parts.kind != reduction_kind::arg) return lanes;
    llvm::Type* wide = lanes[1]->getType()->getWithNewType(b_.getInt64Ty());
    if (state_width()) begin = f_.values.splat(begin, state_width());
    lanes[1] = b_.CreateAdd(b_.CreateSExt(lanes[1], wide), begin);
    return lanes;
}

/// -0 is below 0, and a NaN of either sign wins.
Value* reduce_emitter::to_key(const reduction& r, Value* x) {
    const unsigned bits = x->getType()->getScalarSizeInBits();
    llvm::Type* type = like(b_.getIntNTy(bits), x);
    Value* word = b_.CreateBitCast(x, type);
    Value* flips = b_.CreateLShr(b_.CreateAShr(word, bits - 1), 1);
    const bool largest = is_largest(f_.context.at(r.id).row);
    const llvm::APInt nan =
        largest ? llvm::APInt::getSignedMaxValue(bits) : llvm::APInt::getSignedMinValue(bits);
    return b_.CreateSelect(b_.CreateFCmpUNO(x, x), llvm::ConstantInt::get(type, nan),
                           b_.CreateXor(word, flips));
}

Value* reduce_emitter::from_key(const reduction& r, Value* key) {
    const unsigned bits = key->getType()->getScalarSizeInBits();
    Value* flips = b_.CreateLShr(b_.CreateAShr(key, bits - 1), 1);
    return b_.CreateBitCast(b_.CreateXor(key, flips), like(f_.values.type(r.parts.acc), key));
}

unsigned reduce_emitter::state_width() const {
    return f_.context.along_elements() ? 0 : f_.lanes.width();
}

Value* reduce_emitter::accumulator(const reduction& r, std::size_t part, Value* vector) {
    if (block_) vector = b_.CreateAdd(b_.CreateMul(block_, f_.number(vectors_)), vector);
    return b_.CreateGEP(r.lanes[part]->getAllocatedType(), r.lanes[part], vector);
}

/// Masks are bytes in memory.
Value* reduce_emitter::get(Value* address, mtype t, unsigned width) {
    llvm::Type* type = t == mtype::b1 ? b_.getInt8Ty() : f_.values.type(t);
    if (width) type = llvm::FixedVectorType::get(type, width);
    Value* v = b_.CreateAlignedLoad(type, address, llvm::Align(1));
    return t == mtype::b1 ? b_.CreateICmpNE(v, llvm::Constant::getNullValue(type)) : v;
}

void reduce_emitter::put(Value* value, Value* address) {
    if (value->getType()->getScalarSizeInBits() == 1) {
        llvm::Type* byte = b_.getInt8Ty();
        if (auto* t = llvm::dyn_cast<llvm::FixedVectorType>(value->getType()))
            byte = llvm::FixedVectorType::get(byte, t->getNumElements());
        value = b_.CreateZExt(value, byte);
    }
    b_.CreateAlignedStore(value, address, llvm::Align(1));
}

}  // namespace sinter::codegen
