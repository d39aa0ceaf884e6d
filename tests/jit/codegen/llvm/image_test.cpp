// Each thing that an object must not contain is refused by name. The linker is part of the plugin,
// whose internals the tests do not link. It needs no LLVM, so it is compiled again here.
#include "jit/codegen/llvm/image.cpp"  // NOLINT(bugprone-suspicious-include): see above

#include <doctest/doctest.h>

using namespace sinter::codegen;

namespace {

/// An object with code, a constant section of 4-byte entries, a data section, and one reference at
/// offset 1 of the code.
class object_builder {
public:
    uint32_t reference = R_X86_64_PC32;
    uint32_t target = 2;  // symbol: 1 the code, 2 the third constant, 3 data, 4 undefined
    int64_t addend = -4;

    std::vector<uint8_t> build() const {
        const std::string names = std::string("\0code\0constant\0data\0missing\0", 28);
        const std::vector<uint8_t> code{0xe8, 0, 0, 0, 0, 0xc3};
        const std::vector<uint8_t> constants{1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0};
        const Elf64_Sym symbols[] = {symbol(0, 0, 0), symbol(1, 1, 0), symbol(6, 2, 8),
                                     symbol(15, 3, 0), symbol(20, 0, 0)};
        const Elf64_Rela rela{1, ELF64_R_INFO(uint64_t{target}, reference), addend};

        std::vector<uint8_t> out(sizeof(Elf64_Ehdr));
        std::vector<Elf64_Shdr> sections(7);
        const auto add = [&](int n, uint32_t type, uint64_t flags, const void* data,
                             std::size_t size, uint64_t entry) {
            while (out.size() % 8) out.push_back(0);
            Elf64_Shdr& s = sections[static_cast<std::size_t>(n)];
            s.sh_type = type;
            s.sh_flags = flags;
            s.sh_offset = out.size();
            s.sh_size = size;
            s.sh_entsize = entry;
            s.sh_addralign = 4;
            const auto* bytes = static_cast<const uint8_t*>(data);
            out.insert(out.end(), bytes, bytes + size);
        };
        add(1, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, code.data(), code.size(), 0);
        add(2, SHT_PROGBITS, SHF_ALLOC | SHF_MERGE, constants.data(), constants.size(), 4);
        add(3, SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, constants.data(), constants.size(), 0);
        add(4, SHT_RELA, 0, &rela, sizeof rela, sizeof rela);
        add(5, SHT_SYMTAB, 0, symbols, sizeof symbols, sizeof(Elf64_Sym));
        add(6, SHT_STRTAB, 0, names.data(), names.size(), 0);
        sections[4].sh_info = 1;
        sections[5].sh_link = 6;
        while (out.size() % 8) out.push_back(0);

        Elf64_Ehdr head{};
        std::memcpy(head.e_ident, ELFMAG, SELFMAG);
        head.e_type = ET_REL;
        head.e_machine = EM_X86_64;
        head.e_shoff = out.size();
        head.e_shnum = 7;
        std::memcpy(out.data(), &head, sizeof head);
        const auto* bytes = reinterpret_cast<const uint8_t*>(sections.data());
        out.insert(out.end(), bytes, bytes + sections.size() * sizeof(Elf64_Shdr));
        return out;
    }

private:
    static Elf64_Sym symbol(uint32_t name, uint16_t section, uint64_t value) {
        Elf64_Sym s{};
        s.st_name = name;
        s.st_shndx = section;
        s.st_value = value;
        return s;
    }
};

std::string refusal(const std::vector<uint8_t>& object, const char* entry = "code") {
    try {
        link_image(object.data(), object.size(), entry);
    } catch (const std::runtime_error& e) {
        return e.what();
    }
    return "";
}

}  // namespace

TEST_CASE("image: code, then only the constant that it refers to") {
    const std::vector<uint8_t> object = object_builder().build();
    const image linked = link_image(object.data(), object.size(), "code");
    CHECK(linked.entry == 0);
    // The call's field ends at 5 and the constant is at 8, 3 bytes later.
    CHECK(linked.bytes == std::vector<uint8_t>{0xe8, 3, 0, 0, 0, 0xc3, 0, 0, 3, 0, 0, 0});
}

TEST_CASE("image: what is not position independent or not there is refused by name") {
    object_builder b;
    b.reference = R_X86_64_64;
    CHECK(refusal(b.build()) == "the reference of type 1 to constant is not PC-relative");
    b.reference = R_X86_64_GOTPCREL;
    CHECK(refusal(b.build()) == "the reference of type 9 to constant is not PC-relative");
    b.reference = R_X86_64_PC32;
    b.target = 3;
    CHECK(refusal(b.build()) == "a kernel refers to writable or thread-local data");
    b.target = 4;
    CHECK(refusal(b.build()) == "the object refers to the undefined symbol missing");
    CHECK(refusal(object_builder().build(), "other") == "the object has no symbol other");
}

TEST_CASE("image: a reference that does not fit is refused") {
    object_builder b;
    b.addend = int64_t{1} << 33;
    CHECK(refusal(b.build()) == "the reference to constant does not fit");
}

TEST_CASE("image: what is no object, or not all of it, is refused") {
    const std::vector<uint8_t> object = object_builder().build();
    for (std::size_t n = 0; n < object.size(); n++) {
        CHECK(refusal(std::vector<uint8_t>(object.begin(),
                                           object.begin() + static_cast<std::ptrdiff_t>(n))) != "");
    }
    std::vector<uint8_t> other = object;
    other[0] = 'X';
    CHECK(refusal(other) == "the object is not a relocatable x86-64 or AArch64 object");
}
