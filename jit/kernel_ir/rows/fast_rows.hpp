// Rows under fast math. They are rewritten here, row by row, and not by flags on primitives: in a
// row's formula every rounding may be needed.
#pragma once

#include "jit/kernel_ir/kernel_ir.hpp"

#include <vector>

namespace sinter::kernel_ir {

class fast_rows {
public:
    explicit fast_rows(const kernel& k)
        : k_(k), wide_(k.body.size(), none), factors_(k.body.size()) {}

    /// The fast form of row `v`, a fast one, over its decomposed operands; none where it is the
    /// row's own.
    value_id expand(value_id v, const value_id* args);
    /// Remembers the result of a fast row, not yet rounded to its narrow type.
    void keep(value_id v, value_id wide) { wide_[at(v)] = wide; }
    /// What `keep` was told about `v`, or none.
    value_id wide(value_id v) const { return wide_[at(v)]; }

private:
    struct product {
        value_id a = none, b = none;
    };
    template <class T>
    value_id expand_in(value_id v, const value_id* args);
    /// The factors of `v` where `by`, which reads it, sees their product as it is.
    const product* product_in(value_id v, const instr& by) const;

    static std::size_t at(value_id v) { return static_cast<std::size_t>(v); }

    const kernel& k_;
    std::vector<value_id> wide_;
    std::vector<product> factors_;
};

}  // namespace sinter::kernel_ir
