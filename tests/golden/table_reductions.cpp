#include "tests/golden/table.hpp"

namespace sinter::golden {

// Arguments: tensor, dims, keepdim, dtype, if a function has them.
void add_reductions(function_table& table) {
#define SINTER_SUM(name)                                      \
    SINTER_CALL(name, a.is_none(1) ? name(a.t(0), a.dtype(3)) \
                                   : name(a.t(0), a.list(1), a.flag(2), a.dtype(3)))
    SINTER_SUM(sum);
    SINTER_SUM(mean);
#undef SINTER_SUM
    SINTER_CALL(
        prod, a.is_none(1) ? a.t(0).prod(a.dtype(3)) : a.t(0).prod(a.n(1), a.flag(2), a.dtype(3)));
    SINTER_CALL(amax, amax(a.t(0), a.list(1), a.flag(2)));
    SINTER_CALL(amin, amin(a.t(0), a.list(1), a.flag(2)));
    SINTER_CALL(argmax, argmax(a.t(0), a.on(1), a.flag(2)));
    SINTER_CALL(argmin, argmin(a.t(0), a.on(1), a.flag(2)));
    SINTER_CALL(any, a.is_none(1) ? any(a.t(0)) : any(a.t(0), a.n(1), a.flag(2)));
    SINTER_CALL(all, a.is_none(1) ? all(a.t(0)) : all(a.t(0), a.n(1), a.flag(2)));
    table["max"].call = [](const arguments& a) {
        return a.is_none(1) ? give(max(a.t(0))) : give(max(a.t(0), a.n(1), a.flag(2)));
    };
    table["min"].call = [](const arguments& a) {
        return a.is_none(1) ? give(min(a.t(0))) : give(min(a.t(0), a.n(1), a.flag(2)));
    };
    // tensor, dims, unbiased, keepdim
    SINTER_CALL(var, a.is_none(1) ? var(a.t(0), a.flag(2, true))
                                  : var(a.t(0), a.list(1), a.flag(2, true), a.flag(3)));
    SINTER_CALL(std, a.is_none(1) ? sinter::std(a.t(0), a.flag(2, true))
                                  : sinter::std(a.t(0), a.list(1), a.flag(2, true), a.flag(3)));
    // tensor, dims, correction, keepdim
#define SINTER_MOMENTS(name, function)                                                         \
    table[#name].call = [](const arguments& a) {                                               \
        const std::vector<int64_t> dims = a.list(1);                                           \
        return give(function(a.t(0),                                                           \
                             a.is_none(1) ? OptionalIntArrayRef() : OptionalIntArrayRef(dims), \
                             a.os(2), a.flag(3)));                                             \
    }
    SINTER_MOMENTS(var_corrected, var);
    SINTER_MOMENTS(std_corrected, sinter::std);
    SINTER_MOMENTS(var_mean_corrected, var_mean);
    SINTER_MOMENTS(std_mean_corrected, std_mean);
#undef SINTER_MOMENTS
    SINTER_CALL(matmul, matmul(a.t(0), a.t(1)));
    SINTER_CALL(mm, mm(a.t(0), a.t(1)));
    SINTER_CALL(mv, mv(a.t(0), a.t(1)));
    SINTER_CALL(dot, dot(a.t(0), a.t(1)));
    SINTER_CALL(bmm, bmm(a.t(0), a.t(1)));
}

}  // namespace sinter::golden
