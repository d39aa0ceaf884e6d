// A program of a run-time compiler, for both vendors.
#pragma once

#include "core/compile/compiler.hpp"

#include <span>
#include <string>
#include <vector>

namespace gpu_emulator {

enum rtc_code : int {
    rtc_success = 0,
    rtc_invalid_input = 3,
    rtc_invalid_program = 4,
    rtc_invalid_option = 5,
    rtc_compilation = 6,
};

/// Fills the request from a vendor's options. Returns a code; errors are in the log.
using read_options = int (*)(const std::vector<std::string>& options, compile_request& r,
                             std::string& log);

int rtc_create(void** program, const char* text, const char* name, int headers);
int rtc_compile(void* program, const char* prelude, read_options read, int count,
                const char* const* options);
int rtc_destroy(void** program);
int rtc_log_size(void* program, std::size_t* size);
int rtc_log(void* program, char* log);
int rtc_code_size(void* program, std::size_t* size);
int rtc_code(void* program, char* code);
/// Returns the architecture of a compiled program; empty if it was not compiled.
std::string rtc_architecture(void* program);

/// Returns the architectures that the compiler knows: `usual`, unless the environment names others.
std::vector<std::string> known_architectures(std::span<const char* const> usual);

/// Returns true if `option` begins with `name`; then `value` is the rest.
bool takes(const std::string& option, const char* name, std::string& value);

}  // namespace gpu_emulator
