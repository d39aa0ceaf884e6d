// The namespaces and macros of ATen and c10 that numerical programs use, over Sinter.
#pragma once

#include <ATen/Dispatch.h>
#include <c10/macros/Macros.h>
#include <c10/util/Exception.h>
#include <c10/util/irange.h>
#include <sinter/sinter.hpp>

#include <string_view>

// Namespaces of their own, not other names of sinter, so that programs can open them.
namespace at {
using namespace sinter;  // NOLINT: the point of this header
}
namespace c10 {
using namespace sinter;  // NOLINT
using string_view = std::string_view;
}  // namespace c10
namespace caffe2 {
using sinter::TypeMeta;
}
