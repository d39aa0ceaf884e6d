#include "runtime/base/cgroup.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>

namespace sinter::runtime {
namespace {

constexpr uint64_t none = UINT64_MAX;

constexpr double unlimited = std::numeric_limits<double>::infinity();

/// Returns the number that a text is; `none` for anything else.
uint64_t number_of(const std::string& text) {
    uint64_t n = none;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
    return error == std::errc() && end == text.data() + text.size() ? n : none;
}

/// Returns the number in a file; `none` for "max", for anything else, and without the file.
uint64_t number_in(const std::string& file) {
    std::string text;
    std::ifstream(file) >> text;
    return number_of(text);
}

/// Returns the quota of a group in processors: "QUOTA PERIOD" in one file, or two files.
double processors_of(const std::string& group) {
    std::string quota, period;
    std::ifstream(group + "cpu.max") >> quota >> period;
    if (quota.empty()) {
        std::ifstream(group + "cpu.cfs_quota_us") >> quota;
        std::ifstream(group + "cpu.cfs_period_us") >> period;
    }
    const uint64_t q = number_of(quota), p = number_of(period);  // no limit is "max" or "-1"
    if (q == none || p == none || p == 0) return unlimited;
    return std::max(1.0, std::ceil(static_cast<double>(q) / static_cast<double>(p)));
}

/// Returns the smallest limit of a group and those around it; `limit_of` gets the path of each,
/// with a slash at its end. In a container, `path` may be that of the host, where it does not
/// exist; the mounted root is then the container's group.
template <class F>
auto smallest(const std::string& mounted, std::string path, const F& limit_of) {
    for (auto least = limit_of(mounted + path + '/');;) {
        if (path.find('/') == std::string::npos) return least;
        path.resize(path.rfind('/'));
        least = std::min(least, limit_of(mounted + path + '/'));
    }
}

bool lists(const std::string& controllers, const std::string& one) {
    return (',' + controllers + ',').find(',' + one + ',') != std::string::npos;
}

/// Calls f(controllers, path) for each group in the text of /proc/self/cgroup.
template <class F>
void for_each_group(const std::string& groups, const F& f) {
    std::istringstream lines(groups);
    for (std::string line; std::getline(lines, line);) {  // number:controllers:path
        const std::size_t first = line.find(':'), second = line.find(':', first + 1);
        if (first == std::string::npos || second == std::string::npos) continue;
        f(line.substr(first + 1, second - first - 1), line.substr(second + 1));
    }
}

std::string own_groups() {
    std::ifstream file("/proc/self/cgroup");
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}
constexpr const char* mounted = "/sys/fs/cgroup";

}  // namespace

uint64_t cgroup_memory_limit(const std::string& groups, const std::string& root) {
    uint64_t least = none;
    for_each_group(groups, [&](const std::string& controllers, const std::string& path) {
        const auto in = [](const char* file) {
            return [file](const std::string& group) { return number_in(group + file); };
        };
        if (controllers.empty())
            least = std::min(least, smallest(root, path, in("memory.max")));
        else if (lists(controllers, "memory"))
            least = std::min(least, smallest(root + "/memory", path, in("memory.limit_in_bytes")));
    });
    return least;
}

double cgroup_processors(const std::string& groups, const std::string& root) {
    double least = unlimited;
    for_each_group(groups, [&](const std::string& controllers, const std::string& path) {
        if (controllers.empty())
            least = std::min(least, smallest(root, path, processors_of));
        else if (lists(controllers, "cpu"))
            least = std::min(least, smallest(root + "/cpu", path, processors_of));
    });
    return least;
}

uint64_t cgroup_memory_limit() { return cgroup_memory_limit(own_groups(), mounted); }
double cgroup_processors() { return cgroup_processors(own_groups(), mounted); }

}  // namespace sinter::runtime
