// The dtypes of a command line.
#pragma once

#include <sinter/dtype.hpp>

#include <string>
#include <vector>

namespace sinter::cache_command {

/// Returns the dtypes of these names ("f32", "i64"). Throws Error for one that there is not.
std::vector<ScalarType> dtypes_of(const std::vector<std::string>& names);

}  // namespace sinter::cache_command
