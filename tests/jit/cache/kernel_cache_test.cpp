// The whole path: kernels are compiled, stored, and found again by a process that never opens the
// compiler.
#include "jit/cache/kernel_cache.hpp"

#include "jit/interpret/interpret.hpp"
#include "tests/jit/cache/temporary_folder.hpp"
#include "tests/support/compiler.hpp"
#include "tests/support/kernel_builder.hpp"
#include "jit/interpret/kernel_call_data.hpp"

#include <sinter/error.hpp>
#include <sinter/threads.hpp>

#include <doctest/doctest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <thread>

using namespace sinter;
using namespace sinter::kernel_ir;
using namespace sinter::kernel_ir::testing;

namespace {

std::vector<kernel_ir::kernel> some_kernels() {
    std::vector<kernel_ir::kernel> kernels;
    for (op::id row : {op::add, op::sub, op::mul, op::exp, op::maximum}) {
        kernel_builder b;
        const value_id x = b.load(kFloat);
        const value_id v = op::info(row).arity == 1 ? b.row(row, kFloat, {x})
                                                    : b.row(row, kFloat, {x, b.load(kFloat)});
        b.store(v);
        kernels.push_back(b.get());
    }
    kernel_builder b;
    b.store(b.reduce(op::reduction::sum, b.load(kFloat)));
    kernels.push_back(b.get());
    return kernels;
}

bool equals_interpreter(const kernel_ir::kernel& k, const code_cache::kernel& compiled) {
    kernel_call_data expected(k, 2, 101, 1), got(k, 2, 101, 1);
    interpret(k, expected.call());
    const kernel_call call = got.call();
    compiled.fn(&call);
    return got.difference(expected).empty();
}

bool compiler_is_loaded() {
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
        if (line.find("LLVM") != std::string::npos) return true;
        if (line.find("sinter_llvm") != std::string::npos) return true;
    }
    return false;
}

/// Gets all kernels; returns 10 * compiled + loaded as a child's exit status.
int get_all() {
    for (const kernel_ir::kernel& k : some_kernels()) {
        if (!equals_interpreter(k, *code_cache::get(serialize(k)).k)) return 200;
    }
    const code_cache::counters c = code_cache::count();
    if (c.compiled == 0 && compiler_is_loaded()) return 201;
    return static_cast<int>(10 * c.compiled + c.loaded);
}

/// Starts this program again to run one test case that is skipped otherwise.
pid_t start(const char* test_case, const std::string& folder, const char* isa = nullptr) {
    const pid_t child = fork();
    if (child != 0) return child;
    setenv("SINTER_CACHE_DIR", folder.c_str(), 1);
    if (isa) setenv("SINTER_ISA", isa, 1);
    const std::string filter = std::string("--test-case=") + test_case;
    execl("/proc/self/exe", "test", filter.c_str(), "--no-skip", "--minimal", nullptr);
    _exit(210);
}

int finish(pid_t child) {
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

TEST_CASE("child: get all kernels" * doctest::skip()) { _exit(get_all()); }

TEST_CASE("child: name the level" * doctest::skip()) {
    _exit(std::string(code_cache::target_level()) == "x86-64-v3" ? get_all() : 202);
}

TEST_CASE("kernel cache: a kernel is compiled once, then comes from memory") {
    if (!test::has_compiler()) return;
    kernel_builder b;
    b.store(b.row(op::square, kDouble, {b.load(kDouble)}));
    const auto bytes = serialize(b.get());
    const code_cache::lookup first = code_cache::get(bytes), second = code_cache::get(bytes);
    CHECK(first.from != code_cache::source::memory);
    CHECK(second.from == code_cache::source::memory);
    CHECK(first.k == second.k);
    CHECK(equals_interpreter(b.get(), *first.k));
}

TEST_CASE("kernel cache: several at once, one of them twice") {
    if (!test::has_compiler()) return;
    std::vector<std::vector<uint8_t>> serialized;
    std::vector<kernel_ir::kernel> kernels = some_kernels();
    kernels.push_back(kernels.front());
    for (const kernel_ir::kernel& k : kernels) serialized.push_back(serialize(k));
    const std::vector<std::span<const uint8_t>> views(serialized.begin(), serialized.end());
    const auto found = code_cache::get(views);
    REQUIRE(found.size() == kernels.size());
    for (std::size_t n = 0; n < found.size(); n++)
        CHECK(equals_interpreter(kernels[n], *found[n].k));
    CHECK(found.front().k == found.back().k);
}

TEST_CASE(
    "kernel cache: threads share what one call must compile, and a broken one spoils no other") {
    if (!test::has_compiler()) return;
    const int threads_before = get_num_threads();
    set_num_threads(3);
    // Chains that no other test has, and so many that each thread has more than one module.
    std::vector<kernel_ir::kernel> kernels;
    for (int length = 0; length < 100; ++length) {
        kernel_builder b;
        value_id x = b.load(kDouble);
        for (int bit = 0; bit < 7; ++bit)
            x = b.row(length >> bit & 1 ? op::abs : op::neg, kDouble, {x});
        b.store(x);
        kernels.push_back(b.get());
    }
    std::vector<std::vector<uint8_t>> serialized;
    for (const kernel_ir::kernel& k : kernels) serialized.push_back(serialize(k));
    std::vector<uint8_t> nonsense{4, 3, 2, 1};
    std::vector<std::span<const uint8_t>> views(serialized.begin(), serialized.end());
    views.insert(views.begin() + 50, nonsense);
    CHECK_THROWS_AS(code_cache::get(views), InternalError);
    views.erase(views.begin() + 50);
    const auto found = code_cache::get(views);
    set_num_threads(threads_before);
    for (std::size_t n = 0; n < found.size(); n++) {
        CHECK(found[n].from == code_cache::source::memory);
        CHECK(equals_interpreter(kernels[n], *found[n].k));
    }
}

TEST_CASE("kernel cache: threads that want one kernel compile it once") {
    if (!test::has_compiler()) return;
    kernel_builder b;
    b.store(b.row(op::cosh, kDouble, {b.load(kDouble)}));
    const auto bytes = serialize(b.get());
    const uint64_t before = code_cache::count().compiled + code_cache::count().loaded;
    std::vector<std::thread> threads;
    std::atomic<const code_cache::kernel*> seen[4] = {};
    for (auto& s : seen) threads.emplace_back([&] { s = code_cache::get(bytes).k; });
    for (std::thread& t : threads) t.join();
    for (const auto& s : seen) CHECK(s == seen[0]);
    CHECK(code_cache::count().compiled + code_cache::count().loaded == before + 1);
}

TEST_CASE("kernel cache: bytes that are no kernel are an error that says so, each time") {
    const std::vector<uint8_t> nonsense{1, 2, 3};
    std::string why;
    const bool compiler = code_cache::compiler_available(&why);
    const std::string missing =
        "[jit] there is no compiler for a kernel that is in no cache; got " + why + ", expected";
    for (int times = 0; times < 2; ++times) {
        if (compiler)
            CHECK_THROWS_AS(code_cache::get(nonsense), InternalError);
        else
            CHECK_THROWS_WITH_AS(code_cache::get(nonsense), doctest::Contains(missing.c_str()),
                                 Error);
    }
}

TEST_CASE("kernel cache: a warm process compiles nothing and never opens the compiler") {
    if (!test::has_compiler()) return;
    sinter::testing::temporary_folder folder;
    CHECK(finish(start("child: get all kernels", folder.path())) == 60);
    CHECK(finish(start("child: get all kernels", folder.path())) == 6);
    // For another level, if this processor has one, these are different kernels, which do not
    // disturb these.
    const bool same_level = std::string(code_cache::target_level()) == "x86-64-v3";
    CHECK(finish(start("child: name the level", folder.path(), "v3")) == (same_level ? 6 : 60));
    CHECK(finish(start("child: name the level", folder.path(), "v3")) == 6);
    CHECK(finish(start("child: get all kernels", folder.path())) == 6);
}

TEST_CASE("kernel cache: two cold processes fill one folder") {
    if (!test::has_compiler()) return;
    sinter::testing::temporary_folder folder;
    const pid_t a = start("child: get all kernels", folder.path());
    const pid_t b = start("child: get all kernels", folder.path());
    for (pid_t child : {a, b}) {
        const int result = finish(child);
        CHECK(result / 10 + result % 10 == 6);
    }
    CHECK(finish(start("child: get all kernels", folder.path())) == 6);
}
