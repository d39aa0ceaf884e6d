// The environment variables of the library: the table environment.def, read once into one struct.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace sinter::runtime {

#define SINTER_LISTED(...) {__VA_ARGS__}
#define CHOICE(field, variable, choices, meaning) \
    enum class field##_choice : uint8_t SINTER_LISTED choices;
#define SWITCH(...)
#define NUMBER(...)
#define TEXT(...)
#include "runtime/base/environment.def"
#undef SINTER_LISTED

/// A row of the table, as `sinter info` prints it.
struct variable {
    const char* name;
    std::string value;  // in force; empty: none
    bool set;           // false: the default
    const char* meaning;
};

/// The values in force.
struct settings {
#define CHOICE(field, ...) field##_choice field{};
#define SWITCH(field, ...) bool field = false;
#define NUMBER(field, ...) int64_t field = 0;
#define TEXT(field, ...) std::string field;
#include "runtime/base/environment.def"
    std::vector<variable> all;  // in the order of the table
};

/// A text of the settings, for records that name the variable of a library.
using text_setting = std::string settings::*;
const char* name_of(text_setting field);

extern constinit std::atomic<const settings*> known_environment;
const settings& read_environment();

/// Returns the settings. The first call reads the environment. Throws the ValueError of the first
/// invalid variable; then the next call reads again, so that a program may correct the environment
/// and go on. The first operation of each thread calls it.
inline const settings& environment() {
    const settings* known = known_environment.load(std::memory_order_acquire);
    return known ? *known : read_environment();
}

/// Returns the variables of other libraries that change what runs, as they are set now.
std::string variables_of_libraries();
/// Returns true if a variable of another library is set now.
bool is_set(const char* name);
/// Calls f while `name` has this value; it must not be set. Other threads may read the environment
/// meanwhile.
void with_variable(const char* name, const std::string& value, const std::function<void()>& f);

}  // namespace sinter::runtime
