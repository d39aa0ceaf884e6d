#include <sinter/info.hpp>

#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

TEST_CASE("info: every line is there, and no value is empty") {
    const std::string text = sinter::info();
    for (const char* name : {"sinter", "cpu", "threads", "mode", "jit", "compiler", "cache", "blas",
                             "cuda", "nvrtc", "hip", "hiprtc", "environment"}) {
        CAPTURE(name);
        std::string start = name;
        start.resize(12, ' ');
        const std::size_t at = text.rfind(start, 0) == 0 ? 0 : text.find("\n" + start);
        REQUIRE(at != std::string::npos);
        const std::size_t value = at + (at != 0) + start.size();
        CHECK(value < text.find('\n', value));
    }
}

TEST_CASE("info: a variable that changes what runs is shown") {
    setenv("OPENBLAS_INFO_TEST", "17", 1);
    CHECK(sinter::info().find("OPENBLAS_INFO_TEST=17") != std::string::npos);
    unsetenv("OPENBLAS_INFO_TEST");
    CHECK(sinter::info().find("OPENBLAS_INFO_TEST") == std::string::npos);
}
