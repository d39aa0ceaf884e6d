// Where a program's time goes in the library, as a file for Perfetto and chrome://tracing:
// SINTER_TRACE=file.json. Bounded by SINTER_TRACE_MAX_MB, default 256. The file is whole at any
// time but for the last tenth of a second; a second process with the same name writes
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

/// Whether a trace is written. A load and a comparison where it is not.
inline bool tracing() noexcept {
    const trace_state s = trace_now.load(std::memory_order_relaxed);
    return s != trace_state::off && (s == trace_state::on || start_tracing());
}

/// An event that lasts as long as the object; nothing where no trace is written. The names are
/// literals.
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

    /// Whether details are wanted.
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

/// A quantity from now on. The caller has asked `tracing`.
void trace_quantity(const char* name, int64_t value) noexcept;

}  // namespace sinter::runtime
