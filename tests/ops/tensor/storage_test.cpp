#include "tests/ops/check.hpp"

#include <sinter/storage.hpp>

using namespace sinter;

TEST_CASE("a storage is a list of elements that views share" * doctest::test_suite("host")) {
    test::for_each_mode([] {
        const Tensor x = arange(10, kFloat) + 0, view = x.view({2, 5});
        const TypedStorage s = view.storage();
        CHECK(s.size() == 10);
        CHECK(s.nbytes() == 40);
        CHECK((s.dtype() == kFloat));
        CHECK(s.device() == Device(kCPU));
        CHECK(s.data() == x.data_ptr());
        CHECK(s.data_ptr<float>() == x.data_ptr<float>());
        CHECK(s[3] == 3.0);
        CHECK(Tensor(x > 5).storage()[7] == 1);
        CHECK(s[-1] == 9);
        s[3] = 10.0;
        s[4] = s[0];
        CHECK(view[0][3].item<float>() == 10);
        CHECK(x[4].item<float>() == 0);
        x.slice(0, 0, 2).add_(5);
        CHECK(s[1].to<float>() == 6);
        double sum = 0;
        for (const Scalar v : s) sum += v.toDouble();
        CHECK(sum == 5 + 6 + 2 + 10 + 0 + 5 + 6 + 7 + 8 + 9);
        CHECK(s.is_alias_of(x.storage()));
        CHECK_FALSE(s.is_alias_of(ones({1}).storage()));
        // The storage of a slice is the whole storage.
        CHECK(x.slice(0, 4, 6).storage().size() == 10);
        s.fill_(2);
        CHECK(equal(x, full({10}, 2.0)));
        for (ScalarType type : {kByte, kHalf, kBFloat16, kLong, kBool}) {
            const Tensor t = zeros({3}, type);
            t.storage()[1] = 1;
            CHECK(t.sum().item<double>() == 1);
        }
    });
    CHECK_ERROR(
        IndexError, zeros({3}).storage()[3],
        "[storage] the index is out of range; got 3, expected -3 to 2; try checking size() first");
    CHECK_ERROR(ValueError, zeros({3}, kByte).storage()[0] = 300,
                "[storage] value cannot be converted to type uint8_t without overflow; got 300 for "
                "Byte, expected a value that Byte can hold; try kLong, a wider dtype");
    CHECK_ERROR(
        Error, Tensor().storage(),
        "[storage] the tensor is undefined; got a default-constructed Tensor, expected a defined "
        "tensor; try assigning a tensor to it first; defined() tells whether it is one");
}

TEST_CASE("a storage outlives its tensor, and prints") {
    Tensor x = arange(3, kFloat) / 2;
    const TypedStorage s = x.storage();
    x = Tensor();
    std::ostringstream out;
    out << s << '\n' << zeros({1}, kLong).storage() << '\n' << s[1];
    CHECK(out.str() ==
          " 0.0\n 0.5\n 1.0\n[torch.FloatTensor of size 3]\n 0\n[torch.LongTensor of size 1]\n0.5");
}

TEST_CASE("memory that only reads") {
    const float values[] = {1, 2, 3};
    const Tensor x = from_blob(static_cast<const void*>(values), {3}, kFloat);
    const TypedStorage s = x.storage();
    CHECK(s[2] == 3);
    CHECK_ERROR(Error, s[2] = 4,
                "[data_ptr] the tensor's memory is read-only; got memory that from_blob(const T*) "
                "or fromDLPack took as read-only, expected writable memory; try const_data_ptr(), "
                "or clone() first");
}

TEST_CASE("accessors" * doctest::test_suite("host")) {
    test::for_each_mode([] {
        const Tensor x = arange(24, kFloat).view({2, 3, 4}) + 0;
        const auto a = x.accessor<float, 3>();
        CHECK(a.size(1) == 3);
        CHECK(a.sizes() == IntArrayRef({2, 3, 4}));
        CHECK(a[1].strides() == IntArrayRef({4, 1}));
        float sum = 0;
        for (int64_t i = 0; i < a.size(0); ++i)
            for (int64_t j = 0; j < a.size(1); ++j)
                for (int64_t k = 0; k < a.size(2); ++k) sum += a[i][j][k];
        CHECK(sum == 276);
        a[1][2][3] = -1;
        CHECK(x[1][2][3].item<float>() == -1);
        const Tensor turned = x.select(0, 1).t();
        const auto t = turned.accessor<const float, 2>();
        CHECK(t[3][2] == -1);
        CHECK(t.stride(0) == 1);
        auto p = turned.packed_accessor64<float, 2>();
        p[0][1] = 50;
        CHECK(p.size(0) == 4);
        CHECK(p.stride(1) == 4);
        CHECK(x[1][1][0].item<float>() == 50);
        const auto q = turned.packed_accessor32<float, 2>();
        CHECK(q[0][1] == 50);
        const auto r = turned.packed_accessor32<float, 2, RestrictPtrTraits>().transpose(0, 1);
        CHECK(r.size(0) == 3);
        CHECK(r[1][0] == 50);
        const PackedTensorAccessor32<float, 2, DefaultPtrTraits> named = q;
        const TensorAccessor<float, 1, DefaultPtrTraits, int32_t> row = named[0];
        CHECK(row.sizes()[0] == 3);
        CHECK(row[1] == 50);
    });
    const Tensor x = zeros({2, 3});
    const auto packed = x.packed_accessor64<float, 2>();
    CHECK_ERROR(IndexError, packed.transpose(0, 2),
                "[transpose] index 2 is not within bounds of a tensor of dimension 2; got 2, "
                "expected 0 to 1; try 1 for the last dimension");
    CHECK_THROWS_AS(packed.transpose(-1, 0), IndexError);
    const Tensor many = zeros({1}).expand({int64_t{1} << 31});
    CHECK(many.packed_accessor64<float, 1>().size(0) == int64_t{1} << 31);
    CHECK_ERROR(Error, (many.packed_accessor32<float, 1>()),
                "[accessor] numel needs to be smaller than int32_t max; got 2147483648 elements "
                "for 32-bit indices, expected at most 2147483647; try packed_accessor64()");
    CHECK(x.storage().data_ptr().get() == x.data_ptr());
    CHECK(x.storage().data_ptr().device() == kCPU);
    CHECK(DataPtr() == nullptr);
    CHECK_FALSE(static_cast<bool>(DataPtr()));
    CHECK_ERROR(Error, (x.accessor<float, 3>()),
                "[accessor] TensorAccessor expected 3 dims but tensor has 2; got an accessor of 3 "
                "dimensions for shape [2, 3], expected 2 dimensions; try accessor<T, 2>()");
    CHECK_ERROR(Error, (x.accessor<int, 2>()),
                "[data_ptr] expected scalar type Int but found Float; got a Float tensor, expected "
                "a Int tensor; try .to(kInt) first, or float as the element type");
}

TEST_CASE("resizing keeps elements, and grows memory for all views") {
    test::for_each_mode([] {
        Tensor x = arange(6, kFloat) * 1, view = x.view({2, 3});
        CHECK(x.resize_({2, 2}).sizes() == IntArrayRef({2, 2}));
        CHECK(test::elements<float>(x) == std::vector<float>{0, 1, 2, 3});
        CHECK(x.storage().size() == 6);
        x.resize_({3, 3});
        CHECK(x.storage().size() == 9);
        CHECK(test::elements<float>(x.flatten().slice(0, 0, 6)) ==
              std::vector<float>{0, 1, 2, 3, 4, 5});
        x.fill_(7);
        CHECK(equal(view, full({2, 3}, 7.0)));  // still shared memory
        // Readers of the old value keep it.
        Tensor y = arange(3, kFloat) + 1;
        const Tensor before = y * 2;
        y.resize_({5}).fill_(9);
        CHECK(test::elements<float>(before) == std::vector<float>{2, 4, 6});
        // A view grows from its offset.
        Tensor z = arange(4, kLong) + 0, tail = z.slice(0, 2);
        tail.resize_({4});
        CHECK(tail.storage().size() == 6);
        CHECK(tail[1].item<int64_t>() == 3);
        CHECK(tail.storage_offset() == 2);
        CHECK(z.is_alias_of(tail));
        CHECK(empty({0}).resize_as_(zeros({2, 3})).sizes() == IntArrayRef({2, 3}));
        const Tensor t = zeros({2, 3}).t();
        CHECK(t.resize_({3, 2}).strides() == IntArrayRef({1, 3}));  // equal sizes: nothing happens
        CHECK(x.resize_({0}).numel() == 0);
    });
    float memory[3] = {};
    CHECK_ERROR(Error, from_blob(memory, {3}).resize_({4}),
                "[resize_] Trying to resize storage that is not resizable; got external memory of "
                "3 elements for sizes that need 4, expected sizes that need at most 3 elements; "
                "try clone() first");
}

TEST_CASE("handles that are pointed at other memory") {
    test::for_each_mode([] {
        const Tensor x = arange(6, kFloat) + 0;
        Tensor y = zeros({2});
        const Tensor same = y;
        y.set_(x.storage(), 1, {2, 2}, {2, 1});
        CHECK(test::elements<float>(same) == std::vector<float>{1, 2, 3, 4});
        CHECK(y.is_alias_of(x));
        y.fill_(0);
        CHECK(test::elements<float>(x) == std::vector<float>{0, 0, 0, 0, 0, 5});
        y.set_(x.storage(), 2, {3});
        CHECK(y.strides() == IntArrayRef({1}));
        y.set_(x.storage());
        CHECK(y.sizes() == IntArrayRef({6}));
        y.set_(ones({3}));
        CHECK(equal(y, ones({3})));
        y.set_(x.storage(), 4, {4});  // grows the storage
        CHECK(x.storage().size() == 8);
        y.set_();
        CHECK(y.sizes() == IntArrayRef({0}));
        y.set_data(arange(3));
        CHECK((same.dtype() == kLong));
        const Tensor d = x.data();
        CHECK(d.is_alias_of(x));
        CHECK_FALSE(d.is_same(x));
    });
    const Tensor x = zeros({2}), l = zeros({2}, kLong);
    CHECK_ERROR(TypeError, x.set_(l),
                "[set_] the source has the wrong dtype; got Long, expected Float; try set_data(), "
                "or .to(kFloat) on the source");
    CHECK_ERROR(Error, x.set_(x.storage(), -1, {1}),
                "[set_] the storage offset is negative; got -1, expected 0 or more; try 0, the "
                "start of the storage");
    CHECK_ERROR(
        Error, x.set_(x.storage(), 0, {1}, {1, 1}),
        "[set_] sizes and strides have different lengths; got sizes [1] and strides [1, 1], "
        "expected one stride for each size; try leaving the strides out for a contiguous layout");
    CHECK_ERROR(Error, x.set_(x.storage(), 0, {2}, {-1}),
                "[set_] a stride is negative; got strides [-1], expected strides of 0 or more; try "
                "flip(), which reverses a dimension by a copy");
    CHECK(equal(x, zeros({2})));
}

TEST_CASE("what a tensor knows of its memory" * doctest::test_suite("host")) {
    const Tensor x = zeros({2, 3});
    CHECK(x.has_storage());
    CHECK_FALSE(Tensor().has_storage());
    CHECK((x.layout() == kStrided));
    CHECK_FALSE(x.is_pinned());
    CHECK(x.is_cpu());
    CHECK_FALSE(x.is_cuda());
    CHECK(x.is_same_size(ones({2, 3}, kLong)));
    CHECK_FALSE(x.is_same_size(ones({3, 2})));
    CHECK(x.t().is_non_overlapping_and_dense());
    CHECK(x[1].is_non_overlapping_and_dense());
    CHECK_FALSE(x.slice(1, 0, 3, 2).is_non_overlapping_and_dense());
    CHECK_FALSE(x[0].expand({2, 3}).is_non_overlapping_and_dense());
    CHECK(zeros({2, 0}).is_non_overlapping_and_dense());
    CHECK(x[0].slice(0, 0, 1).is_non_overlapping_and_dense());
}
