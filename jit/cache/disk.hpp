// Compiled kernels in files: one writable folder and read-only layers below it.
#pragma once

#include "jit/stored/artefact.hpp"

#include <atomic>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace sinter::code_cache {

struct disk_config {
    std::string folder;               // empty: nothing is written
    std::vector<std::string> layers;  // read after the folder, never written
    uint64_t size_limit = uint64_t{512} << 20;
    bool writes = true;          // into the folder
    bool must_have = false;      // a kernel that is missing is an error: SINTER_CACHE=require
    bool same_producer = false;  // code of another compiler or generator is a miss
};

/// Returns the paths of a list that colons separate.
std::vector<std::string> paths_in(const std::string& list);

/// Returns the configuration from the environment. The folder is SINTER_CACHE_DIR, else
/// $XDG_CACHE_HOME/sinter, else ~/.cache/sinter; an empty SINTER_CACHE_DIR means no folder.
/// SINTER_CACHE_LAYERS lists the layers, separated by colons. SINTER_CACHE_SIZE_MB limits the
/// folder. SINTER_CACHE says whether it is written, or used at all, and SINTER_CACHE_ACCEPT=exact
/// asks for the same producer.
disk_config config_from_environment();

/// Uses stored code. Returns false if it cannot: the search for other code then goes on.
using use_fn = std::function<bool(const artefact&)>;

/// Safe with any number of threads and processes: a file appears complete, by renaming, and never
/// changes afterwards. A file that cannot be used is a miss. The first file that cannot be written
/// is reported once and ends writing. What others could have written is refused, and reported once
/// for each folder: see trust.hpp.
class disk_cache {
public:
    /// Gives a warning once for each name.
    using warn_fn = std::function<void(const std::string& name, const std::string& text)>;

    disk_cache(disk_config config, warn_fn warn);

    /// Returns true if some artefact was used.
    bool find(const wanted_code& wanted, const use_fn& use);
    void store(const artefact& a);
    /// Returns true if there is a folder to look into, or kernels must be in one.
    bool looks() const { return !places_.empty() || config_.must_have; }
    /// Returns true if a folder has kernels that may be loaded.
    bool has_files();
    /// Calls `see` with each whole artefact of all trusted folders, and the path of its file.
    void for_each(const std::function<void(const std::string&, const artefact&)>& see);

    const disk_config& config() const { return config_; }

private:
    /// A folder that is read, and what is known of it.
    struct place {
        std::string folder;
        enum class verdict : uint8_t { unknown, trusted, refused };
        std::atomic<verdict> is{verdict::unknown};
        explicit place(std::string path) : folder(std::move(path)) {}
    };
    bool find_in(place& from, bool own, const wanted_code& wanted, const use_fn& use);
    bool trusts(place& p);
    void refuse(const place& p, const std::string& why);
    bool prepare_folder();
    void write_file(const std::string& path, const bytes& content);
    void give_up(const std::string& why);
    void make_room(uint64_t added);

    disk_config config_;
    warn_fn warn_;
    std::deque<place> places_;  // the folder, if there is one, and the layers
    std::atomic<bool> writable_;
    std::mutex mutex_;  // guards the members below
    bool prepared_ = false;
    bool measured_ = false;
    uint64_t size_ = 0;  // of the folder when last read, plus what was written since
    int stores_ = 0;     // since the folder was read
};

}  // namespace sinter::code_cache
