#include "jit/stored/write_pack.hpp"

#include "jit/stored/pack_format.hpp"
#include "jit/codegen/protocol.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace sinter::code_cache {
namespace {

struct named {
    hash128 name;
    const artefact* kernel;
};

std::vector<named> sorted(std::span<const artefact> kernels) {
    std::vector<named> all;
    for (const artefact& a : kernels) all.push_back({storage_hash(a.target, a.key, a.is), &a});
    std::stable_sort(all.begin(), all.end(),
                     [](const named& a, const named& b) { return a.name < b.name; });
    const auto same = [](const named& a, const named& b) { return a.name == b.name; };
    all.erase(std::unique(all.begin(), all.end(), same), all.end());
    return all;
}

byte_view bytes_of(std::string_view text) {
    return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}
std::string_view text_of(byte_view b) {
    return {reinterpret_cast<const char*>(b.data()), b.size()};
}

/// Bytes that grow, each text once.
class writer {
public:
    pack_range put(byte_view data) {
        const pack_range r{out.size(), data.size()};
        out.insert(out.end(), data.begin(), data.end());
        return r;
    }
    pack_range put_once(std::string_view text) {
        const auto [at, fresh] = known_.try_emplace(text);
        if (fresh) at->second = put(bytes_of(text));
        return at->second;
    }
    void align(uint64_t to) { out.resize((out.size() + to - 1) / to * to); }
    template <class T>
    void overwrite(std::size_t at, const std::vector<T>& records) {
        if (!records.empty())
            std::memcpy(out.data() + at, records.data(), records.size() * sizeof(T));
    }

    bytes out;

private:
    std::map<std::string_view, pack_range> known_;
};

}  // namespace

bytes write_pack(std::span<const artefact> kernels) {
    const std::vector<named> all = sorted(kernels);
    std::set<std::string_view> names;
    for (const named& n : all) names.insert(n.kernel->target);
    const std::vector<std::string_view> target_names(names.begin(), names.end());
    std::vector<pack_target> targets(target_names.size());
    std::vector<pack_entry> entries(all.size());

    pack_header head;
    std::memcpy(head.magic, pack_magic, sizeof pack_magic);
    head.targets = static_cast<uint32_t>(targets.size());
    head.entries = entries.size();
    const std::size_t targets_at = sizeof head,
                      entries_at = targets_at + targets.size() * sizeof(pack_target);
    writer w;
    w.out.resize(entries_at + entries.size() * sizeof(pack_entry));
    for (std::size_t t = 0; t < targets.size(); ++t) targets[t].name = w.put_once(target_names[t]);
    for (std::size_t i = 0; i < all.size(); ++i) {
        const artefact& a = *all[i].kernel;
        pack_entry& e = entries[i];
        e.name = all[i].name;
        e.target = static_cast<uint32_t>(
            std::lower_bound(target_names.begin(), target_names.end(), a.target) -
            target_names.begin());
        e.abi = a.is.abi;
        e.semantics = a.is.semantics;
        e.producer = w.put_once(a.producer);
        e.key = w.put_once(text_of(a.key));
        e.entry = a.entry;
        e.plain_size = a.plain_size;
    }
    for (std::size_t t = 0; t < targets.size(); ++t) {
        w.align(page_alignment);
        targets[t].code.at = w.out.size();
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (entries[i].target != t) continue;
            w.align(codegen::image_alignment);
            entries[i].image = w.put(all[i].kernel->image);
            const std::string_view producer = all[i].kernel->producer;
            entries[i].digest = digest_of(entries[i], bytes_of(producer), all[i].kernel->image);
        }
        targets[t].code.size = w.out.size() - targets[t].code.at;
    }
    w.overwrite(targets_at, targets);
    w.overwrite(entries_at, entries);
    head.size = w.out.size();
    head.digest = digest_of(head, byte_view(w.out).subspan(sizeof head));
    std::memcpy(w.out.data(), &head, sizeof head);
    return std::move(w.out);
}

}  // namespace sinter::code_cache
