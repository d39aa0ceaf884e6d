#include "jit/kernel_ir/rows/fast_rows.hpp"

#include "jit/kernel_ir/rows/ir_number.hpp"

#include <sinter/op/op.hpp>

namespace sinter::kernel_ir {

const fast_rows::product* fast_rows::product_in(value_id v, const instr& by) const {
    const product& p = factors_[at(v)];
    return p.a != none && k_.body[at(v)].type == by.in ? &p : nullptr;
}

template <class T>
value_id fast_rows::expand_in(value_id v, const value_id* args) {
    using V = ir<T>;
    const instr& i = k_.body[at(v)];
    // a + b, a - b and b - a are treated as left + right or left - right.
    value_id left = i.a, right = i.b;
    V x = V::at(args[0]), y = i.b == none ? V::at(args[0]) : V::at(args[1]);
    switch (static_cast<op::id>(i.row)) {
        case op::mul: factors_[at(v)] = {x.id, y.id}; return none;
        case op::square: factors_[at(v)] = {x.id, x.id}; return none;
        case op::div: {
            const bool once_a_row = i.dom == domain::element && k_.body[at(i.b)].dom == domain::row;
            return once_a_row ? (x * (V(1) / y)).id : none;
        }
        case op::rsub:
            std::swap(left, right);
            std::swap(x, y);
            [[fallthrough]];
        case op::sub:
            if (const product* p = product_in(left, i)) return fma(V::at(p->a), V::at(p->b), -y).id;
            if (const product* p = product_in(right, i))
                return fma(-V::at(p->a), V::at(p->b), x).id;
            return none;
        case op::add:
            if (const product* p = product_in(left, i)) return fma(V::at(p->a), V::at(p->b), y).id;
            if (const product* p = product_in(right, i)) return fma(V::at(p->a), V::at(p->b), x).id;
            return none;
        default: return none;
    }
}

value_id fast_rows::expand(value_id v, const value_id* args) {
    return compute_type(k_.body[at(v)].in) == mtype::f64 ? expand_in<double>(v, args)
                                                         : expand_in<float>(v, args);
}

}  // namespace sinter::kernel_ir
