// Functions of complex tensors, composed from functions of their real and imaginary parts.
#pragma once

#include "ops/common/op_checks.hpp"

namespace sinter::ops {

/// Returns a pending complex tensor of these parts, which broadcast.
Tensor joined(const tensor_base& re, const tensor_base& im);

/// Returns f(real part) + i f(imaginary part).
template <class F>
Tensor by_parts(const tensor_base& z, const F& f);
}  // namespace sinter::ops

namespace sinter::inline v1 {
Tensor real(const tensor_base& self);
Tensor imag(const tensor_base& self);
}  // namespace sinter::inline v1

namespace sinter::ops {

template <class F>
Tensor by_parts(const tensor_base& z, const F& f) {
    return joined(f(real(z)), f(imag(z)));
}

}  // namespace sinter::ops
