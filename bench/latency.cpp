// One-time and per-call costs of a program besides the loops: dispatch, compilation, and the first
// result.
#include "bench/bench.hpp"

#include <sinter/sinter.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <system_error>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace bench {
namespace {

using namespace sinter;
using clock = std::chrono::steady_clock;

double nanoseconds_since(clock::time_point start) {
    return std::chrono::duration<double, std::nano>(clock::now() - start).count();
}

record of_samples(std::string name, int64_t n, std::string impl, std::string note,
                  std::vector<double> samples) {
    std::sort(samples.begin(), samples.end());
    record r;
    r.name = std::move(name);
    r.n = n;
    r.dtype = "f32";
    r.impl = std::move(impl);
    r.note = std::move(note);
    r.min_ns = samples.front();
    r.median_ns = samples[samples.size() / 2];
    r.mean_ns = mean(samples);
    return r;
}

// ---- compilation

/// A chain of `operations` rows over two tensors; each `variant` is a different kernel.
Tensor chain(const Tensor& a, const Tensor& b, int operations, uint32_t variant) {
    static constexpr std::array rows{op::add,     op::sub,     op::mul, op::div,
                                     op::minimum, op::maximum, op::fmax};
    const expression_builder leaf_a(a), leaf_b(b);
    expression_builder e = leaf_a;
    uint32_t random = variant;
    for (int i = 0; i < operations; ++i) {
        // A chain of one operation can only vary its row; longer ones are sums and products.
        const uint32_t pick = i == 0 ? variant % rows.size() : (random >> 16) % 3;
        random = random * 1664525u + 1013904223u;
        e = expression_builder::apply(rows[pick], {e, i % 3 == 1 ? leaf_a : leaf_b});
    }
    return e.finish();
}

// ---- processes

struct report {
    uint64_t compiled, loaded, launched;
};

struct pipe_pair {
    pipe_pair() {
        if (pipe2(ends, O_CLOEXEC) != 0)
            throw std::system_error(errno, std::generic_category(), "pipe2");
    }
    ~pipe_pair() {
        close(ends[0]);
        close(ends[1]);
    }
    int ends[2];
};

/// Sets an environment variable for the processes that are started during its lifetime.
struct scoped_variable {
    scoped_variable(const char* name_, const std::string& value) : name(name_) {
        if (const char* before = std::getenv(name)) old = before;
        setenv(name, value.c_str(), 1);
    }
    ~scoped_variable() {
        if (old)
            setenv(name, old->c_str(), 1);
        else
            unsetenv(name);
    }
    scoped_variable(const scoped_variable&) = delete;
    scoped_variable& operator=(const scoped_variable&) = delete;
    const char* name;
    std::optional<std::string> old;
};

/// Starts this program again as `mode`, and reads what it reports.
double time_child(const char* mode, void* to, std::size_t bytes) {
    pipe_pair p;
    // The child gets the same number: posix_spawn clears close-on-exec in a `dup2` onto itself.
    const std::string fd = std::to_string(p.ends[1]);
    const char* arguments[] = {"sinter_bench", mode, fd.c_str(), nullptr};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, p.ends[1], p.ends[1]);
    pid_t child = 0;
    const auto start = clock::now();
    const int failed = posix_spawn(&child, "/proc/self/exe", &actions, nullptr,
                                   const_cast<char* const*>(arguments), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed) throw std::system_error(failed, std::generic_category(), "posix_spawn");
    close(p.ends[1]);
    p.ends[1] = -1;
    const ssize_t got = read(p.ends[0], to, bytes);
    const double ns = nanoseconds_since(start);
    int status = 0;
    waitpid(child, &status, 0);
    if (got != static_cast<ssize_t>(bytes) || status != 0)
        throw std::runtime_error("[bench] the child process failed; got status " +
                                 std::to_string(status) + ", expected 0");
    return ns;
}

double time_first_result(const std::string& cache, const char* jit, report& r) {
    const scoped_variable folder("SINTER_CACHE_DIR", cache), mode("SINTER_JIT", jit);
    return time_child("--child-first-result", &r, sizeof r);
}

struct scratch_folder {
    scratch_folder() {
        std::string name =
            (std::filesystem::temp_directory_path() / "sinter_bench.XXXXXX").string();
        if (!mkdtemp(name.data()))
            throw std::system_error(errno, std::generic_category(), "mkdtemp");
        path = name;
    }
    ~scratch_folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path, ignored);
    }
    std::filesystem::path path;
};

}  // namespace

void run_dispatch(const options& o, std::vector<record>& to) {
    for (int threads : o.threads) {
        if (!o.wants("dispatch", "f32", 16, threads)) continue;
        set_num_threads(threads);
        // Starts the threads, because locks cost more in a process with several threads.
        if (threads > 1) rand({1 << 20}).sum().eval();
        Tensor a = rand({16}), b = rand({16}), c = rand({16}), d = rand({16});
        eval({a, b, c, d});
        Tensor z;
        auto statement = [=]() mutable {
            z = a * b + c - d;
            z.eval();
        };
        std::vector<rival> rivals{rival::of("fused", "z = a * b + c - d; z.eval()", statement),
                                  {"eager", "the same, three launches", [=](int64_t times) mutable {
                                       ModeGuard guard(Mode::eager);
                                       for (int64_t i = 0; i < times; ++i) statement();
                                   }}};
        // A program that dispatches in a loop has the library's code in the caches. After another
        // rival's turn it takes some hundred iterations to be there.
        const std::vector<timing> times = race(o, rivals, 1e6);
        for (std::size_t i = 0; i < rivals.size(); ++i) {
            record r;
            r.name = "dispatch";
            r.n = 16;
            r.dtype = "f32";
            r.threads = threads;
            r.impl = rivals[i].impl;
            r.note = rivals[i].note;
            r.min_ns = times[i].min_ns;
            r.median_ns = times[i].median_ns;
            r.mean_ns = times[i].mean_ns;
            to.push_back(std::move(r));
        }
    }
}

void run_compile(const options& o, std::vector<record>& to) {
    set_num_threads(1);
    Tensor a = rand({16}) + 1, b = rand({16}) + 1;
    eval({a, b});
    bool open = false;
    for (int operations : {1, 16, 64, 256}) {
        if (!o.wants("compile", "f32", operations, 1)) continue;
        if (!open) chain(a, b, 3, 999).eval();  // opens the compiler
        open = true;
        std::vector<double> samples;
        uint64_t kernels = 0;
        for (uint32_t variant = 0; variant < (o.quick ? 4u : 7u); ++variant) {
            reset_stats();
            Tensor z = chain(a, b, operations, variant);
            const auto start = clock::now();
            z.eval();
            const double ns = nanoseconds_since(start);
            const uint64_t compiled = stats().kernels_compiled;
            if (compiled == 0) continue;  // an earlier case has compiled this kernel
            samples.push_back(ns / static_cast<double>(compiled));
            kernels += compiled;
        }
        if (samples.empty()) continue;
        const std::string per =
            std::to_string(static_cast<double>(kernels) / static_cast<double>(samples.size()));
        to.push_back(of_samples(
            "compile", operations, "fused",
            "n operations: plan, compile and first run; kernels an expression: " + per.substr(0, 4),
            samples));
    }
}

/// Eight kernels of one evaluation, with eight operations each.
void run_compile_together(const options& o, std::vector<record>& to) {
    constexpr uint32_t kernels = 8;
    constexpr int operations = 8;
    for (int threads : o.threads) {
        if (!o.wants("compile_together", "f32", kernels, threads)) continue;
        set_num_threads(threads);
        if (threads > 1) rand({1 << 20}).sum().eval();
        std::vector<Tensor> a, b;
        // Different sizes, since equal kernels would be one kernel.
        for (uint32_t k = 0; k < kernels; ++k) {
            a.push_back((rand({16 + k}) + 1).eval());
            b.push_back((rand({16 + k}) + 1).eval());
        }
        chain(a[0], b[0], 3, 999).eval();  // opens the compiler
        std::vector<double> samples;
        for (uint32_t round = 0; round < (o.quick ? 4u : 12u); ++round) {
            std::vector<Tensor> z;
            for (uint32_t k = 0; k < kernels; ++k)
                z.push_back(chain(a[k], b[k], operations,
                                  5000 + 1000 * static_cast<uint32_t>(threads) + 8 * round + k));
            reset_stats();
            const auto start = clock::now();
            eval({z[0], z[1], z[2], z[3], z[4], z[5], z[6], z[7]});
            const double ns = nanoseconds_since(start);
            if (stats().kernels_compiled < kernels / 2) continue;  // too many were cached
            samples.push_back(ns / static_cast<double>(stats().kernels_compiled));
        }
        if (samples.empty()) continue;
        to.push_back(of_samples("compile_together", kernels, "fused",
                                "n kernels of one evaluation, for each: plan, compile, first run",
                                samples));
        to.back().threads = threads;
    }
}

/// First evaluations on 1e6 elements of expressions without a kernel, with the compiler open. They
/// run in a separate process, since this one waits for its compiler and programs do not.
constexpr int first_calls = 12;
struct first_call_report {
    double fused[first_calls], eager[first_calls];
};
constexpr int64_t first_call_elements = 1000000;

void run_first_call(const options& o, std::vector<record>& to) {
    for (int threads : o.threads) {
        if (!o.wants("first_call", "f32", first_call_elements, threads)) continue;
        const scoped_variable jit("SINTER_JIT", "background"),
            count("SINTER_NUM_THREADS", std::to_string(threads));
        first_call_report r;
        time_child("--child-first-call", &r, sizeof r);
        for (auto& [impl, samples] : {std::pair{"fused", r.fused}, std::pair{"eager", r.eager}}) {
            to.push_back(of_samples("first_call", first_call_elements, impl,
                                    "a new expression, compiled in the background",
                                    {samples, samples + first_calls}));
            to.back().threads = threads;
        }
    }
}

/// n statements with one node each, and one read.
void run_graph(const options& o, std::vector<record>& to) {
    constexpr int64_t n = 100000;
    set_num_threads(1);
    const Tensor x = rand({16}), y = rand({16});
    eval({x, y});
    const auto loop = [&] {
        Tensor t = x;
        for (int64_t i = 0; i < n; ++i) t = t * 0.5 + y;
        t.eval();
    };
    const auto apart = [&] {
        std::vector<Tensor> all;
        all.reserve(n);
        for (int64_t i = 0; i < n; ++i) all.push_back(x * 0.5 + y);
        // The values are read one after another, so each read finds the others pending.
        for (Tensor& t : all) t.eval();
    };
    const std::pair<const char*, std::function<void()>> cases[] = {{"graph_chain", loop},
                                                                   {"graph_apart", apart}};
    for (const auto& [name, run] : cases) {
        if (!o.wants(name, "f32", n, 1)) continue;
        std::vector<double> samples;
        run();
        synchronize();
        for (int i = 0; i < (o.quick ? 2 : 5); ++i) {
            const auto start = clock::now();
            run();
            samples.push_back(nanoseconds_since(start));
        }
        to.push_back(of_samples(name, n, "fused",
                                "all of n statements of 16 elements, built and read", samples));
    }
}

void run_first_result(const options& o, std::vector<record>& to) {
    if (!o.wants("first_result", "f32", 16, 1)) return;
    const int colds = o.quick ? 5 : 20, warms = o.quick ? 10 : 40;
    report r{};
    std::vector<double> nothing, cold, behind, warm;
    scratch_folder kept;
    time_first_result(kept.path.string(), "wait", r);
    for (int i = 0; i < warms; ++i) {
        nothing.push_back(time_child("--child-nothing", &r, sizeof r));
        warm.push_back(time_first_result(kept.path.string(), "background", r));
        if (r.compiled != 0 || r.loaded == 0)
            throw std::runtime_error("[bench] a second process compiled; got " +
                                     std::to_string(r.compiled) + " kernels compiled, expected 0");
        if (i >= colds) continue;
        for (const auto& [jit, samples] : {std::pair{"wait", &cold}, {"background", &behind}}) {
            scratch_folder empty;
            samples->push_back(time_first_result(empty.path.string(), jit, r));
        }
    }
    to.push_back(of_samples("first_result", 16, "hand", "from exec to main", nothing));
    to.push_back(of_samples("first_result", 16, "fused", "from exec to item(): cold", cold));
    to.push_back(of_samples("first_result", 16, "fused",
                            "from exec to item(): cold, compiled in the background", behind));
    to.push_back(of_samples("first_result", 16, "fused", "from exec to item(): disk-warm", warm));
}

int first_call_child(int report_to) {
    Tensor a = rand({first_call_elements}) + 1, b = rand({first_call_elements}) + 1;
    eval({a, b});
    chain(a, b, 3, 999).eval();
    synchronize();
    first_call_report r;
    for (int i = 0; i < first_calls; ++i) {
        const auto time = [&] {
            const auto start = clock::now();
            Tensor z = chain(a, b, 6, 1000 + static_cast<uint32_t>(i));
            z.eval();
            return nanoseconds_since(start);
        };
        r.fused[i] = time();
        synchronize();  // the next measurement must not run during compilation
        ModeGuard guard(Mode::eager);
        r.eager[i] = time();
    }
    return write(report_to, &r, sizeof r) == sizeof r ? 0 : 1;
}

int first_result_child(int report_to, bool compute) {
    report r{};
    if (compute) {
        float bytes[16];
        for (int i = 0; i < 16; ++i) bytes[i] = static_cast<float>(i);
        const float* values = bytes;
        const Tensor x = from_blob(static_cast<const void*>(values), {16});
        const Tensor z = x * x + x;
        if (z[15].item<float>() != 240.f) return 1;
        const stats_report s = stats();
        r = {s.kernels_compiled, s.kernels_loaded, s.kernels_launched};
    }
    return write(report_to, &r, sizeof r) == sizeof r ? 0 : 1;
}

}  // namespace bench
