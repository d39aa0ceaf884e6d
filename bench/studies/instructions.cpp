// Statements of 16 elements: what each costs. bench/instructions.sh counts their instructions.
//   study_instructions             the time of each, in ns
//   study_instructions NAME N      runs one of them N times inside `counted`
#include "bench/studies/best_of.hpp"

#include <sinter/functions/compile.hpp>
#include <sinter/sinter.hpp>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>

using namespace sinter;

/// The only function that a profiler counts.
extern "C" [[gnu::noinline]] void counted(const std::function<void()>& f, int times) {
    for (int i = 0; i < times; ++i) f();
}

namespace {

constexpr int lines = 20;

struct statement {
    const char* name;
    int parts;  // of which the cost is that of one
    std::function<void()> run;
};

int run(int argc, char** argv) {
    set_num_threads(1);
    const Tensor a = rand({16}).eval(), b = rand({16}).eval(), c = rand({16}).eval(),
                 d = rand({16}).eval(), m = rand({4, 16}).eval();
    const Tensor u = complex(a, b).eval(), v = complex(c, d).eval();
    Tensor x = zeros({16}).eval();
    // Made when it is first used: from then on each statement looks for gradients.
    Tensor w;
    const auto weights = [&]() -> const Tensor& {
        if (!w.defined()) w = rand({16}).eval().requires_grad_();
        return w;
    };
    const auto step = compile([](const Tensor& u, const Tensor& v) {
        Tensor y = u;
        for (int i = 0; i < lines; ++i) y = y * v + u;
        return y;
    });
    const statement all[] = {
        {"expression", 1, [&] { static_cast<void>(a * b + c - d); }},
        {"pending", 1, [&] { const Tensor z = a * b + c - d; }},
        {"dispatch", 1, [&] { Tensor(a * b + c - d).eval(); }},
        {"numbers", 1, [&] { Tensor(a * 2 + 1).eval(); }},
        {"complex", 1, [&] { Tensor(u * v + u).eval(); }},
        {"rows", 1, [&] { Tensor(m + a).eval(); }},
        {"in_place", 1, [&] { x.mul_(0.5).eval(); }},
        {"two_writes", 1, [&] { x.mul_(0.5).add_(a).eval(); }},
        {"two_nodes", 1,
         [&] {
             const Tensor y = a * b;
             Tensor(y + c).eval();
         }},
        {"softmax", 1, [&] { m.softmax(1).eval(); }},
        {"line", lines,
         [&] {
             Tensor y = a;
             for (int i = 0; i < lines; ++i) y = y * b;
             y.eval();
         }},
        {"view", 1, [&] { const Tensor z = a.slice(0, 2, 10); }},
        {"sum", 1, [&] { a.sum().eval(); }},
        {"read", 1, [&] { static_cast<void>(Tensor(a + b).data_ptr<float>()); }},
        {"compiled", 1, [&] { step(a, b).eval(); }},
        {"recorded", 1, [&] { const Tensor z = weights() * b + c; }},
        {"gradient", 1,
         [&] { autograd::grad({Tensor(weights() * b + c).sum()}, {weights()})[0].eval(); }},
    };
    if (argc == 3) {
        for (const statement& s : all) {
            if (std::strcmp(s.name, argv[1]) != 0) continue;
            for (int i = 0; i < 200; ++i) s.run();
            counted(s.run, std::atoi(argv[2]));
            return 0;
        }
    }
    if (argc != 1) {
        std::fprintf(stderr, "usage: study_instructions [STATEMENT TIMES]\n");
        return 2;
    }
    for (const statement& s : all) {
        for (int i = 0; i < 1000; ++i) s.run();
        std::printf("%-12s %3d %8.1f\n", s.name, s.parts,
                    bench::best_of(60, 1000, s.run) / s.parts);
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv) { return run(argc, argv); }
