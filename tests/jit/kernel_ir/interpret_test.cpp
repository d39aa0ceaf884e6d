// The interpreter: call modes, bounds, masks and statuses, memory forms of Bool and Half.
#include "tests/seed.hpp"
#include "jit/interpret/kernel_call_data.hpp"
#include "tests/support/random_kernel.hpp"

#include "jit/interpret/interpret.hpp"
#include "jit/kernel_ir/reduce_order.hpp"

#include <sinter/error.hpp>

#include <doctest/doctest.h>

using namespace sinter;
using namespace sinter::kernel_ir;
using namespace sinter::kernel_ir::testing;

namespace {

std::vector<operand_bounds> bounds_of(const kernel& k, const kernel_call_data& data) {
    std::vector<operand_bounds> bounds;
    for (std::size_t i = 0; i < k.operands.size(); i++) {
        bounds.push_back({data.bytes(i).lo, data.bytes(i).hi, data.bytes(i).alignment});
    }
    return bounds;
}

/// Runs one long row as several threads would: partial results, merged, then elements.
void run_in_parts(const interpreter& code, kernel_call call, int64_t chunks_a_call) {
    const int64_t chunks = chunk_count(call.n0);
    std::vector<uint64_t> row_values(code.row_value_count());
    call.row_values = row_values.data();
    const auto for_parts = [&](call_mode mode) {
        call.mode = mode;
        // Backwards, because the order of the parts must not matter.
        for (int64_t end = chunks; end > 0; end -= chunks_a_call) {
            call.chunk_begin = std::max<int64_t>(0, end - chunks_a_call);
            call.chunk_end = end;
            code.run(call);
        }
    };
    for (std::size_t s = 0; s < code.order().stages.size(); s++) {
        const stage& stage = code.order().stages[s];
        call.stage = static_cast<int64_t>(s);
        const partial_layout layout = make_partial_layout(code.primitives(), stage);
        std::vector<uint64_t> partials(static_cast<std::size_t>(layout.words * chunks));
        call.partials = partials.data();
        if (!stage.reduces.empty()) {
            for_parts(call_mode::partials);
            code.finish_stage(call, row_values.data());
        }
        if (!stage.stores.empty()) for_parts(call_mode::elements);
    }
    code.finish_row(call);
}

}  // namespace

TEST_CASE("interpret: parts of a long row give the bits of the whole") {
    int reducing = 0;
    for (int n = 0; n < test::cases(60); n++) {
        const uint64_t seed = test::seed() + static_cast<uint64_t>(n);
        CAPTURE(seed);
        const kernel k = random_kernel(seed, {.operations = 6, .reductions = 3});
        const interpreter code(k);
        reducing += code.row_value_count() > 0;
        const int64_t n0 = std::vector<int64_t>{0, 1, 4095, 4096, 4097, 12300}[seed % 6];
        kernel_call_data whole(k, 1, n0, seed), parts(k, 1, n0, seed);
        code.run(whole.call());
        run_in_parts(code, parts.call(), 1 + static_cast<int64_t>(seed % 2));
        CHECK(whole.difference(parts) == "");
        CHECK(parts.canaries_alive());
    }
    CHECK(reducing > 0);
}

TEST_CASE("interpret: a value kept in an output is the value") {
    for (ScalarType type : {kFloat, kDouble}) {
        kernel_builder b;
        const value_id x = b.load(type);
        const value_id top = b.reduce(op::reduction::amax, x);
        const value_id e = b.row(op::exp, type, {b.row(op::sub, type, {x, top})});
        b.store(b.row(op::div, type, {e, b.reduce(op::reduction::sum, e)}));
        const kernel plain = b.get(), kept = kept_softmax(type);
        for (int64_t n0 : {0, 1, 33, 4096, 4097, 12300}) {
            const uint64_t seed = test::seed() + static_cast<uint64_t>(n0);
            kernel_call_data expected(plain, 1, n0, seed), got(kept, 1, n0, seed),
                parts(kept, 1, n0, seed);
            make_finite(expected, plain, 1, n0, seed);
            make_finite(got, kept, 1, n0, seed);
            make_finite(parts, kept, 1, n0, seed);
            interpret(plain, expected.call());
            interpret(kept, got.call(), bounds_of(kept, got).data());
            run_in_parts(interpreter(kept), parts.call(), 2);
            CHECK(got.difference(expected) == "");
            CHECK(parts.difference(expected) == "");
            CHECK(got.canaries_alive());
        }
    }
}

TEST_CASE("interpret: lanes along rows or elements, the same bits; inside bounds; all levels") {
    for (int n = 0; n < test::cases(150); n++) {
        const uint64_t seed = test::seed() + static_cast<uint64_t>(n);
        CAPTURE(seed);
        const kernel k = random_kernel(seed);
        const int64_t n1 = static_cast<int64_t>(seed % 4), n0 = static_cast<int64_t>(seed % 37);
        kernel_call_data rows(k, n1, n0, seed), primitives(k, n1, n0, seed), other(k, n1, n0, seed);
        const std::vector<operand_bounds> bounds = bounds_of(k, rows);
        interpret(k, rows.call(), bounds.data());
        interpret(decompose(k), primitives.call());
        CHECK(rows.difference(primitives) == "");
        CHECK(rows.canaries_alive());
        kernel turned = k;
        turned.along = k.along == lanes::row ? lanes::element : lanes::row;
        for (operand& o : turned.operands) {
            if (o.lane == stride_class::zero || o.lane == stride_class::across)
                o.lane = stride_class::other;
        }
        interpret(turned, other.call());
        CHECK(rows.difference(other) == "");
    }
}

TEST_CASE("interpret: an access outside its view throws before it is made") {
    kernel_builder b;
    const value_id x = b.load(kFloat);
    b.store(b.row(op::neg, kFloat, {x}));
    const kernel k = b.get();
    kernel_call_data data(k, 1, 8, 1);
    std::vector<operand_bounds> bounds = bounds_of(k, data);
    interpret(k, data.call(), bounds.data());
    const auto message = [&] {
        try {
            interpret(k, data.call(), bounds.data());
        } catch (const InternalError& e) {
            return std::string(e.what());
        }
        return std::string("accepted");
    };
    bounds[0].hi -= 4;
    CHECK(message() ==
          "[interpret] `%0 = load Float @0` of row 0, element 7 is outside its view; this is a bug "
          "in Sinter, please report it");
    bounds = bounds_of(k, data);
    bounds[1].lo += 4;
    CHECK(message() ==
          "[interpret] `%2 = store Float @1 %1` of row 0, element 0 is outside its view; this is a "
          "bug in Sinter, please report it");
    bounds = bounds_of(k, data);
    bounds[0].alignment = 8;
    CHECK(message() ==
          "[interpret] `%0 = load Float @0` of row 0, element 1 is misaligned; this is a bug in "
          "Sinter, please report it");
}

TEST_CASE("interpret: a guard raises its status only for elements that run") {
    kernel_builder b;
    const value_id x = b.load(kInt), y = b.load(kInt);
    b.store(b.row(op::floor_divide, kInt, {x, y}));
    const kernel k = b.get();
    kernel_call_data data(k, 1, 4, 7);
    for (int64_t j = 0; j < 4; j++) data.set_element(1, 0, j, j == 3 ? 0 : 2);
    kernel_call call = data.call();
    call.n0 = 3;
    interpret(k, call);
    CHECK(data.status() == 0);
    call.n0 = 4;
    interpret(k, call);
    CHECK(data.status() == status_zero_division);
}

TEST_CASE("interpret: Bool is any byte but zero when read, one when written") {
    kernel_builder b;
    b.store(b.row(op::logical_or, kBool, {b.load(kBool), b.load(kBool)}));
    const kernel k = b.get();
    kernel_call_data data(k, 1, 3, 1);
    const uint64_t left[] = {0, 0x80, 0}, right[] = {0, 2, 255}, expected[] = {0, 1, 1};
    for (int64_t j = 0; j < 3; j++) {
        data.set_element(0, 0, j, left[j]);
        data.set_element(1, 0, j, right[j]);
    }
    interpret(k, data.call());
    for (int64_t j = 0; j < 3; j++) CHECK(data.element(2, 0, j) == expected[j]);
}

TEST_CASE("interpret: Half rounds after every operation, and a Half scalar is one") {
    kernel_builder b;
    const value_id x = b.load(kHalf), s = b.scalar(kHalf);
    b.store(b.row(op::sub, kHalf, {b.row(op::add, kHalf, {x, s}), s}));
    const kernel k = b.get();
    kernel_call_data data(k, 1, 1, 1);
    data.set_element(0, 0, 0, Half(1.0f).bits);
    data.scalar(0) = std::bit_cast<uint32_t>(4096.4f);  // 4096 as a Half
    interpret(k, data.call());
    CHECK(data.element(1, 0, 0) == Half(0.0f).bits);  // 4097 is no Half; the tie goes to 4096
}

TEST_CASE("interpret: an index counts without memory") {
    kernel_builder b;
    b.store(b.index());
    const kernel k = b.get();
    kernel_call_data data(k, 2, 3, 5);
    interpret(k, data.call());
    const operand_arg& a = data.arg(0);
    for (int64_t i = 0; i < 2; i++) {
        for (int64_t j = 0; j < 3; j++) {
            const auto base = static_cast<int64_t>(reinterpret_cast<intptr_t>(a.ptr));
            CHECK(static_cast<int64_t>(data.element(1, i, j)) == base + i * a.s1 + j * a.s0);
        }
    }
}

TEST_CASE("interpret: formulas that leave the algebra are bugs") {
    const auto run = [](instr i, ScalarType in, uint64_t bits) {
        kernel_builder b;
        b.load(in);
        kernel k = b.get();
        k.primitive = true;
        k.operands.push_back({role::output, i.type, stride_class::unit});
        i.dom = domain::element;
        i.a = 0;
        k.body.push_back(i);
        k.body.push_back({.op = opcode::store, .type = i.type, .mt = i.mt, .a = 1, .b = 1});
        kernel_call_data data(k, 1, 1, 1);
        data.set_element(0, 0, 0, bits);
        interpret(k, data.call());
    };
    const instr to_int{.op = opcode::convert, .type = kInt, .mt = mtype::i32, .in_mt = mtype::f32};
    CHECK_NOTHROW(run(to_int, kFloat, std::bit_cast<uint32_t>(-2147483648.0f)));
    CHECK_THROWS_AS(run(to_int, kFloat, std::bit_cast<uint32_t>(2147483648.0f)), InternalError);
    CHECK_THROWS_AS(run(to_int, kFloat, 0x7fc00000), InternalError);
    const instr look{.op = opcode::lookup, .type = kDouble, .mt = mtype::f64, .in_mt = mtype::i32};
    CHECK_NOTHROW(run(look, kInt, 0));
    CHECK_THROWS_AS(run(look, kInt, 0xffffffff), InternalError);
    const instr shift{
        .op = opcode::shl, .type = kInt, .mt = mtype::i32, .in_mt = mtype::i32, .b = 0};
    CHECK_NOTHROW(run(shift, kInt, 31));
    CHECK_THROWS_AS(run(shift, kInt, 32), InternalError);
}
