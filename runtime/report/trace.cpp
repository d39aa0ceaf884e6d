#include "runtime/report/trace.hpp"

#include "runtime/base/environment.hpp"
#include "runtime/base/fork.hpp"
#include "runtime/report/log.hpp"

#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <mutex>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace sinter::runtime {

constinit std::atomic<trace_state> trace_now{trace_state::unknown};

namespace {

/// The trace file, shared by all threads. Leaked: events may come until the process ends.
struct trace_file {
    std::mutex mutex;
    int fd = -1;
    std::string buffer;  // not stdio's, because a forked child must be able to discard it
    std::string path;
    int64_t start_ns = 0;
    int64_t written_ns = 0;
    uint64_t left = 0;  // bytes that may still be written
    uint64_t at = 0;    // offset of the next event, which overwrites the end of the array
    bool any = false;   // true if an event precedes the next one
    bool seekable = true;
};

trace_file& the_file() {
    static auto* f = new trace_file;
    return *f;
}

std::mutex& trace_lock() { return the_file().mutex; }

/// In a forked child: discards the file and the unwritten events, which belong to the parent.
void forget_file() {
    trace_file& mine = the_file();
    if (mine.fd >= 0) {
        close(std::exchange(mine.fd, -1));
        mine.buffer.clear();
        trace_now.store(trace_state::off, std::memory_order_relaxed);
    }
    mine.mutex.unlock();
}

[[maybe_unused]] const at_fork trace_at_fork((static_cast<void>(the_file()), fork_order::trace),
                                             [] { trace_lock().lock(); },
                                             [] { trace_lock().unlock(); }, forget_file);

constexpr std::size_t buffer_bytes = std::size_t{64} << 10;
constexpr int64_t buffer_ns = 100'000'000;  // the most that a killed process may lose
constexpr std::string_view array_end = "\n]\n";

int64_t now_ns() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

int thread_number() {
    static std::atomic<int> next{1};
    thread_local const int mine = next.fetch_add(1);
    return mine;
}

bool write_all(trace_file& f, std::string_view text, uint64_t at) {
    while (!text.empty()) {
        const ssize_t n = f.seekable
                              ? pwrite(f.fd, text.data(), text.size(), static_cast<off_t>(at))
                              : write(f.fd, text.data(), text.size());
        if (n < 0 && errno != EINTR) return false;
        if (n <= 0) continue;
        text.remove_prefix(static_cast<std::size_t>(n));
        at += static_cast<uint64_t>(n);
    }
    return true;
}

/// Each write ends the JSON array, and the next one overwrites that end, so that the file is valid
/// JSON even if the process is killed or the disk is full. A file that cannot seek is ended once.
bool write_buffer(trace_file& f, bool last = false) {
    const std::size_t events = f.buffer.size();
    if (f.seekable || last) f.buffer += array_end;
    if (!write_all(f, f.buffer, f.at)) {
        const int error = errno;
        if (f.seekable && ftruncate(f.fd, static_cast<off_t>(f.at)) == 0)
            write_all(f, f.at ? array_end : "[\n]\n", f.at);
        f.buffer.clear();
        errno = error;
        return false;
    }
    f.at += events;
    f.written_ns = now_ns();
    f.buffer.clear();
    return true;
}

void close_file(trace_file& f, bool written = true) {
    trace_now.store(trace_state::off, std::memory_order_relaxed);
    if (f.fd < 0) return;
    if (written) written = write_buffer(f, true);
    const int error = errno;
    close(std::exchange(f.fd, -1));
    if (!written)
        warn_once("trace", "[SINTER_TRACE] the trace is not complete; got '" + f.path +
                               "': " + std::strerror(error) +
                               ", expected a file that can be written; try another folder");
}

void at_exit() {
    trace_file& f = the_file();
    std::lock_guard lock(f.mutex);
    close_file(f);
}

void append_number(std::string& to, int64_t n) {
    char text[24];
    to.append(text, std::to_chars(text, text + sizeof text, n).ptr);
}

/// Appends microseconds with three decimals.
void append_time(std::string& to, int64_t ns) {
    append_number(to, ns / 1000);
    const auto rest = static_cast<int>(ns % 1000);
    to += {'.', static_cast<char>('0' + rest / 100), static_cast<char>('0' + rest / 10 % 10),
           static_cast<char>('0' + rest % 10)};
}

void append_string(std::string& to, std::string_view text) {
    to += '"';
    for (const char c : text) {
        if (c == '"' || c == '\\')
            to += {'\\', c};
        else
            to += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
    to += '"';
}

void append_head(std::string& to, const char* name, char phase, int64_t at_ns) {
    to += "{\"name\":";
    append_string(to, name);
    to += ",\"ph\":\"";
    to += phase;
    to += "\",\"pid\":";
    append_number(to, getpid());
    to += ",\"tid\":";
    append_number(to, thread_number());
    to += ",\"ts\":";
    append_time(to, at_ns);
}

void write_event(const std::string& event) {
    trace_file& f = the_file();
    std::lock_guard lock(f.mutex);
    if (f.fd < 0) return;
    f.buffer.reserve(f.buffer.size() + event.size() + 256);  // all of it, or nothing
    if (event.size() + 128 > f.left) {
        f.buffer += f.any ? ",\n" : "";
        append_head(f.buffer, "the trace ends here: SINTER_TRACE_MAX_MB", 'i',
                    now_ns() - f.start_ns);
        f.buffer += ",\"s\":\"g\"}";
        close_file(f);
        return;
    }
    f.left -= event.size() + 2;
    if (std::exchange(f.any, true)) f.buffer += ",\n";
    f.buffer += event;
    if ((f.buffer.size() > buffer_bytes || now_ns() - f.written_ns > buffer_ns) && !write_buffer(f))
        close_file(f, false);
}

/// Opens and truncates a file. If another process writes it, opens a file with the PID in its name
/// instead.
int open_file(std::string& path) {
    int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        close(fd);
        const std::string wanted = path;
        const std::size_t name = path.rfind('/') + 1, dot = path.rfind('.');
        path.insert(dot != std::string::npos && dot > name ? dot : path.size(),
                    "." + std::to_string(getpid()));
        warn_once("trace_name", "[SINTER_TRACE] another process writes this file; got '" + wanted +
                                    "', expected one for each process; look into '" + path +
                                    "' for this one");
        fd = open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
        if (fd >= 0) flock(fd, LOCK_EX | LOCK_NB);
    }
    struct stat s{};
    if (fd >= 0 && fstat(fd, &s) == 0 && S_ISREG(s.st_mode) && ftruncate(fd, 0) != 0)
        close(std::exchange(fd, -1));
    return fd;
}

}  // namespace

bool start_tracing() try {
    const settings& wanted = environment();
    trace_file& f = the_file();
    std::lock_guard lock(f.mutex);
    if (trace_now.load(std::memory_order_relaxed) != trace_state::unknown)
        return trace_now.load(std::memory_order_relaxed) == trace_state::on;
    if (!wanted.trace.empty()) {
        f.path = wanted.trace;
        f.buffer.reserve(buffer_bytes);
        f.fd = open_file(f.path);
        if (f.fd < 0)
            warn_once("trace", "[SINTER_TRACE] the file cannot be written; got '" + f.path +
                                   "': " + std::strerror(errno) +
                                   ", expected the name of a file in a folder that exists; try "
                                   "SINTER_TRACE=trace.json");
    }
    if (f.fd < 0) {
        trace_now.store(trace_state::off, std::memory_order_relaxed);
        return false;
    }
    f.left = static_cast<uint64_t>(wanted.trace_max_mb) << 20;
    f.seekable = lseek(f.fd, 0, SEEK_CUR) >= 0;
    f.start_ns = f.written_ns = now_ns();
    f.buffer = "[\n";
    std::atexit(at_exit);
    trace_now.store(trace_state::on, std::memory_order_relaxed);
    return true;
} catch (const std::exception&) {  // no memory, or an environment that the first operation refuses
    return false;                  // the next event tries again
}

void trace_span::begin(const char* category, const char* name) noexcept {
    category_ = category;
    name_ = name;
    begin_ns_ = now_ns();
}

void trace_span::add(const char* key, int64_t value) {
    details_ += details_.empty() ? "" : ",";
    append_string(details_, key);
    details_ += ':';
    append_number(details_, value);
}

void trace_span::add(const char* key, std::string_view value) {
    details_ += details_.empty() ? "" : ",";
    append_string(details_, key);
    details_ += ':';
    append_string(details_, value);
}

void trace_span::end() noexcept {
    try {
        const int64_t end_ns = now_ns(), start_ns = the_file().start_ns;
        std::string event;
        append_head(event, name_, 'X', begin_ns_ - start_ns);
        event += ",\"dur\":";
        append_time(event, end_ns - begin_ns_);
        event += ",\"cat\":";
        append_string(event, category_);
        if (!details_.empty()) event += ",\"args\":{" + details_ + "}";
        event += '}';
        write_event(event);
    } catch (const std::bad_alloc&) {  // drops the event
    }
}

void trace_quantity(const char* name, int64_t value) noexcept {
    try {
        std::string event;
        append_head(event, name, 'C', now_ns() - the_file().start_ns);
        event += ",\"args\":{\"value\":";
        append_number(event, value);
        event += "}}";
        write_event(event);
    } catch (const std::bad_alloc&) {  // drops the event
    }
}

}  // namespace sinter::runtime
