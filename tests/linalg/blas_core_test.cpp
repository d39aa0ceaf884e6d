// The code that OpenBLAS uses where it does not know the processor.
#include "kernels/linalg/blas_core.hpp"
#include "kernels/linalg/blas_library.hpp"
#include "tests/jit/cache/temporary_folder.hpp"

#include <doctest/doctest.h>

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <string>

using namespace sinter;
using namespace sinter::blas;

namespace {

constexpr const char* variable = "OPENBLAS_CORETYPE";

/// A copy of OpenBLAS that nothing else has opened, and what it takes the processor for.
struct copy_of_openblas {
    testing::temporary_folder folder;
    std::string path = folder / "libopenblas.so.0", first_core;
    int opened = 0;
    void* handle = nullptr;

    copy_of_openblas() { std::filesystem::copy_file(report_blas().path, path); }
    ~copy_of_openblas() {
        if (handle) dlclose(handle);
    }
    copy_of_openblas(const copy_of_openblas&) = delete;
    copy_of_openblas& operator=(const copy_of_openblas&) = delete;
    /// Opens it. The first time, as on a processor that it does not know.
    void* open() {
        if (opened++ == 0) setenv(variable, "Prescott", 1);
        void* const found = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
        if (opened == 1) {
            unsetenv(variable);
            first_core = core_of(found);
        }
        return found;
    }
    opened_blas open_for_best(vectors has) {
        opened_blas r = open_for_best_core(path.c_str(), [this] { return open(); }, has);
        handle = r.handle;
        return r;
    }
};

/// Without OPENBLAS_CORETYPE while it lives.
struct no_variable {
    std::string value;
    no_variable() {
        if (const char* set = std::getenv(variable)) value = set;
        unsetenv(variable);
    }
    ~no_variable() {
        if (!value.empty()) setenv(variable, value.c_str(), 1);
    }
};

bool can_choose() {
    const blas_report r = report_blas();
    if (cpu_vectors() != vectors::older && r.config.find("DYNAMIC_ARCH") != std::string::npos)
        return true;
    MESSAGE("[SKIP] this OpenBLAS or processor leaves no choice of a core");
    return false;
}

}  // namespace

TEST_SUITE_BEGIN("host");

TEST_CASE("blas core: a core that is older than the processor has a better one") {
    CHECK(std::string(better_core("Prescott", vectors::avx512)) == "SkylakeX");
    CHECK(std::string(better_core("SANDYBRIDGE", vectors::avx2)) == "Haswell");
    CHECK(better_core("Prescott", vectors::older) == nullptr);
    for (const char* known : {"Haswell", "Zen", "SkylakeX", "Cooperlake", "Sapphirerapids", ""})
        CHECK(better_core(known, vectors::avx512) == nullptr);
}

TEST_CASE("blas core: an OpenBLAS that does not know the processor is opened again") {
    if (!can_choose()) return;
    const no_variable none;
    for (const vectors has : {vectors::avx2, cpu_vectors()}) {
        copy_of_openblas copy;
        const opened_blas r = copy.open_for_best(has);
        REQUIRE(r.handle);
        REQUIRE(copy.first_core == "Prescott");
        CHECK(copy.opened == 2);
        CHECK(r.replaced_core == "Prescott");
        CHECK(core_of(r.handle) == better_core("Prescott", has));
        CHECK(std::getenv(variable) == nullptr);
        // It works: a product of two by two.
        const auto gemm =
            reinterpret_cast<decltype(routines<double>::gemm)>(dlsym(r.handle, "cblas_dgemm"));
        const double a[] = {1, 2, 3, 4}, b[] = {5, 6, 7, 8};
        double c[4] = {};
        gemm(row_major, as_is, as_is, 2, 2, 2, 1, a, 2, b, 2, 0, c, 2);
        CHECK(c[0] == 19);
        CHECK(c[3] == 50);
    }
}

TEST_CASE("blas core: what the program holds, and what it asks for, stays") {
    if (!can_choose()) return;
    const no_variable none;
    {
        copy_of_openblas held;
        void* const other = held.open();
        held.opened = 0;
        const opened_blas r = held.open_for_best(vectors::avx2);
        REQUIRE(r.handle == other);
        CHECK(core_of(r.handle) == "Prescott");
        CHECK(r.replaced_core.empty());
        dlclose(other);
    }
    copy_of_openblas asked;
    setenv(variable, "Nehalem", 1);
    asked.opened = 1;  // opened as it is
    const opened_blas r = asked.open_for_best(vectors::avx2);
    unsetenv(variable);
    REQUIRE(r.handle);
    CHECK(core_of(r.handle) == "Nehalem");
    CHECK(r.replaced_core.empty());
    CHECK(asked.opened == 2);
}

TEST_CASE("blas core: no library, and one that is no OpenBLAS") {
    const no_variable none;
    const auto nothing = [] { return static_cast<void*>(nullptr); };
    CHECK(open_for_best_core("libnone.so.7", nothing, vectors::avx512).handle == nullptr);
    int opened = 0;
    const auto libm = [&opened] {
        ++opened;
        return dlopen("libm.so.6", RTLD_LAZY);
    };
    const opened_blas r = open_for_best_core("libm.so.6", libm, vectors::avx512);
    CHECK(r.handle != nullptr);
    CHECK(r.replaced_core.empty());
    CHECK(opened == 1);
    dlclose(r.handle);
}

TEST_CASE("blas core: the process's library uses no older code than the processor has") {
    if (!can_choose() || std::getenv(variable)) return;
    CHECK(better_core(report_blas().core, cpu_vectors()) == nullptr);
}

TEST_SUITE_END();
