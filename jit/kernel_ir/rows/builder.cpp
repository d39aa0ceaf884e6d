#include "jit/kernel_ir/rows/builder.hpp"

#include "jit/kernel_ir/opcodes.hpp"
#include "runtime/base/fail.hpp"

#include <sinter/error.hpp>

#include <utility>

namespace sinter::kernel_ir {

namespace {
thread_local builder* current_builder = nullptr;
}

std::size_t builder::hash::operator()(const instr& i) const {
    uint64_t h = static_cast<uint64_t>(i.op) | static_cast<uint64_t>(i.type) << 8 |
                 static_cast<uint64_t>(i.in) << 16 | static_cast<uint64_t>(i.mt) << 24 |
                 static_cast<uint64_t>(i.in_mt) << 32 | static_cast<uint64_t>(i.dom) << 40 |
                 static_cast<uint64_t>(i.fast) << 44 | static_cast<uint64_t>(i.row) << 48;
    const auto mix = [&](uint64_t word) {
        h = (h ^ word) * 0x9e3779b97f4a7c15;
        h ^= h >> 29;
    };
    mix(static_cast<uint32_t>(i.a));
    mix(static_cast<uint32_t>(i.b));
    mix(static_cast<uint32_t>(i.c));
    mix(i.imm);
    return h;
}

value_id builder::emit(instr i) {
    if (info(i.op).at == level::primitive) {
        i.dom = domain::row;
        for_each_value(i, [&](value_id v) {
            if (at(v).dom == domain::element) i.dom = domain::element;
        });
    }
    const auto id = static_cast<value_id>(body_.size());
    if (i.op != opcode::store) {
        const auto [known, added] = known_.try_emplace(i, id);
        const bool again = known->second < formula_ && i.dom == domain::element &&
                           info(i.op).at == level::primitive;
        if (!added && !again) return known->second;
        known->second = id;
    }
    body_.push_back(i);
    return id;
}

value_id builder::constant(mtype t, uint64_t bits) {
    return emit({.op = opcode::constant, .type = logical_type(t), .mt = t, .imm = bits});
}

std::vector<instr> builder::take_body() {
    known_.clear();
    return std::exchange(body_, {});
}

builder& builder::current() {
    if (!current_builder) runtime::bug("kernel_ir", "a formula is expanded outside a builder");
    return *current_builder;
}

building::building(builder& b) : outer_(std::exchange(current_builder, &b)) {}
building::~building() { current_builder = outer_; }

void reorder(std::vector<instr>& body, std::vector<value_id>& roots) {
    std::vector<value_id> moved(body.size(), none);
    std::vector<instr> ordered;
    std::vector<value_id> open;
    for (value_id root : roots) {
        open.push_back(root);
        while (!open.empty()) {
            const value_id v = open.back();
            instr i = body[static_cast<std::size_t>(v)];
            // Operands that are not placed yet come first, from left to right.
            value_id missing = none;
            for_each_value(i, [&](value_id u) {
                if (missing == none && moved[static_cast<std::size_t>(u)] == none) missing = u;
            });
            if (missing != none) {
                open.push_back(missing);
                continue;
            }
            open.pop_back();
            if (moved[static_cast<std::size_t>(v)] != none) continue;
            for_each_value(i, [&](value_id& u) { u = moved[static_cast<std::size_t>(u)]; });
            moved[static_cast<std::size_t>(v)] = static_cast<value_id>(ordered.size());
            ordered.push_back(i);
        }
    }
    body = std::move(ordered);
    for (value_id& v : roots) v = moved[static_cast<std::size_t>(v)];
}

}  // namespace sinter::kernel_ir
