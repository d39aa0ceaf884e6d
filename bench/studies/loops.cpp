// Compares loops that stay lazy with the same loops evaluated at each step, and with eager mode:
// users' programs, of which laziness must not slow down any. Each run is a new process with an
// empty kernel cache, the three ways in turns. `cold`: the first run of the program in its process,
// compilation included. `warm`: the best of the later runs. Peaks are of the first run, above what
// lived before.
//   study_loops [name...]
#include <sinter/sinter.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

namespace {

using namespace sinter;
using namespace sinter::indexing;

/// Ends a step: evaluates the loop's state in the runs that do that.
bool eval_each_step = false;
template <class... T>
void step_done(const T&... state) {
    if (eval_each_step) (static_cast<void>(state.eval()), ...);
}

/// What a program starts from, made before it is measured.
using inputs = std::vector<Tensor>;

double total(const Tensor& t) { return t.sum(kDouble).item<double>(); }

struct program {
    const char* name;
    std::function<double(const inputs&)> run;  // returns a number that depends on all results
    std::vector<std::vector<int64_t>> given;   // the sizes of its inputs
};

/// Numbers of mean 0 and variance 1, the same ones as in loops_peers.py.
inputs inputs_of(const program& p) {
    constexpr uint64_t last = (1 << 24) - 1;
    inputs all;
    for (const std::vector<int64_t>& sizes : p.given) {
        const Tensor x = sinter::empty(sizes);
        auto* to = x.data_ptr<float>();
        for (int64_t i = 0; i < x.numel(); ++i) {
            uint64_t place = (static_cast<uint64_t>(i) + (all.size() + 1) * 1000003) & last;
            for (uint64_t odd : {10368889, 14058331, 7027927}) {
                place = place * odd & last;
                place ^= place >> 11;
            }
            to[i] = (static_cast<float>(place) * 0x1p-24F - 0.5F) * 3.4641016F;
        }
        all.push_back(x);
    }
    return all;
}

double wave(const inputs&) {
    const int64_t n = 1000000;
    Tensor u = sin(arange(n, kFloat) * 1e-3), p = u.clone();
    for (int i = 0; i < 100; ++i) {
        Tensor next = 2 * u - p;
        next.index({Slice(1, -1)}) +=
            0.1 *
            (u.index({Slice(2, None)}) - 2 * u.index({Slice(1, -1)}) + u.index({Slice(None, -2)}));
        p = u;
        u = next;
        step_done(u);
    }
    return total(u);
}

double heat(const inputs&) {
    Tensor a = zeros({512, 512});
    a.index_put_({Slice(200, 300), Slice(200, 300)}, 1.0);
    const Slice in(1, -1), before(None, -2), after(2, None);
    for (int i = 0; i < 100; ++i) {
        a.index({in, in}) +=
            0.2 * (a.index({before, in}) + a.index({after, in}) + a.index({in, before}) +
                   a.index({in, after}) - 4 * a.index({in, in}));
        step_done(a);
    }
    return total(a);
}

double attention(const inputs& in) {
    Tensor y = in[0];
    for (int i = 0; i < 50; ++i) {
        y = (y.softmax(1) + y.t()) * 0.5;
        step_done(y);
    }
    return total(y);
}

double softmax_residual(const inputs& in) {
    Tensor x = in[0];
    for (int i = 0; i < 100; ++i) {
        x = x.softmax(1) + x;
        step_done(x);
    }
    return total(x);
}

double life(const inputs& in) {
    Tensor a = (in[0] < -0.7).to(kInt);
    for (int i = 0; i < 100; ++i) {
        Tensor n = zeros_like(a);
        for (int dy = -1; dy <= 1; ++dy)
            for (int dx = -1; dx <= 1; ++dx)
                if (dy || dx) n = n + a.roll({dy, dx}, {0, 1});
        a = ((n == 3) | ((n == 2) & (a == 1))).to(kInt);
        step_done(a);
    }
    return total(a);
}

double brownian(const inputs&) {
    const double c = -0.5 * 0.04 / 64, k = 0.2 / 8;
    Tensor s = full({100000}, 100.0), sum = zeros({100000});
    for (int i = 0; i < 64; ++i) {
        s = s * exp(c + k * randn({100000}));
        sum += s;
        step_done(s, sum);
    }
    return total(sum / 64);
}

double random_walk(const inputs&) {
    Tensor x = zeros({100000});
    for (int i = 0; i < 200; ++i) {
        x = x + randn({100000});
        step_done(x);
    }
    return total(x);
}

double power_iteration(const inputs& in) {
    const Tensor& a = in[0];
    Tensor v = ones({512});
    for (int i = 0; i < 100; ++i) {
        v = a.mv(v);
        v = v / v.norm();
        step_done(v);
    }
    return total(v * v);
}

double conjugate_gradient(const inputs& in) {
    const int64_t n = 512;
    const Tensor &m = in[0], a = m.t().mm(m) / 5 + eye(n), b = ones({n});
    Tensor x = zeros({n}), r = b.clone(), p = r.clone(), rr = (r * r).sum();
    for (int i = 0; i < 100; ++i) {
        const Tensor ap = a.mv(p), alpha = rr / (p * ap).sum();
        x += alpha * p;
        r -= alpha * ap;
        const Tensor next = (r * r).sum();
        p = r + (next / rr) * p;
        rr = next;
        step_done(x, r, p, rr);
    }
    return total(x);
}

double regression(const inputs& in) {
    const Tensor &x = in[0], y = x.mv(arange(16, kFloat)) + in[1];
    Tensor w = zeros({16});
    for (int i = 0; i < 100; ++i) {
        w = w - 0.05 * x.t().mv(x.mv(w) - y) / 20000;
        step_done(w);
    }
    return total(w);
}

double logistic(const inputs& in) {
    const Tensor &x = in[0], y = (x.sum(1) > 0).to(kFloat);
    Tensor w = zeros({16});
    for (int i = 0; i < 100; ++i) {
        w = w - 0.5 * x.t().mv(sigmoid(x.mv(w)) - y) / 20000;
        step_done(w);
    }
    return total(w);
}

double k_means(const inputs& in) {
    const Tensor& x = in[0];
    Tensor centers = x.slice(0, 0, 8).clone();
    for (int i = 0; i < 30; ++i) {
        const Tensor nearest = (x.unsqueeze(1) - centers).square().sum(2).argmin(1);
        const Tensor of = (nearest.unsqueeze(1) == arange(8)).to(kFloat);
        centers = of.t().mm(x) / of.sum(0).unsqueeze(1);
        step_done(centers);
    }
    return total(centers);
}

double adam(const inputs& in) {
    const Tensor& target = in[0];
    Tensor w = zeros({200000}), m = zeros({200000}), v = zeros({200000});
    for (int i = 1; i <= 100; ++i) {
        const Tensor g = w - target;
        m = 0.9 * m + 0.1 * g;
        v = 0.999 * v + 0.001 * g * g;
        const double c1 = 1 - std::pow(0.9, i), c2 = 1 - std::pow(0.999, i);
        w = w - 0.01 * (m / c1) / (sqrt(v / c2) + 1e-8);
        step_done(w, m, v);
    }
    return total(w);
}

double mandelbrot(const inputs&) {
    const Tensor x = linspace(-2, 1, 400), y = linspace(-1.5, 1.5, 400).unsqueeze(1);
    Tensor a = zeros({400, 400}), b = zeros({400, 400}), n = zeros({400, 400});
    for (int i = 0; i < 50; ++i) {
        const Tensor next = a * a - b * b + x;
        b = clamp(2 * a * b + y, -4, 4);
        a = clamp(next, -4, 4);
        n += (a * a + b * b < 4).to(kFloat);
        step_done(a, b, n);
    }
    return total(n);
}

double lorenz(const inputs& in) {
    Tensor x = in[0], y = in[1], z = in[2] + 20;
    for (int i = 0; i < 1000; ++i) {
        const Tensor dx = 10 * (y - x), dy = x * (28 - z) - y, dz = x * y - 8.0 / 3 * z;
        x = x + 0.001 * dx;
        y = y + 0.001 * dy;
        z = z + 0.001 * dz;
        step_done(x, y, z);
    }
    return total(x + y + z);
}

double bodies(const inputs& in) {
    Tensor at = in[0], v = zeros({256, 3});
    const Tensor mass = in[1].abs();
    for (int i = 0; i < 20; ++i) {
        const Tensor d = at.unsqueeze(0) - at.unsqueeze(1);
        const Tensor r2 = d.square().sum(2) + 0.01;
        v = v + 0.001 * (d * (mass * pow(r2, -1.5)).unsqueeze(2)).sum(1);
        at = at + 0.001 * v;
        step_done(v, at);
    }
    return total(at);
}

double newton(const inputs& in) {
    const Tensor a = in[0].abs() + 1;
    Tensor x = a.clone();
    for (int i = 0; i < 50; ++i) {
        x = 0.5 * (x + a / x);
        step_done(x);
    }
    return total(x);
}

double average(const inputs& in) {
    const Tensor& x = in[0];
    Tensor m = zeros({1000});
    for (int64_t i = 0; i < 500; ++i) {
        m = 0.99 * m + 0.01 * x.select(0, i);
        step_done(m);
    }
    return total(m);
}

double scans(const inputs& in) {
    Tensor x = in[0];
    for (int i = 0; i < 50; ++i) {
        x = x.cumsum(1) * 0.01 + 1;
        step_done(x);
    }
    return total(x);
}

double blur(const inputs& in) {
    Tensor a = in[0];
    for (int i = 0; i < 20; ++i) {
        a = (cat({a.slice(0, 1), a.slice(0, 0, 1)}) + 2 * a +
             cat({a.slice(0, -1), a.slice(0, 0, -1)})) /
            4;
        a = (cat({a.slice(1, 1), a.slice(1, 0, 1)}, 1) + 2 * a +
             cat({a.slice(1, -1), a.slice(1, 0, -1)}, 1)) /
            4;
        step_done(a);
    }
    return total(a);
}

double kalman(const inputs& in) {
    const Tensor f = eye(4) + 0.01 * ones({4, 4}), h = in[0], q = 0.01 * eye(4), r = eye(2);
    Tensor x = zeros({4, 1}), p = eye(4);
    const Tensor& z = in[1];
    for (int64_t i = 0; i < 200; ++i) {
        x = f.mm(x);
        p = f.mm(p).mm(f.t()) + q;
        const Tensor gain = p.mm(h.t()).mm(inverse(h.mm(p).mm(h.t()) + r));
        x = x + gain.mm(z.select(0, i) - h.mm(x));
        p = (eye(4) - gain.mm(h)).mm(p);
        step_done(x, p);
    }
    return total(x);
}

double recurrent(const inputs& in) {
    const Tensor w = in[0] / 8, u = in[1] / 8, &x = in[2];
    Tensor h = zeros({32, 64});
    for (int64_t i = 0; i < 100; ++i) {
        h = tanh(x.select(0, i).mm(w) + h.mm(u));
        step_done(h);
    }
    return total(h);
}

double jacobi(const inputs&) {
    Tensor a = zeros({512, 512});
    const Tensor hot = zeros({512, 512});
    Tensor(hot.select(0, 0)).fill_(1.0);
    for (int i = 0; i < 50; ++i) {
        const Tensor around = (a.roll(1, 0) + a.roll(-1, 0) + a.roll(1, 1) + a.roll(-1, 1)) * 0.25;
        a = where(hot > 0, hot, around);
        step_done(a);
    }
    return total(a);
}

double matrix_powers(const inputs& in) {
    Tensor x = in[0];
    const Tensor a = in[1] / std::sqrt(512.0);
    for (int i = 0; i < 200; ++i) {
        x = x.mm(a);
        step_done(x);
    }
    return total(x * x);
}

double transposed(const inputs& in) {
    Tensor x = in[0];
    for (int i = 0; i < 200; ++i) {
        x = (x + x.t()) * 0.5;
        step_done(x);
    }
    return total(x * x);
}

/// Rows that are sorted, and disturbed again.
double sorting(const inputs& in) {
    Tensor x = in[0];
    for (int i = 0; i < 20; ++i) {
        x = std::get<0>(x.sort(1)) * 0.5 + in[0];
        step_done(x);
    }
    return total(x * x);
}

const program programs[] = {
    {"wave", wave, {}},
    {"heat", heat, {}},
    {"attention", attention, {{512, 512}}},
    {"softmax_residual", softmax_residual, {{512, 512}}},
    {"life", life, {{256, 256}}},
    {"brownian", brownian, {}},
    {"random_walk", random_walk, {}},
    {"power_iteration", power_iteration, {{512, 512}}},
    {"conjugate_gradient", conjugate_gradient, {{512, 512}}},
    {"regression", regression, {{20000, 16}, {20000}}},
    {"logistic", logistic, {{20000, 16}}},
    {"k_means", k_means, {{20000, 2}}},
    {"adam", adam, {{200000}}},
    {"mandelbrot", mandelbrot, {}},
    {"lorenz", lorenz, {{1000}, {1000}, {1000}}},
    {"bodies", bodies, {{256, 3}, {256}}},
    {"newton", newton, {{200000}}},
    {"average", average, {{500, 1000}}},
    {"scans", scans, {{512, 512}}},
    {"blur", blur, {{512, 512}}},
    {"kalman", kalman, {{2, 4}, {200, 2, 1}}},
    {"recurrent", recurrent, {{64, 64}, {64, 64}, {100, 32, 64}}},
    {"jacobi", jacobi, {}},
    {"matrix_powers", matrix_powers, {{512, 512}, {512, 512}}},
    {"transposed", transposed, {{512, 512}}},
    {"sorting", sorting, {{512, 512}}},
};

// ---- one run: a process of its own

struct outcome {
    double cold_ms, warm_ms, result;
    int64_t peak_bytes;
    uint64_t compiled;
};

enum way : int { lazy, each_step, eager };
constexpr const char* names[] = {"lazy", "eval", "eager"};

outcome measure(const program& p, way how) {
    eval_each_step = how == each_step;
    if (how == eager) set_mode(Mode::eager);
    const inputs in = inputs_of(p);
    const auto once = [&](double& ms) {
        manual_seed(1);
        const auto start = std::chrono::steady_clock::now();
        const double result = p.run(in);
        const std::chrono::duration<double, std::milli> took =
            std::chrono::steady_clock::now() - start;
        ms = took.count();
        return result;
    };
    outcome o{};
    const int64_t before = stats().bytes_live;
    o.result = once(o.cold_ms);
    o.peak_bytes = stats().bytes_peak - before;
    synchronize();  // with everything that is still being compiled
    o.compiled = stats().kernels_compiled;
    o.warm_ms = 1e300;
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0;
         i < 3 || (i < 30 && std::chrono::steady_clock::now() - start < std::chrono::seconds(1));
         ++i) {
        double ms = 0;
        once(ms);
        synchronize();
        o.warm_ms = std::min(o.warm_ms, ms);
    }
    return o;
}

/// Runs one program in a new process, with an empty kernel cache.
outcome run_apart(const char* self, const program& p, way how) {
    char folder[] = "/tmp/study_loops_XXXXXX";
    if (!mkdtemp(folder)) std::perror("mkdtemp"), std::exit(1);
    int ends[2];
    if (pipe(ends) != 0) std::perror("pipe"), std::exit(1);
    const pid_t child = fork();
    if (child == 0) {
        setenv("SINTER_CACHE_DIR", folder, 1);
        dup2(ends[1], 3);
        execl(self, self, "--run", p.name, names[how], nullptr);
        _exit(127);
    }
    close(ends[1]);
    outcome o{};
    const bool whole = read(ends[0], &o, sizeof o) == sizeof o;
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    std::filesystem::remove_all(folder);
    if (!whole)
        std::fprintf(stderr, "%s, %s: no result (status %d)\n", p.name, names[how], status),
            std::exit(1);
    return o;
}

/// Returns false if the results of the three ways differ.
bool compare(const char* self, const program& p) {
    constexpr int turns = 5;
    outcome best[3];
    for (int turn = 0; turn < turns; ++turn)
        for (int how = 0; how < 3; ++how) {
            const outcome o = run_apart(self, p, static_cast<way>(how));
            outcome& b = best[how];
            if (turn == 0) b = o;
            b.cold_ms = std::min(b.cold_ms, o.cold_ms);
            b.warm_ms = std::min(b.warm_ms, o.warm_ms);
        }
    const auto ratio = [&best](double outcome::* ms) {
        return best[lazy].*ms / std::min(best[each_step].*ms, best[eager].*ms);
    };
    std::printf("%-18s", p.name);
    for (const outcome& o : best) std::printf(" %7.1f", o.cold_ms);
    std::printf(" %6.2f ", ratio(&outcome::cold_ms));
    for (const outcome& o : best) std::printf(" %7.1f", o.warm_ms);
    std::printf(" %6.2f ", ratio(&outcome::warm_ms));
    for (const outcome& o : best) std::printf(" %6.1f", static_cast<double>(o.peak_bytes) / 1e6);
    for (int how : {lazy, each_step}) std::printf(" %5d", static_cast<int>(best[how].compiled));
    const auto bits = [&best](way how) { return std::bit_cast<uint64_t>(best[how].result); };
    const bool equal = bits(lazy) == bits(eager) && bits(lazy) == bits(each_step);
    std::printf(" %14.7g%s\n", best[lazy].result, equal ? "" : "  RESULTS DIFFER");
    std::fflush(stdout);
    return equal;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc == 4 && std::strcmp(argv[1], "--run") == 0) {
        for (const program& p : programs)
            for (int how = 0; how < 3; ++how)
                if (std::strcmp(p.name, argv[2]) == 0 && std::strcmp(names[how], argv[3]) == 0) {
                    const outcome o = measure(p, static_cast<way>(how));
                    return write(3, &o, sizeof o) == sizeof o ? 0 : 1;
                }
        return 2;
    }
    std::printf("%-18s %31s  %31s  %20s %11s\n%-18s", "", "cold, ms", "warm, ms", "peak, MB",
                "compiled", "");
    for (int i = 0; i < 2; ++i) std::printf(" %7s %7s %7s %6s ", "lazy", "eval", "eager", "ratio");
    std::printf(" %6s %6s %6s %5s %5s %14s\n", "lazy", "eval", "eager", "lazy", "eval", "result");
    bool equal = true;
    for (const program& p : programs) {
        const bool wanted = argc == 1 || std::any_of(argv + 1, argv + argc, [&p](const char* name) {
                                return std::strcmp(name, p.name) == 0;
                            });
        if (wanted) equal = compare(argv[0], p) && equal;
    }
    return equal ? 0 : 1;
}
