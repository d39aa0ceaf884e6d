// Loops of pointwise.def, and of the pointwise cases with several dtypes.
#pragma once

#include "bench/loops/kit.hpp"

namespace bench {

/// The formulas; Math's functions are in scope by inheritance.
template <class Math>
struct formulas;

template <class T, class Math>
struct pointwise_loops : kit<T, Math> {
    using kit<T, Math>::map;

    template <T (*Formula)(T, T, T, T)>
    [[gnu::flatten]] static void part(const T* __restrict x, const T* __restrict y,
                                      const T* __restrict z, const T* __restrict w, T* __restrict d,
                                      int64_t n) {
        BENCH_NO_ALIAS
        for (int64_t i = 0; i < n; ++i) d[i] = Formula(x[i], y[i], z[i], w[i]);
    }

    /// The compiler drops the loads of inputs that the formula does not use.
    template <T (*Formula)(T, T, T, T)>
    static void run(const loop_arguments& k) {
        const T *x = k.in<T>(0), *y = k.inputs[1] ? k.in<T>(1) : x;
        const T *z = k.inputs[2] ? k.in<T>(2) : x, *w = k.inputs[3] ? k.in<T>(3) : x;
        map(k.out<T>(), k.sizes[0], k.threads, k.stream, [=](int64_t begin, int64_t end, T* d) {
            part<Formula>(x + begin, y + begin, z + begin, w + begin, d, end - begin);
        });
    }
};

template <class Math>
void mixed_dtypes(const loop_arguments& k) {
    const int* a = k.in<int>(0);
    const float* b = k.in<float>(1);
    const double* c = k.in<double>(2);
    kit<double, Math>::map(k.out<double>(), k.sizes[0], k.threads, k.stream,
                           [=](int64_t begin, int64_t end, double* __restrict d) {
                               BENCH_NO_ALIAS
                               for (int64_t i = begin; i < end; ++i)
                                   d[i - begin] =
                                       static_cast<double>(static_cast<float>(a[i]) * b[i]) + c[i];
                           });
}

template <class Math>
void quantise(const loop_arguments& k) {
    const float* x = k.in<float>();
    kit<int8_t, Math>::map(k.out<int8_t>(), k.sizes[0], k.threads, k.stream,
                           [=](int64_t begin, int64_t end, int8_t* __restrict d) {
                               BENCH_NO_ALIAS
                               for (int64_t i = begin; i < end; ++i) {
                                   const float v = __builtin_nearbyintf(x[i] * 40.f);
                                   const float w = v < -128.f ? -128.f : v > 127.f ? 127.f : v;
                                   d[i - begin] = static_cast<int8_t>(static_cast<int>(w));
                               }
                           });
}

template <class Math>
void half_to_f32(const loop_arguments& k) {
#if defined(__AVX512F__)
    const auto* x = k.in<uint16_t>();
    kit<float, Math>::map(k.out<float>(), k.sizes[0], k.threads, k.stream,
                          [=](int64_t begin, int64_t end, float* __restrict d) {
                              int64_t i = begin;
                              for (; i + 16 <= end; i += 16) {
                                  const auto* from = reinterpret_cast<const __m256i*>(x + i);
                                  const __m512 v = _mm512_cvtph_ps(_mm256_loadu_si256(from));
                                  const __m512 two = _mm512_set1_ps(2), one = _mm512_set1_ps(1);
                                  _mm512_storeu_ps(d + (i - begin),
                                                   _mm512_add_ps(_mm512_mul_ps(v, two), one));
                              }
                              for (; i < end; ++i) d[i - begin] = _cvtsh_ss(x[i]) * 2.f + 1.f;
                          });
#elif defined(__F16C__)
    const auto* x = k.in<uint16_t>();
    kit<float, Math>::map(k.out<float>(), k.sizes[0], k.threads, k.stream,
                          [=](int64_t begin, int64_t end, float* __restrict d) {
                              int64_t i = begin;
                              for (; i + 8 <= end; i += 8) {
                                  const auto* from = reinterpret_cast<const __m128i*>(x + i);
                                  const __m256 v = _mm256_cvtph_ps(_mm_loadu_si128(from));
                                  const __m256 two = _mm256_set1_ps(2), one = _mm256_set1_ps(1);
                                  _mm256_storeu_ps(d + (i - begin),
                                                   _mm256_add_ps(_mm256_mul_ps(v, two), one));
                              }
                              for (; i < end; ++i) d[i - begin] = _cvtsh_ss(x[i]) * 2.f + 1.f;
                          });
#endif
}

template <class Math>
void add_pointwise(std::vector<loop_row>& to) {
#define MAP(id, name, inputs, operations, low, high, ...)                                      \
    to.push_back(                                                                              \
        {name, pointwise_loops<float, Math>::template run<formulas<Math>::template id<float>>, \
         pointwise_loops<double, Math>::template run<formulas<Math>::template id<double>>, "", \
         true});
#define PROGRAM MAP
#include "bench/pointwise.def"
    to.push_back({"mixed_dtypes", mixed_dtypes<Math>, nullptr, "", true});
    to.push_back({"quantise", quantise<Math>, nullptr, "", true});
#if defined(__F16C__)
    to.push_back({"half_to_f32", half_to_f32<Math>, nullptr, "", true});
#endif
}

}  // namespace bench
