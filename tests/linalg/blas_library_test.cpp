// Finding BLAS, not finding it, and what is said about it.
#include "kernels/linalg/blas_library.hpp"

#include <sinter/error.hpp>

#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

using namespace sinter;
using namespace sinter::blas;

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
    // Opened once: the second look gives the same library.
    CHECK(&require_blas("mm") == &require_blas("dot"));
    MESSAGE("BLAS: " << r.path << ", threads: " << std::string(to_string(r.threads))
                     << ", core: " << r.core);
}

TEST_CASE("overrides in the environment are reported") {
    setenv("OPENBLAS_L2_SIZE", "1024", 1);
    CHECK(report_blas().l2_size == "1024");
    unsetenv("OPENBLAS_L2_SIZE");
    CHECK(report_blas().l2_size.empty());
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
