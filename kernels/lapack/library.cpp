#include "kernels/lapack/library.hpp"

#include "runtime/base/fail.hpp"
#include "runtime/base/fork.hpp"

#include <sinter/error.hpp>

#include <dlfcn.h>

#include <atomic>
#include <string>

namespace sinter::lapack {
namespace {

template <class T>
constexpr char letter = 's';
template <>
constexpr char letter<double> = 'd';
template <>
constexpr char letter<complex<float>> = 'c';
template <>
constexpr char letter<complex<double>> = 'z';

template <class T>
struct table {
    routines<T> found{};
    std::string missing;  // the first missing routine

    explicit table(void* handle) {
        constexpr bool z = is_complex<T>;
        const auto bind = [&](auto& to, const char* name) {
            const std::string symbol = letter<T> + std::string(name) + "_";
            to = reinterpret_cast<std::remove_reference_t<decltype(to)>>(
                dlsym(handle, symbol.c_str()));
            if (!to && missing.empty()) missing = symbol;
        };
        bind(found.trsm, "trsm");
        bind(found.getrf, "getrf");
        bind(found.getrs, "getrs");
        bind(found.getri, "getri");
        bind(found.potrf, "potrf");
        bind(found.potri, "potri");
        bind(found.potrs, "potrs");
        bind(found.sytrf, "sytrf");
        bind(found.sytrs, "sytrs");
        bind(found.hetrf, z ? "hetrf" : "sytrf");
        bind(found.hetrs, z ? "hetrs" : "sytrs");
        bind(found.geqrf, "geqrf");
        bind(found.orgqr, z ? "ungqr" : "orgqr");
        bind(found.ormqr, z ? "unmqr" : "ormqr");
        bind(found.gesdd, "gesdd");
        bind(found.gesvd, "gesvd");
        bind(found.geev, "geev");
        bind(found.syevd, z ? "heevd" : "syevd");
        bind(found.gels, "gels");
        bind(found.gelsy, "gelsy");
        bind(found.gelsd, "gelsd");
        bind(found.gelss, "gelss");
    }
};

}  // namespace

template <class T>
const routines<T>& require(const char* what) {
    const blas::blas_library& blas = blas::require_blas(what);
    if (blas.lapack) {
        // One per process, like the library itself.
        static constinit std::atomic<const table<T>*> made{nullptr};
        const table<T>& t = runtime::made_once(made, [&] { return new table<T>(blas.lapack); });
        if (t.missing.empty()) return t.found;
        runtime::fail(what, "LAPACK is incomplete",
                      blas.report.lapack_path + " without " + t.missing, "all of LAPACK",
                      blas::install_openblas);
    }
    runtime::fail(what, "LAPACK was not found", blas.report.path + " without LAPACK",
                  "liblapack.so.3", blas::install_openblas);
}

template const routines<float>& require<float>(const char* what);
template const routines<double>& require<double>(const char* what);
template const routines<complex<float>>& require<complex<float>>(const char* what);
template const routines<complex<double>>& require<complex<double>>(const char* what);

}  // namespace sinter::lapack
