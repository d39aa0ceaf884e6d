// Products of vectors, matrices and tensors.
#include "tests/golden/table.hpp"

#include <algorithm>

namespace sinter::golden {
namespace {

/// The notation has no blanks in a text.
std::string equation(const arguments& a) {
    std::string s = a.text(0);
    std::replace(s.begin(), s.end(), '_', ' ');
    return s;
}

}  // namespace

// Arguments are those of the functions. Small multiples of a quarter give exact sums; the other
// lines have bounds.
void add_products(function_table& table) {
    SINTER_CALL(vdot, vdot(a.t(0), a.t(1)));
    SINTER_CALL(inner, inner(a.t(0), a.t(1)));
    SINTER_CALL(outer, outer(a.t(0), a.t(1)));
    SINTER_CALL(ger, ger(a.t(0), a.t(1)));
    SINTER_CALL(kron, kron(a.t(0), a.t(1)));
#define SINTER_ADDED(name)                                           \
    SINTER_CALL(name, name(a.t(0), a.t(1), a.t(2), a.s(3), a.s(4))); \
    table[#name "_"].call = [](const arguments& a) -> results {      \
        return give(a.t(0).name##_(a.t(1), a.t(2), a.s(3), a.s(4))); \
    };
    SINTER_ADDED(addmm)
    SINTER_ADDED(addmv)
    SINTER_ADDED(addr)
    SINTER_ADDED(baddbmm)
    SINTER_ADDED(addbmm)
#undef SINTER_ADDED
    SINTER_CALL(chain_matmul, chain_matmul(a.tensors(0)));
    SINTER_CALL(linalg_multi_dot, linalg::multi_dot(a.tensors(0)));
    SINTER_CALL(linalg_matmul, linalg::matmul(a.t(0), a.t(1)));
    SINTER_CALL(cross, cross(a.t(0), a.t(1), a.on(2)));
    SINTER_CALL(linalg_cross, linalg::cross(a.t(0), a.t(1), a.n(2)));
    SINTER_CALL(linalg_vecdot, linalg::vecdot(a.t(0), a.t(1), a.n(2)));
    SINTER_CALL(tensordot, tensordot(a.t(0), a.t(1), a.n(2)));
    SINTER_CALL(tensordot_in, tensordot(a.t(0), a.t(1), a.list(2), a.list(3)));
    SINTER_CALL(einsum, einsum(equation(a), a.tensors(1)));
    SINTER_CALL(trace, trace(a.t(0)));
    SINTER_CALL(linalg_diagonal, linalg::diagonal(a.t(0), a.n(1), a.n(2), a.n(3)));
    SINTER_CALL(linalg_vander, linalg::vander(a.t(0), a.on(1)));
    SINTER_CALL(matrix_power, matrix_power(a.t(0), a.n(1)));
    SINTER_CALL(linalg_matrix_power, linalg::matrix_power(a.t(0), a.n(1)));
}

}  // namespace sinter::golden
