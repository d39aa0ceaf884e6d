#include "ops/cache/build/workers.hpp"

#include "runtime/base/fail.hpp"
#include "runtime/base/file.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <deque>
#include <list>

namespace sinter::cache_command {
namespace {

using clock = std::chrono::steady_clock;
using code_cache::bytes, code_cache::byte_view, code_cache::compile_reply;

/// Tasks that go to one process, by number.
using batch = std::vector<std::size_t>;

struct worker {
    pid_t process;
    int pipe;  // its replies
    batch work;
    clock::time_point started;
    bytes replies;
};

void put(bytes& to, const compile_reply& r) {
    const std::string& e = r.error;
    const codegen::reply_header h{e.empty(), r.entry, e.empty() ? r.image.size() : e.size()};
    codegen::append(to, h);
    if (e.empty())
        to.insert(to.end(), r.image.begin(), r.image.end());
    else
        to.insert(to.end(), e.begin(), e.end());
}

/// Returns the replies in `from`, perhaps not all: the process may have ended early.
std::vector<compile_reply> parse(const bytes& from) {
    std::vector<compile_reply> all;
    std::size_t at = 0;
    codegen::reply_header h;
    while (codegen::take(from.data(), from.size(), at, h) && h.size <= from.size() - at) {
        compile_reply r;
        const auto begin = from.begin() + static_cast<std::ptrdiff_t>(at),
                   end = begin + static_cast<std::ptrdiff_t>(h.size);
        if (h.ok)
            r.image.assign(begin, end);
        else
            r.error.assign(begin, end);
        r.entry = h.entry;
        all.push_back(std::move(r));
        at += h.size;
    }
    return all;
}

[[noreturn]] void run_worker(int pipe, std::span<const task> all, const batch& work,
                             const worker_settings& settings) {
    // A crash ends this process alone, whatever the program does about its own.
    for (const int crash : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT}) signal(crash, SIG_DFL);
    int status = 1;
    try {
        std::vector<byte_view> inputs;
        for (const std::size_t n : work) inputs.push_back(all[n].input);
        bytes out;
        for (const compile_reply& r : settings.run(all[work.front()].group, inputs)) put(out, r);
        status = runtime::write_all(pipe, out) ? 0 : 1;
    } catch (...) {  // it has no reply, which is an error of its tasks
    }
    _exit(status);
}

class pool {
public:
    pool(std::span<const task> all, const worker_settings& settings)
        : all_(all), settings_(settings), replies_(all.size()) {
        for (std::size_t n = 0; n < all.size(); ++n) {
            if (waiting_.empty() || waiting_.back().size() == settings.together ||
                all[waiting_.back().front()].group != all[n].group)
                waiting_.emplace_back();
            waiting_.back().push_back(n);
        }
    }
    ~pool() {
        for (const worker& w : running_) {
            kill(w.process, SIGKILL);
            close(w.pipe);
            waitpid(w.process, nullptr, 0);
        }
    }
    pool(const pool&) = delete;
    pool& operator=(const pool&) = delete;

    std::vector<compile_reply> run() {
        while (!waiting_.empty() || !running_.empty()) {
            while (!waiting_.empty() &&
                   running_.size() < static_cast<std::size_t>(settings_.workers))
                start();
            wait();
        }
        return std::move(replies_);
    }

private:
    void start() {
        int ends[2];
        if (pipe(ends) != 0) refuse("pipe");
        const pid_t process = fork();
        if (process == 0) {
            close(ends[0]);
            run_worker(ends[1], all_, waiting_.front(), settings_);
        }
        const int error = errno;
        close(ends[1]);
        if (process < 0) {
            close(ends[0]);
            errno = error;
            refuse("fork");
        }
        running_.push_back({process, ends[0], std::move(waiting_.front()), clock::now(), {}});
        waiting_.pop_front();
    }

    [[noreturn]] static void refuse(const char* call) {
        runtime::fail("cache", "no process can be started",
                      std::string(call) + ": " + std::strerror(errno), "room for a process",
                      "fewer of them (-j), or a higher limit (ulimit -u, ulimit -n)");
    }

    /// Reads what processes have written, and ends those that are done or late.
    void wait() {
        std::vector<pollfd> pipes;
        for (const worker& w : running_) pipes.push_back({w.pipe, POLLIN, 0});
        poll(pipes.data(), pipes.size(), 1000);
        std::size_t i = 0;
        for (auto w = running_.begin(); w != running_.end(); ++i) {
            const bool late =
                clock::now() - w->started > std::chrono::seconds(settings_.timeout_seconds);
            const bool ended = (pipes[i].revents != 0 && !read_some(*w)) || late;
            if (!ended) {
                ++w;
                continue;
            }
            finish(*w, late);
            w = running_.erase(w);
        }
    }

    /// Returns false at the end of its replies.
    static bool read_some(worker& w) {
        uint8_t buffer[1 << 16];
        const ssize_t n = read(w.pipe, buffer, sizeof buffer);
        if (n < 0 && errno == EINTR) return true;
        if (n > 0) w.replies.insert(w.replies.end(), buffer, buffer + n);
        return n > 0;
    }

    void finish(worker& w, bool late) {
        if (late) kill(w.process, SIGKILL);
        close(w.pipe);
        int status = 0;
        while (waitpid(w.process, &status, 0) < 0 && errno == EINTR) {
        }
        std::vector<compile_reply> replies = parse(w.replies);
        if (replies.size() == w.work.size()) {
            for (std::size_t n = 0; n < replies.size(); ++n) keep(w.work[n], std::move(replies[n]));
        } else if (w.work.size() > 1) {
            const auto middle = w.work.begin() + static_cast<std::ptrdiff_t>(w.work.size() / 2);
            waiting_.emplace_front(middle, w.work.end());
            waiting_.emplace_front(w.work.begin(), middle);
        } else {
            compile_reply r;
            const std::string name = settings_.name;
            r.error =
                late ? name + " took more than " + std::to_string(settings_.timeout_seconds) + " s"
                : WIFSIGNALED(status) ? name + " crashed: " + strsignal(WTERMSIG(status))
                                      : name + " ended early";
            keep(w.work.front(), std::move(r));
        }
    }

    void keep(std::size_t n, compile_reply r) {
        ++done_;
        failed_ += !r.error.empty();
        replies_[n] = std::move(r);
        if (settings_.progress) settings_.progress(done_, failed_);
    }

    std::span<const task> all_;
    const worker_settings& settings_;
    std::vector<compile_reply> replies_;
    std::deque<batch> waiting_;
    std::list<worker> running_;
    std::size_t done_ = 0, failed_ = 0;
};

}  // namespace

task_replies run_in_workers(std::span<const task> all, const worker_settings& settings) {
    return pool(all, settings).run();
}

}  // namespace sinter::cache_command
