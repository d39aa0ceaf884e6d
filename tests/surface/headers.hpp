// What the public headers declare, read from their text.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>

namespace sinter::test {

struct declared {
    bool function = false, method = false, in_place = false, out = false;
};

/// Functions on tensors by name: free functions of namespace sinter and methods of tensor_base. The
/// sections of tensor.hpp that tell about a tensor, or read it, are left out.
std::map<std::string, declared> declared_functions(const std::filesystem::path& include);

/// The other free functions, which are about a tensor, a file, a stream of numbers or the library:
/// the header of each.
std::map<std::string, std::string> other_functions(const std::filesystem::path& include);

/// Names that test files call: how often, by file.
std::map<std::string, std::map<std::string, int>> called_in_tests(
    const std::filesystem::path& tests);

}  // namespace sinter::test
