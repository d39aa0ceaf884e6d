#include "jit/cache/places.hpp"

#include "jit/cache/plugin.hpp"
#include "jit/cache/signature.hpp"
#include "jit/cache/trust.hpp"
#include "runtime/base/environment.hpp"
#include "runtime/base/file.hpp"
#include "runtime/base/fork.hpp"
#include "runtime/report/log.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <utility>

namespace sinter::code_cache {
namespace {

constexpr std::string_view pack_suffix = ".spk";

std::vector<std::string> packs_in(const std::string& folder) {
    std::vector<std::string> found;
    DIR* dir = folder.empty() ? nullptr : opendir(folder.c_str());
    if (!dir) return found;
    while (const dirent* d = readdir(dir))
        if (std::string_view(d->d_name).ends_with(pack_suffix))
            found.push_back(folder + "/" + d->d_name);
    closedir(dir);
    std::sort(found.begin(), found.end());  // not the order of the file system
    return found;
}

}  // namespace

pack_list::~pack_list() {
    for (node *n = first_, *next; n; n = next) {
        next = n->next;
        delete n;
    }
}

void pack_list::add(std::unique_ptr<pack> p) {
    node* const last = new node{std::move(p)};
    std::atomic<node*>* end = &first_;
    for (node* none = nullptr; !end->compare_exchange_strong(none, last, std::memory_order_acq_rel);
         none = nullptr)
        end = &none->next;
}

namespace {

using runtime::open_file;

/// Returns a file in memory that can be executed, and that nobody can change once it is sealed.
int make_sealable(const std::string& name) {
    constexpr unsigned executable = 0x10;  // MFD_EXEC, which kernels before 6.3 do not know
    constexpr unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
    const int file = memfd_create(name.c_str(), flags | executable);
    return file >= 0 || errno != EINVAL ? file : memfd_create(name.c_str(), flags);
}

/// Copies what a file holds; whoever may write the file cannot change the copy after it is checked.
bool copy_all(int from, int to, bytes& content) {
    uint8_t buffer[1 << 16];
    for (ssize_t n; (n = read(from, buffer, sizeof buffer)) != 0;) {
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 || !runtime::write_all(to, {buffer, static_cast<std::size_t>(n)})) return false;
        content.insert(content.end(), buffer, buffer + n);
    }
    return true;
}

/// Opens a copy of a pack that others could have written, if a trusted key has signed it.
std::unique_ptr<pack> open_signed_pack(const std::string& path, std::string& why_not) {
    std::ifstream in(path + ".sig", std::ios::binary);
    if (!in) {
        why_not = "it has no signature (" + path + ".sig)";
        return nullptr;
    }
    const auto s =
        from_text<64>({std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()});
    const open_file file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    open_file copy(make_sealable(path.substr(path.rfind('/') + 1)));
    bytes content;
    if (!s) {
        why_not = "its signature is damaged";
        return nullptr;
    }
    if (file.get() < 0 || copy.get() < 0 || !copy_all(file.get(), copy.get(), content) ||
        fcntl(copy.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) !=
            0) {
        why_not = std::strerror(errno);
        return nullptr;
    }
    if (!is_signed(content, *s, trusted_keys(), why_not)) return nullptr;
    return pack::open(copy.take(), path, why_not);
}

}  // namespace

std::unique_ptr<pack> open_trusted_pack(const std::string& path, std::string& why_not) {
    const std::optional<std::string> others = why_not_trusted_file(path);
    if (!others || others->empty()) return pack::open(path, why_not);
    std::unique_ptr<pack> p = open_signed_pack(path, why_not);
    if (!p) why_not = "others could have written it, as " + *others + ", and " + why_not;
    return p;
}

std::string installed_packs_folder() {
    const std::vector<std::string> own = own_folders();
    return own.empty() ? "" : own.front() + "sinter/packs";
}

namespace {

/// A list that is never destroyed: kernels are in use until the last thread ends.
union lasting_list {
    pack_list all;
    constexpr lasting_list() : all() {}
    ~lasting_list() {}
};

}  // namespace

pack_list& embedded_packs() {
    static constinit lasting_list list;
    return list.all;
}

pack_list& added_packs() {
    static constinit lasting_list list;
    return list.all;
}

code_places::code_places(disk_config folders, pack_files packs, disk_cache::warn_fn warn)
    : disk_(std::move(folders), warn), packs_(std::move(packs)), warn_(std::move(warn)) {}

code_places::~code_places() { delete opened_.load(); }

auto code_places::open_files() const -> opened* {
    auto all = std::make_unique<opened>();
    const auto open = [&](const std::string& path, pack_list& to) {
        std::string why_not;
        if (std::unique_ptr<pack> p = open_trusted_pack(path, why_not)) return to.add(std::move(p));
        warn_("cache.pack." + path,
              "[cache] a pack of kernels is not used; got " + path + ": " + why_not +
                  ", expected a whole pack that only you or root can have written; try building or "
                  "copying it again, chmod go-w or chown");
    };
    for (const std::string& path : packs_.named) open(path, all->named);
    for (const std::string& path : packs_in(packs_.installed)) open(path, all->installed);
    return all.release();
}

auto code_places::files() -> const opened& {
    return runtime::made_once(opened_, [this] { return open_files(); });
}

template <class F, class G>
bool code_places::any(const F& see, const G& between) {
    const opened& of_files = files();
    return (packs_.embedded && packs_.embedded->any(see)) ||
           (packs_.added && packs_.added->any(see)) || of_files.named.any(see) || between() ||
           of_files.installed.any(see);
}

bool code_places::find(const wanted_code& wanted, const lower_targets& lower, const use_fn& use) {
    const auto each_target = [&](bool lower_ones, const auto& find_one) {
        if (find_one(wanted)) return true;
        wanted_code other = wanted;
        for (std::size_t i = 0; lower_ones && i < lower.names.size(); ++i) {
            other.target = lower.names[i];
            if (find_one(other)) return true;
        }
        return false;
    };
    return any(
        [&](const pack& p) {
            return each_target(true, [&](const wanted_code& w) {
                const std::optional<artefact> a = p.find(w);
                return a && use(*a);
            });
        },
        [&] {
            return each_target(lower.on_disk,
                               [&](const wanted_code& w) { return disk_.find(w, use); });
        });
}

bool code_places::looks() {
    return disk_.looks() || any([](const pack&) { return true; }, [] { return false; });
}

bool code_places::has_code() {
    return any([](const pack& p) { return p.size() > 0; }, [this] { return disk_.has_files(); });
}

void code_places::for_each(const std::function<void(const std::string&, const artefact&)>& see) {
    any(
        [&](const pack& p) {
            p.for_each([&](const artefact& a) { see(p.name(), a); });
            return false;
        },
        [&] {
            disk_.for_each(see);
            return false;
        });
}

code_places& process_places() {
    static constinit std::atomic<code_places*> made{nullptr};
    return runtime::made_once(made, [] {
        const runtime::settings& s = runtime::environment();
        code_places::pack_files packs;
        if (s.cache != runtime::cache_choice::off)
            packs = {paths_in(s.cache_packs), installed_packs_folder(), &embedded_packs(),
                     &added_packs()};
        return new code_places(config_from_environment(), std::move(packs),
                               [](const std::string& name, const std::string& text) {
                                   runtime::warn_once(name, text);
                               });
    });
}

}  // namespace sinter::code_cache
