// Products of integers, which BLAS lacks: one loop over panels of columns. An unrolled row of lanes
// is enough to keep the vector unit busy.
#include "kernels/linalg/product_parts.hpp"
#include "runtime/threads/threads.hpp"
#include "runtime/types/dtypes.hpp"

#include <cstring>
#include <vector>

namespace sinter::blas {
namespace {

constexpr int lanes = 16;  // columns of a panel
constexpr int rows_at_once = 4;

/// Multiplies `Rows` rows of a by a panel of b, which is (k x lanes) and dense.
template <int Rows, class Wide, class T>
void multiply_rows(const T* a, int64_t row_stride, int64_t col_stride, const Wide* panel, int64_t k,
                   T* out, int64_t out_stride, int64_t columns) {
    Wide sum[Rows][lanes] = {};
    for (int64_t p = 0; p < k; ++p) {
        const Wide* line = panel + p * lanes;
        for (int r = 0; r < Rows; ++r) {
            auto factor =
                static_cast<Wide>(static_cast<int64_t>(a[r * row_stride + p * col_stride]));
            for (int l = 0; l < lanes; ++l) sum[r][l] += factor * line[l];
        }
    }
    for (int r = 0; r < Rows; ++r)
        for (int64_t c = 0; c < columns; ++c) out[r * out_stride + c] = static_cast<T>(sum[r][c]);
}

/// `Wide` is an unsigned type at least as wide as int, so wrapping is defined.
template <class T, class Wide>
void multiply_tile(const product& p, const tile& t, const T* a, const T* b, T* out,
                   std::vector<Wide>& panel) {
    panel.resize(static_cast<std::size_t>(p.k) * lanes);
    const int64_t a_row = p.a.row_stride, a_col = p.a.col_stride;
    for (int64_t j = t.n0; j < t.n0 + t.n; j += lanes) {
        const int64_t columns = std::min<int64_t>(lanes, t.n0 + t.n - j);
        for (int64_t q = 0; q < p.k; ++q)
            for (int64_t c = 0; c < lanes; ++c)
                panel[q * lanes + c] =
                    c < columns
                        ? static_cast<Wide>(b[q * p.b.row_stride + (j + c) * p.b.col_stride])
                        : Wide{0};
        int64_t i = t.m0;
        for (; i + rows_at_once <= t.m0 + t.m; i += rows_at_once)
            multiply_rows<rows_at_once>(a + i * a_row, a_row, a_col, panel.data(), p.k,
                                        out + i * p.n + j, p.n, columns);
        for (; i < t.m0 + t.m; ++i)
            multiply_rows<1>(a + i * a_row, a_row, a_col, panel.data(), p.k, out + i * p.n + j, p.n,
                             columns);
    }
}

template <class T, class Wide>
void multiply(const product& p) {
    tiling t = choose_tiling(p.m, p.n, p.k, p.dtype);
    // Integer sums are exact, so k needs no partial sums in a fixed order.
    t.k = p.k;
    t.k_count = 1;
    const int64_t tiles = t.tiles();
    const int64_t work = std::max<int64_t>(1, t.m * t.n * t.k);
    const finished_tiles finished(p, t);
    runtime::parallel_for(0, p.batches * tiles, std::max<int64_t>(1, product_grain / work),
                          [&](int64_t b, int64_t e) {
                              std::vector<Wide> panel;
                              finished_tiles::share mine(finished);
                              for (int64_t i = b; i < e; ++i) {
                                  const int64_t batch = i / tiles;
                                  multiply_tile(
                                      p, tile_at(t, p, i % tiles),
                                      reinterpret_cast<const T*>(p.a.data) + p.a.offset(batch),
                                      reinterpret_cast<const T*>(p.b.data) + p.b.offset(batch),
                                      reinterpret_cast<T*>(p.out) + batch * p.m * p.n, panel);
                                  mine.done(i);
                              }
                          });
    finished.end();
}

}  // namespace

void integer_product(const product& p) {
    with_type(p.dtype, [&]<integer_element T>(std::type_identity<T>) {
        multiply<T, std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>>(p);
    });
}

}  // namespace sinter::blas
