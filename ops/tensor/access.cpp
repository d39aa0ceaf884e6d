// Reading values and handing out pointers.
#include "engine/run/flush.hpp"
#include "ops/common/op_checks.hpp"

#include "ops/common/devices.hpp"
#include "runtime/types/element.hpp"

#include <span>
#include <type_traits>

namespace sinter::inline v1 {

using ops::body;
using runtime::fail;
using runtime::text;

namespace {

/// Throws Error unless the tensor's elements have the type T.
template <class T>
void require_type(const char* op, const TensorImpl& t) {
    constexpr ScalarType wanted = scalar_type_v<T>;
    if (t.dtype != wanted)
        fail(op, text("expected scalar type ", wanted, " but found ", t.dtype),
             text("a ", t.dtype, " tensor"), text("a ", wanted, " tensor"),
             text(".to(k", wanted, ") first, or ", TypeMeta(t.dtype).name(),
                  " as the element type"));
}

int64_t byte_offset(const TensorImpl& t) {
    return t.shape->offset * static_cast<int64_t>(elementSize(t.dtype));
}

char* writable(const TensorImpl& t) {
    Storage& s = *t.storage;
    if (s.read_only) runtime::refuse_read_only("data_ptr", "const_data_ptr(), or clone() first");
    settle(s, static_cast<int>(flush_reason::data_ptr));
    auto& buffer = ready_buffer(t, static_cast<int>(flush_reason::data_ptr));
    make_external(s);
    runtime::before_host_writes(buffer);
    runtime::open_to_stream(buffer, true);
    return static_cast<char*>(buffer.data) + byte_offset(t);
}

const char* readable(const TensorImpl& t) {
    const Buffer& buffer = ready_buffer(t, static_cast<int>(flush_reason::data_ptr));
    t.storage->address_known.store(true, std::memory_order_relaxed);
    runtime::open_to_stream(buffer, false);
    return static_cast<const char*>(buffer.data) + byte_offset(t);
}

Scalar only_element(const char* op, const TensorImpl& t) {
    if (t.shape->numel != 1)
        fail(op, text("a Tensor with ", t.shape->numel, " elements cannot be converted to Scalar"),
             ops::shape_of(t), "1 element",
             t.shape->numel == 0 ? "checking numel() first"
                                 : "an index first, or a reduction such as sum()");
    if (t.device != runtime::main_memory) {
        const Tensor one(intrusive_ptr<TensorImpl>(const_cast<TensorImpl*>(&t)));
        return only_element(op, *ops::on_host(one).unsafeGetTensorImpl());
    }
    const char* at = ops::values(t, flush_reason::value_read) + byte_offset(t);
    return runtime::load(at, t.dtype);
}

}  // namespace

Scalar tensor_base::item() const { return only_element("item", body("item", *this)); }

template <class T>
T tensor_base::item() const {
    const Scalar s = item();
    runtime::require_fits("item", s, scalar_type_v<T>);
    T value;
    runtime::store(reinterpret_cast<char*>(&value), scalar_type_v<T>, s);
    return value;
}

bool tensor_base::is_nonzero() const {
    return only_element("is_nonzero", body("is_nonzero", *this)).toBool();
}

Tensor& tensor_base::eval() const {
    flush(body("eval", *this), static_cast<int>(flush_reason::eval));
    return self();
}

namespace {

void eval_all(std::span<const Tensor> tensors) {
    std::vector<Version*> wanted;
    for (const Tensor& t : tensors) wanted.push_back(body("eval", t).storage->current.get());
    flush(wanted, static_cast<int>(flush_reason::eval));
}

}  // namespace

void eval(std::initializer_list<Tensor> tensors) { eval_all({tensors.begin(), tensors.size()}); }
void eval(const std::vector<Tensor>& tensors) { eval_all(tensors); }

void* tensor_base::data_ptr() const { return writable(body("data_ptr", *this)); }

const void* tensor_base::const_data_ptr() const { return readable(body("const_data_ptr", *this)); }

template <class T>
T* tensor_base::data_ptr() const {
    if constexpr (std::is_const_v<T>) {
        return const_data_ptr<std::remove_const_t<T>>();
    } else {
        const TensorImpl& t = body("data_ptr", *this);
        require_type<T>("data_ptr", t);
        return reinterpret_cast<T*>(writable(t));
    }
}

template <class T>
const T* tensor_base::const_data_ptr() const {
    const TensorImpl& t = body("const_data_ptr", *this);
    require_type<T>("const_data_ptr", t);
    return reinterpret_cast<const T*>(readable(t));
}

#define SINTER_DTYPE(type, ...)                                                \
    template SINTER_API type tensor_base::item<type>() const;                  \
    template SINTER_API const type* tensor_base::const_data_ptr<type>() const; \
    template SINTER_API type* tensor_base::data_ptr<type>() const;             \
    template SINTER_API const type* tensor_base::data_ptr<const type>() const;
#define SINTER_COMPLEX_DTYPE SINTER_DTYPE
#include <sinter/core/dtype.def>

}  // namespace sinter::inline v1
