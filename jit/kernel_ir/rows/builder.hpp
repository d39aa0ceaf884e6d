// Appends primitives in SSA order. Equal instructions are appended once, but the formulas of two
// rows share nothing that varies by element: see begin_formula().
#pragma once

#include "jit/kernel_ir/kernel_ir.hpp"

#include <unordered_map>

namespace sinter::kernel_ir {

class builder {
public:
    /// Appends `i` unless an equal instruction exists; returns its id. Primitives get their domain
    /// from their operands.
    value_id emit(instr i);
    value_id constant(mtype t, uint64_t bits);
    /// What follows shares no element primitives with what is there. If sin(x) and cos(x) shared
    /// their rare part, for large angles, it would belong to neither (rare.hpp) and be computed for
    /// all elements. What else they share would have to be kept from one to the other, which in a
    /// gradient is far away.
    void begin_formula() { formula_ = static_cast<value_id>(body_.size()); }

    const instr& at(value_id v) const { return body_[static_cast<std::size_t>(v)]; }
    const std::vector<instr>& body() const { return body_; }
    std::vector<instr> take_body();

    /// Returns the builder that formulas on this thread append to. Throws InternalError if there is
    /// none.
    static builder& current();

    /// What formulas take for V::brief() and V::fast() (math/algebra.hpp).
    bool brief = false, fast = false;

private:
    struct hash {
        std::size_t operator()(const instr& i) const;
    };

    std::vector<instr> body_;
    value_id formula_ = 0;
    std::unordered_map<instr, value_id, hash> known_;
};

/// While it lives, formulas on this thread append to `b`. A formula writes V(1) with no argument
/// that could name a builder, and the same text must compile for host numbers; so the builder is a
/// per-thread variable, restored by the destructor.
class building {
public:
    explicit building(builder& b);
    ~building();
    building(const building&) = delete;
    building& operator=(const building&) = delete;

private:
    builder* outer_;
};

/// Keeps what `roots` need and renumbers. Each value follows its operands and is placed as late as
/// the order of roots and operands allows. The C++ compiler may append the parts of a formula in
/// any order; this order is fixed.
void reorder(std::vector<instr>& body, std::vector<value_id>& roots);

}  // namespace sinter::kernel_ir
