// Counting the instructions of a statement. The program runs again under valgrind, up to this call:
// nothing else has the statement's data and the functions that it calls.
#include "ops/benchmark/callgrind_file.hpp"
#include "ops/benchmark/timer_state.hpp"
#include "ops/common/temporary_folder.hpp"
#include "runtime/base/environment.hpp"
#include "runtime/base/fail.hpp"

#include <sinter/error.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <fcntl.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <ostream>
#include <system_error>

/// Calls a block. While it runs, callgrind counts; at its end, callgrind writes a file. It is
/// exported because callgrind must find its name in a library without other symbols.
extern "C" SINTER_API void sinter_counted_calls(const sinter::benchmark::detail::block& calls,
                                                int64_t number);
extern "C" [[gnu::noinline]] void sinter_counted_calls(
    const sinter::benchmark::detail::block& calls, int64_t number) {
    calls(number);
    asm volatile("" : : : "memory");  // a call in its place would have another name
}

namespace sinter::inline v1::benchmark {
namespace {

namespace fs = std::filesystem;

constexpr const char* variable = "SINTER_CALLGRIND";  // FILE:CALL, for the program under valgrind

std::vector<std::string> own_arguments() {
    std::ifstream file("/proc/self/cmdline", std::ios::binary);
    std::vector<std::string> all;
    for (std::string one; std::getline(file, one, '\0');) all.push_back(one);
    return all;
}

/// Runs the program under callgrind, whose files begin with `out`, up to its n-th call of
/// collect_callgrind. Returns the status that waitpid gives.
int run_again(const std::string& out, const std::string& log, int n) {
    std::vector<std::string> words = {"env",
                                      "-u",
                                      "SINTER_TRACE",
                                      std::string(variable) + "=" + out + ":" + std::to_string(n),
                                      "valgrind",
                                      "--tool=callgrind",
                                      "--callgrind-out-file=" + out,
                                      "--toggle-collect=sinter_counted_calls",
                                      "--dump-after=sinter_counted_calls",
                                      fs::read_symlink("/proc/self/exe").string()};
    const std::vector<std::string> own = own_arguments();
    words.insert(words.end(), own.begin() + std::min<std::ptrdiff_t>(1, std::ssize(own)),
                 own.end());
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    const pid_t child = fork();
    if (child == 0) {  // from here to execvp nothing that takes memory or locks
        const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
        const int text = open(log.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        dup2(nothing, STDIN_FILENO);
        dup2(text, STDOUT_FILENO);
        dup2(text, STDERR_FILENO);
        execvp(arguments[0], arguments.data());
        _exit(127);
    }
    int status = 0;
    if (child < 0 || [&] {
            while (waitpid(child, &status, 0) < 0)
                if (errno != EINTR) return true;
            return false;
        }())
        runtime::fail("collect_callgrind", "no process can be started",
                      std::generic_category().message(errno), "a process", "fewer processes");
    return status;
}

/// Returns the counts of the n-th call of collect_callgrind, or nothing if its files are not there.
optional<CallgrindStats> read_counts(const std::string& out, int n, const TaskSpec& spec,
                                     int64_t number) {
    const auto part = [&out](int k) { return std::ifstream(out + "." + std::to_string(k)); };
    std::ifstream baseline = part(2 * n - 1), statement = part(2 * n);
    if (!baseline || !statement) return {};
    const int64_t empty = benchmark_text::read_callgrind_file(baseline).exclusive.sum();
    benchmark_text::callgrind_file file = benchmark_text::read_callgrind_file(statement);
    return CallgrindStats(spec, number, std::move(file.exclusive), std::move(file.inclusive),
                          empty);
}

/// Returns the end of what the program printed under valgrind.
std::string last_lines(const std::string& log) {
    std::ifstream file(log);
    const std::string all{std::istreambuf_iterator<char>(file), {}};
    constexpr std::size_t most = 600;
    return all.size() > most ? "..." + all.substr(all.size() - most) : all;
}

void empty_block(int64_t n) {
    for (int64_t i = 0; i < n; ++i) asm volatile("" : : : "memory");
}

}  // namespace

CallgrindStats Timer::collect_callgrind(int64_t number) const {
    if (number < 1)
        runtime::fail<ValueError>("collect_callgrind", "the number of calls is not positive",
                                  std::to_string(number), "1 or more", "100, the default");
    static std::atomic<int> calls_so_far{0};  // the program under valgrind counts them, too
    const int call = ++calls_so_far;
    const std::string& wanted = runtime::environment().callgrind;
    if (wanted.empty()) {
        const ops::temporary_folder folder("collect_callgrind", "sinter-callgrind");
        const std::string out = folder.path() + "/out", log = folder.path() + "/log";
        const int status = run_again(out, log, call);
        if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
            runtime::fail("collect_callgrind", "valgrind was not found", "no such program in PATH",
                          "valgrind", "apt install valgrind");
        optional<CallgrindStats> counts = read_counts(out, call, state_->spec, number);
        if (!counts)
            runtime::fail("collect_callgrind",
                          "the program did not come to this call under valgrind", last_lines(log),
                          "a program that does the same when it runs again",
                          "a program without input, and without instructions of AVX-512");
        return std::move(*counts);
    }
    const std::size_t colon = wanted.rfind(':');
    const StatementSettings now(state_->options);
    state_->settle();
    state_->prepare();
    sinter_counted_calls(empty_block, number);
    sinter_counted_calls(state_->calls, number);
    if (std::to_string(call) == wanted.substr(colon + 1)) _exit(0);
    // An earlier call: the program may look at the numbers.
    optional<CallgrindStats> counts =
        read_counts(wanted.substr(0, colon), call, state_->spec, number);
    if (!counts)
        runtime::fail("collect_callgrind", "the program does not run under callgrind",
                      std::string(variable) + "=" + wanted, "no such variable",
                      "the program without it");
    return std::move(*counts);
}

}  // namespace sinter::inline v1::benchmark
