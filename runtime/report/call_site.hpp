// The line of the program from which the library was called: return addresses when it matters,
// words only when somebody asks.
#pragma once

#include <array>
#include <string>

namespace sinter::runtime {

/// Return addresses, innermost first.
struct call_site {
    static constexpr int most = 32;
    std::array<void*, most> frames;
    int count = 0;
};

/// Returns the stack of the caller. Takes a few microseconds.
call_site current_call_site();

/// Returns `file.cpp:12`, the innermost line that belongs to no function of the library. Without
/// debug information, the name of that function; without addr2line (binutils), nothing. Starts a
/// process for each new address.
std::string line_of(const call_site& site);

}  // namespace sinter::runtime
