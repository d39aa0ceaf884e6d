// All places that stored code is looked for in, in their order: packs in the program, packs that it
// added, those of SINTER_CACHE_PACKS, the user's folder and its layers, packs beside the library.
#pragma once

#include "jit/cache/disk.hpp"
#include "jit/stored/pack.hpp"

namespace sinter::code_cache {

/// Packs in the order in which they were added. Nothing is removed. Reading takes no lock, so a
/// fork finds none held.
class pack_list {
public:
    constexpr pack_list() = default;
    ~pack_list();
    pack_list(const pack_list&) = delete;
    pack_list& operator=(const pack_list&) = delete;
    void add(std::unique_ptr<pack> p);
    /// Calls `see` with each pack until it returns true; returns whether it did.
    template <class F>
    bool any(const F& see) const {
        for (const node* n = first_.load(std::memory_order_acquire); n;
             n = n->next.load(std::memory_order_acquire))
            if (see(*n->of)) return true;
        return false;
    }

private:
    struct node {
        std::unique_ptr<pack> of;
        std::atomic<node*> next{nullptr};
    };
    std::atomic<node*> first_{nullptr};
};

/// Code for lower targets, which will do if there is none for the wanted one.
struct lower_targets {
    std::span<const std::string> names{};  // the best first
    bool on_disk = false;                  // in folders too; in packs always
};

/// Safe with any number of threads.
class code_places {
public:
    /// Opens the packs at their first use. The lists may be null: no packs but those of files.
    struct pack_files {
        std::vector<std::string> named;  // asked before the folders
        std::string installed;           // a folder, asked after them; may be empty
        const pack_list *embedded = nullptr, *added = nullptr;
    };
    code_places(disk_config folders, pack_files packs, disk_cache::warn_fn warn);
    ~code_places();
    code_places(const code_places&) = delete;
    code_places& operator=(const code_places&) = delete;

    /// Returns true if some code was used.
    bool find(const wanted_code& wanted, const lower_targets& lower, const use_fn& use);
    /// Returns true if there is any place to look into, or kernels must be in one.
    bool looks();
    /// Returns true if some place has code.
    bool has_code();
    /// Calls `see` with each whole piece of code in all trusted places, and its file.
    void for_each(const std::function<void(const std::string&, const artefact&)>& see);

    disk_cache& disk() { return disk_; }

private:
    struct opened {
        pack_list named, installed;
    };
    const opened& files();
    opened* open_files() const;
    /// Calls see(pack) in the order of look-ups, `between` after those before the folders; each
    /// until it returns true.
    template <class F, class G>
    bool any(const F& see, const G& between);

    disk_cache disk_;
    pack_files packs_;
    disk_cache::warn_fn warn_;
    std::atomic<opened*> opened_{nullptr};
};

/// Returns the places of this process, from its environment.
code_places& process_places();

/// The packs that the program holds, and those that it added.
pack_list& embedded_packs();
pack_list& added_packs();

/// Opens a pack that only this user or root can have written, or a copy of one that a trusted key
/// has signed (signature.hpp). Else returns null and says why in `why_not`.
std::unique_ptr<pack> open_trusted_pack(const std::string& path, std::string& why_not);

/// Returns the folder of packs beside the library; empty if the library's is unknown.
std::string installed_packs_folder();

}  // namespace sinter::code_cache
