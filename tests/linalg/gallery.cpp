// The matrices used by the tests of linear algebra.
#include "tests/linalg/dense.hpp"

#include <algorithm>
#include <cmath>

namespace sinter::test {

dense gallery::any(int64_t m, int64_t n, ScalarType dtype) {
    std::uniform_real_distribution<double> part(-1, 1);
    dense a(m, n, isComplexType(dtype));
    for (double& x : a.re) x = part(random_);
    for (double& x : a.im) x = part(random_);
    return a;
}

std::vector<dense> gallery::many(int64_t count, int64_t m, int64_t n, ScalarType dtype) {
    std::vector<dense> all;
    for (int64_t i = 0; i < count; ++i) all.push_back(any(m, n, dtype));
    return all;
}

dense gallery::hermitian(int64_t n, ScalarType dtype) {
    return mirrored(any(n, n, dtype), true, true);
}

dense gallery::positive(int64_t n, ScalarType dtype) {
    dense a = hermitian(n, dtype);
    for (int64_t i = 0; i < n; ++i) a.set(i, i, a.at(i, i).real() + 2.0 * static_cast<double>(n));
    return a;
}

dense gallery::unitary(int64_t n, ScalarType dtype) {
    dense q = eye_of(n);
    if (isComplexType(dtype)) q.im.resize(q.re.size());
    for (int k = 0; k < 3 && n > 0; ++k) {
        const dense v = any(n, 1, dtype);
        const double length = (adjoint(v) * v).at(0, 0).real();
        q = q - (2 / length) * (v * (adjoint(v) * q));
    }
    return q;
}

dense gallery::conditioned(int64_t m, int64_t n, double condition, ScalarType dtype) {
    const int64_t k = std::min(m, n);
    dense s(k, 1);
    for (int64_t i = 0; i < k; ++i)
        s.set(
            i, 0,
            k == 1 ? 1 : std::pow(condition, -static_cast<double>(i) / static_cast<double>(k - 1)));
    const dense u = first_columns(unitary(m, dtype), k), v = first_columns(unitary(n, dtype), k);
    return columns_times(u, s) * adjoint(v);
}

dense gallery::of_rank(int64_t m, int64_t n, int64_t rank, ScalarType dtype) {
    return any(m, rank, dtype) * any(rank, n, dtype);
}

dense hilbert(int64_t n) {
    dense a(n, n);
    for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j < n; ++j) a.set(i, j, 1 / static_cast<double>(i + j + 1));
    return a;
}

dense vandermonde(int64_t n) {
    dense a(n, n);
    for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j < n; ++j)
            a.set(i, j,
                  std::pow(static_cast<double>(i + 1) / static_cast<double>(n),
                           static_cast<double>(j)));
    return a;
}

dense graded(const dense& a, double factor) {
    dense r = a;
    for (int64_t i = 0; i < a.rows; ++i)
        for (int64_t j = 0; j < a.cols; ++j)
            r.set(i, j, a.at(i, j) * std::pow(factor, static_cast<double>(i)));
    return r;
}

dense jordan(int64_t n, double eigenvalue) {
    dense a(n, n);
    for (int64_t i = 0; i < n; ++i) {
        a.set(i, i, eigenvalue);
        if (i + 1 < n) a.set(i, i + 1, 1);
    }
    return a;
}

dense wilkinson(int64_t n) {
    dense a(n, n);
    for (int64_t i = 0; i < n; ++i) {
        a.set(i, i, std::fabs(static_cast<double>(n - 1) / 2 - static_cast<double>(i)));
        if (i > 0) a.set(i, i - 1, 1);
        if (i + 1 < n) a.set(i, i + 1, 1);
    }
    return a;
}

dense growing(int64_t n) {
    dense a(n, n);
    for (int64_t i = 0; i < n; ++i) {
        for (int64_t j = 0; j < i; ++j) a.set(i, j, -1);
        a.set(i, i, 1);
        a.set(i, n - 1, 1);
    }
    return a;
}

dense constant(int64_t m, int64_t n, double x) {
    dense a(m, n);
    for (double& e : a.re) e = x;
    return a;
}

}  // namespace sinter::test
