// Rows under fast math. The rewriting is per row and not by flags on primitives, because a row's
// formula may need every rounding.
#pragma once

#include "jit/kernel_ir/kernel_ir.hpp"

#include <vector>

namespace sinter::kernel_ir {

class fast_rows {
public:
    explicit fast_rows(const kernel& k)
        : k_(k), wide_(k.body.size(), none), factors_(k.body.size()) {}

    /// Appends the fast form of the fast row `v` over its decomposed operands and returns it;
    /// returns none if the row has no other form than its formula.
    value_id expand(value_id v, const value_id* args);
    /// Remembers the result of a fast row before rounding to its narrow type.
    void keep(value_id v, value_id wide) { wide_[at(v)] = wide; }
    /// Returns the unrounded result that `keep` stored for `v`, or none.
    value_id wide(value_id v) const { return wide_[at(v)]; }

private:
    struct product {
        value_id a = none, b = none;
    };
    template <class T>
    value_id expand_in(value_id v, const value_id* args);
    /// Returns the factors of `v` if it is a product of the type that its reader `by` computes in,
    /// else null.
    const product* product_in(value_id v, const instr& by) const;

    static std::size_t at(value_id v) { return static_cast<std::size_t>(v); }

    const kernel& k_;
    std::vector<value_id> wide_;
    std::vector<product> factors_;
};

}  // namespace sinter::kernel_ir
