#include "kernels/lapack/routines_on_gpu.hpp"

#include "kernels/gpu/moves.hpp"
#include "kernels/gpu_linalg/batch_runs.hpp"
#include "kernels/gpu_linalg/gpu_libraries.hpp"
#include "kernels/lapack/ldl_on_gpu.hpp"
#include "runtime/device/transfer.hpp"
#include "runtime/types/dtypes.hpp"

#include <algorithm>
#include <utility>

namespace sinter::lapack {
namespace {

using gpu_kernels::gpu_elements, gpu_kernels::scratch;
using gpu_linalg::batch_runs, gpu_linalg::matrices, gpu_linalg::solver, gpu_linalg::vectors;

char* first_of(const block& b) {
    return b.data + b.shape->offset * static_cast<int64_t>(elementSize(b.dtype));
}

/// The blocks of a call, run by run. `item_dims` gives the dimensions of an item of each block.
class blocks_in_runs {
public:
    blocks_in_runs(const routine_call& c, std::vector<int> item_dims)
        : call_(c), item_dims_(std::move(item_dims)), batch_(make()) {}

    int64_t runs() const { return batch_.runs(); }
    int count() const { return static_cast<int>(batch_.count()); }

    template <class T>
    matrices<T> of(int64_t run, std::size_t b) const {
        const geometry& g = *call_.blocks[b].shape;
        const int at = g.ndim - 2;
        const int rows = static_cast<int>(g.sizes()[at]),
                  cols = static_cast<int>(g.sizes()[at + 1]);
        const int ld = cols > 1 ? static_cast<int>(g.strides()[at + 1]) : rows;
        return {address<T>(run, b), rows, cols, std::max(ld, 1), batch_.step(b)};
    }
    template <class T>
    vectors<T> numbers(int64_t run, std::size_t b) const {
        return {address<T>(run, b), batch_.step(b)};
    }

private:
    template <class T>
    T* address(int64_t run, std::size_t b) const {
        return reinterpret_cast<T*>(first_of(call_.blocks[b])) + batch_.offset(run, b);
    }
    batch_runs make() const {
        const geometry& g = *call_.blocks[0].shape;
        std::vector<const int64_t*> strides;
        for (const block& b : call_.blocks) strides.push_back(b.shape->strides());
        return {{g.sizes(), static_cast<std::size_t>(g.ndim - item_dims_[0])}, strides};
    }

    const routine_call& call_;
    const std::vector<int> item_dims_;
    const batch_runs batch_;
};

/// Sets a block to zeros, for instance the `info` of empty matrices.
void clear(runtime::gpu_stream& s, const block& b) {
    runtime::put_fill(s, first_of(b), 0,
                      static_cast<std::size_t>(b.shape->numel) * elementSize(b.dtype));
}

gpu_elements all_of(const block& b) { return {first_of(b), b.shape->strides_ref().vec()}; }

/// Returns weights for the indices of a block. Their weighted sum is not negative for the elements
/// of the triangle `uplo` of the last two dimensions; for 'A' it is 0.
std::vector<int64_t> triangle(const block& b, char uplo) {
    std::vector<int64_t> weights(static_cast<std::size_t>(b.shape->ndim), 0);
    if (uplo == 'A') return weights;
    weights[weights.size() - 2] = uplo == 'L' ? 1 : -1;
    weights[weights.size() - 1] = uplo == 'L' ? -1 : 1;
    return weights;
}

/// Runs `f`, a function template over a solver, for the call's dtype.
#define SINTER_GPU_BY_DTYPE(f)                                                         \
    return with_type(c.blocks[0].dtype, [&]<lapack_element T>(std::type_identity<T>) { \
        return attempt<T>(c, s, f<T>);                                                 \
    });

template <class T>
bool attempt(const routine_call& c, runtime::gpu_stream& s,
             void (*run)(const routine_call&, runtime::gpu_stream&, solver<T>&)) {
    try {
        const auto on = gpu_linalg::solver_on<T>(c.op, s);
        run(c, s, *on);
        on->end();
        return true;
    } catch (const gpu_linalg::refused&) {
        return false;
    }
}

template <class T>
void run_getrf(const routine_call& c, runtime::gpu_stream& s, solver<T>& on) {
    if (c.blocks[0].shape->numel == 0) return clear(s, c.blocks[2]);
    const blocks_in_runs b(c, {2, 1, 0});
    for (int64_t r = 0; r < b.runs(); ++r)
        on.getrf(b.of<T>(r, 0), b.numbers<int>(r, 1), b.numbers<int>(r, 2), b.count());
}

template <class T>
void run_getrs(const routine_call& c, runtime::gpu_stream&, solver<T>& on) {
    if (c.blocks[0].shape->numel == 0) return;
    const blocks_in_runs b(c, {2, 2, 1});
    for (int64_t r = 0; r < b.runs(); ++r)
        on.getrs(c.attributes->as<getrs_attributes>().trans, b.of<T>(r, 1), b.numbers<int>(r, 2),
                 b.of<T>(r, 0), b.count());
}

/// Solves A X = 1: no vendor has a better routine for large matrices.
template <class T>
void run_getri(const routine_call& c, runtime::gpu_stream& s, solver<T>& on) {
    const block& a = c.blocks[0];
    if (a.shape->numel == 0) return clear(s, c.blocks[1]);
    const blocks_in_runs b(c, {2, 0});
    const matrices<T> first = b.of<T>(0, 0);
    const int n = first.rows, count = b.count();
    const int64_t size = int64_t{n} * n;
    const scratch factors(s, static_cast<std::size_t>(size * count) * sizeof(T)),
        pivots(s, static_cast<std::size_t>(n) * static_cast<std::size_t>(count) * sizeof(int)),
        one(s, sizeof(T));
    const T unit{1};
    gpu_kernels::upload(s, one.data(), &unit, sizeof unit);
    const matrices<T> lu{factors.as<T>(), n, n, n, size};
    const vectors<int> swaps{pivots.as<int>(), n};
    for (int64_t r = 0; r < b.runs(); ++r) {
        const matrices<T> x = b.of<T>(r, 0);
        char* at = reinterpret_cast<char*>(x.data);
        gpu_kernels::put_moved(s, a.dtype, {count, n, n}, {factors.data(), {size, 1, n}},
                               {at, {x.step, 1, x.ld}});
        on.getrf(lu, swaps, b.numbers<int>(r, 1), count);
        // x is dense, because results are.
        runtime::put_fill(s, at, 0, static_cast<std::size_t>(size * count) * sizeof(T));
        gpu_kernels::put_moved(s, a.dtype, {count, n}, {at, {x.step, x.ld + 1}},
                               {one.data(), {0, 0}});
        on.getrs('N', lu, swaps, x, count);
    }
}

template <class T>
void run_potrf(const routine_call& c, runtime::gpu_stream& s, solver<T>& on) {
    const block& a = c.blocks[0];
    if (a.shape->numel == 0) return clear(s, c.blocks[1]);
    const char uplo = c.attributes->as<cholesky_attributes>().uplo;
    const blocks_in_runs b(c, {2, 0});
    for (int64_t r = 0; r < b.runs(); ++r)
        on.potrf(uplo, b.of<T>(r, 0), b.numbers<int>(r, 1), b.count());
    const scratch zero(s, sizeof(T));
    runtime::put_fill(s, zero.data(), 0, sizeof(T));
    const gpu_elements whole = all_of(a);
    gpu_kernels::put_chosen(s, a.dtype, a.shape->sizes_ref().vec(), triangle(a, uplo), whole, whole,
                            {zero.data(), std::vector<int64_t>(whole.strides.size(), 0)});
}

template <class T>
void run_potrs(const routine_call& c, runtime::gpu_stream&, solver<T>& on) {
    if (c.blocks[0].shape->numel == 0) return;
    const blocks_in_runs b(c, {2, 2});
    for (int64_t r = 0; r < b.runs(); ++r)
        on.potrs(c.attributes->as<cholesky_attributes>().uplo, b.of<T>(r, 1), b.of<T>(r, 0),
                 b.count());
}

template <class T>
on_gpu::ldl_factors<void> ldl_factors(const matrices<T>& a, const vectors<int>& pivots, int count) {
    return {.n = a.rows,
            .count = count,
            .factors = a.data,
            .ld = a.ld,
            .step = a.step,
            .pivots = pivots.data,
            .pivots_step = pivots.step};
}

template <class T>
void run_sytrf(const routine_call& c, runtime::gpu_stream& s, solver<T>& on) {
    if (c.blocks[0].shape->numel == 0) return clear(s, c.blocks[2]);
    const blocks_in_runs b(c, {2, 1, 0});
    for (int64_t r = 0; r < b.runs(); ++r) {
        const matrices<T> a = b.of<T>(r, 0);
        const auto pivots = b.numbers<int>(r, 1), info = b.numbers<int>(r, 2);
        on.sytrf(a, pivots, info, b.count());
        put_ldl_info(
            s, c.blocks[0].dtype,
            {.of = ldl_factors(a, pivots, b.count()), .info = info.data, .info_step = info.step});
    }
}

/// Returns true if the factors are of Hermitian complex matrices, which no vendor has.
bool are_hermitian(const routine_call& c) {
    const block& first = c.blocks[0];
    return c.attributes->as<ldl_attributes>().hermitian && isComplexType(first.dtype) &&
           first.shape->numel > 0;
}

template <class T>
bool put_sytrs(const routine_call& c, runtime::gpu_stream& s) {
    if (c.blocks[0].shape->numel == 0) return true;
    const blocks_in_runs b(c, {2, 2, 1});
    for (int64_t r = 0; r < b.runs(); ++r) {
        const matrices<T> x = b.of<T>(r, 0);
        put_ldl_solved(s, c.blocks[0].dtype, are_hermitian(c),
                       {.of = ldl_factors(b.of<T>(r, 1), b.numbers<int>(r, 2), b.count()),
                        .columns = x.cols,
                        .b = x.data,
                        .b_ld = x.ld,
                        .b_step = x.step});
    }
    return true;
}

template <class T>
void run_trsm(const routine_call& c, runtime::gpu_stream&, solver<T>& on) {
    if (c.blocks[0].shape->numel == 0) return;
    const blocks_in_runs b(c, {2, 2});
    const auto& with = c.attributes->as<trsm_attributes>();
    for (int64_t r = 0; r < b.runs(); ++r)
        on.trsm(with.side, with.uplo, with.trans, with.diag, b.of<T>(r, 1), b.of<T>(r, 0),
                b.count());
}

template <class T>
void run_geqrf(const routine_call& c, runtime::gpu_stream&, solver<T>& on) {
    if (c.blocks[0].shape->numel == 0) return;
    const blocks_in_runs b(c, {2, 1});
    for (int64_t r = 0; r < b.runs(); ++r) on.geqrf(b.of<T>(r, 0), b.numbers<T>(r, 1), b.count());
}

int length_of(const block& b) { return static_cast<int>(b.shape->sizes()[b.shape->ndim - 1]); }

template <class T>
void run_orgqr(const routine_call& c, runtime::gpu_stream& s, solver<T>& on) {
    const block &a = c.blocks[0], &tau = c.blocks[1];
    if (a.shape->numel == 0) return;
    const blocks_in_runs b(c, {2, 1});
    if (length_of(tau) == 0) {  // columns of the identity
        const scratch one(s, sizeof(T));
        const T unit{1};
        gpu_kernels::upload(s, one.data(), &unit, sizeof unit);
        clear(s, a);
        for (int64_t r = 0; r < b.runs(); ++r) {
            const matrices<T> x = b.of<T>(r, 0);
            gpu_kernels::put_moved(s, a.dtype, {b.count(), std::min(x.rows, x.cols)},
                                   {reinterpret_cast<char*>(x.data), {x.step, x.ld + 1}},
                                   {one.data(), {0, 0}});
        }
        return;
    }
    for (int64_t r = 0; r < b.runs(); ++r)
        on.orgqr(b.of<T>(r, 0), b.numbers<T>(r, 1), length_of(tau), b.count());
}

template <class T>
void run_ormqr(const routine_call& c, runtime::gpu_stream&, solver<T>& on) {
    const int k = length_of(c.blocks[2]);
    if (c.blocks[0].shape->numel == 0 || k == 0) return;
    const blocks_in_runs b(c, {2, 2, 1});
    const auto& with = c.attributes->as<ormqr_attributes>();
    for (int64_t r = 0; r < b.runs(); ++r)
        on.ormqr(with.side, with.trans, b.of<T>(r, 1), b.numbers<T>(r, 2), k, b.of<T>(r, 0),
                 b.count());
}

/// Finds the matrices that are not finite. `say` writes that into `info` after the routine has
/// written it.
class finite_matrices {
public:
    finite_matrices(runtime::gpu_stream& s, const block& a, const block& info, char uplo)
        : stream_(s), info_(info), flags_(s, static_cast<std::size_t>(info.shape->numel) * 4) {
        strides_ = info.shape->strides_ref().vec();
        gpu_kernels::put_finite(s, a.dtype, a.shape->sizes_ref().vec(), 2, triangle(a, uplo),
                                info_not_finite, {flags_.data(), strides_}, all_of(a));
    }
    void say() const {
        gpu_kernels::put_negative(stream_, info_.shape->sizes_ref().vec(), all_of(info_),
                                  {flags_.data(), strides_});
    }
    /// Returns what is 0 where a matrix is finite, in the order of `info`. Waits.
    std::vector<int> read() const {
        std::vector<int> flags(flags_.bytes() / sizeof(int));
        stream_.finish(runtime::put_copy(stream_, flags.data(), flags_.data(), flags_.bytes()));
        return flags;
    }

private:
    runtime::gpu_stream& stream_;
    const block& info_;
    scratch flags_;
    std::vector<int64_t> strides_;
};

template <class T>
void run_syevd(const routine_call& c, runtime::gpu_stream& s, solver<T>& on) {
    const block &a = c.blocks[0], &info = c.blocks[2];
    if (a.shape->numel == 0) return clear(s, info);
    const auto& [uplo, vectors] = c.attributes->as<syevd_attributes>();
    const finite_matrices finite(s, a, info, uplo);
    const blocks_in_runs b(c, {2, 1, 0});
    for (int64_t r = 0; r < b.runs(); ++r)
        on.syevd(uplo, vectors, b.of<T>(r, 0), b.numbers<gpu_linalg::real_of<T>>(r, 1),
                 b.numbers<int>(r, 2), b.count());
    finite.say();
}

template <class T>
void run_geev(const routine_call& c, runtime::gpu_stream& s, solver<T>& on) {
    using Z = complex<gpu_linalg::real_of<T>>;
    const block &a = c.blocks[0], &right = c.blocks[2], &info = c.blocks[3];
    if (a.shape->numel == 0) return clear(s, info);
    if (right.shape->numel > 0 && right.dtype != a.dtype) throw gpu_linalg::refused();
    const finite_matrices finite(s, a, info, 'A');
    // cuSOLVER fails for other matrices, after it has waited for its own work.
    const std::vector<int> flags = finite.read();
    const blocks_in_runs b(c, {2, 1, 2, 0});
    for (int64_t r = 0; r < b.runs(); ++r) {
        const matrices<T> all = b.of<T>(r, 0), vectors = b.of<T>(r, 2);
        const auto values = b.numbers<Z>(r, 1);
        const auto codes = b.numbers<int>(r, 3);
        for (int i = 0; i < b.count(); ++i) {
            const auto place = codes[i] - reinterpret_cast<const int*>(first_of(info));
            if (flags[static_cast<std::size_t>(place)] != 0) continue;
            on.geev({all[i], all.rows, all.cols, all.ld, all.step}, values[i],
                    {vectors[i], vectors.rows, vectors.cols, vectors.ld, vectors.step}, codes[i]);
        }
    }
    finite.say();
}

/// Sets whole factors of an empty matrix to identities.
template <class T>
void put_identities(runtime::gpu_stream& s, const block& b) {
    if (b.shape->numel == 0) return;
    const scratch one(s, sizeof(T));
    const T unit{1};
    gpu_kernels::upload(s, one.data(), &unit, sizeof unit);
    clear(s, b);
    const geometry& g = *b.shape;
    std::vector<int64_t> sizes = g.sizes_ref().vec(), strides = g.strides_ref().vec();
    sizes.pop_back();
    const int64_t along = strides.back();
    strides.pop_back();
    strides.back() += along;
    gpu_kernels::put_moved(s, b.dtype, sizes, {first_of(b), strides},
                           {one.data(), std::vector<int64_t>(strides.size(), 0)});
}

template <class T>
void run_gesdd(const routine_call& c, runtime::gpu_stream& s, solver<T>& on) {
    const block &a = c.blocks[0], &info = c.blocks[4];
    const char job = c.attributes->as<svd_attributes>().job;
    if (a.shape->numel == 0) {
        if (job == 'A')
            for (const std::size_t factor : {std::size_t{1}, std::size_t{3}})
                put_identities<T>(s, c.blocks[factor]);
        return clear(s, info);
    }
    const finite_matrices finite(s, a, info, 'A');
    const blocks_in_runs b(c, {2, 2, 1, 2, 0});
    for (int64_t r = 0; r < b.runs(); ++r)
        on.gesvd(job, b.of<T>(r, 0), b.numbers<gpu_linalg::real_of<T>>(r, 2), b.of<T>(r, 1),
                 b.of<T>(r, 3), b.numbers<int>(r, 4), b.count());
    finite.say();
}

}  // namespace

bool getrf_on_gpu(const routine_call& c, runtime::gpu_stream& s) { SINTER_GPU_BY_DTYPE(run_getrf) }
bool getrs_on_gpu(const routine_call& c, runtime::gpu_stream& s) { SINTER_GPU_BY_DTYPE(run_getrs) }
bool getri_on_gpu(const routine_call& c, runtime::gpu_stream& s) { SINTER_GPU_BY_DTYPE(run_getri) }
bool potrf_on_gpu(const routine_call& c, runtime::gpu_stream& s) { SINTER_GPU_BY_DTYPE(run_potrf) }
bool potrs_on_gpu(const routine_call& c, runtime::gpu_stream& s) { SINTER_GPU_BY_DTYPE(run_potrs) }
bool sytrf_on_gpu(const routine_call& c, runtime::gpu_stream& s) {
    if (are_hermitian(c)) return false;
    SINTER_GPU_BY_DTYPE(run_sytrf)
}
bool sytrs_on_gpu(const routine_call& c, runtime::gpu_stream& s) {
    return with_type(c.blocks[0].dtype,
                     [&]<lapack_element T>(std::type_identity<T>) { return put_sytrs<T>(c, s); });
}
bool trsm_on_gpu(const routine_call& c, runtime::gpu_stream& s) { SINTER_GPU_BY_DTYPE(run_trsm) }
bool geqrf_on_gpu(const routine_call& c, runtime::gpu_stream& s) { SINTER_GPU_BY_DTYPE(run_geqrf) }
bool orgqr_on_gpu(const routine_call& c, runtime::gpu_stream& s) { SINTER_GPU_BY_DTYPE(run_orgqr) }
bool ormqr_on_gpu(const routine_call& c, runtime::gpu_stream& s) { SINTER_GPU_BY_DTYPE(run_ormqr) }
bool gesdd_on_gpu(const routine_call& c, runtime::gpu_stream& s) { SINTER_GPU_BY_DTYPE(run_gesdd) }
bool geev_on_gpu(const routine_call& c, runtime::gpu_stream& s) { SINTER_GPU_BY_DTYPE(run_geev) }
bool syevd_on_gpu(const routine_call& c, runtime::gpu_stream& s) { SINTER_GPU_BY_DTYPE(run_syevd) }

#undef SINTER_GPU_BY_DTYPE

}  // namespace sinter::lapack
