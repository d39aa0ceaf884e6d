// Expressions built at run time.
#include "tests/ops/check.hpp"

#include <sinter/builder.hpp>

using namespace sinter;
using test::check;
using test::counted;

TEST_CASE("builder: a tensor alone is copied, whatever its layout") {
    test::for_each_mode([] {
        const Tensor one = counted({4}).slice(0, 2, 3);
        const Tensor repeated = expression_builder(one.expand({3})).finish();
        CHECK(repeated.is_contiguous());
        check<float>(repeated.contiguous() + 1, {3}, {3, 3, 3});
        const Tensor x = counted({2, 3}).eval();
        const Tensor turned = expression_builder(x.t()).finish();
        CHECK(turned.strides() == x.t().strides());
        CHECK_FALSE(turned.is_alias_of(x));
        check<float>(turned * 2, {3, 2}, {0, 6, 2, 8, 4, 10});
        check<float>(expression_builder(x.slice(1, 0, 3, 2)).finish(), {2, 2}, {0, 2, 3, 5});
    });
}
