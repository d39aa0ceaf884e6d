// The same loops with contraction, reassociation and the C library's vector math (4 ULP).
#if defined(__GNUC__) && !defined(__clang__) && defined(__AVX512F__)
#pragma GCC target("prefer-vector-width=512")
#endif
#include "bench/hand_loops.hpp"

#include <cmath>

namespace bench {
namespace {

struct fast_math {
    static float exp(float x) { return std::exp(x); }
    static double exp(double x) { return std::exp(x); }
    static float erf(float x) { return std::erf(x); }
    static double erf(double x) { return std::erf(x); }
};

}  // namespace

template <>
const hand_table<float>& hand_fast<float>() {
    return loops<float, fast_math>::table;
}
template <>
const hand_table<double>& hand_fast<double>() {
    return loops<double, fast_math>::table;
}

}  // namespace bench
