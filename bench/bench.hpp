// Declarations shared by the parts of sinter_bench: options, records, and timing of rivals in
// turns.
#pragma once

#include <cstdint>
#include <functional>
#include <regex>
#include <string>
#include <utility>
#include <vector>

namespace bench {

struct options {
    std::string json;
    std::regex filter;
    std::string impl;  // only this rival and the triads; empty: all
    bool quick = false;
    std::vector<int> threads{1, 2};
    std::string device;    // "cuda": only the GPU cases
    int64_t gpu_mb = 256;  // that a GPU case moves
    int busy = 0;          // processes that use processors meanwhile

    /// Returns true if the filter asks for a record of this case. The filter is matched against
    /// `case dtype n=N t=THREADS`.
    bool wants(const std::string& name, const std::string& dtype, int64_t n, int threads) const;
    options quickly() const {
        options o = *this;
        o.quick = true;
        return o;
    }
    /// Returns true if a quick run has this size.
    static bool in_quick(int64_t n, const std::string& dtype);
};

/// One record of the JSON; README.md describes the fields.
struct record {
    std::string name;  // "case"
    int64_t n = 0;
    std::string dtype;
    int threads = 1;
    std::string impl;
    std::string device = "cpu";
    double min_ns = 0, median_ns = 0, mean_ns = 0;
    int64_t bytes = 0;  // that the algorithm must move, each array once
    int64_t flops = 0;
    double stream_gbps = 0;  // of the better triad, in turns with the case; 0: does not apply
    double sum = 0;          // of the absolute values of the results
    std::string note;

    double gbps() const { return bytes ? static_cast<double>(bytes) / min_ns : 0; }
};

/// One way to compute a case. `batch(k)` computes it k times.
struct rival {
    std::string impl, note;
    std::function<void(int64_t)> batch;

    template <class F>
    static rival of(std::string impl, std::string note, F once) {
        return {std::move(impl), std::move(note), [once = std::move(once)](int64_t k) mutable {
                    for (int64_t i = 0; i < k; ++i) once();
                }};
    }
};

struct timing {
    double min_ns = 0, median_ns = 0, mean_ns = 0;
};

double mean(const std::vector<double>& samples);

/// Returns the times of one computation by each rival. Rivals take turns, so that temporary load on
/// the machine slows all of them. Each sample lasts at least `least_ns`; 0 means long enough to
/// tell hand-written loops apart.
std::vector<timing> race(const options& o, std::vector<rival>& rivals, double least_ns = 0);

/// The triad a[i] = b[i] + s * c[i] over `bytes` bytes in total, with plain and with streaming
/// stores.
std::vector<rival> triad_rivals(int64_t bytes, int threads);

// ---- the sections
void run_throughput(const options& o, std::vector<record>& to);
/// Writes the cases of run_throughput as lines of JSON.
void list_throughput(const options& o);
void run_dispatch(const options& o, std::vector<record>& to);
void run_compile(const options& o, std::vector<record>& to);
void run_compile_together(const options& o, std::vector<record>& to);
void run_first_call(const options& o, std::vector<record>& to);
void run_graph(const options& o, std::vector<record>& to);
void run_first_result(const options& o, std::vector<record>& to);
/// The child process of run_first_result: computes one value and reports it to the file descriptor.
int first_result_child(int report_to, bool compute);
/// The child process of run_first_call: times first calls.
int first_call_child(int report_to);

/// GPU cases: gpu/cases.cpp. Returns false if one failed. Writes the JSON after each.
bool run_gpu(const options& o, std::vector<record>& to);
void print_gpu_table(const std::vector<record>& records);

/// Prints the last measurements to standard error.
void progress(const std::vector<record>& records);
void write_json(const std::string& path, const std::vector<record>& records);
void print_table(const std::vector<record>& records);

/// Processes that never sleep while it lives. Make it before the program has threads.
class busy_processes {
public:
    explicit busy_processes(int count);
    ~busy_processes();
    busy_processes(const busy_processes&) = delete;
    busy_processes& operator=(const busy_processes&) = delete;

private:
    std::vector<int> ids_;
};
/// Prints mean times, and the ratio of those on several threads to those on one.
void print_busy_table(const std::vector<record>& records);

}  // namespace bench
