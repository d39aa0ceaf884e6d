// Timing: rivals in turn; and the triad, for what the machine's memory can do.
#include "bench/bench.hpp"
#include "bench/buffer.hpp"
#include "bench/hand.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <memory>

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
    double ns;  // that it took
};

/// Repeats until one measurement is long against the clock's resolution.
batch size_batch(rival& r, double target_ns) {
    int64_t times = 1;
    for (;;) {
        double ns = run(r, times);
        if (ns < 1e8) ns = std::min(ns, run(r, times));  // the first call may have compiled
        if (ns >= target_ns || times >= (int64_t{1} << 24)) return {times, ns};
        times = ns < target_ns / 16 ? times * 8 : times * 2;
    }
}

}  // namespace

bool options::wants(const std::string& name, const std::string& dtype, int64_t n, int t) const {
    const std::string text =
        name + ' ' + dtype + " n=" + std::to_string(n) + " t=" + std::to_string(t);
    return std::regex_search(text, filter);
}

std::vector<timing> race(const options& o, std::vector<rival>& rivals) {
    const double target = o.quick ? 3e4 : 1e5, budget = o.quick ? 3e7 : 5e8;
    const std::size_t least = o.quick ? 3 : 20, most = o.quick ? 100 : 500;
    std::vector<int64_t> times;
    std::vector<double> turns;  // nanoseconds of one turn of each
    double turn = 0;            // and of all
    for (rival& r : rivals) {
        const batch b = size_batch(r, target);
        times.push_back(b.times);
        turns.push_back(b.ns);
        turn += b.ns;
    }
    const int64_t most_times = *std::max_element(times.begin(), times.end());
    const auto rounds = std::clamp(static_cast<std::size_t>(budget / turn), least, most);
    std::vector<std::vector<double>> samples(rivals.size());
    for (std::size_t round = 0; round < rounds; ++round)
        for (std::size_t i = 0; i < rivals.size(); ++i) {
            // Its own data into the caches, equally often for all: the faster rival repeats more,
            // and would find there what the slower one has to fetch. Once is not enough behind
            // rivals that store past the caches; what a few passes do not bring in does not fit.
            if (turns[i] < 1e7) rivals[i].batch(std::clamp<int64_t>(most_times, 3, 32));
            samples[i].push_back(run(rivals[i], times[i]) / static_cast<double>(times[i]));
        }
    std::vector<timing> result;
    for (auto& s : samples) {
        std::sort(s.begin(), s.end());
        result.push_back({s.front(), s[s.size() / 2]});
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

bool prefers_streaming(const options& o, int64_t bytes, int threads) {
    static std::map<std::pair<int64_t, int>, bool> known;  // the program has one thread
    const auto [at, fresh] = known.try_emplace({bytes, threads});
    if (fresh) {
        std::vector<rival> triads = triad_rivals(bytes, threads);
        const std::vector<timing> t = race(o, triads);
        at->second = t[1].min_ns < 0.95 * t[0].min_ns;
    }
    return at->second;
}

}  // namespace bench
