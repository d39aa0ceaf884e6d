#include "tests/ops/check.hpp"

using namespace sinter;
using test::check;
using test::counted;

TEST_CASE("movedim and moveaxis") {
    test::for_each_mode([] {
        Tensor a = counted({2, 3, 4});
        CHECK(a.movedim(0, 2).sizes() == IntArrayRef({3, 4, 2}));
        CHECK(a.movedim(0, 2).strides() == IntArrayRef({4, 1, 12}));
        CHECK(a.movedim(-1, 0).strides() == IntArrayRef({1, 12, 4}));
        CHECK(movedim(a, {0, 1}, {-1, 0}).strides() == IntArrayRef({4, 1, 12}));
        CHECK(moveaxis(a, {2, 0}, {0, 1}).strides() == IntArrayRef({1, 12, 4}));
        CHECK(moveaxis(a, 1, 1).strides() == a.strides());
        CHECK(a.moveaxis({}, {}).strides() == a.strides());
        CHECK(movedim(zeros({}), 0, -1).dim() == 0);
        check<float>(counted({2, 2}).movedim(0, 1), {2, 2}, {0, 2, 1, 3});
        Tensor moved = a.moveaxis(0, 1);
        moved.zero_();
        CHECK(a.any().item<bool>() == false);
    });
    const Tensor a = zeros({2, 3});
    CHECK_ERROR(Error, a.movedim({0, 1}, {0}),
                "[movedim] source and destination have different lengths; got source [0, 1] and "
                "destination [0], expected one destination for each source; try permute(), which "
                "takes the order of all dimensions");
    CHECK_ERROR(Error, a.moveaxis({0, -2}, {0, 1}),
                "[moveaxis] a dimension appears twice; got dimensions [0, -2] of a tensor with 2 "
                "dimensions, expected each dimension at most once; try removing one of them; -1 is "
                "the last dimension");
    CHECK_ERROR(
        Error, a.movedim({0, 1}, {1, 1}),
        "[movedim] a dimension appears twice; got dimensions [1, 1] of a tensor with 2 dimensions, "
        "expected each dimension at most once; try removing one of them; -1 is the last dimension");
    CHECK_ERROR(IndexError, a.movedim(0, 2),
                "[movedim] the dimension is out of range; got dimension 2 of a tensor with 2 "
                "dimensions, expected -2 to 1; try -1 for the last dimension");
}

TEST_CASE("swapaxes and swapdims") {
    test::for_each_mode([] {
        Tensor a = counted({2, 3});
        check<float>(a.swapaxes(0, -1), {3, 2}, {0, 3, 1, 4, 2, 5});
        check<float>(swapdims(a, 0, 1), {3, 2}, {0, 3, 1, 4, 2, 5});
        check<float>(swapaxes(a, 1, 1), {2, 3}, {0, 1, 2, 3, 4, 5});
        CHECK(a.swapdims(0, 1).is_alias_of(a));
    });
    CHECK_ERROR(IndexError, zeros({2}).swapaxes(0, 1),
                "[swapaxes] the dimension is out of range; got dimension 1 of a tensor with 1 "
                "dimensions, expected -1 to 0; try -1 for the last dimension");
    CHECK_ERROR(IndexError, swapdims(zeros({2}), -2, 0),
                "[swapdims] the dimension is out of range; got dimension -2 of a tensor with 1 "
                "dimensions, expected -1 to 0; try -1 for the last dimension");
}

TEST_CASE("T, mT, mH, H and adjoint") {
    test::for_each_mode([] {
        Tensor a = counted({2, 3}), b = counted({2, 3, 4});
        check<float>(a.T(), {3, 2}, {0, 3, 1, 4, 2, 5});
        CHECK(b.numpy_T().strides() == IntArrayRef({1, 4, 12}));
        CHECK(b.T().sizes() == IntArrayRef({4, 3, 2}));
        CHECK(b.mT().strides() == IntArrayRef({12, 1, 4}));
        CHECK(b.mH().strides() == IntArrayRef({12, 1, 4}));
        CHECK(adjoint(b).strides() == IntArrayRef({12, 1, 4}));
        check<float>(a.H(), {3, 2}, {0, 3, 1, 4, 2, 5});
        CHECK(counted({3}).T().sizes() == IntArrayRef({3}));
        for (const Tensor& t : {zeros({}).T(), zeros({}).mT(), zeros({}).H(), zeros({}).adjoint()})
            CHECK(t.dim() == 0);
        a.mT()[0].fill_(9);
        check<float>(a, {2, 3}, {9, 1, 2, 9, 4, 5});
    });
    const std::string no_matrix =
        "the tensor has too few dimensions; got shape [3], expected at least 2 dimensions; try "
        "unsqueeze(0) first";
    const Tensor v = zeros({3});
    CHECK_ERROR(Error, v.mT(), "[mT] " + no_matrix);
    CHECK_ERROR(Error, v.mH(), "[mH] " + no_matrix);
    CHECK_ERROR(Error, v.adjoint(), "[adjoint] " + no_matrix);
    CHECK_ERROR(Error, v.H(), "[matrix_H] " + no_matrix);
    CHECK_ERROR(Error, zeros({1, 2, 3}).matrix_H(),
                "[matrix_H] the tensor has too many dimensions; got shape [1, 2, 3], expected at "
                "most 2 dimensions; try mH(), which takes a batch of matrices");
}

TEST_CASE("squeeze_, unsqueeze_, t_ and transpose_ change what the handles see") {
    test::for_each_mode([] {
        Tensor a = counted({2, 3}), other = a, view = a.view({6});
        CHECK(a.t_().is_same(a));
        check<float>(other, {3, 2}, {0, 3, 1, 4, 2, 5});
        CHECK(view.sizes() == IntArrayRef({6}));
        a.unsqueeze_(-1).unsqueeze_(0);
        CHECK(other.sizes() == IntArrayRef({1, 3, 2, 1}));
        a.squeeze_(0);
        CHECK(other.sizes() == IntArrayRef({3, 2, 1}));
        a.squeeze_(0);
        CHECK(other.sizes() == IntArrayRef({3, 2, 1}));
        a.transpose_(0, -2).squeeze_();
        check<float>(other, {2, 3}, {0, 1, 2, 3, 4, 5});
        a.swapaxes_(0, 1).swapdims_(1, 0);
        check<float>(other, {2, 3}, {0, 1, 2, 3, 4, 5});
        a.t_().add_(1);
        check<float>(view, {6}, {1, 2, 3, 4, 5, 6});
        CHECK(zeros({2}).t_().sizes() == IntArrayRef({2}));
        // A statement written before the change reads the old value.
        Tensor b = counted({2, 2}), twice = b * 2;
        auto named = b + 1;
        named.t_();
        b.t_();
        check<float>(twice, {2, 2}, {0, 2, 4, 6});
        check<float>(named, {2, 2}, {1, 3, 2, 4});
        check<float>(named + b, {2, 2}, {1, 5, 3, 7});
        Tensor scalar = zeros({});
        scalar.squeeze_(-1);
        CHECK(scalar.unsqueeze_(0).sizes() == IntArrayRef({1}));
    });
    Tensor a = zeros({2, 2, 1});
    CHECK_ERROR(Error, a.t_(),
                "[t_] the tensor has too many dimensions; got shape [2, 2, 1], expected at most 2 "
                "dimensions; try transpose_()");
    const auto range = [](int dim, int least, int most) {
        return "dimension is out of range; got dimension " + std::to_string(dim) +
               " of a tensor with " + std::to_string(most + 1) + " dimensions, expected " +
               std::to_string(least) + " to " + std::to_string(most) +
               "; try -1 for the last dimension";
    };
    CHECK_ERROR(IndexError, a.squeeze_(3), "[squeeze_] the " + range(3, -3, 2));
    CHECK_ERROR(IndexError, a.unsqueeze_(-5), "[unsqueeze_] the " + range(-5, -4, 3));
    CHECK_ERROR(IndexError, a.transpose_(0, 3), "[transpose_] the " + range(3, -3, 2));
    CHECK_ERROR(IndexError, a.swapaxes_(3, 0), "[swapaxes_] the " + range(3, -3, 2));
    CHECK_ERROR(IndexError, a.swapdims_(0, -4), "[swapdims_] the " + range(-4, -3, 2));
    CHECK(a.sizes() == IntArrayRef({2, 2, 1}));
}

TEST_CASE("function forms of views") {
    test::for_each_mode([] {
        Tensor a = counted({2, 3});
        check<float>(narrow(a, 1, 1, 2), {2, 2}, {1, 2, 4, 5});
        check<float>(select(a, -1, 0), {2}, {0, 3});
        check<float>(slice(a, 1, 0, nullopt, 2), {2, 2}, {0, 2, 3, 5});
        check<float>(slice(a), {2, 3}, {0, 1, 2, 3, 4, 5});
        check<float>(as_strided(a, {2}, {2}, 1), {2}, {1, 3});
        CHECK(detach(a).is_alias_of(a));
        select(a, 0, 0).zero_();
        check<float>(a, {2, 3}, {0, 0, 0, 3, 4, 5});
    });
}

TEST_CASE("a handle is squeezed in a list of dimensions, laid out anew, and detached") {
    Tensor t = test::counted({1, 3, 1});
    const Tensor other = t;
    t.squeeze_({0, 1});
    CHECK(other.sizes() == IntArrayRef({3, 1}));
    CHECK_ERROR(IndexError, t.squeeze_({0, 5}),
                "[squeeze_] the dimension is out of range; got dimension 5 of a tensor with 2 "
                "dimensions, expected -2 to 1; try -1 for the last dimension");
    t.as_strided_({2}, {2});
    CHECK(other.sizes() == IntArrayRef({2}));
    test::check<float>(other, {2}, {0, 2});
    as_strided_(t, {2}, {1}, 1);
    test::check<float>(other, {2}, {1, 2});
    CHECK(t.detach_().is_same(t));
    CHECK(detach_(t).is_same(t));
    const Tensor number = zeros({});
    CHECK(number.mT().is_same(number));
    CHECK(number.adjoint().is_same(number));
}
