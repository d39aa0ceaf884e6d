// Chains over rows of 1000 elements (100 if there are 1000 elements in all), as models have between
// products.
#include "bench/case.hpp"

namespace bench {
namespace {

using namespace sinter;

struct table {
    int64_t rows, columns;
};

table shape_of(contest& k) {
    const int64_t columns = k.n() <= 1000 ? 100 : 1000;
    k.sizes({k.n() / columns, columns});
    return {k.n() / columns, columns};
}

/// A chain from a table to a table, with `operations` per element.
template <class F>
bench_case chain(const char* name, double operations, F formula) {
    return {name, every_level, [=](contest& k) {
                const auto [rows, columns] = shape_of(k);
                const Tensor x = k.input({rows, columns});
                k.cost(2 * k.n(), operations * static_cast<double>(k.n()));
                k.lazy([=] { return formula(x); });
            }};
}

}  // namespace

std::vector<bench_case> row_cases() {
    return {
        chain("softmax", 5,
              [](const Tensor& x) {
                  Tensor e = exp(x - x.amax({1}, true));
                  return e / e.sum({1}, true);
              }),
        chain("log_softmax", 5, [](const Tensor& x) { return log_softmax(x, 1); }),
        chain("standardise", 6,
              [](const Tensor& x) { return (x - x.mean({1}, true)) / x.std({1}, true, true); }),
        chain("rms_norm", 4,
              [](const Tensor& x) { return x * rsqrt((x * x).mean({1}, true) + 1e-5); }),
        {"layer_norm", every_level,
         [](contest& k) {
             const auto [rows, columns] = shape_of(k);
             const Tensor x = k.input({rows, columns});
             const Tensor weight = k.input({columns}), bias = k.input({columns});
             k.cost(2 * k.n() + 2 * columns, 8 * k.n());
             k.lazy([=] {
                 return (x - x.mean({1}, true)) * rsqrt(x.var({1}, false, true) + 1e-5) * weight +
                        bias;
             });
         }},
        {"logsumexp", every_level,
         [](contest& k) {
             const auto [rows, columns] = shape_of(k);
             const Tensor x = k.input({rows, columns});
             k.cost(k.n(), 4 * k.n());
             k.lazy([=] { return logsumexp(x, {1}); }, false);
         }},
        {"cosine_similarity", every_level,
         [](contest& k) {
             const auto [rows, columns] = shape_of(k);
             const Tensor x = k.input({rows, columns}), y = k.input({rows, columns});
             k.cost(2 * k.n(), 6 * k.n());
             k.lazy(
                 [=] {
                     return (x * y).sum({1}) / (sqrt((x * x).sum({1})) * sqrt((y * y).sum({1})));
                 },
                 false);
         }},
        // Many vectors of 16 elements.
        {"dot16",
         {16, 100000, 1000000},
         [](contest& k) {
             const int64_t rows = k.n() / 16;
             const Tensor x = k.input({rows, 16}), y = k.input({rows, 16});
             k.sizes({rows, 16});
             k.cost(2 * k.n() + rows, 2 * k.n());
             k.tolerance(1e-3, 1e-11);
             k.lazy([=] { return (x * y).sum({1}); }, false);
         }},
        {"normalise16",
         {16, 100000, 1000000},
         [](contest& k) {
             const Tensor x = k.input({k.n() / 16, 16});
             k.sizes({k.n() / 16, 16});
             k.cost(2 * k.n(), 3 * k.n());
             k.lazy([=] { return x / sqrt((x * x).sum({1}, true)); });
         }},
    };
}

}  // namespace bench
