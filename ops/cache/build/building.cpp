// The commands that make kernels of what programs do: record, build.
#include "jit/cache/device_key.hpp"
#include "jit/cache/miss.hpp"
#include "jit/stored/compression.hpp"
#include "jit/stored/recording.hpp"
#include "jit/stored/write_pack.hpp"
#include "ops/cache/commands.hpp"
#include "ops/cache/files.hpp"
#include "ops/cache/build/planning.hpp"
#include "ops/cache/build/targets.hpp"
#include "ops/cache/build/workers.hpp"
#include "ops/common/temporary_folder.hpp"
#include "runtime/base/fail.hpp"

#include <sinter/error.hpp>
#include <sinter/threads.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <filesystem>

namespace sinter::cache_command {
namespace {

namespace fs = std::filesystem;
using code_cache::artefact, code_cache::bytes, code_cache::byte_view;

// ---- record

/// Runs a program to its end and returns its exit status, as a shell does.
int run_program(const std::vector<std::string>& words, const std::string& recordings) {
    std::vector<char*> argv;
    for (const std::string& w : words) argv.push_back(const_cast<char*>(w.c_str()));
    argv.push_back(nullptr);
    const pid_t process = fork();
    if (process == 0) {
        setenv("SINTER_CACHE_RECORD", recordings.c_str(), 1);
        execvp(argv[0], argv.data());
        std::fprintf(stderr, "sinter cache record: %s: %s\n", argv[0], std::strerror(errno));
        _exit(127);
    }
    if (process < 0)
        runtime::fail("cache", "the program cannot be started", std::strerror(errno),
                      "room for a process", "a higher limit (ulimit -u)");
    int status = 0;
    while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

// ---- build

/// A bar on a terminal, on stderr; nothing elsewhere.
class progress_bar {
public:
    explicit progress_bar(std::size_t all) : all_(all), shown_(isatty(STDERR_FILENO) == 1) {}
    ~progress_bar() {
        if (shown_) std::fprintf(stderr, "\r\033[K");
    }
    progress_bar(const progress_bar&) = delete;
    progress_bar& operator=(const progress_bar&) = delete;
    void show(std::size_t done, std::size_t failed) const {
        if (!shown_) return;
        constexpr std::size_t width = 40;
        const std::string filled(width * done / std::max<std::size_t>(all_, 1), '#');
        std::fprintf(stderr, "\r[%-*s] %zu of %zu kernels", static_cast<int>(width), filled.c_str(),
                     done, all_);
        if (failed > 0) std::fprintf(stderr, ", %zu failed", failed);
        std::fflush(stderr);
    }

private:
    std::size_t all_;
    bool shown_;
};

}  // namespace

answer record_program(const arguments& a) {
    const ops::temporary_folder folder("cache", "sinter-record");
    answer done;
    done.status = run_program(a.program, folder.path());
    std::vector<std::string> files = recordings_in({folder.path()});
    const uint64_t processes = files.size();
    std::error_code error;
    if (fs::exists(a.output, error)) files.push_back(a.output);
    code_cache::recording all = read_recordings(files);
    const uint64_t works = all.works.size();
    // Without counts a second run changes nothing, so that recordings can be committed.
    if (!a.counts) all.runs.clear();
    const bytes content = code_cache::write_recording(std::move(all));
    write_file(a.output, content);
    done.records.push_back({{"recording", a.output},
                            {"processes", processes},
                            {"works", works},
                            {"bytes", uint64_t{content.size()}},
                            {"status", uint64_t(static_cast<unsigned>(done.status))}});
    if (processes == 0)
        done.closing = "the program computed nothing that needs kernels, or used no Sinter\n";
    return done;
}

answer build_pack(const arguments& a) {
    const auto start = std::chrono::steady_clock::now();
    std::vector<build_target> targets;
    for (const std::string& name : a.targets) targets.push_back(target_of(name));
    if (targets.empty()) targets = {target_of("x86-64-v3"), target_of("x86-64-v4")};
    for (const build_target& t : targets) t.require_compiler();

    recording_plans plans(a.paths, a.widen);
    std::vector<const planned*> work;
    std::deque<bytes> keys;
    std::vector<task> all;
    for (std::size_t t = 0; t < targets.size(); ++t) {
        work.push_back(&plans.on(targets[t]));
        for (const bytes& k : work.back()->to_build())
            all.emplace_back(byte_view(keys.emplace_back(k)), static_cast<int>(t));
    }
    const progress_bar bar(all.size());
    worker_settings settings;
    settings.workers = a.jobs > 0 ? a.jobs : get_num_threads();
    settings.run = [&](int target, const std::vector<byte_view>& kernels) {
        return targets[static_cast<std::size_t>(target)].compile(kernels);
    };
    settings.progress = [&](std::size_t done, std::size_t failed) { bar.show(done, failed); };
    const task_replies replies = run_in_workers(all, settings);

    answer done;
    std::vector<artefact> built;
    std::deque<bytes> compressed;
    std::vector<std::string> producers;
    for (const build_target& t : targets) producers.push_back(t.producer());
    struct count {
        uint64_t kernels = 0, failed = 0, bytes = 0;
    };
    std::vector<count> counts(targets.size());
    for (std::size_t n = 0; n < all.size(); ++n) {
        const auto of = static_cast<std::size_t>(all[n].group);
        const build_target& target = targets[of];
        if (!replies[n].error.empty()) {
            ++counts[of].failed;
            done.closing += "failed: " + code_cache::name_of_key(all[n].input) + " for " +
                            target.name + ": " + replies[n].error + "\n";
            continue;
        }
        artefact& code = built.emplace_back(
            artefact{target.stored, all[n].input, replies[n].image, replies[n].entry,
                     *code_cache::identity_of(target.stored, all[n].input), producers[of]});
        if (target.is_gpu()) code_cache::compress(code, compressed.emplace_back());
        ++counts[of].kernels;
        counts[of].bytes += code.image.size();
    }
    const bytes content = code_cache::write_pack(built);
    write_file(a.output, content);
    bool planned_all = true;
    for (std::size_t t = 0; t < targets.size(); ++t) {
        done.records.push_back({{"target", targets[t].name},
                                {"kernels", counts[t].kernels},
                                {"failed", counts[t].failed},
                                {"bytes", counts[t].bytes}});
        planned_all = planned_all && work[t]->errors.empty();
        if (a.widen)
            done.closing +=
                runtime::text("widened for ", targets[t].name, ": ", work[t]->to_build().size(),
                              " kernels, of ", work[t]->kernels.size(), " for what was recorded\n");
        if (t == 0 || work[t] != work[t - 1]) done.closing += work[t]->problems();
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    done.closing +=
        runtime::text(a.output, ": ", work.front()->all_works(), " works, ", built.size(),
                      " kernels, ", (content.size() + 1023) / 1024, " KiB, ") +
        std::to_string(took.count()).substr(0, 5) + " s with " +
        runtime::count_of(settings.workers, "worker") + "\n";
    done.status = built.size() == all.size() && planned_all ? 0 : 1;
    return done;
}

}  // namespace sinter::cache_command
