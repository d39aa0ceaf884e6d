#include "ops/cache/report.hpp"

#include <algorithm>
#include <cstdio>

namespace sinter::cache_command {
namespace {

std::string in_json(const value& v) {
    if (!v.quoted) return v.text;
    std::string out = "\"";
    for (const char c : v.text) {
        char code[8];
        if (c == '"' || c == '\\') {
            (out += '\\') += c;
        } else if (static_cast<unsigned char>(c) < 0x20) {
            std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned>(c));
            out += code;
        } else {
            out += c;
        }
    }
    return out + "\"";
}

}  // namespace

std::string as_json(const std::vector<record>& records) {
    std::string out = "[";
    for (const record& r : records) {
        out += &r == records.data() ? "\n  {" : ",\n  {";
        for (const auto& [name, v] : r)
            out += (&name == &r.front().first ? "\"" : ", \"") + std::string(name) +
                   "\": " + in_json(v);
        out += "}";
    }
    return out + (records.empty() ? "]\n" : "\n]\n");
}

std::string as_table(const std::vector<record>& records) {
    if (records.empty()) return {};
    std::vector<std::size_t> width;
    for (const auto& [name, v] : records.front()) width.push_back(std::string(name).size());
    for (const record& r : records)
        for (std::size_t i = 0; i < r.size(); ++i)
            width[i] = std::max(width[i], r[i].second.text.size());
    std::string out;
    const auto add = [&](std::string text, std::size_t i, bool number) {
        const std::size_t blanks = width[i] - text.size();
        if (number) text.insert(0, blanks, ' ');
        if (!number && i + 1 < width.size()) text.append(blanks, ' ');
        out += text + (i + 1 < width.size() ? "  " : "\n");
    };
    const record& first = records.front();
    for (std::size_t i = 0; i < first.size(); ++i) add(first[i].first, i, !first[i].second.quoted);
    for (const record& r : records)
        for (std::size_t i = 0; i < r.size(); ++i) add(r[i].second.text, i, !r[i].second.quoted);
    return out;
}

std::string as_paragraphs(const std::vector<record>& records) {
    std::string out;
    for (const record& r : records) {
        if (!out.empty()) out += "\n";
        for (const auto& [name, v] : r) {
            const bool several = v.text.find('\n') != std::string::npos;
            out += std::string(name) + (several ? ":\n" : ": ") + v.text +
                   (v.text.ends_with('\n') ? "" : "\n");
        }
    }
    return out;
}

}  // namespace sinter::cache_command
