// Device-independent code: the device is an argument, tensors are made on it or moved to it, and
// results come back with cpu(). The program uses indices, sorting and masks.
//   example_07_any_device [--device cpu|cuda|auto]
#include "support.hpp"

#include <cstring>
#include <iostream>

using namespace sinter;

namespace {

Device device_of(int argc, char** argv) {
    std::string name = "auto";
    for (int i = 1; i + 1 < argc; ++i)
        if (std::strcmp(argv[i], "--device") == 0) name = argv[i + 1];
    if (name == "auto") return cuda::is_available() ? Device("cuda") : Device("cpu");
    return Device(name);
}

}  // namespace

int main(int argc, char** argv) try {
    const Device device = device_of(argc, argv);
    std::cout << "on " << device << "\n";

    // 442 patients with 10 measurements each, and the progression of their disease.
    const Tensor x = load_npy(example::data("diabetes_x.npy")).to(device);
    const Tensor y = load_npy(example::data("diabetes_y.npy")).to(device);

    // Correlations of the measurements with the outcome, the strongest first.
    const Tensor centred = y - y.mean();
    const Tensor cross = ((x - x.mean({0})) * centred.unsqueeze(1)).mean({0});
    const Tensor strength = cross / (x.std({0}, false) * y.std(false));
    const auto [size, order] = strength.abs().sort(0, /*descending=*/true);
    std::cout << "strongest measurements " << repr(order.slice(0, 0, 3).cpu()) << "\n"
              << "correlations           " << repr(strength.index({order.slice(0, 0, 3)}).cpu())
              << "\n";

    // Compare the patients above the upper quartile of the strongest measurement with all others.
    const Tensor best = x.select(1, order[0].item<int64_t>());
    const Tensor high = best > best.quantile(0.75);
    const double above = y.masked_select(high).mean().item<double>();
    const double others = y.index({~high}).mean().item<double>();
    std::printf("outcome %.1f above the upper quartile, %.1f below\n", above, others);

    example::check(order[0].item<int64_t>() == 2, "body mass is the strongest measurement");
    example::check(size[0].item<double>() > 0.58 && size[0].item<double>() < 0.59,
                   "its correlation is 0.586");
    example::check(above > others + 50, "patients above the quartile fare worse");
} catch (const Error& e) {
    std::cerr << e.what() << "\n";
    return 1;
}
