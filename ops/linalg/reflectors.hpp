// Householder reflectors of QR factors, and products with the orthogonal matrix Q that they make.
#pragma once

#include "ops/linalg/routine_call.hpp"

namespace sinter::ops {

/// The reflectors and R in one matrix, and their factors. Pending.
struct reflectors {
    Tensor a, tau;
};
reflectors reflectors_of(const char* op, const tensor_base& A);

/// Returns the first `count` columns of Q. Pending.
Tensor columns_of_q(const char* op, const reflectors& of, int64_t count);

/// Returns the product of C and Q, or Q^H if `adjoint`, which is on the left or on the right. The
/// batch of the reflectors broadcasts to that of C. Pending.
Tensor times_q(const char* op, const reflectors& of, const Tensor& C, bool left, bool adjoint);

}  // namespace sinter::ops
