// Resources that a process may lack: memory, threads, files, executable pages, a home folder. A
// program gets an error that it can catch, or runs without the resource.
#include "tests/support/again.hpp"
#include "tests/jit/cache/temporary_folder.hpp"
#include "tests/seed.hpp"
#include "tests/support/compiler.hpp"
#include "tests/support/fork.hpp"

#include <sinter/sinter.hpp>

#include <doctest/doctest.h>

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <signal.h>
#include <unistd.h>

#include <cfenv>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <locale>
#include <memory>
#include <new>
#include <sstream>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

using namespace sinter;

namespace {

/// Returns the status of a test case of this program, run in a fresh process.
int alone(const char* test_case,
          const std::vector<std::pair<std::string, std::string>>& variables) {
    const sinter::testing::temporary_folder folder;
    return test::status_of_child([&] {
        setenv("SINTER_CACHE_DIR", folder.path().c_str(), 1);
        setenv("SINTER_TRACE", "", 1);
        for (const auto& [name, value] : variables)
            value.empty() ? unsetenv(name.c_str()) : setenv(name.c_str(), value.c_str(), 1);
        return test::become_cases(test_case);
    });
}

/// Runs a program of many kinds of operations; returns true if its result is correct.
bool computes() {
    const Tensor x = arange(20000, kDouble).view({100, 200});
    const Tensor y = (x * 0.5 + 1).sqrt();
    const Tensor s = softmax(y, 1).sum();
    const Tensor p = matmul(ones({4, 3}), ones({3, 5})) + 1;
    Tensor z = x.clone();
    z.slice(0, 0, 10).zero_();
    const bool first = std::abs(s.item<double>() - 100) < 0.01 && p.sum().item<float>() == 80 &&
                       z.sum().item<double>() == x.sum().item<double>() - 1999000;
    synchronize();
    const bool second = std::abs(softmax(y, 1).sum().item<double>() - 100) < 0.01;
    const Tensor solved = linalg::solve(eye(3, kDouble) * 2, ones({3}, kDouble));
    return first && second && solved.sum().item<double>() == 1.5;
}

void limit(decltype(RLIMIT_AS) what, rlim_t most) {
    const rlimit r{most, most};
    REQUIRE(setrlimit(what, &r) == 0);
}

/// Makes the stack as large as tests need it. It grows within the limit, too, and a process that
/// has no room for it ends by a signal.
[[gnu::noinline]] void grow_stack() {
    volatile char pages[1 << 20];
    for (std::size_t i = 0; i < sizeof pages; i += 4096) pages[i] = 0;
}

rlim_t address_space_in_use() {
    std::ifstream statm("/proc/self/statm");
    rlim_t pages = 0;
    statm >> pages;
    return pages * 4096;
}

}  // namespace

TEST_CASE("child: little address space" * doctest::skip()) {
    REQUIRE(computes());  // everything that is loaded once is loaded
    const Tensor kept = arange(1000, kFloat) + 1;
    grow_stack();
    limit(RLIMIT_AS, address_space_in_use() + (rlim_t{64} << 20));
    const Tensor a = ones({1000});
    int thrown = 0;
    for (int i = 0; i < 20; ++i) {
        try {
            (ones({50 << 20}) * 2).eval();
        } catch (const OutOfMemoryError&) {
            ++thrown;
        }
        std::vector<Tensor> many;  // each of them fits
        try {
            for (;;) many.push_back((a + i).expand({1000, 1000}).contiguous().eval());
        } catch (const OutOfMemoryError&) {
            ++thrown;
        } catch (const std::bad_alloc&) {
            ++thrown;
        }
        CHECK(many.at(0).sum().item<float>() == 1000.0F * 1000 * static_cast<float>(1 + i));
    }
    CHECK(thrown == 40);
    CHECK(kept.sum().item<float>() == 500500);
    CHECK(computes());
}

TEST_CASE("limits: address space") {
    if (test::sanitized()) return;  // their shadow is larger than any limit
    for (const char* jit : {"wait", "background", "off"}) {
        CAPTURE(std::string(jit));
        CHECK(alone("child: little address space", {{"SINTER_JIT", jit}}) == 0);
    }
}

TEST_CASE("child: loops in little memory" * doctest::skip()) {
    // Matrices of 1 MiB; far more steps than fit the limit if each kept one.
    static constexpr int64_t n = 512;
    constexpr int steps = 150;
    const Tensor a = full({n, n}, 1.0 / n).eval();  // x.mm(a) keeps its size
    const auto run = [](Tensor x, int count, Tensor (*step)(const Tensor&, const Tensor&),
                        const Tensor& a) {
        for (int i = 0; i < count; ++i) x = step(x, a);
        return x.sum(kDouble).item<double>();
    };
    Tensor (*const loops[])(const Tensor&, const Tensor&) = {
        [](const Tensor& x, const Tensor& a) { return x.mm(a); },
        [](const Tensor& x, const Tensor&) -> Tensor { return (x + x.t()) * 0.5; },
        [](const Tensor& x, const Tensor&) -> Tensor { return x.cumsum(1) / n; },
        [](const Tensor& x, const Tensor&) -> Tensor { return x.softmax(1) + x; },
        [](const Tensor& x, const Tensor&) -> Tensor { return std::get<0>(x.sort(1)) * 0.9; },
        [](const Tensor& x, const Tensor&) -> Tensor { return x.roll({1, 1}, {0, 1}) * 0.5; },
        [](const Tensor& x, const Tensor& a) -> Tensor {
            return cat({x.narrow(0, 1, n - 1), a.narrow(0, 0, 1)}) * 0.99;
        },
        [](const Tensor& x, const Tensor& a) -> Tensor {
            Tensor y = x * 0.5;
            y.narrow(0, 1, n - 2).add_(a.narrow(0, 0, n - 2));
            return y;
        },
        [](const Tensor& x, const Tensor& a) -> Tensor {  // conjugate gradients: x is read last
            static Tensor p = a;
            const Tensor q = p.mm(a);
            p = q + p * 0.25;
            return x + q * (1 / (p * q).sum());
        },
        [](const Tensor& x, const Tensor& a) -> Tensor {
            const Tensor y = empty({n, n});
            y.narrow(0, 0, n / 2).copy_(x.narrow(0, n / 2, n / 2) * 0.5);
            y.narrow(0, n / 2, n / 2).copy_(a.narrow(0, 0, n / 2));
            return y;
        },
    };
    // All libraries are loaded and all kernels compiled: the compiler takes what it needs when a
    // thread happens to run, also the last bytes.
    for (const auto step : loops) run(a, steps, step, a);
    synchronize();
    std::ifstream status("/proc/self/status");
    rlim_t in_use = 0;
    for (std::string line; std::getline(status, line);)
        if (line.rfind("VmData:", 0) == 0) in_use = std::stoull(line.substr(7)) << 10;
    REQUIRE(in_use > 0);
    limit(RLIMIT_DATA, in_use + (rlim_t{64} << 20));
    {
        std::vector<Tensor> kept;
        CHECK_THROWS_AS(while (kept.size() < steps) kept.push_back((a * 2 + 1).self().eval()),
                        OutOfMemoryError);
    }
    for (std::size_t i = 0; i < std::size(loops); ++i) {
        CAPTURE(i);
        CHECK(std::isfinite(run(a, steps, loops[i], a)));
    }
}

TEST_CASE("limits: loops of pending statements in 64 MiB") {
    if (test::sanitized()) return;  // their shadow is larger than any limit
    for (const char* jit : {"background", "off"}) {
        CAPTURE(std::string(jit));
        CHECK(alone("child: loops in little memory", {{"SINTER_JIT", jit}}) == 0);
    }
}

TEST_CASE("child: no threads" * doctest::skip()) {
    if (geteuid() == 0) {  // root has no limit
        REQUIRE(setresgid(65534, 65534, 65534) == 0);
        REQUIRE(setresuid(65534, 65534, 65534) == 0);
    }
    if (access("/usr/lib", R_OK | X_OK) != 0) std::_Exit(78);  // libraries are opened at run time
    limit(RLIMIT_NPROC, 0);
    try {
        std::thread([] {}).join();
        std::_Exit(77);  // executable pages are available all the same
    } catch (const std::system_error&) {
    }
    CHECK(get_num_threads() == 4);
    CHECK(computes());
    CHECK(((arange(8000000) % 7) * 2).sum().item<int64_t>() == 47999994);
    CHECK(linalg::svdvals(eye(200, kDouble)).sum().item<double>() == doctest::Approx(200));
    CHECK(matmul(ones({500, 500}), ones({500, 500})).sum().item<double>() == 125000000);
    CHECK(computes());
}

TEST_CASE("limits: no threads to be had") {
    for (const char* jit : {"wait", "background", "off"}) {
        CAPTURE(std::string(jit));
        const int status =
            alone("child: no threads",
                  {{"SINTER_JIT", jit}, {"SINTER_CACHE_DIR", ""}, {"SINTER_NUM_THREADS", "4"}});
        if (status == 77)
            MESSAGE("[SKIP] this user has threads beyond RLIMIT_NPROC");
        else if (status == 78)
            MESSAGE("[SKIP] users other than root cannot read /usr/lib on this machine");
        else
            CHECK(status == 0);
    }
}

TEST_CASE("child: no files" * doctest::skip()) {
    rlimit before{};
    getrlimit(RLIMIT_NOFILE, &before);
    const rlimit none{0, before.rlim_max};
    REQUIRE(setrlimit(RLIMIT_NOFILE, &none) == 0);
    const Tensor x = arange(1000, kFloat);
    const Tensor y = (x * 2 + 1).sum();
    CHECK_THROWS_AS(linalg_solve(eye(3) * 2, ones({3})), Error);  // LAPACK is in a file, too
    try {
        const bool right = y.item<float>() == 1000000;
        CHECK(right);
        CHECK(std::string(std::getenv("SINTER_JIT")) != "wait");
    } catch (const Error& e) {  // the compiler is in a file
        CHECK(std::string(e.what()).starts_with("[jit] "));
    }
    CHECK_THROWS_AS(save_npy(ones({3}), "/tmp/sinter-never-written.npy"), Error);
    // What could not be opened is opened once it can be.
    REQUIRE(setrlimit(RLIMIT_NOFILE, &before) == 0);
    CHECK(y.item<float>() == 1000000);
    CHECK(computes());
}

TEST_CASE("limits: no file descriptors") {
    for (const char* jit : {"wait", "background", "off"}) {
        CAPTURE(std::string(jit));
        CHECK(alone("child: no files", {{"SINTER_JIT", jit}}) == 0);
    }
}

namespace {

/// From now on mmap and mprotect refuse executable pages.
bool refuse_executable_pages() {
#ifdef __x86_64__
    constexpr auto number = static_cast<uint32_t>(offsetof(seccomp_data, nr));
    constexpr auto protection = static_cast<uint32_t>(offsetof(seccomp_data, args) + 2 * 8);
    sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, number),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, protection),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const sock_fprog program{static_cast<unsigned short>(std::size(code)), code};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0 &&
           mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) ==
               MAP_FAILED;
#else
    return false;
#endif
}

}  // namespace

TEST_CASE("child: no executable pages" * doctest::skip()) {
    const bool libraries_first = std::getenv("SINTER_TEST_LIBRARIES");
    if (libraries_first) {
        std::string why;
        code_cache::compiler_available(&why);
        linalg::solve(eye(3), ones({3})).eval();
    }
    if (!refuse_executable_pages()) std::_Exit(77);
    const Tensor x = arange(1000, kFloat);
    try {
        const bool right = (x * 2 + 1).sum().item<float>() == 1000000;
        CHECK(right);
    } catch (const Error& e) {
        // A caller that waits for compiled code gets an error.
        CHECK(std::string(std::getenv("SINTER_JIT")) == "wait");
        CHECK(std::string(e.what()).starts_with("[jit] "));
    }
    CHECK(x.sum().sizes().empty());
    synchronize();
    const ModeGuard eager(Mode::eager);
    CHECK((x * 2 + 1).sum().item<float>() == 1000000);
    CHECK(x[999].item<float>() == 999);
}

TEST_CASE("limits: no executable pages") {
    for (const char* libraries : {"", "loaded"})
        for (const char* jit : {"wait", "background", "off"}) {
            CAPTURE(std::string(libraries));
            CAPTURE(std::string(jit));
            const int status = alone("child: no executable pages",
                                     {{"SINTER_JIT", jit}, {"SINTER_TEST_LIBRARIES", libraries}});
            if (status == 77)
                MESSAGE("[SKIP] there is no seccomp filter here");
            else
                CHECK(status == 0);
        }
}

TEST_CASE("child: computes" * doctest::skip()) { CHECK(computes()); }

TEST_CASE("limits: no home") {
    CHECK(alone("child: computes",
                {{"HOME", ""}, {"SINTER_CACHE_DIR", ""}, {"XDG_CACHE_HOME", ""}}) == 0);
    CHECK(alone("child: computes",
                {{"HOME", "/nonexistent"}, {"SINTER_CACHE_DIR", ""}, {"XDG_CACHE_HOME", ""}}) == 0);
    CHECK(alone("child: computes",
                {{"HOME", "relative"}, {"SINTER_CACHE_DIR", ""}, {"XDG_CACHE_HOME", ""}}) == 0);
}

namespace {

struct commas : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
};

}  // namespace

TEST_CASE("child: commas" * doctest::skip()) {
    const Tensor x = tensor({1234.5, 0.25}), long_row = arange(2000000, 2000003);
    std::ostringstream plain;
    plain << x << long_row << repr(x) << explain(x * 2);
    std::locale::global(std::locale(std::locale::classic(), new commas));
    std::ostringstream text;
    text << x;  // in the format of the stream
    CHECK(text.str().starts_with("1.234,5000"));
    text.str("");
    text.imbue(std::locale::classic());
    text << x << long_row << repr(x) << explain(x * 2);
    CHECK(text.str() == plain.str());
    CHECK(!repr(x).empty());
    const sinter::testing::temporary_folder folder;
    save_npy(arange(12345).to(kFloat).view({3, 4115}), folder / "a.npy");
    CHECK(load_npy(folder / "a.npy").sizes() == IntArrayRef({3, 4115}));
    try {
        ones({1234567}).view({2});
    } catch (const Error& e) {
        CHECK(std::string(e.what()).find("1234567") != std::string::npos);
    }
    CHECK(computes());
}

TEST_CASE("limits: a locale with commas") { CHECK(alone("child: commas", {}) == 0); }

TEST_CASE("child: rounding" * doctest::skip()) {
    const auto run = [] {
        const Tensor x = arange(1000, kFloat) / 7;
        std::ostringstream out;
        out << repr((x.exp().log() + x.sin()).sum()) << repr(softmax(x, 0).max())
            << repr(matmul(x.view({10, 100}), x.view({100, 10})).sum()) << tensor({0.1, 1e-7, 3e20})
            << repr(tensor({0.1}) * 3);
        // Opaque kernels, and what LAPACK and FFTW compute.
        const Tensor m = sin(arange(1600, kDouble).view({40, 40})), r = x.to(kDouble) + 0.5;
        const Tensor s = m.mm(m.t()) + 40 * eye(40, kDouble);
        for (const Tensor& t :
             {polygamma(2, r), view_as_real(fft::fft(r)), linalg::svdvals(m), linalg::eigvalsh(s),
              std::get<1>(linalg::qr(m)), view_as_real(linalg::eigvals(m)), linalg::pinv(m),
              std::get<0>(linalg::lstsq(m, s)), linalg::inv(s), linalg::cholesky(s), r.cumsum(0),
              std::get<0>(r.sort())})
            out << repr(t.view(kLong).sum());  // of the bits
        return out.str();
    };
    const std::string expected = run();
    for (int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
        std::fesetround(mode);
        const std::string got = run();
        const int after = std::fegetround();
        std::fesetround(FE_TONEAREST);
        CHECK(got == expected);
        CHECK(after == mode);  // the mode of the program
    }
}

TEST_CASE("limits: other rounding modes") {
    for (const char* jit : {"wait", "background", "off"})
        CHECK(alone("child: rounding", {{"SINTER_JIT", jit}}) == 0);
}

namespace {
volatile sig_atomic_t signals = 0;
}

TEST_CASE("child: a storm of signals" * doctest::skip()) {
    struct sigaction action{};
    action.sa_handler = [](int) { signals = signals + 1; };
    sigaction(SIGALRM, &action, nullptr);  // without SA_RESTART
    const itimerval often{{0, 300}, {0, 300}};
    setitimer(ITIMER_REAL, &often, nullptr);
    const sinter::testing::temporary_folder folder;
    for (int i = 0; i < 10; ++i) {
        CHECK(computes());
        Tensor y = arange(5000, kFloat) + i;
        for (int k = 0; k < i; ++k) y = (y * 0.5).cos() + k;
        y.eval();
        save_npy(arange(300000, kFloat), folder / "a.npy");
        CHECK(load_npy(folder / "a.npy").sum().item<double>() > 1);
    }
    while (signals < 100) {
    }
    setitimer(ITIMER_REAL, std::unique_ptr<itimerval>(new itimerval{}).get(), nullptr);
}

TEST_CASE("limits: a storm of signals") {
    for (const char* jit : {"wait", "background"})
        CHECK(alone("child: a storm of signals", {{"SINTER_JIT", jit}}) == 0);
}
