// What a command of `sinter cache` found: records, as a table for people or as JSON.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace sinter::cache_command {

/// A text, a number or a truth value.
struct value {
    std::string text;
    bool quoted = true;  // in JSON

    value(std::string t) : text(std::move(t)) {}
    value(const char* t) : text(t) {}
    value(uint64_t n) : text(std::to_string(n)), quoted(false) {}
    value(bool b) : text(b ? "true" : "false"), quoted(false) {}
};

/// Fields in their order. All records of a report have the same ones.
using record = std::vector<std::pair<const char*, value>>;

/// Returns an array of objects, a line each.
std::string as_json(const std::vector<record>& records);

/// Returns a line with the names of the fields, and one for each record. Empty if there are none.
std::string as_table(const std::vector<record>& records);

/// Returns a line for each field of each record, and an empty line between two records.
std::string as_paragraphs(const std::vector<record>& records);

}  // namespace sinter::cache_command
