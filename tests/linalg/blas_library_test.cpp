// Finding BLAS, failing to find it, and the messages about it.
#include "kernels/linalg/blas_library.hpp"

#include <sinter/error.hpp>

#include <doctest/doctest.h>

#include <dlfcn.h>

#include <cstdlib>
#include <fstream>
#include <string>

using namespace sinter;
using namespace sinter::blas;

TEST_SUITE_BEGIN("host");

TEST_CASE("the library is found and described") {
    const blas_report r = report_blas();
    REQUIRE(r.found);
    CHECK(r.error.empty());
    CHECK_FALSE(r.path.empty());
    CHECK_FALSE(r.lapack_path.empty());
    CHECK(r.max_callers >= 16);
    if (r.config.find("OpenBLAS") != std::string::npos) {
        CHECK_FALSE(r.core.empty());
        CHECK(std::string(to_string(r.threads)) != "unknown");
    }
    // The library is opened once: the second call returns the same one.
    CHECK(&require_blas("mm") == &require_blas("dot"));
    MESSAGE("BLAS: " << r.path << ", threads: " << std::string(to_string(r.threads))
                     << ", core: " << r.core);
}

TEST_CASE("the order of places: loaded, OpenMP build, soname, any BLAS") {
    const auto places = default_places();
    REQUIRE(places.size() == 4);
    CHECK(places[0].loaded_only);
    CHECK(std::string(places[0].blas) == "libopenblas.so.0");
    CHECK(std::string(places[1].blas).find("openblas-openmp/libopenblas.so.0") !=
          std::string::npos);
    CHECK(std::string(places[2].blas) == "libopenblas.so.0");
    CHECK(std::string(places[3].blas) == "libblas.so.3");
    CHECK(std::string(places[3].lapack) == "liblapack.so.3");
}

TEST_CASE("no library: the reasons, and the full text of the error") {
    const blas_place nowhere[] = {{"libopenblas-none.so.0", nullptr, true}, {"libnone.so.7"}};
    std::string why;
    CHECK(open_blas(nowhere, why) == nullptr);
    CHECK(why == "libnone.so.7: cannot open shared object file: No such file or directory");
    CHECK(not_found_text("matmul", why) ==
          "[matmul] OpenBLAS was not found; got libnone.so.7: cannot open shared object file: No "
          "such file or directory, expected libopenblas.so.0; try apt-get install "
          "libopenblas0-openmp");
}

TEST_CASE("a library without the routines is passed over") {
    const blas_place wrong[] = {{"libm.so.6"}};
    std::string why;
    CHECK(open_blas(wrong, why) == nullptr);
    CHECK(why.find("libm.so.6: it lacks cblas_ functions") != std::string::npos);
    const blas_place second[] = {{"libm.so.6"}, default_places()[1], default_places()[2]};
    why.clear();
    const auto found = open_blas(second, why);
    REQUIRE(found);
    CHECK(bool(found->f32.gemm));
    CHECK(found->lapack != nullptr);
}

TEST_CASE("the pthread build gets one thread, or one caller where it was loaded before") {
    const char* const build = "/usr/lib/x86_64-linux-gnu/openblas-pthread/libopenblas.so.0";
    if (!std::ifstream(build)) {
        MESSAGE("NOT RUN: libopenblas0-pthread is not installed");
        return;
    }
    const blas_place ours[] = {{build}}, loaded[] = {{build, nullptr, true}};
    std::string why;
    const auto opened = open_blas(ours, why);
    REQUIRE(opened);
    CHECK(opened->report.threads == threading::pthreads);
    CHECK(opened->report.max_callers >= 16);
    CHECK(opened->hook_count == 0);
    void* handle = dlopen(build, RTLD_LAZY);
    const auto count = reinterpret_cast<int (*)()>(dlsym(handle, "openblas_get_num_threads"));
    const auto set = reinterpret_cast<void (*)(int)>(dlsym(handle, "openblas_set_num_threads"));
    CHECK(count() == 1);
    // As if the program had opened it: its number of threads must stay.
    set(2);
    const auto found = open_blas(loaded, why);
    REQUIRE(found);
    CHECK(count() == 2);
    CHECK(found->report.max_callers == 1);
    set(1);
    const auto alone = open_blas(loaded, why);
    REQUIRE(alone);
    CHECK(alone->report.max_callers >= 16);
}

TEST_SUITE_END();
