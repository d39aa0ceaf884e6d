// Gradients of functions that take elements from elsewhere: views, and copies of parts.
#include "tests/ops/autograd/gradient_rows.hpp"

#include <doctest/doctest.h>

namespace testing {

using namespace sinter;

std::vector<gradient_row> view_rows() {
    return {
        GRADIENT_ROW("H", complex_too, a.H(), {{2, 3}}),
        GRADIENT_ROW("T", complex_too, a.T(), {{2, 3}}),
        GRADIENT_ROW("mH", complex_too, a.mH(), {{2, 2, 3}}),
        GRADIENT_ROW("mT", complex_too, a.mT(), {{2, 2, 3}}),
        GRADIENT_ROW("matrix_H", complex_too, a.matrix_H(), {{2, 3}}),
        GRADIENT_ROW("numpy_T", complex_too, a.numpy_T(), {{2, 3}}),
        GRADIENT_ROW("adjoint", complex_too, adjoint(a), {{2, 3}}),
        GRADIENT_ROW("t", complex_too, t(a), {{2, 3}}),
        GRADIENT_ROW("t/of a vector", complex_too, t(a), {{3}}),
        GRADIENT_ROW("transpose", complex_too, transpose(a, 0, 1), {{2, 3}}),
        GRADIENT_ROW("swapaxes", complex_too, swapaxes(a, 0, 1), {{2, 3}}),
        GRADIENT_ROW("swapdims", complex_too, swapdims(a, 0, 1), {{2, 3}}),
        GRADIENT_ROW("permute", complex_too, permute(a, {2, 0, 1}), {{2, 3, 2}}),
        GRADIENT_ROW("movedim", complex_too, movedim(a, 0, 2), {{2, 3, 2}}),
        GRADIENT_ROW("moveaxis", complex_too, moveaxis(a, 0, 2), {{2, 3, 2}}),
        GRADIENT_ROW("as_strided", complex_too, as_strided(a.contiguous(), {2, 2}, {1, 2}, 1),
                     {{2, 3}}),
        GRADIENT_ROW("atleast_1d", complex_too, atleast_1d(a), {{}}),
        GRADIENT_ROW("atleast_2d", complex_too, atleast_2d(a), {{3}}),
        GRADIENT_ROW("atleast_3d", complex_too, atleast_3d(a), {{2, 3}}),
        GRADIENT_ROW("broadcast_tensors", complex_too, broadcast_tensors({a, b}), {{2, 1}}, {{3}}),
        GRADIENT_ROW("broadcast_to", complex_too, broadcast_to(a, {2, 2, 3}), {{2, 3}}),
        GRADIENT_ROW("expand", complex_too, a.expand({2, -1, 3}), {{2, 1}}),
        GRADIENT_ROW("expand_as", complex_too, a.expand_as(b), {{3}}, {{2, 3}}),
        GRADIENT_ROW("chunk", complex_too, chunk(a, 2, 1), {{2, 3}}),
        GRADIENT_ROW("split", complex_too, split(a, 2, 1), {{2, 3}}),
        GRADIENT_ROW("split_with_sizes", complex_too, split_with_sizes(a, {1, 2}, 1), {{2, 3}}),
        GRADIENT_ROW("tensor_split", complex_too, tensor_split(a, 2, 1), {{2, 3}}),
        GRADIENT_ROW("unsafe_chunk", complex_too, unsafe_chunk(a, 2, 1), {{2, 3}}),
        GRADIENT_ROW("unsafe_split", complex_too, unsafe_split(a, 2, 1), {{2, 3}}),
        GRADIENT_ROW("unsafe_split_with_sizes", complex_too, unsafe_split_with_sizes(a, {1, 2}, 1),
                     {{2, 3}}),
        GRADIENT_ROW("hsplit", complex_too, hsplit(a, 2), {{2, 4}}),
        GRADIENT_ROW("vsplit", complex_too, vsplit(a, 2), {{2, 3}}),
        GRADIENT_ROW("dsplit", complex_too, dsplit(a, 2), {{2, 1, 2}}),
        GRADIENT_ROW("unbind", complex_too, unbind(a, 1), {{2, 3}}),
        GRADIENT_ROW("diagonal", complex_too, diagonal(a, 1), {{2, 3}}),
        GRADIENT_ROW("linalg_diagonal", complex_too, linalg_diagonal(a), {{2, 3}}),
        GRADIENT_ROW("flatten", complex_too, flatten(a), {{2, 3}}),
        GRADIENT_ROW("ravel", complex_too, ravel(a), {{2, 3}}),
        GRADIENT_ROW("unflatten", complex_too, unflatten(a, 1, {2, 2}), {{2, 4}}),
        GRADIENT_ROW("reshape", complex_too, reshape(a, {3, 2}), {{2, 3}}),
        GRADIENT_ROW("reshape_as", complex_too, a.reshape_as(b), {{2, 3}}, {{3, 2}}),
        GRADIENT_ROW("view", complex_too, a.contiguous().view({3, 2}), {{2, 3}}),
        GRADIENT_ROW("view_as", complex_too, a.contiguous().view_as(b.contiguous()), {{2, 3}},
                     {{3, 2}}),
        GRADIENT_ROW("narrow", complex_too, narrow(a, 1, 1, 2), {{2, 3}}),
        GRADIENT_ROW("narrow_copy", complex_too, narrow_copy(a, 1, 1, 2), {{2, 3}}),
        GRADIENT_ROW("select", complex_too, select(a, 1, 1), {{2, 3}}),
        GRADIENT_ROW("slice", complex_too, slice(a, 1, 0, nullopt, 2), {{2, 3}}),
        GRADIENT_ROW("squeeze", complex_too, squeeze(a), {{2, 1, 3}}),
        GRADIENT_ROW("unsqueeze", complex_too, unsqueeze(a, 1), {{2, 3}}),
        GRADIENT_ROW("unfold", complex_too, a.unfold(1, 2, 1), {{2, 3}}),
        GRADIENT_ROW("flip", complex_too, flip(a, {0, 1}), {{2, 3}}),
        GRADIENT_ROW("fliplr", complex_too, fliplr(a), {{2, 3}}),
        GRADIENT_ROW("flipud", complex_too, flipud(a), {{2, 3}}),
        GRADIENT_ROW("roll", complex_too, roll(a, {1, -1}, {0, 1}), {{2, 3}}),
        GRADIENT_ROW("roll/flat", complex_too, roll(a, 2), {{2, 3}}),
        GRADIENT_ROW("rot90", complex_too, rot90(a), {{2, 3}}),
        GRADIENT_ROW("repeat", complex_too, a.repeat({2, 1, 2}), {{2, 3}}),
        GRADIENT_ROW("tile", complex_too, tile(a, {2}), {{2, 3}}),
        GRADIENT_ROW("tril", complex_too, tril(a), {{3, 3}}),
        GRADIENT_ROW("tril/in place", complex_too, a.clone().tril_(1), {{3, 3}}),
        GRADIENT_ROW("triu", complex_too, triu(a), {{3, 3}}),
        GRADIENT_ROW("triu/in place", complex_too, a.clone().triu_(-1), {{3, 3}}),
        GRADIENT_ROW("fill_diagonal_", complex_too, a.clone().fill_diagonal_(2), {{3, 3}}),
        GRADIENT_ROW("diag", complex_too, diag(a), {{3, 3}}),
        GRADIENT_ROW("diag/of a vector", complex_too, diag(a, 1), {{3}}),
        GRADIENT_ROW("diag_embed", complex_too, diag_embed(a), {{2, 3}}),
        GRADIENT_ROW("diagflat", complex_too, diagflat(a), {{2, 3}}),
        GRADIENT_ROW("meshgrid", complex_too, meshgrid({a, b}), {{2}}, {{3}}),
        GRADIENT_ROW("combinations", complex_too, combinations(a, 2), {{3}}),
        GRADIENT_ROW("combinations/with replacement", real, combinations(a, 2, true), {{3}}),
        GRADIENT_ROW("vander", complex_too, vander(a), {{3}, 0.5, 1}),
        GRADIENT_ROW("linalg_vander", complex_too, linalg_vander(a, 3), {{2, 3}, 0.5, 1}),
        GRADIENT_ROW("detach", complex_too, a * a.detach() - a.detach() * a + a, {{2, 3}}),
        GRADIENT_ROW("to/device", complex_too, a.to(kCPU), {{2, 3}}),
    };
}

TEST_CASE("gradients of views and of copies of parts") {
    for (const gradient_row& r : view_rows()) check_gradients(r);
}

}  // namespace testing
