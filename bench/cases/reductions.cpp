// Reductions of all elements, of rows, of columns and of a middle dimension.
#include "bench/case.hpp"

#include <algorithm>
#include <cmath>

namespace bench {
namespace {

using namespace sinter;

/// Sums of many values of both signs. The sum and each partial sum grow as the root of the number
/// of values. The sum of as many roundings of partial sums grows by the same factor again, so the
/// error grows as the number.
void summing(contest& k) {
    k.cost(k.n(), k.n());
    const double longer = std::max(1.0, static_cast<double>(k.n()) / 1e6);
    k.tolerance(2e-3 * longer, 1e-10 * longer);
}

void along(contest& k, int64_t dimension) {
    const int64_t columns = k.n() <= 1000 ? 100 : 1000, rows = k.n() / columns;
    const Tensor x = k.input({rows, columns});
    k.sizes({rows, columns});
    summing(k);
    k.lazy([=] { return x.sum({dimension}); }, false);
}

void sum_short(contest& k) {
    const Tensor x = k.input({k.n()}, 0, 1e-3);
    k.sizes({k.n()});
    k.cost(k.n(), k.n());
    k.tolerance(2e-2, 2e-2);  // both round once, to the precision of the dtype
    k.lazy([=] { return x.sum(); }, false);
}

}  // namespace

std::vector<bench_case> reduction_cases() {
    return {
        {"sum", every_level,
         [](contest& k) {
             const Tensor x = k.input({k.n()});
             k.sizes({k.n()});
             summing(k);
             k.lazy([=] { return x.sum(); }, false);
         }},
        {"sum_inner", every_level, [](contest& k) { along(k, 1); }},
        {"sum_outer", every_level, [](contest& k) { along(k, 0); }},
        {"sum_middle", every_level,
         [](contest& k) {
             const int64_t side = k.n() <= 1000 ? 10 : 100, batch = k.n() / (side * side);
             const Tensor x = k.input({batch, side, side});
             k.sizes({batch, side, side});
             summing(k);
             k.lazy([=] { return x.sum({1}); }, false);
         }},
        // All columns of a matrix except a few.
        {"sum_sliced", every_level,
         [](contest& k) {
             const int64_t columns = k.n() <= 1000 ? 100 : 1000, rows = k.n() / columns;
             const Tensor x = k.input({rows, columns + 24}, 0, 3);  // nonnegative: nothing cancels
             k.sizes({rows, columns + 24, columns});
             summing(k);
             k.lazy([=] { return x.slice(1, 0, columns).sum(); }, false);
         }},
        {"mean+var", every_level,
         [](contest& k) {
             const Tensor x = k.input({k.n()});
             k.sizes({k.n()});
             k.cost(k.n(), 4 * k.n());
             k.lazy_list([=] { return std::vector<Tensor>{x.mean(), x.var()}; });
         }},
        {"argmax", every_level,
         [](contest& k) {
             const int64_t columns = k.n() <= 1000 ? 100 : 1000, rows = k.n() / columns;
             const Tensor x = k.input({rows, columns});
             k.sizes({rows, columns});
             k.cost(k.n(), k.n());
             k.lazy([=] { return x.argmax(1); }, false);
         }},
        {"any", every_level,
         [](contest& k) {
             const Tensor x = k.input({k.n()});
             k.sizes({k.n()});
             k.cost(k.n(), k.n());
             k.lazy([=] { return (x > 5.0).any(); }, false);
         }},
        {"sum_f16", every_level, sum_short, {"f16"}},
        {"sum_bf16", every_level, sum_short, {"bf16"}},
    };
}

}  // namespace bench
