// Children that are forked while other threads of their parent are inside the library.
#include "tests/seed.hpp"
#include "tests/support/fork.hpp"

#include <sinter/sinter.hpp>

#include <doctest/doctest.h>

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

using namespace sinter;

namespace {

using steady = std::chrono::steady_clock;

/// A trace that is read while it is written, so that it never ends; none if SINTER_TRACE is set.
class endless_trace {
public:
    endless_trace() {
        if (std::getenv("SINTER_TRACE")) return;
        path_ =
            (std::filesystem::temp_directory_path() / ("sinter-trace-" + std::to_string(getpid())))
                .string();
        if (mkfifo(path_.c_str(), 0600) != 0) return;
        fd_ = open(path_.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK);
        setenv("SINTER_TRACE", path_.c_str(), 1);
        setenv("SINTER_TRACE_MAX_MB", "1000000", 1);
    }
    ~endless_trace() {
        unlink(path_.c_str());
        close(fd_);
    }
    endless_trace(const endless_trace&) = delete;
    endless_trace& operator=(const endless_trace&) = delete;

    /// Reads what is written during its lifetime.
    class reader {
    public:
        explicit reader(const endless_trace& t)
            : thread_([this, fd = t.fd_] {
                  char bytes[1 << 16];
                  while (!stop_)
                      if (read(fd, bytes, sizeof bytes) < 0) usleep(1000);
              }) {}
        ~reader() {
            stop_ = true;
            thread_.join();
        }

    private:
        std::atomic<bool> stop_{false};
        std::thread thread_;
    };

private:
    std::string path_;
    int fd_ = -1;
};

// Before anything asks for the trace.
const endless_trace written_trace;

/// A pointwise chain that hardly any other thread has used.
Tensor chain(const Tensor& x, std::mt19937_64& random) {
    Tensor y = x;
    for (int n = 1 + static_cast<int>(random() % 7); n > 0; --n) switch (random() % 6) {
            case 0: y = y * 0.5 + x; break;
            case 1: y = (y + 1).sin(); break;
            case 2: y = maximum(y, x) - 0.25; break;
            case 3: y = where(y > x, y, x * 2); break;
            case 4: y = sqrt(y * y + 1); break;
            default: y = tanh(y); break;
        }
    return y;
}

/// One of a few chains, which are compiled once, and now and then a new one. A fork waits for
/// running compilations, which takes most of its time.
Tensor usual_chain(const Tensor& x, std::mt19937_64& random) {
    if (random() % 100 == 0) return chain(x, random);
    std::mt19937_64 known(random() % 30);
    return chain(x, known);
}

/// Discards warnings while there are many.
struct silent : WarningHandler {
    void process(const Warning&) override {}
};

/// Threads that each repeat one kind of operation.
class busy_threads {
public:
    explicit busy_threads(uint64_t seed) : seed_(seed) {
        const Tensor x = arange(3000, kFloat) * 0.001;
        x.eval();
        start([x](auto& random) { usual_chain(x, random).sum().template item<float>(); });
        start([x](auto&) { softmax(x.view({30, 100}) * 2, 1).sum(0).eval(); });
        start([](auto& random) {
            const auto n = static_cast<int64_t>(1 + random() % 100000);
            Tensor t = empty({n}), u = zeros({n / 7 + 1});
            t.slice(0, 0, n / 2).fill_(1);
            u.add_(t.narrow(0, 0, 1));
            std::vector<float> own(100, 1.0F);
            from_blob(own.data(), {100}).add_(1);
        });
        start([x](auto& random) {
            static const silent handler;
            Warning::set_warning_handler(const_cast<silent*>(&handler));
            std::ostringstream text;
            text << x.slice(0, 0, 20) << explain(usual_chain(x, random));
            set_printoptions({.precision = static_cast<int64_t>(3 + random() % 3)});
            warn_once(Warning(std::to_string(random() % 1000)));
        });
        start([](auto& random) {
            const Tensor a = eye(12, kDouble) * 3 + ones({12, 12}, kDouble);
            matmul(a, a).eval();
            if (random() % 4 == 0) linalg::solve(a, ones({12}, kDouble)).eval();
            if (random() % 16 == 0) linalg::svdvals(a).eval();
        });
        start([x](auto& random) {
            Tensor y = x.clone();
            y.slice(0, 5, 10).mul_(2);
            const Tensor before = y * 3;
            y.index_put_({Tensor(arange(4))}, 1);
            if (random() % 2) y.data_ptr<float>()[0] = 1;
            eval({before, y});
        });
        start([](auto& random) {
            const Generator own = make_generator<CPUGeneratorImpl>(random());
            rand({50}).eval();
            randn({50}, own).eval();
            randperm(40).eval();
            std::lock_guard lock(own.mutex());
            own.set_current_seed(1);
        });
        start([x](auto& random) {
            const ModeGuard eager(Mode::eager);
            usual_chain(x, random);
            cumsum(x, 0);
        });
    }
    ~busy_threads() {
        stop_ = true;
        for (std::thread& t : threads_) t.join();
    }
    busy_threads(const busy_threads&) = delete;
    busy_threads& operator=(const busy_threads&) = delete;

private:
    template <class F>
    void start(const F& f) {
        threads_.emplace_back([this, f, seed = seed_ + threads_.size()] {
            std::mt19937_64 random(seed);
            while (!stop_) f(random);
        });
    }

    uint64_t seed_;
    std::atomic<bool> stop_{false};
    std::vector<std::thread> threads_;
};

bool is(const Tensor& t, double expected) {
    return std::abs(t.item<double>() - expected) <= 1e-5 * std::abs(expected) + 1e-6;
}

/// The work of a child; returns 0 if everything is correct.
int compute(const Tensor& x, const Tensor& pending, double expected, uint64_t seed) {
    std::mt19937_64 random(seed);
    if (!is(pending, expected)) return 1;
    if (!is((x * 2 + 1).sum(), 3000 * 2 + 3000)) return 2;
    Tensor y = x.clone();
    y.slice(0, 0, 3).mul_(4);
    if (!is(y.sum(), 3009)) return 3;
    {
        const Tensor fresh = chain(x, random);
        const ModeGuard eager(Mode::eager);
        std::mt19937_64 again(seed);
        if (!equal(fresh, chain(x, again))) return 4;
    }
    const Tensor a = eye(8, kDouble) * 2;
    if (!is(matmul(a, a).sum(), 32)) return 5;
    if (!is(linalg::solve(a, ones({8}, kDouble)).sum(), 4)) return 6;
    std::ostringstream text;
    text << x.slice(0, 0, 2) << explain(x + 1);
    if (text.str().empty()) return 7;
    const Tensor r = rand({100});
    if (r.max().item<float>() >= 1) return 8;
    const Generator own = make_generator<CPUGeneratorImpl>(5);
    if (randn({10}, own).numel() != 10) return 9;
    if (randperm(10).sum().item<int64_t>() != 45) return 10;
    if (!is(zeros({300000}).add_(1).sum(), 300000)) return 11;
    x.add_(1);  // shared with the parent's memory, not with the parent
    if (!is(x.sum(), 6000)) return 12;
    static const silent handler;
    Warning::set_warning_handler(const_cast<silent*>(&handler));
    warn_once(Warning("child"));
    return 0;
}

/// Returns how the child ended; -1: it took longer than a minute and was killed.
int wait_a_minute(pid_t child) {
    const auto limit = steady::now() + std::chrono::seconds(60);
    for (useconds_t us = 100;; us = std::min<useconds_t>(2 * us, 5000)) {
        int status = 0;
        if (waitpid(child, &status, WNOHANG) == child)
            return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
        if (steady::now() > limit) {
            if (const char* keep = std::getenv("SINTER_TEST_KEEP_HUNG"); keep && *keep) {
                std::fprintf(stderr, "child %d hangs\n", static_cast<int>(child));
                pause();
            }
            kill(child, SIGKILL);
            waitpid(child, &status, 0);
            return -1;
        }
        usleep(us);
    }
}

/// Ends the program if a fork does not return.
class watchdog {
public:
    watchdog()
        : thread_([this] {
              int seen = -1;
              for (int quiet = 0; !stop_; usleep(100'000)) {
                  quiet = progress_ == seen ? quiet + 1 : 0;
                  seen = progress_;
                  if (quiet < 1800) continue;
                  std::fprintf(stderr, "a fork did not come back for three minutes\n");
                  std::abort();
              }
          }) {}
    ~watchdog() {
        stop_ = true;
        thread_.join();
    }
    void step() { ++progress_; }

private:
    std::atomic<int> progress_{0};
    std::atomic<bool> stop_{false};
    std::thread thread_;
};

}  // namespace

TEST_CASE("a child that is forked beside busy threads computes") {
    if (!test::can_start_threads_after_fork()) return;
    const uint64_t seed = test::seed();
    const int most = test::exhaustive() ? 10'000 : test::long_run() ? 2'000 : 500;
    const auto limit = test::long_run() ? std::chrono::hours(1) : std::chrono::seconds(20);
    const Tensor x = ones({3000});
    x.eval();
    watchdog dog;
    const endless_trace::reader reader(written_trace);
    int forks = 0, failed = 0;
    {
        const busy_threads busy(seed);
        const auto begin = steady::now();
        for (; forks < most && failed < 3 && steady::now() - begin < limit; ++forks) {
            CAPTURE(forks);
            const Tensor pending = ((x + forks) * 2).sum();
            const double expected = 3000.0 * 2 * (1 + forks);
            const pid_t child = fork();
            REQUIRE(child >= 0);
            if (child == 0) {
                int status = 100;
                try {
                    status = compute(x, pending, expected, seed + static_cast<uint64_t>(forks));
                } catch (const std::exception& e) {
                    std::fprintf(stderr, "in the child: %s\n", e.what());
                }
                _exit(status);
            }
            const int status = wait_a_minute(child);
            CHECK(status == 0);
            failed += status != 0;
            dog.step();
        }
    }
    MESSAGE("children: ", forks, ", failed: ", failed);
}
