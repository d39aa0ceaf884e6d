// GPU memory shared with others: from_blob, DLPack, pointers that are handed out.
#include "tests/on_gpu/emulator_control.hpp"

#include <sinter/cuda.hpp>
#include <sinter/dlpack.hpp>
#include <sinter/sinter.hpp>

#include <doctest/doctest.h>

#include <vector>

using namespace sinter;
using testing::contains;
using testing::has_gpu;
using testing::text_of;

namespace {

/// Memory that the program itself got from the driver.
class device_memory {
public:
    explicit device_memory(std::size_t bytes) {
        const runtime::device_scope scope(gpu());
        REQUIRE(gpu().api->allocate(&data_, bytes) == 0);
    }
    ~device_memory() {
        const runtime::device_scope scope(gpu());
        gpu().api->deallocate(data_);
    }
    device_memory(const device_memory&) = delete;
    device_memory& operator=(const device_memory&) = delete;
    void* data() const { return data_; }
    static const runtime::gpu& gpu() { return runtime::gpu_at(0); }

    void fill(unsigned char value, std::size_t bytes, const Stream& s) const {
        const runtime::device_scope scope(gpu());
        REQUIRE(gpu().api->fill(data_, value, bytes, s.native_handle()) == 0);
    }

private:
    void* data_ = nullptr;
};

constexpr int64_t n = 1 << 18;
const TensorOptions bytes_there = TensorOptions(kByte).device(kCUDA);

}  // namespace

TEST_CASE("gpu borrowed: from_blob reads and writes memory of the program's") {
    if (!has_gpu()) return;
    const device_memory m(n);
    const Stream s = cuda::getStreamFromPool();
    const StreamGuard guard(s);
    m.fill(3, n, s);
    Tensor x = from_blob(m.data(), {n}, bytes_there);
    CHECK((x.device() == Device("cuda:0")));
    CHECK(x.data_ptr() == m.data());
    CHECK(x.sum().item<int64_t>() == 3 * n);
    x.add_(1);  // runs at its line
    std::vector<unsigned char> got(n);
    {
        const runtime::device_scope scope(device_memory::gpu());
        REQUIRE(device_memory::gpu().api->copy(got.data(), m.data(), n, s.native_handle()) == 0);
    }
    s.synchronize();
    CHECK(got.back() == 4);
    m.fill(9, n, s);
    const Tensor view = from_blob(m.data(), {2, n / 2}, {1, 2}, bytes_there);
    CHECK(view[1][7].item<int>() == 9);
    const Tensor only_read = from_blob(static_cast<const void*>(m.data()), {n}, bytes_there);
    CHECK((only_read + 1)[5].item<int>() == 10);
    CHECK_THROWS_AS(Tensor(only_read).add_(1), Error);
    for (int round = 1; round < 10; ++round) {
        // The current stream at from_blob was another one than the stream that fills.
        m.fill(static_cast<unsigned char>(round), n, s);
        const Tensor y = from_blob(m.data(), {n}, bytes_there);
        const StreamGuard other(cuda::getStreamFromPool());
        CHECK(y.sum().item<int64_t>() == round * n);
    }
    CHECK(contains(text_of([&] { from_blob(m.data(), {n}, TensorOptions("cuda:99")); }),
                   "[from_blob] the device index is out of range; got cuda:99"));
    CHECK(contains(text_of([&] { Tensor(x).resize_({2 * n}); }),
                   "Trying to resize storage that is not resizable"));
}

TEST_CASE("gpu borrowed: the deleter is called once, when the GPU has done") {
    if (!has_gpu()) return;
    const device_memory m(n), result(n);
    for (int round = 1; round < 10; ++round) {
        int calls = 0;
        Tensor r = from_blob(result.data(), {n}, bytes_there);
        {
            Tensor x = from_blob(
                m.data(), {n},
                [&](void* p) {
                    CHECK(p == m.data());
                    ++calls;
                    // This does not wait for the reader: the read has ended.
                    const runtime::gpu& g = device_memory::gpu();
                    const runtime::device_scope scope(g);
                    g.api->fill(p, 0, n, cuda::getStreamFromPool().native_handle());
                },
                bytes_there);
            x.fill_(round);
            const StreamGuard other(cuda::getStreamFromPool());
            r.copy_(x);
            const Tensor view = x.view({2, n / 2});
            x = Tensor();
            CHECK(calls == 0);
        }
        CHECK(calls == 1);
        CHECK(r.sum().item<int64_t>() == round * n);
        cuda::synchronize();
    }
}

TEST_CASE("gpu borrowed: a pointer that is handed out is ready on the current stream") {
    if (!has_gpu()) return;
    const Stream a = cuda::getStreamFromPool(), b = cuda::getStreamFromPool();
    const runtime::gpu& g = runtime::gpu_at(0);
    for (int round = 1; round < 10; ++round) {
        Tensor x;
        {
            const StreamGuard guard(a);
            x = full({n}, round, bytes_there).eval();
        }
        const StreamGuard guard(b);
        std::vector<unsigned char> got(n);
        const runtime::device_scope scope(g);
        REQUIRE(g.api->copy(got.data(), x.const_data_ptr(), n, b.native_handle()) == 0);
        b.synchronize();
        CHECK(got.front() == round);
        CHECK(got.back() == round);
    }
}

TEST_CASE("gpu borrowed: DLPack to a stream of the other side, and back") {
    if (!has_gpu()) return;
    const bool nvidia = Device("cuda:0").vendor() == Vendor::nvidia;
    const Stream ours = cuda::getStreamFromPool(), theirs = cuda::getStreamFromPool();
    const auto number = reinterpret_cast<int64_t>(theirs.native_handle());
    const runtime::gpu& g = runtime::gpu_at(0);
    // Pinned, because the driver would otherwise wait at the copy.
    const Tensor here = empty({n}, TensorOptions(kByte).pinned_memory(true));
    auto* got = here.data_ptr<uint8_t>();
    for (int round = 1; round < 10; ++round) {
        {
            const StreamGuard guard(ours);
            const Tensor x = full({n}, round, bytes_there);
            DLManagedTensorVersioned* m = toDLPackVersioned(x, number);
            CHECK(m->dl_tensor.device.device_type == (nvidia ? kDLCUDA : kDLROCM));
            CHECK(m->dl_tensor.device.device_id == 0);
            const runtime::device_scope scope(g);
            REQUIRE(g.api->copy(got, m->dl_tensor.data, n, theirs.native_handle()) == 0);
            m->deleter(m);  // the copy may still run
        }
        const Tensor again = full({n}, 0, bytes_there).eval();
        theirs.synchronize();
        CHECK(got[0] == round);
        CHECK(got[n - 1] == round);
    }
    const Tensor x = arange(6, kFloat).view({2, 3}).cuda();
    DLManagedTensor* m = toDLPack(x.t());
    const Tensor y = fromDLPack(m);
    CHECK((y.device() == Device("cuda:0")));
    CHECK(y.data_ptr() == x.data_ptr());
    CHECK(equal(y.cpu(), x.t().cpu()));
    Tensor(y).add_(1);
    CHECK(x[1][2].item<float>() == 6);
    m = toDLPack(x, -1);
    m->deleter(m);
    const int64_t standard = nvidia ? 1 : 0;  // the driver's default stream
    m = toDLPack(x, standard);
    m->deleter(m);
    CHECK_THROWS_AS(toDLPack(x, nvidia ? 0 : 1), ValueError);
    CHECK(text_of([&] { toDLPack(x, nvidia ? 0 : 2); }) ==
          (nvidia ? "[toDLPack] the number does not name a stream; got 0 on cuda:0, expected 1, 2, "
                    "a handle, or -1; try Stream::native_handle()"
                  : "[toDLPack] the number does not name a stream; got 2 on cuda:0, expected 0, a "
                    "handle, or -1; try Stream::native_handle()"));
    CHECK_THROWS_AS(toDLPackVersioned(x, -2), ValueError);
}

TEST_CASE("gpu borrowed: DLPack does not wait where it is told the stream") {
    if (!testing::has_emulator()) return;
    const Tensor x = full({n}, 1, bytes_there).eval();
    cuda::synchronize();
    const auto waits = testing::counts("synchronize");
    Tensor y = (x + 1).eval();
    const auto number = reinterpret_cast<int64_t>(cuda::getStreamFromPool().native_handle());
    DLManagedTensor* m = toDLPack(y, number);
    CHECK(testing::counts("synchronize") == waits);
    m->deleter(m);
    y = (x + 2).eval();
    m = toDLPack(y);  // without a stream, so the user is unknown
    CHECK(testing::counts("synchronize") == waits + 1);
    m->deleter(m);
}

TEST_CASE("gpu borrowed: DLPack from a device, whose owner is told once") {
    if (!has_gpu()) return;
    const device_memory m(24);
    struct foreign {
        int64_t sizes[1] = {6};
        int deleted = 0;
        DLManagedTensor managed{};
    } f;
    const bool nvidia = Device("cuda:0").vendor() == Vendor::nvidia;
    f.managed.dl_tensor = {
        m.data(), {nvidia ? kDLCUDA : kDLROCM, 0}, 1, {kDLFloat, 32, 1}, f.sizes, nullptr, 0};
    f.managed.manager_ctx = &f;
    f.managed.deleter = [](DLManagedTensor* self) {
        ++static_cast<foreign*>(self->manager_ctx)->deleted;
    };
    m.fill(0, 24, cuda::getCurrentCUDAStream());
    {
        Tensor x = fromDLPack(&f.managed);
        x.add_(2);
        CHECK(x.sum().item<float>() == 12);
        CHECK(f.deleted == 0);
    }
    CHECK(f.deleted == 1);
    f.managed.dl_tensor.device.device_id = 77;
    CHECK(contains(text_of([&] { fromDLPack(&f.managed); }),
                   "[fromDLPack] the tensor's device does not exist here; got device type "));
    f.managed.dl_tensor.device = {nvidia ? kDLROCM : kDLCUDA, 0};
    CHECK(contains(text_of([&] { fromDLPack(&f.managed); }), "index 0, expected the CPU"));
    CHECK(f.deleted == 1);
}
