// Members that only expressions have must not hide members of every tensor.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>

namespace {

std::string text_of(const std::filesystem::path& file) {
    std::ifstream in(file);
    std::ostringstream out;
    out << in.rdbuf();
    return out.str();
}

/// Returns the names that are declared, or called with parentheses, in the text of a class.
std::set<std::string> names_of(const std::string& text, const std::string& head) {
    const std::size_t begin = text.find(head);
    REQUIRE(begin != std::string::npos);
    const std::string body = text.substr(begin, text.find("\n};", begin) - begin);
    static const std::regex name(R"(\b([a-z]\w*)\()");
    std::set<std::string> names;
    for (std::sregex_iterator i(body.begin(), body.end(), name), end; i != end; ++i)
        names.insert((*i)[1]);
    return names;
}

}  // namespace

TEST_CASE("no member of an expression hides a method of tensors") {
    const std::filesystem::path include =
        std::filesystem::path(SINTER_SOURCE_DIR) / "include/sinter";
    const std::string head = "\nclass SINTER_API tensor_base {";
    const std::set<std::string> own =
        names_of(text_of(include / "expr/expr.hpp"), "\nclass SINTER_API expr_base");
    std::set<std::string> methods = names_of(text_of(include / "tensor.hpp"), head);
    methods.merge(names_of(head + text_of(include / "expr/methods.inc") + "\n};", head));
    CHECK(methods.count("cholesky_solve") == 1);
    methods.erase("name");  // a parameter of the macro that declares rows
    CHECK(methods.count("take") == 1);
    CHECK(methods.size() > 300);
    CHECK(own.count("move_value_into") == 1);
    for (const std::string& name : own) {
        CAPTURE(name);
        CHECK(methods.count(name) == 0);
    }
}
