// Runs some programs over random sizes and layouts, and counts the kernels that are in no cache.
//   offline_widened all|few [CASES SEED]
// few: only programs that have few kernels. Without CASES: once, over the sizes that are recorded.
#include "tests/support/sized_programs.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

using namespace sinter;
using namespace sinter::testing;

int main(int argc, char** argv) {
    const int cases = argc > 3 ? std::atoi(argv[2]) : 0;
    const uint64_t seed = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1;
    int misses = 0, failures = 0;
    const auto run = [&](const program& p, operands in, uint64_t number) {
        try {
            for (const Tensor& t : p.run(in)) t.eval();
        } catch (const std::exception& e) {
            const bool miss = std::string(e.what()).find("is in no cache") != std::string::npos;
            if (++(miss ? misses : failures) <= 5)
                std::fprintf(stderr, "%s, seed %llu: %s\n", p.name,
                             static_cast<unsigned long long>(number), e.what());
        }
    };
    std::vector<program> all = programs();
    if (argc < 2 || std::string(argv[1]) != "all")
        std::erase_if(all, [](const program& p) { return !p.few_kernels; });
    if (cases == 0)
        for (const program& p : all) run(p, operands(), 0);
    for (uint64_t n = 0; n < static_cast<uint64_t>(cases); ++n)
        run(all[n % all.size()], operands(seed + n), seed + n);
    synchronize();
    const auto s = stats();
    std::printf("misses %d failures %d compiled %d loaded %d blocks %d\n", misses, failures,
                static_cast<int>(s.kernels_compiled), static_cast<int>(s.kernels_loaded),
                static_cast<int>(s.run_by_blocks));
    return 0;
}
