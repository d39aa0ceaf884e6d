// Operations that move, choose, scan and draw single elements, and loops that use them.
#include "bench/case.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace bench {
namespace {

using namespace sinter;

/// The tables of 2-D cases.
int64_t columns_of(const contest& k) { return k.n() <= 1000 ? 100 : 1000; }
int64_t rows_of(const contest& k) { return k.n() / columns_of(k); }

/// What an element takes: of the case's dtype, in a mask, as an index or a number of isin.
constexpr double value = 4, truth = 1, place = 8;

/// Single precision and two sizes suffice.
bench_case single_case(const char* name, std::function<void(contest&)> set_up) {
    return {name, {1000, 1000000}, std::move(set_up), {"f32"}};
}

/// One operation, which fuses with nothing.
template <class F>
bench_case operation(const char* name, F set_up) {
    return single_case(name, [=](contest& k) {
        k.same_in_all_modes();
        set_up(k);
    });
}

template <class F>
bench_case scan(const char* name, double low, double high, F formula) {
    return operation(name, [=](contest& k) {
        const Tensor x = k.input({k.n()}, low, high);
        k.sizes({k.n()});
        k.cost(2 * k.n(), k.n());
        k.lazy([=] { return formula(x); }, false);
    });
}

/// x[mask], in one dimension or two.
bench_case chosen(const char* name, double share, bool flat) {
    return operation(name, [=](contest& k) {
        const std::vector<int64_t> shape =
            flat ? std::vector{k.n()} : std::vector{rows_of(k), columns_of(k)};
        const Tensor x = k.random(shape, 0, 1, k.type()), mask = k.mask(shape, share);
        k.sizes({k.n()});
        k.cost_bytes(k.n() * (value + truth + share * value), 0);
        k.lazy([=] { return x.index({mask}); }, false);
    });
}

/// An operation that puts x[i] at places[i], or adds it there.
template <class F>
bench_case scattered(const char* name, F formula) {
    return operation(name, [=](contest& k) {
        const Tensor to = k.input({k.n()}), x = k.input({k.n()});
        const Tensor places = k.random({k.n()}, 0, k.n(), kLong);
        k.sizes({k.n()});
        k.cost_bytes(k.n() * (3 * value + place), k.n());
        k.lazy([=] { return formula(to, places, x); }, false);
    });
}

template <class F>
bench_case selected(const char* name, int64_t dimension, F formula) {
    return operation(name, [=](contest& k) {
        const Tensor x = k.input({rows_of(k), columns_of(k)});
        const int64_t count = x.size(dimension);
        const Tensor places = k.random({count}, 0, count, kLong);
        k.sizes({rows_of(k), columns_of(k)});
        k.cost(2 * k.n(), 0);
        k.lazy([=] { return formula(x, places); }, false);
    });
}

/// `formula(x, n)` gives `count(n)` values and their indices. The values of x differ.
template <class Count, class F>
bench_case ordered(const char* name, Count count, F formula) {
    return operation(name, [=](contest& k) {
        const int64_t n = k.n(), results = count(n);
        const Tensor x = k.random({n}, 0, 1, k.type());
        k.sizes({n, results});
        k.cost_bytes(n * value + results * (value + place), n);
        k.lazy_list([=] {
            const std::tuple<Tensor, Tensor> both = formula(x, n);
            return std::vector<Tensor>{std::get<0>(both), std::get<1>(both)};
        });
    });
}

void add_scans(std::vector<bench_case>& to) {
    to.push_back(scan("cumsum", -3, 3, [](const Tensor& x) { return x.cumsum(0); }));
    // Products that neither vanish nor overflow.
    to.push_back(scan("cumprod", 0.999, 1.001, [](const Tensor& x) { return x.cumprod(0); }));
    to.push_back(scan("logcumsumexp", -3, 3, [](const Tensor& x) { return x.logcumsumexp(0); }));
}

void add_masks(std::vector<bench_case>& to) {
    to.push_back(chosen("x[half]", 0.5, true));
    to.push_back(chosen("x[most]", 0.99, true));
    to.push_back(chosen("x[half] 2-D", 0.5, false));
    to.push_back(single_case("x[half] = v", [](contest& k) {
        const Tensor x = k.random({k.n()}, 0, 1, k.type()), mask = k.mask({k.n()}, 0.5);
        const Tensor changed = x.clone().eval(), v = scalar_tensor(2.0F).eval();
        k.sizes({k.n()});
        k.in_place();
        k.cost_bytes(k.n() * (truth + 0.5 * value), 0);
        k.lazy([=] { return changed.index_put_({mask}, v); }, false);
    }));
    to.push_back(operation("nonzero", [](contest& k) {
        const Tensor mask = k.mask({k.n()}, 0.5);
        k.sizes({k.n()});
        k.cost_bytes(k.n() * (truth + 0.5 * place), 0);
        k.lazy([=] { return mask.nonzero(); }, false);
    }));
    to.push_back(operation("nonzero 2-D", [](contest& k) {
        const Tensor mask = k.mask({rows_of(k), columns_of(k)}, 0.5);
        k.sizes({rows_of(k), columns_of(k)});
        k.cost_bytes(k.n() * (truth + 0.5 * 2 * place), 0);
        k.lazy([=] { return mask.nonzero(); }, false);
    }));
}

void add_places(std::vector<bench_case>& to) {
    to.push_back(operation("gather", [](contest& k) {
        const Tensor x = k.input({k.n()}), places = k.random({k.n()}, 0, k.n(), kLong);
        k.sizes({k.n()});
        k.cost_bytes(k.n() * (2 * value + place), 0);
        k.lazy([=] { return x.gather(0, places); }, false);
    }));
    const auto along = [](int64_t dimension) {
        return [=](const Tensor& x, const Tensor& at) { return x.index_select(dimension, at); };
    };
    to.push_back(selected("index_select(0)", 0, along(0)));
    to.push_back(selected("index_select(1)", 1, along(1)));
    to.push_back(scattered("scatter_add", [](const Tensor& t, const Tensor& at, const Tensor& x) {
        return t.scatter_add(0, at, x);
    }));
    to.push_back(scattered("index_add", [](const Tensor& t, const Tensor& at, const Tensor& x) {
        return t.index_add(0, at, x);
    }));
    to.push_back(operation("isin", [](contest& k) {
        const Tensor numbers = k.random({k.n()}, 0, 1000, kLong);
        const Tensor some = k.random({100}, 0, 1000, kLong);
        k.sizes({k.n(), 100});
        k.cost_bytes(k.n() * (place + truth) + 100 * place, k.n());
        k.lazy([=] { return isin(numbers, some); }, false);
    }));
}

void add_orders(std::vector<bench_case>& to) {
    to.push_back(operation("median", [](contest& k) {
        const Tensor x = k.random({k.n()}, 0, 1, k.type());
        k.sizes({k.n()});
        k.cost(k.n(), k.n());
        k.lazy([=] { return x.median(); }, false);
    }));
    to.push_back(ordered(
        "kthvalue", [](int64_t) { return 1; },
        [](const Tensor& x, int64_t n) { return x.kthvalue(n / 2); }));
    // 1000 of 1e6.
    const auto few = [](int64_t n) { return std::max<int64_t>(10, n / 1000); };
    to.push_back(ordered("topk", few, [=](const Tensor& x, int64_t n) { return x.topk(few(n)); }));
    to.push_back(ordered(
        "sort", [](int64_t n) { return n; }, [](const Tensor& x, int64_t) { return x.sort(); }));
    to.push_back(operation("randperm", [](contest& k) {
        const int64_t n = k.n();
        k.sizes({n});
        k.in_any_order();
        k.cost_bytes(n * place, n);
        k.lazy([=] { return randperm(n); }, false);
    }));
}

Tensor life_step(const Tensor& a) {
    Tensor n = zeros_like(a);
    for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx)
            if (dy || dx) n = n + a.roll({dy, dx}, {0, 1});
    return ((n == 3) | ((n == 2) & (a == 1))).to(kInt);
}

/// The number of steps, of 20, for which a point stays within a distance of 2.
Tensor escape_times(const Tensor& c) {
    Tensor z = zeros_like(c), mask = ones_like(c, kBool), count = zeros_like(c, kInt);
    for (int step = 0; step < 20; ++step) {
        z.index_put_({mask}, z.index({mask}) * z.index({mask}) + c.index({mask}));
        mask = mask & (z.abs() <= 2.0);
        count += mask;
    }
    return count;
}

void add_programs(std::vector<bench_case>& to) {
    to.push_back({"life",
                  {32 * 32, 512 * 512},
                  [](contest& k) {
                      const int64_t side = std::llround(std::sqrt(k.n()));
                      const Tensor a = k.random({side, side}, 0, 2, kInt);
                      k.sizes({side});
                      k.cost(2 * k.n(), 11 * k.n());
                      k.lazy([=] { return life_step(a); }, false);
                  },
                  {"f32"}});
    to.push_back({"mandelbrot",
                  {30 * 40, 300 * 400},
                  [](contest& k) {
                      const int64_t rows = std::llround(std::sqrt(k.n() * 3.0 / 4));
                      const int64_t columns = k.n() / rows;
                      const Tensor y = linspace(-1.5, 1.5, rows).unsqueeze(1);
                      const Tensor c = k.given(complex(linspace(-2, 1, columns) + 0 * y,
                                                       0 * linspace(-2, 1, columns) + y));
                      k.sizes({k.n()});
                      k.cost(3 * k.n(), 20 * 10 * k.n());
                      k.lazy([=] { return escape_times(c); }, false);
                  },
                  {"f32"}});
    to.push_back({"average",
                  {1000},
                  [](contest& k) {
                      const Tensor x = k.input({k.n()});
                      k.sizes({k.n()});
                      k.cost(k.n(), 3 * k.n());
                      k.lazy(
                          [=] {
                              Tensor m = scalar_tensor(0.0F);
                              for (int64_t i = 0; i < x.size(0); ++i) m = 0.9 * m + 0.1 * x[i];
                              return m;
                          },
                          false);
                  },
                  {"f32"}});
}

}  // namespace

std::vector<bench_case> element_cases() {
    std::vector<bench_case> all;
    add_scans(all);
    add_masks(all);
    add_places(all);
    add_orders(all);
    add_programs(all);
    return all;
}

}  // namespace bench
