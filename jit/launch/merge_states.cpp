#include "jit/launch/merge_states.hpp"

#include "jit/kernel_ir/opcodes.hpp"
#include "jit/kernel_ir/reduce_order.hpp"
#include "jit/kernel_ir/rows/primitive.hpp"
#include "runtime/base/fail.hpp"

#include <sinter/error.hpp>
#include <sinter/math/host.hpp>
#include <sinter/math/moments.hpp>
#include <sinter/op/rows.hpp>

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

namespace sinter::runtime {
namespace {

template <class V>
V from_word(uint64_t word) {
    typename V::scalar x{};
    if constexpr (math::is_mask<V>)
        x = (word & 1) != 0;
    else
        std::memcpy(&x, &word, sizeof x);
    return V::from(x);
}

template <class V>
uint64_t to_word(V v) {
    uint64_t word = 0;
    std::memcpy(&word, &v.v, sizeof v.v);
    return word;
}

template <class V>
V count_as(int64_t n) {
    return math::convert<typename V::scalar>(math::host<int64_t>::from(n));
}

// ---- a state, the merge of two, and the finished value

template <class Row, class V, op::reduction_kind Kind = Row::kind>
struct state;

template <class Row, class V>
struct state<Row, V, op::reduction_kind::fold> {
    V y;

    static state load(const uint64_t* w, int64_t) { return {from_word<V>(w[0])}; }
    static state merge(state a, state b) { return {Row::combine(a.y, b.y)}; }
    uint64_t finish(int64_t n, uint64_t) const { return to_word(Row::finish(y, count_as<V>(n))); }
};

template <class Row, class V>
struct state<Row, V, op::reduction_kind::arg> {
    V value;
    uint64_t index;

    static state load(const uint64_t* w, int64_t) { return {from_word<V>(w[0]), w[1]}; }
    static state merge(state a, state b) { return Row::better(b.value, a.value).v ? b : a; }
    uint64_t finish(int64_t, uint64_t) const { return index; }
};

template <class Row, class V>
struct state<Row, V, op::reduction_kind::moments> {
    math::moments<V> m;
    int64_t n;

    static state load(const uint64_t* w, int64_t n) {
        return {{from_word<V>(w[0]), from_word<V>(w[1])}, n};
    }
    static state merge(state a, state b) {
        return {math::merge_moments(a.m, count_as<V>(a.n), b.m, count_as<V>(b.n)), a.n + b.n};
    }
    uint64_t finish(int64_t count, uint64_t parameter) const {
        return to_word(Row::finish(m.mean, m.squares, count_as<V>(count), from_word<V>(parameter)));
    }
};

// ---- the tree

template <class Row, class V>
uint64_t merge_all(const chunk_states& s) {
    using st = state<Row, V>;
    st stack[64];  // one per bit of the chunk index
    int depth = 0;
    int64_t chunks = kernel_ir::chunk_count(s.n);
    for (int64_t c = 0; c < chunks; ++c) {
        int64_t elements = std::min(kernel_ir::reduce_chunk, s.n - c * kernel_ir::reduce_chunk);
        stack[depth++] = st::load(s.words + c * s.stride, elements);
        for (int merges = std::countr_one(static_cast<uint64_t>(c)); merges > 0; --merges) {
            stack[depth - 2] = st::merge(stack[depth - 2], stack[depth - 1]);
            --depth;
        }
    }
    for (; depth > 1; --depth) stack[depth - 2] = st::merge(stack[depth - 2], stack[depth - 1]);
    return stack[0].finish(s.n, s.parameter);
}

// ---- dispatch on row and type

template <class Row, class T>
constexpr bool accumulates_in() {
    constexpr bool real = std::is_floating_point_v<T>;
    if constexpr (Row::kind == op::reduction_kind::moments)
        return real;
    else if constexpr (Row::kind == op::reduction_kind::arg)
        return true;
    else if constexpr (Row::result == op::reduction_result::sum)
        return real || std::is_same_v<T, int64_t>;
    else if constexpr (Row::result == op::reduction_result::floating)
        return real;
    else if constexpr (Row::result == op::reduction_result::boolean)
        return std::is_same_v<T, bool>;
    else
        return true;
}

template <class Row, class T>
uint64_t merge_in(const chunk_states& s) {
    if constexpr (accumulates_in<Row, T>())
        return merge_all<Row, math::host<T>>(s);
    else
        bug("merge_states", text("the reduction ", Row::name, " cannot accumulate in machine type ",
                                 static_cast<int>(s.accumulator)));
}

template <class Row>
uint64_t merge_row(const chunk_states& s) {
    return with_type(
        kernel_ir::logical_type(s.accumulator),
        [&]<computed_element T>(std::type_identity<T>) { return merge_in<Row, T>(s); });
}

uint64_t merge_any(const chunk_states& s) {
    switch (static_cast<op::reduction>(s.reduction)) {
#define FOLD(name, ...) \
    case op::reduction::name: return merge_row<reductions::name>(s);
#define ARG(name, ...) FOLD(name)
#define MOMENTS(name, ...) FOLD(name)
#include <sinter/op/reduce.def>
#undef FOLD
#undef ARG
#undef MOMENTS
        default: break;
    }
    bug("merge_states", text("reduction ", s.reduction, " is not in op/reduce.def"));
}

}  // namespace

uint64_t merge_states(const chunk_states& s) {
    uint64_t word = merge_any(s);
    return kernel_ir::widened(s.result, kernel_ir::narrowed(s.result, word));
}

}  // namespace sinter::runtime
