// Complex tensors: their parts, their construction, and their functions.
#include "ops/common/conjugate.hpp"
#include "ops/common/parts.hpp"
#include "ops/common/pointwise_builder.hpp"

#include <sinter/functions/functions.hpp>
#include <sinter/functions/pointwise.hpp>
#include <sinter/warning.hpp>

#include <cmath>

namespace sinter::ops {

namespace {

/// Two real operands of one dtype, broadcast, and the complex dtype of their result.
struct both {
    both(const char* op, const tensor_base& x, const tensor_base& y)
        : a(body(op, x)), b(body(op, y)), dtype(toComplexType(a.dtype)) {
        for (ScalarType t : {a.dtype, b.dtype})
            if (t != kFloat && t != kDouble)
                runtime::refuse_dtype(op, toString(t), "Float or Double");
        ops::require_same_dtype(op, a, b);
        shape = make_contiguous(broadcast_shapes(op, a.shape->sizes_ref(), b.shape->sizes_ref()));
    }
    const TensorImpl &a, &b;
    ScalarType dtype;
    geometry_ptr shape;
};

}  // namespace

Tensor joined(const tensor_base& re, const tensor_base& im) {
    const both p("complex", re, im);
    return sequence().read(read(p.a)).read(read(p.b)).join(p.dtype).pending(p.dtype, p.shape);
}

void warn_of_cast(ScalarType from, ScalarType to) {
    if (isComplexType(from) && !isComplexType(to) && to != kBool)
        warn_once(Warning("Casting complex values to real discards the imaginary part"));
}

}  // namespace sinter::ops

namespace sinter::inline v1 {

using ops::body;
using ops::both;
using ops::choose;
using ops::formula;
using ops::read;
using ops::sequence;
using ops::term;

namespace {

Tensor part_view(const TensorImpl& t, int part) {
    return Tensor(make_view(t, part_geometry(*t.shape, part), toRealValueType(t.dtype)));
}

}  // namespace

complex<Tensor>::complex(const tensor_base& re, const tensor_base& im)
    : Tensor(ops::joined(re, im)) {}

Tensor polar(const tensor_base& abs, const tensor_base& angle) {
    const both p("polar", abs, angle);
    const leaf size = read(p.a), turn = read(p.b);
    sequence code;
    code.read(size).read(turn).row(op::cos).row(op::mul);
    code.read(size).read(turn).row(op::sin).row(op::mul);
    return code.join(p.dtype).pending(p.dtype, p.shape);
}

Tensor real(const tensor_base& t) {
    const TensorImpl& z = body("real", t);
    return isComplexType(z.dtype) ? part_view(z, 0) : t.self();
}

Tensor imag(const tensor_base& t) {
    const TensorImpl& z = body("imag", t);
    if (!isComplexType(z.dtype))
        runtime::fail<TypeError>("imag", "the tensor is real", toString(z.dtype), "a complex dtype",
                                 "zeros_like(), the imaginary part of a real tensor");
    return part_view(z, 1);
}

Tensor view_as_real(const tensor_base& t) {
    const TensorImpl& z = body("view_as_real", t);
    if (!isComplexType(z.dtype))
        runtime::fail<TypeError>("view_as_real", "the tensor is real", toString(z.dtype),
                                 "a complex dtype", "view_as_complex(), the inverse");
    return t.unsqueeze(-1).view(toRealValueType(z.dtype));
}

Tensor view_as_complex(const tensor_base& t) {
    const TensorImpl& x = body("view_as_complex", t);
    const geometry& g = *x.shape;
    if (isComplexType(x.dtype))
        runtime::fail<TypeError>("view_as_complex", "the tensor is complex", toString(x.dtype),
                                 "a real dtype", "view_as_real(), the inverse");
    if (x.dtype != kFloat && x.dtype != kDouble)
        runtime::refuse_dtype("view_as_complex", toString(x.dtype), "Float or Double");
    if (g.ndim == 0 || g.sizes()[g.ndim - 1] != 2)
        runtime::fail("view_as_complex", "the last dimension does not have size 2",
                      ops::shape_of(x), "shape [..., 2]", "complex(re, im) for separate parts");
    ops::dims d(g);
    bool even = g.offset % 2 == 0 && d.strides.back() == 1;
    d.erase(g.ndim - 1);
    for (std::size_t i = 0; i < d.sizes.size(); ++i) {
        even = even && (d.strides[i] % 2 == 0 || d.sizes[i] <= 1);
        d.strides[i] /= 2;
    }
    if (!even)
        runtime::fail("view_as_complex", "the strides do not fit complex elements",
                      runtime::text("strides ", g.strides_ref(), " and offset ", g.offset),
                      "a last stride of 1, and all other strides and the offset even",
                      "contiguous() first");
    return Tensor(
        make_view(x, make_geometry(d.sizes, d.strides, g.offset / 2), toComplexType(x.dtype)));
}

Tensor tensor_base::conj() const {
    const TensorImpl& z = body("conj", *this);
    return isComplexType(z.dtype) ? ops::conjugate(z) : self();
}
Tensor tensor_base::conj_physical() const { return conj(); }
Tensor& tensor_base::conj_physical_() const {
    if (is_complex()) imag(*this).neg_();
    return self();
}
Tensor tensor_base::resolve_conj() const { return self(); }
Tensor tensor_base::resolve_neg() const { return self(); }

Tensor tensor_base::angle() const {
    const TensorImpl& t = body("angle", *this);
    if (isComplexType(t.dtype)) {
        const ScalarType part = toRealValueType(t.dtype);
        const leaf l = read(t);
        return sequence().read(l).part(1).read(l).part(0).row(op::atan2).pending(
            part, ops::layout_like(*t.shape));
    }
    formula f("angle", {&t});
    f.floating();
    const term x = f.read(t);
    return f.pending(choose(x < 0, M_PI, choose(term::apply(op::isnan, x), x, 0.0)));
}

Tensor tensor_base::isreal() const {
    const TensorImpl& t = body("isreal", *this);
    if (!isComplexType(t.dtype)) return full(t.shape->sizes_ref(), true, ops::beside(t, kBool));
    return sequence().read(read(t)).part(1).number(0.0).row(op::eq).pending(
        kBool, make_contiguous(t.shape->sizes_ref()));
}

Tensor conj(const tensor_base& t) { return t.conj(); }
Tensor conj_physical(const tensor_base& t) { return t.conj_physical(); }
Tensor resolve_conj(const tensor_base& t) { return t.resolve_conj(); }
Tensor resolve_neg(const tensor_base& t) { return t.resolve_neg(); }
Tensor angle(const tensor_base& t) { return t.angle(); }
Tensor isreal(const tensor_base& t) { return t.isreal(); }

}  // namespace sinter::inline v1
