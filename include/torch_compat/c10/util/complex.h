// c10::complex is sinter::complex; its functions are in std and, as libtorch's, in no namespace.
#pragma once

#include <ATen/ATen.h>
#include <sinter/functions/complex_math.hpp>

#define SINTER_BRING(name) using sinter::complex_math::name;
SINTER_COMPLEX_MATH(SINTER_BRING)
#undef SINTER_BRING
