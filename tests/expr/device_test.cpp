#include "tests/expr/check.hpp"

#include <sinter/device.hpp>

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
        CHECK_ERROR(Error, Device(bad),
                    "[device] the text names no device; got \"" + std::string(bad) +
                        "\", expected cpu, cuda, hip or xla, then perhaps a colon and an index; "
                        "try \"cpu\"");
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
    CHECK_ERROR(NotImplementedError, layout(kSparse),
                "[layout] there are no sparse tensors; got Sparse, expected Strided; try kStrided");
    CHECK_ERROR(NotImplementedError, TensorOptions().pinned_memory(true),
                "[pinned_memory] there is no device to pin memory for; got true, expected false; "
                "try pinned_memory(false)");
    CHECK_ERROR(NotImplementedError, requires_grad(),
                "[requires_grad] there is no differentiation yet; got true, expected false; try "
                "requires_grad(false)");
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
    return std::string("[") + op + "] there is no GPU; got " + device +
           ", expected cpu; try cuda::is_available() first; `sinter info` says what was found";
}

}  // namespace

TEST_CASE("devices that are not there" * doctest::test_suite("host")) {
    CHECK_FALSE(cuda::is_available());
    CHECK(cuda::device_count() == 0);
    const Tensor x = zeros({2});
    CHECK_ERROR(Error, rand({2, 3}, kCUDA), absent("rand", "cuda"));
    CHECK_ERROR(Error, x.to("cuda:1"), absent("to", "cuda:1"));
    CHECK_ERROR(NotImplementedError, x.to(Device("xla"), kFloat),
                "[to] the device is not supported; got xla, expected cpu or cuda; try kCPU");
    CHECK_ERROR(Error, x.cuda(), absent("to", "cuda"));
    CHECK_ERROR(Error, x.cuda(2), absent("to", "cuda:2"));
    CHECK_ERROR(NotImplementedError, zeros({2}, "xla"),
                "[zeros] the device is not supported; got xla, expected cpu or cuda; try kCPU");
    CHECK_ERROR(Error, cuda::set_device(0), absent("set_device", "cuda:0"));
    CHECK_ERROR(Error, cuda::current_device(), absent("current_device", "cuda"));
    CHECK_ERROR(Error, cuda::synchronize(), absent("synchronize", "cuda"));
}

TEST_CASE("guards" * doctest::test_suite("host")) {
    DeviceGuard guard(Device("cpu"));
    CHECK(guard.original_device() == Device(kCPU));
    guard.set_index(0);
    CHECK(guard.current_device() == Device("cpu:0"));
    CHECK_ERROR(Error, guard.reset_device(kCUDA), absent("DeviceGuard", "cuda"));
    CHECK(guard.current_device() == Device("cpu:0"));
    CHECK_ERROR(Error, DeviceGuard(Device("cuda:1")), absent("DeviceGuard", "cuda:1"));
    CHECK_ERROR(
        Error, DeviceGuard(Device("cpu:1")),
        "[DeviceGuard] the device is not there; got cpu:1, expected cpu or cpu:0; try kCPU");
    OptionalDeviceGuard none, empty{std::optional<Device>()}, some{Device("cpu")};
    CHECK_FALSE(none.current_device().has_value());
    CHECK_FALSE(empty.original_device().has_value());
    CHECK(*some.current_device() == Device(kCPU));
    none.reset_device(kCPU);
    CHECK(*none.original_device() == Device(kCPU));
}
