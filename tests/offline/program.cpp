// Prints results of some kernels, and where the kernels came from: compiled, loaded, by blocks.
//   offline_program [DEVICE] [--pack FILE] [--no-jit] [--dense]
// --pack adds a pack. --no-jit has the system refuse to make memory executable that was writable.
// --dense computes expressions over different dense tensors of one dtype, and nothing else.
#include <sinter/sinter.hpp>

#include <sys/prctl.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#ifndef PR_SET_MDWE
#define PR_SET_MDWE 65
#define PR_MDWE_REFUSE_EXEC_GAIN 1
#endif

using namespace sinter;

namespace {

/// Returns the number of executable mappings that are no file's: copies of kernels.
int copies_of_kernels() {
    std::ifstream maps("/proc/self/maps");
    int count = 0;
    for (std::string line; std::getline(maps, line);)
        count += line.find(" r-xp 00000000 00:00 0") != std::string::npos && line.back() != ']';
    return count;
}

template <class T>
void compute_dense(ScalarType dtype) {
    const auto filled = [=](T with) { return tensor(std::vector<T>(20000, with), dtype); };
    const Tensor x = filled(2), y = filled(3), z = filled(5);
    const Tensor product = (y + 1) * z / 7, chosen = where(x < 4, y - 2, z);
    std::printf("%.17g %.17g\n", static_cast<double>(product.data_ptr<T>()[777]),
                static_cast<double>(chosen.data_ptr<T>()[777]));
}

void print_counts(const Device& device) {
    synchronize();
    const auto s = stats();
    std::printf("compiled %d loaded %d blocks %d copies %d", static_cast<int>(s.kernels_compiled),
                static_cast<int>(s.kernels_loaded), static_cast<int>(s.run_by_blocks),
                copies_of_kernels());
    if (!device.is_cpu())
        std::printf(" other %d base %d cpu %d", static_cast<int>(s.other_form_launches),
                    static_cast<int>(s.base_form_launches), static_cast<int>(s.host_fallbacks));
    std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) {
    Device device("cpu");
    for (int i = 1; i < argc; ++i) {
        if (std::strcmp(argv[i], "--pack") == 0) {
            cache::add_pack(argv[++i]);
        } else if (std::strcmp(argv[i], "--no-jit") == 0) {
            if (prctl(PR_SET_MDWE, PR_MDWE_REFUSE_EXEC_GAIN, 0, 0, 0) != 0) return 77;
        } else if (std::strcmp(argv[i], "--eager") == 0) {
            set_mode(Mode::eager);
        } else if (std::strcmp(argv[i], "--dense") == 0) {
            compute_dense<float>(kFloat);
            compute_dense<double>(kDouble);
            print_counts(device);
            return 0;
        } else {
            device = Device(argv[i]);
        }
    }
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
    print_counts(device);
    return 0;
}
