// The expansion of fast rows, and that other rows stay unchanged.
#include "tests/support/kernel_builder.hpp"
#include "jit/interpret/kernel_call_data.hpp"

#include "jit/interpret/interpret.hpp"
#include "jit/kernel_ir/opcodes.hpp"
#include "jit/kernel_ir/rows/ir_number.hpp"
#include "jit/kernel_ir/rows/primitive.hpp"

#include <sinter/error.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

using namespace sinter;
using namespace sinter::kernel_ir;
using namespace sinter::kernel_ir::testing;

namespace {

/// Returns the kernel with all rows over floats fast, or only those of one operation.
kernel made_fast(kernel k, int only = -1) {
    for (instr& i : k.body)
        i.fast = i.op == opcode::row && isFloatingType(i.in) && (only < 0 || i.row == only);
    return k;
}

int64_t count(const kernel& k, opcode op, domain dom = domain::element) {
    return std::count_if(k.body.begin(), k.body.end(),
                         [&](const instr& i) { return i.op == op && i.dom == dom; });
}

/// Returns row(a * b, c), or row(c, a * b).
kernel with_product(op::id row, bool first, ScalarType type = kFloat) {
    kernel_builder b;
    const value_id x = b.load(type), y = b.load(type), z = b.load(type);
    const value_id product = b.row(op::mul, type, {x, y});
    b.store(first ? b.row(row, type, {product, z}) : b.row(row, type, {z, product}));
    return b.get();
}

double run(const kernel& k, double x, double y, double z) {
    kernel_call_data data(k, 1, 1, 1);
    const ScalarType type = k.operands[0].type;
    const double numbers[] = {x, y, z};
    for (std::size_t i = 0; i < 3; ++i)
        data.set_element(i, 0, 0,
                         type == kDouble ? bits_of(numbers[i])
                         : type == kHalf ? Half::from_float(static_cast<float>(numbers[i]))
                                         : bits_of(static_cast<float>(numbers[i])));
    interpret(k, data.call());
    const uint64_t bits = data.element(3, 0, 0);
    return type == kDouble ? value_of<double>(bits)
           : type == kHalf ? static_cast<double>(value_of<float>(widened(kHalf, bits)))
                           : static_cast<double>(value_of<float>(bits));
}

}  // namespace

TEST_CASE("fast rows: a product that is added or subtracted rounds once") {
    // (1 + e)(1 - e) is 1 - e^2, which only an fma distinguishes from 1.
    for (ScalarType type : {kFloat, kDouble}) {
        const double e = type == kDouble ? 0x1p-30 : 0x1p-14;
        const double square = e * e;
        struct sample {
            op::id row;
            bool first;
            double c, result;
        };
        for (const sample& s :
             {sample{op::add, true, -1, -square}, sample{op::add, false, -1, -square},
              sample{op::sub, true, 1, -square}, sample{op::sub, false, 1, square},
              sample{op::rsub, true, 1, square}, sample{op::rsub, false, 1, -square}}) {
            CAPTURE(op::rows[s.row].name);
            CAPTURE(s.first);
            const kernel k = with_product(s.row, s.first, type);
            CHECK(run(k, 1 + e, 1 - e, s.c) == 0);
            CHECK(run(made_fast(k), 1 + e, 1 - e, s.c) == s.result);
            CHECK(count(decompose(made_fast(k)), opcode::mul) == 0);
            // Both must be fast.
            CHECK(run(made_fast(k, op::mul), 1 + e, 1 - e, s.c) == 0);
            CHECK(run(made_fast(k, s.row), 1 + e, 1 - e, s.c) == 0);
        }
    }
}

TEST_CASE("fast rows: a product in another type is rounded first") {
    kernel_builder b;
    const value_id x = b.load(kFloat), y = b.load(kFloat), z = b.load(kDouble);
    b.store(b.row(op::add, kDouble, {b.row(op::mul, kFloat, {x, y}), z}));
    const kernel p = decompose(made_fast(b.get()));
    CHECK(count(p, opcode::fma) == 0);
    CHECK(count(p, opcode::mul) == 1);
}

TEST_CASE("fast rows: a square, and a product that others read too") {
    kernel_builder b;
    const value_id x = b.load(kFloat), y = b.load(kFloat);
    const value_id square = b.row(op::square, kFloat, {x});
    b.store(b.row(op::add, kFloat, {square, y}));
    b.store(square);
    const kernel p = decompose(made_fast(b.get()));
    CHECK(count(p, opcode::fma) == 1);
    CHECK(count(p, opcode::mul) == 1);
    CHECK(count(p, opcode::add) == 0);
}

TEST_CASE("fast rows: a division by one number a row is a product") {
    kernel_builder b;
    const value_id x = b.load(kFloat), y = b.load(kFloat), s = b.scalar(kFloat);
    b.store(b.row(op::div, kFloat, {x, s}));
    b.store(b.row(op::div, kFloat, {x, y}));
    const kernel k = b.get(), p = decompose(made_fast(k));
    CHECK(count(p, opcode::div) == 1);
    CHECK(count(p, opcode::div, domain::row) == 1);
    CHECK(count(decompose(k), opcode::div) == 2);
}

TEST_CASE("fast rows: Half is rounded where it is stored") {
    // 2048 + 1 is 2048 in Half, and 2049 - 2048 is 1.
    kernel_builder b;
    const value_id x = b.load(kHalf), y = b.load(kHalf), z = b.load(kHalf);
    b.store(b.row(op::sub, kHalf, {b.row(op::add, kHalf, {x, y}), z}));
    const kernel k = b.get();
    CHECK(run(k, 2048, 1, 2048) == 0);
    CHECK(run(made_fast(k), 2048, 1, 2048) == 1);
    // A row that is not fast reads the value rounded to Half.
    CHECK(run(made_fast(k, op::add), 2048, 1, 2048) == 0);
    CHECK(run(made_fast(with_product(op::mul, true, kHalf)), 0.333, 3, 1) == Half(0.333f * 3));
}

TEST_CASE("fast rows: the flag is part of a kernel's bytes, and of nothing but rows over floats") {
    const kernel k = with_product(op::add, true), fast = made_fast(k);
    CHECK(serialize(k) != serialize(fast));
    const std::vector<uint8_t> bytes = serialize(fast);
    CHECK(deserialize(bytes.data(), bytes.size()) == fast);
    CHECK(print(fast).find("fast.mul") != std::string::npos);
    kernel wrong = k;
    wrong.body[0].fast = true;  // a load
    CHECK_THROWS_AS(verify(wrong), InternalError);
    wrong = with_product(op::add, true, kInt);
    for (instr& i : wrong.body) i.fast = i.op == opcode::row;
    CHECK_THROWS_AS(verify(wrong), InternalError);
}
