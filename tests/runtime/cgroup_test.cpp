#include "runtime/base/cgroup.hpp"

#include "runtime/base/device.hpp"
#include "tests/jit/cache/temporary_folder.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <limits>

using namespace sinter::runtime;

namespace {

struct groups {
    sinter::testing::temporary_folder folder;

    void write_file(const std::string& file, const std::string& text) const {
        const std::filesystem::path path = folder.path() + "/" + file;
        std::filesystem::create_directories(path.parent_path());
        std::ofstream(path) << text << '\n';
    }
    uint64_t limit(const std::string& text) const {
        return cgroup_memory_limit(text, folder.path());
    }
};

}  // namespace

TEST_CASE("cgroup: the smallest limit of a group and those around it, version 2") {
    const groups g;
    g.write_file("memory.max", "max");
    g.write_file("user/memory.max", "3000000");
    g.write_file("user/job/memory.max", "5000000");
    CHECK(g.limit("0::/user/job\n") == 3000000);
    CHECK(g.limit("0::/user/job/deeper/\n") == 3000000);
    CHECK(g.limit("0::/\n") == UINT64_MAX);
    g.write_file("user/job/memory.max", "2000000");
    CHECK(g.limit("0::/user/job\n") == 2000000);
    CHECK(g.limit("0::/user\n") == 3000000);
    CHECK(g.limit("0::/elsewhere/of/the/host\n") == UINT64_MAX);
    g.write_file("memory.max", "1000000");  // in a container, whose group is the root
    CHECK(g.limit("0::/elsewhere/of/the/host\n") == 1000000);
}

TEST_CASE("cgroup: version 1 has a folder for memory") {
    const groups g;
    g.write_file("memory/memory.limit_in_bytes", "9223372036854771712");
    g.write_file("memory/job/memory.limit_in_bytes", "4000000");
    g.write_file("job/memory.max", "1");
    CHECK(g.limit("4:memory:/job\n1:cpu,cpuacct:/job\n") == 4000000);
    CHECK(g.limit("4:hugetlb,memory:/job\n") == 4000000);
    CHECK(g.limit("4:memory:/\n") == 9223372036854771712U);
    CHECK(g.limit("1:cpu:/job\n") == UINT64_MAX);
}

TEST_CASE("cgroup: the processors whose time a group may use") {
    const groups g;
    const auto limit = [&g](const std::string& text) {
        return cgroup_processors(text, g.folder.path());
    };
    constexpr double none = std::numeric_limits<double>::infinity();
    CHECK(limit("0::/user/job\n") == none);
    g.write_file("user/cpu.max", "250000 100000");
    g.write_file("user/job/cpu.max", "max 100000");
    CHECK(limit("0::/user/job\n") == 3);
    g.write_file("user/job/cpu.max", "20000 100000");
    CHECK(limit("0::/user/job\n") == 1);
    CHECK(limit("0::/user\n") == 3);
    CHECK(limit("0::/\n") == none);
    g.write_file("cpu/job/cpu.cfs_quota_us", "200000");
    g.write_file("cpu/job/cpu.cfs_period_us", "100000");
    CHECK(limit("4:memory:/\n1:cpu,cpuacct:/job\n") == 2);
    g.write_file("cpu/job/cpu.cfs_quota_us", "-1");
    CHECK(limit("1:cpu,cpuacct:/job\n") == none);
    g.write_file("user/job/cpu.max", "20000 0");
    CHECK(limit("0::/user/job\n") == 3);
    CHECK(processors() >= 1);
    CHECK(processors() <= cgroup_processors());
}

TEST_CASE("cgroup: what cannot be read is no limit") {
    const groups g;
    CHECK(g.limit("") == UINT64_MAX);
    CHECK(g.limit("nonsense\n0:\n::\n0::\n") == UINT64_MAX);
    g.write_file("job/memory.max", "12 apples");
    CHECK(g.limit("0::/job\n") == 12);
    g.write_file("job/memory.max", "12apples");
    CHECK(g.limit("0::/job\n") == UINT64_MAX);
    g.write_file("job/memory.max", "99999999999999999999999");
    CHECK(g.limit("0::/job\n") == UINT64_MAX);
}

TEST_CASE("cgroup: memory is the machine's, or what the groups allow") {
    CHECK(memory_bytes() > 0);
    CHECK(memory_bytes() <= cgroup_memory_limit());
}
