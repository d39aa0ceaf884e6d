#include "runtime/base/environment.hpp"
#include "tests/runtime/again.hpp"

#include <sinter/info.hpp>

#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

TEST_CASE("info: every line is there, and no value is empty") {
    const std::string text = sinter::info();
    for (const char* name : {"sinter", "cpu", "threads", "mode", "jit", "compiler", "cache", "blas",
                             "fftw", "cuda", "nvrtc", "hip", "hiprtc", "environment"}) {
        CAPTURE(name);
        std::string start = name;
        start.resize(12, ' ');
        const std::size_t at = text.rfind(start, 0) == 0 ? 0 : text.find("\n" + start);
        REQUIRE(at != std::string::npos);
        const std::size_t value = at + (at != 0) + start.size();
        CHECK(value < text.find('\n', value));
    }
}

TEST_CASE("info: every variable is shown, in columns") {
    const std::string text = "\n" + sinter::info();
    for (const sinter::runtime::variable& v : sinter::runtime::environment().all) {
        CAPTURE(v.name);
        std::string start = v.name;
        start.resize(26, ' ');
        start += v.set ? "set      " : "default  ";
        start += v.value.empty() ? "-" : v.value;
        const std::size_t at = text.find(start);
        REQUIRE(at != std::string::npos);
        CHECK(at - text.rfind('\n', at) == 13);
    }
}

TEST_CASE("info: the lines of variables") {
    CHECK(sinter::test::run_again("info of variables", "SINTER_MAX_PENDING", "17") == 0);
}

TEST_CASE("info of variables" * doctest::skip()) {
    unsetenv("SINTER_MODE");
    const std::string text = sinter::info();
    CHECK(text.find(
              "\nenvironment SINTER_MODE               default  lazy        when operations run: "
              "when a value is needed, or at the call\n") != std::string::npos);
    CHECK(text.find(
              "\n            SINTER_MAX_PENDING        set      17          operations that may "
              "be pending\n") != std::string::npos);
}

TEST_CASE("info: a variable of a library that changes what runs is shown") {
    setenv("OPENBLAS_INFO_TEST", "17", 1);
    CHECK(sinter::info().find("OPENBLAS_INFO_TEST=17") != std::string::npos);
    unsetenv("OPENBLAS_INFO_TEST");
    CHECK(sinter::info().find("OPENBLAS_INFO_TEST") == std::string::npos);
}
