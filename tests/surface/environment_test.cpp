// The pages for users name the variables that the library reads, and no others.
#include "runtime/base/environment.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>

namespace {

std::string section(const std::string& file, const std::string& title) {
    std::ifstream in(SINTER_SOURCE_DIR "/" + file);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    const std::size_t at = text.find("\n## " + title + "\n");
    REQUIRE_MESSAGE(at != std::string::npos, file << " has no section " << title);
    return text.substr(at, text.find("\n## ", at + 1) - at);
}

}  // namespace

TEST_CASE("documentation: the variables are those of the table") {
    const std::string text =
        section("README.md", "Environment variables") + section("docs/gpu.md", "Environment");
    std::set<std::string> documented, read;
    const std::regex name("[A-Z][A-Z0-9]*_[A-Z0-9_]+|\\bHOME\\b");
    for (std::sregex_iterator i(text.begin(), text.end(), name), end; i != end; ++i)
        documented.insert(i->str());
    for (const sinter::runtime::variable& v : sinter::runtime::environment().all)
        if (std::string(v.name) != "SINTER_TEST_FAULT") read.insert(v.name);
    for (const std::string& each : read)
        CHECK_MESSAGE(documented.count(each) == 1, each << " is read, but not documented");
    for (const std::string& each : documented)
        CHECK_MESSAGE(read.count(each) == 1, each << " is documented, but not read");
}
