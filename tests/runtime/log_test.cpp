#include "runtime/report/log.hpp"

#include "tests/runtime/again.hpp"
#include "tests/runtime/captured.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace sinter::runtime;
using sinter::test::captured;

TEST_CASE("log: levels by stage") {
    set_debug("plan:1,codegen:2,cache");
    CHECK(debug_enabled(debug_stage::plan, 1));
    CHECK(!debug_enabled(debug_stage::plan, 2));
    CHECK(debug_enabled(debug_stage::codegen, 2));
    CHECK(debug_enabled(debug_stage::cache, 1));
    CHECK(!debug_enabled(debug_stage::graph, 1));
    set_debug("all:3,plan:0");
    CHECK(debug_enabled(debug_stage::linalg, 3));
    CHECK(!debug_enabled(debug_stage::plan, 1));
    set_debug("");
    CHECK(!debug_enabled(debug_stage::linalg, 1));
}

TEST_CASE("log: what is not understood is said once and changes nothing") {
    std::string text = captured([] {
        set_debug("plam:1,plan:x,plan:,plan:2,plan:-1");
        set_debug("plam:1,plan:2");
    });
    CHECK(debug_enabled(debug_stage::plan, 2));
    set_debug("");
    CHECK(text.rfind("sinter: warning: [SINTER_DEBUG] item not understood; got 'plam:1', expected "
                     "STAGE or STAGE:LEVEL with STAGE one of all, expr, graph, plan, kernel_ir, "
                     "codegen, cache, launch, pool, linalg; try SINTER_DEBUG=plan:1,codegen:2\n",
                     0) == 0);
    CHECK(text.find("'plan:x'") != std::string::npos);
    CHECK(text.find("'plan:'") != std::string::npos);
    CHECK(text.find("'plan:-1'") != std::string::npos);
    CHECK(text.find("plam") == text.rfind("plam"));
}

TEST_CASE("log: each line carries its stage") {
    std::string text = captured([] { debug_print(debug_stage::kernel_ir, "a\n\nb\n"); });
    CHECK(text == "[kernel_ir] a\n[kernel_ir] \n[kernel_ir] b\n");
}

TEST_CASE("log: a warning comes once a key") {
    std::string text = captured([] {
        warn_once("log_test.a", "first");
        warn_once("log_test.a", "again");
        warn_once("log_test.b", "second");
    });
    CHECK(text == "sinter: warning: first\nsinter: warning: second\n");
}

TEST_CASE("log: SINTER_DEBUG is read") {
    CHECK(sinter::test::run_again("reports: debug", "SINTER_DEBUG", "graph:2") == 0);
    CHECK(sinter::test::run_again("reports: debug", "SINTER_DEBUG", "graph:1") == 1);
}

TEST_CASE("reports: debug" * doctest::skip()) { CHECK(debug_enabled(debug_stage::graph, 2)); }
