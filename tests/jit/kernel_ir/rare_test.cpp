// The instructions that only a rare choice needs.
#include "jit/kernel_ir/rows/rare.hpp"

#include <doctest/doctest.h>

using namespace sinter;
using namespace sinter::kernel_ir;

namespace {

instr make(opcode op, value_id a = none, value_id b = none, value_id c = none) {
    return {.op = op, .mt = mtype::f32, .in_mt = mtype::f32, .a = a, .b = b, .c = c};
}

/// x < x ? (x x) + x : x - x, stored.
std::vector<instr> choice() {
    return {make(opcode::load, 0),    make(opcode::lt, 0, 0),  make(opcode::mul, 0, 0),
            make(opcode::add, 2, 0),  make(opcode::sub, 0, 0), make(opcode::rare, 1, 3, 4),
            make(opcode::store, 1, 5)};
}

}  // namespace

TEST_CASE("rare owners: what only the first operand needs") {
    CHECK(rare_owners(choice()) == std::vector<value_id>{none, none, 5, 5, none, none, none});
}

TEST_CASE("rare owners: nothing that the other operand, the condition or a store needs too") {
    auto shared = choice();
    shared[4].a = 2;
    CHECK(rare_owners(shared) == std::vector<value_id>{none, none, none, 5, none, none, none});
    auto condition = choice();
    condition[5].b = 1;
    CHECK(rare_owners(condition)[1] == none);
    auto stored = choice();
    stored.push_back(make(opcode::store, 2, 3));
    CHECK(rare_owners(stored)[3] == none);
    CHECK(rare_owners(stored)[2] == none);
}

TEST_CASE("rare owners: a choice within a choice belongs to the outer one") {
    auto nested = choice();
    nested[3] = make(opcode::rare, 1, 2, 0);
    CHECK(rare_owners(nested) == std::vector<value_id>{none, none, 5, 5, none, none, none});
}

TEST_CASE("rare owners: values of a row are no element's") {
    auto uniform = choice();
    uniform[2].dom = domain::row;
    CHECK(rare_owners(uniform)[2] == none);
}
