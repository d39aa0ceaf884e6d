// Stored kernels that a command of `sinter cache` reads, and what this library would do with them.
#pragma once

#include "jit/cache/places.hpp"

#include <deque>
#include <string>
#include <vector>

namespace sinter::cache_command {

struct stored_kernel {
    std::string file;
    code_cache::artefact code;
};

/// Kernels in files, with the bytes that they refer to.
class stored_kernels {
public:
    /// `trusted`: refuses files that others could have written, as a program does.
    explicit stored_kernels(bool trusted) : trusted_(trusted) {}

    /// Adds all kernels of a pack, of a folder, or of one file. Throws Error if there is no such
    /// file, or it is refused.
    void read(const std::string& path);
    /// Reads `paths`; if there are none, all places that a program would look into.
    void read_all(const std::vector<std::string>& paths);

    const std::vector<stored_kernel>& all() const { return all_; }
    /// The files that hold damaged kernels, once for each.
    const std::vector<std::string>& damaged() const { return damaged_; }

private:
    void keep(const std::string& file, const code_cache::artefact& a);
    void read_pack(const std::string& path);
    void read_file(const std::string& path);

    bool trusted_;
    std::deque<code_cache::bytes> memory_;
    std::vector<stored_kernel> all_;
    std::vector<std::string> damaged_;
};

/// Returns the name of a kernel, the same for all its targets.
std::string name_of(const code_cache::artefact& a);

/// Returns "yes" if this library, on this machine, would run the code, else "no: " and the reason.
/// Of a GPU's code the machine is not asked.
std::string use_of(const code_cache::artefact& a);

/// Returns true if some library of this version can run it, on whatever machine.
bool fits_library(const code_cache::artefact& a);

/// Returns the names of a kernel's operations: "exp mul sum"; of a handwritten source its size.
std::string operations_of(const code_cache::artefact& a);

}  // namespace sinter::cache_command
