// The cases that can be written naturally in xtensor, with xsimd and OpenMP. Results go into
// existing memory, by noalias.
#include "bench/loops/loops.hpp"

#include <xtensor/xadapt.hpp>
#include <xtensor/xarray.hpp>
#include <xtensor/xmanipulation.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xnoalias.hpp>
#include <xtensor/xsort.hpp>
#include <xtensor/xtensor.hpp>
#include <xtensor/xview.hpp>

#include <omp.h>

#include <array>

namespace bench {
namespace {

using xt::all, xt::keep_dims, xt::newaxis, xt::range;
constexpr auto immediate = xt::evaluation_strategy::immediate;

template <std::size_t Rank>
using extents = std::array<std::size_t, Rank>;

template <class... I>
extents<sizeof...(I)> shape_of(I... extent) {
    return {static_cast<std::size_t>(extent)...};
}

/// The `i`th input and the output, with a shape.
template <class T, std::size_t Rank>
auto in(const loop_arguments& k, int i, const extents<Rank>& shape) {
    omp_set_num_threads(k.threads);
    std::size_t n = 1;
    for (std::size_t extent : shape) n *= extent;
    return xt::adapt(k.in<T>(i), n, xt::no_ownership(), shape);
}
template <class T, std::size_t Rank>
auto out(const loop_arguments& k, const extents<Rank>& shape) {
    std::size_t n = 1;
    for (std::size_t extent : shape) n *= extent;
    return xt::adapt(k.out<T>(), n, xt::no_ownership(), shape);
}
template <class T, class E, std::size_t Rank>
void store(const loop_arguments& k, const extents<Rank>& shape, const E& values) {
    auto to = out<T>(k, shape);
    xt::noalias(to) = values;
}

// ---- pointwise; named statements would dangle in xtensor, so those cases are missing
#define V static_cast<T>
#define MAP(id, name, inputs, operations, low, high, ...)                                      \
    template <class T>                                                                         \
    void id(const loop_arguments& k) {                                                         \
        const auto shape = shape_of(k.sizes[0]);                                               \
        [[maybe_unused]] const auto x = in<T>(k, 0, shape), y = in<T>(k, (inputs) > 1, shape), \
                                    z = in<T>(k, (inputs) > 2 ? 2 : 0, shape),                 \
                                    w = in<T>(k, (inputs) > 3 ? 3 : 0, shape);                 \
        store<T>(k, shape, __VA_ARGS__);                                                       \
    }
#define PROGRAM(...)
#include "bench/pointwise.def"
#undef V

// ---- reductions
template <class T>
void sum(const loop_arguments& k) {
    *k.out<T>() = xt::sum(in<T>(k, 0, shape_of(k.sizes[0])), immediate)();
}
template <class T, int Axis>
void sum_along(const loop_arguments& k) {
    const auto shape = shape_of(k.sizes[0], k.sizes[1]);
    store<T>(k, shape_of(k.sizes[1 - Axis]), xt::sum(in<T>(k, 0, shape), {Axis}, immediate));
}
template <class T>
void sum_inner(const loop_arguments& k) {
    sum_along<T, 1>(k);
}
template <class T>
void sum_outer(const loop_arguments& k) {
    sum_along<T, 0>(k);
}
template <class T>
void sum_middle(const loop_arguments& k) {
    store<T>(k, shape_of(k.sizes[0], k.sizes[2]),
             xt::sum(in<T>(k, 0, shape_of(k.sizes[0], k.sizes[1], k.sizes[2])), {1}, immediate));
}
template <class T>
void mean_var(const loop_arguments& k) {
    const auto x = in<T>(k, 0, shape_of(k.sizes[0]));
    const auto n = static_cast<T>(k.sizes[0]);
    const T mean = xt::sum(x, immediate)() / n;
    k.out<T>()[0] = mean;
    k.out<T>()[1] = xt::sum(xt::square(x - mean), immediate)() / (n - T(1));
}
template <class T>
void argmax(const loop_arguments& k) {
    store<int64_t>(k, shape_of(k.sizes[0]),
                   xt::argmax(in<T>(k, 0, shape_of(k.sizes[0], k.sizes[1])), 1));
}
template <class T>
void any(const loop_arguments& k) {
    *k.out<bool>() = xt::any(in<T>(k, 0, shape_of(k.sizes[0])) > T(5));
}

// ---- rows: values that are used twice are evaluated
template <class T>
struct rows {
    explicit rows(const loop_arguments& k)
        : shape(shape_of(k.sizes[0], k.sizes[1])), x(in<T>(k, 0, shape)) {}
    template <class E>
    static auto along(const E& e) {
        return xt::sum(e, {1}, keep_dims | immediate);
    }
    auto most() const { return xt::amax(x, {1}, keep_dims | immediate); }
    auto mean() const { return xt::eval(along(x) / static_cast<T>(shape[1])); }

    extents<2> shape;
    decltype(in<T>(loop_arguments(), 0, extents<2>())) x;
};
template <class T>
void softmax(const loop_arguments& k) {
    const rows<T> r(k);
    const auto most = r.most();
    auto to = out<T>(k, r.shape);
    xt::noalias(to) = xt::exp(r.x - most);
    to /= rows<T>::along(to);
}
template <class T>
void log_softmax(const loop_arguments& k) {
    const rows<T> r(k);
    const auto most = r.most();
    const auto total = xt::eval(most + xt::log(rows<T>::along(xt::exp(r.x - most))));
    store<T>(k, r.shape, r.x - total);
}
template <class T>
void standardise(const loop_arguments& k) {
    const rows<T> r(k);
    const auto mean = r.mean();
    const auto deviation =
        xt::eval(xt::sqrt(rows<T>::along(xt::square(r.x - mean)) / static_cast<T>(k.sizes[1] - 1)));
    store<T>(k, r.shape, (r.x - mean) / deviation);
}
template <class T>
void rms_norm(const loop_arguments& k) {
    const rows<T> r(k);
    const auto factor = xt::eval(
        T(1) / xt::sqrt(rows<T>::along(xt::square(r.x)) / static_cast<T>(k.sizes[1]) + T(1e-5)));
    store<T>(k, r.shape, r.x * factor);
}
template <class T>
void layer_norm(const loop_arguments& k) {
    const rows<T> r(k);
    const auto n = static_cast<T>(k.sizes[1]);
    const auto mean = r.mean();
    const auto factor =
        xt::eval(T(1) / xt::sqrt(rows<T>::along(xt::square(r.x - mean)) / n + T(1e-5)));
    const auto line = shape_of(k.sizes[1]);
    const auto weight = in<T>(k, 1, line), bias = in<T>(k, 2, line);
    store<T>(k, r.shape, (r.x - mean) * factor * weight + bias);
}
template <class T>
void logsumexp(const loop_arguments& k) {
    const rows<T> r(k);
    const auto most = r.most();
    store<T>(k, shape_of(k.sizes[0], 1), most + xt::log(rows<T>::along(xt::exp(r.x - most))));
}
template <class T>
void cosine_similarity(const loop_arguments& k) {
    const rows<T> r(k);
    const auto y = in<T>(k, 1, r.shape);
    store<T>(k, shape_of(k.sizes[0], 1),
             rows<T>::along(r.x * y) / (xt::sqrt(rows<T>::along(xt::square(r.x))) *
                                        xt::sqrt(rows<T>::along(xt::square(y)))));
}

// ---- broadcasts
template <class T>
void pairwise(const loop_arguments& k) {
    const auto x = in<T>(k, 0, shape_of(k.sizes[0], k.sizes[2]));
    const auto y = in<T>(k, 1, shape_of(k.sizes[1], k.sizes[2]));
    store<T>(k, shape_of(k.sizes[0], k.sizes[1]),
             xt::sum(xt::square(xt::view(x, all(), newaxis(), all()) - y), {2}, immediate));
}
template <class T>
void outer_sum(const loop_arguments& k) {
    const auto x = in<T>(k, 0, shape_of(k.sizes[0])), y = in<T>(k, 1, shape_of(k.sizes[1]));
    store<T>(k, shape_of(k.sizes[0]), xt::sum(xt::view(x, all(), newaxis()) * y, {1}, immediate));
}

// ---- layouts
template <class T>
void add_transposed(const loop_arguments& k) {
    const auto shape = shape_of(k.sizes[0], k.sizes[0]);
    const auto x = in<T>(k, 0, shape);
    store<T>(k, shape, x + xt::transpose(x));
}
template <class T>
void permuted(const loop_arguments& k) {
    const auto x = in<T>(k, 0, shape_of(k.sizes[0], k.sizes[2], k.sizes[1]));
    const auto shape = shape_of(k.sizes[0], k.sizes[1], k.sizes[2]);
    store<T>(k, shape, in<T>(k, 1, shape) + xt::transpose(x, {0, 2, 1}) * T(2));
}
template <class T>
void sliced(const loop_arguments& k) {
    const auto x = in<T>(k, 0, shape_of(3 * k.sizes[0], 2 * k.sizes[1]));
    const auto shape = shape_of(k.sizes[0], k.sizes[1]);
    store<T>(k, shape,
             xt::view(x, range(0, 3 * k.sizes[0], 3), range(0, 2 * k.sizes[1], 2)) * T(2) +
                 in<T>(k, 1, shape));
}
template <class T>
void stencil(const loop_arguments& k) {
    const auto x = in<T>(k, 0, shape_of(k.sizes[0], k.sizes[1]));
    const int64_t rows = k.sizes[0] - 2, columns = k.sizes[1] - 2;
    const auto shifted = [&](int64_t r, int64_t c) {
        return xt::view(x, range(r, r + rows), range(c, c + columns));
    };
    store<T>(k, shape_of(rows, columns),
             shifted(0, 1) + shifted(2, 1) + shifted(1, 0) + shifted(1, 2) - shifted(1, 1) * T(4));
}

}  // namespace

std::vector<loop_row> xtensor_loops() {
    std::vector<loop_row> all;
#define MAP(id, name, ...) all.push_back({name, id<float>, id<double>});
#define PROGRAM(...)
#include "bench/pointwise.def"
#define MAP(id, name) all.push_back({name, id<float>, id<double>});
    MAP(sum, "sum")
    MAP(sum_inner, "sum_inner")
    MAP(sum_outer, "sum_outer")
    MAP(sum_middle, "sum_middle")
    MAP(mean_var, "mean+var")
    MAP(argmax, "argmax")
    MAP(any, "any")
    MAP(softmax, "softmax")
    MAP(log_softmax, "log_softmax")
    MAP(standardise, "standardise")
    MAP(rms_norm, "rms_norm")
    MAP(layer_norm, "layer_norm")
    MAP(logsumexp, "logsumexp")
    MAP(cosine_similarity, "cosine_similarity")
    MAP(pairwise, "pairwise")
    MAP(outer_sum, "outer_sum")
    MAP(add_transposed, "x+x.t()")
    MAP(permuted, "permuted")
    MAP(sliced, "sliced")
    MAP(stencil, "stencil")
#undef MAP
    return all;
}

}  // namespace bench
