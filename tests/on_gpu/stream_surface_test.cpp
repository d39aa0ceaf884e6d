// Streams, events, guards, devices and memory in the public interface.
#include "tests/on_gpu/emulator_control.hpp"

#include <sinter/benchmark.hpp>
#include <sinter/cuda.hpp>
#include <sinter/sinter.hpp>

#include <doctest/doctest.h>

#include <sstream>
#include <thread>
#include <unordered_set>

using namespace sinter;
using testing::contains;
using testing::has_gpu;
using testing::text_of;

TEST_CASE("gpu surface: streams have a device, an id and a priority, and print") {
    if (!has_gpu()) return;
    const cuda::CUDAStream first = cuda::getDefaultCUDAStream();
    CHECK(first.id() == 0);
    CHECK(first.priority() == 0);
    CHECK((first.device() == Device("cuda:0")));
    CHECK((first == cuda::getCurrentCUDAStream()));
    CHECK((Stream(Stream::DEFAULT, kCUDA) == first));
    std::ostringstream out;
    out << first;
    CHECK(out.str() == "stream 0 on device cuda:0");
    const cuda::CUDAStream a = cuda::getStreamFromPool(), b = cuda::getStreamFromPool(true);
    CHECK((a != b));
    CHECK((a != first));
    CHECK(a.priority() == 0);
    CHECK(b.priority() == -1);
    CHECK(cuda::getStreamFromPool(-1).priority() == -1);
    CHECK(cuda::getStreamFromPool(0).priority() == 0);
    CHECK((Stream(Stream::UNSAFE, kCUDA, a.id()) == a));
    CHECK(a.native_handle() != b.stream());
    CHECK((cuda::getStreamFromExternal(a.stream()) == a));  // already known
    CHECK((cuda::CUDAStream(Stream(a)).unwrap() == a));
    std::unordered_set<Stream> set{a, b, a};
    CHECK(set.size() == 2);
    for (int i = 0; i < 30; ++i) CHECK((cuda::getStreamFromPool() != a));  // one was taken above
    CHECK((cuda::getStreamFromPool() == a));
    CHECK(text_of([] { Stream(Stream::UNSAFE, kCUDA, 999); }) ==
          "[Stream] the stream does not exist; got id 999 on cuda, expected the id of an existing "
          "stream; try getStreamFromPool()");
    CHECK(contains(text_of([] { cuda::getStreamFromPool(2); }),
                   "[getStreamFromPool] the priority is out of range; got 2, expected 0 or less"));
    CHECK(contains(text_of([] { cuda::CUDAStream(Stream(Stream::DEFAULT, kCPU)); }),
                   "[CUDAStream] the stream is not on a GPU; got cpu"));
}

TEST_CASE("gpu surface: query and synchronize are about all that a stream has got") {
    if (!has_gpu()) return;
    const cuda::CUDAStream s = cuda::getStreamFromPool();
    Tensor x;
    {
        const cuda::CUDAStreamGuard guard(s);
        x = (ones({1000}, kCUDA) * 3).eval();
    }
    s.synchronize();
    CHECK(s.query());
    // Work that others put there is not counted, but waited for.
    const runtime::gpu& g = runtime::gpu_at(0);
    const DeviceGuard device(Device("cuda:0"));
    runtime::device_scope scope(g);
    REQUIRE(g.api->fill(x.data_ptr(), 0, 4000, s.stream()) == 0);
    s.synchronize();
    CHECK(s.query());
    CHECK(x.sum().item<float>() == 0);
}

TEST_CASE("gpu surface: guards of the current stream") {
    if (!has_gpu()) return;
    const Stream before = cuda::getCurrentCUDAStream();
    const Stream a = cuda::getStreamFromPool(), b = cuda::getStreamFromPool();
    {
        cuda::CUDAStreamGuard guard(a);
        CHECK((cuda::getCurrentCUDAStream() == a));
        CHECK((guard.original_stream() == before));
        CHECK((guard.current_stream() == a));
        std::thread([&] { CHECK((cuda::getCurrentCUDAStream() == before)); }).join();
        guard.reset_stream(b);
        CHECK((cuda::getCurrentCUDAStream() == b));
        {
            OptionalStreamGuard none, some(a);
            CHECK(!none.current_stream());
            CHECK((cuda::getCurrentCUDAStream() == a));
            none.reset_stream(before);
            CHECK((cuda::getCurrentCUDAStream() == before));
            none.reset();
            CHECK((cuda::getCurrentCUDAStream() == a));
        }
        CHECK((cuda::getCurrentCUDAStream() == b));
    }
    CHECK((cuda::getCurrentCUDAStream() == before));
    cuda::setCurrentCUDAStream(a);
    CHECK((cuda::getCurrentCUDAStream() == a));
    cuda::setCurrentCUDAStream(before);
    if (cuda::device_count() < 2) return;
    const Stream there = cuda::getStreamFromPool(false, 1);
    {
        cuda::CUDAStreamGuard guard(there);
        CHECK(cuda::current_device() == 1);
        CHECK((guard.original_device() == Device("cuda:0")));
        CHECK((guard.original_stream() == before));
        CHECK((cuda::getCurrentCUDAStream() == there));
        CHECK((cuda::getCurrentCUDAStream(0) == before));
        guard.reset_stream(a);
        CHECK(cuda::current_device() == 0);
        CHECK((cuda::getCurrentCUDAStream(1) != there));
    }
    CHECK(cuda::current_device() == 0);
    CHECK((cuda::getCurrentCUDAStream() == before));
    {
        const cuda::CUDAMultiStreamGuard guard({a, there});
        CHECK(cuda::current_device() == 0);
        CHECK((cuda::getCurrentCUDAStream(0) == a));
        CHECK((cuda::getCurrentCUDAStream(1) == there));
    }
    CHECK((cuda::getCurrentCUDAStream(1) != there));
    const StreamGuard cpu(Stream(Stream::DEFAULT, kCPU));
    CHECK((cuda::getCurrentCUDAStream() == before));
}

TEST_CASE("gpu surface: events") {
    if (!has_gpu()) return;
    const Stream a = cuda::getStreamFromPool(), b = cuda::getStreamFromPool();
    cuda::CUDAEvent start(cuda::event_default), end(cuda::event_default), plain;
    CHECK(!plain.isCreated());
    CHECK(plain.query());  // nothing to wait for
    plain.synchronize();
    plain.block(a);
    CHECK(contains(
        text_of([&] { (void)start.elapsed_time(end); }),
        "[elapsedTime] an event has not been recorded on a GPU; got a first event that was not "
        "recorded and a second that was not recorded, expected two recorded events; try record()"));
    Tensor x;
    start.record(a);
    {
        const StreamGuard guard(a);
        x = (ones({100000}, kCUDA) * 2).eval();
    }
    end.record(a);
    end.recordOnce(b);  // was recorded
    plain.record();
    b.wait(end);
    {
        const StreamGuard guard(b);
        CHECK(x.sum().item<float>() == 200000);
    }
    end.synchronize();
    CHECK(end.query());
    CHECK(end.isCreated());
    CHECK((end.device() == Device("cuda:0")));
    CHECK(start.elapsed_time(end) >= 0);
    plain.synchronize();
    CHECK(contains(text_of([&] { (void)plain.elapsed_time(end); }),
                   "[elapsedTime] an event does not keep its time"));
    Event moved = std::move(end);
    CHECK(moved.query());
    CHECK(moved.was_marked_for_recording());
    Event cpu(kCPU);
    cpu.record(Stream(Stream::DEFAULT, kCPU));
    CHECK(cpu.query());
    CHECK(contains(text_of([&] { cpu.record(a); }),
                   "[record] the stream and the event are on different devices; got a stream on "
                   "cuda:0 and an event for cpu"));
    if (cuda::device_count() < 2) return;
    const Stream there = cuda::getStreamFromPool(false, 1);
    CHECK(contains(
        text_of([&] { moved.record(there); }),
        "[record] the stream and the event are on different devices; got a stream on cuda:1 and an "
        "event for cuda:0, expected the same device; try another event for that stream"));
    moved.block(there);  // on another device
    there.synchronize();
    cuda::CUDAEvent other(cuda::event_default);
    other.record(there);
    other.synchronize();
    CHECK(contains(text_of([&] { (void)start.elapsedTime(other); }),
                   "[elapsedTime] the events are on different devices; got cuda:0 and cuda:1"));
}

TEST_CASE("gpu surface: devices say what they are") {
    if (!has_gpu()) return;
    const cuda::DeviceProperties p = cuda::get_device_properties();
    CHECK(p.name == cuda::get_device_name("cuda:0"));
    CHECK(!p.name.empty());
    CHECK(p.total_memory > 0);
    CHECK(p.multi_processor_count > 0);
    CHECK((p.warp_size == 32 || p.warp_size == 64));
    CHECK(p.max_threads_per_block >= 256);
    const bool nvidia = p.vendor == Vendor::nvidia;
    CHECK((Device("cuda:0").vendor() == p.vendor));
    CHECK((Device(kCPU).vendor() == Vendor::none));
    std::ostringstream out;
    out << p.vendor;
    CHECK(out.str() == (nvidia ? "nvidia" : "amd"));
    const auto [major, minor] = cuda::get_device_capability(0);
    CHECK(major == p.major);
    const std::string number = std::to_string(major) + std::to_string(minor);
    CHECK(p.architecture.find((nvidia ? "sm_" : "gfx") + number) == 0);
    CHECK(!cuda::can_device_access_peer(0, 0));
    CHECK(contains(text_of([] { cuda::get_device_name(Device(kCPU)); }),
                   "[cuda] the device is not a GPU; got cpu, expected a GPU; try kCUDA"));
    CHECK_THROWS_AS(cuda::get_device_name(Device(kCPU)), ValueError);
    CHECK(contains(text_of([] { cuda::get_device_name(99); }),
                   "[get_device_name] the device index is out of range; got cuda:99, expected "
                   "cuda:0"));
    CHECK(contains(text_of([] { (void)Device("cuda:99").vendor(); }),
                   "the device index is out of range"));
    if (cuda::device_count() < 2) return;
    if (cuda::can_device_access_peer(0, 1)) {
        CHECK(cuda::enable_peer_access(0, 1));
        CHECK(cuda::enable_peer_access("cuda:0", Device("cuda:1")));  // a second time
    }
}

TEST_CASE("gpu surface: memory is counted under torch.cuda's names") {
    if (!testing::has_cached_memory()) return;
    constexpr int64_t mib = 1 << 20;
    cuda::empty_cache();
    cuda::reset_peak_memory_stats();
    const int64_t before = cuda::memory_allocated();
    const int64_t reserved = cuda::memory_reserved();
    {
        const Tensor x = empty({40 * mib}, TensorOptions(kByte).device(kCUDA));
        CHECK(cuda::memory_allocated() == before + 40 * mib);
        CHECK(cuda::memory_reserved("cuda:0") == reserved + 40 * mib);
        const auto stats = cuda::memory_stats(x.device());
        CHECK(stats.at("allocated_bytes.all.current") == before + 40 * mib);
        CHECK(stats.at("allocation.all.current") >= 1);
        CHECK(stats.at("segment.all.current") >= 1);
    }
    CHECK(cuda::memory_allocated() == before);
    CHECK(cuda::max_memory_allocated() == before + 40 * mib);
    CHECK(cuda::memory_reserved() == reserved + 40 * mib);
    const int64_t unused = cuda::mem_get_info().first;
    cuda::empty_cache();
    CHECK(cuda::memory_reserved() == reserved);
    CHECK(cuda::mem_get_info().first > unused);
    CHECK(cuda::max_memory_reserved() == reserved + 40 * mib);
    cuda::CUDACachingAllocator::resetPeakStats(0);
    CHECK(cuda::max_memory_reserved() == reserved);
    CHECK(cuda::max_memory_allocated() == before);
    const auto [free, total] = cuda::mem_get_info();
    CHECK(free > 0);
    CHECK(free <= total);
    CHECK(total == cuda::get_device_properties().total_memory);
    const std::string table = cuda::memory_summary();
    CHECK(contains(table, "cuda:0, "));
    CHECK(contains(table, "in tensors"));
    CHECK(contains(table, "segments "));
    CHECK(cuda::memory_summary(0, true).size() < table.size());
}

TEST_CASE("gpu surface: a limit of memory") {
    if (!has_gpu()) return;
    cuda::empty_cache();
    const double total = static_cast<double>(cuda::get_device_properties().total_memory);
    const auto held = static_cast<double>(cuda::memory_reserved());
    const int64_t ooms = cuda::memory_stats().at("num_ooms");
    cuda::set_per_process_memory_fraction((held + (60 << 20)) / total);
    const TensorOptions bytes = TensorOptions(kByte).device(kCUDA);
    const Tensor fits = empty({50 << 20}, bytes);
    CHECK_THROWS_AS(empty({20 << 20}, bytes), OutOfMemoryError);
    CHECK(cuda::memory_stats().at("num_ooms") == ooms + 1);
    cuda::set_per_process_memory_fraction(0);
    CHECK_THROWS_AS(empty({64 << 20}, bytes), OutOfMemoryError);
    cuda::set_per_process_memory_fraction(1);
    CHECK(empty({64 << 20}, bytes).numel() == 64 << 20);
    CHECK_THROWS_AS(cuda::set_per_process_memory_fraction(1.5), ValueError);
    CHECK(text_of([] { cuda::set_per_process_memory_fraction(-1); }) ==
          "[set_per_process_memory_fraction] the fraction is out of range; got -1, expected 0 to "
          "1; try 1, which allows all of the GPU's memory");
}

TEST_CASE("gpu surface: record_stream keeps memory from others while a stream has it") {
    if (!has_gpu()) return;
    const Stream other = cuda::getStreamFromPool();
    const runtime::gpu& g = runtime::gpu_at(0);
    const runtime::device_scope scope(g);
    constexpr int64_t n = 4 << 20;
    const TensorOptions bytes = TensorOptions(kByte).device(kCUDA);
    // Pinned, because the driver would otherwise wait at the copy.
    const Tensor here = empty({n}, TensorOptions(kByte).pinned_memory(true));
    auto* got = here.data_ptr<uint8_t>();
    for (int round = 1; round < 10; ++round) {
        {
            const Tensor x = (empty({n}, bytes).fill_(round)).eval();
            const void* address = x.const_data_ptr();
            Event ready;
            ready.record();
            ready.block(other);
            x.record_stream(other);
            REQUIRE(g.api->copy(got, address, n, other.native_handle()) == 0);
        }
        // The same memory: the fill is ordered after the copy.
        const Tensor again = (empty({n}, bytes).fill_(0)).eval();
        other.synchronize();
        CHECK(got[0] == round);
        CHECK(got[n - 1] == round);
    }
    CHECK(contains(text_of([&] { ones({2}).record_stream(other); }),
                   "[record_stream] the tensor or the stream is not on a GPU; got a tensor on cpu "
                   "and a stream on cuda:0"));
}

TEST_CASE("gpu surface: copies between devices, without and with peer access") {
    if (!has_gpu() || cuda::device_count() < 2) return;
    const Tensor a = arange(50000, kFloat);
    for (int round = 0; round < 2; ++round) {
        const Tensor x = a.to("cuda:0"), y = (x + 1).to("cuda:1", true), z = (y * 2).to("cuda:0");
        CHECK(equal(z.cpu(), (a + 1) * 2));
        Tensor there = zeros({50000}, "cuda:1");
        there.data_ptr();  // makes it external, so bytes go there directly
        there.copy_(x, true);
        CHECK(equal(there.cpu(), a));
        there.slice(0, 0, 10).copy_(x.slice(0, 100, 110));
        CHECK(there[9].item<float>() == 109);
        CHECK(
            text_of([&] { x + y; }) ==
            "[add] Expected all tensors to be on the same device, but found at least two devices, "
            "cuda:0 and cuda:1; got a tensor of sizes [50000] on cuda:0 and a tensor of sizes "
            "[50000] on cuda:1, expected one device; try .to(\"cuda:0\") on the other tensor");
        cuda::enable_peer_access(0, 1);
        cuda::enable_peer_access(1, 0);
    }
}

TEST_CASE("gpu surface: one flush computes values of several devices") {
    if (!has_gpu() || cuda::device_count() < 2) return;
    const Tensor a = arange(1000, kFloat);
    const Tensor p = a.to("cuda:0") * 3, q = a.to("cuda:1") * 4, r = a * 5;
    Tensor s = q.sum();
    s.add_(1);
    eval({p, s, r, q});
    CHECK(equal(p.cpu(), a * 3));
    CHECK(equal(q.cpu(), a * 4));
    CHECK(equal(r, a * 5));
    CHECK(s.item<float>() == 4 * 499500 + 1);
}

TEST_CASE("gpu surface: a timer waits for GPUs at both ends of a block") {
    if (!has_gpu()) return;
    const ModeGuard lazy(Mode::lazy);
    const Tensor x = arange(100, kFloat).to(kCUDA).eval();
    const uint64_t before = stats().host_waits;
    const benchmark::Measurement m = benchmark::Timer([&] { return x + 1; }).timeit(2);
    // The first call, one to warm up and the two that are timed wait twice, two to settle once.
    CHECK(stats().host_waits - before >= 8);
    CHECK(m.circumstances().call->kernels_launched == 1);
    CHECK(m.circumstances().call->host_waits == 0);  // none of them is the statement's
}
