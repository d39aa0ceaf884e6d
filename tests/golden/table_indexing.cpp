// Tensors of indices, and masks.
#include "tests/golden/table.hpp"

namespace sinter::golden {

void add_indexing(function_table& table) {
    SINTER_CALL(index, a.t(0).index(a.indices(1)));
    table["index_put_"].call = [](const arguments& a) {
        return a.is_tensor(2) ? give(a.t(0).index_put_(a.indices(1), a.t(2), a.flag(3)))
                              : give(a.t(0).index_put_(a.indices(1), a.s(2), a.flag(3)));
    };
    SINTER_CALL(index_put, index_put(a.t(0), a.indices(1), a.t(2), a.flag(3)));
    SINTER_CALL(gather, gather(a.t(0), a.n(1), a.t(2)));
    SINTER_CALL(take_along_dim, take_along_dim(a.t(0), a.t(1), a.on(2)));
    SINTER_CALL(take, take(a.t(0), a.t(1)));
    SINTER_CALL(index_select, index_select(a.t(0), a.n(1), a.t(2)));
    // Functions that change a copy, and methods that change the tensor itself.
#define SINTER_BOTH(name, ...)                                  \
    SINTER_CALL(name, name(a.t(0), __VA_ARGS__));               \
    table[#name "_"].call = [](const arguments& a) -> results { \
        return give(a.t(0).name##_(__VA_ARGS__));               \
    }
    table["scatter"].call = [](const arguments& a) {
        if (a.is_none(4))
            return a.is_tensor(3) ? give(scatter(a.t(0), a.n(1), a.t(2), a.t(3)))
                                  : give(scatter(a.t(0), a.n(1), a.t(2), a.s(3)));
        return a.is_tensor(3) ? give(scatter(a.t(0), a.n(1), a.t(2), a.t(3), a.text(4)))
                              : give(scatter(a.t(0), a.n(1), a.t(2), a.s(3), a.text(4)));
    };
    table["scatter_"].call = [](const arguments& a) {
        if (a.is_none(4))
            return a.is_tensor(3) ? give(a.t(0).scatter_(a.n(1), a.t(2), a.t(3)))
                                  : give(a.t(0).scatter_(a.n(1), a.t(2), a.s(3)));
        return a.is_tensor(3) ? give(a.t(0).scatter_(a.n(1), a.t(2), a.t(3), a.text(4)))
                              : give(a.t(0).scatter_(a.n(1), a.t(2), a.s(3), a.text(4)));
    };
    SINTER_BOTH(scatter_add, a.n(1), a.t(2), a.t(3));
    SINTER_BOTH(scatter_reduce, a.n(1), a.t(2), a.t(3), a.text(4), a.flag(5, true));
    SINTER_BOTH(index_add, a.n(1), a.t(2), a.t(3), a.is_none(4) ? Scalar(1) : a.s(4));
    SINTER_BOTH(index_copy, a.n(1), a.t(2), a.t(3));
    table["index_fill"].call = [](const arguments& a) {
        return a.is_tensor(3) ? give(index_fill(a.t(0), a.n(1), a.t(2), a.t(3)))
                              : give(index_fill(a.t(0), a.n(1), a.t(2), a.s(3)));
    };
    table["index_fill_"].call = [](const arguments& a) {
        return a.is_tensor(3) ? give(a.t(0).index_fill_(a.n(1), a.t(2), a.t(3)))
                              : give(a.t(0).index_fill_(a.n(1), a.t(2), a.s(3)));
    };
    SINTER_BOTH(index_reduce, a.n(1), a.t(2), a.t(3), a.text(4), a.flag(5, true));
    SINTER_BOTH(put, a.t(1), a.t(2), a.flag(3));
    table["masked_fill"].call = [](const arguments& a) {
        return a.is_tensor(2) ? give(masked_fill(a.t(0), a.t(1), a.t(2)))
                              : give(masked_fill(a.t(0), a.t(1), a.s(2)));
    };
    table["masked_fill_"].call = [](const arguments& a) {
        return a.is_tensor(2) ? give(a.t(0).masked_fill_(a.t(1), a.t(2)))
                              : give(a.t(0).masked_fill_(a.t(1), a.s(2)));
    };
    SINTER_BOTH(masked_scatter, a.t(1), a.t(2));
#undef SINTER_BOTH
    SINTER_CALL(masked_select, masked_select(a.t(0), a.t(1)));
    SINTER_CALL(nonzero, nonzero(a.t(0)));
    SINTER_CALL(argwhere, argwhere(a.t(0)));
    SINTER_CALL(nonzero_numpy, nonzero_numpy(a.t(0)));
}

}  // namespace sinter::golden
