// Routines that not every vendor's library has: general eigenvalues, LDL, least squares.
#include "tests/on_gpu/linalg_case.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace sinter;
using namespace sinter::testing;

namespace {

/// Returns true for the emulated cuSOLVER that has no 64-bit interface, and for AMD's libraries.
bool lacks_newer() {
    const char* library = std::getenv("SINTER_CUSOLVER_LIBRARY");
    return !is_cuda() || (library && std::strstr(library, "older"));
}

/// Returns matrices with complex eigenvalues.
Tensor turning(IntArrayRef sizes, ScalarType dtype) {
    return matrix_of(sizes, dtype) + matrix_of(sizes, dtype, 5).triu() / 2;
}

/// Returns true if the CPU computed as often as this.
bool fell_back(int64_t times) {
    const auto found = static_cast<int64_t>(stats().host_fallbacks);
    if (found != times) MESSAGE("host fallbacks: " << found);
    return found == times;
}

}  // namespace

TEST_CASE("gpu linalg: general eigenvalues and vectors") {
    if (!has_libraries()) return;
    for (const ScalarType dtype : matrix_dtypes)
        for (const std::vector<int64_t>& sizes : {std::vector<int64_t>{6, 6},
                                                  {1, 1},
                                                  {3, 5, 5},
                                                  {2, 2, 7, 7},
                                                  {0, 0},
                                                  {2, 0, 0},
                                                  {0, 3, 3}}) {
            INFO(std::string(toString(dtype)) << " of " << sizes.back() << " rows");
            const Tensor a = turning(sizes, dtype), x = to_gpu(a);
            const ScalarType complex = toComplexType(dtype);
            reset_stats();
            const auto [values, vectors] = linalg::eig(x);
            vectors.eval();
            CHECK(fell_back(lacks_newer() && a.numel() > 0 ? 1 : 0));
            CHECK(values.is_cuda());
            CHECK(vectors.is_cuda());
            CHECK((values.scalar_type() == complex));
            CHECK(vectors.sizes() == a.sizes());
            CHECK(near(matmul(x.to(complex), vectors), (vectors * values.unsqueeze(-2)).cpu()));
            CHECK(near(linalg::norm(vectors, nullopt, {{-2}}),
                       ones(values.sizes(), toRealValueType(dtype))));
            // The order is the library's, but the sums of powers are the traces.
            reset_stats();
            const Tensor alone = linalg::eigvals(x.mT());
            CHECK(fell_back(lacks_newer() && a.numel() > 0 ? 1 : 0));
            const Tensor square = matmul(a, a);
            CHECK(near(alone.sum(-1), a.diagonal(0, -2, -1).sum(-1).to(complex)));
            CHECK(near(alone.square().sum(-1), square.diagonal(0, -2, -1).sum(-1).to(complex)));
        }
    if (has_emulator()) CHECK(finding().empty());
}

TEST_CASE("gpu linalg: least squares of full rank") {
    if (!has_libraries()) return;
    struct system {
        std::vector<int64_t> a, b;
    };
    for (const ScalarType dtype : matrix_dtypes)
        for (const system& s : {system{{7, 4}, {7, 2}},
                                {{4, 7}, {4, 2}},
                                {{5, 5}, {5, 3}},
                                {{3, 7, 4}, {3, 7, 2}},
                                {{3, 4, 7}, {3, 4, 2}},
                                {{3, 7, 4}, {3, 7}},
                                {{7, 4}, {7}},
                                {{1, 7, 4}, {3, 7, 2}},
                                {{3, 7, 4}, {1, 7, 2}},
                                {{1, 4, 7}, {3, 4, 2}},
                                {{4, 0}, {4, 2}},
                                {{0, 4}, {0, 2}},
                                {{2, 0, 0}, {2, 0, 2}},
                                {{0, 7, 4}, {0, 7, 2}},
                                {{2, 7, 4}, {2, 7, 0}}}) {
            INFO(std::string(toString(dtype))
                 << " of " << s.a.size() << " dimensions, " << s.a.back() << " columns");
            const Tensor a = matrix_of(s.a, dtype) +
                             3 * eye(s.a[s.a.size() - 2], s.a.back(), dtype),
                         b = matrix_of(s.b, dtype, 3);
            const auto [x, residuals, rank, values] = linalg::lstsq(a, b, nullopt, "gels");
            for (const bool named : {false, true}) {
                const optional<std::string_view> driver =
                    named ? optional<std::string_view>("gels") : nullopt;
                reset_stats();
                const auto [y, others, of_rank, of_values] =
                    linalg::lstsq(to_gpu(a), to_gpu(b), nullopt, driver);
                y.eval();
                CHECK(fell_back(0));
                CHECK(y.is_cuda());
                CHECK(near(y, x));
                CHECK(near(others, residuals));
                CHECK(of_rank.sizes() == rank.sizes());
                CHECK(of_values.sizes() == values.sizes());
            }
        }
    const Tensor a = matrix_of({7, 4}, kDouble), b = matrix_of({7, 2}, kDouble, 3);
    for (const char* driver : {"gelsy", "gelsd", "gelss"}) {
        reset_stats();
        CHECK(near(std::get<0>(linalg::lstsq(to_gpu(a), to_gpu(b), nullopt, driver)),
                   std::get<0>(linalg::lstsq(a, b, nullopt, driver))));
        CHECK(fell_back(1));
    }
    CHECK(contains(text_before_line([&] { linalg::lstsq(to_gpu(a), b); }),
                   "[linalg_lstsq] Expected all tensors to be on the same device"));
    if (has_emulator()) CHECK(finding().empty());
}

TEST_CASE("gpu linalg: LDL factors, and systems solved with them") {
    if (!has_libraries()) return;
    for (const ScalarType dtype : matrix_dtypes)
        for (const bool hermitian : {false, true})
            for (const std::vector<int64_t>& sizes :
                 {std::vector<int64_t>{6, 6}, {1, 1}, {4, 5, 5}, {2, 3, 5, 5}, {0, 0}, {2, 0, 0}}) {
                INFO(std::string(toString(dtype)) << " of " << sizes.back() << " rows");
                const Tensor half = turning(sizes, dtype);
                Tensor a =
                    half + (hermitian ? half.mH() : half.mT()) + 5 * eye(sizes.back(), dtype);
                // Pivots are then blocks of two rows.
                if (sizes.back() > 2) a.diagonal(0, -2, -1).narrow(-1, 0, 2).zero_();
                const Tensor b = matrix_of(sizes, dtype, 3);
                const bool by_cpu = hermitian && isComplexType(dtype) && a.numel() > 0;
                reset_stats();
                const auto [f, pivots] = linalg::ldl_factor(to_gpu(a), hermitian);
                CHECK(fell_back(by_cpu ? 1 : 0));
                CHECK(f.is_cuda());
                reset_stats();
                const Tensor x = linalg::ldl_solve(f, pivots, to_gpu(b), hermitian);
                CHECK(fell_back(0));
                CHECK(x.is_cuda());
                CHECK(near(matmul(to_gpu(a), x), b));
                const auto [g, of_cpu] = linalg::ldl_factor(a, hermitian);
                CHECK(near(linalg::ldl_solve(f.cpu(), pivots.cpu(), b, hermitian),
                           linalg::ldl_solve(g, of_cpu, b, hermitian)));
            }
    // One factor for several right sides.
    const Tensor a = matrix_of({1, 5, 5}, kDouble), s = a + a.mT() + 4 * eye(5, kDouble);
    const Tensor b = matrix_of({3, 5, 2}, kDouble);
    const auto [f, pivots] = linalg::ldl_factor(to_gpu(s));
    CHECK(near(matmul(to_gpu(s), linalg::ldl_solve(f, pivots, to_gpu(b))), b));
    // More rows than a block has threads, and more columns than blocks of a small device.
    manual_seed(1);
    const Tensor wide = randn({300, 300}, kDouble), many = randn({300, 70}, kDouble);
    const Tensor large = (wide + wide.mT()).eval();
    const auto [of_large, swaps] = linalg::ldl_factor(to_gpu(large));
    CHECK(near(matmul(to_gpu(large), linalg::ldl_solve(of_large, swaps, to_gpu(many))), many));
    // Pivots of a program's own making do no harm.
    const Tensor odd = tensor({99, -99, 0, -1, -5}, kInt).expand({1, 5});
    linalg::ldl_solve(f, to_gpu(odd), to_gpu(b)).eval();
    for (const Tensor& singular :
         {Tensor(zeros({2, 3, 3})), Tensor(ones({4, 4})), Tensor(stack({eye(3), ones({3, 3})})),
          Tensor(full({2, 2}, NAN)), Tensor(complex(full({2, 2}, NAN), ones({2, 2})))})
        CHECK(text_before_line([&] { linalg::ldl_factor(to_gpu(singular)); }) ==
              text_before_line([&] { linalg::ldl_factor(singular); }));
    if (has_emulator()) CHECK(finding().empty());
}
