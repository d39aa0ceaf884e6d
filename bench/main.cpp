// sinter_bench: compares fused evaluation with eager evaluation and hand-written loops.
#include "bench/bench.hpp"
#include "bench/gpu/first_runs.hpp"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <thread>

#include <sys/resource.h>
#include <unistd.h>

namespace {

/// Unsets variables that would change the measurements.
void settle_environment(bool gpu) {
    for (const char* name : {"OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"})
        if (const char* value = std::getenv(name)) {
            std::printf("unset %s (was %s)\n", name, value);
            unsetenv(name);
        } else {
            std::printf("%s is not set\n", name);
        }
    setenv("SINTER_JIT", "wait", 0);
    if (const char* jit = std::getenv("SINTER_JIT"); jit && !std::strcmp(jit, "wait"))
        std::puts(
            "SINTER_JIT=wait: what is timed is compiled, save in first_call and first_result");
    if (gpu) return;  // its case `compile` has a folder of its own
    setenv("SINTER_CACHE_DIR", "", 1);
    std::puts(
        "SINTER_CACHE_DIR is set to nothing: no kernel comes from disk, save in first_result");
}

/// Processor time in seconds: that of all processes, and that of this program and its children.
struct usage {
    double all = 0, own = 0;

    static usage now() {
        usage u;
        std::ifstream file("/proc/stat");
        std::string name;
        double user = 0, nice = 0, system = 0;
        if (file >> name >> user >> nice >> system)
            u.all = (user + nice + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
        for (int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
            rusage r{};
            getrusage(who, &r);
            for (const timeval& t : {r.ru_utime, r.ru_stime})
                u.own += static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
        }
        return u;
    }
};

/// A thread that another program delays makes all threads wait for the scheduler.
void warn_of_others(const usage& before) {
    const usage after = usage::now();
    const double own = after.own - before.own, others = after.all - before.all - own;
    if (others > 0.05 * own)
        std::printf(
            "\nothers used %.1f s of processor time, this program %.1f s: THESE ARE NOT RESULTS\n",
            others, own);
}

/// Times measured while other processes use the processors are meaningless.
void warn_of_load() {
    double load = 0;
    if (getloadavg(&load, 1) != 1) return;
    const unsigned processors = std::thread::hardware_concurrency();
    std::printf("%u processors, load average %.2f%s\n", processors, load,
                load > 0.5 * processors ? ": THE MACHINE IS BUSY, THESE ARE NOT RESULTS" : "");
}

/// The throughput cases beside processes that never sleep.
int run_busy(const bench::options& o) {
    std::printf("%d processes spin meanwhile\n", o.busy);
    std::fflush(stdout);
    std::vector<bench::record> records;
    const bench::busy_processes beside(o.busy);
    bench::run_throughput(o, records);
    if (!o.json.empty()) bench::write_json(o.json, records);
    bench::print_busy_table(records);
    return records.empty() ? 1 : 0;
}

int run(int argc, char** argv) {
    CLI::App app("Times fused evaluation beside eager evaluation and loops written by hand.");
    bench::options o;
    std::string filter;
    app.add_option("--json", o.json, "Write the records to this file");
    app.add_option("--filter", filter,
                   "Regular expression, matched against `case dtype n=N t=THREADS`");
    app.add_option("--impl", o.impl, "Only this one of the rivals of a case, such as `fused`");
    bool list = false;
    app.add_flag("--list", list, "Say which throughput cases would run, as lines of JSON");
    app.add_flag("--quick", o.quick, "Fewer and shorter measurements, below two minutes");
    app.add_option("--threads", o.threads, "Thread counts (default: 1 2)")
        ->check(CLI::Range(1, 256))
        ->delimiter(',');
    app.add_option("--device", o.device, "cuda: what a GPU does, beside its own copy and library");
    app.add_option("--gpu-mb", o.gpu_mb, "MiB that a case on a GPU moves (default: 256)")
        ->check(CLI::Range(1, 65536));
    app.add_option("--busy", o.busy, "Run so many processes beside that never sleep; prints means")
        ->check(CLI::Range(1, 256));
    CLI11_PARSE(app, argc, argv);
    o.filter = std::regex(filter);

    if (list) {
        bench::list_throughput(o);
        return 0;
    }
    const usage before = usage::now();
    warn_of_load();
    if (o.busy) {
        settle_environment(false);
        return run_busy(o);
    }
    settle_environment(!o.device.empty());
    std::fflush(stdout);
    std::vector<bench::record> records;
    if (!o.device.empty()) {
        const bool all_ran = bench::run_gpu(o, records);
        bench::print_gpu_table(records);
        return all_ran ? 0 : 1;
    }
    bench::run_dispatch(o, records);
    bench::run_compile(o, records);
    bench::run_compile_together(o, records);
    bench::run_first_call(o, records);
    bench::run_graph(o, records);
    bench::run_first_result(o, records);
    bench::run_throughput(o, records);
    if (records.empty()) {
        std::puts("no case matches the filter");
        return 1;
    }
    if (!o.json.empty()) bench::write_json(o.json, records);
    bench::print_table(records);
    warn_of_others(before);
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        if (argc == 3 && !std::strcmp(argv[1], "--child-first-result"))
            return bench::first_result_child(std::atoi(argv[2]), true);
        if (argc == 3 && !std::strcmp(argv[1], "--child-nothing"))
            return bench::first_result_child(std::atoi(argv[2]), false);
        if (argc == 3 && !std::strcmp(argv[1], "--child-first-call"))
            return bench::first_call_child(std::atoi(argv[2]));
        if (argc == 3 && !std::strcmp(argv[1], "--child-gpu-first-runs"))
            return bench::first_runs_child(argv[2]);
        return run(argc, argv);
    } catch (const std::exception& e) {
        std::fflush(stdout);
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
    }
}
