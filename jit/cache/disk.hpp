// Compiled kernels in files: one writable folder and read-only layers below it.
#pragma once

#include "jit/cache/artefact.hpp"

#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace sinter::cache {

struct disk_config {
    std::string folder;               // empty: nothing is written
    std::vector<std::string> layers;  // read after the folder, never written
    uint64_t size_limit = uint64_t{512} << 20;
};

/// Returns the configuration from the environment. The folder is SINTER_CACHE_DIR, else
/// $XDG_CACHE_HOME/sinter, else ~/.cache/sinter; an empty SINTER_CACHE_DIR means no folder.
/// SINTER_CACHE_LAYERS lists the layers, separated by colons. SINTER_CACHE_SIZE_MB limits the
/// folder.
disk_config config_from_environment();

/// Safe with any number of threads and processes: a file appears complete, by renaming, and never
/// changes afterwards. A file that cannot be used is a miss. The first file that cannot be written
/// is reported once and ends writing.
class disk_cache {
public:
    using warn_fn = std::function<void(const std::string&)>;

    disk_cache(disk_config config, warn_fn warn);

    /// Passes the artefact with this key to `use` and returns true, or returns false if there is
    /// none.
    bool find(byte_view key, const std::function<void(const artefact&)>& use);
    void store(const artefact& a);

    const disk_config& config() const { return config_; }

private:
    bool find_in(const std::string& folder, bool own, byte_view key,
                 const std::function<void(const artefact&)>& use);
    bool prepare_folder();
    void write_file(const std::string& path, const bytes& content);
    void give_up(const std::string& why);
    void make_room(uint64_t added);

    disk_config config_;
    warn_fn warn_;
    std::atomic<bool> writable_;
    std::mutex mutex_;  // guards the members below
    bool prepared_ = false;
    bool measured_ = false;
    uint64_t size_ = 0;  // of the folder when last read, plus what was written since
    int stores_ = 0;     // since the folder was read
};

/// Returns the disk cache of this process, configured from its environment.
disk_cache& process_disk();

}  // namespace sinter::cache
