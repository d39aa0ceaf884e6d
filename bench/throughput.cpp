// The six cases by size, dtype and thread count: fused, eager and by hand.
#include "bench/bench.hpp"
#include "bench/buffer.hpp"
#include "bench/hand.hpp"

#include <sinter/sinter.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <stdexcept>

namespace bench {
namespace {

using namespace sinter;

template <class T>
constexpr const char* dtype_name = sizeof(T) == 4 ? "f32" : "f64";

/// The operands of all cases of one size. `out` is where the loops by hand write.
template <class T>
struct data {
    explicit data(int64_t count) : n(count), out(count) {
        columns = n <= 16 ? 4 : n <= 1000 ? 100 : 1000;
        rows = n / columns;
        manual_seed(1);
        a = randn({n}, scalar_type_v<T>);
        b = randn({n}, scalar_type_v<T>);
        c = randn({n}, scalar_type_v<T>);
        eval({a, b, c});
        table = a.view({rows, columns});
    }
    static const T* at(const Tensor& t) { return t.const_data_ptr<T>(); }

    int64_t n, rows, columns;
    Tensor a, b, c, table;
    buffer<T> out;
};

/// What is common to the rivals of a case, and where their records go.
template <class T>
class contest {
public:
    contest(const options& o, std::vector<record>& to, std::string name, data<T>& d, int threads)
        : o_(o), to_(to), name_(std::move(name)), d_(d), threads_(threads) {}

    void cost(int64_t arrays, int64_t operations) {
        bytes_ = arrays * d_.n * static_cast<int64_t>(sizeof(T));
        flops_ = operations * d_.n;
    }
    bool stream() const { return prefers_streaming(o_, bytes_, threads_); }

    /// `expression()` is one lazy statement's right-hand side, of `d.n` elements.
    template <class E>
    void elementwise(const E& expression, const std::string& note = "") {
        const std::string comma = note.empty() ? "" : ", " + note;
        rivals_.push_back(rival::of("fused", "fresh" + comma, [=] {
            Tensor z = expression();
            z.eval();
        }));
        Tensor target = Tensor(expression()).eval();
        rivals_.push_back(rival::of("fused", "reused" + comma, [=] {
            target.copy_(expression());
            target.eval();
        }));
        rivals_.push_back({"eager", "fresh" + comma, [=](int64_t times) {
                               ModeGuard guard(Mode::eager);
                               for (int64_t i = 0; i < times; ++i) {
                                   Tensor z = expression();
                                   z.eval();
                               }
                           }});
        expected_ = target;
    }

    /// `values()` makes, lazily, the few results of a reduction and evaluates them together.
    template <class V>
    void reduction(const V& values) {
        rivals_.push_back(rival::of("fused", "fixed order", values));
        rivals_.push_back({"eager", "fixed order", [=](int64_t times) {
                               ModeGuard guard(Mode::eager);
                               for (int64_t i = 0; i < times; ++i) values();
                           }});
    }

    template <class F>
    void by_hand(const char* impl, const std::string& note, F loop) {
        rivals_.push_back(rival::of(impl, note, loop));
        if (!expected_.defined()) return;
        loop();
        const T* want = expected_.const_data_ptr<T>();
        for (int64_t i = 0; i < d_.n; ++i)
            agree(d_.out.data()[i], want[i], sizeof(T) == 4 ? 2e-5 : 1e-12);
    }
    /// A benchmark of different results would compare nothing.
    void agree(T got, T want, double tolerance) const {
        if (std::abs(got - want) <= tolerance * (1 + std::abs(want))) return;
        throw std::runtime_error("[bench] " + name_ + ": results differ; got " +
                                 std::to_string(got) + " by hand, expected " +
                                 std::to_string(want) + " as the library");
    }

    void run() {
        const std::size_t count = rivals_.size();
        for (rival& triad : triad_rivals(bytes_, threads_)) rivals_.push_back(std::move(triad));
        const std::vector<timing> times = race(o_, rivals_);
        const double triad_ns = std::min(times[count].min_ns, times[count + 1].min_ns);
        const int64_t triad_bytes = std::max<int64_t>(bytes_ / 12, 1) * 12;
        for (std::size_t i = 0; i < count; ++i) {
            record r;
            r.name = name_;
            r.n = d_.n;
            r.dtype = dtype_name<T>;
            r.threads = threads_;
            r.impl = rivals_[i].impl;
            r.note = rivals_[i].note;
            r.min_ns = times[i].min_ns;
            r.median_ns = times[i].median_ns;
            r.bytes = bytes_;
            r.flops = flops_;
            r.stream_gbps = static_cast<double>(triad_bytes) / triad_ns;
            to_.push_back(std::move(r));
        }
    }

private:
    const options& o_;
    std::vector<record>& to_;
    std::string name_;
    data<T>& d_;
    int threads_;
    int64_t bytes_ = 0, flops_ = 0;
    std::vector<rival> rivals_;
    Tensor expected_;
};

template <class T>
void muladd(contest<T>& k, data<T>& d, int threads) {
    k.cost(4, 2);
    const Tensor a = d.a, b = d.b, c = d.c;
    k.elementwise([=] { return a * b + c; });
    const T *pa = d.at(a), *pb = d.at(b), *pc = d.at(c);
    for (bool fast : {false, true}) {
        const auto loop = fast ? hand_fast<T>().muladd : hand<T>().muladd;
        k.by_hand(fast ? "hand_fast" : "hand", k.stream() ? "non-temporal stores" : "",
                  [=, out = d.out.data(), n = d.n, s = k.stream()] {
                      loop(pa, pb, pc, out, n, threads, s);
                  });
    }
}

template <class T>
void poly10(contest<T>& k, data<T>& d, int threads) {
    k.cost(2, 10);
    const Tensor x = d.a;
    k.elementwise([=] { return ((((x * 0.01 + 0.05) * x - 0.2) * x + 0.3) * x - 0.4) * x + 0.5; });
    for (bool fast : {false, true}) {
        const auto loop = fast ? hand_fast<T>().poly10 : hand<T>().poly10;
        k.by_hand(fast ? "hand_fast" : "hand", k.stream() ? "non-temporal stores" : "",
                  [=, p = d.at(x), out = d.out.data(), n = d.n, s = k.stream()] {
                      const T factors[] = {T(0.5), T(-0.4), T(0.3), T(-0.2), T(0.05), T(0.01)};
                      loop(p, factors, out, n, threads, s);
                  });
    }
}

template <class T>
void gelu(contest<T>& k, data<T>& d, int threads) {
    k.cost(2, 5);
    const Tensor x = d.a;
    k.elementwise([=] { return 0.5 * x * (1 + erf(x * 0.70710678118654752)); });
    for (bool fast : {false, true}) {
        const auto loop = fast ? hand_fast<T>().gelu : hand<T>().gelu;
        k.by_hand(fast ? "hand_fast" : "hand",
                  fast ? "C library's vector erf" : "the library's erf formula, compiled by g++",
                  [=, p = d.at(x), out = d.out.data(), n = d.n, s = k.stream()] {
                      loop(p, out, n, threads, s);
                  });
    }
}

template <class T>
void sum(contest<T>& k, data<T>& d, int threads) {
    k.cost(1, 1);
    const Tensor x = d.a;
    k.reduction([=] { x.sum().eval(); });
    const T want = x.sum().template item<T>();
    for (bool fast : {false, true}) {
        const auto loop = fast ? hand_fast<T>().sum : hand<T>().sum;
        auto once = [=, p = d.at(x), n = d.n] { return loop(p, n, threads); };
        k.agree(once(), want, sizeof(T) == 4 ? 2e-4 : 1e-10);
        k.by_hand(fast ? "hand_fast" : "hand", "free order", [=] {
            volatile T sink = once();
            (void)sink;
        });
    }
}

template <class T>
void mean_var(contest<T>& k, data<T>& d, int threads) {
    k.cost(1, 4);
    const Tensor x = d.a;
    k.reduction([=] { eval({x.mean(), x.var()}); });
    const T mean = x.mean().template item<T>(), var = x.var().template item<T>();
    for (bool fast : {false, true}) {
        const auto loop = fast ? hand_fast<T>().mean_var : hand<T>().mean_var;
        auto once = [=, p = d.at(x), n = d.n] { return loop(p, n, threads); };
        k.agree(once().mean, mean, sizeof(T) == 4 ? 1e-5 : 1e-12);
        k.agree(once().var, var, sizeof(T) == 4 ? 1e-4 : 1e-11);
        k.by_hand(fast ? "hand_fast" : "hand", "free order, two passes over blocks in cache", [=] {
            volatile T sink = once().var;
            (void)sink;
        });
    }
}

template <class T>
void softmax(contest<T>& k, data<T>& d, int threads) {
    k.cost(2, 5);
    const Tensor x = d.table;
    const std::string shape = std::to_string(d.rows) + "x" + std::to_string(d.columns);
    k.elementwise(
        [=] {
            Tensor e = exp(x - x.amax({1}, true));
            return e / e.sum({1}, true);
        },
        shape);
    for (bool fast : {false, true}) {
        const auto loop = fast ? hand_fast<T>().softmax : hand<T>().softmax;
        k.by_hand(fast ? "hand_fast" : "hand", shape + ", sum in free order",
                  [=, p = d.at(x), out = d.out.data(), rows = d.rows, columns = d.columns,
                   s = k.stream()] { loop(p, out, rows, columns, threads, s); });
    }
}

template <class T>
void run_size(const options& o, std::vector<record>& to, int64_t n) {
    using set_up = void (*)(contest<T>&, data<T>&, int);
    static constexpr std::pair<const char*, set_up> cases[] = {
        {"a*b+c", muladd<T>}, {"poly10", poly10<T>},     {"gelu", gelu<T>},
        {"sum", sum<T>},      {"mean+var", mean_var<T>}, {"softmax", softmax<T>}};
    std::unique_ptr<data<T>> d;
    for (int threads : o.threads) {
        for (const auto& [name, make] : cases) {
            if (!o.wants(name, dtype_name<T>, n, threads)) continue;
            if (!d) d = std::make_unique<data<T>>(n);
            set_num_threads(threads);
            contest<T> k(o, to, name, *d, threads);
            make(k, *d, threads);
            k.run();
        }
    }
    if (d) std::fprintf(stderr, "%s n=%lld done\n", dtype_name<T>, static_cast<long long>(n));
}

}  // namespace

void run_throughput(const options& o, std::vector<record>& to) {
    for (int64_t n : {16, 1000, 100000, 1000000, 30000000}) {
        run_size<float>(o, to, n);
        if (!o.quick || n <= 1000000) run_size<double>(o, to, n);
    }
}

}  // namespace bench
