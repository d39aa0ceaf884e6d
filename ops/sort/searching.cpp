// searchsorted and bucketize.
#include "engine/run/record.hpp"
#include "kernels/sort/search.hpp"

#include "ops/common/op_checks.hpp"

#include <sinter/functions/functions.hpp>
#include <sinter/functions/sorting.hpp>

#include <limits>

namespace sinter::inline v1 {

using ops::body;
using runtime::fail;
using runtime::text;

namespace {

bool to_the_right(bool right, const optional<std::string>& side) {
    if (!side) return right;
    if (*side != "left" && *side != "right")
        ops::refuse_option("searchsorted", "side", *side, "\"left\" or \"right\"", "left");
    if (*side == "left" && right)
        fail("searchsorted", "side and right contradict each other",
             "side = \"left\" and right = true", "one of them", "passing side alone");
    return *side == "right";
}

/// Returns the layout of the rows to search: one row for all values, or one for each row of values.
geometry_ptr rows_for(const char* op, const geometry& sequence, const geometry& values) {
    const std::string got =
        text("a sequence of ", sequence.sizes_ref(), " and values of ", values.sizes_ref());
    if (sequence.ndim == 0)
        fail(op, "the sorted sequence has too few dimensions", got, "at least 1 dimension",
             "unsqueeze(0) on the sequence");
    if (sequence.ndim > 1) {
        bool fits = sequence.ndim == values.ndim;
        for (int d = 0; fits && d + 1 < sequence.ndim; ++d)
            fits = sequence.sizes()[d] == values.sizes()[d];
        if (!fits)
            fail(op, "the values do not match the sorted sequence", got,
                 "a vector as the sequence, or equal sizes apart from the last dimension",
                 "expand() on the sequence");
        return make_geometry(sequence.sizes_ref(), sequence.strides_ref(), sequence.offset);
    }
    std::vector<int64_t> sizes = values.sizes_ref().vec();
    if (sizes.empty()) sizes.push_back(1);
    sizes.back() = sequence.sizes()[0];
    return expand_to(sequence, sizes);
}

void check_sorter(const char* op, const TensorImpl& sorter, const geometry& sequence) {
    if (sorter.dtype != kLong)
        fail(op, "the sorter has the wrong dtype", toString(sorter.dtype), "Long",
             "argsort() of the sequence");
    if (!(sorter.shape->sizes_ref() == sequence.sizes_ref()))
        fail(op, "the sorter does not match the sequence",
             text("a sorter of shape ", sorter.shape->sizes_ref(), " for a sequence of shape ",
                  sequence.sizes_ref()),
             "equal shapes", "argsort() of the sequence");
}

Tensor search(const char* op, const tensor_base& own_sequence, const tensor_base& own_values,
              bool out_int32, bool right, const optional<Tensor>& sorter) {
    body(op, own_sequence);
    body(op, own_values);
    const ScalarType common = result_type(own_sequence, own_values);
    const Tensor sequence = own_sequence.to(common), values = own_values.to(common);
    const TensorImpl &s = *sequence.unsafeGetTensorImpl(), &v = *values.unsafeGetTensorImpl();
    const geometry_ptr rows = rows_for(op, *s.shape, *v.shape);
    if (out_int32 && rows->sizes()[rows->ndim - 1] >= std::numeric_limits<int32_t>::max())
        fail(op, "the sequence is too long for Int results",
             text(rows->sizes()[rows->ndim - 1], " elements"), "fewer than 2147483647",
             "out_int32 = false");
    std::vector<leaf> inputs{ops::read(v), ops::read(s, rows)};
    if (v.shape->ndim == 0) inputs[0].shape = make_geometry(1, 1, v.shape->offset);
    if (sorter) {
        const TensorImpl& o = body(op, *sorter);
        check_sorter(op, o, *s.shape);
        inputs.push_back(ops::read(o, rows_for(op, *o.shape, *v.shape)));
    }
    const ScalarType dtype = out_int32 ? kInt : kLong;
    std::unique_ptr<Node> node = library_node(&ordering::searchsorted_op, inputs, dtype,
                                              make_contiguous(inputs[0].shape->sizes_ref()),
                                              make_attributes(ordering::search_attributes{right}));
    return Tensor(make_pending(std::move(node), make_contiguous(v.shape->sizes_ref())));
}

/// Returns a number as the values for a sequence.
Tensor number_for(const char* op, const tensor_base& sequence, const Scalar& value) {
    body(op, sequence);
    return scalar_tensor(value, ops::beside(sequence, value.type()))
        .to(result_type(sequence, value));
}

void require_boundaries(const TensorImpl& boundaries) {
    ops::require_vector("bucketize", boundaries, "the tensor of boundaries",
                        "searchsorted(), which takes rows of boundaries");
}

}  // namespace

Tensor searchsorted(const tensor_base& sorted_sequence, const tensor_base& values, bool out_int32,
                    bool right, const optional<std::string>& side, const optional<Tensor>& sorter) {
    return search("searchsorted", sorted_sequence, values, out_int32, to_the_right(right, side),
                  sorter);
}
Tensor searchsorted(const tensor_base& sorted_sequence, const Scalar& value, bool out_int32,
                    bool right, const optional<std::string>& side, const optional<Tensor>& sorter) {
    return searchsorted(sorted_sequence, number_for("searchsorted", sorted_sequence, value),
                        out_int32, right, side, sorter);
}
Tensor bucketize(const tensor_base& t, const tensor_base& boundaries, bool out_int32, bool right) {
    require_boundaries(body("bucketize", boundaries));
    return search("bucketize", boundaries, t, out_int32, right, nullopt);
}
Tensor bucketize(const Scalar& value, const tensor_base& boundaries, bool out_int32, bool right) {
    return bucketize(number_for("bucketize", boundaries, value), boundaries, out_int32, right);
}

}  // namespace sinter::inline v1
