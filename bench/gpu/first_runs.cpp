#include "bench/gpu/first_runs.hpp"

#include "bench/gpu/by_hand.hpp"

#include <sinter/sinter.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <stdexcept>

#include <unistd.h>

namespace bench {
namespace {

using namespace sinter;

constexpr int variants = 8;

/// An expression of ten operations, different for each variant.
Tensor ten_operations(const Tensor& a, const Tensor& b, int variant) {
    Tensor x = a * b;
    for (int i = 0; i < 9; ++i) {
        const bool plus = variant >> (i % 3) & 1;
        const Tensor& other = (variant + i) % 2 ? a : b;
        x = plus ? Tensor(x + other) : Tensor(x - other);
    }
    return x;
}

struct folder {
    std::string path = (std::filesystem::temp_directory_path() / "sinter_bench_XXXXXX").string();
    folder() {
        if (!mkdtemp(path.data())) throw std::runtime_error("[bench] cannot make " + path);
    }
    ~folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path, ignored);
    }
};

struct report {
    int compiled = 0, loaded = 0;
    std::vector<double> ns;
};

report run_child(const std::string& device, const std::string& cache) {
    const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
    const std::string command = "SINTER_CACHE_DIR='" + cache + "' '" + program +
                                "' --child-gpu-first-runs '" + device + "'";
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
    report r;
    double ns = 0;
    if (!pipe || std::fscanf(pipe.get(), "%d %d", &r.compiled, &r.loaded) != 2)
        throw std::runtime_error("[bench] a process of first runs failed: " + command);
    while (std::fscanf(pipe.get(), "%lf", &ns) == 1) r.ns.push_back(ns);
    return r;
}

}  // namespace

first_runs time_first_runs(const std::string& device) {
    const folder cache;
    const report cold = run_child(device, cache.path), warm = run_child(device, cache.path);
    if (cold.compiled != variants || warm.loaded != variants)
        throw std::runtime_error("[bench] first runs compiled " + std::to_string(cold.compiled) +
                                 " kernels and loaded " + std::to_string(warm.loaded) +
                                 ", expected " + std::to_string(variants) + " of each");
    return {cold.ns, warm.ns};
}

int first_runs_child(const std::string& device) {
    set_default_device(Device(device));
    const Tensor a = randn({1000}).eval(), b = randn({1000}).eval();
    (a * 2 - b / 3).eval();  // opens compiler and cache
    wait_for_device();
    reset_stats();
    std::vector<double> ns;
    for (int variant = 0; variant < variants; ++variant) {
        const Tensor x = ten_operations(a, b, variant);
        const auto start = std::chrono::steady_clock::now();
        x.eval();
        wait_for_device();
        const auto took = std::chrono::steady_clock::now() - start;
        ns.push_back(std::chrono::duration<double, std::nano>(took).count());
    }
    const stats_report s = stats();
    std::printf("%d %d", static_cast<int>(s.kernels_compiled), static_cast<int>(s.kernels_loaded));
    for (double each : ns) std::printf(" %.0f", each);
    std::puts("");
    return 0;
}

}  // namespace bench
