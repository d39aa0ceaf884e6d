// Checks the rules of kernel_ir.hpp. Runs after every stage that makes a kernel, in all tests.
#include "jit/kernel_ir/opcodes.hpp"
#include "jit/kernel_ir/print.hpp"
#include "jit/kernel_ir/schedule.hpp"
#include "runtime/base/fail.hpp"

#include <sinter/error.hpp>
#include <sinter/math/tables/tables.hpp>

#include <algorithm>
#include <cstring>

namespace sinter::kernel_ir {

namespace {

bool fits(uint64_t bits, mtype t) { return bit_width(t) == 64 || bits >> bit_width(t) == 0; }

[[noreturn]] void refuse(const std::string& what) { runtime::bug("kernel_ir", what); }

std::string str(const char* text) { return text; }

/// Kernels compute on the real and imaginary parts, so complex types are not allowed.
bool computes_in(ScalarType type) { return is_supported(type) && !isComplexType(type); }

/// Returns true if `rule` allows a row to be computed in `in`.
bool allowed(dtype_rule rule, ScalarType in) {
    switch (rule) {
        case dtype_rule::any:
        case dtype_rule::matched:
        case dtype_rule::test:
        case dtype_rule::choice: return true;
        case dtype_rule::numeric:
        case dtype_rule::power: return in != kBool;
        case dtype_rule::floating:
        case dtype_rule::real: return isFloatingType(in);
        case dtype_rule::wide: return in == kFloat || in == kDouble;
        case dtype_rule::logical: return in == kBool;
        case dtype_rule::bitwise: return isIntegralType(in, true);
        case dtype_rule::shift:
        case dtype_rule::whole: return isIntegralType(in, false);
        case dtype_rule::random: return in == kLong;
    }
    return false;
}

class verifier {
public:
    /// At primitive level the last reduction may have been removed because a formula did not need
    /// it.
    explicit verifier(const kernel& k)
        : k_(k),
          has_rows_(k.has_reduction() || k.primitive),
          stores_(k.operands.size(), none),
          kept_(k.operands.size(), none) {}

    void run() {
        check_arguments();
        std::vector<int> stored(k_.operands.size(), 0);
        for (at_ = 0; at_ < static_cast<value_id>(k_.body.size()); at_++) {
            const instr& i = here();
            check_form(i);
            check_values(i);
            if (k_.primitive && info(i.op).at == level::primitive) {
                check_primitive(i);
            } else {
                check_instruction(i);
            }
            check_domain(i);
            if (i.op == opcode::load) check_kept(i);
            if (i.op != opcode::store) continue;
            const auto target = static_cast<std::size_t>(i.a);
            const int most = kept_[target] == none ? 1 : 2;
            if (++stored[target] > most)
                fail("operand @" + std::to_string(i.a) + " is stored to twice");
            stores_[target] = at_;
        }
        check_stages();
    }

private:
    const instr& here() const { return k_.body[static_cast<std::size_t>(at_)]; }
    const instr& value(value_id v) const { return k_.body[static_cast<std::size_t>(v)]; }

    [[noreturn]] void fail(const std::string& what) const {
        refuse("`" + print(here(), at_) + "`: " + what);
    }
    /// Takes literals only: building a message would cost time for every instruction.
    void require(bool ok, const char* what) const {
        if (!ok) fail(what);
    }
    void expect(const char* what, const char* got, const char* expected) const {
        if (std::strcmp(got, expected) != 0)
            fail(str("the ") + what + " is wrong; got " + got + ", expected " + expected);
    }

    void check_arguments() const {
        for (std::size_t i = 0; i < k_.operands.size(); i++) {
            const operand& o = k_.operands[i];
            const std::string who = "operand @" + std::to_string(i);
            if (o.use > role::index) refuse(who + " has no role");
            if (o.lane > stride_class::across) refuse(who + " has no stride class");
            if (o.lane == stride_class::across &&
                (o.use != role::input || k_.along != lanes::element || k_.has_reduction()))
                refuse(who + " is read across lanes, which this kernel cannot do");
            if (!computes_in(o.type)) refuse(who + " has an unsupported type");
            if (o.use == role::index && o.type != kLong) {
                refuse(who + " is an index of the wrong type; got " + name_of(o.type) +
                       ", expected Long");
            }
        }
        for (std::size_t i = 0; i < k_.scalars.size(); i++) {
            if (k_.scalars[i] > mtype::f64) refuse("scalar #" + std::to_string(i) + " has no type");
        }
        if (k_.extent < 0 || (k_.extent != 0 && k_.form == row_form::runs))
            refuse("the kernel has no rows of that extent");
        for (std::size_t i = 0; i < k_.known.size(); i++) {
            const known_scalar& s = k_.known[i];
            const std::string who = "scalar #" + std::to_string(s.number);
            if (s.number < 0 || static_cast<std::size_t>(s.number) >= k_.scalars.size() ||
                (i > 0 && k_.known[i - 1].number >= s.number))
                refuse(who + " is known, but out of order");
            if (!fits(s.bits, k_.scalars[static_cast<std::size_t>(s.number)]))
                refuse(who + " is known with bits outside its type");
        }
        if (k_.along > lanes::row) refuse("the kernel has an unknown lane dimension");
        if (k_.form > row_form::few) refuse("the kernel has an unknown row form");
        const lanes along = k_.form == row_form::few ? lanes::row : lanes::element;
        if (k_.form != row_form::any && (k_.along != along || !k_.has_reduction()))
            refuse("the kernel has no rows of that form");
    }

    /// Checks the rules of every instruction: level, types, and defaults in the fields that its
    /// opcode does not use.
    void check_form(const instr& i) const {
        require(is_opcode(i.op), "the opcode does not exist");
        const level at = info(i.op).at;
        require(at == level::both || (at == level::primitive) == k_.primitive,
                k_.primitive ? "a row-level opcode is in a primitive kernel"
                             : "a primitive opcode is in a row-level kernel");
        require(i.dom <= domain::element, "the domain does not exist");
        require(computes_in(i.type), "the result has an unsupported type");
        expect("machine type of the result", name_of(i.mt), name_of(compute_type(i.type)));

        const bool has_row =
            i.op == opcode::row || i.op == opcode::reduce || i.op == opcode::lookup;
        require(has_row || i.row == 0, "`row` is set but not used");
        const bool has_in = i.op == opcode::row || i.op == opcode::cast || i.op == opcode::reduce;
        if (has_in) {
            require(computes_in(i.in), "`in` is not a supported type");
        } else {
            require(i.in == ScalarType::Undefined, "`in` is set but not used");
        }
        const bool has_in_mt = at == level::primitive && i.op != opcode::constant;
        require(i.in_mt <= mtype::f64, "`in_mt` is not a machine type");
        require(has_in_mt || i.in_mt == mtype{}, "`in_mt` is set but not used");
        require(i.op == opcode::constant || i.op == opcode::guard || i.imm == 0,
                "`imm` is set but not used");
        require(!i.fast || (i.op == opcode::row && isFloatingType(i.in)),
                "`fast` is set but not used");
        if (i.op == opcode::row) require(i.row < op::count, "the row does not exist");
        if (i.op == opcode::reduce) {
            require(i.row < static_cast<uint16_t>(op::reduction::count),
                    "the reduction does not exist");
        }
    }

    void check_values(const instr& i) const {
        const uint8_t slots = value_slots(i);
        const bool argument = i.op == opcode::load || i.op == opcode::index ||
                              i.op == opcode::scalar || i.op == opcode::store;
        check_value("a", i.a, slots & slot_a, argument);
        check_value("b", i.b, slots & slot_b, false);
        check_value("c", i.c, slots & slot_c, false);
    }
    void check_value(const char* slot, value_id v, bool used, bool argument) const {
        if (!used) {
            if (!argument && v != none) fail(str("`") + slot + "` is set but not used");
            return;
        }
        if (v < 0 || v >= at_)
            fail(str("operand ") + slot + " is not defined before; got %" + std::to_string(v) +
                 ", expected a value below %" + std::to_string(at_));
        if (value(v).op == opcode::store) fail(str("operand ") + slot + " is a store, not a value");
    }

    void check_instruction(const instr& i) const {
        switch (i.op) {
            case opcode::load: check_load(i); break;
            case opcode::index: check_operand(i, role::index); break;
            case opcode::scalar: check_scalar(i); break;
            case opcode::reduce: check_reduce(i); break;
            case opcode::store: check_store(i); break;
            case opcode::cast: check_type_of(i.a, i.in, "source type of the cast"); break;
            case opcode::row: check_row(i); break;
            default: fail("the opcode has no rule");
        }
    }

    void check_operand(const instr& i, role use) const {
        if (i.a < 0 || static_cast<std::size_t>(i.a) >= k_.operands.size())
            fail("operand @" + std::to_string(i.a) + " does not exist");
        const operand& o = k_.operands[static_cast<std::size_t>(i.a)];
        if (o.use != use) fail("operand @" + std::to_string(i.a) + " has the wrong role");
        expect("type of the operand", name_of(o.type), name_of(i.type));
    }

    void check_load(const instr& i) const {
        const bool known = i.a >= 0 && static_cast<std::size_t>(i.a) < k_.operands.size();
        const bool kept = known && stores_[static_cast<std::size_t>(i.a)] != none;
        check_operand(i, kept ? role::output : role::input);
    }

    /// Checks that a kept value is an element value in a type that a store and a load leave
    /// unchanged.
    void check_kept(const instr& i) {
        const value_id store = stores_[static_cast<std::size_t>(i.a)];
        if (store == none) return;
        require(i.dom == domain::element && value(store).dom == domain::element,
                "an output can keep element values only");
        require(!is_narrow(i.type), "a narrow type cannot keep the value exactly");
        value_id& kept = kept_[static_cast<std::size_t>(i.a)];
        if (kept != none) fail("operand @" + std::to_string(i.a) + " is loaded twice");
        kept = store;
    }

    /// Checks that a later store overwrites a kept value only in the last stage that loads it.
    void check_stages() {
        if (std::all_of(kept_.begin(), kept_.end(), [](value_id v) { return v == none; })) return;
        const schedule order = make_schedule(k_);
        const auto stage_of = [&](value_id v) {
            return order.stage_of[static_cast<std::size_t>(v)];
        };
        for (at_ = 0; at_ < static_cast<value_id>(k_.body.size()); at_++) {
            const bool loads = here().op == opcode::load;
            if (!loads || kept_[static_cast<std::size_t>(here().a)] == none) continue;
            const value_id last = stores_[static_cast<std::size_t>(here().a)];
            if (last == kept_[static_cast<std::size_t>(here().a)]) continue;
            require(value(last).dom == domain::element,
                    "a row value is stored over a kept element value");
            for (std::size_t s = 0; s < order.stages.size(); s++) {
                const std::vector<value_id>& elements = order.stages[s].elements;
                if (static_cast<int32_t>(s) <= stage_of(last)) continue;
                require(std::find(elements.begin(), elements.end(), at_) == elements.end(),
                        "a stage loads a value that an earlier stage overwrote");
            }
        }
    }

    void check_scalar(const instr& i) const {
        if (i.a < 0 || static_cast<std::size_t>(i.a) >= k_.scalars.size())
            fail("scalar #" + std::to_string(i.a) + " does not exist");
        expect("machine type of the scalar", name_of(k_.scalars[static_cast<std::size_t>(i.a)]),
               name_of(i.mt));
    }

    /// Checks the logical type of value `v`. Primitives keep only machine types, but narrow types
    /// stay distinct.
    void check_type_of(value_id v, ScalarType expected, const char* what) const {
        const ScalarType got = value(v).type;
        if (k_.primitive && !is_narrow(expected)) {
            expect(what, name_of(value(v).mt), name_of(compute_type(expected)));
        } else {
            expect(what, name_of(got), name_of(expected));
        }
    }

    void check_store(const instr& i) const {
        check_operand(i, role::output);
        require(k_.form != row_form::runs || i.dom == domain::row,
                "elements are stored in rows that are walked run by run");
        check_type_of(i.b, i.type, "type of the stored value");
        const operand& o = k_.operands[static_cast<std::size_t>(i.a)];
        const bool one_a_row = i.dom == domain::row && k_.along == lanes::element;
        require(one_a_row || o.lane != stride_class::zero,
                "lanes would store to one address; got stride class zero");
    }

    void check_reduce(const instr& i) const {
        const op::reduction_info& r = op::reductions[i.row];
        // At primitive level a Half that was cast to Float is still the same value, of type Half.
        if (k_.primitive) {
            expect("reduced machine type", name_of(value(i.a).mt), name_of(compute_type(i.in)));
        } else {
            check_type_of(i.a, i.in, "reduced type");
        }
        ScalarType result = i.in;
        switch (r.result) {
            case op::reduction_result::sum:
                if (isIntegralType(i.in, true)) result = kLong;
                break;
            case op::reduction_result::same: break;
            case op::reduction_result::floating:
                if (!isFloatingType(i.in))
                    fail(str("the reduction takes floats only; got ") + name_of(i.in));
                break;
            case op::reduction_result::boolean: result = kBool; break;
            case op::reduction_result::index: result = kLong; break;
        }
        expect("result type of the reduction", name_of(i.type), name_of(result));
        if (i.b == none) return;
        expect("machine type of the reduction's parameter", name_of(value(i.b).mt),
               name_of(accumulator_type(i.row, i.in)));
    }

    void check_row(const instr& i) const {
        const op::row_info& r = op::rows[i.row];
        if (!allowed(r.rule, i.in))
            fail(str("the row does not take operands of this type; got ") + name_of(i.in));
        switch (r.rule) {
            case dtype_rule::test:
            case dtype_rule::logical: expect("result type", name_of(i.type), "Bool"); break;
            case dtype_rule::random: check_random(i); break;
            default: expect("result type", name_of(i.type), name_of(i.in));
        }
    }

    void check_random(const instr& i) const {
        if (i.row == op::philox_bits) {
            expect("result type", name_of(i.type), "Long");
        } else if (!isFloatingType(i.type)) {
            fail(str("the result type is wrong; got ") + name_of(i.type) + ", expected a float");
        }
    }

    void check_domain(const instr& i) const {
        switch (i.op) {
            case opcode::load:
            case opcode::index:
                require(has_rows_ || i.dom == domain::element,
                        "a row value is in a kernel without reductions");
                return;
            case opcode::scalar:
            case opcode::constant: expect("domain", name_of(i.dom), "row"); return;
            case opcode::reduce:
                expect("domain", name_of(i.dom), "row");
                if (i.b != none) expect("domain of the parameter", name_of(value(i.b).dom), "row");
                return;
            case opcode::store:
                require(has_rows_ || i.dom == domain::element,
                        "a row store is in a kernel without reductions");
                if (i.dom == domain::row) {
                    expect("domain of the value that is stored once a row", name_of(value(i.b).dom),
                           "row");
                }
                return;
            default: break;
        }
        domain joined = domain::row;
        for_each_value(i, [&](value_id v) {
            if (value(v).dom == domain::element) joined = domain::element;
        });
        expect("domain", name_of(i.dom), name_of(joined));
    }

    // ---- primitives

    void require_value(const char* slot, value_id v, mtype t) const {
        if (value(v).mt != t) {
            fail(str("the machine type of ") + slot + " is wrong; got " + name_of(value(v).mt) +
                 ", expected " + name_of(t));
        }
    }
    void require_in(const instr& i, bool ok, const char* expected) const {
        if (!ok) {
            fail(str("the operand's machine type is wrong; got ") + name_of(i.in_mt) +
                 ", expected " + expected);
        }
    }
    void require_result(const instr& i, mtype t) const {
        expect("machine type of the result", name_of(i.mt), name_of(t));
    }

    void check_primitive(const instr& i) const {
        // Every f32 result is a Float unless it was rounded.
        if (i.op == opcode::narrow)
            require(is_narrow(i.type), "only narrow types need this opcode");
        else
            expect("logical type of the result", name_of(i.type), name_of(logical_type(i.mt)));
        check_primitive_types(i);
        if (i.op == opcode::select || i.op == opcode::rare) {
            require_value("operand a", i.a, mtype::b1);
            require_value("operand b", i.b, i.in_mt);
            require_value("operand c", i.c, i.in_mt);
        } else if (i.op == opcode::guard) {
            require_value("operand a", i.a, mtype::b1);
            require_value("operand b", i.b, i.mt);
        } else {
            for_each_value(i, [&](value_id v) { require_value("an operand", v, i.in_mt); });
        }
    }

    void check_primitive_types(const instr& i) const {
        const mtype t = i.in_mt;
        switch (i.op) {
            case opcode::constant:
                require(fits(i.imm, i.mt), "the constant has bits outside its type");
                return;
            case opcode::add:
            case opcode::sub:
            case opcode::mul:
            case opcode::neg:
            case opcode::abs:
                require_in(i, t != mtype::b1, "a number");
                require_result(i, t);
                return;
            case opcode::div:
            case opcode::fma:
            case opcode::sqrt:
            case opcode::floor:
            case opcode::ceil:
            case opcode::trunc:
            case opcode::rint:
                require_in(i, is_float(t), "a float");
                require_result(i, t);
                return;
            case opcode::idiv:
            case opcode::irem:
            case opcode::shl:
            case opcode::shr:
            case opcode::lshr:
                require_in(i, is_integer(t), "an integer");
                require_result(i, t);
                return;
            case opcode::and_:
            case opcode::or_:
            case opcode::xor_:
            case opcode::not_:
                require_in(i, !is_float(t), "an integer or b1");
                require_result(i, t);
                return;
            case opcode::eq:
            case opcode::ne:
            case opcode::lt:
            case opcode::le:
            case opcode::gt:
            case opcode::ge: require_result(i, mtype::b1); return;
            case opcode::select:
            case opcode::rare: require_result(i, t); return;
            case opcode::bits:
                require_in(i, is_float(t), "a float");
                require_result(i, t == mtype::f32 ? mtype::i32 : mtype::i64);
                return;
            case opcode::from_bits:
                require_in(i, t == mtype::i32 || t == mtype::i64, "i32 or i64");
                require_result(i, t == mtype::i32 ? mtype::f32 : mtype::f64);
                return;
            case opcode::convert:
                require(i.mt != mtype::b1, "a conversion to b1 must be a comparison with zero");
                require(i.mt != t, "the conversion does not change the type");
                return;
            case opcode::narrow:
                require_in(i, t == compute_type(i.type), name_of(compute_type(i.type)));
                require_result(i, t);
                return;
            case opcode::mulhi_u32:
                require_in(i, t == mtype::i32, "i32");
                require_result(i, mtype::i32);
                return;
            case opcode::lookup:
                require_in(i, t == mtype::i32, "i32");
                require(i.row < static_cast<uint16_t>(math::table::count),
                        "the table does not exist");
                require_result(i, math::tables[i.row].is_double ? mtype::f64 : mtype::f32);
                return;
            case opcode::guard: require_in(i, t == mtype::b1, "b1"); return;
            default: fail("the opcode has no rule");
        }
    }

    const kernel& k_;
    const bool has_rows_;
    std::vector<value_id> stores_;  // per operand: the last store before `at_`, or none
    std::vector<value_id> kept_;    // per operand: the store whose value is loaded, or none
    value_id at_ = 0;
};

}  // namespace

bool kernel::has_reduction() const {
    for (const instr& i : body) {
        if (i.op == opcode::reduce) return true;
    }
    return false;
}

bool kernel::keeps_values() const {
    return std::any_of(body.begin(), body.end(), [&](const instr& i) {
        return i.op == opcode::load && operands[static_cast<std::size_t>(i.a)].use == role::output;
    });
}

void verify(const kernel& k) { verifier(k).run(); }

}  // namespace sinter::kernel_ir
