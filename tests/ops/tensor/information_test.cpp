#include "tests/ops/check.hpp"

using namespace sinter;

TEST_CASE("what a tensor knows of itself" * doctest::test_suite("host")) {
    test::for_each_mode([] {
        Tensor a = zeros({2, 3, 4}, kDouble);
        CHECK(a.sizes() == IntArrayRef({2, 3, 4}));
        CHECK(a.strides() == IntArrayRef({12, 4, 1}));
        CHECK(a.size(-1) == 4);
        CHECK(a.stride(-3) == 12);
        CHECK(a.dim() == 3);
        CHECK(a.numel() == 24);
        CHECK(a.itemsize() == 8);
        CHECK(a.nbytes() == 192);
        CHECK((a.options().dtype() == kDouble));
        CHECK(a.device() == Device(kCPU));
        CHECK(a.is_contiguous());
        CHECK_FALSE(a.transpose(0, 1).is_contiguous());
        CHECK(a[1][2].storage_offset() == 20);
        CHECK(a[1].is_alias_of(a));
        CHECK_FALSE((a + 0).is_alias_of(a));
        const uint64_t before = a._version();
        a[0].add_(1);
        CHECK(a._version() == before + 1);
        CHECK((a + 1).sizes() == a.sizes());
    });
}

TEST_CASE("dimensions out of range") {
    Tensor a = zeros({2, 3});
    CHECK_ERROR(IndexError, a.size(2),
                "[size] the dimension is out of range; got dimension 2 of a tensor with 2 "
                "dimensions, expected -2 to 1; try -1 for the last dimension");
    CHECK_ERROR(IndexError, a.stride(-3),
                "[stride] the dimension is out of range; got dimension -3 of a tensor with 2 "
                "dimensions, expected -2 to 1; try -1 for the last dimension");
    CHECK_ERROR(IndexError, zeros({}).size(0),
                "[size] the tensor has too few dimensions; got dimension 0 of a 0-d tensor, "
                "expected at least 1 dimension; try numel()");
}

TEST_CASE("an undefined tensor") {
    Tensor a;
    CHECK_FALSE(a.defined());
    CHECK(a.is_same(Tensor()));
    CHECK(test::text(a) == "[ Tensor (undefined) ]");
    const auto message = [](const char* op) {
        return "[" + std::string(op) +
               "] the tensor is undefined; got a default-constructed Tensor, expected a defined "
               "tensor; try assigning a tensor to it first; defined() tells whether it is one";
    };
    CHECK_ERROR(Error, a.sizes(), message("sizes"));
    CHECK_ERROR(Error, a.item<float>(), message("item"));
    CHECK_ERROR(Error, a.view({1}), message("view"));
    CHECK_ERROR(Error, a.sum(), message("sum"));
    CHECK_ERROR(Error, a.add_(1), message("add_"));
    CHECK_ERROR(Error, zeros({2}).copy_(a), message("copy_"));
    CHECK_ERROR(Error, a.data_ptr(), message("data_ptr"));
    CHECK_ERROR(Error, zeros_like(a), message("zeros_like"));
}
