#include "core/linalg/linear_algebra.hpp"

#include <bit>
#include <cmath>

namespace gpu_emulator::library {
namespace {

float wide_half(uint16_t h) {
    const int exponent = h >> 10 & 31, fraction = h & 1023;
    const float sign = h >> 15 ? -1.0F : 1.0F;
    if (exponent == 31) return fraction ? NAN : sign * INFINITY;
    if (exponent == 0) return sign * std::ldexp(static_cast<float>(fraction), -24);
    return sign * std::ldexp(static_cast<float>(1024 + fraction), exponent - 25);
}

uint16_t narrow_half(float f) {
    const auto sign = static_cast<uint16_t>(std::signbit(f) ? 0x8000 : 0);
    f = std::fabs(f);
    if (std::isnan(f)) return sign | 0x7e00;
    if (f >= 65520.0F) return sign | 0x7c00;
    int exponent = 0;
    std::frexp(f, &exponent);
    // Rounds to nearest, ties to even, as the host does. There are 11 bits, fewer for subnormals.
    const int last = std::max(exponent - 11, -24);
    const auto units = static_cast<int>(std::nearbyint(std::ldexp(f, -last)));
    if (units == 0) return sign;
    const int high = exponent - 11 < -24 ? 0 : last + 24;
    return static_cast<uint16_t>(sign | ((high << 10) + units));
}

float wide_bfloat16(uint16_t h) { return std::bit_cast<float>(uint32_t{h} << 16); }

uint16_t narrow_bfloat16(float f) {
    auto bits = std::bit_cast<uint32_t>(f);
    if (std::isnan(f)) return static_cast<uint16_t>(bits >> 16 | 64);
    bits += 0x7fff + (bits >> 16 & 1);
    return static_cast<uint16_t>(bits >> 16);
}

template <class T>
void multiply(char ta, char tb, int m, int n, int k, const T* a, int lda, const T* b, int ldb, T* c,
              int ldc, const T* bias) {
    const T one{1}, zero{0};
    host_lapack<T>::get()->gemm(&ta, &tb, &m, &n, &k, &one, a, &lda, b, &ldb, &zero, c, &ldc);
    for (int j = 0; bias && j < n; ++j)
        for (int i = 0; i < m; ++i) c[int64_t{j} * ldc + i] += bias[i];
}

void multiply_narrow(element type, char ta, char tb, int m, int n, int k, const uint16_t* a,
                     int lda, const uint16_t* b, int ldb, uint16_t* c, int ldc,
                     const uint16_t* bias) {
    const bool half = type == element::half;
    const auto wide = [half](const uint16_t* from, int64_t size) {
        auto to = host_work<float>(size);
        std::transform(from, from + size, to.begin(), half ? wide_half : wide_bfloat16);
        return to;
    };
    const auto of_a = wide(a, ta == 'N' ? matrix_size(m, k, lda) : matrix_size(k, m, lda)),
               of_b = wide(b, tb == 'N' ? matrix_size(k, n, ldb) : matrix_size(n, k, ldb));
    auto of_c = host_work<float>(int64_t{m} * n);
    const auto of_bias = wide(bias, bias ? m : 0);
    multiply<float>(ta, tb, m, n, k, of_a.data(), lda, of_b.data(), ldb, of_c.data(), m,
                    bias ? of_bias.data() : nullptr);
    for (int j = 0; j < n; ++j)
        std::transform(of_c.begin() + int64_t{j} * m, of_c.begin() + int64_t{j + 1} * m,
                       c + int64_t{j} * ldc, half ? narrow_half : narrow_bfloat16);
}

template <class T, class F>
status gemm_of(void* h, int m, int n, int k, const factor& a, const factor& b, void* c, int ldc,
               int64_t step, int count, const T* bias, F run) {
    const auto of_a = batch<T>::steps(static_cast<const T*>(a.first), a.step),
               of_b = batch<T>::steps(static_cast<const T*>(b.first), b.step),
               of_c = batch<T>::steps(static_cast<const T*>(c), step);
    const bool a_as_is = a.flag == 'N', b_as_is = b.flag == 'N';
    uses u(count);
    u.operand(of_a, matrix_size(a_as_is ? m : k, a_as_is ? k : m, a.ld));
    u.operand(of_b, matrix_size(b_as_is ? k : n, b_as_is ? n : k, b.ld));
    u.operand(of_c, matrix_size(m, n, ldc));
    if (bias) u.memory(bias, m);
    const bool fits =
        leads(a.ld, a_as_is ? m : k) && leads(b.ld, b_as_is ? k : n) && leads(ldc, m) && k >= 0;
    return u.submit(h, "gemm", fits, [=](int i) {
        run(a.flag, b.flag, m, n, k, host(of_a[i]), a.ld, host(of_b[i]), b.ld, host(of_c[i]), ldc,
            bias ? host(bias) : nullptr);
    });
}

}  // namespace

status gemm(void* h, element type, int m, int n, int k, const factor& a, const factor& b, void* c,
            int ldc, int64_t step, int count, const void* bias) {
    const auto of = [&]<class T>(T*) {
        return gemm_of<T>(h, m, n, k, a, b, c, ldc, step, count, static_cast<const T*>(bias),
                          multiply<T>);
    };
    switch (type) {
        case element::f32: return of(static_cast<float*>(nullptr));
        case element::f64: return of(static_cast<double*>(nullptr));
        case element::c32: return of(static_cast<std::complex<float>*>(nullptr));
        case element::c64: return of(static_cast<std::complex<double>*>(nullptr));
        default:
            return gemm_of<uint16_t>(h, m, n, k, a, b, c, ldc, step, count,
                                     static_cast<const uint16_t*>(bias),
                                     [type](auto... with) { multiply_narrow(type, with...); });
    }
}

}  // namespace gpu_emulator::library
