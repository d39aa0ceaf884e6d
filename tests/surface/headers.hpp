// The declarations of the public headers, read from their text.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>

namespace sinter::test {

struct declared {
    bool function = false, method = false, in_place = false, out = false;
};

/// Returns the functions on tensors by name: free functions of namespace sinter and methods of
/// tensor_base. Sections of tensor.hpp that describe or read a tensor are left out.
std::map<std::string, declared> declared_functions(const std::filesystem::path& include);

/// Returns the other free functions with their headers. They concern a tensor, a file, a stream of
/// numbers or the library.
std::map<std::string, std::string> other_functions(const std::filesystem::path& include);

/// Returns the names that test files call: how often, by file.
std::map<std::string, std::map<std::string, int>> called_in_tests(
    const std::filesystem::path& tests);

}  // namespace sinter::test
