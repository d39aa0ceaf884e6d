#include "jit/cache/recorder.hpp"

#include "runtime/base/environment.hpp"
#include "runtime/base/fail.hpp"
#include "runtime/base/fork.hpp"
#include "runtime/report/log.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace sinter::code_cache {
namespace {

/// The file of this process. What it asks for again is recorded once.
class recorder {
public:
    explicit recorder(std::string folder) : folder_(std::move(folder)) {}

    run_count& add(record_kind kind, byte_view content) {
        // No thread holds it while another forks: a fork waits for flushes.
        const std::lock_guard lock(mutex_);
        const auto [known, is_new] = runs_.try_emplace(hash_of(content));
        if (is_new && ready() && !file_->add(kind, content)) give_up();
        return known->second;
    }

    void write_counts() {
        const std::lock_guard lock(mutex_);
        for (const auto& [work, runs] : runs_)
            if (const uint64_t n = runs.load(std::memory_order_relaxed); n > 0 && ready())
                if (!file_->add_runs(work, n)) give_up();
    }

    /// In the child of a fork.
    void forget_counts() {
        for (auto& [work, runs] : runs_) runs.store(0, std::memory_order_relaxed);
    }

private:
    /// Returns true if there is a file to add to. A child of a fork has one of its own.
    bool ready() {
        if (!ended_ && process_ != getpid()) open();
        return !ended_;
    }

    void open() {
        process_ = getpid();
        file_.reset();
        timespec now{};
        clock_gettime(CLOCK_REALTIME, &now);
        if (mkdir(folder_.c_str(), 0700) != 0 && errno != EEXIST) return give_up();
        std::optional<recording_writer> w = recording_writer::make(
            runtime::text(folder_, "/", process_, "-", now.tv_sec, "-", now.tv_nsec, ".srec"));
        if (!w) return give_up();
        file_.emplace(std::move(*w));
    }

    void give_up() {
        const std::string why = std::strerror(errno);
        ended_ = true;
        runtime::warn_once("cache.record",
                           "[cache] what the program computes is not recorded; got " + folder_ +
                               ": " + why +
                               ", expected a folder that can be written; try another "
                               "SINTER_CACHE_RECORD");
    }

    const std::string folder_;
    std::mutex mutex_;                   // guards the members below
    std::map<hash128, run_count> runs_;  // of all that is known
    std::optional<recording_writer> file_;
    pid_t process_ = 0;
    bool ended_ = false;
};

constinit std::atomic<recorder*> of_process{nullptr};

[[maybe_unused]] const runtime::at_fork counts_at_fork(runtime::fork_order::recorder, nullptr,
                                                       nullptr, [] {
                                                           if (recorder* r = of_process.load())
                                                               r->forget_counts();
                                                       });

}  // namespace

bool records() { return !runtime::environment().cache_record.empty(); }

run_count& record(record_kind kind, byte_view content) {
    const std::string& folder = runtime::environment().cache_record;
    // Leaked on purpose: threads may compute while the process exits.
    const auto make = [&] {
        std::atexit([] { of_process.load()->write_counts(); });
        return new recorder(folder);
    };
    return runtime::made_once(of_process, make).add(kind, content);
}

}  // namespace sinter::code_cache
