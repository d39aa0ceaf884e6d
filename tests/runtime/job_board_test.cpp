#include "runtime/threads/job_board.hpp"

#include "tests/seed.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <random>
#include <thread>
#include <vector>

using sinter::runtime::job;
using sinter::runtime::job_board;

namespace {

using counts = std::vector<std::atomic<int>>;

/// Counts each index of the range in `context`, a `counts`.
void count_each(void* context, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
        ++(*static_cast<counts*>(context))[static_cast<std::size_t>(i)];
}

bool all_are(const counts& c, int expected) {
    return std::all_of(c.begin(), c.end(), [expected](int n) { return n == expected; });
}

}  // namespace

TEST_CASE("job board: the chunks of all shares make up the range, from the lowest to the highest") {
    const auto board = std::make_unique<job_board>();
    for (int64_t count : {1, 2, 7, 64, 1001})
        for (int64_t chunks : {1, 2, 7, 63, 1000})
            for (int shares : {1, 2, 7, 64}) {
                if (chunks > count || shares > chunks) continue;
                CAPTURE(count);
                CAPTURE(chunks);
                CAPTURE(shares);
                const uint64_t number =
                    board->post({count_each, nullptr, -3, count, chunks, shares}, 0);
                CHECK(board->team() == shares);
                int64_t at = -3, claimed = 0;
                job_board::chunk c{};
                for (int s = 0; s < shares; ++s)
                    for (int64_t of_share = claimed; board->claim(number, s, c); ++claimed) {
                        CHECK(c.begin == at);
                        CHECK(c.end - c.begin >= count / chunks);
                        CHECK(c.end - c.begin <= count / chunks + 1);
                        at = c.end;
                        CHECK(claimed - of_share <= chunks / shares);
                    }
                CHECK(at == count - 3);
                CHECK(claimed == chunks);
            }
}

TEST_CASE("job board: who comes late finds nothing, even if the next job looks the same") {
    const auto board = std::make_unique<job_board>();
    counts first(8), second(8);
    const uint64_t one = board->post({count_each, &first, 0, 8, 8, 2}, 0);
    job_board::chunk late{};
    REQUIRE(board->look(one, 1, late));  // and then the system runs something else
    job_board::chunk c{};
    for (int s : {0, 1})
        while (board->claim(one, s, c)) c.run();
    CHECK(all_are(first, 1));
    CHECK(!job_board::begin(late));
    const uint64_t two = board->post({count_each, &second, 0, 8, 8, 2}, 0);
    CHECK(!job_board::begin(late));
    CHECK(!board->look(one, 1, late));  // of its own job
    for (int s : {0, 1})
        while (board->claim(two, s, c)) c.run();
    CHECK(all_are(first, 1));
    CHECK(all_are(second, 1));
    CHECK(board->ended() == 0);  // nobody helped, so nobody is waited for
}

TEST_CASE("job board: of those who found one chunk one begins it") {
    const auto board = std::make_unique<job_board>();
    counts seen(3);
    const uint64_t number = board->post({count_each, &seen, 0, 3, 3, 1}, 0);
    job_board::chunk a{}, b{};
    REQUIRE(board->look(number, 0, a));
    REQUIRE(board->look(number, 0, b));
    CHECK(job_board::begin(b));
    CHECK(!job_board::begin(a));
    REQUIRE(board->claim(number, 0, a));
    CHECK(a.begin == 1);
    board->clear();
    CHECK(!board->look(number, 0, a));
}

TEST_CASE("job board: many jobs in succession, with helpers that are held up at random") {
    const uint64_t first_seed = sinter::test::seed();
    CAPTURE(first_seed);
    constexpr int helpers = 3, jobs = 1000;
    const auto board = std::make_unique<job_board>();
    std::atomic<bool> stop{false};
    std::vector<std::thread> all;
    for (int h = 1; h <= helpers; ++h)
        all.emplace_back([&, h] {
            std::mt19937_64 random(first_seed + static_cast<uint64_t>(h));
            while (!stop) {
                const uint64_t number = board->number();
                const int team = board->team();
                for (int i = 0; i < team; ++i) {
                    job_board::chunk c{};
                    while (board->look(number, (h + i) % team, c)) {
                        if (random() % 4 == 0) std::this_thread::yield();
                        if (!job_board::begin(c)) break;
                        if (random() % 8 == 0) std::this_thread::yield();
                        c.run();
                        board->end();
                    }
                }
                std::this_thread::yield();
            }
        });
    std::mt19937_64 random(first_seed);
    uint32_t ended = 0;
    int wrong = 0;
    for (int n = 0; n < jobs; ++n) {
        const int shares = 1 + static_cast<int>(random() % (helpers + 1));
        const int64_t chunks = shares + static_cast<int64_t>(random() % 20);
        const int64_t count = chunks + static_cast<int64_t>(random() % 100);
        counts seen(static_cast<std::size_t>(count));
        ended += static_cast<uint32_t>(chunks);
        const uint64_t number = board->post({count_each, &seen, 0, count, chunks, shares}, 0);
        job_board::chunk c{};
        for (int s = 0; s < shares; ++s)
            for (; board->claim(number, s, c); --ended) {
                c.run();
                if (random() % 4 == 0) std::this_thread::yield();
            }
        while (board->ended() != ended) std::this_thread::yield();
        wrong += !all_are(seen, 1);
    }
    stop = true;
    for (std::thread& t : all) t.join();
    CHECK(wrong == 0);
}
