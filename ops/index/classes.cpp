// Compositions: row-major positions as coordinates, and classes as rows of 0 and 1.
#include "ops/common/op_checks.hpp"

#include <sinter/functions/functions.hpp>
#include <sinter/functions/gathering.hpp>
#include <sinter/functions/scans.hpp>
#include <sinter/functions/sorting.hpp>

#include <algorithm>

namespace sinter::inline v1 {

using ops::body;
using runtime::fail;
using runtime::text;

namespace {

/// Returns the coordinates of elements counted in row-major order, in a tensor of these sizes. No
/// size may be 0.
std::vector<Tensor> coordinates(const Tensor& index, IntArrayRef shape) {
    std::vector<Tensor> result(shape.size());
    int64_t step = 1;
    for (std::size_t d = shape.size(); d-- > 0;) {
        result[d] = index.floor_divide(step).remainder(shape[d]);
        step = static_cast<int64_t>(static_cast<uint64_t>(step) * static_cast<uint64_t>(shape[d]));
        if (step == 0) step = 1;  // the step wraps at 2^64 elements, which no index reaches
    }
    return result;
}

}  // namespace

Tensor tensor_base::nonzero_static(int64_t size, int64_t fill_value) const {
    const TensorImpl& t = body("nonzero_static", *this);
    if (size < 0)
        fail("nonzero_static", "the size is negative", text(size), "0 or more",
             "nonzero(), which finds the size itself");
    const TensorOptions longs = ops::beside(t, kLong);
    const int64_t ndim = t.shape->ndim;
    if (ndim == 0 || size == 0) return full({size, ndim}, fill_value, longs);
    if (t.shape->numel == 0) return full({size, ndim}, fill_value, longs);
    const Tensor counts = Tensor(self() != 0).reshape(-1).cumsum(0);
    const Tensor place = searchsorted(counts, arange(1, size + 1, longs));
    const Tensor found = place < t.shape->numel;
    std::vector<Tensor> columns = coordinates(place, t.shape->sizes_ref());
    for (Tensor& c : columns) c = v1::where(found, c, fill_value);
    return stack(columns, 1);
}

std::vector<Tensor> unravel_index(const tensor_base& indices, IntArrayRef shape) {
    const TensorImpl& t = body("unravel_index", indices);
    if (!isIntegralType(t.dtype, false))
        fail<TypeError>("unravel_index", "the indices have the wrong dtype", toString(t.dtype),
                        "an integral dtype", ".to(kLong) on the indices");
    for (int64_t size : shape) {
        if (size < 0)
            fail<ValueError>("unravel_index", "a size is negative", text("sizes ", shape),
                             "sizes of 0 or more", "sizes() of the indexed tensor");
        if (size == 0 && t.shape->numel > 0)
            fail<ValueError>("unravel_index", "the shape has no elements to index",
                             text("shape ", shape), "sizes of 1 or more",
                             "sizes() of the indexed tensor");
    }
    const Tensor index = indices.to(kLong);
    if (t.shape->numel > 0) return coordinates(index, shape);
    std::vector<Tensor> none;
    for (std::size_t d = 0; d < shape.size(); ++d) none.push_back(index.clone());
    return none;
}

Tensor one_hot(const tensor_base& self, int64_t num_classes) {
    const char* op = "one_hot";
    const TensorImpl& t = body(op, self);
    if (t.dtype != kLong)
        fail(op, "the classes have the wrong dtype", toString(t.dtype), "Long", ".to(kLong) first");
    if (num_classes < -1 || (num_classes == 0 && t.shape->numel > 0))
        fail(op, "num_classes is not positive", text(num_classes), "1 or more, or -1",
             "-1, which takes the largest class plus 1");
    std::vector<int64_t> sizes = t.shape->sizes_ref().vec();
    if (t.shape->numel == 0) {
        if (num_classes <= 0)
            fail(op, "num_classes cannot be inferred from an empty tensor", ops::shape_of(t),
                 "num_classes of 1 or more", "passing num_classes");
        sizes.push_back(num_classes);
        return empty(sizes, ops::beside(t, kLong));
    }
    const auto [least, largest] = self.aminmax();
    if (const auto low = least.item<int64_t>(); low < 0)
        fail(op, "a class is negative", text(low), "0 or more", "clamp_min(0) first");
    const auto high = largest.item<int64_t>();
    if (num_classes == -1) num_classes = high + 1;
    if (high >= num_classes)
        fail(op, "a class is out of range", text(high, " of ", num_classes, " classes"),
             text("0 to ", num_classes - 1),
             "a larger num_classes, or -1, which takes the largest class plus 1");
    return Tensor(self.unsqueeze(-1) == arange(num_classes, ops::beside(t, kLong))).to(kLong);
}

// ---- function forms
Tensor nonzero_static(const tensor_base& t, int64_t size, int64_t fill_value) {
    return t.nonzero_static(size, fill_value);
}

}  // namespace sinter::inline v1
