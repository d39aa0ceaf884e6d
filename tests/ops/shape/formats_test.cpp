// Memory formats: clone, contiguous, to, resize_, and which layouts have which format.
#include "tests/ops/check.hpp"

using namespace sinter;

TEST_CASE("copies in a format") {
    const Tensor t = test::counted({1, 2, 2, 2}), last = t.clone(MemoryFormat::ChannelsLast);
    CHECK(last.strides() == IntArrayRef({8, 1, 4, 2}));
    CHECK(last.is_contiguous(MemoryFormat::ChannelsLast));
    CHECK_FALSE(last.is_contiguous());
    CHECK_FALSE(last.is_contiguous(MemoryFormat::Preserve));  // that is Contiguous
    CHECK(equal(t, last));
    CHECK(last.clone(nullopt).strides() == IntArrayRef({8, 1, 4, 2}));
    CHECK(clone(last, MemoryFormat::Contiguous).is_contiguous());
    CHECK(t.contiguous(MemoryFormat::Preserve).is_same(t));
    CHECK_ERROR(Error, last.contiguous(MemoryFormat::Preserve),
                "[contiguous] MemoryFormat::Preserve names no format; got Preserve, expected "
                "Contiguous, ChannelsLast or ChannelsLast3d; try clone(MemoryFormat::Preserve)");
    CHECK_ERROR(Error, zeros({2}).clone(MemoryFormat::ChannelsLast),
                "[clone] the memory format needs another number of dimensions; got shape [2] for "
                "ChannelsLast, expected 4 dimensions; try MemoryFormat::Contiguous");
}

TEST_CASE("conversions in a format") {
    const Tensor t = test::counted({1, 2, 2, 2});
    const auto last = MemoryFormat::ChannelsLast;
    CHECK(t.to(kDouble, false, false, last).is_contiguous(last));
    CHECK(t.to(kFloat, false, false, last).is_contiguous(last));
    CHECK(t.to(kFloat, false, false, MemoryFormat::Contiguous).is_same(t));
    CHECK(t.to(kFloat, false, false, MemoryFormat::Preserve).is_same(t));
    CHECK(t.to().is_same(t));
    CHECK(t.to(dtype(kLong), false, true, last).strides() == IntArrayRef({8, 1, 4, 2}));
    CHECK(t.to(kCPU, kLong, false, false, last).dtype() == kLong);
    CHECK(t.to(zeros({1}, kInt), false, false, last).dtype() == kInt);
    const Tensor all = t.to(kHalf, kStrided, Device(kCPU), false, false, true, last);
    CHECK(all.dtype() == kHalf);
    CHECK(all.is_contiguous(last));
    CHECK(t.to(nullopt, nullopt, nullopt, nullopt, false, false, nullopt).is_same(t));
}

TEST_CASE("other sizes in a format") {
    Tensor t = zeros({8});
    t.resize_({1, 2, 2, 2}, MemoryFormat::ChannelsLast);
    CHECK(t.strides() == IntArrayRef({8, 1, 4, 2}));
    Tensor u = zeros({8});
    u.resize_as_(t, MemoryFormat::Preserve);
    CHECK(u.strides() == t.strides());
    u.resize_as_(t, MemoryFormat::Contiguous);
    CHECK(u.is_contiguous());
    CHECK_ERROR(
        Error, u.resize_({2}, MemoryFormat::Preserve),
        "[resize_] MemoryFormat::Preserve names no format; got Preserve, expected Contiguous, "
        "ChannelsLast or ChannelsLast3d; try resize_as_(), which takes the format of a tensor");
}
