#include "engine/recordings/recorder.hpp"

#include "engine/recordings/portable_work.hpp"
#include "jit/stored/recording.hpp"
#include "runtime/base/environment.hpp"
#include "runtime/base/fork.hpp"
#include "runtime/report/log.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <mutex>
#include <optional>
#include <set>
#include <string>

namespace sinter::plan {
namespace {

/// The file of this process. Plans may leave the cache and be made again: each work is recorded
/// once.
class recorder {
public:
    explicit recorder(std::string folder) : folder_(std::move(folder)) {}

    void add(const code_cache::bytes& work) {
        // No thread holds it while another forks: a fork waits for flushes.
        const std::lock_guard lock(mutex_);
        if (ended_ || !known_.insert(code_cache::hash_of(work)).second) return;
        if (process_ != getpid()) open();
        if (!ended_ && !file_->add(work)) give_up();
    }

private:
    /// A child of a fork has a file of its own.
    void open() {
        process_ = getpid();
        file_.reset();
        timespec now{};
        clock_gettime(CLOCK_REALTIME, &now);
        if (mkdir(folder_.c_str(), 0700) != 0 && errno != EEXIST) return give_up();
        std::optional<code_cache::recording_writer> w = code_cache::recording_writer::make(
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
    std::mutex mutex_;  // guards the members below
    std::set<code_cache::hash128> known_;
    std::optional<code_cache::recording_writer> file_;
    pid_t process_ = 0;
    bool ended_ = false;
};

}  // namespace

bool records() { return !runtime::environment().cache_record.empty(); }

void record_work(const subgraph& w) {
    const std::string& folder = runtime::environment().cache_record;
    static constinit std::atomic<recorder*> made{nullptr};
    // Leaked on purpose: threads may compute while the process exits.
    runtime::made_once(made, [&] { return new recorder(folder); }).add(write_work(w));
}

}  // namespace sinter::plan
