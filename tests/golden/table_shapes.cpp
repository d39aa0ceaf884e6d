// Views, and functions that join, split, repeat and rearrange.
#include "tests/golden/table.hpp"

namespace sinter::golden {
namespace {

/// Adds each view as a method, and with an underscore if it changes the tensor itself.
void add_views(function_table& table) {
    SINTER_CALL(view, a.t(0).view(a.list(1)));
    SINTER_CALL(reshape, a.t(0).reshape(a.list(1)));
    SINTER_CALL(flatten, a.t(0).flatten(a.n(1), a.n(2)));
    SINTER_CALL(transpose, a.t(0).transpose(a.n(1), a.n(2)));
    SINTER_CALL(t, a.t(0).t());
    SINTER_CALL(permute, a.t(0).permute(a.list(1)));
    SINTER_CALL(slice, a.t(0).slice(a.n(1), a.on(2), a.on(3), a.n(4)));
    SINTER_CALL(select, a.t(0).select(a.n(1), a.n(2)));
    SINTER_CALL(narrow, a.t(0).narrow(a.n(1), a.n(2), a.n(3)));
    SINTER_CALL(expand, a.t(0).expand(a.list(1)));
    SINTER_CALL(expand_as, a.t(0).expand_as(a.t(1)));
    SINTER_CALL(broadcast_to, a.t(0).broadcast_to(a.list(1)));
    SINTER_CALL(squeeze, a.is_none(1) ? a.t(0).squeeze() : a.t(0).squeeze(a.n(1)));
    SINTER_CALL(unsqueeze, a.t(0).unsqueeze(a.n(1)));
    SINTER_CALL(squeeze_, a.is_none(1) ? a.t(0).squeeze_() : a.t(0).squeeze_(a.n(1)));
    SINTER_CALL(unsqueeze_, a.t(0).unsqueeze_(a.n(1)));
    SINTER_CALL(t_, a.t(0).t_());
    SINTER_CALL(transpose_, a.t(0).transpose_(a.n(1), a.n(2)));
    SINTER_CALL(diagonal, a.t(0).diagonal(a.n(1), a.n(2), a.n(3)));
    SINTER_CALL(unfold, a.t(0).unfold(a.n(1), a.n(2), a.n(3)));
    SINTER_CALL(as_strided, a.t(0).as_strided(a.list(1), a.list(2), a.on(3)));
    SINTER_CALL(ravel, a.t(0).ravel());
    SINTER_CALL(unflatten, a.t(0).unflatten(a.n(1), a.list(2)));
    SINTER_CALL(numpy_T, a.t(0).numpy_T());
    SINTER_CALL(mT, a.t(0).mT());
    SINTER_CALL(adjoint, a.t(0).adjoint());
    SINTER_CALL(movedim, a.is_list(1) ? a.t(0).movedim(a.list(1), a.list(2))
                                      : a.t(0).movedim(a.n(1), a.n(2)));
    SINTER_CALL(swapaxes, a.t(0).swapaxes(a.n(1), a.n(2)));
    SINTER_CALL(view_as, a.t(0).view_as(a.t(1)));
    SINTER_CALL(detach, a.t(0).detach());
    SINTER_CALL(contiguous, a.t(0).contiguous());
    SINTER_CALL(atleast_1d, atleast_1d(a.t(0)));
    SINTER_CALL(atleast_2d, atleast_2d(a.t(0)));
    SINTER_CALL(atleast_3d, atleast_3d(a.t(0)));
    SINTER_CALL(split,
                a.is_list(1) ? a.t(0).split(a.list(1), a.n(2)) : a.t(0).split(a.n(1), a.n(2)));
    SINTER_CALL(split_with_sizes, a.t(0).split_with_sizes(a.list(1), a.n(2)));
    SINTER_CALL(chunk, a.t(0).chunk(a.n(1), a.n(2)));
    SINTER_CALL(tensor_split, a.is_list(1)     ? a.t(0).tensor_split(a.list(1), a.n(2))
                              : a.is_tensor(1) ? a.t(0).tensor_split(a.t(1), a.n(2))
                                               : a.t(0).tensor_split(a.n(1), a.n(2)));
    SINTER_CALL(hsplit, a.is_list(1) ? a.t(0).hsplit(a.list(1)) : a.t(0).hsplit(a.n(1)));
    SINTER_CALL(vsplit, a.is_list(1) ? a.t(0).vsplit(a.list(1)) : a.t(0).vsplit(a.n(1)));
    SINTER_CALL(dsplit, a.is_list(1) ? a.t(0).dsplit(a.list(1)) : a.t(0).dsplit(a.n(1)));
    SINTER_CALL(unbind, a.t(0).unbind(a.n(1)));
}

}  // namespace

void add_shapes(function_table& table) {
    add_views(table);
    SINTER_CALL(flip, a.t(0).flip(a.list(1)));
    SINTER_CALL(roll, a.t(0).roll(a.list(1), a.list(2)));
    SINTER_CALL(rot90, a.t(0).rot90(a.n(1), a.list(2)));
    SINTER_CALL(fliplr, fliplr(a.t(0)));
    SINTER_CALL(flipud, flipud(a.t(0)));
    SINTER_CALL(repeat, a.t(0).repeat(a.list(1)));
    SINTER_CALL(tile, tile(a.t(0), a.list(1)));
    SINTER_CALL(repeat_interleave, repeat_interleave(a.t(0), a.n(1), a.on(2)));
    SINTER_CALL(clone, a.t(0).clone());
    SINTER_CALL(cat, cat(a.tensors(0), a.n(1)));
    SINTER_CALL(stack, stack(a.tensors(0), a.n(1)));
    SINTER_CALL(hstack, hstack(a.tensors(0)));
    SINTER_CALL(vstack, vstack(a.tensors(0)));
    SINTER_CALL(dstack, dstack(a.tensors(0)));
    SINTER_CALL(column_stack, column_stack(a.tensors(0)));
    SINTER_CALL(block_diag, block_diag(a.tensors(0)));
    SINTER_CALL(broadcast_tensors, broadcast_tensors(a.tensors(0)));
    SINTER_CALL(meshgrid, meshgrid(a.tensors(0), a.text(1)));
    SINTER_CALL(cartesian_prod, cartesian_prod(a.tensors(0)));
    SINTER_CALL(combinations, combinations(a.t(0), a.n(1), a.flag(2)));
    SINTER_CALL(vander, vander(a.t(0), a.on(1), a.flag(2)));
    SINTER_CALL(select_scatter, select_scatter(a.t(0), a.t(1), a.n(2), a.n(3)));
    SINTER_CALL(slice_scatter, slice_scatter(a.t(0), a.t(1), a.n(2), a.on(3), a.on(4), a.n(5)));
    SINTER_CALL(diag, diag(a.t(0), a.n(1)));
    SINTER_CALL(diag_embed, diag_embed(a.t(0), a.n(1), a.n(2), a.n(3)));
    SINTER_CALL(diagflat, diagflat(a.t(0), a.n(1)));
    SINTER_CALL(triu, triu(a.t(0), a.n(1)));
    SINTER_CALL(tril, tril(a.t(0), a.n(1)));
    SINTER_CALL(triu_, a.t(0).triu_(a.n(1)));
    SINTER_CALL(tril_, a.t(0).tril_(a.n(1)));
    SINTER_CALL(fill_diagonal_, a.t(0).fill_diagonal_(a.s(1), a.flag(2)));
}

}  // namespace sinter::golden
