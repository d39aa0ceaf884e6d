// Residuals and orthogonality, scaled as in LAPACK's own tests: sizes, dtypes, batches and layouts
// of random matrices.
#include "tests/linalg/judges.hpp"
#include "tests/seed.hpp"

#include <doctest/doctest.h>

#include <string_view>

using namespace sinter;
using namespace sinter::test;

namespace {

dense made(kind_of_matrix kind, int64_t m, int64_t n, ScalarType dtype, gallery& random) {
    switch (kind) {
        case kind_of_matrix::any: return random.any(m, n, dtype);
        case kind_of_matrix::square: return random.any(n, n, dtype);
        case kind_of_matrix::hermitian: return random.hermitian(n, dtype);
        case kind_of_matrix::positive: return random.positive(n, dtype);
        case kind_of_matrix::dominant: break;
    }
    dense a = (1 / static_cast<double>(std::max<int64_t>(1, n))) * random.any(n, n, dtype);
    for (int64_t i = 0; i < n; ++i) a.set(i, i, a.at(i, i) + 2.0);
    return a;
}

void run(const judge& j, int64_t m, int64_t n, ScalarType dtype, lies how, IntArrayRef batch,
         gallery& random) {
    int64_t count = 1;
    for (int64_t s : batch) count *= s;
    std::vector<dense> all;
    for (int64_t i = 0; i < count; ++i) all.push_back(made(j.wants, m, n, dtype, random));
    const std::string shown = std::string(j.name) + " of " + toString(dtype) + ", " +
                              std::to_string(m) + " x " + std::to_string(n) + ", layout " +
                              std::to_string(static_cast<int>(how)) + ", batch of " +
                              std::to_string(count) + ", seed " + std::to_string(seed());
    CAPTURE(shown);
    const Tensor a = tensor_of(all, batch, dtype, how);
    double worst = 0;
    CHECK_NOTHROW(worst = j.worst(a, random));
    const bool jacobi = std::string_view(j.name) == "svd" && a.is_cuda();
    CHECK(worst < (jacobi ? jacobi_threshold : lapack_threshold));
}

}  // namespace

TEST_CASE("residuals: small matrices of every dtype, layout and mode") {
    gallery random(seed());
    for (Mode mode : {Mode::eager, Mode::lazy}) {
        ModeGuard guard(mode);
        for (const judge& j : judges())
            for (ScalarType t : matrix_dtypes)
                for (int64_t n : {1, 2, 3, 4, 5, 8, 16, 17})
                    for (lies how : all_lies) {
                        // All layouts for some sizes, some layouts for all sizes.
                        if (n != 3 &&
                            static_cast<int64_t>(how) != (n + static_cast<int64_t>(t)) % 3)
                            continue;
                        if (mode == Mode::lazy && n > 4) continue;
                        if (sanitized() && n > 5) continue;  // larger sizes take the same paths
                        const std::vector<int64_t> batch = how == lies::expanded
                                                               ? std::vector<int64_t>{3}
                                                               : std::vector<int64_t>{};
                        run(j, n, n, t, how, batch, random);
                        if (j.wants != kind_of_matrix::any) continue;
                        run(j, n, n / 2 + 1, t, how, batch, random);
                        run(j, n / 2 + 1, n, t, how, batch, random);
                        run(j, 4 * n, n, t, how, batch, random);
                    }
    }
}

TEST_CASE("residuals: batches") {
    gallery random(seed() + 1);
    for (const judge& j : judges())
        for (ScalarType t : matrix_dtypes)
            for (lies how : {lies::rows, lies::columns, lies::stepped}) {
                run(j, 4, 4, t, how, {2, 3}, random);
                run(j, 5, 3, t, how, {3, 1, 2}, random);
            }
    // Enough matrices to be spread over threads.
    for (const judge& j : judges()) run(j, 3, 3, kDouble, lies::rows, {400}, random);
    for (const judge& j : judges()) run(j, 2, 2, kComplexFloat, lies::columns, {20, 20}, random);
}

TEST_CASE("residuals: large matrices") {
    gallery random(seed() + 2);
    for (const judge& j : judges()) {
        // Larger matrices in one dtype each, in turns, since the reference is slow.
        int turn = 0;
        for (int64_t n : {33, 50, 64, 100, 129, 200, 300}) {
            if (n * j.cost > (sanitized() ? 100 : 500)) continue;
            for (int i = 0; i < 4; ++i) {
                const ScalarType t = matrix_dtypes[i];
                if (n > 50 && i != turn % (n > 100 ? 2 : 4) && !long_run()) continue;
                run(j, n, n, t, n % 2 == 0 ? lies::rows : lies::columns, {}, random);
                if (n < 100 && j.wants == kind_of_matrix::any)
                    run(j, n, n / 2, t, lies::columns, {}, random);
            }
            ++turn;
        }
    }
}

TEST_CASE("residuals: matrices without elements") {
    gallery random(seed() + 3);
    for (const judge& j : judges())
        for (ScalarType t : matrix_dtypes) {
            run(j, 0, 0, t, lies::rows, {}, random);
            run(j, 0, 0, t, lies::rows, {2}, random);
            if (j.wants != kind_of_matrix::any) continue;
            run(j, 3, 0, t, lies::rows, {}, random);
            run(j, 0, 3, t, lies::rows, {}, random);
        }
}
