#include "jit/stored/pack.hpp"
#include "jit/stored/write_pack.hpp"
#include "tests/jit/cache/temporary_folder.hpp"
#include "tests/seed.hpp"

#include <doctest/doctest.h>

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <new>
#include <random>
#include <thread>

using namespace sinter::code_cache;
using sinter::testing::temporary_folder;

namespace {

constexpr std::string_view v3 = "x86-64-v3", v4 = "x86-64-v4";

/// Kernels whose images say of which kernel and target they are.
struct kernels {
    std::vector<bytes> keys, images;
    std::vector<artefact> all;

    explicit kernels(int count, std::span<const std::string_view> targets) {
        keys.reserve(1000);
        images.reserve(1000);
        for (int n = 0; n < count; ++n) {
            keys.emplace_back(static_cast<std::size_t>(20 + n % 7), static_cast<uint8_t>(n));
            for (const std::string_view target : targets) {
                images.emplace_back(static_cast<std::size_t>(100 + n * 37),
                                    static_cast<uint8_t>(n + target.back()));
                all.push_back({target, keys.back(), images.back(), static_cast<uint64_t>(n),
                               identity{1, uint64_t(n % 3)}, "LLVM 1"});
            }
        }
    }
};

constexpr std::string_view both[] = {v3, v4};

/// Memory of a page boundary, as a program has it.
struct mapped {
    void* memory;
    std::size_t size;
    explicit mapped(const bytes& content, int protection = PROT_READ)
        : memory(mmap(nullptr, content.size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                      -1, 0)),
          size(content.size()) {
        REQUIRE(memory != MAP_FAILED);
        std::memcpy(memory, content.data(), size);
        REQUIRE(mprotect(memory, size, protection) == 0);
    }
    ~mapped() { munmap(memory, size); }
    mapped(const mapped&) = delete;
    mapped& operator=(const mapped&) = delete;
    byte_view view() const { return {static_cast<const uint8_t*>(memory), size}; }
};

/// Memory of exactly this size, whose end a sanitizer sees.
struct measured {
    uint8_t* memory;
    std::size_t size;
    explicit measured(const bytes& content)
        : memory(static_cast<uint8_t*>(operator new(content.size(), std::align_val_t(64)))),
          size(content.size()) {
        std::memcpy(memory, content.data(), size);
    }
    ~measured() { operator delete(memory, std::align_val_t(64)); }
    measured(const measured&) = delete;
    measured& operator=(const measured&) = delete;
    byte_view view() const { return {memory, size}; }
};

std::unique_ptr<pack> read(byte_view content) {
    std::string why;
    return pack::in_memory(content, why);
}

std::string why_not(byte_view content) {
    std::string why;
    CHECK_FALSE(pack::in_memory(content, why));
    return why;
}

wanted_code wanted(const artefact& a) { return {a.target, a.key, a.is}; }

bool same(const artefact& a, const artefact& b) {
    return a.target == b.target && std::ranges::equal(a.key, b.key) &&
           std::ranges::equal(a.image, b.image) && a.entry == b.entry && a.is == b.is &&
           a.producer == b.producer;
}

void write(const std::string& path, const bytes& content) {
    std::ofstream(path, std::ios::binary | std::ios::trunc)
        .write(reinterpret_cast<const char*>(content.data()),
               static_cast<std::streamsize>(content.size()));
}

}  // namespace

TEST_CASE("pack: all that is written is found, for its target and identity alone") {
    const kernels k(40, both);
    const mapped m(write_pack(k.all));
    const auto p = read(m.view());
    REQUIRE(p);
    CHECK(p->size() == 80);
    CHECK(p->whole());
    for (const artefact& a : k.all) {
        const auto found = p->find(wanted(a));
        REQUIRE(found);
        CHECK(same(*found, a));
        CHECK_FALSE(found->executable);
        CHECK_FALSE(p->find({"x86-64-v5", a.key, a.is}));
        CHECK_FALSE(p->find({a.target, a.key, {2, a.is.semantics}}));
        CHECK_FALSE(p->find({a.target, a.key, {1, a.is.semantics + 1}}));
        CHECK_FALSE(p->find({a.target, a.key, a.is, "LLVM 2"}));
        CHECK(p->find({a.target, a.key, a.is, "LLVM 1"}));
    }
    std::size_t seen = 0;
    CHECK(p->for_each([&](const artefact&) { ++seen; }) == 0);
    CHECK(seen == 80);
}

TEST_CASE("pack: the same kernels give the same bytes, in any order; of two the first is taken") {
    kernels k(30, both);
    const bytes first = write_pack(k.all);
    std::mt19937 random(1);
    std::shuffle(k.all.begin(), k.all.end(), random);
    CHECK(write_pack(k.all) == first);

    std::vector<artefact> twice{k.all[0], k.all[0]};
    twice[1].producer = "LLVM 2";
    const mapped m(write_pack(twice));
    const auto p = read(m.view());
    REQUIRE(p);
    CHECK(p->size() == 1);
    CHECK(p->find(wanted(twice[0]))->producer == "LLVM 1");
}

TEST_CASE("pack: a pack of nothing is a pack") {
    const mapped m(write_pack({}));
    const auto p = read(m.view());
    REQUIRE(p);
    CHECK(p->size() == 0);
    CHECK(p->whole());
    CHECK_FALSE(p->find({v3, {}, {}}));
}

TEST_CASE("pack: what is no pack is refused, with the reason") {
    const kernels k(3, both);
    const bytes good = write_pack(k.all);
    const auto changed = [&](std::size_t at, int to) {
        bytes b = good;
        b[at] = static_cast<uint8_t>(to);
        return b;
    };
    const auto text = [](const bytes& b) { return why_not(mapped(b).view()); };
    CHECK(text(changed(0, 'X')) == "it is not a pack");
    CHECK(text(changed(8, 9)) == "its format is 9, this library reads 2");
    CHECK(text(changed(14, 255)) == "its header is damaged");
    CHECK(text(changed(23, 255)) == "its header is damaged");
    CHECK(text(bytes(good.begin(), good.begin() + 30)) == "it is too short for a pack");
    CHECK(text(bytes(good.begin(), good.end() - 1)) ==
          "it has " + std::to_string(good.size() - 1) + " bytes of " + std::to_string(good.size()));
    const mapped m(good);
    CHECK(why_not(m.view().subspan(1)) == "it is not a pack");

    temporary_folder folder;
    std::string why;
    CHECK_FALSE(pack::open(folder / "nothing", why));
    CHECK(why == "No such file or directory");
    CHECK_FALSE(pack::open(folder.path(), why));
    CHECK(why == "it is not a file");
    write(folder / "empty", {});
    CHECK_FALSE(pack::open(folder / "empty", why));
    CHECK(why == "it is empty");
}

TEST_CASE("pack: any changed byte is a miss of what it belongs to, or changes nothing") {
    const kernels k(4, both);
    const bytes good = write_pack(k.all);
    const uint64_t seed = sinter::test::seed();
    std::mt19937_64 random(seed);
    CAPTURE(seed);
    for (std::size_t at = 0; at < good.size(); ++at) {
        bytes bad = good;
        bad[at] = static_cast<uint8_t>(bad[at] ^ (1 + random() % 255));
        const mapped m(bad);
        const auto p = read(m.view());
        if (!p) continue;
        CHECK_FALSE(p->whole());
        for (const artefact& a : k.all) {
            const auto found = p->find(wanted(a));
            if (found) REQUIRE_MESSAGE(same(*found, a), "byte " << at);
        }
    }
}

TEST_CASE("pack: nonsense is neither read past its end nor believed") {
    const kernels k(6, both);
    const bytes good = write_pack(k.all);
    const uint64_t seed = sinter::test::seed();
    std::mt19937_64 random(seed);
    CAPTURE(seed);
    // Mostly in the tables, whose offsets lead elsewhere.
    const std::size_t tables =
        sizeof(pack_header) + 2 * sizeof(pack_target) + k.all.size() * sizeof(pack_entry);
    const char* many = std::getenv("SINTER_TEST_MUTATIONS");
    const int rounds = many ? std::atoi(many) : sinter::test::sanitized() ? 20000 : 5000;
    for (int round = 0; round < rounds; ++round) {
        bytes bad = good;
        for (uint64_t i = 0; i < 1 + random() % 8; ++i) {
            const std::size_t at = random() % (random() % 4 ? tables : bad.size());
            constexpr int extremes[] = {0, 1, 127, 128, 255};
            bad[at] = static_cast<uint8_t>(random() % 2 ? extremes[random() % 5] : int(random()));
        }
        if (random() % 4 == 0) bad.resize(random() % bad.size());
        if (bad.empty()) continue;
        const measured m(bad);
        const auto p = read(m.view());
        if (!p) continue;
        p->for_each([](const artefact&) {});
        static_cast<void>(p->whole());
        for (const artefact& a : k.all)
            if (const auto found = p->find(wanted(a))) REQUIRE(same(*found, a));
    }
}

TEST_CASE("pack: the code of a file is mapped once for each target, executable and not writable") {
    const kernels k(50, both);
    temporary_folder folder;
    write(folder / "a.spk", write_pack(k.all));
    std::string why;
    const auto p = pack::open(folder / "a.spk", why);
    REQUIRE_MESSAGE(p, why);
    CHECK(p->name() == folder / "a.spk");
    const auto mappings = [&](const std::string& mode) {
        std::ifstream maps("/proc/self/maps");
        int count = 0;
        for (std::string line; std::getline(maps, line);)
            count += line.find("/a.spk") != std::string::npos &&
                     line.find(" " + mode + " ") != std::string::npos;
        return count;
    };
    CHECK(mappings("r-xp") == 0);
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&] {
            for (const artefact& a : k.all) {
                const auto found = p->find(wanted(a));
                if (!found || !found->executable || !same(*found, a)) std::abort();
                if (reinterpret_cast<uintptr_t>(found->image.data()) % 64 != 0) std::abort();
            }
        });
    for (std::thread& t : threads) t.join();
    CHECK(mappings("r-xp") == 2);
    CHECK(mappings("r--p") == 1);
    CHECK(mappings("rwxp") == 0);
}
