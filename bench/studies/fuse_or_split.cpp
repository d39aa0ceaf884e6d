// Finds programs that fusion slows down: random programs over matrices run as one fused evaluation,
// as one evaluation per operation, and in eager mode, in turns. Prints the ratios to the faster of
// the two that do not fuse, and the worst programs, each with a seed that replays it:
//   study_fuse_or_split [elements [programs [first seed [threads]]]]
#include <sinter/sinter.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace {

using namespace sinter;

/// How a program runs: everything when its last value is read, or each operation at its line, by a
/// separate kernel or by block rows.
enum class how { fused, apart, eager };
how running = how::fused;

/// Returns an intermediate value.
Tensor stored(Tensor t) {
    if (running == how::apart) t.eval();
    return t;
}

struct step {
    std::string text;
    std::function<Tensor(const std::vector<Tensor>&)> compute;
};

/// A program over `leaves`: each step computes one more value from the earlier ones.
struct random_program {
    std::vector<Tensor> leaves;
    std::vector<std::string> texts;  // of the leaves
    std::vector<step> steps;

    Tensor run() const {
        std::vector<Tensor> values = leaves;
        for (const step& s : steps) values.push_back(stored(s.compute(values)));
        return values.back();
    }
    std::string print() const {
        std::string s;
        for (std::size_t i = 0; i < texts.size(); ++i)
            s += "    v" + std::to_string(i) + " = " + texts[i] + "\n";
        for (std::size_t i = 0; i < steps.size(); ++i)
            s += "    v" + std::to_string(texts.size() + i) + " = " + steps[i].text + "\n";
        return s;
    }
};

class generator {
public:
    generator(uint64_t seed, int64_t n) : random_(seed) {
        const int64_t side = std::max<int64_t>(2, static_cast<int64_t>(std::sqrt(n)));
        const int64_t columns[] = {4, 24, side, n / 16, n / 4};
        columns_ = columns[pick(5)];
        rows_ = std::max<int64_t>(1, n / columns_);
        const ScalarType types[] = {kFloat, kFloat, kFloat, kDouble, kHalf};
        type_ = types[pick(5)];
    }

    random_program make() {
        const int leaves = 2 + pick(3);
        for (int i = 0; i < leaves; ++i) add_leaf(i == 0);
        const int steps = 3 + pick(8);
        for (int i = 0; i < steps; ++i) add_step();
        return std::move(p_);
    }

private:
    int pick(int n) { return static_cast<int>(random_() % static_cast<uint64_t>(n)); }
    std::string v(int i) const { return "v" + std::to_string(i); }
    int any() {
        const int n = static_cast<int>(p_.texts.size() + p_.steps.size());
        return pick(3) == 0 ? pick(n) : n - 1 - pick(std::min(n, 3));
    }

    Tensor numbers(IntArrayRef sizes) { return rand(sizes).to(type_).eval(); }

    void add_leaf(bool whole) {
        const std::string r = std::to_string(rows_), c = std::to_string(columns_);
        Tensor t;
        std::string text;
        switch (whole ? 0 : pick(6)) {
            case 1:
                t = numbers({1, columns_});
                text = "{1, " + c + "}";
                break;
            case 2:
                t = numbers({rows_, 1});
                text = "{" + r + ", 1}";
                break;
            case 3:
                t = numbers({columns_, rows_}).t();
                text = "{" + c + ", " + r + "}.t()";
                break;
            case 4:
                t = numbers({rows_, 2 * columns_}).slice(1, 0, 2 * columns_, 2);
                text = "{" + r + ", 2 * " + c + "} every second column";
                break;
            default: t = numbers({rows_, columns_}); text = "{" + r + ", " + c + "}";
        }
        t.eval();
        p_.leaves.push_back(t);
        p_.texts.push_back(std::string(toString(type_)) + text);
    }

    void add_step() {
        const int a = any(), b = any();
        const auto unary = [&](const char* name, Tensor (*f)(const Tensor&)) {
            p_.steps.push_back({name + ("(" + v(a) + ")"), [=](const std::vector<Tensor>& x) {
                                    return f(x[static_cast<std::size_t>(a)]);
                                }});
        };
        const auto binary = [&](const char* name, Tensor (*f)(const Tensor&, const Tensor&)) {
            p_.steps.push_back({v(a) + " " + name + " " + v(b), [=](const std::vector<Tensor>& x) {
                                    return f(x[static_cast<std::size_t>(a)],
                                             x[static_cast<std::size_t>(b)]);
                                }});
        };
        using T = const Tensor&;
        switch (pick(24)) {
            case 0: return unary("exp(-abs)", [](T x) -> Tensor { return (-x.abs()).exp(); });
            case 1: return unary("tanh", [](T x) -> Tensor { return tanh(x); });
            case 2: return unary("log1p(abs)", [](T x) -> Tensor { return log1p(x.abs()); });
            case 3: return unary("relu", [](T x) -> Tensor { return relu(x); });
            case 4: return unary("0.5 * _ + 1", [](T x) -> Tensor { return x * 0.5 + 1; });
            case 5: return unary("sum(0)", [](T x) -> Tensor { return x.sum(0, true) * 1e-3; });
            case 6: return unary("mean(1)", [](T x) -> Tensor { return x.mean(1, true); });
            case 7: return unary("amax(1)", [](T x) -> Tensor { return x.amax(1, true); });
            case 8: return unary("softmax(1)", [](T x) -> Tensor { return softmax(x, 1); });
            case 9: return unary("sqrt(abs)", [](T x) -> Tensor { return sqrt(x.abs()); });
            case 10: return binary("/ 1 +", [](T x, T y) -> Tensor { return x / (1 + y.abs()); });
            case 11: return binary("max", [](T x, T y) -> Tensor { return maximum(x, y); });
            case 12: return binary("-", [](T x, T y) -> Tensor { return x - y; });
            case 13: return binary("+", [](T x, T y) -> Tensor { return x + y; });
            case 14: return unary("standardised", standardised);
            case 15: return unary("var(0)", [](T x) -> Tensor { return x.var({0}, false, true); });
            case 16:
                return unary("over both sums", [](T x) -> Tensor {
                    return x / (1 + x.sum(0, true).abs()) + x / (1 + x.sum(1, true).abs());
                });
            case 17: return unary("cumsum(1)", [](T x) -> Tensor { return x.cumsum(1) * 1e-3; });
            case 18: return turned();
            case 19: return statement();
            case 20: return statement();
            default: return binary("*", [](T x, T y) -> Tensor { return x * y; });
        }
    }

    static Tensor standardised(const Tensor& x) {
        const Tensor centred = x - x.mean(1, true);
        return centred / sqrt((centred * centred).mean(1, true) + 1e-3);
    }

    /// A computed value and another one, read transposed to each other.
    void turned() {
        const int a = any();
        const Tensor other = numbers({columns_, rows_});
        const bool twice = pick(2) == 0;
        p_.steps.push_back({std::string(twice ? "(tanh(" : "((2 * ") + v(a) +
                                (twice ? ")" : " + 1)") + ".t() + a {columns, rows}).t()",
                            [=](const std::vector<Tensor>& x) -> Tensor {
                                const Tensor& of = x[static_cast<std::size_t>(a)];
                                const Tensor computed =
                                    stored(twice ? Tensor(tanh(of)) : Tensor(of * 2 + 1));
                                return Tensor(computed.t() + other).t();
                            }});
    }

    template <class T>
    static auto polynomial(const T& x) {
        return x * (x * (x * (x * 0.1 + 0.2) + 0.3) + 0.4);
    }

    /// Several operators in one statement (operation by operation: in several statements). The
    /// first operand may be a row, a column or one number.
    void statement() {
        const int leaves = static_cast<int>(p_.texts.size());
        const int a = pick(leaves), b = any(), c = any();
        const int form = pick(4);
        static const char* const forms[] = {
            "exp(-_) * _ + _", "_ - tanh(_.sum()) * _", "_ / (1 + exp(-_)) * _",
            "(_ * (_ * (_ * (_ * 0.1 + 0.2) + 0.3) + 0.4)) * _ + _"};
        p_.steps.push_back({forms[form] + (" of " + v(a) + ", " + v(b) + ", " + v(c)),
                            [=](const std::vector<Tensor>& values) -> Tensor {
                                const Tensor &x = values[static_cast<std::size_t>(a)],
                                             &y = values[static_cast<std::size_t>(b)],
                                             &z = values[static_cast<std::size_t>(c)];
                                if (running == how::fused) switch (form) {
                                        case 0: return exp(-x) * y + z;
                                        case 1: return y - tanh(x.sum()) * z;
                                        case 2: return y / (1 + exp(-x)) * z;
                                        default: return polynomial(x) * y + z;
                                    }
                                const Tensor first =
                                    stored(form == 1   ? Tensor(tanh(stored(x.sum())))
                                           : form == 3 ? Tensor(polynomial(x))
                                                       : Tensor(exp(-x)));
                                switch (form) {
                                    case 1: return y - stored(first * z);
                                    case 2: return stored(y / stored(1 + first)) * z;
                                    default: return stored(first * y) + z;
                                }
                            }});
    }

    std::mt19937_64 random_;
    int64_t rows_, columns_;
    ScalarType type_;
    random_program p_;
};

constexpr double loss = 1.05;
constexpr int warm_runs = 40;  // until a measured choice is final

struct outcome {
    uint64_t seed;
    bool chosen = false, written_out = false;  // by measurement
    double fused = 1e300, apart = 1e300, eager = 1e300;
    double ratio() const { return fused / std::min(apart, eager); }
};

double once(const random_program& p, how way) {
    running = way;
    const ModeGuard guard(way == how::eager ? Mode::eager : Mode::lazy);

    const auto start = std::chrono::steady_clock::now();
    p.run().eval();
    return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start)
        .count();
}

outcome race(uint64_t seed, const random_program& p) {
    outcome o{seed};
    for (int warm = 0; warm < warm_runs; ++warm) once(p, how::fused);
    for (how way : {how::apart, how::eager, how::apart}) once(p, way);

    double spent = 0;
    // Programs that lost are measured longer: other load on the machine disturbs one side or the
    // other.
    for (int round = 0; round < 600 && (round < 5 || spent < (o.ratio() > loss ? 3e8 : 6e7));
         ++round) {
        const double f = once(p, how::fused), a = once(p, how::apart);
        const double e = round < 5 || o.eager < 2 * o.apart ? once(p, how::eager) : 0;
        o.fused = std::min(o.fused, f);
        o.apart = std::min(o.apart, a);
        if (e > 0) o.eager = std::min(o.eager, e);
        spent += f + a + e;
    }
    running = how::fused;
    const std::string plan = explain(p.run());
    o.chosen = plan.find("choice:") != std::string::npos;
    o.written_out = plan.find("choice: written out") != std::string::npos;
    return o;
}

}  // namespace

int main(int count, char** arguments) {
    setenv("SINTER_JIT", "wait", 1);
    const auto argument = [&](int i, int64_t otherwise) {
        return i < count ? std::atoll(arguments[i]) : otherwise;
    };
    const int64_t n = argument(1, 300000), programs = argument(2, 200), first = argument(3, 1);
    set_num_threads(static_cast<int>(argument(4, 1)));
    std::vector<outcome> all;
    double logarithms = 0;
    int chosen = 0, written_out = 0;
    for (int64_t s = first; s < first + programs; ++s) {
        manual_seed(1);
        const auto seed = static_cast<uint64_t>(s);
        all.push_back(race(seed, generator(seed, n).make()));
        chosen += all.back().chosen;
        written_out += all.back().written_out;
        logarithms += std::log(all.back().ratio());
    }
    std::sort(all.begin(), all.end(),
              [](const outcome& a, const outcome& b) { return a.ratio() > b.ratio(); });
    std::size_t lost = 0;
    while (lost < all.size() && all[lost].ratio() > loss) ++lost;
    std::printf(
        "%zu programs of %lld elements: fused over not fused %.2f (geometric mean), %zu above "
        "1.05; %d measured choices, %d of them to write values out\n",
        all.size(), static_cast<long long>(n),
        std::exp(logarithms / static_cast<double>(all.size())), lost, chosen, written_out);
    for (std::size_t i = 0; i < std::min<std::size_t>(all.size(), std::max<std::size_t>(lost, 3));
         ++i) {
        manual_seed(1);
        const random_program p = generator(all[i].seed, n).make();
        std::printf("seed %llu: %.2f (%.1f us fused, %.1f us apart, %.1f us eager)\n%s",
                    static_cast<unsigned long long>(all[i].seed), all[i].ratio(),
                    all[i].fused / 1e3, all[i].apart / 1e3, all[i].eager / 1e3, p.print().c_str());
        running = how::fused;
        std::puts(explain(p.run()).c_str());
    }
}
