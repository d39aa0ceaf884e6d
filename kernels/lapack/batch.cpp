#include "kernels/lapack/batch.hpp"

#include "runtime/base/fail.hpp"

namespace sinter::lapack {

int narrow(const char* op, int64_t size) {
    if (size <= std::numeric_limits<int>::max()) return static_cast<int>(size);
    runtime::fail(op, "a matrix is too large for LAPACK",
                  runtime::text("a dimension of size ", size), "at most 2147483647",
                  "blocks of the matrix");
}

void require_accepted(const char* op, int info) {
    if (info >= 0) return;
    runtime::bug(op, runtime::text("LAPACK refused argument ", -info));
}

}  // namespace sinter::lapack
