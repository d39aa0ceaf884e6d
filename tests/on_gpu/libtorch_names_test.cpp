// A program with libtorch's names: include/torch_compat.
#include <ATen/ATen.h>
#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/CUDAEvent.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/Event.h>
#include <c10/core/Stream.h>
#include <c10/core/StreamGuard.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/cuda.h>
#include <torch/torch.h>

#include <doctest/doctest.h>

#include <vector>

TEST_CASE("gpu libtorch: the tutorial's streams compile and run as they are") {
    if (!torch::cuda::is_available()) return;
    torch::cuda::manual_seed(1);
    at::cuda::CUDAStream myStream = at::cuda::getStreamFromPool();
    at::cuda::setCurrentCUDAStream(myStream);
    torch::Tensor tensor0 = torch::ones({2, 2}, torch::device(torch::kCUDA));
    CHECK(tensor0.sum().item<float>() == 4);
    at::cuda::CUDAStream defaultStream = at::cuda::getDefaultCUDAStream();
    at::cuda::setCurrentCUDAStream(defaultStream);
    CHECK(tensor0.sum().item<float>() == 4);
    {
        at::cuda::CUDAStreamGuard guard(myStream);
        CHECK((at::cuda::getCurrentCUDAStream() == myStream));
    }
    CHECK((at::cuda::getCurrentCUDAStream() == defaultStream));
    {
        c10::cuda::CUDAGuard guard(0);
        CHECK(c10::cuda::current_device() == 0);
        c10::cuda::OptionalCUDAGuard perhaps;
        std::vector<at::cuda::CUDAStream> streams{at::cuda::getStreamFromPool(true),
                                                  at::cuda::getStreamFromPool(false, 0)};
        const std::vector<c10::Stream> all(streams.begin(), streams.end());
        c10::cuda::CUDAMultiStreamGuard multi(all);
    }
    at::cuda::CUDAEvent start(0), end(0);
    start.record();
    tensor0.add_(1).eval();
    end.record(at::cuda::getCurrentCUDAStream());
    end.synchronize();
    CHECK(start.elapsed_time(end) >= 0);
    c10::Event event(torch::kCUDA);
    event.record(myStream.unwrap());
    event.block(defaultStream.unwrap());
    c10::StreamGuard guard(myStream.unwrap());
    tensor0.record_stream(at::cuda::getCurrentCUDAStream());
    c10::cuda::CUDACachingAllocator::emptyCache();
    c10::cuda::device_synchronize();
    torch::cuda::synchronize();
    CHECK(torch::cuda::device_count() >= 1);
    torch::Tensor p = torch::empty({3}, torch::TensorOptions().pinned_memory(true)).fill_(2);
    CHECK(p.to(torch::kCUDA, /*non_blocking=*/true).sum().item<float>() == 6);
}
