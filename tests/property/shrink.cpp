#include "tests/property/shrink.hpp"

#include "engine/graph/pending.hpp"

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
                                           const std::vector<seen>& lazy, const setting& how) {
    const std::size_t n = std::min(eager.size(), lazy.size());
    for (std::size_t i = 0; i < n; ++i) {
        if (eager[i] == lazy[i] && lazy[i].what != "internal error") continue;
        const auto at = std::mismatch(eager[i].bytes.begin(), eager[i].bytes.end(),
                                      lazy[i].bytes.begin(), lazy[i].bytes.end());
        const auto where = static_cast<std::size_t>(at.first - eager[i].bytes.begin());
        return difference{how, std::min(eager[i].statement, lazy[i].statement),
                          "eager: " + say(eager[i]) + "\n lazy: " + say(lazy[i]) + "\nbyte " +
                              std::to_string(where) + ": eager " + hex(eager[i].bytes, where) +
                              ", lazy " + hex(lazy[i].bytes, where)};
    }
    if (eager.size() != lazy.size())
        return difference{how, -1, "one run recorded more than the other"};
    return std::nullopt;
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const setting& s) {
    out << s.threads << (s.threads == 1 ? " thread" : " threads");
    if (s.most_pending) out << " and SINTER_MAX_PENDING=" << s.most_pending;
    return out;
}

namespace {

/// Restores the process's settings at the end of a scope.
class saved_setting {
public:
    saved_setting() = default;
    ~saved_setting() {
        set_num_threads(threads_);
        pending_bounds() = bounds_;
    }
    saved_setting(const saved_setting&) = delete;
    void set(const setting& s) const {
        set_num_threads(s.threads);
        pending_bounds().nodes = s.most_pending ? s.most_pending : bounds_.nodes;
    }

private:
    int threads_ = get_num_threads();
    pending_limits bounds_ = pending_bounds();
};

}  // namespace

std::optional<difference> compare_modes(const program& p, coverage* counts,
                                        const std::vector<setting>& settings) {
    const std::vector<seen> eager = run_in(Mode::eager, p, nullptr);
    const saved_setting saved;
    for (const setting& s : settings) {
        saved.set(s);
        if (auto found = first_difference(eager, run_in(Mode::lazy, p, counts), s)) return found;
        counts = nullptr;  // the other runs cover the same
    }
    return std::nullopt;
}

std::optional<difference> compare_devices(const program& p, coverage* counts, Device device,
                                          Mode mode) {
    const Device before = get_default_device();
    set_default_device(kCPU);
    const std::vector<seen> host = run_in(Mode::eager, p, nullptr);
    set_default_device(device);
    const std::vector<seen> there = run_in(mode, p, counts);
    set_default_device(before);
    return first_difference(host, there, {get_num_threads()});
}

bool fails_in_child(const program& p, const setting& how) {
    const pid_t child = fork();
    if (child == 0) {
        bool differs = true;
        try {
            differs = compare_modes(p, nullptr, {how, how}).has_value();
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
    for (std::size_t i = 0; i < p.size() && runs > 0; ++i) {
        if (p[i].then == pause_kind::nothing) continue;
        program less = p;
        less[i].then = pause_kind::nothing;
        --runs;
        if (fails(less)) p = std::move(less);
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
