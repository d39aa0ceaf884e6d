// Processes that compile: what one of them does wrong costs no kernel but its own.
#include "ops/cache/build/workers.hpp"

#include "tests/seed.hpp"
#include "tests/support/fork.hpp"

#include <doctest/doctest.h>

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <string>

using namespace sinter;
using namespace sinter::cache_command;
using code_cache::byte_view, code_cache::bytes, code_cache::compile_reply;

namespace {

std::vector<bytes> some_kernels(int count) {
    std::vector<bytes> all;
    for (int n = 0; n < count; ++n) all.push_back({static_cast<uint8_t>(n)});
    return all;
}

/// Each kernel in two groups.
std::vector<task> tasks_of(const std::vector<bytes>& kernels) {
    std::vector<task> all;
    for (const int group : {3, 4})
        for (const bytes& k : kernels) all.push_back({k, group});
    return all;
}

/// Pretends to compile: the image tells kernel and group.
task_replies pretend(int group, const std::vector<byte_view>& kernels) {
    task_replies replies;
    for (const byte_view k : kernels) {
        compile_reply r;
        r.image = bytes(static_cast<std::size_t>(50000), k[0]);
        r.image.push_back(static_cast<uint8_t>(group));
        r.entry = k[0];
        replies.push_back(std::move(r));
    }
    return replies;
}

void check_reply(const task& t, const compile_reply& r) {
    CHECK(r.error == "");
    REQUIRE(r.image.size() == 50001);
    CHECK(r.image.front() == t.input[0]);
    CHECK(r.image.back() == static_cast<uint8_t>(t.group));
    CHECK(r.entry == t.input[0]);
}

}  // namespace

TEST_CASE("workers: each kernel gets its own reply, with any number of processes" *
          doctest::test_suite("host")) {
    const std::vector<bytes> kernels = some_kernels(37);
    const std::vector<task> all = tasks_of(kernels);
    for (const int workers : {1, 3, 50}) {
        std::size_t last = 0;
        worker_settings s{.workers = workers, .run = pretend, .progress = {}};
        s.progress = [&](std::size_t done, std::size_t failed) {
            CHECK(done == last + 1);
            CHECK(failed == 0);
            last = done;
        };
        const auto replies = run_in_workers(all, s);
        REQUIRE(replies.size() == all.size());
        for (std::size_t n = 0; n < all.size(); ++n) check_reply(all[n], replies[n]);
        CHECK(last == all.size());
    }
    CHECK(run_in_workers({}, {.run = pretend, .progress = {}}).empty());
}

TEST_CASE("workers: kernels on which the compiler crashes, ends, throws or hangs are found" *
          doctest::test_suite("host")) {
    const std::vector<bytes> kernels = some_kernels(40);
    const std::vector<task> all = tasks_of(kernels);
    worker_settings s{
        .workers = 4, .timeout_seconds = test::sanitized() ? 20 : 4, .run = {}, .progress = {}};
    s.run = [](int group, const std::vector<byte_view>& of) {
        for (const byte_view k : of) {
            if (k[0] == 5) raise(SIGSEGV);
            if (k[0] == 11) _exit(0);
            if (k[0] == 23) throw std::bad_alloc();
            if (k[0] == 31 && group == 4) pause();
        }
        task_replies replies = pretend(group, of);
        for (std::size_t n = 0; n < of.size(); ++n)
            if (of[n][0] == 17) replies[n] = {{}, 0, "not possible"};
        return replies;
    };
    const auto replies = run_in_workers(all, s);
    for (std::size_t n = 0; n < all.size(); ++n) {
        const std::string& e = replies[n].error;
        switch (all[n].input[0]) {
            case 5: CHECK_MESSAGE(!e.empty(), e); break;  // a sanitizer may report it and exit
            case 11:
            case 23: CHECK(e == "the compiler ended early"); break;
            case 17: CHECK(e == "not possible"); break;
            case 31:
                if (all[n].group == 4) {
                    CHECK(e.starts_with("the compiler took more than "));
                    break;
                }
                [[fallthrough]];
            default: check_reply(all[n], replies[n]);
        }
    }
    if (!test::sanitized()) CHECK(replies[5].error == "the compiler crashed: Segmentation fault");
}
