// The order of look-ups, and which packs are opened at all.
#include "jit/cache/places.hpp"

#include "jit/stored/write_pack.hpp"
#include "tests/jit/cache/temporary_folder.hpp"

#include <doctest/doctest.h>

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

using namespace sinter::code_cache;
using sinter::testing::temporary_folder;
namespace fs = std::filesystem;

namespace {

const bytes one_key(30, 7);

/// A kernel whose image tells where it was found.
artefact marked(const bytes& image, std::string_view target) {
    return {target, one_key, image, 0, {1, 2}, "LLVM 1"};
}

void write_pack_to(const std::string& path, uint8_t mark, std::string_view target = "x86-64-v4") {
    const bytes image(64, mark);
    const artefact all[] = {marked(image, target)};
    const bytes content = write_pack(all);
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(content.data()),
               static_cast<std::streamsize>(content.size()));
    chmod(path.c_str(), 0644);
}

struct some_places {
    temporary_folder files, folder;
    std::vector<std::string> warnings;
    pack_list embedded, added;
    int refused = 0;  // a mark that cannot be used
    std::unique_ptr<code_places> places;

    void make(const code_places::pack_files& packs) {
        places = std::make_unique<code_places>(
            disk_config{.folder = folder.path(), .layers = {}}, packs,
            [this](const std::string&, const std::string& text) { warnings.push_back(text); });
    }
    /// Returns the mark of what is found, or 0.
    int found(const lower_targets& lower = {}) {
        int mark = 0;
        places->find({"x86-64-v4", one_key, {1, 2}}, lower, [&](const artefact& a) {
            mark = a.image[0];
            return mark != refused;
        });
        return mark;
    }
    void add(pack_list& to, uint8_t mark) {
        const std::string path = files / std::to_string(mark) + ".spk";
        write_pack_to(path, mark);
        std::string why;
        to.add(open_trusted_pack(path, why));
    }
};

}  // namespace

TEST_CASE("places: packs before folders, installed packs after them") {
    some_places s;
    fs::create_directory(s.files / "installed");
    write_pack_to(s.files / "installed/b.spk", 6);
    write_pack_to(s.files / "installed/a.spk", 5);
    write_pack_to(s.files / "named.spk", 3);
    s.make({{s.files / "named.spk"}, s.files / "installed", &s.embedded, &s.added});
    CHECK(s.places->looks());
    CHECK(s.places->has_code());
    CHECK(s.found() == 3);
    s.add(s.added, 2);
    s.add(s.added, 9);  // later than 2
    CHECK(s.found() == 2);
    s.add(s.embedded, 1);
    CHECK(s.found() == 1);

    some_places t;
    t.make({{}, s.files / "installed", nullptr, nullptr});
    CHECK(t.found() == 5);
    const bytes image(64, 4);
    t.places->disk().store(marked(image, "x86-64-v4"));
    CHECK(t.found() == 4);
    std::vector<std::string> files;
    t.places->for_each([&](const std::string& file, const artefact&) { files.push_back(file); });
    REQUIRE(files.size() == 3);
    CHECK(files[0].starts_with(t.folder.path()));
    CHECK(files[1] == s.files / "installed/a.spk");
    CHECK(t.warnings.empty());
}

TEST_CASE("places: code for a lower target is taken from packs, and from folders if allowed") {
    const std::vector<std::string> lower{"x86-64-v3"};
    some_places s;
    write_pack_to(s.files / "low.spk", 3, "x86-64-v3");
    s.make({{s.files / "low.spk"}, "", nullptr, nullptr});
    CHECK(s.found() == 0);
    CHECK(s.found({lower, false}) == 3);
    some_places t;
    t.make({});
    const bytes image(64, 4);
    t.places->disk().store(marked(image, "x86-64-v3"));
    CHECK(t.found() == 0);
    CHECK(t.found({lower, false}) == 0);
    CHECK(t.found({lower, true}) == 4);
}

TEST_CASE("places: code that cannot be used is passed over for the next") {
    const std::vector<std::string> lower{"x86-64-v3"};
    some_places s;
    write_pack_to(s.files / "own.spk", 3);
    write_pack_to(s.files / "low.spk", 4, "x86-64-v3");
    s.make({{s.files / "own.spk", s.files / "low.spk"}, "", nullptr, nullptr});
    s.refused = 3;
    CHECK(s.found({lower, false}) == 4);
    const bytes image(64, 5);
    s.places->disk().store(marked(image, "x86-64-v4"));
    s.refused = 4;
    CHECK(s.found() == 3);
    s.refused = 3;
    CHECK(s.found() == 5);
}

TEST_CASE("places: a pack that is damaged, or that others could have written, is refused once") {
    some_places s;
    std::ofstream(s.files / "text.spk") << "hello";
    write_pack_to(s.files / "open.spk", 3);
    chmod((s.files / "open.spk").c_str(), 0666);
    s.make(
        {{s.files / "gone.spk", s.files / "text.spk", s.files / "open.spk"}, "", nullptr, nullptr});
    CHECK(s.found() == 0);
    CHECK(s.found() == 0);
    REQUIRE(s.warnings.size() == 3);
    const auto says = [](const std::string& text, const std::string& part) {
        CHECK_MESSAGE(text.find(part) != std::string::npos, text);
    };
    says(s.warnings[0],
         "[cache] a pack of kernels is not used; got " + s.files / "gone.spk: No such");
    says(s.warnings[1], s.files / "text.spk: it is too short for a pack, expected a whole pack");
    says(s.warnings[2],
         "others could have written it, as everybody can write to " + s.files / "open.spk");
    if (geteuid() != 0) return;
    chmod((s.files / "open.spk").c_str(), 0644);
    std::string why;
    CHECK(open_trusted_pack(s.files / "open.spk", why));
    REQUIRE(chown((s.files / "open.spk").c_str(), 12345, 12345) == 0);
    CHECK_FALSE(open_trusted_pack(s.files / "open.spk", why));
    says(why, "belongs to user 12345");
}

TEST_CASE("places: with nothing to look into, nothing is looked for") {
    code_places none(disk_config{}, {}, [](const std::string&, const std::string&) {});
    CHECK_FALSE(none.looks());
    CHECK_FALSE(none.has_code());
}
