// Timing of rivals in turns, and the triad, which shows the machine's memory bandwidth.
#include "bench/bench.hpp"
#include "bench/buffer.hpp"
#include "bench/loops/loops.hpp"

#include <sinter/threads.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <numeric>

#ifdef _OPENMP
#include <omp.h>
#endif

namespace bench {
namespace {

using clock = std::chrono::steady_clock;

double run(rival& r, int64_t times) {
    const auto start = clock::now();
    r.batch(times);
    return std::chrono::duration<double, std::nano>(clock::now() - start).count();
}

struct batch {
    int64_t times;
    double ns;  // its duration
};

/// Repeats until one measurement is long compared with the clock's resolution.
batch size_batch(rival& r, double target_ns) {
    r.batch(1);  // may compile
    sinter::synchronize();
    int64_t times = 1;
    for (;;) {
        double ns = run(r, times);
        if (ns < 1e8) ns = std::min(ns, run(r, times));
        if (ns >= target_ns || times >= (int64_t{1} << 24)) return {times, ns};
        times = ns < target_ns / 16 ? times * 8 : times * 2;
    }
}

bool of_library(const rival& r) {
    return r.impl == "fused" || r.impl == "fast" || r.impl == "eager";
}

/// Ends the helpers of OpenMP, which spin for milliseconds after a loop, where the library's own
/// want to work. The next loop starts them again, before anything is timed.
void rest_openmp() {
#ifdef _OPENMP
    omp_pause_resource_all(omp_pause_soft);
#endif
}

}  // namespace

double mean(const std::vector<double>& samples) {
    return std::accumulate(samples.begin(), samples.end(), 0.0) /
           static_cast<double>(samples.size());
}

bool options::wants(const std::string& name, const std::string& dtype, int64_t n, int t) const {
    const std::string text =
        name + ' ' + dtype + " n=" + std::to_string(n) + " t=" + std::to_string(t);
    return std::regex_search(text, filter);
}

bool options::in_quick(int64_t n, const std::string& dtype) {
    return dtype != "f64" && n >= 1000 && n <= 2000000;
}

std::vector<timing> race(const options& o, std::vector<rival>& rivals, double least_ns) {
    // Beside busy processes each sample has several turns of the scheduler, of some milliseconds.
    const double target = std::max(least_ns, o.busy ? 2e7 : o.quick ? 3e4 : 1e5);
    const double budget = o.busy ? 2e9 : o.quick ? 4e7 : 1.2e8;
    const std::size_t least = o.quick ? 3 : 5, most = o.quick ? 100 : 500;
    struct entrant {
        rival* who;
        batch size;
        std::vector<double> samples;
    };
    std::vector<entrant> all;
    // Nanoseconds of one turn of all rivals, and of the fastest computation.
    double turn = 0, fastest = 1e300;
    for (rival& r : rivals) {
        all.push_back({&r, size_batch(r, target), {}});
        turn += all.back().size.ns;
        fastest =
            std::min(fastest, all.back().size.ns / static_cast<double>(all.back().size.times));
    }
    int64_t most_times = 1;
    for (const entrant& e : all) most_times = std::max(most_times, e.size.times);
    const auto rounds = std::clamp(static_cast<std::size_t>(budget / turn), least, most);
    for (std::size_t round = 0; round < rounds; ++round)
        for (auto& [who, size, samples] : all) {
            if (of_library(*who)) rest_openmp();
            // A slow rival that is far from the fastest gets only one turn.
            if (size.ns > 5e7 && size.ns > 4 * fastest && round >= 1) continue;
            // Loads the rival's data into the caches, equally often for all rivals. Without this
            // the faster rival repeats more and would find data that the slower one has to fetch. A
            // last-level cache evicts the data of others over some ten passes. This matters less
            // for long computations.
            if (size.ns < 1e7)
                who->batch(std::clamp<int64_t>(most_times, size.ns < 1e6 ? 12 : 3, 32));
            samples.push_back(run(*who, size.times) / static_cast<double>(size.times));
        }
    std::vector<timing> result;
    for (auto& e : all) {
        std::sort(e.samples.begin(), e.samples.end());
        result.push_back({e.samples.front(), e.samples[e.samples.size() / 2], mean(e.samples)});
    }
    return result;
}

std::vector<rival> triad_rivals(int64_t bytes, int threads) {
    const int64_t n = std::max<int64_t>(1, bytes / 12);
    const auto arrays = std::make_shared<std::array<buffer<float>, 3>>(
        std::array{buffer<float>(n), buffer<float>(n), buffer<float>(n)});
    for (const buffer<float>& x : *arrays) std::fill_n(x.data(), n, 1.f);
    std::vector<rival> both;
    for (bool streamed : {false, true})
        both.push_back(rival::of("triad", "", [=] {
            const auto& [a, b, c] = *arrays;
            hand_triad(a.data(), b.data(), c.data(), 1.5f, n, threads, streamed);
        }));
    return both;
}

}  // namespace bench
