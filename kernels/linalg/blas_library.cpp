#include "kernels/linalg/blas_library.hpp"

#include "kernels/linalg/blas_core.hpp"
#include "runtime/base/fail.hpp"
#include "runtime/base/fork.hpp"
#include "runtime/report/log.hpp"

#include <sinter/error.hpp>

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace sinter::blas {
namespace {

#if defined(__x86_64__)
#define SINTER_TRIPLET "x86_64-linux-gnu"
#elif defined(__aarch64__)
#define SINTER_TRIPLET "aarch64-linux-gnu"
#else
#define SINTER_TRIPLET "lib"
#endif

// Debian's default may be the pthread build, whose threads compete with this library's. So the
// OpenMP build is tried before the soname.
constexpr blas_place places[] = {
    {"libopenblas.so.0", nullptr, true},
    {"/usr/lib/" SINTER_TRIPLET "/openblas-openmp/libopenblas.so.0"},
    {"libopenblas.so.0"},
    {"libblas.so.3", "liblapack.so.3"},
};

// The library's LAPACK must call its own BLAS. If the program links another one (MKL, through
// libtorch), its symbols would come first, and its cdotc returns the result by another convention.
// Sanitizers abort programs that use RTLD_DEEPBIND.
int own_symbols() {
#ifdef RTLD_DEEPBIND
    if (!dlsym(RTLD_DEFAULT, "__sanitizer_print_stack_trace")) return RTLD_DEEPBIND;
#endif
    return 0;
}

// Lazy binding: a program uses a handful of 8,000 routines.
void* open(const char* name, bool loaded_only) {
    return dlopen(name, RTLD_LAZY | RTLD_LOCAL | (loaded_only ? RTLD_NOLOAD : own_symbols()));
}

template <class F>
bool bind(void* handle, const char* name, F& to) {
    to = reinterpret_cast<F>(dlsym(handle, name));
    return to != nullptr;
}

std::string path_of(void* handle, const char* otherwise) {
    link_map* map = nullptr;
    if (dlinfo(handle, RTLD_DI_LINKMAP, static_cast<void*>(&map)) == 0 && map && map->l_name &&
        *map->l_name)
        return map->l_name;
    return otherwise;
}

std::string text_of(void* handle, const char* name) {
    const char* (*get)() = nullptr;
    const char* text = bind(handle, name, get) ? get() : nullptr;
    return text ? text : "";
}

// OpenBLAS holds twice as many work buffers as the threads it was built for, and aborts when they
// run out. Half of them are left to other callers in the process.
int callers_of(const std::string& config) {
    constexpr std::string_view key = "MAX_THREADS=";
    constexpr int fewest = 16;
    auto at = config.find(key);
    if (at == std::string::npos) return fewest;
    return std::max(fewest, std::atoi(config.c_str() + at + key.size()));
}

void add_hook(blas_library& l, void* handle) {
    openmp_hook h;
    if (!bind(handle, "omp_get_max_threads", h.get_max_threads) ||
        !bind(handle, "omp_set_num_threads", h.set_num_threads))
        return;
    if (l.hook_count && l.hooks[0].set_num_threads == h.set_num_threads) return;
    l.hooks[l.hook_count++] = h;
}

void find_lapack(blas_library& l, void* handle, const char* name) {
    if (!dlsym(handle, "dgetrf_")) return;
    l.lapack = handle;
    l.report.lapack_path = path_of(handle, name);
}

template <class T>
bool bind_products(void* handle, char letter, routines<T>& r) {
    const auto named = [&](const char* routine, auto& to) {
        return bind(handle, (std::string("cblas_") + letter + routine).c_str(), to);
    };
    if (!named("gemm", r.gemm) || !named("gemv", r.gemv)) return false;
    if constexpr (std::is_floating_point_v<T>) {
        return named("dot", r.dot);
    } else {
        return named("dotu_sub", r.dotu) && named("dotc_sub", r.dotc);
    }
}

// The pthread build has its own pool, which would multiply with this library's threads. If nobody
// else has opened it, it is set to one thread. Otherwise its number of threads must stay, and only
// one thread at a time may call it.
void settle_pthreads(blas_library& l, void* handle, bool loaded_by_others) {
    void (*set_threads)(int) = nullptr;
    int (*get_threads)() = nullptr;
    if (l.report.threads != threading::pthreads ||
        !bind(handle, "openblas_set_num_threads", set_threads) ||
        !bind(handle, "openblas_get_num_threads", get_threads) || get_threads() == 1)
        return;
    if (loaded_by_others) {
        l.report.max_callers = 1;
    } else {
        set_threads(1);
    }
    runtime::warn_once(
        "blas.pthreads",
        runtime::text("[blas] this build of OpenBLAS has a thread pool of its own; got ",
                      l.report.path, ", expected the OpenMP build; ",
                      loaded_by_others
                          ? "because the program had loaded it, only one thread at a time calls it"
                          : "each of its calls, and of LAPACK's, runs on one thread",
                      "; try ", install_openblas));
}

// Returns an empty string, or the reason for failure.
std::string bind_all(blas_library& l, void* handle, const blas_place& place) {
    blas_report& r = l.report;
    r.config = text_of(handle, "openblas_get_config");
    if (r.config.find("USE64BITINT") != std::string::npos) return "its integers have 64 bits";
    const bool complete = bind_products(handle, 's', l.f32) && bind_products(handle, 'd', l.f64) &&
                          bind_products(handle, 'c', l.c32) && bind_products(handle, 'z', l.c64);
    if (!complete) return "it lacks cblas_ functions";
    r.found = true;
    r.path = path_of(handle, place.blas);
    r.core = core_of(handle);
    int (*parallel)() = nullptr;
    if (bind(handle, "openblas_get_parallel", parallel))
        r.threads = static_cast<threading>(parallel());
    r.max_callers = callers_of(r.config);
    l.conjugates = !r.core.empty();

    if (!place.lapack) {
        find_lapack(l, handle, place.blas);
    } else if (void* lapack = open(place.lapack, false)) {
        find_lapack(l, lapack, place.lapack);
    }

    settle_pthreads(l, handle, place.loaded_only);

    // The OpenMP runtime that the library is bound to depends on load order: its own dependency or
    // the program's. The thread count is set in both.
    if (r.threads == threading::openmp) {
        add_hook(l, handle);
        add_hook(l, RTLD_DEFAULT);
    }
    return {};
}

/// Returns the library, opened once per process. It is leaked, since programs multiply until they
/// end. A failure is not cached: it may have been a lack of file descriptors.
const blas_library& process_blas(const char* what) {
    static constinit std::atomic<const blas_library*> made{nullptr};
    return runtime::made_once(made, [what] {
        std::string why;
        std::unique_ptr<blas_library> found = open_blas(places, why);
        if (!found) throw Error(not_found_text(what, why));
        return found.release();
    });
}

}  // namespace

const char* to_string(threading t) {
    switch (t) {
        case threading::none: return "none";
        case threading::pthreads: return "pthreads";
        case threading::openmp: return "OpenMP";
        case threading::unknown: break;
    }
    return "unknown";
}

std::span<const blas_place> default_places() { return places; }

std::unique_ptr<blas_library> open_blas(std::span<const blas_place> where, std::string& why) {
    for (const blas_place& place : where) {
        const auto open_place = [&place] { return open(place.blas, place.loaded_only); };
        opened_blas opened{nullptr, {}};
        if (place.loaded_only) {
            opened.handle = open_place();
        } else {
            opened = open_for_best_core(place.blas, open_place, cpu_vectors());
        }
        void* const handle = opened.handle;
        if (!handle) {
            const char* error = dlerror();
            if (place.loaded_only) continue;  // not an error: a later place names it again
            why += (why.empty() ? "" : "; ") + std::string(error ? error : place.blas);
            continue;
        }
        auto l = std::make_unique<blas_library>();
        l->report.replaced_core = std::move(opened.replaced_core);
        std::string fault = bind_all(*l, handle, place);
        if (fault.empty()) return l;
        why += (why.empty() ? "" : "; ") + path_of(handle, place.blas) + ": " + fault;
    }
    return nullptr;
}

std::string not_found_text(const char* what, const std::string& why) {
    return runtime::text("[", what, "] OpenBLAS was not found; got ", why,
                         ", expected libopenblas.so.0; try ", install_openblas);
}

const blas_library& require_blas(const char* what) { return process_blas(what); }

blas_report report_blas() {
    blas_report r;
    try {
        r = process_blas("blas").report;
    } catch (const Error& e) {
        r.error = e.what();
    }
    return r;
}

}  // namespace sinter::blas
