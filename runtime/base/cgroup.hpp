// The limits of the control groups (cgroups, versions 1 and 2) that the process is in: those of a
// container, of a systemd unit or of a batch system.
#pragma once

#include <cstdint>
#include <string>

namespace sinter::runtime {

/// Returns the smallest memory limit in bytes, or UINT64_MAX if there is none that can be read.
/// `groups`: the text of /proc/self/cgroup. `root`: the folder where the groups are mounted.
uint64_t cgroup_memory_limit(const std::string& groups, const std::string& root);

/// Returns the smallest number of processors whose time the groups may use, rounded up; infinity if
/// there is no limit that can be read.
double cgroup_processors(const std::string& groups, const std::string& root);

/// Return the limits of this process.
///@{
uint64_t cgroup_memory_limit();
double cgroup_processors();
///@}

}  // namespace sinter::runtime
