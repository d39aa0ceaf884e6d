#include "tests/expr/check.hpp"

#include <sinter/warning.hpp>

#include <thread>

using namespace sinter;

namespace {
struct collector : WarningHandler {
    std::vector<std::string> texts;
    void process(const Warning& warning) override { texts.push_back(warning.msg()); }
};
}  // namespace

TEST_CASE("a handler gets the warnings of its thread") {
    collector mine, other;
    WarningHandler* const usual = Warning::get_warning_handler();
    Warning::set_warning_handler(&mine);
    CHECK(Warning::get_warning_handler() == &mine);
    warn(Warning("one"));
    warn(Warning("one"));
    std::thread([&] {
        WarningUtils::set_warning_handler(&other);
        warn(Warning("elsewhere"));
    }).join();
    CHECK(mine.texts == std::vector<std::string>{"one", "one"});
    CHECK(other.texts == std::vector<std::string>{"elsewhere"});
    warn_once(Warning("tests/expr/warning_test: once"));
    warn_once(Warning("tests/expr/warning_test: once"));
    CHECK(mine.texts.size() == 3);
    Warning::set_warnAlways(true);
    CHECK(Warning::get_warnAlways());
    warn_once(Warning("tests/expr/warning_test: once"));
    CHECK(mine.texts.size() == 4);
    Warning::set_warnAlways(false);
    Warning::set_warning_handler(nullptr);
    CHECK(Warning::get_warning_handler() == usual);
}
