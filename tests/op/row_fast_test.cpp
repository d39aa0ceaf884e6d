// Formulas under fast math: which rows have one, and that kernels compute it as host numbers do.
#include "tests/support/formula_flags.hpp"
#include "tests/op/reference.hpp"
#include "tests/seed.hpp"
#include "tests/support/by_interpreter.hpp"

#include <sinter/math/host.hpp>
#include <sinter/op/rows.hpp>

#include <boost/hana/for_each.hpp>
#include <doctest/doctest.h>

#include <set>
#include <string>
#include <vector>

using namespace sinter;
using kernel_ir::mtype;

namespace {

std::set<std::string> rows_with_fast_form(mtype t) {
    std::set<std::string> names;
    for (int r = 0; r < op::count; ++r) {
        const auto row = static_cast<op::id>(r);
        if (op::info(row).rule == dtype_rule::random) continue;
        if (test::has_fast_form(row, t)) names.insert(op::info(row).name);
    }
    return names;
}

/// Returns fast row(...) of the operands.
template <class T>
std::vector<T> by_interpreter(op::id row, const std::vector<std::vector<T>>& operands) {
    using namespace kernel_ir;
    const ScalarType type = sizeof(T) == 4 ? kFloat : kDouble;
    kernel_ir::testing::kernel_builder b;
    std::vector<value_id> at;
    std::vector<sinter::testing::dense_input> inputs;
    for (const std::vector<T>& x : operands) {
        inputs.push_back({type, reinterpret_cast<const char*>(x.data())});
        at.push_back(b.load(type));
    }
    b.store(at.size() == 1   ? b.row(row, type, {at[0]})
            : at.size() == 2 ? b.row(row, type, {at[0], at[1]})
                             : b.row(row, type, {at[0], at[1], at[2]}));
    kernel k = b.get();
    for (instr& i : k.body) i.fast = i.op == opcode::row;
    const auto n = static_cast<int64_t>(operands[0].size());
    const auto done = sinter::testing::run_interpreter(k, inputs, type, 1, n, false);
    std::vector<T> result(operands[0].size());
    std::memcpy(result.data(), done.out.data(), done.out.size());
    return result;
}

template <class Row, class T>
void compare() {
    using V = math::host<T, SINTER_HOST_ISA | SINTER_HOST_FAST>;
    std::mt19937_64 random(test::seed());
    std::vector<std::vector<T>> x(Row::arity, test::special_values<T>());
    for (std::size_t k = 0; k < x.size(); ++k) {
        for (int i = 0; i < 2000; ++i) x[k].push_back(test::random_value<T>(random));
    }
    const std::vector<T> got = by_interpreter<T>(Row::id, x);
    std::vector<T> expected;
    for (std::size_t i = 0; i < x[0].size(); ++i) {
        if constexpr (Row::arity == 1)
            expected.push_back(Row::value(V::from(x[0][i])).v);
        else if constexpr (Row::arity == 2)
            expected.push_back(Row::value(V::from(x[0][i]), V::from(x[1][i])).v);
        else
            expected.push_back(Row::value(V::from(x[0][i]), V::from(x[1][i]), V::from(x[2][i])).v);
    }
    INFO(std::string(Row::name) << " f" << sizeof(T) * 8);
    CHECK(sinter::testing::first_difference(sizeof(T) == 4 ? kFloat : kDouble,
                                            reinterpret_cast<const char*>(got.data()),
                                            reinterpret_cast<const char*>(expected.data()),
                                            static_cast<int64_t>(got.size())) == -1);
}

}  // namespace

TEST_CASE("fast forms: only rows that docs/accuracy.md lists have one") {
    std::set<std::string> names = {
        "cosh",    "entr", "erfc",        "exp",   "exp2", "exp_fma", "expm1",
        "log10",   "log2", "log_sigmoid", "logit", "mish", "ndtr",    "silu",
        "sigmoid", "sinh", "softplus",    "tan",   "tanh", "xlog1py", "xlogy"};
    CHECK(rows_with_fast_form(mtype::f64) == names);
    names.insert({"cos", "erf", "pow", "sin", "spherical_bessel_j0"});
    CHECK(rows_with_fast_form(mtype::f32) == names);
}

TEST_CASE("fast forms: the interpreter computes what host numbers do") {
    INFO("SINTER_TEST_SEED=" << test::seed());
    boost::hana::for_each(rows::all, [](auto row) {
        using Row = decltype(row);
        if constexpr (op::computes_in<float>(Row::id) && Row::rule != dtype_rule::random &&
                      Row::rule != dtype_rule::choice && Row::rule != dtype_rule::test) {
            if (test::has_fast_form(Row::id, mtype::f32)) compare<Row, float>();
            if (test::has_fast_form(Row::id, mtype::f64)) compare<Row, double>();
        }
    });
}
