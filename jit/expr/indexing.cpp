// select, slice, narrow and what stands between the braces of index({...}).
#include "jit/expr/front.hpp"

#include <sinter/indexing.hpp>

#include <algorithm>
#include <cstring>

namespace sinter::inline v1 {

using front::body;
using front::dims;
using front::fail;
using front::text;

namespace {

/// Start and length of a slice of a dimension, with Python's clamping.
struct part {
    int64_t start, length;
};

part clamp_slice(const char* op, int64_t size, optional<int64_t> from, optional<int64_t> to,
                 int64_t step) {
    if (step <= 0)
        fail<ValueError>(op, "the step is not positive", text("step ", step), "1 or more", "flip");
    const auto place = [&](int64_t at) {
        return std::clamp<int64_t>(at < 0 ? at + size : at, 0, size);
    };
    const int64_t start = place(from.value_or(0));
    const int64_t stop = std::max(start, place(to.value_or(size)));
    const int64_t span = stop - start;
    return {start, span == 0 ? 0 : (span - 1) / step + 1};
}

int64_t wrap_index(const char* op, int64_t index, int64_t dim, const geometry& g, int64_t size) {
    if (index < -size || index >= size)
        fail<IndexError>(
            op, "the index is out of range",
            text("index ", index, " for dimension ", dim, " of sizes ", g.sizes_ref()),
            size == 0 ? std::string("a dimension with elements") : text(-size, " to ", size - 1),
            "size() of that dimension");
    return index < 0 ? index + size : index;
}

void require_dimensions(const char* op, const geometry& g) {
    if (g.ndim == 0)
        fail<IndexError>(op, "the tensor has no dimensions", "a 0-d tensor",
                         "one dimension or more", "item()");
}

/// A view being made, dimension after dimension from the left.
struct cursor {
    const geometry& source;
    dims d;
    int64_t offset;
    int64_t at = 0;      // in the result
    int64_t origin = 0;  // in the source

    explicit cursor(const geometry& g) : source(g), d(g), offset(g.offset) {}

    void take(int64_t index) {
        const auto i = static_cast<std::size_t>(at);
        offset += wrap_index("index", index, origin++, source, d.sizes[i]) * d.strides[i];
        d.erase(at);
    }
    void take(const Slice& s) {
        const auto i = static_cast<std::size_t>(at);
        const part p = clamp_slice("index", d.sizes[i], s.start(), s.stop(), s.step());
        offset += p.start * d.strides[i];
        d.sizes[i] = p.length;
        d.strides[i] *= s.step();
        skip(1);
    }
    void skip(int64_t n) {
        at += n;
        origin += n;
    }
    void add_dimension() {
        const auto i = static_cast<std::size_t>(at);
        const int64_t stride = i < d.sizes.size() ? d.sizes[i] * d.strides[i] : 1;
        d.insert(at++, 1, stride);
    }
};

}  // namespace

TensorIndex::TensorIndex(const char* text) : kind_(kind::ellipsis) {
    if (std::strcmp(text, "...") != 0)
        fail<ValueError>("index", "the text is no index", front::text('"', text, '"'), "\"...\"",
                         "Ellipsis");
}

Tensor tensor_base::slice(int64_t dim, optional<int64_t> start, optional<int64_t> end,
                          int64_t step) const {
    const TensorImpl& t = body("slice", *this);
    const geometry& g = *t.shape;
    require_dimensions("slice", g);
    const auto i = static_cast<std::size_t>(front::wrap_dim("slice", dim, g.ndim));
    dims d(g);
    const part p = clamp_slice("slice", d.sizes[i], start, end, step);
    const int64_t offset = g.offset + p.start * d.strides[i];
    d.sizes[i] = p.length;
    d.strides[i] *= step;
    return front::view_of(t, d.sizes, d.strides, offset);
}

Tensor tensor_base::select(int64_t dim, int64_t index) const {
    const TensorImpl& t = body("select", *this);
    const geometry& g = *t.shape;
    require_dimensions("select", g);
    const int64_t i = front::wrap_dim("select", dim, g.ndim);
    const int64_t at = wrap_index("select", index, i, g, g.sizes()[i]);
    const int64_t offset = g.offset + at * g.strides()[i];
    dims d(g);
    d.erase(i);
    return front::view_of(t, d.sizes, d.strides, offset);
}

Tensor tensor_base::narrow(int64_t dim, int64_t start, int64_t length) const {
    const TensorImpl& t = body("narrow", *this);
    const geometry& g = *t.shape;
    require_dimensions("narrow", g);
    const int64_t i = front::wrap_dim("narrow", dim, g.ndim);
    const int64_t size = g.sizes()[i];
    const int64_t from = start == size ? start : wrap_index("narrow", start, i, g, size);
    if (length < 0 || length > size - from)
        fail("narrow", "the part does not fit the dimension",
             text("start ", start, " and length ", length, " for a dimension of ", size),
             text("a length of 0 to ", size - from), "a shorter length");
    return slice(i, from, from + length, 1);
}

Tensor tensor_base::operator[](int64_t index) const {
    const TensorImpl& t = body("index", *this);
    require_dimensions("index", *t.shape);
    return select(0, index);
}

Tensor tensor_base::operator[](const tensor_base& index) const {
    const TensorImpl& i = body("index", index);
    if (i.shape->ndim != 0 || !isIntegralType(i.dtype, false))
        fail<IndexError>("index", "the index is not one integer",
                         text("a ", i.dtype, " tensor of sizes ", i.shape->sizes_ref()),
                         "a 0-d tensor of integers", "item() of it");
    return (*this)[index.item<int64_t>()];
}

Tensor tensor_base::index(std::initializer_list<TensorIndex> indices) const {
    const TensorImpl& t = body("index", *this);
    const geometry& g = *t.shape;
    using kind = TensorIndex::kind;
    int64_t named = 0, ellipses = 0;
    for (const TensorIndex& i : indices) {
        named += i.which() == kind::integer || i.which() == kind::slice;
        ellipses += i.which() == kind::ellipsis;
    }
    if (named > g.ndim)
        fail<IndexError>("index", "there are too many indices",
                         text(named, " for a tensor of sizes ", g.sizes_ref()),
                         text("at most ", g.ndim), "fewer indices");
    if (ellipses > 1)
        fail<IndexError>("index", "there is more than one Ellipsis", text(ellipses), "at most one",
                         "Slice() for the others");
    cursor c(g);
    for (const TensorIndex& i : indices) {
        switch (i.which()) {
            case kind::none: c.add_dimension(); break;
            case kind::ellipsis: c.skip(g.ndim - named); break;
            case kind::integer: c.take(i.integer()); break;
            case kind::slice: c.take(i.slice()); break;
        }
    }
    return front::view_of(t, c.d.sizes, c.d.strides, c.offset);
}

}  // namespace sinter::inline v1
