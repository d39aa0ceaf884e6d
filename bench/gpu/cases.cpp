// GPU cases: fused expressions, reductions, rows and products in turns with a device-to-device copy
// and the vendor's library; and the host's cost of a launch and a compilation.
#include "bench/bench.hpp"
#include "bench/gpu/by_hand.hpp"
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

/// Launches the work `k` times and waits once.
template <class F>
rival on_device(std::string impl, std::string note, F once) {
    return {std::move(impl), std::move(note), [once = std::move(once)](int64_t k) mutable {
                for (int64_t i = 0; i < k; ++i) once();
                wait_for_device();
            }};
}

/// A batch ends with a wait of some ten microseconds, which is not the work's.
constexpr double long_batch = 2e6;

struct gpu_case {
    const char* name;
    int arrays;  // of n elements that the algorithm must move
    /// Returns a function that does one run, for a size and a dtype.
    std::function<std::function<void()>(int64_t n, ScalarType dtype)> set_up;
    /// Adds more rivals, which take turns with that run.
    std::function<void(std::vector<rival>&, const std::function<void()>& once, int64_t n)> beside =
        {};
};

/// Adds the library with one kernel per operation.
void add_eager(std::vector<rival>& rivals, const std::function<void()>& once, int64_t) {
    // NOLINTNEXTLINE(clang-analyzer-cplusplus.NewDeleteLeaks): the rival owns its copy of `once`
    rivals.push_back(on_device("eager", "a kernel for each operation", [once] {
        const ModeGuard guard(Mode::eager);
        once();
    }));
}

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

Tensor operand(int64_t n, ScalarType dtype) { return randn({n}, kFloat).to(dtype).eval(); }

/// An expression over `inputs` tensors of n elements, into an existing tensor.
template <class F>
gpu_case pointwise(const char* name, int inputs, F formula) {
    return {name, inputs + 1, [=](int64_t n, ScalarType dtype) -> std::function<void()> {
                std::vector<Tensor> x;
                for (int i = 0; i < inputs; ++i) x.push_back(operand(n, dtype));
                Tensor out = empty({n}, dtype);
                return [=]() mutable { out.copy_(formula(x)).eval(); };
            }};
}

/// Returns the case with eager mode as another rival.
gpu_case beside_eager(gpu_case c) {
    c.beside = add_eager;
    return c;
}

/// A reduction of a table with rows of `columns` elements (0: one row).
template <class F>
gpu_case reduction(const char* name, int64_t columns, F formula) {
    return {name, 1, [=](int64_t n, ScalarType dtype) -> std::function<void()> {
                const Tensor x = columns == 0
                                     ? operand(n, dtype)
                                     : operand(n / columns * columns, dtype).view({-1, columns});
                return [=] { formula(x).eval(); };
            }};
}

/// A case that maps rows to rows.
template <class F>
gpu_case rows(const char* name, int64_t columns, F formula) {
    return {name, 2, [=](int64_t n, ScalarType dtype) -> std::function<void()> {
                const Tensor x = operand(n / columns * columns, dtype).view({-1, columns});
                return [=] { formula(x).eval(); };
            }};
}

using list = std::vector<Tensor>;

/// A case of n elements in one dimension and as many random places in a tensor of an eighth of
/// that.
template <class F>
gpu_case indexed(const char* name, F formula) {
    return {name, 3, [=](int64_t n, ScalarType dtype) -> std::function<void()> {
                const Tensor x = operand(n, dtype), table = operand(n / 8, dtype);
                const Tensor places = randint(n / 8, {n}, kLong).eval();
                return [=] { formula(table, places, x).eval(); };
            }};
}

Tensor layer_normed(const Tensor& x) {
    return (x - x.mean({1}, true)) * rsqrt(x.var({1}, false, true) + 1e-5);
}

const std::vector<gpu_case>& cases() {
    static const std::vector<gpu_case> all = {
        pointwise("scale", 1, [](const list& x) { return x[0] * 2; }),
        pointwise("a+b", 2, [](const list& x) { return x[0] + x[1]; }),
        pointwise("a*b+c", 3, [](const list& x) { return x[0] * x[1] + x[2]; }),
        pointwise("four_inputs", 4, [](const list& x) { return x[0] * x[1] - x[2] * x[3]; }),
        pointwise("five_inputs", 5, [](const list& x) { return x[0] * x[1] + x[2] * x[3] - x[4]; }),
        pointwise("gelu", 1, [](const list& x) { return gelu(x[0]); }),
        pointwise("sin", 1, [](const list& x) { return sin(x[0]); }),
        pointwise("pow", 2, [](const list& x) { return pow(abs(x[0]), x[1]); }),
        pointwise("remainder", 2, [](const list& x) { return remainder(x[0], x[1]); }),
        beside_eager(pointwise(
            "ten_operations", 2,
            [](const list& x) {
                return ((x[0] * 2 + x[1]) * x[0] - 1) * (x[1] + 3) * (x[0] - x[1]) + x[0] * 5;
            })),
        {"x+x.t()", 2,
         [](int64_t n, ScalarType dtype) -> std::function<void()> {
             int64_t side = 1;
             while ((side + 1) * (side + 1) <= n) ++side;
             const Tensor x = operand(side * side, dtype).view({side, side});
             Tensor out = empty({side, side}, dtype);
             return [=]() mutable { out.copy_(x + x.t()).eval(); };
         }},
        reduction("sum", 0, [](const Tensor& x) { return x.sum(); }),
        reduction("sum(1) of 4096", 4096, [](const Tensor& x) { return x.sum(1); }),
        reduction("sum(1) of 16", 16, [](const Tensor& x) { return x.sum(1); }),
        reduction("sum(0) of 4096", 4096, [](const Tensor& x) { return x.sum(0); }),
        reduction("var(1) of 4096", 4096, [](const Tensor& x) { return x.var(1); }),
        reduction("argmax(1) of 4096", 4096, [](const Tensor& x) { return x.argmax(1); }),
        rows("softmax 4096", 4096, [](const Tensor& x) { return softmax(x, 1); }),
        rows("softmax 16384", 16384, [](const Tensor& x) { return softmax(x, 1); }),
        rows("softmax 131072", 131072, [](const Tensor& x) { return softmax(x, 1); }),
        rows("layer_norm 4096", 4096, layer_normed),
        rows("layer_norm 16384", 16384, layer_normed),
        rows("layer_norm 131072", 131072, layer_normed),
        rows("cumsum 4096", 4096, [](const Tensor& x) { return x.cumsum(1); }),
        rows("sort 4096", 4096, [](const Tensor& x) { return std::get<0>(x.sort(1)); }),
        reduction("topk(8) of 4096", 4096,
                  [](const Tensor& x) { return std::get<0>(x.topk(8, 1)); }),
        reduction("cumsum", 0, [](const Tensor& x) { return x.cumsum(0); }),
        reduction("sort", 0, [](const Tensor& x) { return std::get<0>(x.sort(0)); }),
        reduction("histc(100)", 0, [](const Tensor& x) { return x.histc(100, -4, 4); }),
        reduction("masked_select", 0, [](const Tensor& x) { return x.masked_select(x > 0); }),
        indexed("gather", [](const Tensor& table, const Tensor& places,
                             const Tensor&) { return table.index_select(0, places); }),
        indexed("index_put", [](const Tensor& table, const Tensor& places,
                                const Tensor& x) { return table.index_put({places}, x); }),
        indexed("index_add", [](const Tensor& table, const Tensor& places,
                                const Tensor& x) { return table.index_add(0, places, x); }),
    };
    return all;
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
        to.push_back(std::move(r));
        progress(to);
    }

    /// Runs one case in turns with a device-to-device copy of as many bytes.
    void run(const gpu_case& c, ScalarType dtype) {
        const auto width = static_cast<int64_t>(elementSize(dtype));
        const int64_t n = (o.gpu_mb << 20) / (width * c.arrays);
        if (!o.wants(c.name, short_name(dtype), n, 1)) return;
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
    for (const gpu_case& c : cases())
        for (ScalarType dtype : {kFloat, kHalf}) attempt(c.name, [&] { all.run(c, dtype); });
    for (int n : {500, 5000}) attempt("matmul", [&] { all.product(n); });
    for (int n : {256, 4096})
        for (ScalarType dtype : {kFloat, kHalf}) attempt("linear", [&] { all.linear(n, dtype); });
    gpu_case million = reduction("sum of 1e6", 0, [](const Tensor& x) { return x.sum(); });
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
