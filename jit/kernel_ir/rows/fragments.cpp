#include "jit/kernel_ir/rows/fragments.hpp"

#include "jit/kernel_ir/rows/cast.hpp"
#include "jit/kernel_ir/rows/ir_number.hpp"
#include "jit/kernel_ir/schedule.hpp"
#include "runtime/base/fail.hpp"

#include <sinter/error.hpp>
#include <sinter/math/moments.hpp>
#include <sinter/op/rows.hpp>

#include <boost/hana/for_each.hpp>

#include <limits>

namespace sinter::kernel_ir {

namespace {

using index = ir<int64_t>;

/// Builds one fragment: parameters first, then what a formula appends, then results.
class fragment_builder {
public:
    fragment_builder() : scope_(builder_) {}

    template <class V>
    V parameter() {
        const auto n = static_cast<value_id>(result_.parameters.size());
        result_.parameters.push_back(V::type);
        return V::at(builder_.emit({.op = opcode::scalar,
                                    .type = logical_type(V::type),
                                    .mt = V::type,
                                    .dom = domain::row,
                                    .a = n}));
    }
    template <class... V>
    fragment results(V... values) {
        return results_of({values.id...});
    }
    fragment results_of(std::vector<value_id> values) {
        result_.results = std::move(values);
        result_.body = builder_.take_body();
        reorder(result_.body, result_.results);
        if (result_.body.size() > max_fragment_size || result_.results.size() > 2) {
            runtime::bug("kernel_ir", "a part of a reduction is too large for a fragment");
        }
        return std::move(result_);
    }

private:
    builder builder_;
    building scope_;
    fragment result_;
};

template <class V>
uint64_t constant_bits(V value) {
    const instr& i = detail::definition(value.id);
    if (i.op != opcode::constant) runtime::bug("kernel_ir", "an identity is not a constant");
    return i.imm;
}

/// Returns a finished value rounded to the reduction's logical type.
template <class V>
V rounded(V value, ScalarType type) {
    if constexpr (std::is_same_v<V, ir<float>> || std::is_same_v<V, ir<int32_t>>) {
        if (is_narrow(type)) return narrow(value, type);
    }
    return value;
}

template <class V>
V count_as(index n) {
    return convert<typename V::scalar>(n);
}

template <class T>
fragment make_prepare_from(ScalarType in, mtype acc) {
    fragment_builder f;
    const auto x = f.parameter<ir<T>>();
    // Only sums of integers and tests of numbers change the machine type.
    const bool same = compute_type(in) == acc;
    return f.results_of({same ? x.id : cast_value(x.id, in, logical_type(acc))});
}

fragment make_prepare(ScalarType in, mtype acc) {
    return with_type(compute_dtype(in), [&]<computed_element T>(std::type_identity<T>) {
        return make_prepare_from<T>(in, acc);
    });
}

template <class Row, class V>
void make_fold(reduction_fragments& r) {
    {
        builder b;
        building scope(b);
        r.identity = {constant_bits(Row::template identity<V>())};
        r.empty = r.identity;
    }
    {
        fragment_builder f;
        const auto a = f.parameter<V>(), b = f.parameter<V>();
        r.combine = f.results(Row::combine(a, b));
    }
    fragment_builder f;
    const auto y = f.parameter<V>();
    const auto n = f.parameter<index>();
    if constexpr (math::is_mask<V>)
        r.finish = f.results(Row::finish(y, y));
    else
        r.finish = f.results(rounded(Row::finish(y, count_as<V>(n)), r.result));
}

/// The better value wins. Of equal values, and of two NaN, the lower index wins. The elements of a
/// lane are not adjacent, so the index must decide and not the order of arrival.
template <class Row, class V>
void make_arg(reduction_fragments& r) {
    {
        // The worst value, at an index after all others.
        builder b;
        building scope(b);
        const V low = math::lowest<V>(), high = math::highest<V>();
        const bool largest = Row::id == op::reduction::argmax;
        r.identity = {constant_bits(largest ? low : high),
                      bits_of(std::numeric_limits<int64_t>::max())};
        r.empty = r.identity;
    }
    {
        fragment_builder f;
        const auto a = f.parameter<V>();
        const auto at_a = f.parameter<index>();
        const auto b = f.parameter<V>();
        const auto at_b = f.parameter<index>();
        const ir<bool> first_better = Row::better(a, b), second_better = Row::better(b, a);
        const ir<bool> second = second_better | ((!first_better) & (at_b < at_a));
        r.combine = f.results(select(second, b, a), select(second, at_b, at_a));
    }
    {
        fragment_builder f;
        const auto a = f.parameter<V>(), b = f.parameter<V>();
        r.better = f.results(Row::better(a, b));
    }
    fragment_builder f;
    f.parameter<V>();
    const auto at = f.parameter<index>();
    r.finish = f.results(at);
}

template <class Row, class V>
void make_moments(reduction_fragments& r) {
    using T = typename V::scalar;
    r.identity = {bits_of(T{0})};
    // The mean of an empty range is 0 / 0, and so is its deviation.
    const uint64_t nan = bits_of(std::numeric_limits<T>::quiet_NaN());
    r.empty = {nan, nan};
    {
        fragment_builder f;
        const auto a = f.parameter<V>(), b = f.parameter<V>();
        r.combine = f.results(a + b);
    }
    {
        fragment_builder f;
        const auto sum = f.parameter<V>();
        const auto n = f.parameter<index>();
        r.mean = f.results(sum / count_as<V>(n));
    }
    {
        fragment_builder f;
        const auto x = f.parameter<V>(), mean = f.parameter<V>();
        const V away = x - mean;
        r.deviation = f.results(away * away);
    }
    {
        fragment_builder f;
        math::moments<V> a, b;
        a.mean = f.parameter<V>();
        a.squares = f.parameter<V>();
        const auto n_a = f.parameter<index>();
        b.mean = f.parameter<V>();
        b.squares = f.parameter<V>();
        const auto n_b = f.parameter<index>();
        const auto both = math::merge_moments(a, count_as<V>(n_a), b, count_as<V>(n_b));
        r.merge = f.results(both.mean, both.squares);
    }
    fragment_builder f;
    const auto mean = f.parameter<V>(), squares = f.parameter<V>();
    const auto n = f.parameter<index>();
    const auto correction = f.parameter<V>();
    r.finish = f.results(rounded(Row::finish(mean, squares, count_as<V>(n), correction), r.result));
}

/// Returns true if the reduction can accumulate in T; not all formulas compile for all types.
template <class Row, class T>
constexpr bool accumulates_in() {
    constexpr bool real = std::is_floating_point_v<T>, boolean = std::is_same_v<T, bool>;
    switch (Row::result) {
        case op::reduction_result::sum: return real || std::is_same_v<T, int64_t>;
        case op::reduction_result::floating: return real;
        case op::reduction_result::boolean: return boolean;
        default: return true;
    }
}

template <class T, class Row>
void make(reduction_fragments& r, Row) {
    if constexpr (accumulates_in<Row, T>()) {
        using V = ir<T>;
        if (r.acc != V::type) return;
        if constexpr (Row::kind == op::reduction_kind::fold)
            make_fold<Row, V>(r);
        else if constexpr (Row::kind == op::reduction_kind::arg)
            make_arg<Row, V>(r);
        else
            make_moments<Row, V>(r);
    }
}

ScalarType result_type(const op::reduction_info& row, ScalarType in) {
    switch (row.result) {
        case op::reduction_result::sum: return isIntegralType(in, true) ? kLong : in;
        case op::reduction_result::boolean: return kBool;
        case op::reduction_result::index: return kLong;
        default: return in;
    }
}

}  // namespace

reduction_fragments make_fragments(uint16_t reduction, ScalarType in) {
    const op::reduction_info& info = op::reductions[reduction];
    reduction_fragments r;
    r.kind = info.kind;
    r.acc = accumulator_type(reduction, in);
    r.result = result_type(info, in);
    r.prepare = make_prepare(in, r.acc);
    boost::hana::for_each(reductions::every, [&](auto row) {
        if (static_cast<uint16_t>(row.id) != reduction) return;
        make<bool>(r, row);
        make<uint8_t>(r, row);
        make<int32_t>(r, row);
        make<int64_t>(r, row);
        make<float>(r, row);
        make<double>(r, row);
    });
    return r;
}

}  // namespace sinter::kernel_ir
