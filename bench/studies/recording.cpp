// What recording (SINTER_CACHE_RECORD) costs warm runs. Alternates processes with and without it,
// and prints the ratio of their times for one operation by the fast path, for a plan, and for a
// long kernel: study_recording [ALTERNATIONS]
#include "bench/studies/best_of.hpp"

#include <sinter/sinter.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace {

using namespace sinter;

using bench::best_of;

int measure() {
    set_num_threads(1);
    const Tensor a = rand({64}).eval(), b = rand({64}).eval(), m = rand({300, 300}).eval(),
                 big = rand({1000000}).eval();
    const auto operation = [&] { Tensor(a * 2 + b).eval(); };
    const auto plan = [&] { Tensor((m * 2).sum(1) + 1).eval(); };
    const auto kernel = [&] { Tensor(exp(big) * 3).eval(); };
    for (int warm = 0; warm < 100; ++warm) {
        operation();
        plan();
    }
    std::printf("%.3f %.3f %.3f\n", best_of(40, 5000, operation), best_of(40, 200, plan),
                best_of(40, 5, kernel));
    return 0;
}

std::vector<double> times_of(const std::string& self, const std::string& environment) {
    std::vector<double> times(3);
    FILE* out = popen((environment + " " + self + " measure").c_str(), "r");
    if (!out || std::fscanf(out, "%lf %lf %lf", &times[0], &times[1], &times[2]) != 3) std::abort();
    pclose(out);
    return times;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc > 1 && std::string(argv[1]) == "measure") return measure();
    const int alternations = argc > 1 ? std::atoi(argv[1]) : 30;
    const std::string self = std::filesystem::read_symlink("/proc/self/exe");
    std::string folder = (std::filesystem::temp_directory_path() / "sinter-record-XXXXXX").string();
    if (!mkdtemp(folder.data())) return 1;
    std::vector<double> ratios[3];
    double best[2][3] = {{1e300, 1e300, 1e300}, {1e300, 1e300, 1e300}};
    for (int n = 0; n < alternations; ++n) {
        const std::string common = "SINTER_JIT=wait ";
        std::vector<double> times[2];
        for (const int recorded : {n % 2, 1 - n % 2})
            times[recorded] =
                times_of(self, common + (recorded ? "SINTER_CACHE_RECORD=" + folder : ""));
        for (std::size_t w = 0; w < 3; ++w) {
            ratios[w].push_back(times[1][w] / times[0][w]);
            for (const int recorded : {0, 1})
                best[recorded][w] = std::min(best[recorded][w], times[recorded][w]);
        }
    }
    std::filesystem::remove_all(folder);
    const char* const names[] = {"one operation, 64 elements", "a plan, 300 x 300",
                                 "a kernel, 1,000,000 elements"};
    for (std::size_t w = 0; w < 3; ++w) {
        std::sort(ratios[w].begin(), ratios[w].end());
        std::printf("%-30s best %9.1f ns, recorded %9.1f ns: %.4f; median of ratios %.4f\n",
                    names[w], best[0][w], best[1][w], best[1][w] / best[0][w],
                    ratios[w][ratios[w].size() / 2]);
    }
}
