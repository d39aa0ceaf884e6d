// Every row, in every type, through its expansion and the interpreter: the bits must equal those of
// the same formula on C++ scalars. Casts are compared with rules written here.
#include "tests/seed.hpp"
#include "jit/interpret/kernel_call_data.hpp"
#include "tests/support/random_kernel.hpp"

#include "jit/interpret/interpret.hpp"
#include "jit/kernel_ir/opcodes.hpp"
#include "jit/kernel_ir/rows/ir_number.hpp"
#include "jit/kernel_ir/rows/primitive.hpp"
#include "jit/kernel_ir/rows/rare.hpp"

#include <sinter/error.hpp>
#include <sinter/math/host.hpp>
#include <sinter/op/rows.hpp>

#include <boost/hana/for_each.hpp>

#include <doctest/doctest.h>

#include <cmath>

using namespace sinter;
using namespace sinter::kernel_ir;
using namespace sinter::kernel_ir::testing;
using sinter::math::host;

namespace {

constexpr int64_t n = 400;

/// Returns the compute bits of element j of an operand.
uint64_t element(const kernel_call_data& data, std::size_t operand, ScalarType type, int64_t j) {
    const uint64_t bits = data.element(operand, 0, j);
    return widened(type, bits);
}

bool same(ScalarType type, uint64_t a, uint64_t b) {
    return a == b || (is_nan(type, a) && is_nan(type, b));
}

/// A row's formula on C++ scalars, from and to bits of the compute type. It instantiates as little
/// as possible for each row, since this file is the whole table times its types.
using host_fn = uint64_t (*)(const uint64_t* args);

template <class Row, class T, int Flags = 0>
uint64_t on_host(const uint64_t* args) {
    constexpr int isa = SINTER_HOST_ISA | Flags;
    using V = host<T, isa>;
    [[maybe_unused]] const auto x = [&](int i) { return V::from(value_of<T>(args[i])); };
    if constexpr (Row::rule == dtype_rule::random) {
        using I = host<int64_t>;
        return bits_of(Row::template value<V>(I::from(value_of<int64_t>(args[0])),
                                              I::from(value_of<int64_t>(args[1])))
                           .v);
    } else if constexpr (Row::rule == dtype_rule::choice) {
        return bits_of(Row::value(host<bool, isa>::from(args[0] != 0), x(1), x(2)).v);
    } else if constexpr (Row::arity == 1) {
        return bits_of(Row::value(x(0)).v);
    } else if constexpr (Row::arity == 2) {
        return bits_of(Row::value(x(0), x(1)).v);
    } else {
        return bits_of(Row::value(x(0), x(1), x(2)).v);
    }
}

/// Runs the row as a kernel over special and random operands and compares the results with the
/// formula.
void check_row(op::id row, ScalarType type, ScalarType in, host_fn formula) {
    const op::row_info& info = op::info(row);
    kernel_builder b;
    std::vector<ScalarType> types(info.arity, in);
    if (info.rule == dtype_rule::choice) types[0] = kBool;
    std::vector<value_id> args;
    for (ScalarType t : types) args.push_back(b.load(t));
    value_id y = none;
    switch (info.arity) {
        case 1: y = b.row_as(row, type, in, {args[0]}); break;
        case 2: y = b.row_as(row, type, in, {args[0], args[1]}); break;
        default: y = b.row_as(row, type, in, {args[0], args[1], args[2]});
    }
    b.store(y);
    const kernel k = b.get();
    kernel_call_data data(k, 1, n, test::seed() ^ row);
    const std::string where = std::string(info.name) + " " + name_of(in) + " -> " + name_of(type);
    CAPTURE(where);
    interpret(k, data.call());

    math::take_host_status();
    int wrong = 0;
    for (int64_t j = 0; j < n; j++) {
        uint64_t bits[3] = {};
        for (std::size_t o = 0; o < types.size(); o++) bits[o] = element(data, o, types[o], j);
        const uint64_t got = data.element(types.size(), 0, j);
        const uint64_t expected = narrowed(type, formula(bits));
        if (same(type, got, expected)) continue;
        if (wrong++ == 0) CHECK_MESSAGE(got == expected, where, " at element ", j, " of ", bits[0]);
    }
    CHECK(wrong == 0);
    CHECK(data.status() == math::take_host_status());
}

template <class Row, class T, int Flags = 0>
void check_type(ScalarType type) {
    if constexpr (op::computes_in<T>(Row::id)) {
        constexpr bool random = Row::rule == dtype_rule::random;
        if (!random && !allows(Row::rule, type)) return;
        check_row(Row::id, random ? type : result_type(Row::id, type), random ? kLong : type,
                  &on_host < Row, T, random ? 0 : Flags >);
    }
}

template <class Row>
void check_types() {
    check_type<Row, bool>(kBool);
    check_type<Row, uint8_t>(kByte);
    check_type<Row, int32_t>(kChar);
    check_type<Row, int32_t>(kShort);
    check_type<Row, int32_t>(kInt);
    check_type<Row, int64_t>(kLong);
    check_type<Row, float, SINTER_HOST_BRIEF>(kHalf);
    check_type<Row, float, SINTER_HOST_BRIEF>(kBFloat16);
    check_type<Row, float>(kFloat);
    check_type<Row, double>(kDouble);
}

// ---- casts, by the wording of the rules

/// Returns a float truncated to an integer of `digits` bits, or that integer's minimum.
int64_t truncated(double x, int digits) {
    const double limit = std::ldexp(1.0, digits);
    if (!(x > -limit - 1 && x < limit)) return digits == 63 ? INT64_MIN : INT32_MIN;
    if (x <= -limit) return digits == 63 ? INT64_MIN : INT32_MIN;
    return static_cast<int64_t>(x);
}

/// Returns what `to` holds after a cast of the compute bits `bits` from type `from`.
uint64_t expected_cast(ScalarType from, ScalarType to, uint64_t bits) {
    if (from == to) return narrowed(to, bits);
    const bool real = isFloatingType(from);
    double x = 0;
    int64_t i = 0;
    switch (compute_type(from)) {
        case mtype::f32: x = static_cast<double>(value_of<float>(bits)); break;
        case mtype::f64: x = value_of<double>(bits); break;
        case mtype::i32: i = value_of<int32_t>(bits); break;
        default: i = static_cast<int64_t>(bits);
    }
    switch (to) {
        case kBool: return real ? x != 0 : i != 0;
        case kByte: return static_cast<uint64_t>(real ? truncated(x, 63) : i) & 0xff;
        case kChar: return static_cast<uint8_t>(real ? truncated(x, 31) : i);
        case kShort: return static_cast<uint16_t>(real ? truncated(x, 31) : i);
        case kInt: return static_cast<uint32_t>(real ? truncated(x, 31) : i);
        case kLong: return static_cast<uint64_t>(real ? truncated(x, 63) : i);
        case kHalf: return Half::from_float(real ? static_cast<float>(x) : static_cast<float>(i));
        case kBFloat16:
            return BFloat16::from_float(real ? static_cast<float>(x) : static_cast<float>(i));
        case kFloat: return bits_of(real ? static_cast<float>(x) : static_cast<float>(i));
        default: return bits_of(real ? x : static_cast<double>(i));
    }
}

}  // namespace

TEST_CASE("decompose: every row in every type is its formula, bit for bit") {
    boost::hana::for_each(rows::all, [](auto row) { check_types<decltype(row)>(); });
}

namespace {

/// Compares a row with its formula; the first operand has elements, the others one number per row.
template <class Row, class T>
void check_bounds(ScalarType type) {
    constexpr T infinity = std::numeric_limits<T>::infinity();
    constexpr T least = std::numeric_limits<T>::denorm_min();
    const T numbers[] = {0, -T(0), 1, -1, least, -least, infinity, -infinity, T(NAN)};
    kernel_builder b;
    const value_id x = b.load(type);
    const value_id low = b.scalar(type);
    if constexpr (Row::arity == 3)
        b.store(b.row(Row::id, type, {x, low, b.scalar(type)}));
    else
        b.store(b.row(Row::id, type, {x, low}));
    const kernel k = b.get();
    kernel_call_data data(k, 1, n, test::seed());
    for (std::size_t l = 0; l < std::size(numbers); ++l)
        for (std::size_t h = 0; h < (Row::arity == 3 ? std::size(numbers) : 1); ++h) {
            uint64_t scalars[] = {bits_of(numbers[l]), bits_of(numbers[h])};
            kernel_call call = data.call();
            call.scalars = scalars;
            interpret(k, call);
            for (int64_t j = 0; j < n; j++) {
                const uint64_t bits[] = {element(data, 0, type, j), scalars[0], scalars[1]};
                const uint64_t expected = on_host<Row, T>(bits);
                if (same(type, data.element(1, 0, j), expected)) continue;
                CAPTURE(op::info(Row::id).name);
                CAPTURE(value_of<T>(bits[0]));
                CAPTURE(numbers[l]);
                CAPTURE(numbers[h]);
                CHECK(data.element(1, 0, j) == expected);
                return;
            }
        }
}

}  // namespace

TEST_CASE("decompose: bounds that are numbers of a row give what the formula gives") {
    boost::hana::for_each(rows::all, [](auto r) {
        using row = decltype(r);
        if constexpr (row::id == op::maximum || row::id == op::minimum || row::id == op::clamp) {
            check_bounds<row, float>(kFloat);
            check_bounds<row, double>(kDouble);
        }
    });
}

TEST_CASE("decompose: casts between all types") {
    for (ScalarType from : all_types) {
        for (ScalarType to : all_types) {
            kernel_builder b;
            b.store(b.cast(b.load(from), to));
            const kernel k = b.get();
            kernel_call_data data(k, 1, 2000, test::seed());
            interpret(k, data.call());
            int wrong = 0;
            for (int64_t j = 0; j < 2000; j++) {
                const uint64_t bits = element(data, 0, from, j);
                wrong += !same(to, data.element(1, 0, j), expected_cast(from, to, bits));
            }
            CHECK_MESSAGE(wrong == 0, name_of(from), " to ", name_of(to));
        }
    }
}

TEST_CASE("decompose: float to integer at the edges") {
    const auto cast = [](ScalarType from, uint64_t bits, ScalarType to) {
        kernel_builder b;
        b.store(b.cast(b.load(from), to));
        const kernel k = b.get();
        kernel_call_data data(k, 1, 1, 1);
        data.set_element(0, 0, 0, bits);
        interpret(k, data.call());
        return data.element(1, 0, 0);
    };
    const auto f64 = [&](double x, ScalarType to) { return cast(kDouble, bits_of(x), to); };
    const auto f32 = [&](float x, ScalarType to) { return cast(kFloat, bits_of(x), to); };
    const uint64_t min32 = 0x80000000, min64 = uint64_t{1} << 63;
    CHECK(f64(2147483647.9, kInt) == 0x7fffffff);
    CHECK(f64(2147483648.0, kInt) == min32);
    CHECK(f64(-2147483648.9, kInt) == min32);
    CHECK(f64(-2147483649.0, kInt) == min32);
    CHECK(f64(NAN, kInt) == min32);
    CHECK(f64(0x1p63, kLong) == min64);
    CHECK(f64(-0x1p63, kLong) == min64);
    CHECK(f64(-INFINITY, kLong) == min64);
    CHECK(f32(0x1p63f, kLong) == min64);
    CHECK(f32(0x1.fffffep62f, kLong) == 0x7fffff8000000000);
    CHECK(f64(-1.5, kByte) == 255);
    CHECK(f64(300.7, kByte) == 44);
    CHECK(f64(0x1p31 + 5, kByte) == 5);
    CHECK(f64(-0x1p40 - 3, kByte) == 253);
    CHECK(f64(NAN, kByte) == 0);
    CHECK(f32(-1.5f, kByte) == 255);
    CHECK(f32(-300.0f, kByte) == 212);
    CHECK(f32(0x1.8p31f, kByte) == 0);
    CHECK(f32(INFINITY, kByte) == 0);
    CHECK(f32(NAN, kBool) == 1);
    CHECK(f32(-0.0f, kBool) == 0);
    CHECK(f64(1e-320, kBool) == 1);
    // f64 to Half goes through f32: rounded twice, as in PyTorch.
    CHECK(f64(1 + 0x1p-11 + 0x1p-40, kHalf) == Half(1.0f).bits);
    CHECK(cast(kLong, (int64_t{1} << 40), kHalf) == 0x7c00);
}

TEST_CASE("decompose: operands of other types are cast to the row's") {
    kernel_builder b;
    const value_id x = b.load(kByte), y = b.load(kFloat);
    b.store(b.row(op::add, kDouble, {x, y}));
    b.store(b.row(op::where, kFloat, {x, y, y}));
    const kernel k = b.get();
    kernel_call_data data(k, 1, 1, 1);
    data.set_element(0, 0, 0, 200);
    data.set_element(1, 0, 0, bits_of(0.5f));
    interpret(k, data.call());
    CHECK(value_of<double>(data.element(2, 0, 0)) == 200.5);
    CHECK(value_of<float>(data.element(3, 0, 0)) == 0.5f);
}

TEST_CASE("decompose: equal work is merged, dead work dropped, row work stays once a row") {
    kernel_builder b;
    const value_id x = b.load(kFloat), s = b.scalar(kFloat);
    const value_id e1 = b.row(op::exp, kFloat, {s}), e2 = b.row(op::exp, kFloat, {s});
    b.row(op::sin, kDouble, {x});
    b.store(b.row(op::mul, kFloat, {b.row(op::add, kFloat, {x, e1}), e2}));
    const kernel p = decompose(b.get());
    int elements = 0;
    for (const instr& i : p.body) {
        elements += i.dom == domain::element;
        CHECK(i.mt != mtype::f64);
    }
    CHECK(elements == 4);  // load, add, mul, store
    kernel_builder once;
    once.store(once.row(op::exp, kFloat, {once.scalar(kFloat)}), stride_class::unit,
               domain::element);
    CHECK(decompose(once.get()).body.size() + 3 == p.body.size());
}

TEST_CASE("decompose: the formulas of two rows share nothing of an element") {
    // If they did, what both of them need for large angles alone would be computed for all.
    const auto work = [](std::initializer_list<op::id> rows) {
        kernel_builder b;
        const value_id x = b.load(kFloat);
        for (const op::id row : rows) b.store(b.row(row, kFloat, {x}));
        const kernel k = decompose(b.get());
        const std::vector<value_id> owners = rare_owners(k.body);
        int rare = 0;
        for (const value_id o : owners) rare += o != none;
        return rare;
    };
    CHECK(work({op::sin}) > 10);
    CHECK(work({op::sin, op::cos}) == work({op::sin}) + work({op::cos}));
}

TEST_CASE("decompose: -0 and 0, and NaN, are constants of their own") {
    builder b;
    building scope(b);
    CHECK(ir<float>::from(0.0f).id != ir<float>::from(-0.0f).id);
    CHECK(ir<float>::from(0.0f).id == ir<float>(0).id);
    CHECK(ir<float>::from(NAN).id == ir<float>::from(NAN).id);
    CHECK((!!ir<bool>(1)).id == ir<bool>(1).id);
    CHECK(convert<double>(ir<int32_t>(3)).id == ir<double>(3).id);
}

TEST_CASE("decompose: a formula outside a builder is a bug") {
    CHECK_THROWS_WITH_AS(ir<float>(1),
                         "[kernel_ir] a formula is expanded outside a builder; this is a bug in "
                         "Sinter, please report it",
                         InternalError);
}
