// The methods that return expressions: one a row.
#include "jit/expr/front.hpp"

namespace sinter::inline v1 {

#define SINTER_UNARY(name)                                               \
    unary_expr<op::name> tensor_base::name() const {                     \
        return detail::make_node<op::name>(detail::as_part(self()));     \
    }
#define SINTER_BINARY(name)                                                                         \
    binary_expr<op::name> tensor_base::name(const tensor_base& other) const {                       \
        return detail::make_node<op::name>(detail::as_part(self()), detail::as_part(other.self())); \
    }                                                                                               \
    scalar_expr<op::name> tensor_base::name(const Scalar& other) const {                            \
        return detail::make_node<op::name>(detail::as_part(self()), detail::as_part(other));        \
    }
#include <sinter/expr/each_row.inc>
#undef SINTER_UNARY
#undef SINTER_BINARY

Tensor tensor_base::where(const tensor_base& condition, const tensor_base& other) const {
    return detail::make_node<op::where>(detail::as_part(condition.self()), detail::as_part(self()),
                                        detail::as_part(other.self()));
}

}  // namespace sinter::inline v1
