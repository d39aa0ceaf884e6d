#include "runtime/report/trace.hpp"

#include "tests/runtime/again.hpp"
#include "tests/support/compiler.hpp"

#include <doctest/doctest.h>

#include <sinter/sinter.hpp>

#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

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

/// Returns true if the text is an array of complete events.
bool whole(const std::string& text) {
    return text.starts_with("[\n{") && text.ends_with("}\n]\n") &&
           times(text, "{\"name\":") == times(text, "}\n") + times(text, "},\n");
}

}  // namespace

TEST_CASE("traced: a program" * doctest::skip()) {
    const Tensor x = full({300, 300}, 2.0), big = empty({1000, 1000});
    for (int i = 0; i < 3; ++i) (matmul(x, x) + 1).sum().item();
    CHECK(big.defined());
    const pid_t child = fork();  // its events are not the parent's
    if (child == 0) {
        set_num_threads(1);  // the thread sanitizer ends a child that starts a thread
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
    CHECK(whole(text));
    CHECK(times(text, "\"name\":\"flush\"") == 3);
    CHECK(times(text, "\"why\":\"value read\"") + times(text, "\"why\":\"value_read\"") == 3);
    CHECK(times(text, "\"name\":\"matmul\"") == 3);
    if (getenv("SINTER_MODE") == nullptr && test::has_compiler()) {
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
    CHECK(whole(text));
}

TEST_CASE("traced: killed" * doctest::skip()) {
    for (int i = 0; i < 2; ++i) {
        for (int k = 0; k < 100; ++k) runtime::trace_span("test", "one of many");
        std::this_thread::sleep_for(std::chrono::milliseconds(150));
    }
    runtime::trace_span("test", "one of many");
    raise(SIGKILL);
}

TEST_CASE("traced: a disk that fills" * doctest::skip()) {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit few{100000, 100000};
    REQUIRE(setrlimit(RLIMIT_FSIZE, &few) == 0);
    for (int i = 0; i < 30000; ++i) runtime::trace_span("test", "one of many");
}

TEST_CASE("traced: two processes" * doctest::skip()) {
    for (int i = 0; i < 30000; ++i) runtime::trace_span("test", "of the first");
    CHECK(test::run_again("traced: many events", "SINTER_TRACE", getenv("SINTER_TRACE")) == 0);
    runtime::trace_span("test", "the last of the first");
}

TEST_CASE("trace: what was written is whole after a kill and on a full disk") {
    const temporary_file file;
    CHECK(test::run_again("traced: killed", "SINTER_TRACE", file.path.c_str()) == -1);
    const std::string killed = file.text();
    CHECK(whole(killed));
    CHECK(times(killed, "one of many") >= 100);
    CHECK(test::run_again("traced: a disk that fills", "SINTER_TRACE", file.path.c_str()) == 0);
    const std::string full = file.text();
    CHECK(whole(full));
    CHECK(times(full, "one of many") >= 100);
    CHECK(full.size() <= 100000);
}

TEST_CASE("trace: a second process writes a file of its own") {
    std::string folder = (std::filesystem::temp_directory_path() / "sinter_traces.XXXXXX").string();
    REQUIRE(mkdtemp(folder.data()) != nullptr);
    const std::string path = folder + "/all.json";
    CHECK(test::run_again("traced: two processes", "SINTER_TRACE", path.c_str()) == 0);
    int files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        std::stringstream text;
        text << std::ifstream(entry.path()).rdbuf();
        const bool first = entry.path().filename() == "all.json";
        INFO(entry.path());
        CHECK(entry.path().filename().string().starts_with("all."));
        CHECK(entry.path().extension() == ".json");
        CHECK(whole(text.str()));
        CHECK(times(text.str(), "of the first") == (first ? 30001 : 0));
        CHECK(times(text.str(), "one of many") == (first ? 0 : 30000));
        ++files;
    }
    CHECK(files == 2);
    std::filesystem::remove_all(folder);
}

TEST_CASE("trace: a file that cannot be written stops nothing") {
    CHECK(test::run_again("traced: a program", "SINTER_TRACE", "/nonexistent/trace.json") == 0);
    if (std::filesystem::exists("/dev/full"))
        CHECK(test::run_again("traced: many events", "SINTER_TRACE", "/dev/full") == 0);
}
