// The printed form of kernels, word for word.
#include "tests/support/random_kernel.hpp"

#include "jit/kernel_ir/print.hpp"

#include <doctest/doctest.h>

using namespace sinter;
using namespace sinter::kernel_ir;
using namespace sinter::kernel_ir::testing;

TEST_CASE("print: row level") {
    kernel_builder b;
    const value_id x = b.load(kHalf), i = b.index(stride_class::other), s = b.scalar(kDouble);
    const value_id y = b.row(op::mul, kDouble, {x, s});
    const value_id k = b.scalar(kDouble);
    const value_id v = b.reduce(op::reduction::var, y, k);
    const value_id c = b.row(op::lt, kDouble, {y, v});
    b.store(b.row(op::where, kLong, {c, i, b.cast(y, kLong)}), stride_class::other);
    b.store(v);
    CHECK(print(b.get()) == R"(kernel rows, lanes along elements
@0 input Half unit
@1 index Long other
@2 output Long other
@3 output Double zero
#0 f64
#1 f64
%0 = load Half @0
%1 = index Long @1
%2 = scalar Double #0 : row
%3 = row.mul Double Double %0 %2
%4 = scalar Double #1 : row
%5 = reduce.var Double Double %3 %4 : row
%6 = row.lt Bool Double %3 %5
%7 = cast Long Double %3
%8 = row.where Long Long %6 %1 %7
%9 = store Long @2 %8
%10 = store Double @3 %5 : row
)");
}

TEST_CASE("print: what an output keeps") {
    CHECK(print(kept_softmax(kFloat)) == R"(kernel rows, lanes along elements
@0 input Float unit
@1 output Float unit
%0 = load Float @0
%1 = reduce.amax Float Float %0 : row
%2 = row.sub Float Float %0 %1
%3 = row.exp Float Float %2
%4 = store Float @1 %3
%5 = load Float @1
%6 = reduce.sum Float Float %3 : row
%7 = row.div Float Float %5 %6
%8 = store Float @1 %7
)");
}

TEST_CASE("print: rows of one chunk") {
    kernel_builder b;
    b.store(b.reduce(op::reduction::sum, b.load(kFloat)));
    kernel k = b.get();
    k.form = row_form::one_chunk;
    CHECK(print(k).starts_with("kernel rows, lanes along elements, one chunk a row\n"));
    k.form = row_form::up_to_16;
    CHECK(print(k).starts_with("kernel rows, lanes along elements, up to 16 elements a row\n"));
    k.form = row_form::runs;
    CHECK(print(k).starts_with("kernel rows, lanes along elements, rows run by run\n"));
    k.along = lanes::row;
    k.form = row_form::few;
    CHECK(print(k).starts_with("kernel rows, lanes along rows, few elements a row\n"));
}

TEST_CASE("print: what is known of the arguments") {
    kernel_builder b;
    const value_id x = b.load(kInt), s = b.scalar(kInt);
    b.store(b.row(op::mul, kInt, {x, s}));
    kernel k = b.get();
    k.known = {{0, 0xfffffffe}};
    k.extent = 24;
    CHECK(print(k).find("#0 i32 is -2\nextent 24\n") != std::string::npos);
}

TEST_CASE("print: primitives") {
    kernel_builder b(lanes::row);
    const value_id x = b.load(kHalf, stride_class::zero);
    b.store(b.cast(b.row(op::relu, kHalf, {x}), kInt));
    CHECK(print(decompose(b.get())) == R"(kernel primitives, lanes along rows
@0 input Half zero
@1 output Int unit
%0 = load Half @0
%1 = constant f32 0x00000000 (0) : row
%2 = le b1 f32 %0 %1
%3 = select f32 %2 %1 %0
%4 = narrow f32 %3
%5 = abs f32 %4
%6 = constant f32 0x4f000000 (2.14748365e+09) : row
%7 = lt b1 f32 %5 %6
%8 = select f32 %7 %4 %1
%9 = convert i32 f32 %8
%10 = constant i32 -2147483648 : row
%11 = select i32 %7 %9 %10
%12 = store Int @1 %11
)");
}

TEST_CASE("print: single primitives") {
    const auto text = [](instr i) {
        i.dom = domain::element;
        return print(i, 7);
    };
    CHECK(text({.op = opcode::lookup, .mt = mtype::f64, .in_mt = mtype::i32, .row = 2, .a = 1}) ==
          "%7 = lookup f64 table 2 %1");
    CHECK(text({.op = opcode::guard, .mt = mtype::i32, .a = 1, .b = 2, .imm = 1}) ==
          "%7 = guard i32 status 1 %1 %2");
    CHECK(text({.op = opcode::fma, .mt = mtype::f64, .a = 1, .b = 2, .c = 3}) ==
          "%7 = fma f64 %1 %2 %3");
    CHECK(text({.op = opcode::constant, .mt = mtype::f64, .imm = 0x7ff0000000000000}) ==
          "%7 = constant f64 0x7ff0000000000000 (inf)");
    CHECK(text({.op = opcode::constant, .mt = mtype::i64, .imm = ~uint64_t{0}}) ==
          "%7 = constant i64 -1");
}

TEST_CASE("print: whatever an instruction holds") {
    CHECK(print(instr{.op = opcode(250)}, 3) == "%3 = opcode?250");
    CHECK(print(instr{.op = opcode::row, .row = 9999}, 3) == "%3 = row.?9999 ? ?");
    CHECK(print(instr{.op = opcode::reduce, .row = 9999}, 3) == "%3 = reduce.?9999 ? ? none");
    CHECK(print(instr{.op = opcode::add, .mt = mtype(9)}, 3) == "%3 = add ? none none");
}
