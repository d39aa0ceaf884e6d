// The kernels that recordings ask for: what a program of this version would ask for.
#pragma once

#include "jit/stored/recording.hpp"
#include "ops/cache/build/targets.hpp"

#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace sinter::cache_command {

struct planned {
    std::vector<std::set<code_cache::bytes>> works;  // the kernels of each, as keys
    std::vector<uint64_t> runs;                      // of each
    uint64_t all_runs = 0;                           // and of those that cannot be planned
    std::set<code_cache::bytes> kernels;             // of all
    /// On a GPU, the base form of a kernel: the one that runs where no other form is stored.
    std::map<code_cache::bytes, code_cache::bytes> base_of;
    std::set<code_cache::bytes> widened;  // base forms for other sizes and layouts
    std::map<std::string, int> errors;    // works that cannot be planned, by reason
    uint64_t lost = 0;                    // bytes at the ends of recordings

    /// Returns all kernels that a pack has: those of the works, and base forms.
    std::set<code_cache::bytes> to_build() const;
    std::size_t all_works() const {
        std::size_t n = works.size();
        for (const auto& [why, times] : errors) n += static_cast<std::size_t>(times);
        return n;
    }
    /// Returns a line for each reason, and one if bytes were lost.
    std::string problems() const;
};

/// Returns the recordings among these paths and in these folders, sorted.
std::vector<std::string> recordings_in(const std::vector<std::string>& paths);

/// Returns what these files hold, each work once, with the sums of its runs. Throws Error for a
/// path that is no recording.
code_cache::recording read_recordings(const std::vector<std::string>& files);

/// Plans each work once, as a program does on a target. All CPUs have the same plans. A work of
/// unknown runs counts as one. Of two plans between which a program measures, both. Throws Error
/// for a path that is no recording. `widen`: also for other sizes and layouts.
class recording_plans {
public:
    explicit recording_plans(const std::vector<std::string>& paths, bool widen = false);
    /// Returns a plan that lives as long as this.
    const planned& on(const build_target& target);

private:
    code_cache::recording recorded_;
    bool widen_;
    std::deque<planned> made_;
    const planned* of_cpus_ = nullptr;
};

}  // namespace sinter::cache_command
