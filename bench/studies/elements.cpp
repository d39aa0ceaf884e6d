// Operations that move, choose, scan and draw elements, for elements.py, which takes turns between
// this program, NumPy and PyTorch.
//   study_elements CASE THREADS    prints the best time of a call in nanoseconds
#include <sinter/sinter.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <string>

namespace {

using namespace sinter;

constexpr int64_t n = 1'000'000, side = 1000;

struct study_case {
    const char* name;
    std::function<Tensor()> call;
};

std::vector<study_case> all_cases() {
    const Tensor x = rand({n}).eval(), half = (x > 0.5).eval(), most = (x > 0.01).eval();
    const Tensor square = x.view({side, side}), square_half = half.view({side, side});
    const Tensor places = randint(0, n, {n}, kLong).eval();
    const Tensor columns = randint(0, side, {side}, kLong).eval();
    const Tensor numbers = randint(0, 1000, {n}, kLong).eval();
    const Tensor some = randint(0, 1000, {100}, kLong).eval();
    const Tensor target = zeros({n}).eval(), two = scalar_tensor(2.0F).eval();
    return {
        {"cumsum", [=] { return x.cumsum(0); }},
        {"cumprod", [=] { return x.cumprod(0); }},
        {"logcumsumexp", [=] { return x.logcumsumexp(0); }},
        {"x[half]", [=] { return x.index({half}); }},
        {"x[most]", [=] { return x.index({most}); }},
        {"x[half] 2-D", [=] { return square.index({square_half}); }},
        {"x[half] = v",
         [=] {
             const Tensor t = target;
             return t.index_put_({half}, two);
         }},
        {"nonzero", [=] { return half.nonzero(); }},
        {"nonzero 2-D", [=] { return square_half.nonzero(); }},
        {"gather", [=] { return x.gather(0, places); }},
        {"index_select(0)", [=] { return square.index_select(0, columns); }},
        {"index_select(1)", [=] { return square.index_select(1, columns); }},
        {"scatter_add", [=] { return target.scatter_add(0, places, x); }},
        {"index_add", [=] { return target.index_add(0, places, x); }},
        {"isin", [=] { return isin(numbers, some); }},
        {"median", [=] { return x.median(); }},
        {"kthvalue", [=] { return std::get<0>(x.kthvalue(n / 2)); }},
        {"topk", [=] { return std::get<0>(x.topk(1000)); }},
        {"sort", [=] { return std::get<0>(x.sort()); }},
        {"randperm", [=] { return randperm(n); }},
    };
}

double best_of(const std::function<Tensor()>& call) {
    using clock = std::chrono::steady_clock;
    for (int i = 0; i < 3; ++i) call().eval();
    synchronize();
    double best = std::numeric_limits<double>::infinity();
    for (const auto begin = clock::now(); clock::now() - begin < std::chrono::milliseconds(150);) {
        const auto start = clock::now();
        call().eval();
        best =
            std::min(best, std::chrono::duration<double, std::nano>(clock::now() - start).count());
    }
    return best;
}

}  // namespace

int main(int count, char** words) {
    if (count != 3) {
        for (const study_case& c : all_cases()) std::printf("%s\n", c.name);
        return count == 1 ? 0 : 2;
    }
    set_num_threads(std::atoi(words[2]));
    for (const study_case& c : all_cases())
        if (std::strcmp(c.name, words[1]) == 0) {
            std::printf("%.0f\n", best_of(c.call));
            return 0;
        }
    std::fprintf(stderr, "no case %s\n", words[1]);
    return 2;
}
