// One call of a block kernel.
#include "jit/interpret/block_kernel.hpp"
#include "jit/kernel_ir/reduce_order.hpp"
#include "runtime/base/fail.hpp"
#include "runtime/memory/stack_array.hpp"

#include <sinter/error.hpp>

#include <algorithm>
#include <cstring>
#include <deque>

namespace sinter::block {

using kernel_ir::call_mode;
using kernel_ir::chunk_count;
using kernel_ir::domain;
using kernel_ir::kernel_call;
using kernel_ir::mtype;
using kernel_ir::none;
using kernel_ir::opcode;
using kernel_ir::reduce_chunk;

class block_call {
public:
    block_call(const block_kernel& code, const kernel_call& call)
        : code_(code), call_(call), memory_(code.bytes_), value_(code.kernel_.body.size()) {
        for (const step& s : code.constants_) compute(s, 1);
    }

    void rows() {
        make_trees();
        if (code_.reads_across_) {
            run_tiles();
        } else if (code_.only_reduces_ && call_.n0 > 0 && call_.n0 <= reduce_chunk) {
            for (row_ = 0; row_ < call_.n1; row_ += short_rows)
                run_short_rows(std::min(short_rows, call_.n1 - row_));
        } else if (code_.by_element()) {
            for (row_ = 0; row_ < call_.n1; ++row_) run_row();
        } else {
            for (row_ = 0; row_ < call_.n1; row_ += code_.block_)
                run_columns(std::min(code_.block_, call_.n1 - row_));
        }
    }

    void partials() {
        enter_stage();
        const stage_steps& s = stage(call_.stage);
        for (int64_t c = call_.chunk_begin; c < call_.chunk_end; ++c) {
            run_chunk(s, c, false);
            for (const stage_reduction& r : s.reductions) {
                uint64_t a = 0, b = 0;
                reduce(s, r, c, &a, &b);
                uint64_t* words = call_.partials + c * s.words + r.words_offset;
                words[0] = a;
                if (kernel_ir::state_words(code_.at(r.v)) > 1) words[1] = b;
            }
        }
    }

    void elements() {
        if (call_.stage == static_cast<int64_t>(code_.stages_.size())) {
            take_row_values();
            for (const stage_steps& s : code_.stages_) compute(s.before, 1);
            finish(1);
            return;
        }
        enter_stage();
        for (int64_t c = call_.chunk_begin; c < call_.chunk_end; ++c)
            run_chunk(stage(call_.stage), c, true);
    }

private:
    static constexpr int64_t short_rows = 16;  // that are reduced together

    using value_id = kernel_ir::value_id;
    using instr = kernel_ir::instr;
    using place = block_kernel::place;
    using step = block_kernel::step;
    using stage_steps = block_kernel::stage_steps;
    using stage_reduction = block_kernel::stage_reduction;
    using collector = block_kernel::collector;
    using value_form = block_kernel::value_form;

    const stage_steps& stage(int64_t s) const { return code_.stages_[static_cast<std::size_t>(s)]; }
    const char*& value(value_id v) { return value_[static_cast<std::size_t>(v)]; }
    char* cell(value_id v) const { return memory_.get() + 8 * v; }
    char* slot(int64_t at) const { return memory_.get() + code_.slots_ + at * code_.block_; }
    char* row_array(int64_t at) const {
        return memory_.get() + code_.row_arrays_ + at * code_.block_;
    }

    // ---- lanes along elements

    void run_row() {
        std::size_t tree = 0;
        for (const stage_steps& s : code_.stages_) {
            compute(s.before, 1);
            if (s.reductions.empty()) {
                run_elements(s, 0, call_.n0, true);
                continue;
            }
            for (std::size_t r = 0; r < s.reductions.size(); ++r) trees_[tree + r].clear(1);
            for (int64_t c = 0; c < chunk_count(call_.n0); ++c) {
                run_chunk(s, c, true);
                for (std::size_t r = 0; r < s.reductions.size(); ++r) {
                    state_tree& t = trees_[tree + r];
                    reduce(s, s.reductions[r], c, t.a(), t.b());
                    t.push(c, chunk_size(c));
                }
            }
            for (const stage_reduction& r : s.reductions) finish_reduction(r, trees_[tree++], 1);
        }
        finish(1);
    }

    /// Reduces rows of one chunk in memory one directly after the other: a chunk is one dependency
    /// chain, and the chains of several rows overlap.
    void run_short_rows(int64_t n) {
        const stage_steps& s = stage(0);
        const int64_t first = row_;
        for (std::size_t r = 0; r < s.reductions.size(); ++r) {
            const state_form& form = s.reductions[r].form;
            trees_[r].clear(n);
            auto *a = static_cast<char*>(trees_[r].a()), *b = static_cast<char*>(trees_[r].b());
            for (int64_t k = 0; k < n; ++k) {
                row_ = first + k;
                reduce(s, s.reductions[r], 0, a + k * form.state_size, b + k * form.b_size);
            }
        }
        for (int64_t k = 0; k < n; ++k) {
            row_ = first + k;
            compute(s.before, 1);
            for (std::size_t r = 0; r < s.reductions.size(); ++r) {
                const state_form& form = s.reductions[r].form;
                finish_states(s.reductions[r],
                              static_cast<const char*>(trees_[r].a()) + k * form.state_size,
                              static_cast<const char*>(trees_[r].b()) + k * form.b_size, 1);
            }
            finish(1);
        }
        row_ = first;
    }

    /// Runs rows that read an operand across its lines, a few elements of several rows at a time:
    /// a line of memory that one row reads is still in cache for the next row.
    void run_tiles() {
        constexpr int64_t tile_rows = 16, tile_elements = 256;
        const stage_steps& s = stage(0);
        for (int64_t rows = 0; rows < call_.n1; rows += tile_rows)
            for (int64_t at = 0; at < call_.n0; at += tile_elements)
                for (row_ = rows; row_ < std::min(rows + tile_rows, call_.n1); ++row_) {
                    compute(s.before, 1);
                    run_elements(s, at, std::min(at + tile_elements, call_.n0), true);
                }
    }

    void run_chunk(const stage_steps& s, int64_t c, bool with_stores) {
        run_elements(s, c * reduce_chunk, c * reduce_chunk + chunk_size(c), with_stores);
    }

    void run_elements(const stage_steps& s, int64_t begin, int64_t end, bool with_stores) {
        if (s.idle) return;
        for (int64_t at = begin; at < end; at += code_.block_) {
            element_ = at;
            run_block(s, std::min(code_.block_, end - at), at - begin, with_stores);
        }
    }

    /// Reduces a chunk whose elements are collected.
    void reduce(const stage_steps& s, const stage_reduction& r, int64_t c, void* a, void* b) {
        const collector& from = s.collectors[r.collector];
        element_ = c * reduce_chunk;
        const void* x = from.memory ? address(code_.at(from.v)) : collected(from, 0);
        r.form.fns->chunk(a, b, x, chunk_size(c), element_);
    }

    // ---- lanes along rows

    void run_columns(int64_t n) {
        std::size_t tree = 0;
        for (const stage_steps& s : code_.stages_) {
            compute(s.before, n);
            if (s.reductions.empty()) {
                for (element_ = 0; element_ < call_.n0; ++element_) run_block(s, n, 0, true);
                continue;
            }
            for (std::size_t r = 0; r < s.reductions.size(); ++r) trees_[tree + r].clear(n);
            for (int64_t c = 0; c < chunk_count(call_.n0); ++c) {
                run_column_chunk(s, c, n, tree);
                for (std::size_t r = 0; r < s.reductions.size(); ++r)
                    trees_[tree + r].push(c, chunk_size(c));
            }
            for (const stage_reduction& r : s.reductions) finish_reduction(r, trees_[tree++], n);
        }
        element_ = 0;
        finish(n);
    }

    void run_column_chunk(const stage_steps& s, int64_t c, int64_t n, std::size_t tree) {
        const int64_t begin = c * reduce_chunk, size = chunk_size(c);
        for (int pass = 0; pass < s.passes; ++pass) {
            for (int64_t j = 0; j < size; j += code_.group_) {
                const int64_t count = std::min(code_.group_, size - j);
                // A store may overwrite what the next pass reads.
                const bool last = pass + 1 == s.passes;
                for (int64_t k = 0; k < count && !s.idle; ++k) {
                    element_ = begin + j + k;
                    run_block(s, n, k * code_.block_, last);
                }
                for (std::size_t r = 0; r < s.reductions.size(); ++r)
                    take_group(s, s.reductions[r], trees_[tree + r], begin, j, count, n, pass);
            }
            for (std::size_t r = 0; r < s.reductions.size(); ++r) {
                const stage_reduction& each = s.reductions[r];
                if (pass >= each.form.fns->passes) continue;
                state_tree& t = trees_[tree + r];
                each.form.fns->fold(t.a(), t.b(), memory_.get() + each.lanes_offset, size, n, pass);
            }
        }
    }

    void take_group(const stage_steps& s, const stage_reduction& r, const state_tree& t,
                    int64_t begin, int64_t j, int64_t count, int64_t n, int pass) {
        if (pass >= r.form.fns->passes) return;
        const collector& from = s.collectors[r.collector];
        const void* row[8 * kernel_ir::reduce_lanes];
        for (int64_t k = 0; k < count; ++k) {
            element_ = begin + j + k;
            row[k] = from.memory ? address(code_.at(from.v)) : collected(from, k * code_.block_);
        }
        r.form.fns->rows(t.a(), t.b(), memory_.get() + r.lanes_offset, row, j, count, n, begin,
                         pass);
    }

    // ---- reductions

    void make_trees() {
        const int64_t width = code_.by_element() ? (code_.only_reduces_ ? short_rows : 1)
                                                 : std::min(code_.block_, call_.n1);
        for (const stage_steps& s : code_.stages_)
            for (const stage_reduction& r : s.reductions)
                trees_.emplace_back(r.form, chunk_count(call_.n0), std::max<int64_t>(width, 1));
    }

    int64_t chunk_size(int64_t c) const {
        return std::min(reduce_chunk, call_.n0 - c * reduce_chunk);
    }

    char* collected(const collector& c, int64_t position) const {
        return memory_.get() + c.offset + position * c.size;
    }

    void finish_reduction(const stage_reduction& r, state_tree& t, int64_t n) {
        if (call_.n0 == 0)
            r.form.fns->identity(t.a(), t.b(), n);
        else
            t.close();
        finish_states(r, static_cast<const char*>(t.result_a()),
                      static_cast<const char*>(t.result_b()), n);
    }

    /// Computes the result of n lanes from the states of whole rows.
    void finish_states(const stage_reduction& r, const char* a, const char* b, int64_t n) {
        const instr& i = code_.at(r.v);
        char* out = code_.by_element()
                        ? cell(r.v)
                        : row_array(code_.row_array_at_[static_cast<std::size_t>(r.v)]);
        const bool one = i.b == none || code_.form(i.b).uniform;
        const int64_t columns = one ? n : 1, size = code_.form(r.v).size;
        for (int64_t k = 0; k < n; k += columns)
            r.form.fns->finish(out + k * size, a + k * r.form.state_size, b + k * r.form.b_size,
                               columns, call_.n0, parameter(i.b, k));
        if (const auto round = code_.form(r.v).round) round(out, size, out, n);
        value(r.v) = out;
    }

    double parameter(value_id v, int64_t lane) {
        if (v == none) return 0;
        if (code_.form(v).uniform) lane = 0;
        if (code_.form(v).size == 8) {
            double x;
            std::memcpy(&x, value(v) + 8 * lane, sizeof x);
            return x;
        }
        float x;
        std::memcpy(&x, value(v) + 4 * lane, sizeof x);
        return static_cast<double>(x);
    }

    // ---- a row in parts

    void enter_stage() {
        take_row_values();
        for (int64_t s = 0; s <= call_.stage; ++s) compute(stage(s).before, 1);
    }

    void take_row_values() {
        for (int64_t s = 0; s < call_.stage; ++s)
            for (const stage_reduction& r : stage(s).reductions) {
                std::memcpy(cell(r.v), call_.row_values + r.ordinal, 8);
                value(r.v) = cell(r.v);
            }
    }

    // ---- values

    void compute(const std::vector<step>& list, int64_t n) {
        for (const step& s : list) compute(s, n);
    }

    void finish(int64_t n) {
        for (const step& s : code_.after_)
            if (code_.at(s.v).op == opcode::store)
                store(s.v, n);
            else
                compute(s, n);
    }

    /// Runs n lanes from the current element on. `position` is their place in the collectors.
    void run_block(const stage_steps& s, int64_t n, int64_t position, bool with_stores) {
        for (const step& each : s.elements) {
            if (each.to == place::collector)
                compute_to(each,
                           collected(s.collectors[static_cast<std::size_t>(each.at)], position), n);
            else
                compute(each, n);
        }
        for (const collector& c : s.collectors) {
            if (!c.convert) continue;
            const value_form& f = code_.form(c.v);
            c.convert(collected(c, position), value(c.v), f.uniform ? 0 : f.size, n);
        }
        if (!with_stores) return;
        for (const block_kernel::element_store& e : s.stores)
            if (!e.done) store(e.store, n);
    }

    void compute(const step& s, int64_t n) {
        switch (s.to) {
            case place::cell: return compute_to(s, cell(s.v), 1);
            case place::row_array: return compute_to(s, row_array(s.at), n);
            case place::slot: return compute_to(s, slot(s.at), n);
            case place::memory: value(s.v) = address(code_.at(s.v)); return;
            case place::output:
                return compute_to(s, address(code_.at(static_cast<value_id>(s.at))), n);
            case place::collector: return;  // run_block handles it
        }
    }

    void compute_to(const step& s, char* to, int64_t n) {
        const instr& i = code_.at(s.v);
        const value_form& f = code_.form(s.v);
        value(s.v) = to;
        switch (i.op) {
            case opcode::load: f.load(to, address(i), lane_stride(i), n); break;
            case opcode::index: count_up(reinterpret_cast<int64_t*>(to), i, n); break;
            case opcode::scalar: take_scalar(to, i); break;
            case opcode::cast: f.load(to, value(i.a), code_.form(i.a).size, n); break;
            default: compute_row(s, i, f, to, n); break;
        }
        if (s.round) f.round(to, f.size, to, n);
    }

    void compute_row(const step& s, const instr& i, const value_form& f, char* to, int64_t n) {
        const value_id arguments[3] = {i.a, i.b, i.c};
        const void* in[3];
        bool uniform[3];
        for (int k = 0; k < 3; ++k) {
            const value_id v = arguments[k];
            if (v == none) break;
            const bool one = code_.form(v).uniform;
            in[k] = value(v);
            uniform[k] = one && !f.uniform;
            if (!f.convert[k]) continue;
            f.convert[k](slot(s.converted[k]), value(v), code_.form(v).size, one ? 1 : n);
            in[k] = slot(s.converted[k]);
        }
        f.row(to, in, uniform, n, call_.status);
    }

    /// Computes the address as an integer, because an index operand's is no pointer.
    char* address(const instr& i) const {
        const kernel_ir::operand_arg& arg = call_.operands[i.a];
        auto p = reinterpret_cast<uintptr_t>(arg.ptr);
        p += static_cast<uintptr_t>(row_) * static_cast<uintptr_t>(arg.s1);
        if (i.dom == domain::element)
            p += static_cast<uintptr_t>(element_) * static_cast<uintptr_t>(arg.s0);
        return reinterpret_cast<char*>(p);
    }

    int64_t lane_stride(const instr& i) const {
        const kernel_ir::operand_arg& arg = call_.operands[i.a];
        if (!code_.by_element()) return arg.s1;
        return i.dom == domain::element ? arg.s0 : 0;
    }

    void count_up(int64_t* to, const instr& i, int64_t n) const {
        auto x = reinterpret_cast<uintptr_t>(address(i));
        const auto by = static_cast<uint64_t>(lane_stride(i));
        for (int64_t k = 0; k < n; ++k, x += by) to[k] = static_cast<int64_t>(x);
    }

    void take_scalar(char* to, const instr& i) const {
        uint64_t bits = call_.scalars[i.a];
        if (i.mt == mtype::b1) bits = (bits & 0xff) != 0;
        std::memcpy(to, &bits, sizeof bits);
    }

    void store(value_id w, int64_t n) {
        const instr& i = code_.at(w);
        const value_form &f = code_.form(w), &from = code_.form(i.b);
        const char* x = value(i.b);
        if (from.uniform && n > 1) {
            char* many = slot(code_.spread_);
            from.spread(many, x, 0, n);
            x = many;
        }
        f.store(address(i), lane_stride(i), x, n);
    }

    const block_kernel& code_;
    const kernel_call& call_;
    scratch memory_;
    runtime::stack_array<const char*, 64> value_;
    std::deque<state_tree> trees_;  // of all reductions, in stage order
    int64_t row_ = 0, element_ = 0;
};

void block_kernel::run_call(const kernel_call& call) const {
    // Values that are the same for all rows, and their guards, are computed before the first one.
    if (call.mode == call_mode::rows && call.n1 == 0) return;
    block_call one(*this, call);
    switch (call.mode) {
        case call_mode::rows: return one.rows();
        case call_mode::partials: return one.partials();
        case call_mode::elements: return one.elements();
        case call_mode::runs: break;  // for compiled code only; runners get copied operands
    }
    runtime::bug("block_kernel", "the call mode is unknown");
}

}  // namespace sinter::block
