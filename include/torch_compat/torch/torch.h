// The name under which libtorch's programs include everything. It is in a folder of its own, which
// the target sinter::torch_compat adds: Sinter's other headers never declare torch, at or c10, so
// that both libraries can stand in one program.
#pragma once

#include <ATen/ATen.h>
#include <c10/util/complex.h>

#include <sinter/optim.hpp>

namespace torch {
using namespace sinter;  // NOLINT: the point of this header
}
