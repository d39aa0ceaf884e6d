// Measurements on a busy machine: processes that never sleep, and the table of what several threads
// gain or lose beside them. Minima would hide the waits, so it has means.
#include "bench/bench.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <stdexcept>
#include <utility>

namespace bench {

busy_processes::busy_processes(int count) {
    const pid_t parent = getpid();
    for (int i = 0; i < count; ++i) {
        const pid_t child = fork();
        if (child == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            for (uint64_t turns = 1; turns % (1 << 28) || getppid() == parent; ++turns)
                asm volatile("");  // is not to be left out
            _exit(0);
        }
        if (child > 0) ids_.push_back(child);
    }
    if (static_cast<int>(ids_.size()) < count)
        throw std::runtime_error("[bench] cannot start the busy processes; try a smaller --busy");
}

busy_processes::~busy_processes() {
    for (const int id : ids_) kill(id, SIGKILL);
    for (const int id : ids_) waitpid(id, nullptr, 0);
}

void print_busy_table(const std::vector<record>& records) {
    std::map<std::pair<std::string, std::string>, double> one;  // by case, and rival
    struct sum {
        double logarithms = 0, largest = 0;
        int cases = 0;
    };
    std::map<std::pair<int, std::string>, sum> ratios;  // by threads, and rival
    const auto rival_of = [](const record& r) {
        return r.impl == "fused" && r.note.starts_with("reused") ? "reused" : r.impl;
    };
    const auto case_of = [](const record& r) {
        return r.name + ' ' + r.dtype + " n=" + std::to_string(r.n);
    };
    for (const record& r : records)
        if (r.threads == 1) one[{case_of(r), rival_of(r)}] = r.mean_ns;
    std::puts("\nmean times in us, on one thread and on several");
    std::printf("%-34s %-10s %12s %3s %12s %7s\n", "case", "rival", "one", "t", "several", "ratio");
    for (const record& r : records) {
        const auto alone = one.find({case_of(r), rival_of(r)});
        if (r.threads == 1 || alone == one.end()) continue;
        const double ratio = r.mean_ns / alone->second;
        std::printf("%-34s %-10s %12.1f %3d %12.1f %7.2f\n", case_of(r).c_str(),
                    rival_of(r).c_str(), alone->second / 1e3, r.threads, r.mean_ns / 1e3, ratio);
        sum& s = ratios[{r.threads, rival_of(r)}];
        s.logarithms += std::log(ratio);
        s.largest = std::max(s.largest, ratio);
        ++s.cases;
    }
    for (const auto& [of, s] : ratios)
        std::printf("%-10s on %d threads: %.2f of one (geometric mean of %d cases), at most %.2f\n",
                    of.second.c_str(), of.first, std::exp(s.logarithms / s.cases), s.cases,
                    s.largest);
}

}  // namespace bench
