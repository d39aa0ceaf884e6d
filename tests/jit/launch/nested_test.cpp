// Sinter inside the caller's threads: those of OpenMP and std::thread.
#include "jit/launch/launch.hpp"

#include <sinter/sinter.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <thread>
#include <vector>

#ifdef _OPENMP
#include <omp.h>
#endif

using namespace sinter;

namespace {

struct with_threads {
    explicit with_threads(int n) : saved(get_num_threads()) { set_num_threads(n); }
    ~with_threads() { set_num_threads(saved); }
    int saved;
};

std::atomic<int> running{0}, most_running{0};
std::atomic<int64_t> visited{0};

/// A slow kernel without operands that counts how many run concurrently.
void count_running(const kernel_ir::kernel_call* c) {
    const int now = ++running;
    int most = most_running;
    while (now > most && !most_running.compare_exchange_weak(most, now)) {
    }
    visited += c->n0 * c->n1;
    std::this_thread::yield();
    --running;
}

constexpr int64_t elements = 1 << 20;

void launch_counted() {
    runtime::launch_request r;
    r.fn = count_running;
    r.rank = 1;
    r.extents = &elements;
    launch(r);
}

void start_count() {
    running = 0;
    most_running = 0;
    visited = 0;
}

// The thread sanitizer cannot see into the library that multiplies larger matrices.
#ifdef SINTER_SANITIZE_THREAD
constexpr int64_t side = 16;
#else
constexpr int64_t side = 64;
#endif

/// Runs a statement, a reduction and a product over enough elements for several threads.
bool computes(int number) {
    const int64_t n = 70000;
    const Tensor a = full({n}, 2.0, kDouble), b = arange(n, kDouble);
    const Tensor z = a * b + number;
    const double sum = z.sum().item<double>();
    const double expected =
        static_cast<double>(n) * static_cast<double>(n - 1) + static_cast<double>(n) * number;
    const Tensor m = full({side, side}, number, kDouble);
    return sum == expected && matmul(m, m).select(0, 5).select(0, 7).item<double>() ==
                                  static_cast<double>(side) * number * number;
}

}  // namespace

TEST_CASE("nested: threads of the caller's own share one team of helpers") {
    const with_threads scope(3);
    constexpr int users = 8, rounds = 20;
    start_count();
    std::atomic<int> wrong{0};
    std::vector<std::thread> all;
    for (int u = 0; u < users; ++u)
        all.emplace_back([&, u] {
            for (int i = 0; i < rounds; ++i) {
                launch_counted();
                wrong += !computes(u * rounds + i);
            }
        });
    for (std::thread& t : all) t.join();
    CHECK(wrong == 0);
    CHECK(visited == elements * users * rounds);
    CHECK(most_running <= users + 2);
}

TEST_CASE("nested: several threads that want one value compute it once") {
    const with_threads scope(2);
    for (int round = 0; round < 20; ++round) {
        const Tensor z = full({100000}, 3.0, kDouble) * 2.0 + round;
        std::atomic<int> wrong{0};
        std::vector<std::thread> all;
        for (int u = 0; u < 4; ++u)
            all.emplace_back([&] { wrong += z.sum().item<double>() != 100000.0 * (6 + round); });
        for (std::thread& t : all) t.join();
        CHECK(wrong == 0);
    }
}

#ifdef _OPENMP

TEST_CASE("nested: inside a parallel region of OpenMP each thread works alone") {
    const with_threads scope(3);
    constexpr int users = 4, rounds = 20;
    for (int levels : {1, 2}) {
        const int before = omp_get_max_active_levels();
        omp_set_max_active_levels(levels);  // 2: an inner region would get additional threads
        start_count();
        std::atomic<int> wrong{0}, seen{0};
        const Tensor shared = full({100000}, 3.0, kDouble) * 2.0;
#pragma omp parallel num_threads(users)
        {
            ++seen;
            wrong += shared.sum().item<double>() != 600000.0;
#pragma omp for schedule(dynamic)
            for (int i = 0; i < users * rounds; ++i) {
                launch_counted();
                wrong += !computes(i);
            }
        }
        omp_set_max_active_levels(before);
        CAPTURE(levels);
        CHECK(wrong == 0);
        CHECK(visited == elements * users * rounds);
        CHECK(most_running <= seen);
    }
    // Outside again, several threads take part.
    start_count();
    launch_counted();
    CHECK(visited == elements);
}

#endif
