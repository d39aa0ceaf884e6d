// The environment variables with choices or numbers, and their valid values, in one table. Names of
// files and libraries are read where they are opened.
#pragma once

#include <cstdint>
#include <string_view>

namespace sinter::runtime {

/// Returns the value of a variable: one of its choices, the first one if it is unset or empty.
/// Throws ValueError, which names the choices, for any other value.
std::string_view environment_choice(const char* variable);

/// Returns a number within the variable's bounds, or `otherwise` if it is unset or empty. Throws
/// ValueError for any other value.
int64_t environment_number(const char* variable, int64_t otherwise);

/// Throws the ValueError of the first invalid variable. The first operation of each thread calls
/// it, so that a program can catch the error even if that run would not read the variable.
void check_environment();

}  // namespace sinter::runtime
