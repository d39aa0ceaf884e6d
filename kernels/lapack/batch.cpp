#include "kernels/lapack/batch.hpp"

namespace sinter::lapack {

int narrow(const char* op, int64_t size) {
    if (size <= std::numeric_limits<int>::max()) return static_cast<int>(size);
    throw Error("[" + std::string(op) + "] a matrix is too large for LAPACK; got a dimension of " +
                std::to_string(size) + ", expected at most 2147483647; try parts of it");
}

void require_accepted(const char* op, int info) {
    if (info >= 0) return;
    throw InternalError("[" + std::string(op) + "] LAPACK refused an argument; got info " +
                        std::to_string(info) + ", expected 0; try reporting this");
}

}  // namespace sinter::lapack
