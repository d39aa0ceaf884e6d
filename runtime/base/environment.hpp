// What the environment tells the library: every variable that has choices or is a number, with what
// it may be, in one table. Names of files and libraries are read where they are opened.
#pragma once

#include <cstdint>
#include <string_view>

namespace sinter::runtime {

/// The word that a variable has: one of its choices, the first of them where it is unset or empty.
/// Throws ValueError, which names the choices, where it is something else.
std::string_view environment_choice(const char* variable);

/// A number within the variable's bounds, `otherwise` where it is unset or empty. Throws ValueError
/// where it is something else.
int64_t environment_number(const char* variable, int64_t otherwise);

/// Throws the ValueError of the first variable that is not understood. The first operation of each
/// thread calls it, so that a word that is misspelt is found where a program can catch it, whether
/// or not that run would read it.
void check_environment();

}  // namespace sinter::runtime
