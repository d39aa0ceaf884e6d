// Packs that others could have written run if a trusted key has signed them, and then only as
// signed.
#include "jit/cache/signature.hpp"

#include "jit/cache/places.hpp"
#include "jit/stored/write_pack.hpp"
#include "tests/jit/cache/temporary_folder.hpp"

#include <sinter/cache.hpp>
#include <sinter/error.hpp>

#include <doctest/doctest.h>

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace sinter;
using namespace sinter::code_cache;
using sinter::testing::temporary_folder;
namespace fs = std::filesystem;

namespace {

void write(const std::string& path, const std::string& content, mode_t mode = 0644) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
    chmod(path.c_str(), mode);
}

std::string text_of(const bytes& b) { return {b.begin(), b.end()}; }

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

bytes some_pack() {
    const bytes key(30, 7), image(5000, 9);
    const artefact all[] = {{"x86-64-v3", key, image, 4, {1, 2}, "LLVM 1"}};
    return write_pack(all);
}

/// A pack in a folder that everybody can write to.
struct open_pack {
    temporary_folder folder;
    std::string path = folder / "a.spk";
    bytes content = some_pack();
    open_pack() {
        write(path, text_of(content));
        chmod(folder.path().c_str(), 0777);
    }
    std::string refusal() const {
        std::string why;
        CHECK_FALSE(open_trusted_pack(path, why));
        CHECK(has(why, "others could have written it, as everybody can write to " + folder.path()));
        return why;
    }
};

}  // namespace

TEST_CASE("signature: keys and signatures are read as they are written, and nothing else is") {
    const key_pair k = make_keys();
    CHECK(from_text<32>(to_text(k.known)) == k.known);
    CHECK(from_text<32>("# of the build machine\n# 2026\n" + to_text(k.known)) == k.known);
    CHECK(from_text<64>(to_text(k.secret)) == k.secret);
    const std::string good = to_text(k.known);
    for (const std::string& bad :
         {std::string(), std::string("#"), std::string("# only this\n"), good.substr(1), good + "0",
          good.substr(0, 63) + "g\n", to_text(k.secret)})
        CHECK_FALSE(from_text<32>(bad));
}

TEST_CASE("signature: is that of the content and the key alone") {
    const key_pair k = make_keys(), other = make_keys();
    const bytes content = some_pack();
    const signature s = sign(content, k.secret);
    std::string why;
    CHECK(is_signed(content, s, {other.known, k.known}, why));
    CHECK_FALSE(is_signed(content, s, {other.known}, why));
    CHECK(why == "no trusted key has signed it");
    CHECK_FALSE(is_signed(content, s, {}, why));
    CHECK(why == "no key is trusted");
    for (std::size_t at = 0; at < content.size(); at += 97) {
        bytes changed = content;
        changed[at] ^= 1;
        CHECK_FALSE(is_signed(changed, s, {k.known}, why));
    }
    for (std::size_t at = 0; at < s.size(); ++at) {
        signature changed = s;
        changed[at] ^= 1;
        CHECK_FALSE(is_signed(content, changed, {k.known}, why));
    }
}

TEST_CASE("signature: a folder of keys is read, without what others could have written") {
    temporary_folder folder;
    const key_pair a = make_keys(), b = make_keys();
    write(folder / "a.pub", to_text(a.known));
    write(folder / "b.pub", to_text(b.known), 0666);
    write(folder / "c.txt", to_text(b.known));
    write(folder / "d.pub", "no key");
    CHECK(keys_in(folder.path()) == std::vector{a.known});
    chmod(folder.path().c_str(), 0777);
    CHECK(keys_in(folder.path()).empty());
    CHECK(keys_in("/nowhere").empty());
}

TEST_CASE("signature: a pack in an open folder is used as signed, and each refusal says why") {
    const open_pack p;
    const key_pair k = make_keys();
    CHECK(has(p.refusal(), "and it has no signature (" + p.path + ".sig)"));
    write(p.path + ".sig", "nonsense");
    CHECK(has(p.refusal(), "and its signature is damaged"));
    write(p.path + ".sig", to_text(sign(p.content, make_keys().secret)));
    CHECK(has(p.refusal(), trusted_keys().empty() ? "and no key is trusted"
                                                  : "and no trusted key has signed it"));
    write(p.path + ".sig", to_text(sign(p.content, k.secret)));
    cache::trust_key(to_text(k.known));
    std::string why;
    const auto opened = open_trusted_pack(p.path, why);
    REQUIRE_MESSAGE(opened, why);
    // What happens to the file afterwards changes nothing.
    write(p.path, std::string(p.content.size(), 'x'));
    const bytes key(30, 7);
    const auto found = opened->find({"x86-64-v3", key, {1, 2}});
    REQUIRE(found);
    CHECK(found->executable);
    CHECK(std::ranges::all_of(found->image, [](uint8_t b) { return b == 9; }));
    CHECK(has(p.refusal(), "and no trusted key has signed it"));
    CHECK_THROWS_WITH_AS(cache::trust_key("12"),
                         doctest::Contains("[trust_key] a text is no public key; got '12'"), Error);
}

TEST_CASE("signature: sinter cache keys and sign make what is trusted") {
    const open_pack p;
    const auto run = [](const std::vector<std::string>& words) {
        std::ostringstream out, err;
        const int status = cache::run_command(words, out, err);
        return std::pair(status, out.str() + err.str());
    };
    temporary_folder own;
    const auto [made, text] = run({"keys", "-o", own / "mine"});
    CHECK(made == 0);
    CHECK(has(text, own / "mine.key"));
    struct stat s{};
    REQUIRE(stat((own / "mine.key").c_str(), &s) == 0);
    CHECK((s.st_mode & 0777) == 0600);
    CHECK(has(run({"keys", "-o", own / "mine"}).second,
              "a key is not overwritten; got " + own / "mine.key"));
    CHECK(run({"sign", p.path, "--key", own / "mine.key"}).first == 0);
    CHECK(has(run({"sign", p.path, "--key", own / "mine.pub"}).second, "a file is no secret key"));
    CHECK(has(run({"sign", p.path, "--key", "/nowhere"}).second,
              "a file cannot be read; got /nowhere: No such"));
    std::ifstream known(own / "mine.pub");
    cache::trust_key({std::istreambuf_iterator<char>(known), {}});
    std::string why;
    CHECK_MESSAGE(open_trusted_pack(p.path, why), why);
}
