// Which code OpenBLAS uses. It takes a processor that is newer than itself for the oldest that it
// knows, whose products take five times as long.
#pragma once

#include <functional>
#include <string>

namespace sinter::blas {

/// What a processor has.
enum class vectors { older, avx2, avx512 };
vectors cpu_vectors();

/// Returns a better value for OPENBLAS_CORETYPE, if OpenBLAS uses code that is older than what the
/// processor has. Else null.
const char* better_core(const std::string& core, vectors has);

/// Returns the core whose code an open OpenBLAS uses; empty for another library.
std::string core_of(void* handle);

struct opened_blas {
    void* handle;               // null: there is none
    std::string replaced_core;  // what OpenBLAS had chosen, if it was opened again
};

/// Opens a library by `open`, which returns null if there is none. If it is an OpenBLAS that should
/// use a better core, and nothing else in the process holds it, closes it and opens it again for
/// that core. `name`: what `open` passes to dlopen. Where OPENBLAS_CORETYPE is set, it decides.
opened_blas open_for_best_core(const char* name, const std::function<void*()>& open, vectors has);

}  // namespace sinter::blas
