// What a program sees when a GPU fails. Sticky errors of a device, and settings of the environment,
// are tested in separate processes.
#include "tests/on_gpu/emulator_control.hpp"
#include "tests/runtime/again.hpp"

#include <sinter/cuda.hpp>
#include <sinter/sinter.hpp>

#include <doctest/doctest.h>

using namespace sinter;
using testing::contains;
using testing::has_emulator;
using testing::make_fail;
using testing::text_of;

namespace {

const char* const elsewhere =
    ", expected success; try SINTER_LAUNCH_BLOCKING=1, which reports errors at the call; this one "
    "may come from earlier work";

bool nvidia() { return Device("cuda:0").vendor() == Vendor::nvidia; }

/// Returns a driver's error as both vendors name it.
std::string named(const char* cuda_name, const char* hip_name, const char* words) {
    return std::string(nvidia() ? cuda_name : hip_name) + " (" + words + ")";
}

std::string launch_failed() {
    return named("CUDA_ERROR_LAUNCH_FAILED", "hipErrorLaunchFailure", "unspecified launch failure");
}

}  // namespace

TEST_CASE("gpu failures: a launch that is refused throws at its line, and can be tried again") {
    if (!has_emulator()) return;
    const Tensor x = arange(100, kFloat).cuda();
    const Tensor y = x * 3 + 1;
    make_fail("launch", 1);
    const std::string text = text_of([&] { y.eval(); });
    CHECK(contains(text, "[cuda:0] launching a kernel failed; got "));
    CHECK(contains(text, elsewhere));
    CHECK(y[99].item<float>() == 298);
    make_fail("copy", 1);
    CHECK(contains(text_of([&] { y.cpu(); }), "[cuda:0] copying memory failed; got "));
    CHECK(equal(y.cpu(), arange(100, kFloat) * 3 + 1));
    // In place: the tensor stays unchanged.
    Tensor z = x.clone();
    z.eval();
    z.data_ptr();
    make_fail("launch", 1);
    CHECK(contains(text_of([&] { z.add_(1); }), "[cuda:0] launching a kernel failed"));
    CHECK(z[1].item<float>() == 1);
    z.add_(1);
    CHECK(z[1].item<float>() == 2);
}

TEST_CASE("gpu failures: code that does not load, and that does not compile") {
    if (!has_emulator()) return;
    const Tensor x = arange(100, kDouble).cuda();
    const Tensor y = tanh(x * 5.25 - 1);
    make_fail("module", 1);
    CHECK(contains(text_of([&] { y.eval(); }), "[cuda:0] loading device code failed; got "));
    CHECK(equal(y.cpu(), tanh(arange(100, kDouble) * 5.25 - 1)));
    const Tensor z = erf(x * 5.25 - 2) / 3;
    make_fail("compile", 1);
    CHECK(text_of([&] { z.eval(); }) != "nothing was thrown");
    CHECK(equal(z.cpu(), erf(arange(100, kDouble) * 5.25 - 2) / 3));
}

// ---- in separate processes
TEST_CASE("gpu failing: later, without blocking launches" * doctest::skip()) {
    REQUIRE(has_emulator());
    const Tensor x = arange(100, kFloat).cuda();
    const Tensor y = x * 3 + 1;
    cuda::synchronize();
    Tensor z;
    make_fail("asynchronous", 1);
    CHECK(text_of([&] { y.eval(); }) == "nothing was thrown");
    const std::string text = text_of([] { cuda::synchronize(); });
    CHECK(text == "[cuda:0] waiting for the device failed; got " + launch_failed() + elsewhere);
    // The error is sticky: later calls throw it, and say that they may not have caused it.
    CHECK(text_of([&] { y.cpu(); }) ==
          "[cuda:0] copying memory failed; got " + launch_failed() + elsewhere);
    CHECK(contains(text_of([&] { (x + 1).eval(); }), launch_failed()));
    CHECK(contains(text_of([&] { empty({100 << 20}, kCUDA); }), launch_failed()));
    CHECK(contains(text_of([&] { cuda::getCurrentCUDAStream().synchronize(); }), launch_failed()));
    CHECK(contains(text_of([&] { (void)cuda::getCurrentCUDAStream().query(); }), launch_failed()));
    CHECK(contains(text_of([&] { cuda::CUDAEvent().record(cuda::getStreamFromPool()); }),
                   launch_failed()));
    CHECK(contains(text_of([&] { (void)cuda::mem_get_info(); }), launch_failed()));
    // The CPU and other devices continue.
    CHECK((arange(3) + 1).sum().item<int64_t>() == 6);
    if (cuda::device_count() > 1) CHECK((ones({3}, "cuda:1") + 1).sum().item<float>() == 6);
}

TEST_CASE("gpu failing: at the line, with blocking launches" * doctest::skip()) {
    REQUIRE(has_emulator());
    const Tensor x = arange(100, kFloat).cuda();
    const Tensor y = x * 3 + 1;
    make_fail("asynchronous", 1);
    CHECK(text_of([&] { y.eval(); }) ==
          "[cuda:0] launching a kernel failed; got " + launch_failed() +
              ", expected success; try a new process, because the state of this device is "
              "undefined");
    CHECK(contains(text_of([&] { x.cpu(); }), launch_failed()));
}

TEST_CASE("gpu failing: a kernel that writes out of bounds" * doctest::skip()) {
    REQUIRE(has_emulator());
    // The memory is shorter than stated, which Sinter cannot detect.
    void* data = nullptr;
    const runtime::gpu& g = runtime::gpu_at(0);
    {
        const runtime::device_scope scope(g);
        REQUIRE(g.api->allocate(&data, 400) == 0);
    }
    Tensor x = from_blob(data, {1000}, kCUDA);
    const std::string text = text_of([&] {
        x.fill_(1);
        cuda::synchronize();
    });
    CHECK(contains(text, runtime::launch_blocking()
                             ? "[cuda:0] launching a kernel failed; got "
                             : "[cuda:0] waiting for the device failed; got "));
    CHECK(contains(text, "an illegal memory access was encountered"));
}

TEST_CASE("gpu failures: what is found later, and at its line") {
    if (!has_emulator()) return;
    CHECK(test::run_again("gpu failing: later*", "SINTER_LAUNCH_BLOCKING", "0") == 0);
    CHECK(test::run_again("gpu failing: a kernel*", "SINTER_LAUNCH_BLOCKING", "0") == 0);
    CHECK(test::run_again("gpu failing: a kernel*", "HIP_LAUNCH_BLOCKING", "1") == 0);
    for (const char* name : {"SINTER_LAUNCH_BLOCKING", "CUDA_LAUNCH_BLOCKING"})
        CHECK(test::run_again("gpu failing: at the line*", name, "1") == 0);
    // Each of these can fail.
    CHECK(test::run_again("gpu failing: at the line*", "SINTER_LAUNCH_BLOCKING", "0") == 1);
}

TEST_CASE("gpu failures: memory that runs out says who has it, and the process goes on") {
    if (!has_emulator()) return;
    cuda::empty_cache();
    const TensorOptions bytes = TensorOptions(kByte).device(kCUDA);
    const auto total = static_cast<double>(cuda::get_device_properties().total_memory);
    const auto held = static_cast<double>(cuda::memory_reserved());
    cuda::set_per_process_memory_fraction((held + (30 << 20)) / total);
    {
        const Tensor a = empty({12 << 20}, bytes), b = empty({12 << 20}, bytes);
        const Tensor sum = full({3 << 19}, 2, TensorOptions(kLong).device(kCUDA)) + 1;  // 12 MiB
        const std::string text = text_of([&] { sum.eval(); });
        CHECK(contains(text,
                       "[cuda:0] out of memory; got a request of 12582912 bytes, expected at "
                       "most "));
        CHECK(contains(text, ", the largest blocks 2 x 12582912"));
        CHECK(contains(text, " are cached in blocks that are too small, "));
        CHECK(contains(
            text,
            " are free; try smaller tensors, or destroying tensors that are no longer needed"));
        CHECK_THROWS_AS(sum.eval(), OutOfMemoryError);
        cuda::set_per_process_memory_fraction(1);
        CHECK(sum.sum().item<int64_t>() == 3 * (3 << 19));  // the same value, once memory is free
    }
    // The driver has no more memory, so cached segments go back, once.
    cuda::empty_cache();
    {
        const Tensor cached = empty({30 << 20}, bytes);
    }
    const int64_t retries = cuda::memory_stats().at("num_alloc_retries");
    make_fail("allocate", 1);
    CHECK(empty({50 << 20}, bytes).numel() == 50 << 20);
    CHECK(cuda::memory_stats().at("num_alloc_retries") == retries + 1);
    cuda::empty_cache();
    CHECK((ones({3}, kCUDA) * 2).sum().item<float>() == 6);
}

TEST_CASE("gpu failures: what is pending gives way before memory runs out") {
    if (!testing::has_gpu()) return;
    cuda::empty_cache();
    const auto total = static_cast<double>(cuda::get_device_properties().total_memory);
    const auto held = static_cast<double>(cuda::memory_reserved());
    cuda::set_per_process_memory_fraction((held + (20 << 20)) / total);
    constexpr int64_t n = 3 << 19;  // 12 MiB
    const TensorOptions longs = TensorOptions(kLong).device(kCUDA);
    for (const bool in_flush : {false, true}) {
        Tensor big = full({n}, 1, longs).eval();
        const Tensor sum = (big * 2).sum(), other = ones({10}, kCUDA) + 1;
        big = Tensor();  // only `sum` still refers to it
        Tensor next = in_flush ? full({n}, 3, longs).eval() : empty({n}, longs);
        CHECK(sum.item<int64_t>() == 2 * n);
        if (in_flush) CHECK(next[5].item<int>() == 3);
        next = Tensor();
        CHECK(other.sum().item<float>() == 20);
    }
    const Tensor held_twice = full({n}, 1, longs).eval(), sum = held_twice.sum();
    CHECK_THROWS_AS(empty({n}, longs), OutOfMemoryError);  // computing it would free nothing
    cuda::set_per_process_memory_fraction(1);
}
