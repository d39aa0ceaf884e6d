#include "tests/ops/check.hpp"

#include <sinter/cuda.hpp>

#include <sstream>

using namespace sinter;

TEST_CASE("devices as text") {
    CHECK(Device("cpu") == Device(kCPU));
    CHECK(Device("cuda:1") == Device(kCUDA, 1));
    CHECK(Device("cuda").index() == -1);
    CHECK_FALSE(Device("cuda").has_index());
    CHECK(Device("cuda:3").is_cuda());
    CHECK(Device("hip:0").is_hip());
    CHECK(Device("xla").is_xla());
    CHECK(Device("xla:2").str() == "xla:2");
    Device d(kCUDA);
    d.set_index(4);
    CHECK(d.str() == "cuda:4");
    CHECK_FALSE(Device("cuda:1") == Device("cuda"));
    for (const char* bad : {"", "gpu", "cuda:", "cuda:x", "cuda:-1", "cuda:1 ", "cuda:01", "CUDA"})
        CHECK_ERROR(
            Error, Device(bad),
            "[Device] Invalid device string: '" + std::string(bad) +
                "'; got an unknown name or index, expected cpu, cuda, hip, xla, mkldnn, opengl, "
                "opencl or ideep, with or without an index, as in cuda:1; try \"cpu\" or \"cuda\"");
}

TEST_CASE("options from a dtype, a device, a device's name") {
    CHECK((zeros({2}, "cpu").dtype() == kFloat));
    CHECK((zeros({2}, dtype(kInt).device("cpu")).dtype() == kInt));
    CHECK((zeros({2}, device(kCPU).dtype(kInt)).dtype() == kInt));
    const std::string name = "cpu";
    CHECK(ones({1}, name).device() == Device("cpu"));
    const TensorOptions o = TensorOptions("cuda:2").dtype(kDouble);
    CHECK(o.device() == Device(kCUDA, 2));
    CHECK(o.has_device());
    CHECK_FALSE(TensorOptions(kDouble).has_device());
    CHECK(device_index(1).device() == Device("cuda:1"));
    CHECK((layout(kStrided).layout() == kStrided));
    CHECK(layout(kStrided).has_layout());
    CHECK_FALSE(requires_grad(false).requires_grad());
    CHECK(requires_grad(false).has_requires_grad());
    CHECK_FALSE(TensorOptions().pinned_memory(false).pinned_memory());
    CHECK(TensorOptions().pinned_memory(false).has_pinned_memory());
    const Tensor x = zeros({2}, kLong);
    CHECK((empty({3}, x.options()).dtype() == kLong));
    CHECK((empty({3}, x.dtype()).dtype() == kLong));
    CHECK_ERROR(
        NotImplementedError, layout(kSparse),
        "[layout] sparse tensors are not supported; got Sparse, expected Strided; try kStrided");
    CHECK(TensorOptions().pinned_memory(true).pinned_memory());
    CHECK(requires_grad().requires_grad());
}

TEST_CASE("moving to dtypes and devices" * doctest::test_suite("host")) {
    test::for_each_mode([] {
        const Tensor x = arange(3, kFloat);
        CHECK(x.to("cpu").is_same(x));
        CHECK(x.to(kCPU).is_same(x));
        CHECK(x.to(kFloat).is_same(x));
        CHECK(x.to(x.options()).is_same(x));
        CHECK(x.to(zeros({1})).is_same(x));
        CHECK(x.cpu().is_same(x));
        const Tensor copy = x.to(kFloat, false, true);
        CHECK_FALSE(copy.is_alias_of(x));
        CHECK(equal(copy, x));
        CHECK_FALSE(x.to(Device(kCPU), kFloat, true, true).is_alias_of(x));
        CHECK((x.to(kCPU, kInt).dtype() == kInt));
        CHECK((x.to(zeros({1}, kHalf)).dtype() == kHalf));
        CHECK((x.to(zeros({1}, kHalf).dtype()).dtype() == kHalf));
        CHECK(((x + 1).to(kDouble).dtype() == kDouble));
    });
}

namespace {

std::string absent(const char* op, const char* device) {
    return std::string("[") + op + "] no GPU is available; got " + device +
           ", expected cpu; try checking cuda::is_available() first; `sinter info` shows what was "
           "found";
}

}  // namespace

TEST_CASE("devices that are not there" * doctest::test_suite("host")) {
    CHECK_FALSE(cuda::is_available());
    CHECK(cuda::device_count() == 0);
    const Tensor x = zeros({2});
    CHECK_ERROR(Error, rand({2, 3}, kCUDA), absent("rand", "cuda"));
    CHECK_ERROR(Error, x.to("cuda:1"), absent("to", "cuda:1"));
    CHECK_ERROR(NotImplementedError, x.to(Device("xla"), kFloat),
                "[to] the device type is not supported; got xla, expected cpu or cuda; try kCPU");
    CHECK_ERROR(Error, x.cuda(), absent("to", "cuda"));
    CHECK_ERROR(Error, x.cuda(2), absent("to", "cuda:2"));
    CHECK_ERROR(
        NotImplementedError, zeros({2}, "xla"),
        "[zeros] the device type is not supported; got xla, expected cpu or cuda; try kCPU");
    CHECK_ERROR(Error, cuda::set_device(0), absent("set_device", "cuda:0"));
    CHECK_ERROR(Error, cuda::current_device(), absent("current_device", "cuda"));
    CHECK_ERROR(Error, cuda::synchronize(), absent("synchronize", "cuda"));
}

TEST_CASE("pinned memory needs a GPU" * doctest::test_suite("host")) {
    const std::string why =
        " no GPU is available; got a request for pinned memory, expected pageable memory; try "
        "checking cuda::is_available() first; `sinter info` shows what was found";
    const TensorOptions pinned = TensorOptions().pinned_memory(true);
    CHECK_FALSE(zeros({2}).is_pinned());
    CHECK_ERROR(Error, zeros({2}).pin_memory(), "[pin_memory]" + why);
    CHECK_ERROR(Error, empty({2}, pinned), "[empty]" + why);
    CHECK_ERROR(Error, zeros({2}, pinned), "[zeros]" + why);
    CHECK_ERROR(Error, randn({2}, pinned), "[randn]" + why);
    CHECK_ERROR(Error, tensor({1, 2}, pinned), "[tensor]" + why);
    CHECK_ERROR(Error, zeros({2}).to(pinned), "[to]" + why);
    Tensor x = zeros({2});
    CHECK(x.copy_(ones({2}), true).sum().item<float>() == 2);
    CHECK(x.to(kCPU, true).is_same(x));
}

TEST_CASE("streams, events and memory without a GPU" * doctest::test_suite("host")) {
    const Stream cpu(Stream::DEFAULT, kCPU);
    CHECK(cpu.query());
    cpu.synchronize();
    CHECK(cpu.id() == 0);
    std::ostringstream out;
    out << cpu;
    CHECK(out.str() == "stream 0 on device cpu");
    CHECK_ERROR(Error, Stream(Stream::UNSAFE, kCPU, 3),
                "[Stream] the CPU has one stream; got id 3, expected id 0; try "
                "Stream(Stream::DEFAULT, kCPU)");
    CHECK_ERROR(Error, cpu.native_handle(),
                "[native_handle] the CPU's stream has no handle; got cpu, expected a stream on a "
                "GPU; try getCurrentCUDAStream()");
    {
        const StreamGuard guard(cpu);
        CHECK(guard.current_stream() == cpu);
        CHECK(guard.original_stream() == cpu);
    }
    Event event(kCPU), unused;
    CHECK(unused.query());
    event.record();
    event.block(cpu);
    CHECK(event.query());
    CHECK_ERROR(Error, unused.record(), absent("record", "cuda"));
    CHECK_ERROR(Error, Stream(Stream::DEFAULT, kCUDA), absent("Stream", "cuda"));
    CHECK_ERROR(Error, cuda::getStreamFromPool(), absent("getStreamFromPool", "cuda"));
    CHECK_ERROR(Error, cuda::getCurrentCUDAStream(1), absent("getCurrentCUDAStream", "cuda:1"));
    CHECK_ERROR(Error, cuda::setCurrentCUDAStream(cpu),
                "[CUDAStream] the stream is not on a GPU; got cpu, expected a stream on a GPU; try "
                "getCurrentCUDAStream()");
    CHECK_ERROR(Error, zeros({2}).record_stream(cpu),
                "[record_stream] the tensor or the stream is not on a GPU; got a tensor on cpu and "
                "a stream on cpu, expected both on a GPU; try synchronize() on the stream");
    CHECK(cuda::memory_allocated() == 0);
    CHECK(cuda::max_memory_reserved(0) == 0);
    CHECK(cuda::memory_stats().empty());
    cuda::empty_cache();
    cuda::reset_peak_memory_stats();
    CHECK_ERROR(Error, cuda::mem_get_info(), absent("mem_get_info", "cuda"));
    CHECK_ERROR(Error, cuda::get_device_name("cuda:2"), absent("get_device_name", "cuda:2"));
    CHECK_ERROR(Error, cuda::memory_summary(), absent("memory_summary", "cuda"));
    CHECK_ERROR(Error, cuda::can_device_access_peer(0, 1),
                absent("can_device_access_peer", "cuda:0"));
    CHECK_ERROR(Error, cuda::set_per_process_memory_fraction(0.5),
                absent("set_per_process_memory_fraction", "cuda"));
    CHECK_ERROR(ValueError, cuda::get_device_name(kCPU),
                "[cuda] the device is not a GPU; got cpu, expected a GPU; try kCUDA");
    CHECK_ERROR(Error, Device("cuda").vendor(), absent("vendor", "cuda"));
    CHECK(Device(kCPU).vendor() == Vendor::none);
    float value = 1;
    CHECK_ERROR(Error, from_blob(&value, {1}, kCUDA), absent("from_blob", "cuda"));
}

TEST_CASE("guards" * doctest::test_suite("host")) {
    DeviceGuard guard(Device("cpu"));
    CHECK(guard.original_device() == Device(kCPU));
    guard.set_index(0);
    CHECK(guard.current_device() == Device("cpu:0"));
    CHECK_ERROR(Error, guard.reset_device(kCUDA), absent("DeviceGuard", "cuda"));
    CHECK(guard.current_device() == Device("cpu:0"));
    CHECK_ERROR(Error, DeviceGuard(Device("cuda:1")), absent("DeviceGuard", "cuda:1"));
    CHECK_ERROR(Error, DeviceGuard(Device("cpu:1")),
                "[DeviceGuard] the CPU has one device; got cpu:1, expected cpu or cpu:0; try kCPU");
    OptionalDeviceGuard none, empty{std::optional<Device>()}, some{Device("cpu")};
    CHECK_FALSE(none.current_device().has_value());
    CHECK_FALSE(empty.original_device().has_value());
    CHECK(*some.current_device() == Device(kCPU));
    none.reset_device(kCPU);
    CHECK(*none.original_device() == Device(kCPU));
}
