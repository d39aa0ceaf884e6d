// Prints results of some kernels, and where the kernels came from: compiled, loaded, by blocks.
//   offline_program [DEVICE]
#include <sinter/sinter.hpp>

#include <cstdio>

using namespace sinter;

int main(int argc, char** argv) {
    const Device device(argc > 1 ? argv[1] : "cpu");
    const Tensor x = (arange(20000, kFloat) * 1e-3f).view({100, 200}).to(device).eval();
    const Tensor w = (arange(200 * 50, kFloat) * 1e-4f).view({200, 50}).to(device).eval();
    const Tensor results[] = {
        (x * 2 + exp(-x)).slice(1, 0, 3).slice(0, 0, 2), x.softmax(1).std(1).slice(0, 0, 4),
        relu(x.mm(w) - 5).sum(0).slice(0, 0, 4), (x + x.t().sum(1, true).t()).mean(),
        cumsum((x > 3).to(kLong), 1).amax()};
    for (const Tensor& r : results) {
        const Tensor values = r.cpu().to(kDouble).contiguous().view({-1});
        for (int64_t i = 0; i < values.numel(); ++i)
            std::printf("%.17g ", values[i].item<double>());
        std::printf("\n");
    }
    synchronize();
    const auto s = stats();
    std::printf("compiled %d loaded %d blocks %d\n", static_cast<int>(s.kernels_compiled),
                static_cast<int>(s.kernels_loaded), static_cast<int>(s.run_by_blocks));
    return 0;
}
