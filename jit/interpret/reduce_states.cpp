#include "jit/interpret/reduce_states.hpp"

#include "jit/kernel_ir/reduce_order.hpp"
#include "jit/kernel_ir/rows/primitive.hpp"

#include <algorithm>
#include <bit>

namespace sinter::kernel_ir {

namespace {

reduction_state first_words(const std::vector<uint64_t>& words) {
    return {words[0], words.size() > 1 ? words[1] : 0};
}

/// Returns the combined state of two lanes or chunks; for moments, of two sums.
reduction_state combine(const reduction_fragments& parts, const reduction_state& a,
                        const reduction_state& b) {
    if (parts.kind == op::reduction_kind::arg) {
        const uint64_t arguments[] = {a[0], a[1], b[0], b[1]};
        return call_fragment(parts.combine, arguments);
    }
    const uint64_t arguments[] = {a[0], b[0]};
    return call_fragment(parts.combine, arguments);
}

/// Returns the folded lanes of a chunk. Each lane starts at the identity and takes its elements in
/// rising order.
reduction_state fold_lanes(const reduction_fragments& parts,
                           const std::vector<reduction_state>& elements) {
    std::vector<reduction_state> lane(reduce_lanes, first_words(parts.identity));
    for (std::size_t j = 0; j < elements.size(); j++) {
        reduction_state& mine = lane[j % reduce_lanes];
        mine = combine(parts, mine, elements[j]);
    }
    for (std::size_t h = reduce_lanes / 2; h > 0; h /= 2) {
        for (std::size_t i = 0; i < h; i++) lane[i] = combine(parts, lane[i], lane[i + h]);
    }
    return lane[0];
}

/// Makes two passes: the mean, then the squared deviations from it.
reduction_state chunk_moments(const reduction_fragments& parts,
                              std::vector<reduction_state> elements) {
    const uint64_t sum_and_n[] = {fold_lanes(parts, elements)[0], elements.size()};
    const uint64_t mean = call_fragment(parts.mean, sum_and_n)[0];
    for (reduction_state& x : elements) {
        const uint64_t arguments[] = {x[0], mean};
        x = call_fragment(parts.deviation, arguments);
    }
    return {mean, fold_lanes(parts, elements)[0]};
}

}  // namespace

reduction_state call_fragment(const fragment& f, const uint64_t* arguments) {
    uint64_t values[max_fragment_size];
    const auto value = [&](value_id v) { return v == none ? 0 : values[v]; };
    for (std::size_t v = 0; v < f.body.size(); v++) {
        const instr& i = f.body[v];
        values[v] = i.op == opcode::scalar ? arguments[i.a]
                                           : evaluate(i, value(i.a), value(i.b), value(i.c));
    }
    reduction_state results{};
    for (std::size_t r = 0; r < f.results.size(); r++) results[r] = value(f.results[r]);
    return results;
}

reduction_state reduce_chunk_values(const reduction_fragments& parts,
                                    const std::vector<uint64_t>& elements, int64_t first) {
    std::vector<reduction_state> prepared;
    prepared.reserve(elements.size());
    for (std::size_t j = 0; j < elements.size(); j++) {
        reduction_state x = call_fragment(parts.prepare, &elements[j]);
        if (parts.kind == op::reduction_kind::arg) x[1] = static_cast<uint64_t>(first) + j;
        prepared.push_back(x);
    }
    if (parts.kind == op::reduction_kind::moments) return chunk_moments(parts, std::move(prepared));
    return fold_lanes(parts, prepared);
}

void chunk_merger::push(const reduction_state& state) {
    const int64_t begin = chunk_ * reduce_chunk;
    stack_.push_back({state, std::min(begin + reduce_chunk, n0_) - begin});
    const int merges = std::countr_one(static_cast<uint64_t>(chunk_));
    for (int i = 0; i < merges; i++) merge_top();
    chunk_++;
}

void chunk_merger::merge_top() {
    const entry upper = stack_.back();
    stack_.pop_back();
    entry& lower = stack_.back();
    if (parts_->kind == op::reduction_kind::moments) {
        const uint64_t arguments[] = {
            lower.state[0], lower.state[1], static_cast<uint64_t>(lower.n),
            upper.state[0], upper.state[1], static_cast<uint64_t>(upper.n)};
        lower.state = call_fragment(parts_->merge, arguments);
    } else {
        lower.state = combine(*parts_, lower.state, upper.state);
    }
    lower.n += upper.n;
}

reduction_state chunk_merger::result() {
    if (stack_.empty()) return first_words(parts_->empty);
    while (stack_.size() > 1) merge_top();
    return stack_.back().state;
}

uint64_t finish_reduction(const reduction_fragments& parts, const reduction_state& state, int64_t n,
                          uint64_t parameter) {
    const auto count = static_cast<uint64_t>(n);
    if (parts.kind == op::reduction_kind::fold) {
        const uint64_t arguments[] = {state[0], count};
        return call_fragment(parts.finish, arguments)[0];
    }
    const uint64_t arguments[] = {state[0], state[1], count, parameter};
    return call_fragment(parts.finish, arguments)[0];
}

}  // namespace sinter::kernel_ir
