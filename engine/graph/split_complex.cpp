#include "engine/graph/split_complex.hpp"

#include "engine/graph/complex_rows.hpp"
#include "engine/graph/narrow_rows.hpp"

#include <algorithm>

namespace sinter::inline v1 {
namespace {

class splitter {
public:
    explicit splitter(const typed_program& p) : p_(p), to_(p.scalars.size()) {}

    void run() {
        for (const typed_op& o : p_.ops) {
            to_.origin = o.origin;
            values_.push_back(split(o));
        }
    }

    parts_builder& built() { return to_; }
    complex_parts result() {
        const auto last = static_cast<int32_t>(p_.ops.size()) - 1;
        if (isComplexType(p_.ops.back().out)) return operand(last, p_.ops.back().out);
        return {whole(last), -1};
    }

private:
    const typed_op& op(int32_t k) const { return p_.ops[static_cast<std::size_t>(k)]; }

    complex_parts split(const typed_op& o) {
        const ScalarType part = toRealValueType(o.out);
        switch (o.what) {
            case typed_op::kind::leaf:
                if (!isComplexType(o.out)) return {to_.add(o), -1};
                return {read(o, part, 0), read(o, part, 1)};
            case typed_op::kind::scalar: return {};  // typed by its users
            case typed_op::kind::cast: return cast(o);
            case typed_op::kind::part: {
                const complex_parts z = operand(o.args[0], o.in);
                return {o.id == 0 ? z.re : z.im, -1};
            }
            case typed_op::kind::join:
                return {converted(whole(o.args[0]), part), converted(whole(o.args[1]), part)};
            case typed_op::kind::row: return row(o);
        }
        return {};
    }

    int32_t read(typed_op leaf, ScalarType type, uint8_t part) {
        leaf.in = leaf.out = type;
        leaf.part = part;
        return to_.add(leaf);
    }

    complex_parts cast(const typed_op& o) {
        const bool from = isComplexType(op(o.args[0]).out), to = isComplexType(o.out);
        if (to) return operand(o.args[0], o.out);
        if (!from) {
            typed_op same = o;
            same.args[0] = whole(o.args[0]);
            return {to_.add(same), -1};
        }
        const complex_parts z = operand(o.args[0], o.in);
        if (o.out == kBool) return {truth_of(to_, toRealValueType(o.in), z), -1};
        return {converted(z.re, o.out), -1};
    }

    complex_parts row(const typed_op& o) {
        const int arity = op::rows[o.id].arity;
        const bool complex = isComplexType(o.in);
        complex_parts args[3];
        for (int i = 0; i < arity; ++i) {
            const bool condition = op::rows[o.id].rule == dtype_rule::choice && i == 0;
            args[i] = complex && !condition ? operand(o.args[i], o.in)
                                            : complex_parts{as_real(o.args[i]), -1};
        }
        if (complex) return expand_row(to_, static_cast<op::id>(o.id), toRealValueType(o.in), args);
        if (is_narrow_formula(o)) {
            for (complex_parts& a : args) a.re = a.re < 0 ? a.re : cast_to(a.re, o.in);
            return {narrow_nextafter(to_, o.in, args[0].re, args[1].re), -1};
        }
        typed_op same = o;
        for (int i = 0; i < arity; ++i) same.args[i] = args[i].re;
        return {to_.add(same), -1};
    }

    /// Returns an operand of a row that takes real operands; a complex value becomes its truth.
    int32_t as_real(int32_t k) {
        if (!isComplexType(op(k).out)) return whole(k);
        return truth_of(to_, toRealValueType(op(k).out), operand(k, op(k).out));
    }

    /// Returns a value that is real.
    int32_t whole(int32_t k) {
        if (op(k).what != typed_op::kind::scalar) return values_[static_cast<std::size_t>(k)].re;
        return to_.add(op(k));
    }

    /// Returns both parts of a value as complex dtype `as`. The imaginary part of a real value is
    /// 0.
    complex_parts operand(int32_t k, ScalarType as) {
        const ScalarType type = toRealValueType(as);
        const typed_op& o = op(k);
        if (o.what == typed_op::kind::scalar) {
            typed_op number = o;
            if (isComplexType(o.out)) number.in = number.out = kDouble;
            const int32_t re = to_.add(number);
            if (!isComplexType(o.out)) return {converted(re, type), to_.constant(0)};
            number.part = 1;
            return {converted(re, type), converted(to_.add(number), type)};
        }
        const complex_parts z = values_[static_cast<std::size_t>(k)];
        return {converted(z.re, type), z.im < 0 ? to_.constant(0) : converted(z.im, type)};
    }

    int32_t converted(int32_t k, ScalarType to) {
        const typed_op& o = to_.ops[static_cast<std::size_t>(k)];
        return o.what == typed_op::kind::scalar ? k : cast_to(k, to);
    }
    int32_t cast_to(int32_t k, ScalarType to) {
        const typed_op& o = to_.ops[static_cast<std::size_t>(k)];
        if (o.out == to) return k;
        return to_.add({typed_op::kind::cast, 0, o.out, to, {k, -1, -1}, 0});
    }

    const typed_program& p_;
    parts_builder to_;
    std::vector<complex_parts> values_;  // per operation of the program
};

}  // namespace

void split_complex(typed_program& p) {
    p.results[0] = static_cast<int32_t>(p.ops.size()) - 1;
    p.results[1] = -1;
    const bool stays = std::none_of(p.ops.begin(), p.ops.end(), [](const typed_op& o) {
        return isComplexType(o.in) || isComplexType(o.out) || is_narrow_formula(o);
    });
    if (stays) return;
    splitter s(p);
    s.run();
    const complex_parts result = s.result();
    p.results[0] = result.re;
    p.results[1] = result.im;
    p.ops = std::move(s.built().ops);
    p.constants = std::move(s.built().constants);
    p.operations =
        static_cast<uint32_t>(std::count_if(p.ops.begin(), p.ops.end(), [](const typed_op& o) {
            return o.what == typed_op::kind::row || o.what == typed_op::kind::cast;
        }));
}

}  // namespace sinter::inline v1
