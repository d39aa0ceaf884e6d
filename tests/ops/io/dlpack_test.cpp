// DLPack's structures built by hand; tests/numpy shares memory with real libraries.
#include "tests/ops/check.hpp"

#include <sinter/dlpack.hpp>

#include <atomic>
#include <thread>

using namespace sinter;

namespace {

/// A foreign tensor that counts the calls of its deleter.
template <class Managed>
struct foreign {
    int64_t sizes[2] = {2, 3};
    int64_t strides[2] = {3, 1};
    alignas(8) float values[6] = {1, 2, 3, 4, 5, 6};
    std::atomic<int> deleted{0};
    Managed managed{};
    foreign() {
        managed.dl_tensor = {values, {kDLCPU, 0}, 2, {kDLFloat, 32, 1}, sizes, strides, 0};
        managed.manager_ctx = this;
        managed.deleter = [](Managed* self) {
            ++static_cast<foreign*>(self->manager_ctx)->deleted;
        };
        if constexpr (std::is_same_v<Managed, DLManagedTensorVersioned>) managed.version = {1, 0};
    }
};

}  // namespace

TEST_CASE_TEMPLATE("memory comes in, and is given back once", M, DLManagedTensor,
                   DLManagedTensorVersioned) {
    test::for_each_mode([] {
        foreign<M> f;
        {
            Tensor x = fromDLPack(&f.managed);
            CHECK(x.sizes() == IntArrayRef({2, 3}));
            CHECK(x.data_ptr() == f.values);
            x.add_(1);  // runs at its line
            CHECK(f.values[5] == 7);
            f.values[0] = 100;
            CHECK(x[0][0].item<float>() == 100);
            const Tensor later = x * 2;  // has read when the statement ends
            f.values[0] = 0;
            CHECK(later[0][0].item<float>() == 200);
            Tensor view = x.t()[1];
            x = Tensor();
            CHECK(f.deleted == 0);
            std::thread([&] { view = Tensor(); }).join();
        }
        CHECK(f.deleted == 1);
        foreign<M> g;
        g.managed.dl_tensor.strides = nullptr;
        g.managed.dl_tensor.byte_offset = 4;
        g.sizes[0] = 1;
        CHECK(test::elements<float>(fromDLPack(&g.managed)) == std::vector<float>{2, 3, 4});
        CHECK(g.deleted == 1);
        foreign<M> none;
        none.managed.deleter = nullptr;
        none.sizes[0] = 0;
        none.managed.dl_tensor.data = nullptr;
        CHECK(fromDLPack(&none.managed).numel() == 0);
    });
}

TEST_CASE("memory goes out, and lives until the deleter is called" * doctest::test_suite("host")) {
    test::for_each_mode([] {
        for (ScalarType type :
             {kByte, kChar, kShort, kInt, kLong, kHalf, kBFloat16, kFloat, kDouble, kBool}) {
            Tensor x = (arange(6).view({2, 3}) + 1).to(type);  // pending
            DLManagedTensor* m = toDLPack(x.t());
            CHECK(m->dl_tensor.ndim == 2);
            CHECK(m->dl_tensor.shape[0] == 3);
            CHECK(m->dl_tensor.strides[1] == 3);
            CHECK(m->dl_tensor.dtype.bits == 8 * elementSize(type));
            CHECK(m->dl_tensor.device.device_type == kDLCPU);
            // The tensor comes back.
            const Tensor y = fromDLPack(m);
            CHECK((y.dtype() == type));
            CHECK(equal(y, x.t()));
            CHECK(y.data_ptr() == x.data_ptr());
            x = Tensor();
            CHECK(y.numel() == 6);
        }
        // Slices, and strides of dimensions of size 1.
        const Tensor part = (arange(6, kFloat) + 0).slice(0, 2, 5, 2).unsqueeze(0);
        DLManagedTensorVersioned* v = toDLPackVersioned(part);
        CHECK(v->version.major == 1);
        CHECK(v->flags == 0);
        CHECK(*static_cast<float*>(v->dl_tensor.data) == 2);
        CHECK(v->dl_tensor.strides[0] == 1);
        CHECK(v->dl_tensor.strides[1] == 2);
        std::thread([v] { v->deleter(v); }).join();
        float memory[2] = {1, 2};
        DLManagedTensor* m = toDLPack(from_blob(memory, {2}));
        CHECK(m->dl_tensor.data == memory);
        m->deleter(m);
    });
}

TEST_CASE("read-only memory") {
    const float memory[2] = {1, 2};
    const Tensor x = from_blob(static_cast<const void*>(memory), {2});
    CHECK_ERROR(Error, toDLPack(x),
                "[toDLPack] the tensor's memory is read-only; got memory that from_blob(const T*) "
                "or fromDLPack took as read-only, expected writable memory; try "
                "toDLPackVersioned(), which marks it as read-only, or clone() first");
    DLManagedTensorVersioned* v = toDLPackVersioned(x);
    CHECK(v->flags == DLPACK_FLAG_BITMASK_READ_ONLY);
    CHECK(v->dl_tensor.data == memory);
    v->deleter(v);

    foreign<DLManagedTensorVersioned> f;
    f.managed.flags = DLPACK_FLAG_BITMASK_READ_ONLY;
    const Tensor y = fromDLPack(&f.managed);
    CHECK(y.sum().item<float>() == 21);
    const Tensor before = y + 0;
    f.values[0] = 50;  // the other side may write
    CHECK(y.sum().item<float>() == 70);
    CHECK(before.sum().item<float>() == 21);
    CHECK_THROWS_AS(y.add_(1), Error);
    CHECK_THROWS_AS(y.data_ptr(), Error);
    CHECK(f.values[1] == 2);
}

TEST_CASE("what is refused stays its owner's") {
    const auto refused = [](auto change, const std::string& message) {
        foreign<DLManagedTensorVersioned> f;
        change(f);
        std::string got;
        try {
            fromDLPack(&f.managed);
        } catch (const Error& e) {
            got = e.what();
        }
        CHECK(got == message);
        CHECK(f.deleted == 0);
    };
    using F = foreign<DLManagedTensorVersioned>;
    refused([](F& f) { f.managed.dl_tensor.device = {static_cast<DLDeviceType>(12), 3}; },
            "[fromDLPack] the tensor's device does not exist here; got device type 12, index 3, "
            "expected the CPU, or a GPU that cuda::device_count() counts; try copying it to the "
            "CPU in the exporting library");
    refused([](F& f) { f.managed.dl_tensor.dtype.lanes = 4; },
            "[fromDLPack] the dtype is not supported; got code 2, 32 bits, 4 lanes, expected Byte, "
            "Char, Short, Int, Long, Half, BFloat16, Float, Double, ComplexFloat, ComplexDouble or "
            "Bool; try converting it in the exporting library first");
    refused([](F& f) { f.strides[1] = -1; },
            "[fromDLPack] a stride is negative; got strides [3, -1], expected strides of 0 or "
            "more; try a copy in the exporting library");
    refused([](F& f) { f.sizes[1] = -3; },
            "[fromDLPack] a size is negative; got sizes [2, -3], expected sizes of 0 or more; try "
            "setting shape of the DLTensor");
    refused([](F& f) { f.managed.dl_tensor.byte_offset = 2; },
            "[fromDLPack] the memory is not aligned; got an address that is not a multiple of 4, "
            "expected an address that is a multiple of the element size; try a copy in the "
            "exporting library");
    refused([](F& f) { f.managed.dl_tensor.data = nullptr; },
            "[fromDLPack] the pointer is null; got nullptr for sizes [2, 3], expected memory for "
            "every element; try setting data of the DLTensor");
    refused(
        [](F& f) { f.managed.dl_tensor.ndim = 65; },
        "[fromDLPack] the structure has no valid shape; got 65 dimensions, with sizes, expected 0 "
        "to 64 dimensions and their sizes; try setting ndim and shape of the DLTensor");
    refused([](F& f) { f.managed.version.major = 2; },
            "[fromDLPack] the DLPack version is too new; got version 2.0, expected a major version "
            "of at most 1; try an older max_version in the exporting library");
    CHECK_ERROR(ValueError, fromDLPack(static_cast<const DLManagedTensor*>(nullptr)),
                "[fromDLPack] the pointer is null; got nullptr, expected a DLPack structure; try a "
                "capsule that has not been consumed yet");
}
