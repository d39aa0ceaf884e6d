// Each rule of the verifier, violated once, at the instruction that the error names.
#include "jit/kernel_ir/schedule.hpp"
#include "tests/support/element_types.hpp"
#include "tests/support/kernel_builder.hpp"

#include <sinter/error.hpp>

#include <doctest/doctest.h>

#include <functional>
#include <string>

using namespace sinter;
using namespace sinter::kernel_ir;
using namespace sinter::kernel_ir::testing;

namespace {

/// %0 = load Float, %1 = scalar Float, %2 = mul %0 %1, %3 = sum %2, %4 = sub %2 %3, %5 = store %4,
/// %6 = store %3 (once a row)
kernel rows_kernel() {
    kernel_builder b;
    const value_id x = b.load(kFloat), s = b.scalar(kFloat);
    const value_id y = b.row(op::mul, kFloat, {x, s});
    const value_id sum = b.reduce(op::reduction::sum, y);
    b.store(b.row(op::sub, kFloat, {y, sum}));
    b.store(sum);
    return b.get();
}

/// Without reductions: %0 = load Float, %1 = scalar Float, %2 = mul, %3 = store.
kernel map_kernel() {
    kernel_builder b;
    const value_id x = b.load(kFloat), s = b.scalar(kFloat);
    b.store(b.row(op::mul, kFloat, {x, s}));
    return b.get();
}

std::string message(const kernel& k) {
    try {
        verify(k);
    } catch (const InternalError& e) {
        return e.what();
    }
    return "accepted";
}

/// Checks that `k`, changed by `spoil`, is refused with a message that contains `expected`.
void refuses(kernel k, const std::function<void(kernel&)>& spoil, const std::string& expected) {
    REQUIRE(message(k) == "accepted");
    spoil(k);
    const std::string got = message(k);
    CHECK_MESSAGE(got.find(expected) != std::string::npos, got, " does not hold: ", expected);
}

/// One primitive after %0 = load `type` and %1 = load `type`.
kernel primitive(instr i, ScalarType type = kFloat) {
    kernel_builder b;
    b.load(type);
    b.load(type);
    kernel k = b.get();
    k.primitive = true;
    i.dom = domain::element;
    k.body.push_back(i);
    return k;
}

instr op2(opcode op, mtype t, ScalarType type, mtype in) {
    return {.op = op, .type = type, .mt = t, .in_mt = in, .a = 0, .b = 1};
}
instr op1(opcode op, mtype t, ScalarType type, mtype in) {
    return {.op = op, .type = type, .mt = t, .in_mt = in, .a = 0};
}

void refuses_primitive(instr i, ScalarType type, const std::string& expected) {
    const std::string got = message(primitive(i, type));
    CHECK_MESSAGE(got.find(expected) != std::string::npos, got, " does not hold: ", expected);
}

}  // namespace

TEST_CASE("verify: a message names instruction, operand and types") {
    kernel k = rows_kernel();
    k.body[2].mt = mtype::f64;
    CHECK(message(k) ==
          "[kernel_ir] `%2 = row.mul Float Float %0 %1`: the machine type of the result is wrong; "
          "got f64, expected f32; this is a bug in Sinter, please report it");
}

TEST_CASE("verify: operands and scalars") {
    refuses(rows_kernel(), [](kernel& k) { k.operands[0].use = role(3); }, "@0 has no role");
    refuses(
        rows_kernel(), [](kernel& k) { k.operands[0].lane = stride_class(5); },
        "@0 has no stride class");
    refuses(
        rows_kernel(), [](kernel& k) { k.operands[0].lane = stride_class::across; },
        "@0 is read across lanes, which this kernel cannot do");
    refuses(
        rows_kernel(), [](kernel& k) { k.operands[0].type = kComplexFloat; },
        "@0 has an unsupported type");
    refuses(
        rows_kernel(), [](kernel& k) { k.operands[0].use = role::index; },
        "@0 is an index of the wrong type; got Float, expected Long");
    refuses(rows_kernel(), [](kernel& k) { k.scalars[0] = mtype(6); }, "#0 has no type");
    refuses(rows_kernel(), [](kernel& k) { k.along = lanes(2); }, "unknown lane dimension");
    refuses(rows_kernel(), [](kernel& k) { k.extent = -1; }, "no rows of that extent");
    refuses(rows_kernel(), [](kernel& k) { k.known = {{9, 0}}; }, "#9 is known, but out of order");
    refuses(
        rows_kernel(), [](kernel& k) { k.known = {{0, 0}, {0, 0}}; },
        "#0 is known, but out of order");
    refuses(
        rows_kernel(), [](kernel& k) { k.known = {{0, uint64_t{1} << 32}}; },
        "#0 is known with bits outside its type");
}

TEST_CASE("verify: form of instructions") {
    refuses(
        rows_kernel(), [](kernel& k) { k.body[2].op = opcode(200); }, "the opcode does not exist");
    refuses(
        rows_kernel(), [](kernel& k) { k.body[2].dom = domain(2); }, "the domain does not exist");
    refuses(
        rows_kernel(), [](kernel& k) { k.body[2].type = kComplexFloat; },
        "has an unsupported type");
    refuses(rows_kernel(), [](kernel& k) { k.body[2].row = op::count; }, "the row does not exist");
    refuses(rows_kernel(), [](kernel& k) { k.body[3].row = 99; }, "the reduction does not exist");
    refuses(
        rows_kernel(), [](kernel& k) { k.body[2].in = ScalarType::Undefined; },
        "`in` is not a supported type");
    refuses(rows_kernel(), [](kernel& k) { k.body[0].in = kFloat; }, "`in` is set but not used");
    refuses(rows_kernel(), [](kernel& k) { k.body[0].row = 1; }, "`row` is set but not used");
    refuses(
        rows_kernel(), [](kernel& k) { k.body[2].in_mt = mtype::f32; },
        "`in_mt` is set but not used");
    refuses(
        rows_kernel(), [](kernel& k) { k.body[2].in_mt = mtype(6); },
        "`in_mt` is not a machine type");
    refuses(rows_kernel(), [](kernel& k) { k.body[2].imm = 1; }, "`imm` is set but not used");
    refuses(rows_kernel(), [](kernel& k) { k.body[2].c = 0; }, "`c` is set but not used");
    refuses(rows_kernel(), [](kernel& k) { k.body[3].b = 1; }, "`b` is set but not used");
}

TEST_CASE("verify: levels") {
    refuses(
        rows_kernel(), [](kernel& k) { k.primitive = true; },
        "a row-level opcode is in a primitive kernel");
    refuses(
        rows_kernel(),
        [](kernel& k) { k.body[2] = op2(opcode::mul, mtype::f32, kFloat, mtype::f32); },
        "a primitive opcode is in a row-level kernel");
}

TEST_CASE("verify: order of values") {
    refuses(
        rows_kernel(), [](kernel& k) { k.body[2].b = 2; },
        "operand b is not defined before; got %2, expected a value below %2");
    refuses(
        rows_kernel(), [](kernel& k) { k.body[2].a = none; }, "operand a is not defined before");
    refuses(rows_kernel(), [](kernel& k) { k.body[6].b = 100; }, "operand b is not defined before");
    refuses(rows_kernel(), [](kernel& k) { k.body[6].b = 5; }, "is a store, not a value");
}

TEST_CASE("verify: arguments") {
    refuses(rows_kernel(), [](kernel& k) { k.body[0].a = 3; }, "operand @3 does not exist");
    refuses(rows_kernel(), [](kernel& k) { k.body[0].a = -1; }, "operand @-1 does not exist");
    refuses(rows_kernel(), [](kernel& k) { k.body[0].a = 1; }, "operand @1 has the wrong role");
    refuses(rows_kernel(), [](kernel& k) { k.body[5].a = 0; }, "operand @0 has the wrong role");
    refuses(
        rows_kernel(), [](kernel& k) { k.operands[0].type = kHalf; },
        "type of the operand is wrong; got Half, expected Float");
    refuses(rows_kernel(), [](kernel& k) { k.body[1].a = 1; }, "scalar #1 does not exist");
    refuses(
        rows_kernel(), [](kernel& k) { k.scalars[0] = mtype::f64; },
        "machine type of the scalar is wrong; got f64, expected f32");
    refuses(
        rows_kernel(),
        [](kernel& k) {
            k.body[0] = {.op = opcode::index, .type = kFloat, .mt = mtype::f32, .a = 0};
        },
        "operand @0 has the wrong role");
}

TEST_CASE("verify: stores") {
    refuses(rows_kernel(), [](kernel& k) { k.body[6].a = 1; }, "@1 is stored to twice");
    refuses(
        rows_kernel(), [](kernel& k) { k.operands[1].lane = stride_class::zero; },
        "lanes would store to one address");
    refuses(
        rows_kernel(), [](kernel& k) { k.operands[1].type = k.body[5].type = kHalf; },
        "type of the stored value is wrong; got Float, expected Half");
    kernel_builder rows(lanes::row);
    rows.store(rows.reduce(op::reduction::sum, rows.load(kFloat)));
    refuses(
        rows.get(), [](kernel& k) { k.operands[1].lane = stride_class::zero; },
        "lanes would store to one address");
}

TEST_CASE("verify: domains") {
    refuses(
        rows_kernel(), [](kernel& k) { k.body[2].dom = domain::row; },
        "domain is wrong; got row, expected element");
    refuses(
        rows_kernel(), [](kernel& k) { k.body[1].dom = domain::element; },
        "domain is wrong; got element, expected row");
    refuses(
        rows_kernel(), [](kernel& k) { k.body[3].dom = domain::element; },
        "domain is wrong; got element, expected row");
    refuses(
        rows_kernel(), [](kernel& k) { k.body[5].dom = domain::row; },
        "domain of the value that is stored once a row is wrong; got element, expected row");
    // A value that only depends on rows has domain row.
    refuses(
        rows_kernel(), [](kernel& k) { k.body[4].a = 3; },
        "domain is wrong; got element, expected row");
    refuses(
        map_kernel(), [](kernel& k) { k.body[0].dom = domain::row; },
        "a row value is in a kernel without reductions");
    refuses(
        map_kernel(),
        [](kernel& k) {
            k.body[3].b = 1;
            k.body[3].dom = domain::row;
        },
        "a row store is in a kernel without reductions");

    kernel_builder fill;
    fill.store(fill.scalar(kFloat), stride_class::unit, domain::element);
    CHECK(message(fill.get()) == "accepted");

    kernel_builder var;
    const value_id x = var.load(kFloat), k = var.scalar(kFloat);
    const value_id e = var.row(op::add, kFloat, {x, k});
    var.store(var.reduce(op::reduction::var, x, k));
    CHECK(e == 2);
    refuses(
        var.get(), [](kernel& bad) { bad.body[3].b = 2; },
        "domain of the parameter is wrong; got element, expected row");
}

TEST_CASE("verify: reductions") {
    refuses(
        rows_kernel(), [](kernel& k) { k.body[3].in = kHalf; },
        "the reduced type is wrong; got Float, expected Half");
    refuses(
        rows_kernel(),
        [](kernel& k) {
            k.body[3].type = kDouble;
            k.body[3].mt = mtype::f64;
        },
        "result type of the reduction is wrong; got Double, expected Float");
    refuses(
        rows_kernel(), [](kernel& k) { k.body[3].row = uint16_t(op::reduction::var); },
        "operand b is not defined before");

    kernel_builder sum;
    sum.store(sum.reduce(op::reduction::sum, sum.load(kByte)));
    refuses(
        sum.get(),
        [](kernel& k) {
            k.body[1].type = kByte;
            k.body[1].mt = mtype::u8;
        },
        "result type of the reduction is wrong; got Byte, expected Long");
    refuses(
        sum.get(), [](kernel& k) { k.body[1].row = uint16_t(op::reduction::mean); },
        "the reduction takes floats only; got Byte");

    kernel_builder var;
    const value_id x = var.load(kDouble), k = var.scalar(kDouble);
    var.store(var.reduce(op::reduction::var, x, k));
    refuses(
        var.get(),
        [](kernel& bad) {
            bad.scalars[0] = bad.body[1].mt = mtype::f32;
            bad.body[1].type = kFloat;
        },
        "machine type of the reduction's parameter is wrong; got f32, expected f64");
}

TEST_CASE("verify: rows obey their dtype rules") {
    const auto row = [](op::id id, ScalarType type, ScalarType in) {
        kernel_builder b;
        const value_id x = b.load(in), y = b.load(in), z = b.load(in);
        switch (op::info(id).arity) {
            case 1: b.row_as(id, type, in, {x}); break;
            case 2: b.row_as(id, type, in, {x, y}); break;
            default: b.row_as(id, type, in, {x, y, z});
        }
        return message(b.get());
    };
    const std::string refused = "the row does not take operands of this type; got ";
    CHECK(row(op::sub, kBool, kBool).find(refused + "Bool") != std::string::npos);
    CHECK(row(op::pow, kBool, kBool).find(refused + "Bool") != std::string::npos);
    CHECK(row(op::exp, kInt, kInt).find(refused + "Int") != std::string::npos);
    CHECK(row(op::logical_not, kBool, kInt).find(refused + "Int") != std::string::npos);
    CHECK(row(op::bitwise_not, kHalf, kHalf).find(refused + "Half") != std::string::npos);
    CHECK(row(op::bitwise_left_shift, kBool, kBool).find(refused + "Bool") != std::string::npos);
    CHECK(row(op::philox_uniform, kFloat, kInt).find(refused + "Int") != std::string::npos);
    CHECK(row(op::philox_uniform, kInt, kLong).find("got Int, expected a float") !=
          std::string::npos);
    CHECK(row(op::philox_bits, kFloat, kLong).find("got Float, expected Long") !=
          std::string::npos);
    CHECK(row(op::isnan, kFloat, kFloat).find("got Float, expected Bool") != std::string::npos);
    CHECK(row(op::add, kFloat, kHalf).find("got Float, expected Half") != std::string::npos);
    CHECK(row(op::where, kInt, kFloat).find("got Int, expected Float") != std::string::npos);
    for (int id = 0; id < op::count; id++) {
        for (ScalarType in : sinter::testing::all_types) {
            const auto r = static_cast<op::id>(id);
            if (op::info(r).rule == dtype_rule::random || !allows(op::info(r).rule, in)) continue;
            CHECK(row(r, result_type(r, in), in) == "accepted");
        }
    }
}

TEST_CASE("verify: casts say what they convert from") {
    kernel_builder b;
    b.cast(b.load(kFloat), kInt);
    refuses(
        b.get(), [](kernel& k) { k.body[1].in = kHalf; },
        "source type of the cast is wrong; got Float, expected Half");
}

TEST_CASE("verify: primitives") {
    CHECK(message(primitive(op2(opcode::add, mtype::f32, kFloat, mtype::f32))) == "accepted");
    const std::string result = "machine type of the result",
                      operand = "the operand's machine type is wrong";
    refuses_primitive(op2(opcode::add, mtype::f32, kHalf, mtype::f32), kFloat,
                      "logical type of the result is wrong; got Half, expected Float");
    refuses_primitive(op2(opcode::add, mtype::f64, kDouble, mtype::f64), kFloat,
                      "machine type of an operand is wrong; got f32, expected f64");
    refuses_primitive(op2(opcode::add, mtype::f64, kDouble, mtype::f32), kFloat, result);
    refuses_primitive(op2(opcode::mul, mtype::b1, kBool, mtype::b1), kBool, operand);
    refuses_primitive(op2(opcode::div, mtype::i32, kInt, mtype::i32), kInt,
                      "got i32, expected a float");
    refuses_primitive(op1(opcode::sqrt, mtype::i64, kLong, mtype::i64), kLong, "expected a float");
    refuses_primitive(op2(opcode::idiv, mtype::f32, kFloat, mtype::f32), kFloat,
                      "expected an integer");
    refuses_primitive(op2(opcode::shl, mtype::b1, kBool, mtype::b1), kBool, "expected an integer");
    refuses_primitive(op2(opcode::and_, mtype::f32, kFloat, mtype::f32), kFloat,
                      "expected an integer or b1");
    refuses_primitive(op2(opcode::lt, mtype::f32, kFloat, mtype::f32), kFloat,
                      "got f32, expected b1");
    refuses_primitive(op1(opcode::bits, mtype::i64, kLong, mtype::f32), kFloat,
                      "got i64, expected i32");
    refuses_primitive(op1(opcode::from_bits, mtype::f32, kFloat, mtype::f32), kFloat,
                      "expected i32 or i64");
    refuses_primitive(op1(opcode::convert, mtype::b1, kBool, mtype::f32), kFloat,
                      "conversion to b1");
    refuses_primitive(op1(opcode::convert, mtype::f32, kFloat, mtype::f32), kFloat,
                      "the conversion does not change the type");
    refuses_primitive(op1(opcode::narrow, mtype::f32, kFloat, mtype::f32), kFloat,
                      "only narrow types need this opcode");
    refuses_primitive(op1(opcode::narrow, mtype::f32, kHalf, mtype::f64), kDouble, "expected f32");
    refuses_primitive(op1(opcode::narrow, mtype::f32, kChar, mtype::f32), kFloat, "expected i32");
    refuses_primitive(op2(opcode::mulhi_u32, mtype::i64, kLong, mtype::i64), kLong, "expected i32");
    refuses_primitive(op2(opcode::select, mtype::f32, kFloat, mtype::f32), kFloat,
                      "operand c is not defined before");
    instr select = op2(opcode::select, mtype::f32, kFloat, mtype::f32);
    select.c = 1;
    refuses_primitive(select, kFloat, "operand a is wrong; got f32, expected b1");
    instr fma = op2(opcode::fma, mtype::i32, kInt, mtype::i32);
    fma.c = 1;
    refuses_primitive(fma, kInt, "expected a float");
    instr lookup = op1(opcode::lookup, mtype::f64, kDouble, mtype::i32);
    lookup.row = 99;
    refuses_primitive(lookup, kInt, "the table does not exist");
    lookup.row = 0;
    CHECK(message(primitive(lookup, kInt)) == "accepted");
    refuses_primitive(lookup, kLong, "got i64, expected i32");
    refuses_primitive(op2(opcode::guard, mtype::f32, kFloat, mtype::f32), kFloat, "expected b1");
    refuses_primitive(op2(opcode::guard, mtype::f32, kFloat, mtype::b1), kFloat,
                      "operand a is wrong; got f32, expected b1");

    kernel constant = primitive(op2(opcode::add, mtype::f32, kFloat, mtype::f32));
    constant.body.push_back(
        {.op = opcode::constant, .type = kByte, .mt = mtype::u8, .dom = domain::row, .imm = 255});
    refuses(
        constant, [](kernel& k) { k.body[3].imm = 256; }, "the constant has bits outside its type");
    refuses(
        constant, [](kernel& k) { k.body[3].dom = domain::element; },
        "domain is wrong; got element, expected row");
    refuses(
        constant, [](kernel& k) { k.body[2].dom = domain::row; },
        "domain is wrong; got row, expected element");

    // A Half is stored from a value that was rounded to Half.
    kernel half = primitive(op1(opcode::narrow, mtype::f32, kHalf, mtype::f32));
    half.operands.push_back({role::output, kHalf, stride_class::unit});
    half.body.push_back({.op = opcode::store, .type = kHalf, .mt = mtype::f32, .a = 2, .b = 2});
    refuses(
        half, [](kernel& k) { k.body[3].b = 1; },
        "type of the stored value is wrong; got Float, expected Half");
}

TEST_CASE("verify: rows of one chunk") {
    kernel k = kept_softmax(kFloat);
    k.form = row_form::one_chunk;
    CHECK(message(k) == "accepted");
    refuses(k, [](kernel& k) { k.along = lanes::row; }, "kernel has no rows of that form");
    kernel_builder b;
    b.store(b.load(kFloat));
    for (const row_form form : {row_form::one_chunk, row_form::up_to_16, row_form::few})
        refuses(b.get(), [&](kernel& k) { k.form = form; }, "kernel has no rows of that form");
    refuses(b.get(), [](kernel& k) { k.form = row_form(6); }, "unknown row form");
}

TEST_CASE("verify: rows of few elements") {
    kernel_builder b(lanes::row);
    b.store(b.reduce(op::reduction::sum, b.load(kFloat)));
    kernel k = b.get();
    k.form = row_form::few;
    CHECK(message(k) == "accepted");
    CHECK(decompose(k).form == row_form::few);
    refuses(k, [](kernel& k) { k.along = lanes::element; }, "kernel has no rows of that form");
}

TEST_CASE("verify: rows that come run by run") {
    kernel_builder b;
    const value_id x = b.load(kFloat);
    b.store(b.reduce(op::reduction::sum, x));
    kernel k = b.get();
    k.form = row_form::runs;
    CHECK(message(k) == "accepted");
    CHECK(message(decompose(k)) == "accepted");
    CHECK(decompose(k).form == row_form::runs);
    refuses(k, [](kernel& k) { k.along = lanes::row; }, "kernel has no rows of that form");
    k = kept_softmax(kFloat);
    refuses(
        k, [](kernel& k) { k.form = row_form::runs; },
        "elements are stored in rows that are walked run by run");
}

TEST_CASE("verify: what an output keeps") {
    CHECK(message(kept_softmax(kFloat)) == "accepted");
    CHECK(message(kept_softmax(kDouble, lanes::row)) == "accepted");
    CHECK(message(decompose(kept_softmax(kFloat))) == "accepted");
    CHECK(message(kept_softmax(kHalf)).find("a narrow type cannot keep the value exactly") !=
          std::string::npos);
    const kernel k = kept_softmax(kFloat);
    refuses(k, [](kernel& k) { std::swap(k.body[4], k.body[5]); }, "has the wrong role");
    refuses(k, [](kernel& k) { k.body[6] = k.body[5]; }, "operand @1 is loaded twice");
    refuses(k, [](kernel& k) { k.body.push_back(k.body[8]); }, "stored to twice");
    refuses(
        k,
        [](kernel& k) {
            k.body[8].dom = domain::row;
            k.body[8].b = 6;
        },
        "a row value is stored over a kept element value");
    // A fourth stage, after the one that stores over the operand.
    const auto load_later = [](kernel& k) {
        instr sum = k.body[6], product = k.body[7], store = k.body[8];
        sum.a = 7;
        product.row = op::mul;
        product.b = 9;
        store.a = 2;
        store.b = 10;
        k.operands.push_back(k.operands[1]);
        k.body.insert(k.body.end(), {sum, product, store});
    };
    refuses(k, load_later,
            "`%5 = load Float @1`: a stage loads a value that an earlier stage overwrote");

    // The load is unused, but the second store still comes after the first.
    kernel dead = k;
    dead.body[8].b = 0;
    CHECK(message(dead) == "accepted");
    CHECK(message(decompose(dead)) == "accepted");
    CHECK(make_schedule(decompose(dead)).stages[2].stores.size() == 1);
}
