#include "core/linalg/host_lapack.hpp"

#include <dlfcn.h>

#include <string>

namespace gpu_emulator {
namespace {

#if defined(__aarch64__)
#define TRIPLET "aarch64-linux-gnu"
#else
#define TRIPLET "x86_64-linux-gnu"
#endif

/// Returns the library that the process already has, before another one is loaded.
void* library() {
    static void* const handle = [] {
        void* found = dlopen("libopenblas.so.0", RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
        for (const char* name : {"/usr/lib/" TRIPLET "/openblas-openmp/libopenblas.so.0",
                                 "libopenblas.so.0", "liblapack.so.3"})
            if (!found) found = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
        return found;
    }();
    return handle;
}

template <class T>
constexpr char letter = 's';
template <>
constexpr char letter<double> = 'd';
template <>
constexpr char letter<std::complex<float>> = 'c';
template <>
constexpr char letter<std::complex<double>> = 'z';

}  // namespace

template <class T>
const host_lapack<T>* host_lapack<T>::get() {
    static const host_lapack* const found = []() -> const host_lapack* {
        static host_lapack l{};
        bool all = library() != nullptr;
        const auto bind = [&all](auto& to, const char* of_real, const char* of_complex) {
            const std::string name =
                letter<T> + std::string(parts<T>::complex ? of_complex : of_real) + "_";
            if (all)
                to = reinterpret_cast<std::remove_reference_t<decltype(to)>>(
                    dlsym(library(), name.c_str()));
            all = all && to;
        };
        bind(l.gemm, "gemm", "gemm");
        bind(l.trsm, "trsm", "trsm");
        bind(l.getrf, "getrf", "getrf");
        bind(l.getrs, "getrs", "getrs");
        bind(l.potrf, "potrf", "potrf");
        bind(l.potrs, "potrs", "potrs");
        bind(l.sytrf, "sytrf", "sytrf");
        bind(l.geqrf, "geqrf", "geqrf");
        bind(l.orgqr, "orgqr", "ungqr");
        bind(l.ormqr, "ormqr", "unmqr");
        bind(l.syev, "syev", "heev");
        bind(l.geev, "geev", "geev");
        bind(l.gesvd, "gesvd", "gesvd");
        return all ? &l : nullptr;
    }();
    return found;
}

template struct host_lapack<float>;
template struct host_lapack<double>;
template struct host_lapack<std::complex<float>>;
template struct host_lapack<std::complex<double>>;

void use_one_thread() {
    static const auto set =
        library() ? reinterpret_cast<void (*)(int)>(dlsym(library(), "omp_set_num_threads"))
                  : nullptr;
    if (set) set(1);
}

}  // namespace gpu_emulator
