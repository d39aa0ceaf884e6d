#include "ops/cache/harvest/elf.hpp"

#include "runtime/base/fail.hpp"

#include <elf.h>

#include <bit>
#include <cstring>
#include <utility>

namespace sinter::cache_command {
namespace {

using code_cache::byte_view;

class elf_file {
public:
    elf_file(byte_view file, const std::string& path) : file_(file), path_(path) {
        if (file.size() < sizeof header_ || std::memcmp(file.data(), ELFMAG, SELFMAG) != 0)
            refuse("it is no ELF file");
        std::memcpy(&header_, file.data(), sizeof header_);
        if (header_.e_ident[EI_CLASS] != ELFCLASS64) refuse("it is an ELF file of 32 bits");
        static_assert(std::endian::native == std::endian::little);
        if (header_.e_ident[EI_DATA] != ELFDATA2LSB) refuse("it is big-endian");
        sections_ = header_.e_shnum;
        if (header_.e_shoff == 0) sections_ = 0;
        if (header_.e_shoff != 0 && header_.e_shnum == 0) sections_ = section(0).sh_size;
    }

    uint64_t sections() const { return sections_; }

    Elf64_Shdr section(uint64_t n) const {
        if (n > file_.size() / sizeof(Elf64_Shdr)) refuse("it is damaged");
        Elf64_Shdr s;
        const uint64_t at = n * sizeof s;
        if (header_.e_shoff > file_.size() - at) refuse("it is damaged");
        std::memcpy(&s, part(header_.e_shoff + at, sizeof s).data(), sizeof s);
        return s;
    }

    byte_view content(const Elf64_Shdr& s) const { return part(s.sh_offset, s.sh_size); }

    /// Calls `see` with each entry of a table.
    template <class Entry, class See>
    void for_each(const Elf64_Shdr& table, const See& see) const {
        const byte_view all = content(table);
        Entry e;
        for (std::size_t at = 0; all.size() - at >= sizeof e; at += sizeof e) {
            std::memcpy(&e, all.data() + at, sizeof e);
            see(e);
        }
    }

    /// Returns the name at an offset in the strings of a table; empty if it does not begin with
    /// `prefix`.
    std::string_view name(const Elf64_Shdr& table, uint64_t at, std::string_view prefix) const {
        const byte_view strings = content(section(table.sh_link));
        if (at >= strings.size()) refuse("it is damaged");
        const std::string_view from(reinterpret_cast<const char*>(strings.data()) + at,
                                    strings.size() - at);
        if (!from.starts_with(prefix)) return {};
        const std::size_t end = from.find('\0');
        if (end == from.npos) refuse("it is damaged");
        return from.substr(0, end);
    }

private:
    byte_view part(uint64_t at, uint64_t size) const {
        if (at > file_.size() || size > file_.size() - at) refuse("it is damaged");
        return file_.subspan(at, size);
    }

    [[noreturn]] void refuse(const char* why) const {
        runtime::fail("cache", "the names of a program cannot be read", path_ + ": " + why,
                      "a program or shared library for Linux, of 64 bits, little-endian",
                      "the file that the linker wrote");
    }

    byte_view file_;
    const std::string& path_;
    Elf64_Ehdr header_{};
    uint64_t sections_ = 0;
};

}  // namespace

elf_names read_elf(byte_view file, std::string_view prefix, const std::string& path) {
    const elf_file elf(file, path);
    elf_names names;
    // A file has at most one section of each kind.
    bool seen[SHT_DYNSYM + 1] = {};
    for (uint64_t n = 0; n < elf.sections(); ++n) {
        const Elf64_Shdr s = elf.section(n);
        const bool symbols = s.sh_type == SHT_SYMTAB || s.sh_type == SHT_DYNSYM;
        if ((!symbols && s.sh_type != SHT_DYNAMIC) || std::exchange(seen[s.sh_type], true))
            continue;
        const auto add = [&](std::vector<std::string_view>& to, uint64_t at,
                             std::string_view begins) {
            if (const std::string_view name = elf.name(s, at, begins); !name.empty())
                to.push_back(name);
        };
        if (symbols)
            elf.for_each<Elf64_Sym>(
                s, [&](const Elf64_Sym& e) { add(names.symbols, e.st_name, prefix); });
        else
            elf.for_each<Elf64_Dyn>(s, [&](const Elf64_Dyn& e) {
                if (e.d_tag == DT_NEEDED) add(names.needed, e.d_un.d_val, {});
            });
    }
    return names;
}

}  // namespace sinter::cache_command
