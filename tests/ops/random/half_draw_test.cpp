// A uniform Half draw has 11 bits and never becomes 1.
#include <sinter/sinter.hpp>

#include <doctest/doctest.h>

using namespace sinter;

TEST_CASE("uniform Half draws are below 1 and whole multiples of 2^-11") {
    for (Mode mode : {Mode::lazy, Mode::eager}) {
        ModeGuard guard(mode);
        manual_seed(5);
        const Tensor u = rand({100000}, kHalf).to(kFloat);
        CHECK(u.max().item<float>() == 2047.0f / 2048);
        CHECK(u.min().item<float>() >= 0);
        const Tensor steps = u * 2048;
        CHECK(equal(steps, floor(steps)));
    }
}
