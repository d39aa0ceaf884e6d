// view, reshape and flatten: the same elements, in row-major order, under other sizes.
#include "ops/common/op_checks.hpp"

#include <algorithm>

namespace sinter::inline v1 {

using ops::body;
using runtime::fail;
using runtime::text;

namespace {

/// Returns the sizes with -1 replaced by the remaining size.
std::vector<int64_t> infer_sizes(const char* op, const geometry& g, IntArrayRef sizes) {
    std::vector<int64_t> to = sizes.vec();
    int64_t* open = nullptr;
    int64_t known = 1;
    const auto refuse = [&](const std::string& what) {
        fail(op, what, text("sizes ", sizes, " for shape ", g.sizes_ref()),
             text("sizes whose product is ", g.numel),
             "-1 for one of the sizes, which is then inferred");
    };
    const auto refuse_product = [&] {
        refuse(text("shape '", sizes, "' is invalid for input of size ", g.numel));
    };
    for (int64_t& s : to) {
        if (s == -1) {
            if (open) refuse("only one dimension can be inferred");
            open = &s;
        } else if (s < 0) {
            refuse(text("invalid shape dimension ", s));
        } else if (__builtin_mul_overflow(known, s, &known)) {
            refuse_product();
        }
    }
    if (open) {
        if (known == 0)
            refuse("the size for -1 is ambiguous, because the other sizes have the product 0");
        if (g.numel % known != 0) refuse_product();
        *open = g.numel / known;
    } else if (known != g.numel) {
        refuse_product();
    }
    return to;
}

/// Finds strides that view the elements of `g` under other sizes with the same product. Returns
/// false if there are none.
bool infer_strides(const geometry& g, const std::vector<int64_t>& to,
                   std::vector<int64_t>& strides) {
    const auto rank = static_cast<int>(to.size());
    strides.assign(to.size(), 1);
    if (g.numel == 0) {
        if (g.sizes_ref() == IntArrayRef(to)) {
            strides = g.strides_ref().vec();
            return true;
        }
        for (int d = rank - 2; d >= 0; --d) {
            const auto i = static_cast<std::size_t>(d);
            strides[i] = strides[i + 1] * std::max<int64_t>(to[i + 1], 1);
        }
        return true;
    }
    // Old dimensions form runs: within a run, each stride equals the size times the stride of the
    // next dimension. New dimensions must split each run exactly, from the last one on.
    int fill = rank - 1;
    for (int d = g.ndim - 1; d >= 0;) {
        const int64_t step = g.strides()[d];
        int64_t run = g.sizes()[d];
        for (--d; d >= 0 && (g.sizes()[d] == 1 || g.strides()[d] == run * step); --d)
            run *= g.sizes()[d];
        int64_t used = 1;
        for (; fill >= 0 && (used < run || to[static_cast<std::size_t>(fill)] == 1); --fill) {
            strides[static_cast<std::size_t>(fill)] = used * step;
            used *= to[static_cast<std::size_t>(fill)];
        }
        if (used != run) return false;
    }
    return fill < 0 || g.ndim == 0;
}

}  // namespace

Tensor tensor_base::view(IntArrayRef sizes) const {
    const TensorImpl& t = body("view", *this);
    const std::vector<int64_t> to = infer_sizes("view", *t.shape, sizes);
    std::vector<int64_t> strides;
    if (!infer_strides(*t.shape, to, strides))
        fail("view", "view size is not compatible with input tensor's size and stride",
             text("sizes ", sizes, " for ", ops::shape_of(t), " with strides ",
                  t.shape->strides_ref()),
             "sizes that split dimensions or merge contiguous ones",
             "reshape(), which copies if it must");
    return ops::view_of(t, to, strides, t.shape->offset);
}

Tensor tensor_base::view_as_dtype(ScalarType dtype) const {
    const TensorImpl& t = body("view", *this);
    runtime::require_dtype("view", dtype);
    const geometry& g = *t.shape;
    const auto from = static_cast<int64_t>(elementSize(t.dtype)),
               to = static_cast<int64_t>(elementSize(dtype));
    if (from == to) return Tensor(make_view(t, t.shape, dtype));
    ops::dims d(g);
    // Sizes and strides are converted to units of the smaller element, then to the new one.
    // NOLINTNEXTLINE(clang-analyzer-core.DivideZero): both are dtypes of elements
    const int64_t more = std::max<int64_t>(from / to, 1), fewer = std::max<int64_t>(to / from, 1);
    bool fits = g.ndim > 0 && (d.strides.back() == 1 || d.sizes.back() == 1);
    fits = fits && d.sizes.back() % fewer == 0 && g.offset % fewer == 0;
    for (std::size_t i = 0; fits && i < d.sizes.size(); ++i) {
        if (i + 1 == d.sizes.size()) {
            d.sizes[i] = d.sizes[i] * more / fewer;
            d.strides[i] = 1;
        } else {
            fits = d.strides[i] % fewer == 0 || d.sizes[i] <= 1;
            d.strides[i] = d.strides[i] * more / fewer;
        }
    }
    if (!fits)
        fail("view", text("the layout does not fit elements of ", dtype),
             text("a ", t.dtype, " tensor of shape ", g.sizes_ref(), ", strides ", g.strides_ref(),
                  " and offset ", g.offset),
             text("a last stride of 1, and the last size, the other strides and the offset "
                  "divisible by ",
                  fewer),
             "contiguous() first");
    return Tensor(make_view(t, make_geometry(d.sizes, d.strides, g.offset * more / fewer), dtype));
}

Tensor tensor_base::reshape(IntArrayRef sizes) const {
    const TensorImpl& t = body("reshape", *this);
    const std::vector<int64_t> to = infer_sizes("reshape", *t.shape, sizes);
    std::vector<int64_t> strides;
    if (infer_strides(*t.shape, to, strides)) return ops::view_of(t, to, strides, t.shape->offset);
    return contiguous().view(to);
}

Tensor tensor_base::flatten(int64_t start_dim, int64_t end_dim) const {
    const TensorImpl& t = body("flatten", *this);
    const geometry& g = *t.shape;
    const int64_t start = ops::wrap_dim("flatten", start_dim, g.ndim);
    const int64_t end = ops::wrap_dim("flatten", end_dim, g.ndim);
    if (start > end)
        fail("flatten", "start_dim cannot come after end_dim",
             text("start_dim ", start_dim, " and end_dim ", end_dim), "start_dim <= end_dim",
             "swapping them");
    if (g.ndim == 0) return reshape({1});
    if (start == end) return self();
    std::vector<int64_t> to(g.sizes(), g.sizes() + start);
    int64_t joined = 1;
    for (int64_t d = start; d <= end; ++d) joined *= g.sizes()[d];
    to.push_back(joined);
    to.insert(to.end(), g.sizes() + end + 1, g.sizes() + g.ndim);
    return reshape(to);
}

Tensor tensor_base::view_as(const tensor_base& other) const {
    return view(body("view_as", other).shape->sizes_ref());
}

Tensor tensor_base::reshape_as(const tensor_base& other) const {
    return reshape(body("reshape_as", other).shape->sizes_ref());
}

Tensor tensor_base::ravel() const { return contiguous().view(body("ravel", *this).shape->numel); }

Tensor tensor_base::unflatten(int64_t dim, IntArrayRef sizes) const {
    const TensorImpl& t = body("unflatten", *this);
    const geometry& g = *t.shape;
    ops::require_dims_from<IndexError>("unflatten", t, 1, "reshape()");
    dim = ops::wrap_dim("unflatten", dim, g.ndim);
    if (sizes.empty())
        fail("unflatten", "the list of sizes is empty", "{}", "one size or more",
             "squeeze() to remove a dimension of size 1");
    const geometry_ptr part = make_contiguous(g.sizes()[dim]);
    const std::vector<int64_t> parts = infer_sizes("unflatten", *part, sizes);
    std::vector<int64_t> to = g.sizes_ref().vec();
    to.erase(to.begin() + dim);
    to.insert(to.begin() + dim, parts.begin(), parts.end());
    return view(to);  // splitting a dimension never needs a copy
}

}  // namespace sinter::inline v1
