// What a value and its gradients take of memory: how far the process grows above what it held with
// the inputs, in sizes of the inputs, and the time. Every case is a process of its own, which has
// run the same with few elements before. gradient_memory_peers.py is the same in PyTorch:
// study_gradient_memory [CASE]
#include <sinter/autograd.hpp>
#include <sinter/sinter.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>

namespace {

using namespace sinter;
using tensors = std::vector<Tensor>;

struct memory_case {
    const char* name;
    int64_t small, large;
    std::function<tensors(int64_t)> inputs;
    std::function<Tensor(const tensors&)> loss;
};

/// Reads a line of /proc/self/status, in bytes.
double status_of(const char* what) {
    std::ifstream file("/proc/self/status");
    std::string line;
    while (std::getline(file, line))
        if (line.rfind(what, 0) == 0) return 1024 * std::stod(line.substr(std::strlen(what) + 1));
    return 0;
}

tensors vectors(int count, double low, double high, int64_t n) {
    tensors all;
    for (int i = 0; i < count; ++i) all.push_back((rand({n}) * (high - low) + low).eval());
    return all;
}

Tensor black_scholes(const tensors& t) {
    const Tensor &x = t[0], &y = t[1], &z = t[2];
    const Tensor root = sqrt(z) * 0.3, d = (log(x / y) + z * 0.065) / root;
    const Tensor p = 1 + erf(d * 0.70710678118654752),
                 q = 1 + erf((d - root) * 0.70710678118654752);
    return (0.5 * (x * p - y * exp(z * -0.02) * q)).sum();
}

constexpr int steps = 252;

/// One day of a mean-reverting variance and a price that it moves.
tensors day(const tensors& t) {
    const Tensor &price = t[0], &variance = t[1], &kappa = t[2];
    const Tensor v =
        abs(variance + kappa * (0.04 - variance) / steps + 0.01 * sin(price * 3) * sqrt(variance));
    return {price * (1 + 0.03 / steps + 0.06 * sqrt(v) * cos(price * 5)), v};
}
tensors days(int count, tensors t) {
    const Tensor kappa = t[2];
    for (int i = 0; i < count; ++i) {
        t = day(t);
        t.push_back(kappa);
    }
    t.pop_back();
    return t;
}

std::vector<memory_case> all_cases() {
    const auto several = [](int count, double low, double high) {
        return [=](int64_t n) { return vectors(count, low, high, n); };
    };
    const auto table = [](int64_t n) { return tensors{rand({n / 1000, 1000}).eval()}; };
    const auto path = [](int64_t n) {
        tensors t = vectors(3, 0.5, 1.5, n);
        t[1] = (t[1] * 0.04).eval();
        return t;
    };
    constexpr int64_t few = 100000, many = 16000000;
    return {
        {"grad_black_scholes", few, many, several(3, 0.5, 2), black_scholes},
        {"grad_tanh_chain", few, many, several(1, -3, 3),
         [](const tensors& t) {
             const Tensor inner = tanh(tanh(t[0]) * 1.5 + 0.1);
             return (tanh(inner * 1.5 - 0.1) * 0.5 + 0.5).sum();
         }},
        {"grad_sines", few, many, several(1, -3, 3),
         [](const tensors& t) {
             Tensor y = t[0];
             for (int i = 0; i < 10; ++i) y = sin(y) * 1.01 + 0.1;
             return y.sum();
         }},
        {"grad_softmax", few, many, table,
         [](const tensors& t) {
             const Tensor y = softmax(t[0], 1);
             return (y * y).sum();
         }},
        {"grad_log_softmax", few, many, table,
         [](const tensors& t) {
             const Tensor y = log_softmax(t[0], 1);
             return (y * y).mean();
         }},
        {"grad_layer_norm", few, many,
         [](int64_t n) {
             return tensors{rand({n / 1000, 1000}).eval(), rand({1000}).eval(),
                            rand({1000}).eval()};
         },
         [](const tensors& t) {
             const Tensor y = nn::functional::layer_norm(
                 t[0], nn::functional::LayerNormFuncOptions({1000}).weight(t[1]).bias(t[2]));
             return (y * y).mean();
         }},
        {"252 days", 1000, 1000000, path,
         [](const tensors& t) { return days(steps, t)[0].mean(); }},
        {"252 days, checkpoints", 1000, 1000000, path,
         [](const tensors& t) {
             tensors state = t;
             for (int i = 0; i < steps; i += 14) {
                 state = utils::checkpoint([](const tensors& s) { return days(14, s); }, state);
                 state.push_back(t[2]);
             }
             return state[0].mean();
         }},
    };
}

/// Runs one case in this process.
void measure(const memory_case& c) {
    using clock = std::chrono::steady_clock;
    manual_seed(1);
    double bytes = 0, best = 1e300, taken = 0;
    for (const int64_t n : {c.small, c.large}) {
        tensors inputs = c.inputs(n);
        bytes = 0;
        for (const Tensor& t : inputs) {
            t.requires_grad_();
            bytes += static_cast<double>(t.nbytes());
        }
        for (int run = 0; run < (n == c.small ? 6 : 3); ++run) {
            if (run == 0) std::ofstream("/proc/self/clear_refs") << 5;  // the peak starts here
            const double before = status_of("VmRSS:");
            const auto start = clock::now();
            {
                const Tensor value = c.loss(inputs);
                tensors results = autograd::grad({value}, inputs);
                results.insert(results.begin(), value.detach());
                eval(results);
            }
            const std::chrono::duration<double, std::milli> t = clock::now() - start;
            best = run == 0 ? t.count() : std::min(best, t.count());
            if (run == 0) taken = status_of("VmHWM:") - before;
        }
    }
    std::printf("%-24s %6.2f of the inputs, %9.1f ms\n", c.name, taken / bytes, best);
    std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
    ::setenv("SINTER_JIT", "wait", 1);
    for (const memory_case& c : all_cases()) {
        if (argc > 1 && std::strcmp(argv[1], c.name) != 0) continue;
        const pid_t child = ::fork();
        if (child == 0) {
            measure(c);
            ::_exit(0);
        }
        int status = 0;
        ::waitpid(child, &status, 0);
        if (status != 0) std::printf("%-24s failed\n", c.name);
    }
}
