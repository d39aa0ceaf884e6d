// Reads a pack of kernels where it lies: mapped from a file, or in the program.
#pragma once

#include "jit/stored/pack_format.hpp"

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sinter::code_cache {

/// Safe with any number of threads. Lives as long as the process, since its code may run at any
/// time.
class pack {
public:
    /// Maps a file for reading. Returns null and says why in `why_not` if it is no whole pack. Does
    /// not ask whose file it is: trust.hpp.
    static std::unique_ptr<pack> open(const std::string& path, std::string& why_not);
    /// Does so for an open file, which becomes the pack's and is closed if there is none.
    static std::unique_ptr<pack> open(int file, const std::string& name, std::string& why_not);
    /// Reads a pack in memory, which must stay as it is. `data` is aligned to 8 bytes.
    static std::unique_ptr<pack> in_memory(byte_view data, std::string& why_not);

    /// Returns the code, undamaged; nothing if it is not there. Its image is executable if the
    /// memory is, or the file could be mapped so.
    std::optional<artefact> find(const wanted_code& wanted) const;

    /// Calls `see` with each undamaged entry. Returns the number of damaged ones.
    template <class F>
    std::size_t for_each(const F& see) const {
        std::size_t damaged = 0;
        for (uint64_t i = 0; i < size(); ++i) {
            const std::optional<artefact> a = at(i, false);
            a ? see(*a) : static_cast<void>(++damaged);
        }
        return damaged;
    }
    uint64_t size() const { return head_.entries; }
    /// Returns true if no byte of the pack has changed. Reads all of it.
    bool whole() const;
    /// The path, or "embedded".
    const std::string& name() const { return name_; }

private:
    pack(std::string name, byte_view data, int file);
    bool parse(std::string& why_not);
    std::optional<artefact> at(uint64_t i, bool to_run) const;
    std::optional<byte_view> bytes_at(pack_range r) const;
    std::optional<std::string_view> text_at(pack_range r) const;
    const uint8_t* mapped(const pack_target& t) const;

    std::string name_;
    byte_view data_;
    int file_ = -1;               // open as long as its code may be mapped
    bool runs_in_place_ = false;  // of a pack in memory
    pack_header head_;
    const pack_target* targets_ = nullptr;
    const pack_entry* entries_ = nullptr;
    /// For each target: null, its executable mapping, or `refused`.
    std::unique_ptr<std::atomic<const uint8_t*>[]> code_;
};

}  // namespace sinter::code_cache
