// Generators, accessors, external memory, DLPack and options, as used in a libtorch program.
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/DLConvertor.h>
#include <torch/torch.h>

#include <iostream>
#include <mutex>
#include <vector>

namespace {

void random_numbers() {
    at::Generator g = at::make_generator<at::CPUGeneratorImpl>(42);
    std::cout << torch::rand({2, 3}, g) << "\n" << torch::randn({4}, g, torch::kDouble) << "\n";
    std::cout << torch::randint(10, {6}, g) << "\n" << torch::randperm(5, g) << "\n";
    const torch::Tensor state = g.get_state();
    const torch::Tensor next = torch::empty({20}).normal_(1, 2, g);
    g.set_state(state);
    std::cout << torch::equal(next, torch::empty({20}).normal_(1, 2, g)) << "\n";
    at::Generator copy = g.clone();
    std::cout << (copy == g) << torch::equal(torch::rand({3}, g), torch::rand({3}, copy)) << "\n";
    {
        std::lock_guard<std::mutex> lock(g.mutex());
        g.set_current_seed(7);
    }
    std::cout << g.current_seed() << " " << torch::bernoulli(torch::full({8}, 0.5), g) << "\n";
}

void memory() {
    std::vector<float> values{1, 2, 3, 4, 5, 6};
    int deleted = 0;
    {
        torch::Tensor t =
            torch::from_blob(values.data(), {2, 3}, [&](void*) { ++deleted; }, torch::kFloat);
        auto a = t.accessor<float, 2>();
        float sum = 0;
        for (int64_t i = 0; i < a.size(0); ++i)
            for (int64_t j = 0; j < a.size(1); ++j) sum += a[i][j];
        a[0][0] = 10;
        std::cout << sum << " " << values[0] << " " << t.sum().item<float>() << "\n";
        auto p = t.packed_accessor64<float, 2>();
        std::cout << p[1][2] << "\n";
    }
    std::cout << deleted << "\n";
    torch::Tensor x = torch::arange(6, torch::kFloat);
    std::cout << x.resize_({2, 2}) << "\n" << x.is_contiguous() << x.storage().nbytes() << "\n";
    std::cout << x.toString() << " " << x.dtype() << " " << x.sizes() << " " << x.device() << " "
              << x.is_non_overlapping_and_dense() << x.is_same_size(torch::zeros({2, 2})) << "\n";
    std::cout << torch::TensorOptions("cpu").dtype(torch::kLong) << "\n";
    std::cout << x.options().layout() << " " << x.to(torch::kCPU, torch::kInt, false, true) << "\n";
}

void exchange() {
    torch::Tensor x = torch::arange(6, torch::kLong).view({2, 3}).t().contiguous();
    DLManagedTensor* managed = at::toDLPack(x);
    std::cout << managed->dl_tensor.ndim << " " << managed->dl_tensor.shape[0] << "\n";
    torch::Tensor y = at::fromDLPack(managed);
    y.add_(100);
    std::cout << x << "\n";
    TORCH_CHECK(y.data_ptr() == x.data_ptr(), "not shared");
}

}  // namespace

int main() {
    random_numbers();
    memory();
    exchange();
    std::cout << (torch::cuda::is_available() ? 1 : 0) << torch::Device("cuda:1") << "\n";
}
