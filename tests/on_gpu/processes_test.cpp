// Forks, and the end of a process.
#include "tests/on_gpu/emulator_control.hpp"
#include "tests/runtime/again.hpp"
#include "tests/support/fork.hpp"

#include <sinter/cuda.hpp>
#include <sinter/sinter.hpp>

#include <doctest/doctest.h>

#include <cstdlib>

using namespace sinter;
using testing::contains;
using testing::has_gpu;
using testing::text_of;

TEST_CASE("gpu processes: a forked child computes on the CPU, and is told of the GPU") {
    if (!has_gpu() || !test::can_fork_beside_threads()) return;
    Tensor x = (ones({1000}, kCUDA) * 3).eval();
    const Tensor pending = x + 1, pinned = ones({10}).pin_memory();
    Tensor dies = x.clone().eval(), unpinned = pinned.pin_memory().clone().pin_memory();
    const int status = test::status_of_child([&] {
        alarm(60);
        int wrong = 0;
        const auto told = [](const std::string& text) {
            return contains(
                text,
                "[cuda:0] the driver does not survive a fork; got a process forked after the first "
                "use of a GPU, expected a process that opens the driver itself; try forking before "
                "the first use of a GPU, or exec after the fork");
        };
        if ((arange(4) + 1).sum().item<int64_t>() != 10) wrong |= 1;
        if (!told(text_of([&] { x.cpu(); }))) wrong |= 2;
        if (!told(text_of([&] { pending.cpu(); }))) wrong |= 4;
        if (!told(text_of([&] { ones({3}, kCUDA).eval(); }))) wrong |= 8;
        if (!told(text_of([] { cuda::synchronize(); }))) wrong |= 16;
        if (!told(text_of([] { ones({3}).pin_memory(); }))) wrong |= 32;
        if (pinned.sum().item<float>() != 10) wrong |= 64;  // main memory
        dies = Tensor();
        unpinned = Tensor();
        return wrong;
    });
    CHECK(status == 0);
    CHECK(pending.sum().item<float>() == 4000);
}

namespace {

/// Static objects are destroyed in an unspecified order.
struct at_exit {
    Tensor x, pending, pinned;
    std::optional<Event> event;
    ~at_exit() {
        // The last line of a program.
        if (x.defined() && x.numel() != 1000) std::abort();
    }
} of_process;

}  // namespace

TEST_CASE("gpu ending: with work that has not run" * doctest::skip()) {
    REQUIRE(has_gpu());
    of_process.x = (ones({1000}, kCUDA) * 3).eval();
    of_process.pending = of_process.x + 1;
    of_process.pinned = ones({1000}).pin_memory();
    of_process.event.emplace();
    of_process.event->record(cuda::getStreamFromPool());
    static const Tensor later = of_process.x * 2, copied = of_process.pinned.cuda(0, true);
    static thread_local const Tensor of_thread = of_process.x.clone();
    Tensor back = of_process.x.to(kCPU, true);
    for (int i = 0; i < 20; ++i) of_process.x = (of_process.x * 1.5 + copied).eval();
    CHECK(of_thread.numel() == 1000);
}

TEST_CASE("gpu processes: a process ends with work pending and under way") {
    if (!has_gpu()) return;
    CHECK(test::run_again("gpu ending: *", "SINTER_EMULATOR_DELAY", "5") == 0);
}

// ---- contexts of CUDA, which take long to make

TEST_CASE("gpu contexts: are made at first use" * doctest::skip()) {
    REQUIRE(testing::has_emulator());
    CHECK(cuda::is_available());
    CHECK(cuda::device_count() == 2);
    CHECK(!cuda::get_device_properties(1).name.empty());
    CHECK(testing::counts("context") == 0);
    CHECK((ones({10}, Device("cuda:1")) + 1).sum().item<float>() == 20);
    CHECK(testing::counts("context") == 1);
    const Tensor pinned = ones({10}).pin_memory();  // for all GPUs
    CHECK(pinned.sum().item<float>() == 10);
    CHECK(testing::counts("context") == 1);
}

TEST_CASE("gpu contexts: one is refused" * doctest::skip()) {
    REQUIRE(testing::has_emulator());
    CHECK(cuda::device_count() == 2);
    CHECK(contains(
        text_of([] { ones({10}, Device("cuda:1")).eval(); }),
        "[cuda:1] making it the current device failed; got CUDA_ERROR_DEVICE_UNAVAILABLE"));
    // The other one is as good as before.
    CHECK((ones({10}, Device("cuda:0")) + 1).sum().item<float>() == 20);
}

TEST_CASE("gpu processes: a device is opened when it is used, and a bad one is alone") {
    if (!testing::has_emulator() || Device("cuda:0").vendor() != Vendor::nvidia) return;
    CHECK(test::run_again("gpu contexts: are made*", "SINTER_EMULATOR_FAIL", "") == 0);
    CHECK(test::run_again("gpu contexts: one is refused", "SINTER_EMULATOR_FAIL", "context:1") ==
          0);
}
