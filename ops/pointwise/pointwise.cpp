// The methods that return expressions, one for each table row.
#include "ops/common/op_checks.hpp"

namespace sinter::inline v1 {

#define SINTER_UNARY(name, row) \
    unary_expr<op::row> tensor_base::name() const { return sinter::name(self()); }
#define SINTER_BINARY(name, row)                                             \
    binary_expr<op::row> tensor_base::name(const tensor_base& other) const { \
        return sinter::name(self(), other.self());                           \
    }                                                                        \
    scalar_expr<op::row> tensor_base::name(const Scalar& other) const {      \
        return sinter::name(self(), other);                                  \
    }
#include <sinter/expr/each_row.inc>
#undef SINTER_UNARY
#undef SINTER_BINARY

Tensor tensor_base::where(const tensor_base& condition, const tensor_base& other) const {
    return sinter::where(condition.self(), self(), other.self());
}
Tensor tensor_base::where(const tensor_base& condition, const Scalar& other) const {
    return sinter::where(condition.self(), self(), other);
}

}  // namespace sinter::inline v1
