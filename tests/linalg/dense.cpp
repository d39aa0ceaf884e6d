#include "tests/linalg/dense.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

// The loops below take most of the time of the tests that use them.
#if defined(__GNUC__) && !defined(__clang__)
#define SINTER_FAST __attribute__((optimize("O2")))
#else
#define SINTER_FAST
#endif

namespace sinter::test {
namespace {

std::size_t count(int64_t m, int64_t n) { return static_cast<std::size_t>(m * n); }

/// c += factor * a * b, row-major.
SINTER_FAST void add_product(const double* a, const double* b, double* c, int64_t m, int64_t k,
                             int64_t n, double factor) {
    for (int64_t i = 0; i < m; ++i)
        for (int64_t p = 0; p < k; ++p) {
            const double x = factor * a[i * k + p];
            for (int64_t j = 0; j < n; ++j) c[i * n + j] += x * b[p * n + j];
        }
}

template <class F>
dense each(const dense& a, const F& f) {
    dense r(a.rows, a.cols, a.is_complex());
    for (std::size_t i = 0; i < a.re.size(); ++i) r.re[i] = f(a.re[i]);
    for (std::size_t i = 0; i < a.im.size(); ++i) r.im[i] = f(a.im[i]);
    return r;
}

dense sum(const dense& a, const dense& b, double factor) {
    if (a.rows != b.rows || a.cols != b.cols) throw std::runtime_error("sizes differ");
    dense r(a.rows, a.cols, a.is_complex() || b.is_complex());
    for (std::size_t i = 0; i < a.re.size(); ++i) r.re[i] = a.re[i] + factor * b.re[i];
    for (std::size_t i = 0; i < r.im.size(); ++i)
        r.im[i] = (a.is_complex() ? a.im[i] : 0) + factor * (b.is_complex() ? b.im[i] : 0);
    return r;
}

}  // namespace

dense::dense(int64_t m, int64_t n, bool is_complex)
    : rows(m), cols(n), re(count(m, n)), im(is_complex ? count(m, n) : 0) {
    // An empty complex matrix counts as real: products with it are empty or zero.
}

std::complex<double> dense::at(int64_t i, int64_t j) const {
    const auto k = static_cast<std::size_t>(i * cols + j);
    return {re[k], im.empty() ? 0 : im[k]};
}

void dense::set(int64_t i, int64_t j, std::complex<double> x) {
    const auto k = static_cast<std::size_t>(i * cols + j);
    re[k] = x.real();
    if (!im.empty()) im[k] = x.imag();
}

dense eye_of(int64_t n) {
    dense r(n, n);
    for (int64_t i = 0; i < n; ++i) r.set(i, i, 1);
    return r;
}

dense operator*(const dense& a, const dense& b) {
    if (a.cols != b.rows) throw std::runtime_error("sizes do not fit");
    dense r(a.rows, b.cols, a.is_complex() || b.is_complex());
    const int64_t m = a.rows, k = a.cols, n = b.cols;
    add_product(a.re.data(), b.re.data(), r.re.data(), m, k, n, 1);
    if (a.is_complex() && b.is_complex())
        add_product(a.im.data(), b.im.data(), r.re.data(), m, k, n, -1);
    if (a.is_complex()) add_product(a.im.data(), b.re.data(), r.im.data(), m, k, n, 1);
    if (b.is_complex()) add_product(a.re.data(), b.im.data(), r.im.data(), m, k, n, 1);
    return r;
}

dense operator+(const dense& a, const dense& b) { return sum(a, b, 1); }
dense operator-(const dense& a, const dense& b) { return sum(a, b, -1); }
dense operator*(double scale, const dense& a) {
    return each(a, [&](double x) { return scale * x; });
}

dense transposed(const dense& a) {
    dense r(a.cols, a.rows, a.is_complex());
    for (int64_t i = 0; i < a.rows; ++i)
        for (int64_t j = 0; j < a.cols; ++j) r.set(j, i, a.at(i, j));
    return r;
}

dense adjoint(const dense& a) {
    dense r = transposed(a);
    for (double& x : r.im) x = -x;
    return r;
}

dense triangle(const dense& a, bool upper, bool unit) {
    dense r = a;
    for (int64_t i = 0; i < a.rows; ++i)
        for (int64_t j = 0; j < a.cols; ++j) {
            if (upper ? j < i : j > i) r.set(i, j, 0);
            if (unit && i == j) r.set(i, j, 1);
        }
    return r;
}

dense mirrored(const dense& a, bool upper, bool hermitian) {
    dense r = a;
    for (int64_t i = 0; i < a.rows; ++i) {
        if (hermitian) r.set(i, i, a.at(i, i).real());
        for (int64_t j = 0; j < i; ++j) {
            const std::complex<double> x = upper ? a.at(j, i) : a.at(i, j);
            const std::complex<double> y = hermitian ? std::conj(x) : x;
            r.set(i, j, upper ? y : x);
            r.set(j, i, upper ? x : y);
        }
    }
    return r;
}

dense columns_times(const dense& a, const dense& w) {
    dense r(a.rows, a.cols, a.is_complex() || w.is_complex());
    for (int64_t i = 0; i < a.rows; ++i)
        for (int64_t j = 0; j < a.cols; ++j) r.set(i, j, a.at(i, j) * w.at(j, 0));
    return r;
}

dense first_columns(const dense& a, int64_t n) {
    dense r(a.rows, n, a.is_complex());
    for (int64_t i = 0; i < a.rows; ++i)
        for (int64_t j = 0; j < n; ++j) r.set(i, j, a.at(i, j));
    return r;
}

double norm1(const dense& a) {
    double largest = 0;
    for (int64_t j = 0; j < a.cols; ++j) {
        double sum = 0;
        for (int64_t i = 0; i < a.rows; ++i) sum += std::abs(a.at(i, j));
        if (!(sum <= largest)) largest = sum;
        if (std::isnan(sum)) return std::numeric_limits<double>::infinity();
    }
    return largest;
}

double ratio(double residual, double size, int64_t n, ScalarType dtype) {
    if (residual == 0) return 0;
    const bool narrow = toRealValueType(dtype) == kFloat;
    return residual / size /
           (static_cast<double>(std::max<int64_t>(1, n)) * (narrow ? 0x1p-24 : 0x1p-53));
}

double not_orthonormal(const dense& q, ScalarType dtype) {
    return ratio(norm1(eye_of(q.cols) - adjoint(q) * q), 1, q.rows, dtype);
}

namespace {

template <class T>
T element(const dense& a, std::size_t k) {
    if constexpr (requires(T x) { x.imag(); }) {
        using part = typename T::value_type;
        return {static_cast<part>(a.re[k]), static_cast<part>(a.im.empty() ? 0 : a.im[k])};
    } else {
        return static_cast<T>(a.re[k]);
    }
}

template <class T>
Tensor by_rows(const std::vector<dense>& matrices, const std::vector<int64_t>& sizes) {
    std::vector<T> all;
    for (const dense& a : matrices)
        for (std::size_t k = 0; k < a.re.size(); ++k) all.push_back(element<T>(a, k));
    all.resize(all.size() + 1);  // gives an address even to an empty matrix
    const T* memory = all.data();
    const Tensor here = from_blob(static_cast<const void*>(memory), sizes, scalar_type_v<T>);
    return here.clone().eval().to(get_default_device());
}

}  // namespace

Tensor tensor_of(const std::vector<dense>& matrices, IntArrayRef batch, ScalarType dtype,
                 lies how) {
    const dense none;
    const dense& first = matrices.empty() ? none : matrices.front();
    std::vector<int64_t> sizes = batch.vec();
    sizes.insert(sizes.end(), {first.rows, first.cols});
    const bool one = how == lies::expanded;
    const std::vector<dense> what = one ? std::vector<dense>{first} : matrices;
    const std::vector<int64_t> made = one ? std::vector<int64_t>{first.rows, first.cols} : sizes;
    Tensor t;
    switch (dtype) {
        case kFloat: t = by_rows<float>(what, made); break;
        case kDouble: t = by_rows<double>(what, made); break;
        case kComplexFloat: t = by_rows<complex<float>>(what, made); break;
        default: t = by_rows<complex<double>>(what, made); break;
    }
    if (how == lies::columns) return t.mT().contiguous().eval().mT();
    if (one) return t.expand(sizes);
    if (how != lies::stepped) return t;
    std::vector<int64_t> wide = sizes;
    wide[wide.size() - 1] = 2 * first.cols + 1;
    wide[wide.size() - 2] = 2 * first.rows + 1;
    Tensor room = full(wide, 7, dtype);
    Tensor part = room.slice(-1, 1, 2 * first.cols + 1, 2).slice(-2, 1, 2 * first.rows + 1, 2);
    part.copy_(t);
    room.eval();
    return part;
}

std::vector<dense> matrices_of(const Tensor& t) {
    const bool is_complex = isComplexType(t.scalar_type());
    const int64_t m = t.size(-2), n = t.size(-1);
    const Tensor wide = t.cpu().to(is_complex ? kComplexDouble : kDouble).contiguous();
    const auto* p = static_cast<const double*>(wide.const_data_ptr());
    int64_t matrices = 1;
    for (int64_t d = 0; d + 2 < t.dim(); ++d) matrices *= t.size(d);
    std::vector<dense> all;
    for (int64_t b = 0; b < matrices; ++b) {
        dense a(m, n, is_complex);
        for (std::size_t k = 0; k < a.re.size(); ++k) {
            a.re[k] = *p++;
            if (!a.im.empty()) a.im[k] = *p++;
        }
        all.push_back(std::move(a));
    }
    return all;
}

dense matrix_of(const Tensor& t) {
    std::vector<dense> all = matrices_of(t);
    if (all.size() != 1) throw std::runtime_error("not one matrix");
    return all.front();
}

std::vector<dense> vectors_of(const Tensor& t) { return matrices_of(t.unsqueeze(-1)); }

}  // namespace sinter::test
