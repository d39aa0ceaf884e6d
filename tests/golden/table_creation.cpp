#include "tests/golden/table.hpp"

namespace sinter::golden {

void add_creation(function_table& table) {
    SINTER_CALL(zeros, zeros(a.list(0), a.options(1)));
    SINTER_CALL(ones, ones(a.list(0), a.options(1)));
    SINTER_CALL(full, full(a.list(0), a.s(1), a.options(2)));
    SINTER_CALL(scalar_tensor, scalar_tensor(a.s(0), a.options(1)));
    // start, end, step, dtype
    SINTER_CALL(arange, a.is_none(0)   ? arange(a.s(1), a.options(3))
                        : a.is_none(2) ? arange(a.s(0), a.s(1), a.options(3))
                                       : arange(a.s(0), a.s(1), a.s(2), a.options(3)));
    SINTER_CALL(linspace, linspace(a.s(0), a.s(1), a.n(2), a.options(3)));
    SINTER_CALL(logspace, logspace(a.s(0), a.s(1), a.n(2), a.s(3).toDouble(), a.options(4)));
    SINTER_CALL(eye, a.is_none(1) ? eye(a.n(0), a.options(2)) : eye(a.n(0), a.n(1), a.options(2)));
    SINTER_CALL(zeros_like, zeros_like(a.t(0), a.options(1)));
    SINTER_CALL(ones_like, ones_like(a.t(0), a.options(1)));
    SINTER_CALL(full_like, full_like(a.t(0), a.s(1), a.options(2)));
    SINTER_CALL(new_zeros, a.t(0).new_zeros(a.list(1), a.options(2)));
    SINTER_CALL(new_ones, a.t(0).new_ones(a.list(1), a.options(2)));
    SINTER_CALL(new_full, a.t(0).new_full(a.list(1), a.s(2), a.options(3)));
    SINTER_CALL(tril_indices, tril_indices(a.n(0), a.n(1), a.n(2), a.options(3)));
    SINTER_CALL(triu_indices, triu_indices(a.n(0), a.n(1), a.n(2), a.options(3)));
}

}  // namespace sinter::golden
