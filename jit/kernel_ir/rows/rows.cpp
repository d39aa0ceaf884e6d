// The only file that instantiates the row table on kernel-IR numbers.
#include "jit/kernel_ir/rows/rows.hpp"

#include "jit/kernel_ir/rows/ir_number.hpp"

#include <sinter/op/rows.hpp>

#include <boost/hana/for_each.hpp>

#include <array>

namespace sinter::kernel_ir {

namespace {

constexpr std::size_t mtype_count = static_cast<std::size_t>(mtype::f64) + 1;
using expansion_table = std::array<std::array<expand_fn, mtype_count>, op::count>;

template <class Row, class T>
value_id expand(const value_id* args) {
    using V = ir<T>;
    if constexpr (Row::rule == dtype_rule::random) {
        using I = ir<int64_t>;
        return Row::template value<V>(I::at(args[0]), I::at(args[1])).id;
    } else if constexpr (Row::rule == dtype_rule::choice) {
        return Row::value(ir<bool>::at(args[0]), V::at(args[1]), V::at(args[2])).id;
    } else if constexpr (Row::arity == 1) {
        return Row::value(V::at(args[0])).id;
    } else if constexpr (Row::arity == 2) {
        return Row::value(V::at(args[0]), V::at(args[1])).id;
    } else {
        return Row::value(V::at(args[0]), V::at(args[1]), V::at(args[2])).id;
    }
}

template <class T, class Row>
void fill(expansion_table& table, Row) {
    if constexpr (op::computes_in<T>(Row::id)) {
        table[Row::id][static_cast<std::size_t>(mtype_of<T>())] = &expand<Row, T>;
    }
}

expansion_table make_table() {
    expansion_table table{};
    boost::hana::for_each(rows::all, [&](auto row) {
        fill<bool>(table, row);
        fill<uint8_t>(table, row);
        fill<int32_t>(table, row);
        fill<int64_t>(table, row);
        fill<float>(table, row);
        fill<double>(table, row);
    });
    return table;
}

}  // namespace

expand_fn row_expansion(uint16_t row, mtype t) {
    static const expansion_table table = make_table();
    return table[row][static_cast<std::size_t>(t)];
}

}  // namespace sinter::kernel_ir
