#include "tests/ops/check.hpp"

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
    warn_once(Warning("tests/ops/tensor/warning_test: once"));
    warn_once(Warning("tests/ops/tensor/warning_test: once"));
    CHECK(mine.texts.size() == 3);
    Warning::set_warnAlways(true);
    CHECK(Warning::get_warnAlways());
    warn_once(Warning("tests/ops/tensor/warning_test: once"));
    CHECK(mine.texts.size() == 4);
    Warning::set_warnAlways(false);
    Warning::set_warning_handler(nullptr);
    CHECK(Warning::get_warning_handler() == usual);
}

TEST_CASE("a Byte mask warns on every use") {
    collector mine;
    Warning::set_warning_handler(&mine);
    const Tensor x = arange(3), mask = tensor({1, 0, 1}, kByte);
    CHECK(equal(x.index({mask}), tensor({0, 2})));
    x.index_put_({mask}, 5);
    CHECK(equal(x.index({x > 4}), tensor({5, 5})));
    const std::string text =
        "[index] indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool "
        "instead";
    CHECK(mine.texts == std::vector<std::string>{text, text});
    Warning::set_warning_handler(nullptr);
}
