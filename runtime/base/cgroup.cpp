#include "runtime/base/cgroup.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <sstream>

namespace sinter::runtime {
namespace {

constexpr uint64_t none = UINT64_MAX;

/// Returns the number in a file; `none` for "max", for anything else, and without the file.
uint64_t number_in(const std::string& file) {
    std::string text;
    std::ifstream(file) >> text;
    uint64_t n = none;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
    return error == std::errc() && end == text.data() + text.size() ? n : none;
}

/// Returns the smallest limit of a group and those around it. In a container, `path` may be that of
/// the host, where it does not exist; the mounted root is then the container's group.
uint64_t smallest(const std::string& mounted, std::string path, const char* file) {
    uint64_t least = none;
    for (;; path.resize(path.rfind('/'))) {
        least = std::min(least, number_in(mounted + path + '/' + file));
        if (path.find('/') == std::string::npos) return least;
    }
}

bool lists_memory(const std::string& controllers) {
    return (',' + controllers + ',').find(",memory,") != std::string::npos;
}

}  // namespace

uint64_t cgroup_memory_limit(const std::string& groups, const std::string& root) {
    uint64_t least = none;
    std::istringstream lines(groups);
    for (std::string line; std::getline(lines, line);) {  // number:controllers:path
        const std::size_t first = line.find(':'), second = line.find(':', first + 1);
        if (first == std::string::npos || second == std::string::npos) continue;
        const std::string controllers = line.substr(first + 1, second - first - 1);
        const std::string path = line.substr(second + 1);
        if (controllers.empty())
            least = std::min(least, smallest(root, path, "memory.max"));
        else if (lists_memory(controllers))
            least = std::min(least, smallest(root + "/memory", path, "memory.limit_in_bytes"));
    }
    return least;
}

uint64_t cgroup_memory_limit() {
    std::ifstream file("/proc/self/cgroup");
    const std::string groups{std::istreambuf_iterator<char>(file),
                             std::istreambuf_iterator<char>()};
    return cgroup_memory_limit(groups, "/sys/fs/cgroup");
}

}  // namespace sinter::runtime
