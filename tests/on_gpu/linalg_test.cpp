// Linear algebra on a GPU: by the vendors' libraries, on the caller's stream, or by the CPU if a
// routine is missing.
#include "runtime/device/stream.hpp"
#include "tests/on_gpu/linalg_case.hpp"

#include <sinter/sinter.hpp>

#include <doctest/doctest.h>

#include <cstdlib>
#include <limits>
#include <string>
#include <thread>
#include <vector>

using namespace sinter;
using namespace sinter::testing;

namespace {

/// During its lifetime the thread's work goes to another stream.
struct on_stream {
    explicit on_stream(runtime::gpu_stream& s) : before(runtime::current_stream(s.device())) {
        runtime::set_current_stream(s);
    }
    ~on_stream() { runtime::set_current_stream(before); }
    runtime::gpu_stream& before;
};

}  // namespace

TEST_CASE("gpu linalg: products of every dtype, layout and batch are one call, and exact") {
    if (!has_libraries()) return;
    for (ScalarType dtype : {kHalf, kBFloat16, kFloat, kDouble, kComplexFloat, kComplexDouble}) {
        INFO(std::string(toString(dtype)));
        const Tensor a = matrix_of({2, 3, 4, 5}, dtype), b = matrix_of({2, 3, 5, 6}, dtype, 11);
        const Tensor x = to_gpu(a), y = to_gpu(b);
        const auto check = [](auto&& f, const Tensor& p, const Tensor& q, const Tensor& c,
                              const Tensor& d) {
            const Tensor expected = f(c, d).eval(), z = f(p, q);
            reset_stats();
            z.eval();
            CHECK(stats().library_calls == 1);
            CHECK(stats().host_fallbacks == 0);
            CHECK((z.device() == Device(kCUDA, 0)));
            CHECK(z.cpu().equal(expected));
        };
        const auto product = [](const Tensor& p, const Tensor& q) { return matmul(p, q); };
        const auto both = [&](auto&& view) { check(product, view(x), y, view(a), b); };
        both([](const Tensor& t) { return t; });
        both([](const Tensor& t) { return t.transpose(0, 1).contiguous().transpose(0, 1); });
        both([](const Tensor& t) { return t.mT().contiguous().mT(); });
        both([](const Tensor& t) { return t.slice(1, 0, 1); });
        both([](const Tensor& t) { return conj(t).eval(); });
        check(product, x.select(0, 0), y.select(0, 1), a.select(0, 0), b.select(0, 1));
        check(product, x.slice(2, 0, 4, 2), y, a.slice(2, 0, 4, 2), b);
        check(product, x.slice(3, 0, 5, 2), y.slice(2, 0, 5, 2), a.slice(3, 0, 5, 2),
              b.slice(2, 0, 5, 2));
        check(product, x, y.select(0, 0).select(0, 0), a, b.select(0, 0).select(0, 0));
        check(product, x.slice(1, 0, 1), y, a.slice(1, 0, 1), b);
        check(product, x.select(1, 0).unsqueeze(1), y, a.select(1, 0).unsqueeze(1), b);
        check([](const Tensor& p, const Tensor& q) { return matmul(p.mH(), conj(q)); }, x, x, a, a);
        check([](const Tensor& p, const Tensor& q) { return matmul(conj(p), conj(q)); }, x, y, a,
              b);
        const Tensor u = x.select(0, 0).select(0, 0), c = a.select(0, 0).select(0, 0);
        check([](const Tensor& p, const Tensor& q) { return mv(p, q); }, u, u.select(0, 1), c,
              c.select(0, 1));
        check([](const Tensor& p, const Tensor& q) { return vdot(p, q); }, u.select(0, 0),
              u.select(0, 1), c.select(0, 0), c.select(0, 1));
        check([](const Tensor& p, const Tensor& q) { return vdot(p, q); }, u.select(1, 0),
              u.select(1, 1), c.select(1, 0), c.select(1, 1));
        check([](const Tensor& p, const Tensor& q) { return einsum("ij,kj->ik", {p, q}); }, u, u, c,
              c);
    }
    const Tensor none = to_gpu(zeros({3, 0}));
    CHECK(matmul(none, none.t()).cpu().equal(zeros({3, 3})));
    CHECK((matmul(none.t(), none).sizes() == IntArrayRef({0, 0})));
}

TEST_CASE("gpu linalg: what follows a product is a kernel behind it") {
    if (!has_libraries()) return;
    const Tensor a = matrix_of({8, 5}, kFloat), b = matrix_of({5, 7}, kFloat),
                 c = matrix_of({7}, kFloat);
    const Tensor z = relu(matmul(to_gpu(a) * 2, to_gpu(b)) + to_gpu(c));
    reset_stats();
    z.eval();
    CHECK(stats().library_calls == 1);
    CHECK(stats().kernels_launched == 2);
    CHECK(z.cpu().equal(relu(matmul(a * 2, b) + c)));
}

TEST_CASE("gpu linalg: integers are multiplied by a kernel, and wrap") {
    if (!has_gpu()) return;
    reset_stats();
    for (const ScalarType dtype : {kByte, kChar, kShort, kInt, kLong}) {
        CAPTURE(dtype);
        for (const int64_t n : {1, 3, 16, 65, 130}) {
            CAPTURE(n);
            const Tensor a = (matrix_of({n, 17}, kLong) * 1000003).to(dtype);
            const Tensor b = (matrix_of({n, 17}, kLong) * 77777 - 5).to(dtype);
            CHECK(matmul(to_gpu(a), to_gpu(b).t()).cpu().equal(matmul(a, b.t())));
            CHECK(matmul(to_gpu(a).t(), to_gpu(b)).cpu().equal(matmul(a.t(), b)));
            CHECK(mv(to_gpu(a), to_gpu(b)[0]).cpu().equal(mv(a, b[0])));
        }
        const Tensor a = matrix_of({3, 1, 7, 6}, dtype), b = matrix_of({2, 6, 5}, dtype);
        CHECK(matmul(to_gpu(a), to_gpu(b)).cpu().equal(matmul(a, b)));
        CHECK(
            matmul(to_gpu(a).narrow(2, 0, 0), to_gpu(b)).cpu().equal(matmul(a.narrow(2, 0, 0), b)));
        CHECK(matmul(to_gpu(a).narrow(3, 0, 0), to_gpu(b).narrow(1, 0, 0))
                  .cpu()
                  .equal(zeros({3, 2, 7, 5}, dtype)));
    }
    CHECK(stats().host_fallbacks == 0);
    CHECK(
        contains(explain(matmul(to_gpu(matrix_of({2, 2}, kInt)), to_gpu(matrix_of({2, 2}, kInt)))),
                 "library call matmul\n"));
    const Tensor x = to_gpu(ones({3}));
    CHECK(contains(explain(igamma(x, x)), "opaque kernel igamma, by the CPU\n"));
}

TEST_CASE("gpu linalg: inverses from Cholesky factors are solved for") {
    if (!has_gpu() || without_libraries()) return;
    for (const ScalarType dtype : {kFloat, kDouble, kComplexDouble}) {
        CAPTURE(dtype);
        const Tensor a = regular({2, 5, 5}, dtype), s = matmul(a, a.mH());
        for (const bool upper : {false, true}) {
            const Tensor f = linalg::cholesky(s, upper);
            reset_stats();
            CHECK(near(cholesky_inverse(to_gpu(f), upper), cholesky_inverse(f, upper)));
            CHECK(stats().host_fallbacks == 0);
        }
    }
    reset_stats();
    CHECK((cholesky_inverse(to_gpu(zeros({2, 0, 0}))).sizes() == IntArrayRef({2, 0, 0})));
    CHECK(stats().host_fallbacks == 0);
    const Tensor bad = tensor({{1.f, 0.f}, {5.f, 0.f}});
    const std::string expected = text_before_line([&] { cholesky_inverse(bad); });
    CHECK(contains(expected, "[cholesky_inverse] the factor is singular"));
    CHECK(text_before_line([&] { cholesky_inverse(to_gpu(bad)); }) == expected);
}

TEST_CASE("gpu linalg: without the libraries the CPU computes, and says so") {
    if (!has_gpu() || !without_libraries()) return;
    const Tensor a = regular({2, 4, 4}, kDouble), x = to_gpu(a);
    reset_stats();
    CHECK(near(matmul(x, x), matmul(a, a)));
    CHECK(near(linalg::inv(x), linalg::inv(a)));
    CHECK(near(std::get<0>(linalg::inv_ex(x)), linalg::inv(a)));
    CHECK(stats().host_fallbacks == 3);
    CHECK(contains(info(), is_cuda() ? "cublas      none: SINTER_CUBLAS_LIBRARY is none"
                                     : "rocblas     none: SINTER_ROCBLAS_LIBRARY is none"));
}

TEST_CASE("gpu linalg: routines on batches give what the CPU gives") {
    if (!has_libraries()) return;
    for (ScalarType dtype : matrix_dtypes)
        for (const std::vector<int64_t>& sizes :
             {std::vector<int64_t>{5, 5}, {3, 4, 4}, {2, 3, 6, 6}, {0, 0}, {2, 0, 0}}) {
            INFO(std::string(toString(dtype)) << " of " << sizes.size() << " dimensions");
            const Tensor a = regular(sizes, dtype), b = matrix_of(sizes, dtype, 3);
            const Tensor s = matmul(a, a.mH()), x = to_gpu(a), y = to_gpu(b), p = to_gpu(s);
            reset_stats();
            CHECK(near(linalg::solve(x, y), linalg::solve(a, b)));
            CHECK(near(std::get<0>(linalg::solve_ex(x, y, false)),
                       std::get<0>(linalg::solve_ex(a, b, false))));
            CHECK(near(linalg::inv(x), linalg::inv(a)));
            CHECK(near(linalg::det(x), linalg::det(a)));
            CHECK(near(linalg::cholesky(p), linalg::cholesky(s)));
            CHECK(near(linalg::cholesky(p.mT(), true), linalg::cholesky(s.mT(), true)));
            CHECK(near(cholesky_solve(y, linalg::cholesky(p)),
                       cholesky_solve(b, linalg::cholesky(s))));
            CHECK(near(linalg::solve_triangular(x.triu(), y, true),
                       linalg::solve_triangular(a.triu(), b, true)));
            CHECK(near(linalg::solve_triangular(x.tril().mT(), y, true, false),
                       linalg::solve_triangular(a.tril().mT(), b, true, false)));
            CHECK(near(linalg::eigvalsh(p), linalg::eigvalsh(s)));
            CHECK(near(linalg::svdvals(x), linalg::svdvals(a)));
            for (const char* mode : {"reduced", "complete"}) {
                const int64_t k = std::max<int64_t>(sizes.back() - 1, 0);
                const Tensor tall = a.narrow(-1, 0, k), wide = a.narrow(-2, 0, k);
                for (const Tensor& t : {a, tall, wide}) {
                    const auto [q, r] = linalg::qr(to_gpu(t), mode);
                    CHECK(near(matmul(q, r), t));
                    const auto [u, sigma, vh] = linalg::svd(to_gpu(t), mode[0] == 'c');
                    const int64_t least = sigma.size(-1);
                    CHECK(near(matmul(u.narrow(-1, 0, least) * sigma.to(dtype).unsqueeze(-2),
                                      vh.narrow(-2, 0, least)),
                               t));
                    CHECK(near(matmul(u.mH(), u),
                               eye(u.size(-1), dtype).expand(matmul(u.mH(), u).sizes())));
                }
            }
            const auto [values, vectors] = linalg::eigh(p);
            CHECK(near(matmul(vectors * values.to(dtype).unsqueeze(-2), vectors.mH()), s));
            const auto [reflectors, tau] = geqrf(x);
            CHECK(near(ormqr(reflectors, tau, y),
                       matmul(linalg::householder_product(reflectors.cpu(), tau.cpu()), b)));
            CHECK(near(ormqr(reflectors, tau, y, false, true),
                       matmul(b, linalg::householder_product(reflectors.cpu(), tau.cpu()).mH())));
            CHECK(stats().library_calls > 20);
            CHECK(stats().host_fallbacks == 0);
        }
    // The batch of right sides is larger than the batch of matrices.
    const Tensor a = regular({1, 3, 4, 4}, kDouble), b = matrix_of({5, 3, 4, 2}, kDouble);
    CHECK(near(linalg::solve(to_gpu(a), to_gpu(b)), linalg::solve(a, b)));
    CHECK(near(linalg::solve_triangular(to_gpu(a).triu(), to_gpu(b), true),
               linalg::solve_triangular(a.triu(), b, true)));
    const Tensor large = regular({2, 600, 600}, kFloat) + 300 * eye(600);  // one by one
    CHECK(near(matmul(large, linalg::inv(to_gpu(large)).cpu()), eye(600).expand({2, 600, 600})));
}

TEST_CASE("gpu linalg: errors are the CPU's, word for word") {
    if (!has_gpu()) return;
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const Tensor singular = zeros({2, 3, 3}), good = eye(3).expand({2, 3, 3});
    Tensor second = good.clone();
    second[1][2][2] = 0;
    const Tensor lost = full({3, 3}, nan);
    Tensor half_lost = eye(3).contiguous();
    half_lost[0][2] = nan;  // in the upper triangle
    const auto same_error = [](auto&& f, const Tensor& t) {
        const std::string here = text_before_line([&] { f(t); });
        CHECK(here != "nothing was thrown");
        CHECK(text_before_line([&] { f(to_gpu(t)); }) == here);
    };
    for (const Tensor& t : {singular, second}) {
        same_error([](const Tensor& m) { linalg::solve(m, m); }, t);
        same_error([](const Tensor& m) { linalg::inv(m); }, t);
        same_error([](const Tensor& m) { linalg::inv_ex(m, true); }, t);
        same_error([](const Tensor& m) { linalg::cholesky(m); }, t);
    }
    same_error([](const Tensor& m) { linalg::svd(m); }, lost);
    same_error([](const Tensor& m) { linalg::svdvals(m); }, half_lost);
    same_error([](const Tensor& m) { linalg::eigh(m); }, lost);
    same_error([](const Tensor& m) { linalg::eigvalsh(m, "U"); }, half_lost);
    CHECK(near(linalg::eigvalsh(to_gpu(half_lost)), ones({3})));  // reads only the lower triangle
    CHECK(text_before_line([&] { linalg::solve(to_gpu(good), good); }) ==
          "[linalg_solve] Expected all tensors to be on the same device, but found at least two "
          "devices, cpu and cuda:0; got a tensor of sizes [2, 3, 3] on cpu and a tensor of sizes "
          "[2, 3, 3] on cuda:0, expected one device; try .to(\"cpu\") on the other tensor");
}

TEST_CASE("gpu linalg: nothing is waited for, and other streams' work is") {
    if (!has_libraries()) return;
    const bool counted = testing::is_emulated() && !std::getenv("SINTER_GPU_POOL");
    const Tensor a = regular({64, 64}, kDouble);
    const Tensor expected = matmul(a * 2 + 1, linalg::inv(a)) - 1;
    runtime::gpu_stream& other = runtime::pool_stream(runtime::gpu_at(0), false);
    const Tensor warm = matmul(to_gpu(a), to_gpu(a)).eval();  // creates the handles
    for (int turn = 0; turn < 10; ++turn) {
        Tensor x = to_gpu(a), p, q, z;
        const unsigned long long before = counted ? counts("synchronize") : 0;
        {
            const on_stream here(other);
            p = (x * 2 + 1).eval();
        }
        q = std::get<0>(linalg::inv_ex(x)).eval();
        z = matmul(p, q).eval();
        {
            const on_stream here(other);
            z = (z - 1).eval();
        }
        // Returning memory to the driver synchronises.
        if (counted) CHECK(counts("synchronize") == before);
        CHECK(near(z, expected));
        // The next write to the operands is ordered after the product.
        Tensor changed = to_gpu(a);
        const Tensor product = matmul(changed, changed);
        product.eval();
        {
            const on_stream here(other);
            changed.zero_();
            changed.eval();
        }
        CHECK(near(product, matmul(a, a)));
    }
}

TEST_CASE("gpu linalg: a library that fails, or does not take a call") {
    if (!has_libraries() || !testing::has_emulator()) return;
    const Tensor a = regular({4, 4}, kDouble), x = to_gpu(a);
    // cuBLASLt has no products of complex dtypes.
    const Tensor c = regular({4, 4}, kComplexDouble), y = to_gpu(c);
    matmul(y, y).eval();
    make_fail("blas", 1);
    const std::string failed = text_before_line([&] { matmul(y, y).cpu(); });
    CHECK(contains(failed, is_cuda()
                               ? "[matmul] cuBLAS failed; got cublasGemmStridedBatchedEx with "
                                 "status 13 (execution failed), expected success; try"
                               : "[matmul] rocBLAS failed; got rocblas_gemm_strided_batched_ex "
                                 "with status 6 (rocblas_status_internal_error), expected success; "
                                 "try"));
    CHECK(near(matmul(y, y), matmul(c, c)));
    make_fail("blas", 2);
    CHECK(contains(text_before_line([&] { linalg::inv(x); }), "[linalg_inv] "));
    CHECK(near(linalg::inv(x), linalg::inv(a)));
    make_fail("allocate", 1);  // an allocation larger than the cached memory
    const Tensor large = to_gpu(ones({1200, 1200}));
    CHECK(near(matmul(large, large).select(0, 0), full({1200}, 1200.f)));
    make_fail("allocate", 0);
    reset_stats();
    make_fail("refuse", 1);
    CHECK(near(matmul(y, y), matmul(c, c)));
    CHECK(stats().host_fallbacks == 1);
    make_fail("refuse", 1);
    CHECK(near(linalg::solve(x, x), eye(4, kDouble)));
    CHECK(stats().host_fallbacks == 2);
    make_fail("refuse", 0);
    CHECK(testing::finding().empty());
}

TEST_CASE("gpu linalg: threads, and several devices") {
    if (!has_libraries()) return;
    const Tensor a = regular({3, 20, 20}, kFloat), product = matmul(a, a), inverse = linalg::inv(a);
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            const Device here(kCUDA, t % cuda::device_count());
            const Tensor x = a.to(here);
            for (int i = 0; i < 5; ++i) {
                if (!near(matmul(x, x), product)) FAIL_CHECK("product, thread " << t);
                if (!near(linalg::inv(x), inverse)) FAIL_CHECK("inverse, thread " << t);
            }
        });
    for (std::thread& t : threads) t.join();
}
