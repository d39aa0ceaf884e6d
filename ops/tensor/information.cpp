// Properties of a tensor that are known without computing anything.
#include "ops/common/devices.hpp"

namespace sinter::inline v1 {

using ops::body;

namespace {

/// Returns `dim` counted from 0. Unlike a view's dimension, that of size() and stride() must exist:
/// a 0-d tensor has none.
int64_t existing_dim(const char* op, int64_t dim, int64_t ndim) {
    if (ndim == 0)
        runtime::fail<IndexError>(op, "the tensor has too few dimensions",
                                  runtime::text("dimension ", dim, " of a 0-d tensor"),
                                  "at least 1 dimension", "numel()");
    return ops::wrap_dim(op, dim, ndim);
}

}  // namespace

IntArrayRef tensor_base::sizes() const { return body("sizes", *this).shape->sizes_ref(); }
IntArrayRef tensor_base::strides() const { return body("strides", *this).shape->strides_ref(); }

int64_t tensor_base::size(int64_t dim) const {
    const geometry& g = *body("size", *this).shape;
    return g.sizes()[existing_dim("size", dim, g.ndim)];
}

int64_t tensor_base::stride(int64_t dim) const {
    const geometry& g = *body("stride", *this).shape;
    return g.strides()[existing_dim("stride", dim, g.ndim)];
}

int64_t tensor_base::dim() const { return body("dim", *this).shape->ndim; }
int64_t tensor_base::numel() const { return body("numel", *this).shape->numel; }
std::size_t tensor_base::itemsize() const { return elementSize(body("itemsize", *this).dtype); }

std::size_t tensor_base::nbytes() const {
    const TensorImpl& t = body("nbytes", *this);
    return static_cast<std::size_t>(t.shape->numel) * elementSize(t.dtype);
}

ScalarType tensor_base::scalar_type() const { return body("scalar_type", *this).dtype; }

Device tensor_base::device() const { return ops::device_of(body("device", *this).device); }

TensorOptions tensor_base::options() const {
    const TensorImpl& t = body("options", *this);
    return TensorOptions(t.dtype).device(ops::device_of(t.device)).layout(kStrided);
}

Layout tensor_base::layout() const {
    body("layout", *this);
    return kStrided;
}

bool tensor_base::is_non_overlapping_and_dense() const {
    const geometry& g = *body("is_non_overlapping_and_dense", *this).shape;
    const geometry_ptr first = make_geometry(g.sizes_ref(), g.strides_ref(), 0);
    return g.numel <= 1 || covers(*first, g.numel);
}

bool tensor_base::is_same_size(const tensor_base& other) const {
    return body("is_same_size", *this).shape->sizes_ref() ==
           body("is_same_size", other).shape->sizes_ref();
}

std::string tensor_base::toString() const {
    return defined() ? runtime::text(is_cpu() ? "CPU" : "CUDA", scalar_type(), "Type")
                     : "UndefinedType";
}
int64_t tensor_base::get_device() const {
    body("get_device", *this);
    return device().is_cpu() ? -1 : device().index();
}

bool tensor_base::is_contiguous() const { return body("is_contiguous", *this).shape->contiguous; }
int64_t tensor_base::storage_offset() const { return body("storage_offset", *this).shape->offset; }
bool tensor_base::defined() const { return self().defined(); }

bool tensor_base::is_same(const tensor_base& other) const {
    return self().unsafeGetTensorImpl() == other.self().unsafeGetTensorImpl();
}

bool tensor_base::is_alias_of(const tensor_base& other) const {
    return body("is_alias_of", *this).storage == body("is_alias_of", other).storage;
}

uint64_t tensor_base::_version() const {
    const Storage& s = *body("_version", *this).storage;
    if (s.inference)
        runtime::fail("_version", "Inference tensors do not track version counter",
                      "a tensor that was made in inference mode", "an ordinary tensor",
                      "clone() outside of InferenceMode");
    return s.version;
}
bool tensor_base::is_inference() const { return body("is_inference", *this).storage->inference; }

}  // namespace sinter::inline v1
