// Appends primitives in SSA order; an instruction that is there already is not appended again.
#pragma once

#include "jit/kernel_ir/kernel_ir.hpp"

#include <unordered_map>

namespace sinter::kernel_ir {

class builder {
public:
    /// Appends `i`, or finds its equal. Primitives get their domain from their operands.
    value_id emit(instr i);
    value_id constant(mtype t, uint64_t bits);

    const instr& at(value_id v) const { return body_[static_cast<std::size_t>(v)]; }
    const std::vector<instr>& body() const { return body_; }
    std::vector<instr> take_body();

    /// The one that formulas append to on this thread.
    static builder& current();

private:
    struct hash {
        std::size_t operator()(const instr& i) const;
    };

    std::vector<instr> body_;
    std::unordered_map<instr, value_id, hash> known_;
};

/// While it lives, formulas on this thread append to `b`. A formula writes V(1) with no argument
/// that could name a builder, and must read the same for host numbers; so the builder is ambient,
/// per thread, and put back on the way out.
class building {
public:
    explicit building(builder& b);
    ~building();
    building(const building&) = delete;
    building& operator=(const building&) = delete;

private:
    builder* outer_;
};

/// Keeps what `roots` need, each value after its operands and as late as the order of `roots` and
/// of operands has it, and renumbers. The order in which a formula appended its parts is the C++
/// compiler's choice; this one is not.
void reorder(std::vector<instr>& body, std::vector<value_id>& roots);

}  // namespace sinter::kernel_ir
