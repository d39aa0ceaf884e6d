#include "jit/cache/disk.hpp"
#include "tests/jit/cache/temporary_folder.hpp"

#include <doctest/doctest.h>

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

using namespace sinter::code_cache;
using sinter::testing::temporary_folder;
namespace fs = std::filesystem;

namespace {

bytes key_of(int n) {
    bytes key(50);
    for (std::size_t i = 0; i < key.size(); i++) key[i] = static_cast<uint8_t>(n >> (i % 4 * 8));
    return key;
}

bytes image_of(int n, std::size_t size = 3000) {
    return bytes(size, static_cast<uint8_t>(n * 3 + 1));
}

/// A cache and the warnings that it gave.
struct cache_with_warnings {
    std::vector<std::string> warnings;
    std::set<std::string> names;
    disk_cache cache;

    explicit cache_with_warnings(disk_config c)
        : cache(std::move(c), [this](const std::string& name, const std::string& text) {
              if (names.insert(name).second) warnings.push_back(text);
          }) {}
    explicit cache_with_warnings(const std::string& folder)
        : cache_with_warnings(disk_config{.folder = folder, .layers = {}}) {}

    void store(int n, std::size_t size = 3000, identity is = {1, 7},
               std::string_view producer = "LLVM 1") {
        const bytes key = key_of(n), image = image_of(n, size);
        cache.store({"x86-64-v4", key, image, 4, is, producer});
    }
    bool holds(int n, std::size_t size = 3000, identity is = {1, 7},
               std::string_view producer = "LLVM 1") {
        bool right = false;
        const bytes key = key_of(n);
        const bool exact = cache.config().same_producer;
        const wanted_code wanted{"x86-64-v4", key, is, exact ? producer : std::string_view()};
        const bool found = cache.find(wanted, [&](const artefact& a) {
            right = a.entry == 4 && std::ranges::equal(a.image, image_of(n, size));
            return true;
        });
        CHECK(found == right);
        return right;
    }
};

std::vector<fs::path> files(const std::string& folder) {
    std::vector<fs::path> found;
    for (const auto& e : fs::directory_iterator(folder)) found.push_back(e.path());
    return found;
}

void write(const fs::path& path, const std::string& content) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
}

std::string read(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// Runs `f` in a child process and returns its exit status.
template <class F>
int in_child(F f) {
    const pid_t child = fork();
    if (child == 0) _exit(f());
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

TEST_CASE("disk cache: what is stored is found, by another object too") {
    temporary_folder folder;
    cache_with_warnings a(folder / "new/deep");
    CHECK_FALSE(a.holds(1));
    for (int n = 0; n < 20; n++) a.store(n);
    cache_with_warnings b(folder / "new/deep");
    for (int n = 0; n < 20; n++) CHECK(b.holds(n));
    CHECK_FALSE(b.holds(20));
    CHECK(a.warnings.empty());
    CHECK(files(folder / "new/deep").size() == 20);
}

TEST_CASE("disk cache: corrupt, truncated and foreign entries are misses, and are removed") {
    temporary_folder folder;
    cache_with_warnings c(folder.path());
    c.store(1);
    const fs::path file = files(folder.path()).at(0);
    const std::string good = read(file);
    std::string damaged = good;
    damaged[damaged.size() / 2] = static_cast<char>(damaged[damaged.size() / 2] ^ 1);
    std::string other_format = good;
    other_format[8] = 9;
    for (const std::string& bad :
         {damaged, other_format, good.substr(0, 100), std::string(), std::string("text")}) {
        write(file, bad);
        CHECK_FALSE(c.holds(1));
        CHECK_FALSE(fs::exists(file));
        c.store(1);
        CHECK(c.holds(1));
    }
}

TEST_CASE("disk cache: an entry under another key's name is not used") {
    temporary_folder folder;
    cache_with_warnings c(folder.path());
    c.store(1);
    const fs::path first = files(folder.path()).at(0);
    c.store(2);
    fs::path second;
    for (const fs::path& p : files(folder.path())) {
        if (p != first) second = p;
    }
    // Simulates a hash collision: the file of key 1 holds key 2. Probing finds a place for both.
    fs::rename(second, first);
    CHECK_FALSE(c.holds(1));
    c.store(1);
    CHECK(c.holds(1));
    CHECK(files(folder.path()).size() == 2);
}

TEST_CASE("disk cache: files that others can write to are not loaded") {
    temporary_folder folder;
    cache_with_warnings c(folder.path());
    c.store(1);
    const fs::path file = files(folder.path()).at(0);
    chmod(file.c_str(), 0620);
    CHECK_FALSE(c.holds(1));
    chmod(file.c_str(), 0602);
    CHECK_FALSE(c.holds(1));
    chmod(file.c_str(), 0644);
    CHECK(c.holds(1));
    // A link is refused too, wherever it leads.
    fs::rename(file, folder / "elsewhere");
    fs::create_symlink(folder / "elsewhere", file);
    CHECK_FALSE(c.holds(1));
    if (geteuid() == 0) {
        fs::remove(file);
        fs::rename(folder / "elsewhere", file);
        REQUIRE(chown(file.c_str(), 12345, 12345) == 0);
        CHECK_FALSE(c.holds(1));
    }
}

TEST_CASE("disk cache: a refusal says why, once for each folder") {
    temporary_folder folder, layer;
    cache_with_warnings(layer.path()).store(1);
    const std::string file = files(layer.path()).at(0);
    cache_with_warnings c(disk_config{.folder = folder.path(), .layers = {layer.path()}});
    chmod(file.c_str(), 0602);
    CHECK_FALSE(c.holds(1));
    CHECK_FALSE(c.holds(1));
    REQUIRE(c.warnings.size() == 1);
    CHECK(c.warnings[0].find("; got everybody can write to " + file + ", expected the folder") !=
          std::string::npos);
    chmod(file.c_str(), 0600);
    // A folder above the layer counts, too.
    fs::create_directories(folder / "open/layer");
    fs::copy(file, folder / "open/layer");
    const auto below = [&] {
        return cache_with_warnings(disk_config{.folder = "", .layers = {folder / "open/layer"}});
    };
    CHECK(below().holds(1));
    chmod((folder / "open").c_str(), 0770);
    auto refusing = below();
    CHECK_FALSE(refusing.holds(1));
    REQUIRE(refusing.warnings.size() == 1);
    CHECK(refusing.warnings[0].find(" can write to " + folder / "open") != std::string::npos);
    if (geteuid() != 0) return;
    chmod((folder / "open").c_str(), 0700);
    REQUIRE(chown((folder / "open").c_str(), 12345, 12345) == 0);
    auto foreign = below();
    CHECK_FALSE(foreign.holds(1));
    REQUIRE(foreign.warnings.size() == 1);
    CHECK(foreign.warnings[0].find(folder / "open" + " belongs to user 12345, expected") !=
          std::string::npos);
}

TEST_CASE("disk cache: other identities are misses, other producers only if it must be exact") {
    temporary_folder folder;
    cache_with_warnings c(folder.path());
    c.store(1);
    CHECK(c.holds(1, 3000, {1, 7}, "LLVM 2"));
    CHECK_FALSE(c.holds(1, 3000, {2, 7}));
    CHECK_FALSE(c.holds(1, 3000, {1, 8}));
    c.store(1, 3000, {1, 8});
    CHECK(c.holds(1, 3000, {1, 8}));
    CHECK(c.holds(1));
    cache_with_warnings exact(
        disk_config{.folder = folder.path(), .layers = {}, .same_producer = true});
    CHECK(exact.holds(1));
    CHECK_FALSE(exact.holds(1, 3000, {1, 7}, "LLVM 2"));
    exact.store(1, 3000, {1, 7}, "LLVM 2");  // takes the place of the other
    CHECK(exact.holds(1, 3000, {1, 7}, "LLVM 2"));
    CHECK_FALSE(exact.holds(1));
    CHECK(files(folder.path()).size() == 2);
}

TEST_CASE("disk cache: what is only read is not changed") {
    temporary_folder folder;
    cache_with_warnings(folder.path()).store(1);
    const fs::path file = files(folder.path()).at(0);
    cache_with_warnings c(disk_config{.folder = folder.path(), .layers = {}, .writes = false});
    const auto before = fs::last_write_time(file);
    usleep(20000);
    CHECK(c.holds(1));
    CHECK(fs::last_write_time(file) == before);
    c.store(2);
    CHECK_FALSE(c.holds(2));
    write(file, "damaged");
    CHECK_FALSE(c.holds(1));
    CHECK(files(folder.path()).size() == 1);
}

TEST_CASE("disk cache: layers are read and never written") {
    temporary_folder lower, folder;
    cache_with_warnings(lower.path()).store(1);
    const fs::path file = files(lower.path()).at(0);
    cache_with_warnings c(
        disk_config{.folder = folder.path(), .layers = {"/nowhere", lower.path()}});
    CHECK(c.holds(1));
    c.store(2);
    CHECK(files(lower.path()).size() == 1);
    write(file, "damaged");
    CHECK_FALSE(c.holds(1));
    CHECK(fs::exists(file));
}

TEST_CASE("disk cache: a folder that cannot be used is said once") {
    temporary_folder folder;
    write(folder / "file", "");
    chmod((fs::create_directory(folder / "shared"), (folder / "shared").c_str()), 0777);
    for (const std::string& bad : {folder / "file", folder / "file/below", folder / "shared"}) {
        cache_with_warnings c(bad);
        c.store(1);
        c.store(2);
        CHECK_FALSE(c.holds(1));
        REQUIRE(c.warnings.size() == 1);
        const std::string cannot_store =
            "[cache] compiled kernels cannot be stored; got " + bad + ": ";
        const std::string others =
            "[cache] compiled kernels are not loaded from a folder that others control; got "
            "everybody can write to " +
            bad + ", expected";
        CHECK(c.warnings[0].find(bad.ends_with("shared") ? others : cannot_store) == 0);
    }
    cache_with_warnings none("");
    none.store(1);
    CHECK_FALSE(none.holds(1));
    CHECK(none.warnings.empty());
}

TEST_CASE("disk cache: a full disk is said once and leaves nothing behind") {
    temporary_folder folder;
    const int result = in_child([&] {
        signal(SIGXFSZ, SIG_IGN);
        const rlimit limit{1000, 1000};
        setrlimit(RLIMIT_FSIZE, &limit);
        cache_with_warnings c(folder.path());
        c.store(1);
        c.store(2);
        return c.warnings.size() == 1 && files(folder.path()).empty() ? 0 : 1;
    });
    CHECK(result == 0);
}

TEST_CASE("disk cache: the least recently used go when it is full") {
    temporary_folder folder;
    cache_with_warnings c(
        disk_config{.folder = folder.path(), .layers = {}, .size_limit = 40 << 10});
    for (int n = 0; n < 12; n++) {
        c.store(n);
        usleep(2000);
    }
    CHECK(c.holds(0));  // used again, so now the newest
    for (int n = 12; n < 18; n++) {
        usleep(2000);
        c.store(n);
    }
    uint64_t total = 0;
    for (const fs::path& p : files(folder.path())) total += fs::file_size(p);
    CHECK(total <= 40 << 10);
    CHECK(c.holds(0));
    CHECK(c.holds(17));
    CHECK_FALSE(c.holds(1));
}

TEST_CASE("disk cache: two processes fill one folder") {
    temporary_folder folder;
    const pid_t child = fork();
    {
        cache_with_warnings c(folder.path());
        for (int n = 0; n < 100; n++) c.store(n);
        if (child == 0) _exit(c.warnings.empty() ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    CHECK(status == 0);
    cache_with_warnings c(folder.path());
    for (int n = 0; n < 100; n++) CHECK(c.holds(n));
    CHECK(files(folder.path()).size() == 100);
}

TEST_CASE("disk cache: a writer killed in mid-write leaves only whole entries") {
    temporary_folder folder;
    for (int round = 0; round < 10; round++) {
        // The kill comes some time after the first entry is complete, however slowly the writer
        // starts.
        int first_entry[2];
        REQUIRE(pipe(first_entry) == 0);
        const pid_t child = fork();
        if (child == 0) {
            cache_with_warnings c(folder.path());
            for (int n = round * 1000;; n++) {
                c.store(n, 200000);
                if (n == round * 1000 && write(first_entry[1], "", 1) != 1) _exit(1);
            }
        }
        close(first_entry[1]);
        char byte;
        CHECK(::read(first_entry[0], &byte, 1) == 1);
        close(first_entry[0]);
        usleep(static_cast<useconds_t>(round * 700));
        kill(child, SIGKILL);
        waitpid(child, nullptr, 0);
    }
    int entries = 0;
    for (const fs::path& p : files(folder.path())) {
        if (p.extension() != ".kernel") continue;
        entries++;
        const std::string content = read(p);
        CHECK(parse_artefact({reinterpret_cast<const uint8_t*>(content.data()), content.size()}));
    }
    CHECK(entries > 0);
    // Files of the killed process are removed once they are old.
    for (const fs::path& p : files(folder.path())) {
        const timespec old[2] = {{1, 0}, {1, 0}};
        if (p.extension() != ".kernel") utimensat(AT_FDCWD, p.c_str(), old, 0);
    }
    cache_with_warnings c(folder.path());
    c.store(-1);
    for (const fs::path& p : files(folder.path())) CHECK(p.extension() == ".kernel");
    CHECK(c.holds(-1));
}
