// The namespaces and macros of ATen and c10 that numerical programs use, over Sinter.
#pragma once

#include <ATen/Dispatch.h>
#include <c10/util/Exception.h>
#include <c10/util/irange.h>
#include <sinter/sinter.hpp>

namespace at = sinter;   // NOLINT: the point of this header
namespace c10 = sinter;  // NOLINT
