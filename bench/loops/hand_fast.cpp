// The same loops with contraction, reassociation and the C library's vector math (4 ULP).
#if defined(__GNUC__) && !defined(__clang__)
// g++ 12 reports its intrinsics as uninitialised.
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#if defined(__GNUC__) && !defined(__clang__) && defined(__AVX512F__)
#pragma GCC target("prefer-vector-width=512")
#endif
#include "bench/loops/all.hpp"

#include <cmath>

namespace bench {
namespace {

struct fast_math {
#define C_LIBRARY(name)                                 \
    static float name(float x) { return std::name(x); } \
    static double name(double x) { return std::name(x); }
    C_LIBRARY(exp)
    C_LIBRARY(erf)
    C_LIBRARY(log)
    C_LIBRARY(log1p)
    C_LIBRARY(tanh)
    C_LIBRARY(sqrt)
#undef C_LIBRARY
};

}  // namespace

template <>
struct formulas<fast_math> : fast_math {
#include "bench/loops/formulas.inc"
};

std::vector<loop_row> hand_fast_loops() { return all_loops<fast_math>(); }

}  // namespace bench
