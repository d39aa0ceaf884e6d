#include "ops/io/safetensors_header.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>

namespace sinter::ops {
namespace {

using nlohmann::json;

/// Takes a parser's events one by one, so that nothing is kept but the table, whatever the text.
/// An event that the table has no place for ends the parse.
class header_events : public nlohmann::json_sax<json> {
public:
    safetensors_header header;
    std::string wrong;  // what was met, and where

    bool start_object(std::size_t /*size*/) override {
        if (depth_ == 0) {
            depth_ = 1;
            return true;
        }
        if (depth_ != 1 || list_) return refuse("an object");
        depth_ = 2;
        current_ = {};
        has_shape_ = has_offsets_ = false;
        return true;
    }
    bool end_object() override {
        if (depth_ == 2 && !in_metadata()) {
            if (current_.dtype.empty() || !has_shape_ || !has_offsets_)
                return refuse("no dtype, shape or data_offsets");
            header.tensors[name_] = std::move(current_);
        }
        --depth_;
        return true;
    }
    bool key(string_t& key) override {
        if (depth_ == 1) {
            name_ = key;
            // The same name twice would make one of them unreachable.
            const bool again = header.tensors.count(key) > 0 || (in_metadata() && metadata_seen_);
            metadata_seen_ = metadata_seen_ || in_metadata();
            return !again || refuse("the same name twice");
        }
        key_ = key;
        if (in_metadata()) return header.metadata.count(key) == 0 || refuse("the same key twice");
        const bool again = (key == "dtype" && !current_.dtype.empty()) ||
                           (key == "shape" && has_shape_) ||
                           (key == "data_offsets" && has_offsets_);
        if (again) return refuse("the same key twice");
        return key == "dtype" || key == "shape" || key == "data_offsets" ||
               refuse("the key " + key);
    }
    bool string(string_t& text) override {
        if (depth_ != 2 || list_) return refuse("a string");
        if (in_metadata()) {
            header.metadata[key_] = text;
            return true;
        }
        if (key_ != "dtype") return refuse("a string");
        current_.dtype = text;
        return true;
    }
    bool start_array(std::size_t /*size*/) override {
        if (depth_ != 2 || list_ || in_metadata() || key_ == "dtype") return refuse("a list");
        list_ = true;
        offsets_ = 0;
        return true;
    }
    bool end_array() override {
        list_ = false;
        if (key_ == "shape") {
            has_shape_ = true;
            return true;
        }
        has_offsets_ = true;
        return offsets_ == 2 || refuse("offsets that are not two");
    }
    bool number_unsigned(number_unsigned_t n) override {
        if (!list_ || n > INT64_MAX) return refuse("a number");
        if (key_ == "shape") {
            current_.shape.push_back(static_cast<int64_t>(n));
            return current_.shape.size() <= most_dimensions || refuse("too many dimensions");
        }
        if (offsets_ == 2) return refuse("offsets that are not two");
        (offsets_++ == 0 ? current_.begin : current_.end) = static_cast<std::size_t>(n);
        return true;
    }
    bool null() override { return refuse("null"); }
    bool boolean(bool /*value*/) override { return refuse("a bool"); }
    bool number_integer(number_integer_t /*n*/) override { return refuse("a negative number"); }
    bool number_float(number_float_t /*n*/, const string_t& text) override {
        return refuse("the number " + text);
    }
    bool binary(binary_t& /*bytes*/) override { return refuse("bytes"); }
    bool parse_error(std::size_t place, const std::string& /*token*/,
                     const json::exception& /*error*/) override {
        wrong = runtime::text("no JSON from byte ", place, " on");
        return false;
    }

private:
    static constexpr std::size_t most_dimensions = 64;

    bool in_metadata() const { return name_ == metadata_key; }
    bool refuse(const std::string& what) {
        wrong = what + (name_.empty() ? "" : " in the entry " + name_);
        return false;
    }

    int depth_ = 0, offsets_ = 0;
    bool list_ = false, has_shape_ = false, has_offsets_ = false, metadata_seen_ = false;
    std::string name_, key_;
    stored_tensor current_;
};

}  // namespace

safetensors_header parse_safetensors_header(const char* op, const std::string& where,
                                            const std::string& text) {
    header_events events;
    if (!json::sax_parse(text, &events))
        runtime::fail<ValueError>(
            op, "the table of tensors cannot be read", where + ": " + events.wrong,
            "JSON with dtype, shape and data_offsets of each tensor", "saving the file again");
    return std::move(events.header);
}

std::string safetensors_header_text(const char* op, const safetensors_header& header) {
    nlohmann::ordered_json out = nlohmann::ordered_json::object();
    if (!header.metadata.empty()) out[metadata_key] = header.metadata;
    std::vector<const std::pair<const std::string, stored_tensor>*> order;
    for (const auto& entry : header.tensors) order.push_back(&entry);
    std::stable_sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
        return a->second.begin < b->second.begin;
    });
    for (const auto* entry : order) {
        const stored_tensor& t = entry->second;
        out[entry->first] = {
            {"dtype", t.dtype}, {"shape", t.shape}, {"data_offsets", {t.begin, t.end}}};
    }
    try {
        return out.dump();
    } catch (const nlohmann::json::type_error&) {
        runtime::fail<ValueError>(op, "a name or a note is not UTF-8", "other bytes", "UTF-8",
                                  "names of UTF-8 text");
    }
}

}  // namespace sinter::ops
