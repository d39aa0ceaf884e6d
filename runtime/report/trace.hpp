// Traces the time spent in the library to a file for Perfetto and chrome://tracing:
// SINTER_TRACE=file.json. SINTER_TRACE_MAX_MB limits its size, default 256. The file is valid at
// any time and lacks at most the last 0.1 s. A second process with the same file name writes
// file.PID.json.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

namespace sinter::runtime {

enum class trace_state : int { unknown, off, on };
extern constinit std::atomic<trace_state> trace_now;
bool start_tracing();

/// Returns true if a trace is written. Costs a load and a comparison if not.
inline bool tracing() noexcept {
    const trace_state s = trace_now.load(std::memory_order_relaxed);
    return s != trace_state::off && (s == trace_state::on || start_tracing());
}

/// An event that lasts as long as the object; does nothing if no trace is written. The names must
/// be literals.
class trace_span {
public:
    trace_span(const char* category, const char* name) noexcept {
        if (tracing()) begin(category, name);
    }
    ~trace_span() {
        if (begin_ns_) end();
    }
    trace_span(const trace_span&) = delete;
    trace_span& operator=(const trace_span&) = delete;

    /// Returns true if the event is recorded, so that details are useful.
    explicit operator bool() const noexcept { return begin_ns_ != 0; }
    void detail(const char* key, int64_t value) {
        if (begin_ns_) add(key, value);
    }
    void detail(const char* key, std::string_view value) {
        if (begin_ns_) add(key, value);
    }

private:
    void begin(const char* category, const char* name) noexcept;
    void end() noexcept;
    void add(const char* key, int64_t value);
    void add(const char* key, std::string_view value);

    int64_t begin_ns_ = 0;
    const char* category_ = nullptr;
    const char* name_ = nullptr;
    std::string details_;
};

/// Records the value of a quantity from now on. The caller has checked `tracing`.
void trace_quantity(const char* name, int64_t value) noexcept;

}  // namespace sinter::runtime
