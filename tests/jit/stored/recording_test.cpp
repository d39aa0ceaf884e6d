#include "jit/stored/recording.hpp"

#include "tests/jit/cache/temporary_folder.hpp"

#include <sinter/error.hpp>

#include <doctest/doctest.h>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

using namespace sinter::code_cache;
using sinter::testing::temporary_folder;
namespace fs = std::filesystem;

namespace {

bytes record(int n) {
    return bytes(static_cast<std::size_t>(10 + n % 300), static_cast<uint8_t>(n));
}

std::string error_of(const std::string& path) {
    try {
        read_recording(path);
    } catch (const sinter::Error& e) {
        return e.what();
    }
    return {};
}

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("recording: records are read in their order, a torn tail is dropped") {
    temporary_folder folder;
    const std::string path = folder / "a.srec";
    {
        auto w = recording_writer::make(path);
        REQUIRE(w);
        for (int n = 0; n < 50; ++n) CHECK(w->add(record(n)));
    }
    CHECK_FALSE(recording_writer::make(path));  // a file is never changed
    const recording all = read_recording(path);
    REQUIRE(all.payloads.size() == 50);
    for (int n = 0; n < 50; ++n) CHECK(all.payloads[static_cast<std::size_t>(n)] == record(n));
    CHECK(all.lost == 0);
    const auto size = fs::file_size(path);
    for (uintmax_t cut = 1; cut <= size; ++cut) {
        fs::resize_file(path, size - cut);
        const recording r = read_recording(path);
        for (std::size_t n = 0; n < r.payloads.size(); ++n)
            REQUIRE(r.payloads[n] == record(static_cast<int>(n)));
    }
}

TEST_CASE("recording: what is none is refused") {
    temporary_folder folder;
    CHECK(has(error_of(folder / "nothing"),
              "a recording cannot be read; got " + folder / "nothing: No such"));
    std::ofstream(folder / "text") << "some text that is longer";
    CHECK(has(error_of(folder / "text"), "it is not a recording"));
    std::ofstream(folder / "newer") << "SINTERR9 and so on";
    CHECK(has(error_of(folder / "newer"), "it is of another version of the format"));
}

TEST_CASE("recording: the same records give the same bytes, each once") {
    const bytes a = write_recording({record(1), record(2), record(1)});
    CHECK(a == write_recording({record(2), record(1)}));
    temporary_folder folder;
    std::ofstream(folder / "a", std::ios::binary)
        .write(reinterpret_cast<const char*>(a.data()), static_cast<std::streamsize>(a.size()));
    CHECK(read_recording(folder / "a").payloads.size() == 2);
}

TEST_CASE("recording: a program that is killed leaves all whole records") {
    temporary_folder folder;
    for (int round = 0; round < 20; ++round) {
        const std::string path = folder / std::to_string(round);
        int first[2];
        REQUIRE(pipe(first) == 0);
        const pid_t child = fork();
        if (child == 0) {
            auto w = recording_writer::make(path);
            for (int n = 0;; ++n) {
                if (!w->add(record(n))) _exit(1);
                if (n == 0 && write(first[1], "", 1) != 1) _exit(1);
            }
        }
        close(first[1]);
        char byte;
        CHECK(read(first[0], &byte, 1) == 1);
        close(first[0]);
        usleep(static_cast<useconds_t>(round * 300));
        kill(child, SIGKILL);
        waitpid(child, nullptr, 0);
        const recording r = read_recording(path);
        CHECK(!r.payloads.empty());
        // The system may have cut the last write where a page ends.
        CHECK(r.lost < 10 + 300 + 8);
        for (std::size_t n = 0; n < r.payloads.size(); ++n)
            REQUIRE(r.payloads[n] == record(static_cast<int>(n)));
    }
}
