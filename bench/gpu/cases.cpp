// GPU cases: fused expressions, reductions, rows and products in turns with a device-to-device copy
// and the vendor's library; and the host's cost of a launch and a compilation.
#include "bench/bench.hpp"
#include "bench/gpu/by_hand.hpp"
#include "bench/gpu/case_list.hpp"
#include "bench/gpu/first_runs.hpp"

#include <sinter/sinter.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <stdexcept>
#include <string>

namespace bench {
namespace {

using namespace sinter;
using clock = std::chrono::steady_clock;

double since(clock::time_point start) {
    return std::chrono::duration<double, std::nano>(clock::now() - start).count();
}

/// A batch ends with a wait of some ten microseconds, which is not the work's.
constexpr double long_batch = 2e6;

/// Adds CUB's sum of f64, over separate values.
void add_cub(std::vector<rival>& rivals, const std::function<void()>&, int64_t n) {
    const auto sum = device_sum();
    if (!sum) return;
    const Tensor x = randn({n}, kDouble).eval(), out = empty({1}, kDouble);
    const std::size_t bytes =
        sum(nullptr, 0, static_cast<const double*>(x.const_data_ptr()), nullptr, n);
    const Tensor work = empty({static_cast<int64_t>(bytes)}, kByte);
    rivals.push_back(on_device("cub", "DeviceReduce::Sum by hand", [=] {
        sum(const_cast<void*>(work.const_data_ptr()), bytes,
            static_cast<const double*>(x.const_data_ptr()),
            static_cast<double*>(const_cast<void*>(out.const_data_ptr())), n);
    }));
}

const char* short_name(ScalarType t) { return t == kHalf ? "f16" : t == kDouble ? "f64" : "f32"; }

struct collector {
    const options& o;
    std::vector<record>& to;
    std::string device;

    void add(record r, const rival& who, const timing& t) {
        r.impl = who.impl;
        r.note = who.note;
        r.device = device;
        r.min_ns = t.min_ns;
        r.median_ns = t.median_ns;
        r.mean_ns = t.mean_ns;
        to.push_back(std::move(r));
        progress(to);
    }

    /// Runs one case in turns with a device-to-device copy of as many bytes.
    void run(const gpu_case& c, ScalarType dtype) {
        const auto width = static_cast<int64_t>(elementSize(dtype));
        // NOLINTNEXTLINE(clang-analyzer-core.DivideZero): elements have a dtype
        const int64_t n = std::min(c.most, (o.gpu_mb << 20) / (width * c.arrays));
        if ((width < 4 && !c.halves) || !o.wants(c.name, short_name(dtype), n, 1)) return;
        record r;
        r.name = c.name;
        r.dtype = short_name(dtype);
        r.n = n;
        r.bytes = n * width * c.arrays;
        const std::function<void()> once = c.set_up(n, dtype);
        std::vector<rival> rivals{on_device("fused", "", once)};
        if (auto copy = device_copy()) {
            // A copy reads and writes, so each side gets half of the bytes.
            const auto half = static_cast<std::size_t>(r.bytes / 2);
            const Tensor from = empty({r.bytes / 2}, kByte), into = empty({r.bytes / 2}, kByte);
            rivals.push_back(on_device("copy", "the driver's", [=] {
                copy(const_cast<void*>(into.const_data_ptr()), from.const_data_ptr(), half);
            }));
        }
        const bool copied = rivals.size() > 1;
        if (c.beside) c.beside(rivals, once, n);
        const std::vector<timing> times = race(o, rivals, long_batch);
        if (copied) r.stream_gbps = static_cast<double>(r.bytes) / times[1].min_ns;
        for (std::size_t i = 0; i < rivals.size(); ++i) add(r, rivals[i], times[i]);
    }

    void product(int n) {
        if (!o.wants("matmul", "f32", n, 1)) return;
        const Tensor a = randn({n, n}).eval(), b = randn({n, n}).eval();
        Tensor c = empty({n, n});
        record r;
        r.name = "matmul";
        r.dtype = "f32";
        r.n = n;
        r.flops = int64_t{2} * n * n * n;
        std::vector<rival> rivals{on_device("fused", "", [=] { matmul(a, b).eval(); })};
        if (auto multiply = device_product())
            rivals.push_back(on_device("blas", "called by hand", [=] {
                multiply(static_cast<float*>(const_cast<void*>(c.const_data_ptr())),
                         static_cast<const float*>(a.const_data_ptr()),
                         static_cast<const float*>(b.const_data_ptr()), n);
            }));
        const Tensor on_host[] = {a.cpu().eval(), b.cpu().eval()};
        rivals.push_back(rival::of("cpu", "the library on the CPU, all threads",
                                   [=] { matmul(on_host[0], on_host[1]).eval(); }));
        const std::vector<timing> times = race(o, rivals, long_batch);
        for (std::size_t i = 0; i < rivals.size(); ++i) add(r, rivals[i], times[i]);
    }

    /// A layer's product and bias: in one library call if possible, compared with the two steps of
    /// eager mode. Half and BFloat16 are joined under fast math.
    void linear(int n, ScalarType dtype) {
        const int64_t bytes = int64_t{3} * n * n * static_cast<int64_t>(elementSize(dtype));
        if (bytes > o.gpu_mb << 20 || !o.wants("linear", short_name(dtype), n, 1)) return;
        const Tensor x = operand(int64_t{n} * n, dtype).view({n, n});
        const Tensor w = operand(int64_t{n} * n, dtype).view({n, n}), bias = operand(n, dtype);
        record r;
        r.name = "linear";
        r.dtype = short_name(dtype);
        r.n = n;
        r.flops = int64_t{2} * n * n * n;
        const auto once = [=] { (mm(x, w.t()) + bias).eval(); };
        std::vector<rival> rivals{on_device("fused", "fast math", [once] {
            const FastMathGuard fast;
            once();
        })};
        add_eager(rivals, once, n);
        const std::vector<timing> times = race(o, rivals, long_batch);
        for (std::size_t i = 0; i < rivals.size(); ++i) add(r, rivals[i], times[i]);
    }

    /// The host's cost of one cached expression of 1000 elements. The timed part does not wait for
    /// the device.
    void launches() {
        if (!o.wants("launch", "f32", 1000, 1)) return;
        const Tensor a = randn({1000}).eval(), b = randn({1000}).eval();
        Tensor out = empty({1000});
        const auto once = [&] { out.copy_(a * b + a).eval(); };
        once();
        wait_for_device();
        std::vector<double> samples;
        for (int round = 0; round < 50; ++round) {
            constexpr int count = 20;
            const auto start = clock::now();
            for (int i = 0; i < count; ++i) once();
            samples.push_back(since(start) / count);
            wait_for_device();
        }
        latency("launch", 1000, "of 20 in a row, host side", samples);
    }

    /// Twenty small kernels that do not fuse: as one plan, whose launches go to the device as a
    /// graph if that was measured to be faster (or SINTER_GRAPHS says so), and as twenty
    /// expressions.
    void small_kernels() {
        if (!o.wants("small_kernels", "f32", 20, 1)) return;
        const Tensor table = randn({32, 32}).eval();
        const auto step = [](const Tensor& x, int i) {
            return Tensor((x - x.mean({i % 2}, true)) * 1.5);
        };
        int depth = 0;
        const auto together = [&] {
            Tensor x = table;
            for (int i = 0; i < depth; ++i) x = step(x, i);
            x.eval();
        };
        uint64_t kernels = 0;
        while (kernels < 20 && depth < 40) {
            ++depth;
            reset_stats();
            together();
            kernels = stats().kernels_launched;
        }
        const auto apart = [&] {
            Tensor x = table;
            for (int i = 0; i < depth; ++i) x = step(x, i).eval();
        };
        for (int i = 0; i < 60; ++i) {  // until the choice is final
            together();
            wait_for_device();
        }
        reset_stats();
        together();
        const char* how = stats().graph_launches ? "as one graph" : "one plan, one by one";
        const auto n = static_cast<int64_t>(kernels);
        const auto time = [&](auto once, const char* note) {
            std::vector<double> host, all;
            once();
            wait_for_device();
            for (int round = 0; round < 200; ++round) {
                const auto start = clock::now();
                once();
                host.push_back(since(start));
                wait_for_device();
                all.push_back(since(start));
            }
            latency("small_kernels", n, (std::string(note) + ", host side").c_str(), host);
            latency("small_kernels", n, (std::string(note) + ", end to end").c_str(), all);
        };
        time(together, how);
        time(apart, "separate expressions");
    }

    /// First runs of expressions of ten operations: with compilation, and from disk.
    void compilation() {
        if (!o.wants("compile", "f32", 10, 1)) return;
        const first_runs times = time_first_runs(o.device);
        latency("compile", 10, "operations, first run, compiled", times.compiled);
        latency("compile", 10, "operations, first run, kernel from disk", times.from_disk);
    }

    void latency(const char* name, int64_t n, const char* note, std::vector<double> samples) {
        std::sort(samples.begin(), samples.end());
        record r;
        r.name = name;
        r.n = n;
        r.dtype = "f32";
        add(r, rival{"fused", note, {}}, {samples.front(), samples[samples.size() / 2]});
    }
};

}  // namespace

bool run_gpu(const options& o, std::vector<record>& to) {
    if (!cuda::is_available())
        throw std::runtime_error("[bench] there is no GPU; `sinter info` says why");
    set_default_device(Device(o.device));
    collector all{o, to, device_text()};
    std::printf("%s\n", all.device.c_str());
    int failed = 0;
    // A case that fails takes no other with it, nor does the end of the time that a caller gives.
    const auto attempt = [&](const char* what, const auto& f) {
        try {
            f();
        } catch (const std::exception& e) {
            ++failed;
            std::printf("FAILED: %s: %s\n", what, e.what());
        }
        std::fflush(stdout);
        if (!o.json.empty()) write_json(o.json, to);
    };
    for (const gpu_case& c : gpu_cases())
        for (ScalarType dtype : {kFloat, kHalf}) attempt(c.name, [&] { all.run(c, dtype); });
    for (int n : {500, 5000}) attempt("matmul", [&] { all.product(n); });
    for (int n : {256, 4096})
        for (ScalarType dtype : {kFloat, kHalf}) attempt("linear", [&] { all.linear(n, dtype); });
    gpu_case million = summed("sum of 1e6");
    million.beside = add_cub;
    options small = o;
    small.gpu_mb = 8;
    attempt("sum of 1e6", [&] { collector{small, to, all.device}.run(million, kDouble); });
    attempt("launch", [&] { all.launches(); });
    attempt("small_kernels", [&] { all.small_kernels(); });
    attempt("compile", [&] { all.compilation(); });
    return failed == 0;
}

void print_gpu_table(const std::vector<record>& records) {
    std::printf("\n%-18s %-4s %10s %-6s %12s %12s %9s %7s\n", "case", "type", "n", "impl",
                "best us", "median us", "GB/s", "/copy");
    for (const record& r : records) {
        std::printf("%-18s %-4s %10lld %-6s %12.2f %12.2f", r.name.c_str(), r.dtype.c_str(),
                    static_cast<long long>(r.n), r.impl.c_str(), r.min_ns / 1e3, r.median_ns / 1e3);
        if (r.bytes) std::printf(" %9.1f", r.gbps());
        if (r.stream_gbps > 0) std::printf(" %7.2f", r.gbps() / r.stream_gbps);
        std::printf("  %s\n", r.note.c_str());
    }
}

}  // namespace bench
