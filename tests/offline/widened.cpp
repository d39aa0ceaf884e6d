// Runs some programs over random sizes and layouts, and counts the kernels that are in no cache.
//   offline_widened all|few [CASES SEED [DEVICE]]
// few: only programs that have few kernels. Without CASES: once, over the sizes that are recorded.
// Results are compared with those of eager mode on the CPU, which needs no kernels.
#include "tests/support/sized_programs.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

using namespace sinter;
using namespace sinter::testing;

namespace {

/// NaNs are equal: of which operand they are is not said.
bool same_bits(const Tensor& a, const Tensor& b) {
    if (a.sizes() != b.sizes() || a.scalar_type() != b.scalar_type()) return false;
    if (a.is_complex()) return same_bits(view_as_real(a), view_as_real(b));
    if (!a.is_floating_point()) return equal(a, b);
    const Tensor nan = isnan(b);
    return equal(isnan(a), nan) && equal(a.masked_fill(nan, 0), b.masked_fill(nan, 0)) &&
           equal(signbit(a).logical_and(~nan), signbit(b).logical_and(~nan));
}

}  // namespace

int main(int argc, char** argv) {
    const int cases = argc > 3 ? std::atoi(argv[2]) : 0;
    const uint64_t seed = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1;
    const std::string device = argc > 4 ? argv[4] : "cpu";
    int misses = 0, failures = 0, wrong = 0;
    uint64_t blocks = 0;
    const auto run = [&](const program& p, operands in, operands again, uint64_t number) {
        try {
            const uint64_t before = stats().run_by_blocks;
            set_default_device(device);
            const std::vector<Tensor> results = p.run(in);
            for (const Tensor& t : results) t.eval();
            blocks += stats().run_by_blocks - before;
            set_default_device("cpu");
            const ModeGuard eager(Mode::eager);
            const std::vector<Tensor> expected = p.run(again);
            for (std::size_t i = 0; i < results.size(); ++i)
                if (!same_bits(results[i].cpu(), expected[i]) && ++wrong <= 5)
                    std::fprintf(stderr, "%s, seed %llu: result %zu is wrong\n", p.name,
                                 static_cast<unsigned long long>(number), i);
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
        for (const program& p : all) run(p, operands(), operands(), 0);
    for (uint64_t n = 0; n < static_cast<uint64_t>(cases); ++n)
        run(all[n % all.size()], operands(seed + n), operands(seed + n), seed + n);
    synchronize();
    const auto s = stats();
    std::printf("misses %d failures %d wrong %d compiled %d loaded %d blocks %d base %d cpu %d\n",
                misses, failures, wrong, static_cast<int>(s.kernels_compiled),
                static_cast<int>(s.kernels_loaded), static_cast<int>(blocks),
                static_cast<int>(s.base_form_launches), static_cast<int>(s.host_fallbacks));
    return 0;
}
