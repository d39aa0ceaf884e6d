// Storages as lists, and functions that point a handle at other memory.
#include "engine/graph/gradient.hpp"
#include "engine/watch/watch.hpp"
#include "engine/run/record.hpp"
#include "ops/common/op_checks.hpp"

#include "runtime/types/element.hpp"

#include <sinter/accessor.hpp>
#include <sinter/functions/print.hpp>
#include <sinter/storage.hpp>

#include <cstring>
#include <ostream>

namespace sinter::inline v1 {

using ops::body;
using runtime::fail;
using runtime::text;

namespace {

TensorImpl& changeable(const char* op, const tensor_base& t) {
    return const_cast<TensorImpl&>(body(op, t));
}

int64_t elements_of(const TensorImpl& t) { return elements_in(*t.storage, t.dtype); }

/// Gives `t` the layout and the storage, which grows if it is too small.
void lay_out(const char* op, TensorImpl& t, const intrusive_ptr<Storage>& storage,
             geometry_ptr shape) {
    if (t.storage->differentiated && GradMode::is_enabled() && gradient_edge(t).is_valid())
        fail(op, "cannot resize variables that require grad", ops::shape_of(t),
             "a tensor without a gradient", "detach() first");
    const int64_t wanted = extent_of(*shape);
    const int64_t have = elements_in(*storage, t.dtype);
    if (wanted > have) {
        if (storage->main && !storage->main->of_pool())
            fail(op, "Trying to resize storage that is not resizable",
                 text("external memory of ", runtime::count_of(have, "element"),
                      " for sizes that need ", wanted),
                 text("sizes that need at most ", runtime::count_of(have, "element")),
                 "clone() first");
        const Version& now = *storage->current;
        const auto unit = static_cast<int64_t>(elementSize(now.dtype));
        const int64_t bytes = wanted * static_cast<int64_t>(elementSize(t.dtype));
        // NOLINTNEXTLINE(clang-analyzer-core.DivideZero): storages have a dtype
        grow(*storage, (bytes + unit - 1) / unit, static_cast<int>(flush_reason::data_ptr));
    }
    note_effect("gives a tensor other memory");
    t.storage = storage;
    t.shape = std::move(shape);
}

}  // namespace

// ---- the list
Tensor TypedStorage::whole() const {
    const TensorImpl& t = *of_.unsafeGetTensorImpl();
    return Tensor(make_view(t, make_contiguous(elements_of(t))));
}

int64_t TypedStorage::size() const { return elements_of(*of_.unsafeGetTensorImpl()); }
std::size_t TypedStorage::nbytes() const {
    return static_cast<std::size_t>(size()) * elementSize(dtype());
}
ScalarType TypedStorage::dtype() const { return of_.scalar_type(); }
Device TypedStorage::device() const { return of_.device(); }
void* TypedStorage::data() const { return whole().data_ptr(); }

TypedStorage::reference TypedStorage::operator[](int64_t index) const {
    const int64_t n = size();
    if (index < -n || index >= n)
        fail<IndexError>("storage", "the index is out of range", text(index),
                         n == 0 ? "a storage with elements" : text(-n, " to ", n - 1),
                         "checking size() first");
    return {this, index < 0 ? index + n : index};
}

const TypedStorage& TypedStorage::fill_(const Scalar& value) const {
    whole().fill_(value);
    return *this;
}

bool TypedStorage::reference::same(const Scalar& a, const Scalar& b) {
    return runtime::same_value(a, b);
}

TypedStorage::reference::operator Scalar() const {
    const ScalarType dtype = of_->dtype();
    if (!of_->device().is_cpu()) return of_->whole()[at_].item();
    const Tensor all = of_->whole();
    const auto* at = static_cast<const char*>(all.const_data_ptr()) +
                     at_ * static_cast<int64_t>(elementSize(dtype));
    return runtime::load(at, dtype);
}

const TypedStorage::reference& TypedStorage::reference::operator=(const Scalar& value) const {
    const ScalarType dtype = of_->dtype();
    runtime::require_fits("storage", value, dtype);
    if (!of_->device().is_cpu()) {
        of_->whole()[at_].fill_(value);
        return *this;
    }
    auto* at = static_cast<char*>(of_->data()) + at_ * static_cast<int64_t>(elementSize(dtype));
    runtime::store(at, dtype, value);
    return *this;
}

std::ostream& operator<<(std::ostream& out, const TypedStorage::reference& element) {
    return out << repr(Scalar(element));
}

std::ostream& operator<<(std::ostream& out, const TypedStorage& storage) {
    for (const auto& element : storage) out << ' ' << element << '\n';
    return out << "[torch." << storage.dtype() << "Tensor of size " << storage.size() << ']';
}

TypedStorage tensor_base::storage() const {
    const TensorImpl& t = body("storage", *this);
    if (t.storage->read_only)
        eval();
    else
        data_ptr();
    return TypedStorage(self());
}

void detail::require_accessor(const tensor_base& t, std::size_t dims, int64_t most) {
    const geometry& g = *body("accessor", t).shape;
    if (g.ndim != static_cast<int64_t>(dims))
        fail("accessor", text("TensorAccessor expected ", dims, " dims but tensor has ", g.ndim),
             text("an accessor of ", runtime::count_of(static_cast<int64_t>(dims), "dimension"),
                  " for shape ", g.sizes_ref()),
             runtime::count_of(g.ndim, "dimension"), text("accessor<T, ", g.ndim, ">()"));
    if (g.numel > most)
        fail("accessor", "numel needs to be smaller than int32_t max",
             text(g.numel, " elements for 32-bit indices"), text("at most ", most),
             "packed_accessor64()");
}

void detail::require_accessor_dim(int64_t dim, std::size_t dims) {
    const auto n = static_cast<int64_t>(dims);
    if (dim < 0 || dim >= n)
        fail<IndexError>("transpose",
                         text("index ", dim, " is not within bounds of a tensor of dimension ", n),
                         text(dim), text("0 to ", n - 1), text(n - 1, " for the last dimension"));
}

// ---- other memory
Tensor tensor_base::data() const { return detach(); }

void tensor_base::set_data(const tensor_base& other) const {
    const TensorImpl& from = body("set_data", other);
    TensorImpl& t = changeable("set_data", *this);
    const intrusive_ptr<Storage> storage = from.storage;
    const geometry_ptr shape = from.shape;
    // A leaf stays one, with its gradient.
    const intrusive_ptr<gradient_family> family = family_pointer(t);
    if (t.storage->differentiated && family) {
        storage->differentiated = true;
        family->shape = shape;
        family->dtype = from.dtype;
    }
    note_effect("gives a tensor other memory");
    t.base = {};
    t.gradient = family;
    t.storage = storage;
    t.shape = shape;
    t.dtype = from.dtype;
}

namespace {

[[noreturn]] void refuse_source(ScalarType given, ScalarType wanted) {
    fail<TypeError>("set_", "the source has the wrong dtype", text(given), text(wanted),
                    text("set_data(), or .to(k", wanted, ") on the source"));
}

}  // namespace

Tensor& tensor_base::set_(const tensor_base& source) const {
    const TensorImpl& from = body("set_", source);
    TensorImpl& t = changeable("set_", *this);
    if (from.dtype != t.dtype) refuse_source(from.dtype, t.dtype);
    set_data(source);
    return self();
}

Tensor& tensor_base::set_(const TypedStorage& source) const {
    return set_(source, 0, source.size());
}

Tensor& tensor_base::set_(const TypedStorage& source, int64_t storage_offset, IntArrayRef sizes,
                          IntArrayRef strides) const {
    TensorImpl& t = changeable("set_", *this);
    const TensorImpl& from = *source.of_.unsafeGetTensorImpl();
    if (from.dtype != t.dtype) refuse_source(from.dtype, t.dtype);
    if (storage_offset < 0)
        fail("set_", "the storage offset is negative", text(storage_offset), "0 or more",
             "0, the start of the storage");
    if (!strides.empty())
        ops::require_strides("set_", sizes, strides,
                             "leaving the strides out for a contiguous layout");
    const std::vector<int64_t> dense = make_contiguous(sizes, "set_")->strides_ref().vec();
    geometry_ptr shape = make_geometry(sizes, strides.empty() ? IntArrayRef(dense) : strides,
                                       storage_offset, "set_");
    lay_out("set_", t, from.storage, std::move(shape));
    return self();
}

Tensor& tensor_base::set_() const {
    const Tensor nothing(make_empty(body("set_", *this).dtype, make_contiguous(0)));
    set_data(nothing);
    return self();
}

Tensor& tensor_base::set_(const tensor_base& source, int64_t storage_offset, IntArrayRef sizes,
                          IntArrayRef strides) const {
    body("set_", source);
    return set_(TypedStorage(source.self()), storage_offset, sizes, strides);
}

Tensor& tensor_base::resize_(IntArrayRef sizes, optional<MemoryFormat> format) const {
    TensorImpl& t = changeable("resize_", *this);
    if (format && *format == MemoryFormat::Preserve)
        fail("resize_", "MemoryFormat::Preserve names no format", "Preserve",
             "Contiguous, ChannelsLast or ChannelsLast3d",
             "resize_as_(), which takes the format of a tensor");
    if (t.shape->sizes_ref() == sizes && !format) return self();
    const geometry_ptr dense = ops::in_format("resize_", *make_contiguous(sizes, "resize_"),
                                              format.value_or(MemoryFormat::Contiguous));
    lay_out("resize_", t, t.storage, make_geometry(sizes, dense->strides_ref(), t.shape->offset));
    return self();
}

Tensor& tensor_base::resize_as_(const tensor_base& other, optional<MemoryFormat> format) const {
    const geometry& like = *body("resize_as_", other).shape;
    if (format && *format == MemoryFormat::Preserve) format = ops::suggested_format(like);
    resize_(like.sizes_ref());
    return format ? resize_(like.sizes_ref(), format) : self();
}

}  // namespace sinter::inline v1
