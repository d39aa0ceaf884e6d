#include "jit/codegen/llvm/image.hpp"

#include "jit/codegen/protocol.hpp"

#include <elf.h>

#include <cstring>
#include <map>
#include <span>
#include <stdexcept>
#include <utility>

namespace sinter::codegen {
namespace {

/// A unit of placement: a section, or one entry of a mergeable section.
struct piece {
    uint32_t section;
    uint64_t offset;  // in the section
    uint64_t size;
    uint64_t align;
    bool code;
    uint64_t at = 0;  // in the image
};

class linker {
public:
    linker(const uint8_t* object, std::size_t size) : object_(object), size_(size) {
        const auto* head = at<Elf64_Ehdr>(0);
        machine_ = head->e_machine;
        if (std::memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 ||
            (machine_ != EM_X86_64 && machine_ != EM_AARCH64) || head->e_type != ET_REL)
            throw std::runtime_error("the object is not a relocatable x86-64 or AArch64 object");
        sections_ = table<Elf64_Shdr>(head->e_shoff, head->e_shnum);
        for (std::size_t i = 0; i < sections_.size(); ++i) {
            const Elf64_Shdr& s = sections_[i];
            if (s.sh_type == SHT_SYMTAB) {
                symbols_ = table<Elf64_Sym>(s.sh_offset, s.sh_size / sizeof(Elf64_Sym));
                names_ = s.sh_link;
            } else if (s.sh_type == SHT_RELA) {
                relocations_[s.sh_info] =
                    table<Elf64_Rela>(s.sh_offset, s.sh_size / sizeof(Elf64_Rela));
            }
        }
    }

    image link(const std::string& entry) {
        const Elf64_Sym* symbol = nullptr;
        for (const Elf64_Sym& s : symbols_)
            if (name(s) == entry && s.st_shndx != SHN_UNDEF) symbol = &s;
        if (!symbol) throw std::runtime_error("the object has no symbol " + entry);
        std::size_t first = piece_of(symbol->st_shndx, symbol->st_value);
        collect();
        image out;
        place(true);
        place(false);
        out.bytes.assign(end_, 0);
        for (const piece& p : pieces_) copy(p, out.bytes);
        for (const piece& p : pieces_) relocate(p, out.bytes);
        out.entry = pieces_[first].at + symbol->st_value - pieces_[first].offset;
        return out;
    }

private:
    template <class T>
    const T* at(uint64_t offset) const {
        if (offset > size_ || size_ - offset < sizeof(T))
            throw std::runtime_error("the object ends early");
        return reinterpret_cast<const T*>(object_ + offset);
    }
    template <class T>
    std::span<const T> table(uint64_t offset, uint64_t count) const {
        if (offset > size_ || (size_ - offset) / sizeof(T) < count)
            throw std::runtime_error("the object ends early");
        return {reinterpret_cast<const T*>(object_ + offset), count};
    }
    std::string name(const Elf64_Sym& s) const {
        if (ELF64_ST_TYPE(s.st_info) == STT_SECTION && s.st_shndx < sections_.size())
            return "section " + std::to_string(s.st_shndx);
        return reinterpret_cast<const char*>(object_ + sections_[names_].sh_offset + s.st_name);
    }

    std::size_t piece_of(uint32_t section, uint64_t offset, bool whole = false) {
        const Elf64_Shdr& s = sections_[section];
        if (!(s.sh_flags & SHF_ALLOC) || (s.sh_flags & (SHF_WRITE | SHF_TLS)) ||
            s.sh_type != SHT_PROGBITS)
            throw std::runtime_error("a kernel refers to writable or thread-local data");
        if (s.sh_addralign > image_alignment)
            throw std::runtime_error("a section is aligned to more than images are");
        piece p{section, 0, s.sh_size, s.sh_addralign, (s.sh_flags & SHF_EXECINSTR) != 0};
        uint64_t key = whole_section;
        if (!whole && (s.sh_flags & SHF_MERGE) && s.sh_entsize && !(s.sh_flags & SHF_STRINGS)) {
            key = p.offset = offset / s.sh_entsize * s.sh_entsize;
            p.size = s.sh_entsize;
        }
        if (p.offset + p.size > s.sh_size)
            throw std::runtime_error("a reference leaves its section");
        auto [it, fresh] = index_.try_emplace({section, key}, pieces_.size());
        if (fresh) pieces_.push_back(p);
        return it->second;
    }

    /// Returns the piece that a reference targets. Only a named symbol identifies an entry of a
    /// mergeable section: the addend of a section symbol includes the distance to the end of the
    /// instruction.
    std::size_t target(const Elf64_Sym& s) {
        return piece_of(s.st_shndx, s.st_value, ELF64_ST_TYPE(s.st_info) == STT_SECTION);
    }

    void collect() {
        for (std::size_t i = 0; i < pieces_.size(); ++i) {
            piece p = pieces_[i];
            for (const Elf64_Rela& r : relocations(p)) {
                const Elf64_Sym& s = symbols_[ELF64_R_SYM(r.r_info)];
                uint32_t type = ELF64_R_TYPE(r.r_info);
                if (!field_of(type).bits)
                    throw std::runtime_error("the reference of type " + std::to_string(type) +
                                             " to " + name(s) + " is not PC-relative");
                if (s.st_shndx == SHN_UNDEF || s.st_shndx >= sections_.size())
                    throw std::runtime_error("the object refers to the undefined symbol " +
                                             name(s));
                target(s);
            }
        }
    }

    std::span<const Elf64_Rela> relocations(const piece& p) const {
        auto it = relocations_.find(p.section);
        if (it == relocations_.end()) return {};
        return it->second;
    }

    void place(bool code) {
        for (piece& p : pieces_) {
            if (p.code != code) continue;
            uint64_t align = p.align ? p.align : 1;
            end_ = (end_ + align - 1) / align * align;
            p.at = end_;
            end_ += p.size;
        }
    }

    void copy(const piece& p, std::vector<uint8_t>& out) const {
        auto from = table<uint8_t>(sections_[p.section].sh_offset + p.offset, p.size);
        std::memcpy(out.data() + p.at, from.data(), p.size);
    }

    void relocate(const piece& p, std::vector<uint8_t>& out) {
        for (const Elf64_Rela& r : relocations(p)) {
            const Elf64_Sym& s = symbols_[ELF64_R_SYM(r.r_info)];
            const piece& to = pieces_[target(s)];
            int64_t where = static_cast<int64_t>(p.at + r.r_offset - p.offset);
            int64_t value =
                static_cast<int64_t>(to.at + s.st_value - to.offset) + r.r_addend - where;
            const field f = field_of(ELF64_R_TYPE(r.r_info));
            const int64_t most = int64_t{1} << (f.bits + f.scale - 1);
            if (value < -most || value >= most || value % (1 << f.scale) != 0 ||
                r.r_offset + 4 > p.offset + p.size)
                throw std::runtime_error("the reference to " + name(s) + " does not fit");
            uint32_t word;
            std::memcpy(&word, out.data() + where, sizeof word);
            const auto number = static_cast<uint32_t>(value >> f.scale);
            if (f.bits == 32) {
                word = number;
            } else if (f.split) {  // of ADR: its lowest two bits have a place of their own
                word |= (number & 3) << 29 | (number >> 2 & 0x7ffff) << 5;
            } else {
                word |= (number & ((1U << f.bits) - 1)) << f.at;
            }
            std::memcpy(out.data() + where, &word, sizeof word);
        }
    }

    /// Where a reference has its distance: in 32 bits of its own, or in an instruction, which has
    /// zeros there.
    struct field {
        int bits = 0;   // 0: a reference that is not PC-relative
        int scale = 0;  // the distance is a multiple of 1 << scale
        int at = 0;     // the lowest bit
        bool split = false;
    };
    field field_of(uint32_t type) const {
        if (machine_ == EM_X86_64) {
            const bool relative = type == R_X86_64_PC32 || type == R_X86_64_PLT32;
            return relative ? field{32} : field{};
        }
        switch (type) {
            case R_AARCH64_PREL32: return {32};
            case R_AARCH64_ADR_PREL_LO21: return {21, 0, 0, true};
            case R_AARCH64_LD_PREL_LO19:
            case R_AARCH64_CONDBR19: return {19, 2, 5};
            case R_AARCH64_TSTBR14: return {14, 2, 5};
            case R_AARCH64_JUMP26:
            case R_AARCH64_CALL26: return {26, 2, 0};
            default: return {};
        }
    }

    static constexpr uint64_t whole_section = ~uint64_t{0};

    const uint8_t* object_;
    std::size_t size_;
    uint16_t machine_ = 0;
    std::span<const Elf64_Shdr> sections_;
    std::span<const Elf64_Sym> symbols_;
    uint32_t names_ = 0;
    std::map<uint32_t, std::span<const Elf64_Rela>> relocations_;
    std::vector<piece> pieces_;
    std::map<std::pair<uint32_t, uint64_t>, std::size_t> index_;
    uint64_t end_ = 0;
};

}  // namespace

image link_image(const uint8_t* object, std::size_t size, const std::string& entry) {
    return linker(object, size).link(entry);
}

}  // namespace sinter::codegen
