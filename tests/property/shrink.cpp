#include "tests/property/shrink.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

namespace sinter::test {

namespace {

std::vector<seen> run_in(Mode mode, const program& p, coverage* counts) {
    const ModeGuard guard(mode);
    machine m(counts, nullptr);
    m.run(p);
    return m.log();
}

std::string hex(const std::string& bytes, std::size_t from) {
    static const char digits[] = "0123456789abcdef";
    std::string out;
    for (std::size_t i = from; i < std::min(bytes.size(), from + 16); ++i) {
        out += digits[static_cast<unsigned char>(bytes[i]) >> 4];
        out += digits[bytes[i] & 15];
    }
    return out;
}

std::string say(const seen& s) {
    if (s.what == "error" || s.what == "internal error" || s.what == "print")
        return s.what + " " + s.bytes;
    return s.what + " " + s.bytes.substr(0, s.bytes.find(':') + 1);
}

std::optional<difference> first_difference(const std::vector<seen>& eager,
                                           const std::vector<seen>& lazy, int threads) {
    const std::size_t n = std::min(eager.size(), lazy.size());
    for (std::size_t i = 0; i < n; ++i) {
        if (eager[i] == lazy[i] && lazy[i].what != "internal error") continue;
        const auto at = std::mismatch(eager[i].bytes.begin(), eager[i].bytes.end(),
                                      lazy[i].bytes.begin(), lazy[i].bytes.end());
        const auto where = static_cast<std::size_t>(at.first - eager[i].bytes.begin());
        return difference{threads, std::min(eager[i].statement, lazy[i].statement),
                          "eager: " + say(eager[i]) + "\n lazy: " + say(lazy[i]) + "\nbyte " +
                              std::to_string(where) + ": eager " + hex(eager[i].bytes, where) +
                              ", lazy " + hex(lazy[i].bytes, where)};
    }
    if (eager.size() != lazy.size())
        return difference{threads, -1, "one run recorded more than the other"};
    return std::nullopt;
}

}  // namespace

std::optional<difference> compare_modes(const program& p, coverage* counts,
                                        const std::vector<int>& threads) {
    const int before = get_num_threads();
    const std::vector<seen> eager = run_in(Mode::eager, p, nullptr);
    std::optional<difference> found;
    for (int n : threads) {
        set_num_threads(n);
        found = first_difference(eager, run_in(Mode::lazy, p, counts), n);
        counts = nullptr;  // the other runs do the same
        if (found) break;
    }
    set_num_threads(before);
    return found;
}

std::optional<difference> compare_devices(const program& p, coverage* counts, Device device,
                                          Mode mode) {
    const Device before = get_default_device();
    set_default_device(kCPU);
    const std::vector<seen> host = run_in(Mode::eager, p, nullptr);
    set_default_device(device);
    const std::vector<seen> there = run_in(mode, p, counts);
    set_default_device(before);
    return first_difference(host, there, get_num_threads());
}

bool fails_in_child(const program& p, int threads) {
    const pid_t child = fork();
    if (child == 0) {
        bool differs = true;
        try {
            differs = compare_modes(p, nullptr, {threads}).has_value();
        } catch (...) {
        }
        _exit(differs ? 1 : 0);
    }
    int status = 0;
    return child > 0 && waitpid(child, &status, 0) == child && status != 0;
}

program shrink(program p, int runs, const std::function<bool(const program&)>& fails) {
    for (std::size_t length = p.size() / 2; length > 0;
         length = length > 1 ? (length + 1) / 2 : 0) {
        for (std::size_t at = 0; at < p.size() && runs > 0;) {
            program less = p;
            less.erase(less.begin() + static_cast<std::ptrdiff_t>(at),
                       less.begin() + static_cast<std::ptrdiff_t>(std::min(at + length, p.size())));
            --runs;
            if (fails(less))
                p = std::move(less);
            else
                at += length;
        }
        if (length == 1) break;
    }
    return p;
}

std::string listing(const program& p) {
    std::ostringstream out;
    ModeGuard guard(Mode::eager);
    machine m(nullptr, &out);
    m.run(p);
    return out.str();
}

}  // namespace sinter::test
