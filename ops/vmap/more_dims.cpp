#include "ops/vmap/more_dims.hpp"

#include "kernels/index/gather.hpp"
#include "kernels/index/scatter.hpp"
#include "kernels/scan/scan.hpp"
#include "kernels/sort/order.hpp"

#include <algorithm>
#include <iterator>

namespace sinter::ops {
namespace {

template <class List>
bool is_one_of(const kernel_op* op, const List& all) {
    return std::find(std::begin(all), std::end(all), op) != std::end(all);
}

/// The new dimension is walked along the space, as its first one.
index_kernels::layout moved_up(index_kernels::layout l) {
    for (int64_t& d : l.placed) ++d;
    for (int64_t& d : l.walked) d += d < 0 ? 0 : 1;
    l.walked.insert(l.walked.begin(), 0);
    return l;
}

/// The kernel goes along one dimension, which its attributes name.
template <class Attributes>
attributes_ptr along_next(const recorded_work& w) {
    Attributes a = w.attributes->as<Attributes>();
    ++a.dim;
    return make_attributes(a);
}

}  // namespace

attributes_ptr with_leading_dim(const recorded_work& w) {
    using namespace index_kernels;  // but for its `layout`, of which others have one, too
    if (w.several() || w.sources[0].shape->ndim == 0) return {};
    const kernel_op* const scans[] = {&scan::cumsum_op, &scan::cumprod_op, &scan::logcumsumexp_op};
    if (is_one_of(w.library, scans)) return along_next<scan::scan_attributes>(w);
    if (w.library == &ordering::order_op) return along_next<ordering::order_attributes>(w);
    if (w.library == &ordering::median_op) return along_next<ordering::median_attributes>(w);
    if (w.library == &ordering::mode_op) return along_next<ordering::mode_attributes>(w);
    const kernel_op* const gathers[] = {&gather_op, &take_along_dim_op, &take_op, &index_op,
                                        &index_select_op};
    if (is_one_of(w.library, gathers))
        return make_attributes(moved_up(w.attributes->as<index_kernels::layout>()));
    if (w.library == scatter_op(w.library->name)) {
        const auto& a = w.attributes->as<scatter_attributes>();
        return make_attributes(scatter_attributes{a.kind, moved_up(a.space)});
    }
    return {};
}

}  // namespace sinter::ops
