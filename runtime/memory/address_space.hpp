// How much the process may still map.
#pragma once

#include <cstddef>

namespace sinter::runtime {

/// Returns true if the process may map so many more bytes now. For work that cannot cope with an
/// allocation that fails, as a compiler without exceptions.
bool address_space_left(std::size_t bytes) noexcept;

}  // namespace sinter::runtime
