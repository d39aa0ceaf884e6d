#include "jit/cache/disk.hpp"

#include "jit/cache/trust.hpp"
#include "runtime/base/environment.hpp"
#include "runtime/base/file.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>

namespace sinter::code_cache {
namespace {

using runtime::open_file, runtime::write_all;

constexpr int probes = 4;                  // file names per hash
constexpr int stores_between_scans = 256;  // the folder is rescanned, since other processes write
                                           // to it too
constexpr time_t stale_seconds = 3600;     // age at which a temporary file counts as left by a dead
                                           // writer
const char temporary_prefix[] = ".writing-";
const char suffix[] = ".kernel";

std::optional<bytes> read_all(int fd, std::size_t size) {
    bytes data(size);
    std::size_t got = 0;
    while (got < size) {
        ssize_t n = read(fd, data.data() + got, size - got);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return std::nullopt;
        got += static_cast<std::size_t>(n);
    }
    return data;
}

std::string file_name(hash128 h, int probe) {
    char text[64];
    std::snprintf(text, sizeof text, "%016llx%016llx-%d%s", static_cast<unsigned long long>(h.high),
                  static_cast<unsigned long long>(h.low), probe, suffix);
    return text;
}

bool make_folders(const std::string& path) {
    for (std::size_t at = 1; at <= path.size(); ++at) {
        if (at < path.size() && path[at] != '/') continue;
        if (mkdir(path.substr(0, at).c_str(), 0700) != 0 && errno != EEXIST) return false;
    }
    return true;
}

bool ends_with(const std::string& text, const char* end) {
    std::size_t n = std::strlen(end);
    return text.size() >= n && text.compare(text.size() - n, n, end) == 0;
}

struct entry {
    std::string path;
    uint64_t size;
    struct timespec used;
};

/// Returns the kernels in a folder. `clean`: removes files that a dead writer left.
std::vector<entry> list(const std::string& folder, bool clean) {
    std::vector<entry> found;
    DIR* dir = opendir(folder.c_str());
    if (!dir) return found;
    time_t now = time(nullptr);
    while (const dirent* d = readdir(dir)) {
        std::string name = d->d_name, path = folder + "/" + name;
        struct stat s{};
        if (lstat(path.c_str(), &s) != 0 || !S_ISREG(s.st_mode)) continue;
        if (ends_with(name, suffix))
            found.push_back({path, static_cast<uint64_t>(s.st_size), s.st_mtim});
        else if (clean && name.starts_with(temporary_prefix) &&
                 now - s.st_mtim.tv_sec > stale_seconds)
            unlink(path.c_str());
    }
    closedir(dir);
    return found;
}

}  // namespace

std::vector<std::string> paths_in(const std::string& list) {
    std::vector<std::string> paths;
    const std::string all = list + ":";
    for (std::size_t from = 0, to; (to = all.find(':', from)) != std::string::npos; from = to + 1)
        if (to > from) paths.push_back(all.substr(from, to - from));
    return paths;
}

disk_config config_from_environment() {
    const runtime::settings& s = runtime::environment();
    disk_config c;
    c.folder = s.cache_dir;
    c.layers = paths_in(s.cache_layers);
    c.size_limit = static_cast<uint64_t>(s.cache_size_mb) << 20;
    c.writes = s.cache == runtime::cache_choice::use;
    c.must_have = s.cache == runtime::cache_choice::require;
    c.same_producer = s.cache_accept == runtime::cache_accept_choice::exact;
    if (s.cache == runtime::cache_choice::off) c = {};
    return c;
}

disk_cache::disk_cache(disk_config config, warn_fn warn)
    : config_(std::move(config)),
      warn_(std::move(warn)),
      writable_(config_.writes && !config_.folder.empty()) {
    if (!config_.folder.empty()) places_.emplace_back(config_.folder);
    for (const std::string& layer : config_.layers) places_.emplace_back(layer);
}

// ---- reading

void disk_cache::refuse(const place& p, const std::string& why) {
    warn_("cache.trust." + p.folder,
          "[cache] compiled kernels are not loaded from a folder that others control; got " + why +
              ", expected the folder, all folders above it and its files to belong to you (user " +
              std::to_string(geteuid()) +
              ") or to root, and nobody else to be able to write to them; try chmod go-w or chown, "
              "or a copy of the folder");
}

/// Looks at the folder and all above it, once. A folder that does not exist yet is asked again.
bool disk_cache::trusts(place& p) {
    if (p.is == place::verdict::unknown) {
        const std::optional<std::string> why = why_not_trusted_folder(p.folder);
        if (!why) return false;
        p.is = why->empty() ? place::verdict::trusted : place::verdict::refused;
        if (!why->empty()) refuse(p, *why);
    }
    return p.is == place::verdict::trusted;
}

bool disk_cache::find(const wanted_code& wanted, const use_fn& use) {
    for (place& p : places_)
        if (find_in(p, &p == &places_.front() && !config_.folder.empty(), wanted, use)) return true;
    return false;
}

bool disk_cache::find_in(place& from, bool own, const wanted_code& wanted, const use_fn& use) {
    if (!trusts(from)) return false;
    const hash128 name = storage_hash(wanted.target, wanted.key, wanted.is);
    for (int probe = 0; probe < probes; ++probe) {
        std::string path = from.folder + "/" + file_name(name, probe);
        open_file f(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
        if (!f) return false;  // names are used in order
        struct stat s{};
        if (fstat(f.get(), &s) != 0 || !S_ISREG(s.st_mode)) continue;
        if (const std::string why = why_not_trusted(path, s); !why.empty()) {
            refuse(from, why);
            continue;
        }
        std::optional<bytes> data = read_all(f.get(), static_cast<std::size_t>(s.st_size));
        std::optional<artefact> a = data ? parse_artefact(*data) : std::nullopt;
        if (!a) {
            if (own && config_.writes && s.st_uid == geteuid()) unlink(path.c_str());
            continue;
        }
        if (!wanted.accepts(*a)) continue;
        if (own && config_.writes) futimens(f.get(), nullptr);  // marks it as recently used
        return use(*a);
    }
    return false;
}

bool disk_cache::has_files() {
    return std::any_of(places_.begin(), places_.end(),
                       [this](place& p) { return trusts(p) && !list(p.folder, false).empty(); });
}

void disk_cache::for_each(const std::function<void(const std::string&, const artefact&)>& see) {
    for (place& p : places_) {
        if (!trusts(p)) continue;
        for (const entry& e : list(p.folder, false)) {
            open_file f(open(e.path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
            struct stat s{};
            if (!f || fstat(f.get(), &s) != 0 || !S_ISREG(s.st_mode) ||
                !why_not_trusted(e.path, s).empty())
                continue;
            const std::optional<bytes> data =
                read_all(f.get(), static_cast<std::size_t>(s.st_size));
            if (const auto a = data ? parse_artefact(*data) : std::nullopt) see(e.path, *a);
        }
    }
}

// ---- writing

void disk_cache::give_up(const std::string& why) {
    if (writable_.exchange(false))
        warn_("cache.disk",
              "[cache] compiled kernels cannot be stored; got " + config_.folder + ": " + why +
                  ", expected a folder that only you can write to; try setting SINTER_CACHE_DIR to "
                  "another folder, or to nothing for no disk cache");
}

bool disk_cache::prepare_folder() {
    std::lock_guard lock(mutex_);
    if (prepared_) return true;
    if (!make_folders(config_.folder)) {
        give_up(std::strerror(errno));
        return false;
    }
    struct stat s{};
    if (stat(config_.folder.c_str(), &s) != 0 || !S_ISDIR(s.st_mode)) {
        give_up("it is not a folder");
        return false;
    }
    if (!trusts(places_.front())) {  // which has said why
        writable_ = false;
        return false;
    }
    return prepared_ = true;
}

void disk_cache::store(const artefact& a) {
    if (!writable_ || !prepare_folder()) return;
    bytes content = write_artefact(a);
    if (content.size() > config_.size_limit) return;
    make_room(content.size());
    const hash128 name = storage_hash(a.target, a.key, a.is);
    for (int probe = 0; probe < probes; ++probe) {
        std::string path = config_.folder + "/" + file_name(name, probe);
        open_file f(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
        if (f) {
            struct stat s{};
            bool readable =
                fstat(f.get(), &s) == 0 && S_ISREG(s.st_mode) && why_not_trusted(path, s).empty();
            std::optional<bytes> old;
            if (readable) old = read_all(f.get(), static_cast<std::size_t>(s.st_size));
            std::optional<artefact> there = old ? parse_artefact(*old) : std::nullopt;
            wanted_code same{a.target, a.key, a.is};
            if (there && !same.accepts(*there)) continue;  // another kernel with the same hash
            // Another process stored it first, unless another producer's is not accepted.
            if (config_.same_producer) same.producer = a.producer;
            if (there && same.accepts(*there)) return;
        }
        write_file(path, content);
        return;
    }
}

void disk_cache::write_file(const std::string& path, const bytes& content) {
    static std::atomic<unsigned> counter{0};
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    char name[96];
    std::snprintf(name, sizeof name, "/%s%ld-%u-%ld", temporary_prefix, static_cast<long>(getpid()),
                  counter++, now.tv_nsec);
    std::string temporary = config_.folder + name;
    open_file f(
        open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
    bool ok = f && write_all(f.get(), content) && fsync(f.get()) == 0 &&
              rename(temporary.c_str(), path.c_str()) == 0;
    if (ok) return;
    int error = errno;
    if (f) unlink(temporary.c_str());
    give_up(std::strerror(error));
}

/// Counts the bytes that this process adds. Before the folder exceeds its limit, removes the least
/// recently used files until it is at most 90% full.
void disk_cache::make_room(uint64_t added) {
    std::lock_guard lock(mutex_);
    size_ += added;
    if (measured_ && ++stores_ < stores_between_scans && size_ <= config_.size_limit) return;
    measured_ = true;
    stores_ = 0;
    size_ = added;
    std::vector<entry> entries = list(config_.folder, true);
    for (const entry& e : entries) size_ += e.size;
    if (size_ <= config_.size_limit) return;
    std::sort(entries.begin(), entries.end(), [](const entry& a, const entry& b) {
        return std::pair(a.used.tv_sec, a.used.tv_nsec) < std::pair(b.used.tv_sec, b.used.tv_nsec);
    });
    for (const entry& e : entries) {
        if (size_ <= config_.size_limit / 10 * 9) return;
        if (unlink(e.path.c_str()) == 0 || errno == ENOENT) size_ -= e.size;
    }
}

}  // namespace sinter::code_cache
