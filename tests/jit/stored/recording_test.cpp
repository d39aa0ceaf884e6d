#include "jit/stored/recording.hpp"

#include "tests/jit/cache/temporary_folder.hpp"
#include "tests/seed.hpp"

#include <sinter/error.hpp>

#include <doctest/doctest.h>

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <new>
#include <random>

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
        for (int n = 0; n < 50; ++n) CHECK(w->add(record_kind::work, record(n)));
    }
    CHECK_FALSE(recording_writer::make(path));  // a file is never changed
    const recording all = read_recording(path);
    REQUIRE(all.works.size() == 50);
    for (int n = 0; n < 50; ++n) CHECK(all.works[static_cast<std::size_t>(n)] == record(n));
    CHECK(all.lost == 0);
    const auto size = fs::file_size(path);
    for (uintmax_t cut = 1; cut <= size; ++cut) {
        fs::resize_file(path, size - cut);
        const recording r = read_recording(path);
        for (std::size_t n = 0; n < r.works.size(); ++n)
            REQUIRE(r.works[n] == record(static_cast<int>(n)));
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
    const bytes a = write_recording({.works = {record(1), record(2), record(1)}});
    CHECK(a == write_recording({.works = {record(2), record(1)}}));
    temporary_folder folder;
    std::ofstream(folder / "a", std::ios::binary)
        .write(reinterpret_cast<const char*>(a.data()), static_cast<std::streamsize>(a.size()));
    CHECK(read_recording(folder / "a").works.size() == 2);
}

TEST_CASE("recording: runs of works are summed, and written with the works that are there") {
    temporary_folder folder;
    const std::string path = folder / "a.srec";
    const hash128 first = hash_of(record(1)), second = hash_of(record(2)),
                  other = hash_of(record(3));
    {
        auto w = recording_writer::make(path);
        REQUIRE(w);
        CHECK(w->add_runs(second, 7));  // of a work that another process recorded
        CHECK(w->add(record_kind::work, record(1)));
        CHECK(w->add_runs(first, 1));
        CHECK(w->add_runs(first, uint64_t{1} << 40));
    }
    const recording r = read_recording(path);
    CHECK(r.works == std::vector<bytes>{record(1)});
    CHECK(r.runs == run_counts{{first, (uint64_t{1} << 40) + 1}, {second, 7}});
    CHECK(r.lost == 0);

    const auto reread = [&](const bytes& content) {
        std::ofstream(folder / "b", std::ios::binary | std::ios::trunc)
            .write(reinterpret_cast<const char*>(content.data()),
                   static_cast<std::streamsize>(content.size()));
        return read_recording(folder / "b");
    };
    const run_counts runs{{first, 5}, {other, 9}};
    const bytes written =
        write_recording({.works = {record(2), record(1), record(1)}, .runs = runs});
    CHECK(written == write_recording({.works = {record(1), record(2)}, .runs = runs}));
    CHECK(reread(written).works.size() == 2);
    CHECK(reread(written).runs == run_counts{{first, 5}});
}

TEST_CASE("recording: a program that is killed leaves all whole records") {
    temporary_folder folder;
    const uint64_t seed = sinter::test::seed();
    std::mt19937_64 random(seed);
    CAPTURE(seed);
    const char* many = std::getenv("SINTER_TEST_KILLS");
    const int rounds = many ? std::atoi(many) : 20;
    // How many records the child knows to be written.
    void* shared = mmap(nullptr, sizeof(std::atomic<int>), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    REQUIRE(shared != MAP_FAILED);
    auto& written = *new (shared) std::atomic<int>(0);
    for (int round = 0; round < rounds; ++round) {
        written = 0;
        const std::string path = folder / std::to_string(round);
        int first[2];
        REQUIRE(pipe(first) == 0);
        const pid_t child = fork();
        if (child == 0) {
            auto w = recording_writer::make(path);
            for (int n = 0;; ++n) {
                if (!w->add(record_kind::work, record(n))) _exit(1);
                written = n + 1;
                if (n == 0 && write(first[1], "", 1) != 1) _exit(1);
            }
        }
        close(first[1]);
        char byte;
        CHECK(read(first[0], &byte, 1) == 1);
        close(first[0]);
        usleep(static_cast<useconds_t>(random() % 6000));
        kill(child, SIGKILL);
        waitpid(child, nullptr, 0);
        const recording r = read_recording(path);
        REQUIRE(static_cast<int>(r.works.size()) >= written);
        // The system may have cut the last write where a page ends.
        CHECK(r.lost < 10 + 300 + 8);
        for (std::size_t n = 0; n < r.works.size(); ++n)
            REQUIRE(r.works[n] == record(static_cast<int>(n)));
        fs::remove(path);
    }
    munmap(shared, sizeof written);
}
