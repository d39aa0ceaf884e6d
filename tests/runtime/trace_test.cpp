#include "runtime/trace.hpp"

#include "tests/runtime/again.hpp"

#include <doctest/doctest.h>

#include <sinter/sinter.hpp>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace {

using namespace sinter;

struct temporary_file {
    temporary_file() {
        std::string name =
            (std::filesystem::temp_directory_path() / "sinter_trace.XXXXXX").string();
        close(mkstemp(name.data()));
        path = name;
    }
    ~temporary_file() { std::filesystem::remove(path); }
    std::string text() const {
        std::stringstream all;
        all << std::ifstream(path).rdbuf();
        return all.str();
    }
    std::string path;
};

std::size_t times(const std::string& text, const std::string& what) {
    std::size_t n = 0;
    for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
    return n;
}

}  // namespace

TEST_CASE("traced: a program" * doctest::skip()) {
    const Tensor x = full({300, 300}, 2.0), big = empty({1000, 1000});
    for (int i = 0; i < 3; ++i) (matmul(x, x) + 1).sum().item();
    CHECK(big.defined());
    const pid_t child = fork();  // what it does is not the parent's
    if (child == 0) {
        (x + 1).eval();
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    CHECK(status == 0);
}

TEST_CASE("traced: many events" * doctest::skip()) {
    for (int i = 0; i < 30000; ++i) runtime::trace_span("test", "one of many");
}

TEST_CASE("trace: flushes, plans, kernels, library calls and memory are in the file") {
    const temporary_file file;
    REQUIRE(test::run_again("traced: a program", "SINTER_TRACE", file.path.c_str()) == 0);
    const std::string text = file.text();
    CHECK(text.starts_with("[\n{"));
    CHECK(text.ends_with("}\n]\n"));
    CHECK(times(text, "{\"name\":") == times(text, "}\n") + times(text, "},\n"));
    CHECK(times(text, "\"name\":\"flush\"") == 3);
    CHECK(times(text, "\"why\":\"value read\"") + times(text, "\"why\":\"value_read\"") == 3);
    CHECK(times(text, "\"name\":\"matmul\"") == 3);
    if (getenv("SINTER_MODE") == nullptr) {
        CHECK(times(text, "\"name\":\"plan\"") >= 3);
        CHECK(times(text, "\"from\":\"cache\"") >= 1);
    }
    CHECK(times(text, "\"name\":\"bytes in use\"") >= 1);
}

TEST_CASE("trace: its size is bounded") {
    const temporary_file file;
    setenv("SINTER_TRACE_MAX_MB", "1", 1);
    const int status = test::run_again("traced: many events", "SINTER_TRACE", file.path.c_str());
    unsetenv("SINTER_TRACE_MAX_MB");
    REQUIRE(status == 0);
    const std::string text = file.text();
    CHECK(text.size() <= std::size_t{1} << 20);
    CHECK(text.size() > std::size_t{900} << 10);
    CHECK(text.find("the trace ends here: SINTER_TRACE_MAX_MB") != std::string::npos);
    CHECK(text.ends_with("}\n]\n"));
}

TEST_CASE("trace: a file that cannot be written stops nothing") {
    CHECK(test::run_again("traced: a program", "SINTER_TRACE", "/nonexistent/trace.json") == 0);
    if (std::filesystem::exists("/dev/full"))
        CHECK(test::run_again("traced: many events", "SINTER_TRACE", "/dev/full") == 0);
}
