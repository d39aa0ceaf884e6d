// Reduction steps in the order of jit/kernel_ir/reduce_order.hpp. Compiled once for each level.
#include "jit/simd/loops.hpp"

#include <sinter/math/moments.hpp>

#include <boost/hana/for_each.hpp>

#include <limits>

namespace sinter::block::SINTER_BLOCK_LEVEL {

namespace {

using kernel_ir::reduce_chunk;
using kernel_ir::reduce_lanes;

// ---- lanes

/// Reduces one chunk: `step(acc, x)` into reduce_lanes lanes, which `combine` folds.
template <class T, class Step, class Combine>
[[gnu::always_inline]] inline number<T> chunk_lanes(const T* x, int64_t n, number<T> identity,
                                                    Step step, Combine combine) {
    T lane[reduce_lanes];
    for (int64_t l = 0; l < reduce_lanes; ++l) lane[l] = identity.v;
    const int64_t whole = n / reduce_lanes * reduce_lanes;
    for (int64_t i = 0; i < whole; i += reduce_lanes) {
#pragma GCC unroll 1
        for (int64_t l = 0; l < reduce_lanes; ++l) {
            lane[l] = step(number<T>::from(lane[l]), number<T>::from(x[i + l])).v;
        }
    }
    for (int64_t l = 0; l < n - whole; ++l) {
        lane[l] = step(number<T>::from(lane[l]), number<T>::from(x[whole + l])).v;
    }
    for (int64_t h = reduce_lanes / 2; h > 0; h /= 2) {
        for (int64_t l = 0; l < h; ++l) {
            lane[l] = combine(number<T>::from(lane[l]), number<T>::from(lane[l + h])).v;
        }
    }
    return number<T>::from(lane[0]);
}

/// Rows of one lane that one pass over the columns takes, so that the lanes are read and written
/// once for all of them.
inline constexpr int64_t together = 8;

/// Adds rows from j on to the lanes of each column: `step(acc, x, column)`.
template <class T, class Step>
[[gnu::always_inline]] inline void row_lanes(T* lanes, const void* const* rows, int64_t j,
                                             int64_t count, int64_t width, number<T> identity,
                                             Step step) {
    for (int64_t base = 0; base < count; base += reduce_lanes * together) {
        const bool start = j == 0 && base == 0;
        for (int64_t l = 0; l < reduce_lanes && base + l < count; ++l) {
            T* lane = lanes + l * width;
            const void* const* from = rows + base + l;
            const int64_t rest = (count - base - l - 1) / reduce_lanes + 1;
            if (rest >= together) {
                const T* r[together];
                for (int64_t k = 0; k < together; ++k) {
                    r[k] = static_cast<const T*>(from[k * reduce_lanes]);
                }
                SINTER_INDEPENDENT
                for (int64_t i = 0; i < width; ++i) {
                    number<T> acc = start ? identity : number<T>::from(lane[i]);
#pragma GCC unroll 8
                    for (int64_t k = 0; k < together; ++k) {
                        acc = step(acc, number<T>::from(r[k][i]), i);
                    }
                    lane[i] = acc.v;
                }
                continue;
            }
            if (start) {
                for (int64_t i = 0; i < width; ++i) lane[i] = identity.v;
            }
            for (int64_t k = 0; k < rest; ++k) {
                const T* r = static_cast<const T*>(from[k * reduce_lanes]);
                SINTER_INDEPENDENT
                for (int64_t i = 0; i < width; ++i) {
                    lane[i] = step(number<T>::from(lane[i]), number<T>::from(r[i]), i).v;
                }
            }
        }
    }
}

/// Folds the lanes of each column to `out`. Lanes without elements would hold the identity, which
/// changes no other lane; they are never started and are skipped.
template <class T, class Combine>
[[gnu::always_inline]] inline void fold_lanes(T* out, T* lanes, int64_t n, int64_t width,
                                              number<T> identity, Combine combine) {
    const int64_t used = n < reduce_lanes ? n : reduce_lanes;
    for (int64_t h = reduce_lanes / 2; h > 0; h /= 2) {
        for (int64_t l = 0; l < h && l + h < used; ++l) {
            T* lower = lanes + l * width;
            const T* upper = lanes + (l + h) * width;
            SINTER_INDEPENDENT
            for (int64_t i = 0; i < width; ++i) {
                lower[i] = combine(number<T>::from(lower[i]), number<T>::from(upper[i])).v;
            }
        }
    }
    for (int64_t i = 0; i < width; ++i) out[i] = used > 0 ? lanes[i] : identity.v;
}

// ---- folds

template <class Row, class T>
struct fold_steps {
    static constexpr int passes = 1;
    static constexpr auto combine = [](number<T> a, number<T> b) { return Row::combine(a, b); };
    static constexpr auto step = [](number<T> a, number<T> x, int64_t) {
        return Row::combine(a, x);
    };
    static number<T> start() { return Row::template identity<number<T>>(); }

    SINTER_BLOCK_LOOP static void chunk(void* a, void*, const void* x, int64_t n, int64_t) {
        *static_cast<T*>(a) = chunk_lanes(static_cast<const T*>(x), n, start(), combine, combine).v;
    }
    SINTER_BLOCK_LOOP static void rows(void*, void*, void* lanes, const void* const* rows,
                                       int64_t j, int64_t count, int64_t width, int64_t, int) {
        row_lanes(static_cast<T*>(lanes), rows, j, count, width, start(), step);
    }
    SINTER_BLOCK_LOOP static void fold(void* a, void*, void* lanes, int64_t n, int64_t width, int) {
        fold_lanes(static_cast<T*>(a), static_cast<T*>(lanes), n, width, start(), combine);
    }
    SINTER_BLOCK_LOOP static void merge(void* a, void*, const void* upper_a, const void*,
                                        int64_t width, int64_t, int64_t) {
        T* lower = static_cast<T*>(a);
        const T* upper = static_cast<const T*>(upper_a);
        for (int64_t i = 0; i < width; ++i) {
            lower[i] = combine(number<T>::from(lower[i]), number<T>::from(upper[i])).v;
        }
    }
    static void identity(void* a, void*, int64_t width) {
        for (int64_t i = 0; i < width; ++i) static_cast<T*>(a)[i] = start().v;
    }
    SINTER_BLOCK_LOOP static void finish(void* out, const void* a, const void*, int64_t width,
                                         int64_t n, double) {
        const number<T> count = number<T>::from(static_cast<T>(n));
        for (int64_t i = 0; i < width; ++i) {
            const number<T> state = number<T>::from(static_cast<const T*>(a)[i]);
            static_cast<T*>(out)[i] = Row::finish(state, count).v;
        }
    }
};

// ---- first index of the best value: the same in any order, so no lanes

template <class Row, class T>
struct arg_steps {
    static constexpr int passes = 1;

    static bool better(T x, T y) { return Row::better(number<T>::from(x), number<T>::from(y)).v; }
    /// Finds the best value in lanes, then the first element that it is not better than.
    SINTER_BLOCK_LOOP static void chunk(void* a, void* b, const void* x, int64_t n, int64_t first) {
        const T* e = static_cast<const T*>(x);
        const auto best = [](number<T> y, number<T> z) { return select(Row::better(z, y), z, y); };
        const number<T> top = chunk_lanes(e, n, number<T>::from(e[0]), best, best);
        int64_t i = 0;
        while (better(top.v, e[i])) ++i;
        *static_cast<T*>(a) = e[i];
        *static_cast<int64_t*>(b) = first + i;
    }
    SINTER_BLOCK_LOOP static void rows(void* a, void* b, void*, const void* const* rows, int64_t j,
                                       int64_t count, int64_t width, int64_t first, int) {
        T* value = static_cast<T*>(a);
        int64_t* index = static_cast<int64_t*>(b);
        for (int64_t k = 0; k < count; ++k) {
            const T* r = static_cast<const T*>(rows[k]);
            const int64_t at = first + j + k;
            if (j + k == 0) {
                for (int64_t i = 0; i < width; ++i) value[i] = r[i];
                for (int64_t i = 0; i < width; ++i) index[i] = at;
                continue;
            }
            SINTER_INDEPENDENT
            for (int64_t i = 0; i < width; ++i) {
                const bool take = better(r[i], value[i]);
                value[i] = take ? r[i] : value[i];
                index[i] = take ? at : index[i];
            }
        }
    }
    static void fold(void*, void*, void*, int64_t, int64_t, int) {}
    /// The indices of the lower state are smaller.
    static void merge(void* a, void* b, const void* upper_a, const void* upper_b, int64_t width,
                      int64_t n, int64_t upper_n) {
        if (upper_n == 0) return;
        T* value = static_cast<T*>(a);
        const T* upper = static_cast<const T*>(upper_a);
        for (int64_t i = 0; i < width; ++i) {
            const bool take = n == 0 || better(upper[i], value[i]);
            if (!take) continue;
            value[i] = upper[i];
            static_cast<int64_t*>(b)[i] = static_cast<const int64_t*>(upper_b)[i];
        }
    }
    static void identity(void* a, void* b, int64_t width) {
        for (int64_t i = 0; i < width; ++i) static_cast<T*>(a)[i] = T(0);
        for (int64_t i = 0; i < width; ++i)
            static_cast<int64_t*>(b)[i] = std::numeric_limits<int64_t>::max();
    }
    static void finish(void* out, const void*, const void* b, int64_t width, int64_t, double) {
        for (int64_t i = 0; i < width; ++i) {
            static_cast<int64_t*>(out)[i] = static_cast<const int64_t*>(b)[i];
        }
    }
};

// ---- mean and squared deviations

template <class T>
struct moments_of {
    static constexpr int passes = 2;
    using V = number<T>;
    static V count_of(int64_t n) { return V::from(static_cast<T>(n)); }
    static constexpr auto add = [](V a, V b) { return a + b; };
    static V mean_of(V sum, int64_t n) { return sum / count_of(n); }

    SINTER_BLOCK_LOOP static void chunk(void* a, void* b, const void* x, int64_t n, int64_t) {
        const T* e = static_cast<const T*>(x);
        const V mean = mean_of(chunk_lanes(e, n, V(0), add, add), n);
        const auto square = [mean](V acc, V y) {
            const V d = y - mean;
            return acc + d * d;
        };
        *static_cast<T*>(a) = mean.v;
        *static_cast<T*>(b) = chunk_lanes(e, n, V(0), square, add).v;
    }
    SINTER_BLOCK_LOOP static void rows(void* a, void*, void* lanes, const void* const* rows,
                                       int64_t j, int64_t count, int64_t width, int64_t, int pass) {
        T* l = static_cast<T*>(lanes);
        if (pass == 0) {
            row_lanes(l, rows, j, count, width, V(0), [](V acc, V x, int64_t) { return acc + x; });
        } else {
            const T* mean = static_cast<const T*>(a);
            row_lanes(l, rows, j, count, width, V(0), [mean](V acc, V x, int64_t i) {
                const V d = x - V::from(mean[i]);
                return acc + d * d;
            });
        }
    }
    SINTER_BLOCK_LOOP static void fold(void* a, void* b, void* lanes, int64_t n, int64_t width,
                                       int pass) {
        T* out = static_cast<T*>(pass == 0 ? a : b);
        fold_lanes(out, static_cast<T*>(lanes), n, width, V(0), add);
        if (pass == 0) {
            for (int64_t i = 0; i < width; ++i) out[i] = mean_of(V::from(out[i]), n).v;
        }
    }
    SINTER_BLOCK_LOOP static void merge(void* a, void* b, const void* upper_a, const void* upper_b,
                                        int64_t width, int64_t n, int64_t upper_n) {
        const V count = count_of(n), upper_count = count_of(upper_n);
        for (int64_t i = 0; i < width; ++i) {
            math::moments<V> lower{V::from(static_cast<T*>(a)[i]), V::from(static_cast<T*>(b)[i])};
            math::moments<V> upper{V::from(static_cast<const T*>(upper_a)[i]),
                                   V::from(static_cast<const T*>(upper_b)[i])};
            lower = math::merge_moments(lower, count, upper, upper_count);
            static_cast<T*>(a)[i] = lower.mean.v;
            static_cast<T*>(b)[i] = lower.squares.v;
        }
    }
    static void identity(void* a, void* b, int64_t width) {
        const T nan = std::numeric_limits<T>::quiet_NaN();
        for (int64_t i = 0; i < width; ++i) static_cast<T*>(a)[i] = static_cast<T*>(b)[i] = nan;
    }
};

/// The part that differs between var and std.
template <class Row, class T>
struct moment_steps : moments_of<T> {
    using typename moments_of<T>::V;
    using moments_of<T>::count_of;
    SINTER_BLOCK_LOOP static void finish(void* out, const void* a, const void* b, int64_t width,
                                         int64_t n, double parameter) {
        const V k = V::from(static_cast<T>(parameter));
        for (int64_t i = 0; i < width; ++i) {
            const V mean = V::from(static_cast<const T*>(a)[i]);
            const V squares = V::from(static_cast<const T*>(b)[i]);
            static_cast<T*>(out)[i] = Row::finish(mean, squares, count_of(n), k).v;
        }
    }
};

// ---- the table

template <class Row, class T>
constexpr bool accumulates_in() {
    constexpr bool real = std::is_floating_point_v<T>;
    switch (Row::result) {
        case op::reduction_result::sum: return real || std::is_same_v<T, int64_t>;
        case op::reduction_result::floating: return real;
        case op::reduction_result::boolean: return std::is_same_v<T, bool>;
        case op::reduction_result::same:
        case op::reduction_result::index: return true;
    }
    return false;
}

template <class Steps>
constexpr reduce_fns functions() {
    return {Steps::passes, Steps::chunk,    Steps::rows,  Steps::fold,
            Steps::merge,  Steps::identity, Steps::finish};
}

}  // namespace

void fill_reduce(table& t) {
    boost::hana::for_each(reductions::every, [&](auto row) {
        using Row = decltype(row);
        for_each_compute_type([&]<class T>() {
            if constexpr (accumulates_in<Row, T>()) {
                reduce_fns& to = t.reductions[static_cast<int>(Row::id)][slot<T>()];
                if constexpr (Row::kind == op::reduction_kind::fold) {
                    to = functions<fold_steps<Row, T>>();
                } else if constexpr (Row::kind == op::reduction_kind::arg) {
                    to = functions<arg_steps<Row, T>>();
                } else {
                    to = functions<moment_steps<Row, T>>();
                }
            }
        });
    });
}

}  // namespace sinter::block::SINTER_BLOCK_LEVEL
