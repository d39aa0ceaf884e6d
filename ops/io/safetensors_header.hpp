// The table at the start of a safetensors file, as text and as data.
#pragma once

#include "ops/common/op_checks.hpp"

#include <map>
#include <string>
#include <vector>

namespace sinter::ops {

/// A tensor in a file.
struct stored_tensor {
    std::string dtype;  // for example "F32"
    std::vector<int64_t> shape;
    std::size_t begin = 0, end = 0;  // of its bytes, from the end of the table on
};

struct safetensors_header {
    std::map<std::string, stored_tensor> tensors;
    std::map<std::string, std::string> metadata;
};

constexpr const char* metadata_key = "__metadata__";

/// Returns what the text says. Throws ValueError if it is no such table. `where`: for errors.
safetensors_header parse_safetensors_header(const char* op, const std::string& where,
                                            const std::string& text);
/// Returns the text, the tensors in the order of their bytes. Throws ValueError if a name or a note
/// is not UTF-8.
std::string safetensors_header_text(const char* op, const safetensors_header& header);

}  // namespace sinter::ops
