// Every function of docs/functions.md has a gradient that is tested, or a reason why it has none.
#include "tests/ops/autograd/gradient_rows.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>

namespace testing {
namespace {

using namespace sinter;

std::set<std::string> words(const char* text) {
    std::istringstream in(text);
    return {std::istream_iterator<std::string>(in), {}};
}

const std::map<std::string, std::set<std::string>>& left_out() {
    static const std::map<std::string, std::set<std::string>> reasons{
        {"the result is true or false",
         words("all allclose any eq equal ge greater greater_equal gt isclose isfinite isin isinf "
               "isnan isneginf isposinf isreal le less less_equal logical_and logical_not "
               "logical_or logical_xor lt ne not_equal signbit")},
        {"the result is whole numbers",
         words(
             "argmax argmin argsort argwhere bincount bucketize count_nonzero frexp_exponent "
             "histc histogram histogramdd linalg_matrix_rank multinomial nn::functional::one_hot "
             "nonzero nonzero_numpy nonzero_static one_hot searchsorted tril_indices triu_indices "
             "unravel_index")},
        {"whole numbers alone",
         words("bitwise_and bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift "
               "bitwise_xor gcd lcm")},
        {"it makes a tensor",
         words("arange bartlett_window blackman_window empty empty_like empty_permuted "
               "empty_strided eye fft::fftfreq fft::rfftfreq from_blob full full_like "
               "hamming_window hann_window kaiser_window "
               "new_empty new_empty_strided new_full new_ones new_tensor new_zeros ones ones_like "
               "scalar_tensor scalar_to_tensor tensor windows::bartlett windows::blackman "
               "windows::cosine windows::exponential windows::gaussian windows::general_cosine "
               "windows::general_hamming windows::hamming windows::hann windows::kaiser "
               "windows::nuttall zeros zeros_like")},
        {"it draws numbers",
         words(
             "bernoulli cauchy_ exponential_ geometric_ log_normal_ normal rand rand_like randint "
             "randint_like randn randn_like random_ randperm uniform_")},
        {"PyTorch has no gradient either",
         words("_unique2 airy_ai heaviside special::chebyshev_polynomial_t "
               "special::chebyshev_polynomial_u special::chebyshev_polynomial_v "
               "special::chebyshev_polynomial_w special::hermite_polynomial_h "
               "special::hermite_polynomial_he special::laguerre_polynomial_l "
               "special::legendre_polynomial_p special::shifted_chebyshev_polynomial_t "
               "special::shifted_chebyshev_polynomial_u special::shifted_chebyshev_polynomial_v "
               "special::shifted_chebyshev_polynomial_w unique unique_consecutive unique_dim")},
        {"products and linear algebra",
         words("addbmm addmm addmv addr baddbmm bmm chain_matmul cholesky cholesky_inverse "
               "cholesky_solve cross det dot einsum geqrf ger inner inverse kron linalg_cholesky "
               "linalg_cholesky_ex linalg_cond linalg_cross linalg_det linalg_eig linalg_eigh "
               "linalg_eigvals linalg_eigvalsh linalg_householder_product linalg_inv linalg_inv_ex "
               "linalg_ldl_factor linalg_ldl_factor_ex linalg_ldl_solve linalg_lstsq linalg_lu "
               "linalg_lu_factor linalg_lu_factor_ex linalg_lu_solve linalg_matmul "
               "linalg_matrix_exp linalg_matrix_norm linalg_matrix_power linalg_multi_dot "
               "linalg_norm linalg_pinv linalg_qr linalg_slogdet linalg_solve linalg_solve_ex "
               "linalg_solve_triangular linalg_svd linalg_svdvals linalg_tensorinv "
               "linalg_tensorsolve linalg_vecdot logdet lu_solve lu_unpack matmul matrix_exp "
               "matrix_power mm mv nuclear_norm orgqr ormqr outer pinverse qr slogdet svd "
               "svd_lowrank tensordot triangular_solve vdot")},
        {"Fourier transforms",
         words("fft::fft fft::fft2 fft::fftn fft::fftshift fft::hfft fft::ifft fft::ifft2 "
               "fft::ifftn fft::ifftshift fft::ihfft fft::irfft fft::irfft2 fft::irfftn fft::rfft "
               "fft::rfft2 fft::rfftn")},
        {"indexing, joins, scans and sorts",
         words("as_strided_scatter block_diag cartesian_prod cat column_stack concat concatenate "
               "cummax cummin cumprod cumsum diagonal_scatter dstack gather hstack index index_add "
               "index_copy index_fill index_put index_reduce index_select kthvalue logcumsumexp "
               "masked_fill masked_scatter masked_select median mode msort nanmedian nanquantile "
               "put quantile repeat_interleave row_stack scatter scatter_add scatter_reduce "
               "select_scatter slice_scatter sort stack take take_along_dim topk vstack")},
    };
    return reasons;
}

}  // namespace

TEST_CASE("each function has a gradient that is tested, or a reason why it has none") {
    std::set<std::string> tested;
    for (const auto& rows : {unary_rows(), binary_rows(), parametric_rows(), reduction_rows(),
                             distance_rows(), neural_rows(), view_rows()})
        for (const gradient_row& r : rows) tested.insert(r.name.substr(0, r.name.find('/')));
    std::ifstream file(SINTER_FUNCTIONS);
    REQUIRE(file.is_open());
    std::set<std::string> all;
    for (std::string line; std::getline(file, line) && line.rfind("## Around", 0) != 0;)
        if (line.rfind("| `", 0) == 0) all.insert(line.substr(3, line.find('`', 3) - 3));
    REQUIRE(all.size() > 500);
    for (const auto& [reason, names] : left_out())
        for (const std::string& name : names) {
            INFO(name << ": " << reason);
            CHECK(all.count(name) == 1);
            CHECK(tested.count(name) == 0);
        }
    for (const std::string& name : all) {
        bool known = tested.count(name) > 0;
        for (const auto& [reason, names] : left_out()) known = known || names.count(name) > 0;
        INFO(name);
        CHECK(known);
    }
}

TEST_CASE("what has no derivative says so, backwards") {
    const Tensor x = tensor({0.5, 1.5}, kDouble).requires_grad_();
    const auto refuses = [&](const Tensor& y, const std::string& name) {
        CHECK(y.requires_grad());
        try {
            y.sum().backward();
        } catch (const NotImplementedError& e) {
            return std::string(e.what()).find("the derivative for '" + name +
                                              "' is not implemented") != std::string::npos;
        }
        return false;
    };
    CHECK(refuses(airy_ai(x), "airy_ai"));
    CHECK(refuses(heaviside(x, x.detach()), "heaviside"));
    CHECK(refuses(x * airy_ai(x) * 2, "airy_ai"));
    CHECK(refuses(special::zeta(x + 1, x.detach()), "zeta"));
    CHECK(refuses(igamma(x, x.detach()), "igamma"));
    CHECK(refuses(special::hermite_polynomial_h(x, 2), "hermite_polynomial_h"));
}

TEST_CASE("what is made of comparisons has no gradient") {
    const Tensor x = tensor({0.5, 1.5}, kDouble).requires_grad_();
    CHECK_FALSE(Tensor((x > 1).to(kDouble)).requires_grad());
    CHECK_FALSE(where(x > 1, 2.0, 3.0).requires_grad());
    CHECK_FALSE(Tensor(isnan(x)).requires_grad());
    CHECK(where(x > 1, x, 3.0).requires_grad());
}

TEST_CASE("a derivative that is 0 everywhere is a gradient") {
    const auto gradient_of = [](const auto& f) {
        const Tensor x = tensor({0.25, 1.25}, kDouble).requires_grad_();
        Tensor(f(x)).sum().backward();
        return x.grad().defined() && x.grad().eq(0).all().item<bool>();
    };
    CHECK(gradient_of([](const Tensor& x) { return floor(x); }));
    CHECK(gradient_of([](const Tensor& x) { return ceil(x) + 1; }));
    CHECK(gradient_of([](const Tensor& x) { return sign(x); }));
    CHECK(gradient_of([](const Tensor& x) { return div(x, 0.5, "floor"); }));
    CHECK(gradient_of([](const Tensor& x) { return pow(x, 0); }));
}

}  // namespace testing
