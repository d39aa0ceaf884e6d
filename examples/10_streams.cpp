// Overlaps copies with computation: batches are in pinned memory. Each goes to a GPU on a separate
// stream and comes back, and the host does not wait at the copy. Without a GPU the program says so
// and computes on the CPU.
//   example_10_streams
#include "support.hpp"

#include <sinter/cuda.hpp>

#include <iostream>
#include <vector>

using namespace sinter;

namespace {

constexpr int batches = 6;
constexpr int64_t rows = 64, columns = 1000;

/// The result for each batch: its rows, centred and scaled.
Tensor standardised(const Tensor& x) {
    return (x - x.mean(1, true)) / (x.std(1, false, true) + 1e-6);
}

std::vector<Tensor> on_cpu(const std::vector<Tensor>& input) {
    std::vector<Tensor> results;
    for (const Tensor& x : input) results.push_back(standardised(x));
    return results;
}

std::vector<Tensor> on_gpu(const std::vector<Tensor>& input) {
    const std::vector<Stream> streams{cuda::getStreamFromPool(), cuda::getStreamFromPool()};
    std::vector<Tensor> results;
    Event start(kCUDA, EventFlag::BACKEND_DEFAULT), end(kCUDA, EventFlag::BACKEND_DEFAULT);
    start.record(streams[0]);
    for (std::size_t i = 0; i < input.size(); ++i) {
        const StreamGuard guard(streams[i % streams.size()]);
        const Tensor there = input[i].to(kCUDA, /*non_blocking=*/true);
        results.push_back(standardised(there).to(kCPU, /*non_blocking=*/true));
    }
    streams[0].wait([&] {
        Event last;
        last.record(streams[1]);
        return last;
    }());
    end.record(streams[0]);
    end.synchronize();  // all batches are back
    std::cout << "on " << cuda::get_device_name()
              << ", in order of time: " << (start.elapsedTime(end) >= 0 ? "yes" : "no") << "\n";
    std::cout << "the most memory there at a time: " << cuda::max_memory_allocated() << " bytes\n";
    return results;
}

}  // namespace

int main() try {
    const bool gpu = cuda::is_available();
    if (!gpu)
        std::cout
            << "there is no GPU here (`sinter info` says what was looked for): the CPU computes\n";
    manual_seed(7);
    const TensorOptions host = TensorOptions(kFloat).pinned_memory(gpu);
    std::vector<Tensor> input;
    for (int i = 0; i < batches; ++i) input.push_back(randn({rows, columns}, host) * (i + 1) + i);
    if (gpu)
        for (Tensor& x : input) x = x.pin_memory();  // results of operations are not pinned

    const std::vector<Tensor> results = gpu ? on_gpu(input) : on_cpu(input);
    const std::vector<Tensor> expected = on_cpu(input);
    for (std::size_t i = 0; i < results.size(); ++i) {
        example::check(results[i].is_cpu(), "results are in main memory");
        example::check(equal(results[i], expected[i]), "the GPU gives the CPU's bits");
    }
    std::cout << batches << " batches of " << rows << " rows: means about "
              << results.back().mean(1).abs().max().item<float>() << "\n";
} catch (const Error& e) {
    std::cerr << e.what() << "\n";
    return 1;
}
