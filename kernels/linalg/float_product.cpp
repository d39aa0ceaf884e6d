// Products of floating-point and complex matrices: tiles of fixed size, each one BLAS call on one
// thread.
#include "jit/simd/block.hpp"
#include "kernels/linalg/blas_call.hpp"
#include "kernels/linalg/product_parts.hpp"
#include "kernels/linalg/rows_join.hpp"
#include "runtime/base/fail.hpp"
#include "runtime/base/fp_environment.hpp"
#include "runtime/threads/threads.hpp"

#include <sinter/error.hpp>

#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

namespace sinter::blas {
namespace {

int narrow(int64_t n) { return static_cast<int>(n); }

/// A matrix of an operand, in the form that BLAS takes.
template <class T>
struct placed {
    const T* data;
    int64_t ld;
    bool trans, conjugate;

    placed(const operand& o, int64_t batch, const flagged& f)
        // An operand with a prologue has no data.
        : data(o.data ? reinterpret_cast<const T*>(o.data) + o.offset(batch) : nullptr),
          ld(f.ld),
          trans(f.trans),
          conjugate(o.conjugate) {}
    const T* at(int64_t row, int64_t col) const {
        return data + (trans ? col * ld + row : row * ld + col);
    }
    /// Returns the CBLAS flag of this matrix, or of its transpose if `turned`.
    int flag(bool turned = false) const {
        if (trans == turned) return conjugate ? conjugated : as_is;
        return conjugate ? conjugate_transposed : transposed;
    }
};

enum class routine { gemm, gemv, dot };

template <class T>
class tile_call {
public:
    tile_call(product& p, bool conjugates)
        : p_(p),
          kind_(p.m > 1 && p.n > 1 ? routine::gemm
                : p.m == p.n       ? routine::dot
                                   : routine::gemv) {
        const bool gemm = kind_ == routine::gemm;
        if (kind_ == routine::gemv) move_conjugate(p.m > 1 ? p.a : p.b, p.m > 1 ? p.b : p.a);
        if (gemm || p.m > 1) {
            matrix(p.a, conjugates);
        } else {
            // For two vectors, BLAS conjugates the first one.
            vector(p.a, p.a.col_stride, kind_ == routine::dot);
        }
        if (gemm || p.n > 1) {
            matrix(p.b, conjugates);
        } else {
            vector(p.b, p.b.row_stride, false);
        }
        a_ = flags_of(p.a);
        b_ = flags_of(p.b);
    }

    /// Computes the tile's elements of the result, whose first element is `out`. `rows`, if not
    /// null, holds the tile's rows of `a`.
    void run(const routines<T>& r, int64_t batch, const tile& t, T* out,
             const T* rows = nullptr) const {
        switch (kind_) {
            case routine::gemm: return gemm(r, batch, t, out, rows);
            case routine::gemv: return p_.n == 1 ? column(r, batch, t, out) : row(r, batch, t, out);
            case routine::dot: return dot(r, batch, t, out);
        }
    }

private:
    /// Computes the product of a conjugated matrix and a vector as the conjugate of another
    /// product, because gemv's conjugating kernels round differently.
    void move_conjugate(operand& matrix, operand& vector) {
        conjugate_result_ = std::exchange(matrix.conjugate, false);
        vector.conjugate ^= conjugate_result_;
    }

    static void matrix(operand& o, bool conjugates) {
        if (!flags_of(o).valid || (o.conjugate && !conjugates)) o = packed(o);
    }
    static void vector(operand& o, int64_t stride, bool conjugates) {
        if (stride <= 0 || stride > std::numeric_limits<int>::max() || (o.conjugate && !conjugates))
            o = packed(o);
    }

    // The stride of a single element is irrelevant, so 1 is passed.
    int a_stride() const { return p_.k == 1 ? 1 : narrow(p_.a.col_stride); }
    int b_stride() const { return p_.k == 1 ? 1 : narrow(p_.b.row_stride); }
    const T* a_line(int64_t batch, int64_t k) const {
        return reinterpret_cast<const T*>(p_.a.data) + p_.a.offset(batch) + k * p_.a.col_stride;
    }
    const T* b_line(int64_t batch, int64_t k) const {
        return reinterpret_cast<const T*>(p_.b.data) + p_.b.offset(batch) + k * p_.b.row_stride;
    }

    void gemm(const routines<T>& r, int64_t batch, const tile& t, T* out, const T* rows) const {
        placed<T> a(p_.a, batch, a_), b(p_.b, batch, b_);
        r.gemm(row_major, a.flag(), b.flag(), narrow(t.m), narrow(t.n), narrow(t.k), factor(one_),
               rows ? rows : a.at(t.m0, t.k0), narrow(a.ld), b.at(t.k0, t.n0), narrow(b.ld),
               factor(zero_), out + t.m0 * p_.n + t.n0, narrow(p_.n));
    }

    // Some versions compute beta * y even if beta is 0, which keeps a NaN from the memory. So y
    // starts as zeros and beta is 1.
    static T* zeros(T* y, int64_t n) {
        std::memset(static_cast<void*>(y), 0, static_cast<std::size_t>(n) * sizeof(T));
        return y;
    }

    void column(const routines<T>& r, int64_t batch, const tile& t, T* out) const {
        placed<T> a(p_.a, batch, a_);
        T* const y = zeros(out + t.m0, t.m);
        r.gemv(row_major, a.flag(), narrow(a.trans ? t.k : t.m), narrow(a.trans ? t.m : t.k),
               factor(one_), a.at(t.m0, t.k0), narrow(a.ld), b_line(batch, t.k0), b_stride(),
               factor(one_), y, 1);
        finish(y, t.m);
    }

    void row(const routines<T>& r, int64_t batch, const tile& t, T* out) const {
        placed<T> b(p_.b, batch, b_);
        T* const y = zeros(out + t.n0, t.n);
        r.gemv(row_major, b.flag(true), narrow(b.trans ? t.n : t.k), narrow(b.trans ? t.k : t.n),
               factor(one_), b.at(t.k0, t.n0), narrow(b.ld), a_line(batch, t.k0), a_stride(),
               factor(one_), y, 1);
        finish(y, t.n);
    }

    /// Conjugates the result if required. A sum that begins with 0 is never -0; 0 - x keeps it so.
    void finish(T* y, int64_t n) const {
        if constexpr (!std::is_floating_point_v<T>)
            for (int64_t i = 0; conjugate_result_ && i < n; ++i) y[i].imag(0 - y[i].imag());
    }

    void dot(const routines<T>& r, int64_t batch, const tile& t, T* out) const {
        const T *x = a_line(batch, t.k0), *y = b_line(batch, t.k0);
        if constexpr (std::is_floating_point_v<T>) {
            *out = r.dot(narrow(t.k), x, a_stride(), y, b_stride());
        } else {
            const auto routine = p_.a.conjugate ? r.dotc : r.dotu;
            routine(narrow(t.k), x, a_stride(), y, b_stride(), out);
        }
    }

    static constexpr T one_{1}, zero_{0};
    const product& p_;
    routine kind_;
    bool conjugate_result_ = false;  // of gemv
    flagged a_{}, b_{};
};

/// Adds the partial sums over k, pairwise by index.
template <class T>
void merge_slabs(T* parts, int64_t slabs, int64_t size, T* out) {
    runtime::parallel_for(0, size, 1 << 14, [&](int64_t begin, int64_t end) {
        runtime::fp_environment environment;
        for (int64_t step = 1; step < slabs; step *= 2)
            for (int64_t s = 0; s + step < slabs; s += 2 * step) {
                T* left = parts + s * size;
                const T* right = parts + (s + step) * size;
                for (int64_t i = begin; i < end; ++i) left[i] += right[i];
            }
        std::memcpy(static_cast<void*>(out + begin), parts + begin,
                    static_cast<std::size_t>(end - begin) * sizeof(T));
    });
}

constexpr int64_t made_bytes = int64_t{64} << 20;  // limit on the rows made for one call

bool small(const product& p) {
    return !isComplexType(p.dtype) && p.m <= block::small_matrix && p.k <= block::small_matrix &&
           p.n <= block::small_matrix;
}

constexpr int64_t small_piece = 4096;  // in elements: many times the largest small matrix

/// Computes products so small that the overhead of BLAS would dominate.
template <class T>
void small_products(const product& p, T* out) {
    const block::product_fn multiply =
        block::find_product(std::is_same_v<T, double> ? kDouble : kFloat);
    const operand &a = p.a, &b = p.b;
    // If one stride leads from matrix to matrix, one call takes many.
    const bool even = a.batch_dims == 1 || p.batches == 1;
    const int64_t a_step = a.batch_dims == 1 ? a.batch_strides[0] : 0;
    const int64_t b_step = b.batch_dims == 1 ? b.batch_strides[0] : 0;
    const int64_t grain = std::max<int64_t>(1, product_grain / (p.m * p.n * p.k));
    runtime::parallel_for(0, p.batches, grain, [&](int64_t begin, int64_t end) {
        const runtime::fp_environment environment;
        // The epilogue takes pieces that are still in L1.
        const int64_t piece = p.after ? small_piece / (p.m * p.n) : end - begin;
        int64_t at_once = 1;
        for (int64_t i = begin, passed = begin; i < end; i += at_once) {
            if (even) at_once = std::min(piece, end - i);
            const T* of_a = reinterpret_cast<const T*>(a.data) + a.offset(i);
            const T* of_b = reinterpret_cast<const T*>(b.data) + b.offset(i);
            multiply(out + i * p.m * p.n, {of_a, a.row_stride, a.col_stride, a_step},
                     {of_b, b.row_stride, b.col_stride, b_step}, p.m, p.n, p.k, at_once);
            const int64_t done = i + at_once;
            if (p.after && (done - passed >= piece || done == end)) {
                p.after->run(p.after->context, passed * p.m, (done - passed) * p.m, 0, p.n);
                passed = done;
            }
        }
    });
}

template <class T>
tiling tiling_of(const product& p, const blas_library& l) {
    const double work =
        static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k);
    const bool large = p.m > 1 && p.n > 1 && work >= 2.0 * least_call;
    return choose_tiling(p.m, p.n, p.k, p.dtype, large && rows_join<T>(l));
}

/// Consecutive tiles that are computed in one call.
struct joined {
    tile at;
    int64_t end;  // one past the last of them
};

/// Joins the tiles from `i` on, before `end`.
template <class T>
joined join_tiles(const product& p, const tiling& t, int64_t i, int64_t end) {
    const int64_t tiles = t.tiles();
    joined j{tile_at(t, p, i % tiles), i + 1};
    if (!t.joins) return j;
    // One call packs the other operand once. That is worth more than smaller pieces that the
    // epilogue finds in L2.
    const int64_t most = p.before ? made_bytes / (p.k * static_cast<int64_t>(sizeof(T)))
                                  : std::numeric_limits<int>::max();
    for (; j.end < end && j.end % tiles != 0; ++j.end) {
        const int64_t rows = tile_at(t, p, j.end % tiles).m;
        if (j.at.m + rows > most) break;
        j.at.m += rows;
    }
    return j;
}

/// The rows of `a` for the tiles of one thread, made by the prologue when first needed.
template <class T>
class made_rows {
public:
    explicit made_rows(const product& p) : p_(p) {}
    /// Returns null if the product has no prologue: the rows are in memory.
    const T* of(int64_t batch, const tile& t) {
        if (!p_.before) return nullptr;
        const int64_t row = batch * p_.m + t.m0;
        if (t.m > capacity_) {
            memory_ = runtime::make_buffer(static_cast<std::size_t>(t.m * p_.k) * sizeof(T));
            capacity_ = t.m;
            row_ = -1;
        }
        auto* memory = static_cast<char*>(memory_->data);
        if (row != row_) p_.before->run(p_.before->context, row, t.m, memory);
        row_ = row;
        return reinterpret_cast<const T*>(memory);
    }

private:
    const product& p_;
    runtime::buffer_ptr memory_;
    int64_t row_ = -1, capacity_ = 0;
};

}  // namespace

bool takes_row_source(const product& p) {
    if ((p.dtype != kFloat && p.dtype != kDouble) || p.m == 1 || p.n == 1 || small(p)) return false;
    const blas_library& library = require_blas(p.what);
    const tiling t =
        p.dtype == kFloat ? tiling_of<float>(p, library) : tiling_of<double>(p, library);
    // Threads that share a panel of rows would each compute it.
    return t.k_count == 1 &&
           (t.n_count == 1 || p.batches * t.m_count >= runtime::available_threads());
}

template <class T>
void float_product(product& p, T* out) {
    if constexpr (std::is_floating_point_v<T>)
        if (small(p)) return small_products(p, out);
    const blas_library& library = require_blas(p.what);
    if (p.m > 1 && p.n > std::numeric_limits<int>::max())
        runtime::fail(p.what, "the rows of the result are too long",
                      runtime::count_of(p.n, "element"), "at most 2147483647",
                      "slices of the second operand");
    const tile_call<T> call(p, library.conjugates);
    const routines<T>& r = library.of<T>();
    const tiling t = tiling_of<T>(p, library);
    const int64_t tiles = t.tiles(), size = p.m * p.n;

    if (t.k_count == 1) {
        // Exact for small tiles, for which grains matter; saturates for large ones.
        const double work =
            static_cast<double>(t.m) * static_cast<double>(t.n) * static_cast<double>(t.k);
        const auto grain = static_cast<int64_t>(static_cast<double>(product_grain) / work);
        const finished_tiles finished(p, t);
        // One range for each thread: a call packs its operands once, however many tiles it joins.
        const int64_t count = p.batches * tiles, share = count / runtime::available_threads();
        runtime::parallel_for(0, count, std::max(grain, share), [&](int64_t begin, int64_t end) {
            blas_call inside(library);
            finished_tiles::share mine(finished);
            made_rows<T> rows(p);
            for (int64_t i = begin; i < end;) {
                const joined j = join_tiles<T>(p, t, i, end);
                const int64_t batch = i / tiles;
                call.run(r, batch, j.at, out + batch * size, rows.of(batch, j.at));
                for (; i < j.end; ++i) mine.done(i);
            }
        });
        return finished.end();
    }
    // Only a long sum is cut along k. Matrices of the batch run one after the other, to bound the
    // memory of the partial sums.
    auto memory = runtime::make_buffer(static_cast<std::size_t>(t.k_count * size) * sizeof(T));
    T* parts = static_cast<T*>(memory->data);
    for (int64_t batch = 0; batch < p.batches; ++batch) {
        runtime::parallel_for(0, tiles, 1, [&](int64_t begin, int64_t end) {
            blas_call inside(library);
            for (int64_t i = begin; i < end; ++i) {
                const tile part = tile_at(t, p, i);
                call.run(r, batch, part, parts + part.slab * size);
            }
        });
        merge_slabs(parts, t.k_count, size, out + batch * size);
    }
    follow_all(p);
}

template void float_product<float>(product& p, float* out);
template void float_product<double>(product& p, double* out);
template void float_product<complex<float>>(product& p, complex<float>* out);
template void float_product<complex<double>>(product& p, complex<double>* out);

}  // namespace sinter::blas
