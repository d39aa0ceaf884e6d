// Writes to a part of a tensor: the other elements stay, whatever else the plan computes.
#include "tests/ops/check.hpp"

#include <sinter/functions/gathering.hpp>
#include <sinter/functions/scans.hpp>

using namespace sinter;
using test::check;

TEST_CASE("partial writes: a value of the same plan does not take the memory of the old elements") {
    const Tensor v = tensor({1.0, 2.0, 3.0, 4.0});
    for (const bool used : {false, true}) {
        CAPTURE(used);
        const Tensor x = v * 1;
        const Tensor old = x + 10;
        x.narrow(0, 0, 2).copy_(old.narrow(0, 2, 2));
        const Tensor y = used ? Tensor(x + 10) : Tensor(x * 1);
        check<float>(x, 4, {13, 14, 3, 4});
        check<float>(old, 4, {11, 12, 13, 14});
        check<float>(y, 4,
                     used ? std::vector<float>{23, 24, 13, 14} : std::vector<float>{13, 14, 3, 4});
    }
}

TEST_CASE("partial writes: nor do operations that change an operand") {
    const Tensor v = tensor({1.0, 2.0, 3.0, 4.0});
    const Tensor index = tensor({0, 3});
    {
        const Tensor x = v * 1;
        const Tensor old = x.index_fill(0, index, 7);
        x.narrow(0, 1, 2).copy_(old.narrow(0, 2, 2));
        check<float>(x, 4, {1, 3, 7, 4});
        check<float>(old, 4, {7, 2, 3, 7});
    }
    {
        const Tensor x = v * 1;
        const Tensor old = x.cumsum(0);
        x.narrow(0, 0, 2).copy_(old.narrow(0, 2, 2));
        check<float>(x, 4, {6, 10, 3, 4});
        check<float>(old, 4, {1, 3, 6, 10});
    }
    {
        const Tensor x = v.view({2, 2}).mm(v.view({2, 2}));  // 7 10; 15 22
        const Tensor old = x + 1;
        x.select(0, 0).copy_(old.select(0, 1));
        check<float>(x, {2, 2}, {16, 23, 15, 22});
        check<float>(old, {2, 2}, {8, 11, 16, 23});
    }
}
