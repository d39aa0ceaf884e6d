#include "kernels/linalg/tiling.hpp"

#include <algorithm>

namespace sinter::blas {
namespace {

// A product is halved along one side, repeatedly, while that pays. Halving keeps the load even for
// 1, 2, 4 and 8 threads, and `wanted` tiles keep that many threads busy. Each tile packs its
// operands, so small tiles cost speed, and a tile keeps at least `least` multiplications. Measured
// with OpenBLAS 0.3.21 on AVX-512: edges of 512, 256 and 128 cost 2 to 8, 6 to 20 and 30 to 40 % of
// its speed. Therefore products whose rows join are cut differently.
constexpr int64_t wanted = 8;
constexpr int64_t largest_edge = 512;         // larger: halved even if there are `wanted` tiles,
constexpr int64_t large = int64_t{64} << 20;  // if a tile has this many multiplications
constexpr int64_t least_edge = 256;           // m and n are not halved below half of it
// The first halving doubles the speed on two threads. On one thread it costs 3 to 9 % if each half
// still has this much work.
constexpr int64_t least_first_work = int64_t{4} << 20, least_first_edge = 192;
constexpr int64_t least_depth = 2048;               // k is not halved below half of it
constexpr int64_t largest_size = int64_t{1} << 30;  // BLAS sizes have 32 bits

struct sides {
    int64_t m, n, k;
    int64_t multiplications() const {
        // Saturated: the product of three sizes may exceed 64 bits.
        __int128 product = static_cast<__int128>(m) * n * k;
        return product > (__int128{1} << 62) ? int64_t{1} << 62 : static_cast<int64_t>(product);
    }
};

int64_t half(int64_t size) { return (size + 1) / 2; }

bool in_blas(ScalarType dtype) { return isFloatingType(dtype) || isComplexType(dtype); }

int64_t least_work(bool vector, ScalarType dtype) {
    if (vector) return int64_t{1} << 17;  // bound by memory: 256 to 512 KiB
    if (in_blas(dtype)) return int64_t{32} << 20;
    return int64_t{1} << 20;  // the integer loop is much slower than BLAS
}

int64_t count(int64_t size, int64_t tile) { return tile == 0 ? 1 : (size + tile - 1) / tile; }

/// Cuts into tiles of all columns that are as small as allowed, since joined tiles cost nothing.
/// Every call packs the other operand, so this refuses products with few rows compared with their
/// columns, or with a long sum.
bool cut_rows(int64_t m, int64_t n, int64_t k, tiling& t) {
    if (n > largest_size || k > largest_size || m < n / 2) return false;
    if (m < 8 * row_unit && k > least_depth) return false;
    const int64_t unit = sides{row_unit, n, k}.multiplications();
    const int64_t rows = row_unit * ((least_call + unit - 1) / unit);
    if (m / rows < 2) return false;
    t = {rows, n, k, m / rows, 1, 1, true};
    return true;
}

int64_t rounded(int64_t tile, int64_t size) { return std::min((tile + 15) / 16 * 16, size); }

}  // namespace

tiling choose_tiling(int64_t m, int64_t n, int64_t k, ScalarType dtype, bool rows_join) {
    const bool vector = m == 1 || n == 1;
    tiling t{};
    if (rows_join && !vector && cut_rows(m, n, k, t)) return t;
    const int64_t least = least_work(vector, dtype);
    const bool early = !vector && in_blas(dtype);
    sides s{m, n, k};
    int64_t tiles = 1;
    for (;;) {
        int64_t& edge = s.m >= s.n ? s.m : s.n;
        int64_t work = s.multiplications();
        bool halve_edge;
        if (edge > largest_size) {
            halve_edge = true;
        } else if (s.k > largest_size) {
            halve_edge = false;
        } else if (!vector && edge > largest_edge && work >= large) {
            halve_edge = true;
        } else if (early && tiles == 1 && work >= 2 * least_first_work &&
                   edge >= least_first_edge) {
            halve_edge = true;
        } else if (tiles < wanted && work >= 2 * least && edge > least_edge) {
            halve_edge = true;
        } else if (tiles < wanted && work >= 2 * least && s.k > least_depth) {
            halve_edge = false;
        } else {
            break;
        }
        int64_t& side = halve_edge ? edge : s.k;
        side = half(side);
        tiles *= 2;
    }
    t.m = rounded(s.m, m);
    t.n = rounded(s.n, n);
    t.k = rounded(s.k, k);
    t.m_count = count(m, t.m);
    t.n_count = count(n, t.n);
    t.k_count = count(k, t.k);
    return t;
}

}  // namespace sinter::blas
