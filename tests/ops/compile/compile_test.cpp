// Compiled functions: what is replayed, what is not, and that both give the bits of the function.
#include "tests/ops/check.hpp"
#include "tests/support/fork.hpp"

#include <sinter/functions/compile.hpp>
#include <sinter/hana.hpp>
#include <sinter/random_engines.hpp>

#include <boost/hana/define_struct.hpp>
#include <doctest/doctest.h>

#include <array>
#include <stdexcept>

using namespace sinter;
using test::counted;

namespace {

/// Returns how many calls were replayed while `f` ran.
template <class F>
uint64_t replays(const F& f) {
    const uint64_t before = stats().functions_replayed;
    f();
    return stats().functions_replayed - before;
}

/// Calls the function and its compiled form with the same arguments, several times; all results
/// have equal bits. Returns how many calls were replayed.
template <class F, class Make>
uint64_t same_bits(const F& f, const Make& arguments, int calls = 4) {
    const auto step = compile(f);
    return replays([&] {
        for (int i = 0; i < calls; ++i) {
            auto given = arguments(i);
            const Tensor expected = std::apply(f, given);  // may be pending still
            const Tensor got = std::apply(step, given);
            CHECK((got.scalar_type() == expected.scalar_type()));
            CHECK(got.sizes() == expected.sizes());
            CHECK(got.strides() == expected.strides());
            CHECK(test::text(got) == test::text(expected));
            CHECK(got.equal(expected));
        }
    });
}

const auto one = [](int i) { return std::make_tuple(counted({3, 4}) + i); };
const auto two = [](int i) { return std::make_tuple(counted({3, 4}) + i, counted({4}) * (i + 1)); };

bool mentions(const std::string& text, const char* what) {
    return text.find(what) != std::string::npos;
}

struct layer {
    BOOST_HANA_DEFINE_STRUCT(layer, (Tensor, weight), (Tensor, bias));
};

}  // namespace

TEST_CASE("compile: the third call with other tensors is replayed, the second with the same one") {
    const auto step = compile([](const Tensor& x) { return (x * 2 + 1).sum(); });
    const Tensor x = counted({5}).eval();
    CHECK(replays([&] { CHECK(step(x).item<float>() == 25); }) == 0);
    CHECK(replays([&] { CHECK(step(x).item<float>() == 25); }) == 1);
    const Tensor y = (x + 1).eval(), z = (x + 2).eval();
    CHECK(replays([&] { CHECK(step(y).item<float>() == 35); }) == 0);
    CHECK(replays([&] { CHECK(step(z).item<float>() == 45); }) == 1);
    CHECK(replays([&] { CHECK(step(x).item<float>() == 25); }) == 1);
}

TEST_CASE("compile: equal bits for functions of all kinds") {
    CHECK(same_bits([](const Tensor& x) { return x * 2 + 1; }, one) == 2);
    CHECK(same_bits([](const Tensor& x) { return x.t().contiguous().exp().t(); }, one) == 2);
    CHECK(same_bits([](const Tensor& x) { return x.softmax(1).matmul(x.t()).relu(); }, one) == 2);
    CHECK(same_bits([](const Tensor& x) { return std::get<0>(x.sort(1, true)) + x; }, one) == 2);
    CHECK(same_bits([](const Tensor& x) { return x.cumsum(0).to(kLong).remainder(3); }, one) == 2);
    CHECK(same_bits([](const Tensor& x) { return complex(x, x + 1).exp(); }, one) == 2);
    CHECK(same_bits([](const Tensor& x) { return x + arange(4, kFloat) * 2; }, one) == 2);
    CHECK(same_bits([](const Tensor& x) { return (x - x.flip(0)).std(); }, one) == 2);
    CHECK(same_bits([](const Tensor& x) { return x.select(0, 1).unfold(0, 2, 1).sum(1); }, one) ==
          2);
    CHECK(same_bits([](const Tensor& x, const Tensor& b) { return (x + b).amax({0}); }, two) == 2);
    CHECK(same_bits([](const Tensor& x, const Tensor& b) { return x.matmul(b) + b.sum(); }, two) ==
          2);
    CHECK(same_bits([](const Tensor& x) { return x.narrow(0, 0, 0) * 2; }, one) == 2);
    CHECK(same_bits([](const Tensor& x) { return x.narrow(0, 0, 0).sum(); }, one) == 2);
    CHECK(same_bits([](const Tensor& x) { return x.mean() * 0.1; }, one) == 2);
    CHECK(same_bits(
              [](const Tensor& x) {
                  Tensor y = x + 1;
                  y *= 3;
                  y.sub_(x);
                  return y;
              },
              one) == 2);
}

TEST_CASE("compile: writes to a part of what the function made are replayed") {
    CHECK(same_bits([](const Tensor& x, const Tensor& b) { return cat({x, b.view({1, 4})}); },
                    two) == 2);
    CHECK(same_bits([](const Tensor& x) { return stack({x, x * 2, x.flip(0)}, 1); }, one) == 2);
    CHECK(same_bits(
              [](const Tensor& x) {
                  Tensor rows = zeros({4, 3});
                  for (int64_t i = 0; i < 4; ++i) rows[i] = x.select(1, i) * (i + 1);
                  return rows.sum(0) + x.sum(1);
              },
              one) == 2);
    CHECK(same_bits(
              [](const Tensor& x) {
                  Tensor y = x.exp();
                  const Tensor before = y * 2;  // reads the elements before the write
                  y.narrow(0, 1, 1).mul_(3);
                  y.narrow(1, 0, 2).add_(y.narrow(1, 2, 2));
                  return y + before;
              },
              one) == 2);
    const Tensor rows = (arange(2) * 2).eval();
    CHECK(same_bits(
              [&rows](const Tensor& x) {
                  Tensor y = x.clone();
                  y.index_put_({rows}, x.select(0, 1));
                  y.select(0, 0).fill_(7);
                  return y;
              },
              one) == 2);
    CHECK(same_bits(
              [](const Tensor& x) {
                  const Tensor sums = empty({2});
                  sums[0] = x.sum();
                  sums[1] = std::get<0>(x.sort(1))[0][1];
                  return cat({sums, x.view(-1)});
              },
              one) == 2);
    const Tensor w = ones({4}).eval();
    const auto step = compile([&w](const Tensor& x) {
        Tensor y = x * w;
        y[0] = 5;
        w.copy_(y + 1);
        return cat({y, w});
    });
    std::vector<double> expected{1, 1, 1, 1};
    CHECK(replays([&] {
              for (int i = 0; i < 4; ++i) {
                  const Tensor x = (counted({4}) + i).eval(), got = step(x);
                  for (int64_t k = 0; k < 4; ++k) {
                      double& v = expected[static_cast<std::size_t>(k)];
                      v = k == 0 ? 5 : v * static_cast<double>(k + i);
                      CHECK(got[k].item<double>() == v);
                      v += 1;
                      CHECK(got[k + 4].item<double>() == v);
                      CHECK(w[k].item<double>() == v);
                  }
              }
          }) == 2);
}

TEST_CASE("compile: random draws go on as those of the function do") {
    const Generator own = make_generator<PhiloxGeneratorImpl>(11);
    // Returns how many calls were replayed.
    const auto same_draws = [&own](const auto& f) {
        const auto step = compile(f);
        const auto all = [&](bool compiled) {
            manual_seed(5);
            own.set_current_seed(9);
            std::vector<Tensor> results;
            for (int i = 0; i < 6; ++i) {
                const Tensor x = (counted({3, 4}) + i).eval();
                results.push_back(compiled && i != 3 ? step(x) : f(x));
                results.push_back(rand({2}) + rand({2}, own));
            }
            return results;
        };
        const std::vector<Tensor> expected = all(false);
        return replays([&] {
            const std::vector<Tensor> got = all(true);
            for (std::size_t i = 0; i < got.size(); ++i) CHECK(got[i].equal(expected[i]));
        });
    };
    const Tensor w = counted({4, 4}).eval();
    CHECK(same_draws([](const Tensor& x) { return x + rand({3, 4}); }) == 3);
    CHECK(same_draws([](const Tensor& x) { return randn_like(x) * rand({4}) + arange(4); }) == 3);
    CHECK(same_draws([&](const Tensor& x) { return rand({4}, own) + rand({4}) + x; }) == 3);
    CHECK(same_draws([](const Tensor& x) { return x * (rand_like(x) > 0.5) * 2; }) == 3);
    CHECK(same_draws([](const Tensor& x) { return bernoulli(x / 20) + randint(0, 7, {4}); }) == 3);
    CHECK(same_draws([](const Tensor& x) {
              static_cast<void>(rand({5}));  // nobody reads it
              return x + randperm(4);
          }) == 3);
    CHECK(same_draws([](const Tensor& x) {
              Tensor y = x.clone();
              y.select(0, 1).normal_();
              return y.uniform_(2, 3) + cat({rand({1, 4}), randn({2, 4}, kDouble)});
          }) == 3);
    CHECK(same_draws([&](const Tensor& x) { return (x + rand({3, 4})).matmul(w).relu(); }) == 3);
    CHECK(same_draws(func::grad([](const Tensor& p) {
              return cat({p * rand({3, 4}), p.t().reshape({3, 4})}).square().sum();
          })) == 3);
    const auto given = compile(
        [](const Tensor& x, const Generator& g) { return x + rand({3}, g) * randn({3}, g); });
    const Tensor x = counted({3}).eval();
    CHECK(replays([&] {
              for (int i = 0; i < 6; ++i) {
                  const auto seed = static_cast<uint64_t>(i % 2);
                  const Generator a = make_generator<PhiloxGeneratorImpl>(seed), b = a.clone();
                  for (int k = 0; k < 3; ++k)
                      CHECK(given(x, a).equal(x + rand({3}, b) * randn({3}, b)));
              }
          }) == 12);
}

TEST_CASE("compile: a draw of a call that fails is drawn once") {
    const auto g = [](const Tensor& x) {
        return rand({2}) + x.to(kLong).div(x.to(kLong) - 1, "floor");
    };
    const auto step = compile(g);
    const Tensor good = full({2}, 3).eval(), bad = ones({2}).eval();
    for (int i = 0; i < 3; ++i) {
        manual_seed(1);
        static_cast<void>(step(good));
        CHECK_THROWS_AS(static_cast<void>(step(bad).sum().item<float>()), Error);
        const Tensor after = step(good);
        manual_seed(1);
        static_cast<void>(rand({4}));
        CHECK(after.equal(g(good)));
    }
}

TEST_CASE("compile: numbers that a function makes are constants" * doctest::test_suite("host")) {
    CHECK(same_bits([](const Tensor& x) { return x + tensor({1, 2, 3, 4}); }, one) == 2);
}

TEST_CASE("compile: functions with effects run, and say why" * doctest::test_suite("host")) {
    const auto why = [](const auto& f) {
        const auto step = compile(f);
        const Tensor x = counted({3}).eval();
        const uint64_t n = replays([&] {
            for (int i = 0; i < 6; ++i) {
                const Tensor y = f(x), z = step(x);
                CHECK(z.sizes() == y.sizes());
            }
        });
        CHECK(n == 0);
        return explain(step);
    };
    CHECK(mentions(why([](const Tensor& x) { return x * x.sum().item<float>(); }),
                   "needs a value at once (value_read)"));
    CHECK(mentions(
        why([](const Tensor& x) { return x[0].item<float>() > 1 ? Tensor(x + 1) : Tensor(x - 1); }),
        "needs a value at once"));
    CHECK(mentions(why([](const Tensor& x) { return x.nonzero(); }), "needs a value at once"));
    CHECK(mentions(why([](const Tensor& x) { return (x + 1).eval(); }), "needs a value at once"));
    CHECK(mentions(
        why([](const Tensor& x) { return x + rand({3}, make_generator<CPUGeneratorImpl>(7)); }),
        "makes a generator"));
    const Generator twister = make_generator<CPUGeneratorImpl>(7);
    CHECK(mentions(why([&](const Tensor& x) { return x + rand({3}, twister); }),
                   "draws from a Mersenne Twister"));
    CHECK(mentions(why([](const Tensor& x) {
                       manual_seed(3);
                       return x + rand({3});
                   }),
                   "moves a generator to another place"));
    CHECK(mentions(why([](const Tensor& x) { return x + get_rng_state().sum(); }),
                   "reads the place of a generator"));
    CHECK(mentions(why([](const Tensor& x) {
                       x.select(0, 1).add_(1);
                       return x + 1;
                   }),
                   "writes to a part of a tensor"));
    Tensor left;
    CHECK(mentions(why([&left](const Tensor& x) {
                       left = x * 2;
                       return x + left;
                   }),
                   "leaves a tensor behind"));
    const Tensor kept = ones({3}).eval();
    CHECK(mentions(why([&kept](const Tensor&) { return kept; }), "has by itself, or a view"));
    CHECK(mentions(why([](const Tensor& x) { return x.data_ptr() ? Tensor(x + 1) : x; }),
                   "(data_ptr)"));
    const Tensor w = ones({3}).requires_grad_();
    CHECK(mentions(why([&w](const Tensor& x) { return x * w; }), "records gradients"));
    CHECK(mentions(why([&w](const Tensor& x) { return (x * w).detach(); }), "gradient"));
    const auto step = compile([](const Tensor& x) { return x * 2; });
    for (int i = 0; i < 5; ++i) CHECK(step(w).requires_grad());
    CHECK(mentions(explain(step), "requires a gradient"));
}

TEST_CASE("compile: what changes in a captured tensor is seen") {
    const Tensor w = ones({3}).eval();
    Tensor replaced = ones({3}).eval();
    const auto step = compile([&](const Tensor& x) { return x * w + replaced; });
    const Tensor x = counted({3}).eval();
    const auto expected = [&] { return Tensor(x * w + replaced); };
    const uint64_t n = replays([&] {
        for (int i = 0; i < 4; ++i) {
            CHECK(step(x).equal(expected()));
            w.add_(0.5);  // pending at the next call
        }
    });
    CHECK(n == 3);
    w.fill_(7);
    CHECK(step(x).equal(expected()));
    w.narrow(0, 1, 1).fill_(3);
    CHECK(step(x).equal(expected()));
    replaced = zeros({3}).eval();  // nothing else holds the tensor that was recorded
    CHECK(step(x).equal(expected()));
    w.set_data(counted({3}));
    CHECK(step(x).equal(expected()));
}

TEST_CASE("compile: arguments that are also captured, and that are one tensor") {
    const Tensor w = counted({3}).eval();
    const auto f = [&](const Tensor& x) { return x * 2 + w; };
    const auto step = compile(f);
    for (int i = 0; i < 3; ++i) CHECK(step(w).equal(f(w)));
    for (int i = 0; i < 4; ++i) {
        const Tensor x = counted({3}) - i;
        CHECK(step(x).equal(f(x)));
    }
    CHECK(replays([&] { CHECK(step(w).equal(f(w))); }) == 1);
    const auto g = [](const Tensor& a, const Tensor& b) { return a * 10 + b; };
    const auto both = compile(g);
    for (int i = 0; i < 4; ++i) {
        const Tensor x = counted({3}) - i, y = counted({3}) + i;
        CHECK(both(x, x).equal(g(x, x)));
        CHECK(both(x, y).equal(g(x, y)));
        CHECK(both(x, x.view({3})).equal(g(x, x)));
    }
}

TEST_CASE("compile: signatures") {
    int runs = 0;
    const auto f = [&runs](const Tensor& x, double scale, bool up,
                           const std::vector<int64_t>& dims) {
        ++runs;
        const Tensor y = x * scale;
        return up ? y.sum(dims) : -y.sum(dims);
    };
    const auto step = compile(f);
    const Tensor x = counted({3, 4}).eval();
    const auto runs_for = [&](const auto&... a) {
        const int before = runs;
        static_cast<void>(step(a...));
        return runs - before;
    };
    CHECK(runs_for(x, 2.0, true, std::vector<int64_t>{0}) == 1);
    CHECK(runs_for(x, 2.0, true, std::vector<int64_t>{0}) == 0);
    CHECK(runs_for(x, 3.0, true, std::vector<int64_t>{0}) == 1);
    CHECK(runs_for(x, 2.0, false, std::vector<int64_t>{0}) == 1);
    CHECK(runs_for(x, 2.0, true, std::vector<int64_t>{0, 1}) == 1);
    CHECK(runs_for(x, 2, true, std::vector<int64_t>{0}) == 1);
    CHECK(runs_for(x, 2.0, true, std::vector<int64_t>{0}) == 0);
    CHECK(runs_for(x.t().contiguous().t(), 2.0, true, std::vector<int64_t>{0}) == 1);
    CHECK(runs_for(x.to(kDouble), 2.0, true, std::vector<int64_t>{0}) == 1);
    CHECK(runs_for(x * 2, 2.0, true, std::vector<int64_t>{0}) == 1);  // another tensor
    {
        const FastMathGuard fast;
        CHECK(runs_for(x, 2.0, true, std::vector<int64_t>{0}) == 1);
    }
    const auto sum = compile([](const Tensor& t) { return t.sum(); });
    for (int64_t n = 0; n < 100; ++n) CHECK(sum(ones({n})).item<float>() == static_cast<float>(n));
    CHECK(explain(sum).find("Float [99]") != std::string::npos);
    CHECK_FALSE(mentions(explain(sum), "Float [35]:"));  // 64 are kept
    CHECK(mentions(explain(sum), "Float [36]:"));
}

TEST_CASE("compile: several and structured results") {
    const auto f = [](const layer& l, const std::vector<Tensor>& xs) {
        const Tensor y = xs.at(0).matmul(l.weight) + l.bias;
        return std::make_tuple(layer{y, y.t()}, std::vector<Tensor>{y, xs.back(), Tensor()},
                               std::array<Tensor, 1>{y.sum()});
    };
    const auto step = compile(f);
    const layer l{counted({4, 2}).eval(), ones({2}).eval()};
    const uint64_t n = replays([&] {
        for (int i = 0; i < 4; ++i) {
            const Tensor x = (counted({3, 4}) * i).eval();
            const auto [a, b, c] = step(l, std::vector<Tensor>{x, x});
            const Tensor y = x.matmul(l.weight) + l.bias;
            CHECK(a.weight.equal(y));
            CHECK(a.bias.equal(y.t()));
            CHECK(a.bias.is_alias_of(a.weight));
            CHECK((b.at(0).unsafeGetTensorImpl() == a.weight.unsafeGetTensorImpl()));
            CHECK((b.at(1).unsafeGetTensorImpl() == x.unsafeGetTensorImpl()));
            CHECK_FALSE(b.at(2).defined());
            CHECK(c[0].equal(y.sum()));
            a.weight.fill_(9);
            CHECK(a.bias.equal(full({2, 3}, 9)));
        }
    });
    CHECK(n == 2);
    const auto nested = compile([](const std::vector<std::vector<Tensor>>& v) {
        return v.size() == 1 ? Tensor(v[0][0] + v[0][1]) : Tensor(v[0][0] - v[1][0]);
    });
    const Tensor x = ones({2}).eval();
    for (int i = 0; i < 3; ++i) {
        CHECK(nested(std::vector<std::vector<Tensor>>{{x, x}}).equal(x + x));
        CHECK(nested(std::vector<std::vector<Tensor>>{{x}, {x}}).equal(x - x));
    }
}

TEST_CASE("compile: results that are views") {
    CHECK(same_bits([](const Tensor& x) { return (x * 2).t(); }, one) == 2);
    CHECK(same_bits([](const Tensor& x) { return (x + 1).select(0, 1).unsqueeze(0); }, one) == 2);
    CHECK(same_bits([](const Tensor& x) { return view_as_real(complex(x, x)); }, one) == 2);
    CHECK(same_bits([](const Tensor& x) { return x.t().narrow(0, 1, 2); }, one) == 2);
    const auto f = [](const Tensor& x) {
        const Tensor y = x * 2;
        x.add_(1);
        return std::vector<Tensor>{y.t(), y.select(0, 1), x.view({4, 3}),
                                   x.t(), x.t(),          y.narrow(1, 0, 2)};
    };
    const auto step = compile(f);
    std::vector<Tensor> kept;  // so that each argument is another tensor
    CHECK(replays([&] {
              for (int i = 0; i < 4; ++i) {
                  const Tensor a = (counted({3, 4}) + i).eval(), b = a.clone().eval();
                  kept.push_back(b);
                  const std::vector<Tensor> expected = f(a), got = step(b);
                  const auto check = [&] {
                      for (std::size_t k = 0; k < got.size(); ++k) {
                          CHECK(got[k].equal(expected[k]));
                          CHECK(got[k].strides() == expected[k].strides());
                          CHECK(got[k].is_view() == expected[k].is_view());
                          for (std::size_t j = 0; j < k; ++j)
                              CHECK(got[k].is_alias_of(got[j]) ==
                                    expected[k].is_alias_of(expected[j]));
                      }
                      CHECK(a.equal(b));
                  };
                  check();
                  for (const auto* all : {&expected, &got}) {
                      (*all)[1].fill_(9);
                      (*all)[2].narrow(0, 1, 2).mul_(3);
                  }
                  check();
              }
          }) == 2);
}

TEST_CASE("compile: gradients inside of a function") {
    CHECK(same_bits(
              [](const Tensor& x) {
                  const Tensor p = x.detach().requires_grad_();
                  return autograd::grad({(p * p * p).sum()}, {p})[0];
              },
              one) == 2);
    CHECK(same_bits(
              [](const Tensor& x) {
                  const Tensor p = x.clone().requires_grad_();
                  (p.exp() * p).sum().backward();
                  return p.grad();
              },
              one) == 2);
    CHECK(same_bits(
              [](const Tensor& x) {
                  const auto loss = [](const Tensor& p) { return (p.sin() * p).sum(); };
                  return func::grad(loss)(x) +
                         func::grad([&](const Tensor& p) { return func::grad(loss)(p).sum(); })(x);
              },
              one) == 2);
    // A step of gradient descent; what it trains needs no gradient of its own.
    const Tensor w = full({4}, 0.5).eval(), other = w.clone().eval();
    const auto train = [](const Tensor& weights, const Tensor& x) {
        const auto [g, loss] = func::grad_and_value(
            [&x](const Tensor& p) { return (x.matmul(p) - 1).square().mean(); })(weights);
        weights.sub_(g * 0.01);
        return loss;
    };
    const auto step = compile(train);
    CHECK(replays([&] {
              for (int i = 0; i < 5; ++i) {
                  const Tensor x = (counted({3, 4}) * 0.1 + i % 2).eval();
                  CHECK(step(w, x).equal(train(other, x)));
                  CHECK(w.equal(other));
                  CHECK(mentions(explain(step), "matmul"));
              }
          }) == 3);
}

TEST_CASE("compile: donated arguments give their memory to results") {
    const auto f = [](const Tensor& x, const Tensor& y) { return x * 2 + y; };
    auto step = compile(f).donate(0);
    const auto given = [] { return stats().bytes_donated; };
    const Tensor y = counted({3, 1000}).eval();
    Tensor x = counted({3, 1000}).eval(), same = x.clone().eval();
    for (int i = 0; i < 8; ++i) {
        const Tensor used = x;
        const uint64_t before = given(), calls = stats().functions_replayed;
        x = step(x, y);
        const bool replayed = stats().functions_replayed > calls;
        CHECK(replayed == (i >= 2));
        if (replayed) CHECK(given() == before + x.nbytes());
        same = f(same, y).eval();
        CHECK(x.equal(same));
        CHECK_THROWS_WITH_AS(static_cast<void>(used.sum().item<float>()),
                             "[compile] the tensor was donated to a compiled function; got a read "
                             "of it after the call, expected none; try the call's result, or "
                             "clone() before the call",
                             Error);
        CHECK(used.sizes() == y.sizes());
        used.fill_(i);
        CHECK(used.equal(full({3, 1000}, i)));
        CHECK(x.equal(same));
    }
    CHECK(y.equal(counted({3, 1000})));
    // What pending work reads is kept for it.
    const Tensor last = x.clone().eval(), later = last + 1;
    static_cast<void>(step(last, y));
    CHECK(later.equal(x + 1));
    // One that the function writes is taken as well.
    auto writes = compile([](const Tensor& a) {
                      a.add_(1);
                      return a * 2;
                  }).donate(0);
    for (int i = 0; i < 4; ++i) {
        const Tensor a = full({3}, i).eval();
        CHECK(writes(a).equal(full({3}, 2 * i + 2)));
        CHECK_THROWS_AS(static_cast<void>(a.clone().eval()), Error);
    }
    // A function that donates what it was given runs at each call.
    const auto outer =
        compile([&step](const Tensor& a, const Tensor& b) { return step(a, b) + 1; });
    for (int i = 0; i < 4; ++i) {
        const Tensor a = (y * i).eval();
        CHECK(outer(a, y).equal(y * i * 2 + y + 1));
        CHECK_THROWS_AS(static_cast<void>(a.sum().item<float>()), Error);
    }
    CHECK(mentions(explain(outer), "donates a tensor to another compiled function"));
    CHECK_THROWS_WITH_AS(step.donate(64), doctest::Contains("the number of the argument"),
                         IndexError);
    auto quotient = compile([](const Tensor& a, const Tensor& b) {
                        return a.to(kLong).div(b.to(kLong), "floor");
                    }).donate(0);
    const Tensor good = ones({3}).eval(), zero = zeros({3}).eval();
    for (int i = 0; i < 3; ++i) {
        CHECK(quotient(full({3}, i).eval(), good).equal(full({3}, i, kLong)));
        CHECK_THROWS_WITH_AS(
            static_cast<void>(quotient(ones({3}).eval(), zero).sum().item<int64_t>()),
            doctest::Contains("an integer was divided by zero"), Error);
    }
}

TEST_CASE("compile: donated tensors of the caller's memory, and those that are returned, stay" *
          doctest::test_suite("host")) {
    std::array<float, 3> memory{1, 2, 3};
    const Tensor outside = from_blob(memory.data(), {3}), z = ones({3}).eval();
    const auto step = compile([](const std::vector<Tensor>& v) {
                          return std::vector<Tensor>{v[0] + v[1], v[1].view({3, 1})};
                      }).donate(0);
    for (int i = 0; i < 4; ++i) {
        const std::vector<Tensor> got = step(std::vector<Tensor>{outside, z});
        CHECK(got[0].equal(counted({3}) + 2));
        CHECK(got[1].is_alias_of(z));
        CHECK(outside.equal(got[0] - 1));
    }
}

TEST_CASE("compile: results are new tensors, and the argument itself is the argument") {
    const auto twice = compile([](const Tensor& x) { return x * 2; });
    const Tensor x = counted({3}).eval();
    std::vector<Tensor> kept;
    for (int i = 0; i < 4; ++i) kept.push_back(twice(x));
    kept[2].fill_(5);
    CHECK(kept[3].equal(x * 2));
    CHECK(kept[1].equal(x * 2));
    const auto same = compile([](const Tensor& t) { return t; });
    for (int i = 0; i < 3; ++i) CHECK((same(x).unsafeGetTensorImpl() == x.unsafeGetTensorImpl()));
    const auto none = compile([] { return arange(3, kFloat) + 1; });
    for (int i = 0; i < 3; ++i) CHECK(none().equal(arange(3, kFloat) + 1));
    CHECK_FALSE(compile([](const Tensor& t) { return t; })(Tensor()).defined());
}

TEST_CASE("compile: expressions, pending arguments, memory of the outside") {
    const auto f = [](const Tensor& x) { return x.exp().sum(); };
    const auto step = compile(f);
    for (int i = 0; i < 4; ++i) CHECK(step(counted({4}) * i).equal(f(counted({4}) * i)));
    std::array<float, 4> memory{1, 2, 3, 4};
    const Tensor outside = from_blob(memory.data(), {4});
    const auto scaled = compile([](const Tensor& x) { return x * 2 + 1; });
    const uint64_t n = replays([&] {
        for (int i = 0; i < 4; ++i) {
            memory[0] = static_cast<float>(i);
            const Tensor y = scaled(outside);
            memory[0] = 77;
            CHECK(y[0].item<float>() == static_cast<float>(2 * i + 1));
        }
    });
    CHECK(n == 3);
}

TEST_CASE("compile: nested, in eager mode, in transformations and of them") {
    const auto inner = compile([](const Tensor& x) { return x * x; });
    const auto f = [&](const Tensor& x) { return inner(x).sum() + inner(x + 1).sum(); };
    CHECK(same_bits(f, one) >= 2);
    {
        const ModeGuard eager(Mode::eager);
        CHECK(same_bits(f, one) == 0);
    }
    const auto slope = compile(func::grad([](const Tensor& x) { return (x * x * x).sum(); }));
    const uint64_t n = replays([&] {
        for (int i = 0; i < 4; ++i) {
            const Tensor x = (counted({3}) + i).eval();
            CHECK(slope(x).equal(3 * x * x));
        }
    });
    CHECK(n == 2);
    const auto both = compile(func::grad_and_value([](const Tensor& x) { return (x * x).sum(); }));
    for (int i = 0; i < 4; ++i) {
        const Tensor x = (counted({3}) + i).eval();
        const auto [g, y] = both(x);
        CHECK(g.equal(2 * x));
        CHECK(y.equal((x * x).sum()));
    }
    const auto mapped = func::vmap(inner);
    for (int i = 0; i < 3; ++i) CHECK(mapped(counted({2, 3})).equal(counted({2, 3}).square()));
    const auto of_vmap = compile(func::vmap([](const Tensor& row) { return row.sum() * 2; }));
    for (int i = 0; i < 4; ++i)
        CHECK(of_vmap(counted({2, 3}) + i).equal((counted({2, 3}) + i).sum(1) * 2));
    const Tensor w = ones({3}).requires_grad_();
    inner(w).sum().backward();
    CHECK(w.grad().equal(full({3}, 2)));
}

TEST_CASE("compile: errors of the function and of its values") {
    const auto picky = [](const Tensor& x, bool fails) {
        if (fails) throw std::runtime_error("no");
        return x + 1;
    };
    const auto step = compile(picky);
    const Tensor x = counted({3}).eval();
    for (int i = 0; i < 3; ++i) {
        CHECK_THROWS_AS(step(x, true), std::runtime_error);
        CHECK(step(x, false).equal(x + 1));
    }
    const auto quotient = compile(
        [](const Tensor& a, const Tensor& b) { return a.to(kLong).div(b.to(kLong), "floor"); });
    const Tensor zero = zeros({3}).eval(), good = ones({3}).eval(), more = full({3}, 2).eval();
    for (int i = 0; i < 2; ++i) {
        CHECK(quotient(x, good).equal(x.to(kLong)));
        CHECK_THROWS_WITH_AS(quotient(x, zero).sum().item<int64_t>(),
                             doctest::Contains("an integer was divided by zero"), Error);
        CHECK(quotient(x, more).sum().item<int64_t>() == 1);
    }
}

TEST_CASE("compile: explain") {
    const auto step = compile([](const Tensor& x) { return (x * 2 + 1).sum(); });
    CHECK(explain(step) == "a compiled function that was not called yet\n");
    const Tensor x = counted({5}).eval();
    for (int i = 0; i < 3; ++i) static_cast<void>(step(x));
    const std::string text = explain(step);
    CHECK(mentions(text, "Float [5]: recorded, replayed 2 times\n"));
    CHECK(mentions(text, "sum"));
}

TEST_CASE("compile: an argument that the function keeps") {
    Tensor last;
    const auto step = compile([&last](const Tensor& x) {
        last = x;
        return x + 1;
    });
    for (int i = 0; i < 5; ++i) {
        const Tensor x = full({2}, i).eval();
        CHECK(step(x).equal(x + 1));
        CHECK(last.equal(x));
    }
    CHECK(mentions(explain(step), "keeps an argument"));
}

TEST_CASE("compile: what a function makes at its first call only") {
    Tensor table;
    const auto step = compile([&table](const Tensor& x) {
        if (!table.defined()) table = arange(3, kFloat) * 2;
        return x + table;
    });
    const Tensor x = counted({3}).eval();
    CHECK(replays([&] {
              for (int i = 0; i < 5; ++i) CHECK(step(x).equal(counted({3}) * 3));
          }) == 3);
}

TEST_CASE("compile: a child process has the recordings of its parent" *
          doctest::test_suite("host")) {
    const Tensor w = ones({3}).eval();
    const auto step = compile([&w](const Tensor& x) { return x * 2 + w; });
    const Tensor x = counted({3}).eval();
    for (int i = 0; i < 3; ++i) static_cast<void>(step(x));
    CHECK(test::status_of_child([&] {
              const uint64_t before = stats().functions_replayed;
              w.fill_(3);
              const bool good = step(x).equal(counted({3}) * 2 + 3);
              return good && stats().functions_replayed == before + 1 ? 0 : 1;
          }) == 0);
}

TEST_CASE("compile: writes to all of an argument and of a captured tensor are replayed") {
    const Tensor w = ones({3}).eval(), seen = zeros({3}).eval();
    const auto train = [&](const Tensor& x, const Tensor& rate) {
        const Tensor g = (w * x - 2) * x;
        w.sub_(g * rate);
        seen.add_(1).mul_(2);
        x.mul_(0.5);
        return std::make_tuple(w.sum(), x);
    };
    const auto step = compile(train);
    const Tensor rate = full({}, 0.125).eval();
    double expected[] = {1, 1, 1};
    double counts = 0;
    const uint64_t n = replays([&] {
        for (int i = 0; i < 6; ++i) {
            const Tensor x = (counted({3}) + i % 2).eval();
            const auto version = w._version();
            const Tensor before = w * 1;  // pending; still reads the old value
            const std::vector<float> old = test::elements<float>(w.clone());
            const auto [sum, same] = step(x, rate);
            CHECK(w._version() == version + 1);
            CHECK((same.unsafeGetTensorImpl() == x.unsafeGetTensorImpl()));
            CHECK(x.equal((counted({3}) + i % 2) * 0.5));
            double total = 0;
            for (int k = 0; k < 3; ++k) {
                const double v = k + i % 2;
                expected[k] -= (expected[k] * v - 2) * v * 0.125;
                total += expected[k];
                CHECK(w[k].item<double>() == doctest::Approx(expected[k]));
                CHECK(before[k].item<float>() == old[static_cast<std::size_t>(k)]);
            }
            CHECK(sum.item<double>() == doctest::Approx(total));
            counts = (counts + 1) * 2;
            CHECK(seen[0].item<double>() == counts);
        }
    });
    CHECK(n == 4);
    static_cast<void>(w.data_ptr());  // its address is known now: the function runs
    const Tensor x = counted({3}).eval();
    CHECK(replays([&] { static_cast<void>(step(x, rate)); }) == 0);
    CHECK(w[1].item<double>() == doctest::Approx(expected[1] - (expected[1] - 2) * 0.125));
}

TEST_CASE("compile: a function that returns nothing writes to its arguments") {
    int runs = 0;
    const auto step = compile([&runs](Tensor x, const Tensor& y) {
        ++runs;
        x.mul_(2).add_(y);
    });
    const Tensor y = tensor({1.0, 2.0}, kDouble);
    for (int i = 0; i < 4; ++i) {
        Tensor x = tensor({3.0, 4.0}, kDouble);
        x += i;
        step(x, y);
        test::check<double>(x, {2}, {7.0 + 2 * i, 10.0 + 2 * i});
    }
    CHECK(runs < 4);
    static_assert(std::is_void_v<decltype(step(y, y))>);
}
