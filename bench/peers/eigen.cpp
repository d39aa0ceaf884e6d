// The cases that can be written naturally in Eigen. Results go into existing memory. Eigen runs
// large products on several threads, and nothing else.
#include "bench/loops/loops.hpp"

#include <Eigen/Dense>
#include <unsupported/Eigen/SpecialFunctions>

namespace bench {
namespace {

using Eigen::Dynamic, Eigen::Map, Eigen::placeholders::all, Eigen::seqN;
template <class T>
using vector = Eigen::Array<T, Dynamic, 1>;
template <class T>
using table = Eigen::Array<T, Dynamic, Dynamic, Eigen::RowMajor>;
template <class T>
using matrix = Eigen::Matrix<T, Dynamic, Dynamic, Eigen::RowMajor>;

/// The `i`th input and the output as tables, starting at element `offset`.
template <class T>
auto table_in(const loop_arguments& k, int i, int64_t rows, int64_t columns, int64_t offset = 0) {
    return Map<const table<T>>(k.in<T>(i) + offset, rows, columns);
}
template <class T>
auto table_out(const loop_arguments& k, int64_t rows, int64_t columns, int64_t offset = 0) {
    return Map<table<T>>(k.out<T>() + offset, rows, columns);
}
template <class T>
auto row_in(const loop_arguments& k, int i, int64_t n) {
    return Map<const Eigen::Array<T, 1, Dynamic>>(k.in<T>(i), n);
}

// ---- pointwise
#define V static_cast<T>
#define NAMED const auto
#define ROW(id, body)                                                                            \
    template <class T>                                                                           \
    void id(const loop_arguments& k) {                                                           \
        const int64_t n = k.sizes[0];                                                            \
        const auto operand = [&](int i) {                                                        \
            return Map<const vector<T>>(k.in<T>(k.inputs[i] ? i : 0), n);                        \
        };                                                                                       \
        const auto formula = [](const auto& x, [[maybe_unused]] const auto& y,                   \
                                [[maybe_unused]] const auto& z,                                  \
                                [[maybe_unused]] const auto& w) { body };                        \
        Map<vector<T>>(k.out<T>(), n) = formula(operand(0), operand(1), operand(2), operand(3)); \
    }
#define MAP(id, name, inputs, operations, low, high, ...) ROW(id, return __VA_ARGS__;)
#define PROGRAM(id, name, inputs, operations, low, high, ...) ROW(id, __VA_ARGS__)
#include "bench/pointwise.def"
#undef ROW
#undef NAMED
#undef V

void quantise(const loop_arguments& k) {
    const int64_t n = k.sizes[0];
    const Map<const vector<float>> x(k.in<float>(), n);
    Map<vector<int8_t>>(k.out<int8_t>(), n) =
        (x * 40.f).rint().max(-128.f).min(127.f).template cast<int8_t>();
}
void mixed_dtypes(const loop_arguments& k) {
    const int64_t n = k.sizes[0];
    const Map<const vector<int>> a(k.in<int>(0), n);
    const Map<const vector<float>> b(k.in<float>(1), n);
    const Map<const vector<double>> c(k.in<double>(2), n);
    Map<vector<double>>(k.out<double>(), n) =
        (a.template cast<float>() * b).template cast<double>() + c;
}

// ---- reductions
template <class T>
void sum(const loop_arguments& k) {
    *k.out<T>() = Map<const vector<T>>(k.in<T>(), k.sizes[0]).sum();
}
template <class T>
void sum_inner(const loop_arguments& k) {
    Map<vector<T>>(k.out<T>(), k.sizes[0]) =
        table_in<T>(k, 0, k.sizes[0], k.sizes[1]).rowwise().sum();
}
template <class T>
void sum_outer(const loop_arguments& k) {
    table_out<T>(k, 1, k.sizes[1]) = table_in<T>(k, 0, k.sizes[0], k.sizes[1]).colwise().sum();
}
template <class T>
void sum_middle(const loop_arguments& k) {
    const int64_t rows = k.sizes[1], columns = k.sizes[2];
    for (int64_t b = 0; b < k.sizes[0]; ++b)
        table_out<T>(k, 1, columns, b * columns) =
            table_in<T>(k, 0, rows, columns, b * rows * columns).colwise().sum();
}
template <class T>
void mean_var(const loop_arguments& k) {
    const Map<const vector<T>> x(k.in<T>(), k.sizes[0]);
    const T mean = x.mean();
    k.out<T>()[0] = mean;
    k.out<T>()[1] = (x - mean).square().sum() / static_cast<T>(k.sizes[0] - 1);
}
template <class T>
void argmax(const loop_arguments& k) {
    const auto x = table_in<T>(k, 0, k.sizes[0], k.sizes[1]);
    for (int64_t r = 0; r < k.sizes[0]; ++r) {
        Eigen::Index at = 0;
        x.row(r).maxCoeff(&at);
        k.out<int64_t>()[r] = at;
    }
}
template <class T>
void any(const loop_arguments& k) {
    *k.out<bool>() = (Map<const vector<T>>(k.in<T>(), k.sizes[0]) > T(5)).any();
}

// ---- rows
/// Calls body(row, row of the result) for each row.
template <class T, class F>
void each_row(const loop_arguments& k, F body) {
    const auto x = table_in<T>(k, 0, k.sizes[0], k.sizes[1]);
    auto out = table_out<T>(k, k.sizes[0], k.sizes[1]);
    for (int64_t r = 0; r < k.sizes[0]; ++r) body(x.row(r), out.row(r));
}
template <class T>
void softmax(const loop_arguments& k) {
    each_row<T>(k, [](const auto& x, auto to) {
        to = (x - x.maxCoeff()).exp();
        to /= to.sum();
    });
}
template <class T>
void log_softmax(const loop_arguments& k) {
    each_row<T>(k, [](const auto& x, auto to) {
        const T most = x.maxCoeff();
        to = x - (most + std::log((x - most).exp().sum()));
    });
}
template <class T>
void standardise(const loop_arguments& k) {
    each_row<T>(k, [](const auto& x, auto to) {
        const T mean = x.mean();
        to = (x - mean) / std::sqrt((x - mean).square().sum() / static_cast<T>(x.size() - 1));
    });
}
template <class T>
void rms_norm(const loop_arguments& k) {
    each_row<T>(k, [](const auto& x, auto to) {
        to = x * (T(1) / std::sqrt(x.square().mean() + T(1e-5)));
    });
}
template <class T>
void layer_norm(const loop_arguments& k) {
    const auto weight = row_in<T>(k, 1, k.sizes[1]), bias = row_in<T>(k, 2, k.sizes[1]);
    each_row<T>(k, [&](const auto& x, auto to) {
        const T mean = x.mean();
        const T factor = T(1) / std::sqrt((x - mean).square().mean() + T(1e-5));
        to = (x - mean) * factor * weight + bias;
    });
}
template <class T>
void logsumexp(const loop_arguments& k) {
    const auto x = table_in<T>(k, 0, k.sizes[0], k.sizes[1]);
    for (int64_t r = 0; r < k.sizes[0]; ++r) {
        const T most = x.row(r).maxCoeff();
        k.out<T>()[r] = std::log((x.row(r) - most).exp().sum()) + most;
    }
}
template <class T>
void cosine_similarity(const loop_arguments& k) {
    const auto x = table_in<T>(k, 0, k.sizes[0], k.sizes[1]);
    const auto y = table_in<T>(k, 1, k.sizes[0], k.sizes[1]);
    for (int64_t r = 0; r < k.sizes[0]; ++r)
        k.out<T>()[r] =
            (x.row(r) * y.row(r)).sum() / (x.row(r).matrix().norm() * y.row(r).matrix().norm());
}

template <class T>
void dot16(const loop_arguments& k) {
    const auto x = table_in<T>(k, 0, k.sizes[0], k.sizes[1]);
    const auto y = table_in<T>(k, 1, k.sizes[0], k.sizes[1]);
    for (int64_t r = 0; r < k.sizes[0]; ++r) k.out<T>()[r] = (x.row(r) * y.row(r)).sum();
}
template <class T>
void normalise16(const loop_arguments& k) {
    each_row<T>(k, [](const auto& x, auto to) { to = x / x.matrix().norm(); });
}

// ---- broadcasts
template <class T>
void pairwise(const loop_arguments& k) {
    const auto x = table_in<T>(k, 0, k.sizes[0], k.sizes[2]);
    const auto y = table_in<T>(k, 1, k.sizes[1], k.sizes[2]);
    auto out = table_out<T>(k, k.sizes[0], k.sizes[1]);
    for (int64_t r = 0; r < k.sizes[0]; ++r)
        out.row(r) = (y.rowwise() - x.row(r)).square().rowwise().sum().transpose();
}
template <class T>
void outer_sum(const loop_arguments& k) {
    const auto y = row_in<T>(k, 1, k.sizes[1]);
    for (int64_t r = 0; r < k.sizes[0]; ++r) k.out<T>()[r] = (y * k.in<T>(0)[r]).sum();
}
template <class T>
void masked_mean(const loop_arguments& k) {
    const int64_t rows = k.sizes[1], columns = k.sizes[2];
    for (int64_t b = 0; b < k.sizes[0]; ++b) {
        const auto x = table_in<T>(k, 0, rows, columns, b * rows * columns);
        const vector<T> mask =
            Map<const vector<bool>>(k.in<bool>(1) + b * rows, rows).template cast<T>();
        table_out<T>(k, 1, columns, b * columns) =
            (x.colwise() * mask).colwise().sum() / mask.sum();
    }
}

// ---- layouts
template <class T>
void add_transposed(const loop_arguments& k) {
    const auto x = table_in<T>(k, 0, k.sizes[0], k.sizes[0]);
    table_out<T>(k, k.sizes[0], k.sizes[0]) = x + x.transpose();
}
template <class T>
void permuted(const loop_arguments& k) {
    const int64_t channels = k.sizes[1], pixels = k.sizes[2];
    for (int64_t b = 0; b < k.sizes[0]; ++b) {
        const int64_t at = b * channels * pixels;
        table_out<T>(k, channels, pixels, at) =
            table_in<T>(k, 1, channels, pixels, at) +
            table_in<T>(k, 0, pixels, channels, at).transpose() * T(2);
    }
}
template <class T>
void sliced(const loop_arguments& k) {
    const int64_t rows = k.sizes[0], columns = k.sizes[1];
    const auto x = table_in<T>(k, 0, 3 * rows, 2 * columns);
    table_out<T>(k, rows, columns) =
        x(seqN(0, rows, Eigen::fix<3>), seqN(0, columns, Eigen::fix<2>)) * T(2) +
        table_in<T>(k, 1, rows, columns);
}
template <class T>
void stencil(const loop_arguments& k) {
    const int64_t rows = k.sizes[0] - 2, columns = k.sizes[1] - 2;
    const auto x = table_in<T>(k, 0, k.sizes[0], k.sizes[1]);
    const auto shifted = [&](int64_t r, int64_t c) { return x.block(r, c, rows, columns); };
    table_out<T>(k, rows, columns) =
        shifted(0, 1) + shifted(2, 1) + shifted(1, 0) + shifted(1, 2) - shifted(1, 1) * T(4);
}

// ---- products
template <class T>
auto square_in(const loop_arguments& k, int i) {
    Eigen::setNbThreads(k.threads);
    return Map<const matrix<T>>(k.in<T>(i), k.sizes[0], k.sizes[0]);
}
template <class T>
auto square_out(const loop_arguments& k) {
    return Map<matrix<T>>(k.out<T>(), k.sizes[0], k.sizes[0]);
}
template <class T>
void matmul(const loop_arguments& k) {
    square_out<T>(k).noalias() = square_in<T>(k, 0) * square_in<T>(k, 1);
}
template <class T>
void relu_linear(const loop_arguments& k) {
    matmul<T>(k);
    auto out = table_out<T>(k, k.sizes[0], k.sizes[0]);
    out = (out.rowwise() + row_in<T>(k, 2, k.sizes[0])).max(T(0));
}
template <class T>
void scaled_product(const loop_arguments& k) {
    const auto s = Map<const Eigen::Vector<T, Dynamic>>(k.in<T>(2), k.sizes[0]);
    square_out<T>(k).noalias() =
        (square_in<T>(k, 0) * s.asDiagonal()) * square_in<T>(k, 1).transpose();
}
template <class T>
void product_sum(const loop_arguments& k) {
    Map<Eigen::Vector<T, Dynamic>>(k.out<T>(), k.sizes[0]) =
        (square_in<T>(k, 0) * square_in<T>(k, 1)).rowwise().sum();
}
template <class T>
void small_products(const loop_arguments& k) {
    const int64_t side = k.sizes[1];
    for (int64_t i = 0; i < k.sizes[0]; ++i) {
        const int64_t at = i * side * side;
        Map<matrix<T>>(k.out<T>() + at, side, side).noalias() =
            Map<const matrix<T>>(k.in<T>(0) + at, side, side) *
            Map<const matrix<T>>(k.in<T>(1) + at, side, side);
    }
}

}  // namespace

std::vector<loop_row> eigen_loops() {
    const char* one = "elementwise on one thread";
    std::vector<loop_row> all = {
        {"quantise", quantise, nullptr, one},
        {"mixed_dtypes", mixed_dtypes, nullptr, one},
        {"matmul", matmul<float>, matmul<double>},
        {"relu(a@b+c)", relu_linear<float>, relu_linear<double>},
        {"(a*s)@b.t()", scaled_product<float>, scaled_product<double>},
        {"(a@b).sum(1)", product_sum<float>, product_sum<double>},
    };
    for (const char* name : {"bmm4", "bmm8", "bmm16", "bmm32"})
        all.push_back({name, small_products<float>, small_products<double>,
                       "a loop of products of dynamic size, one thread"});
#define MAP(id, name, ...) all.push_back({name, id<float>, id<double>, one});
#define PROGRAM MAP
#include "bench/pointwise.def"
#define MAP(id, name) all.push_back({name, id<float>, id<double>, one});
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
    MAP(dot16, "dot16")
    MAP(normalise16, "normalise16")
    MAP(pairwise, "pairwise")
    MAP(outer_sum, "outer_sum")
    MAP(masked_mean, "masked_mean")
    MAP(add_transposed, "x+x.t()")
    MAP(permuted, "permuted")
    MAP(sliced, "sliced")
    MAP(stencil, "stencil")
#undef MAP
    return all;
}

}  // namespace bench
