#include "tests/ops/check.hpp"

#include <algorithm>
#include <cmath>

using namespace sinter;

TEST_CASE("a draw depends on the seed and its place in the stream only") {
    std::vector<std::vector<float>> seen;
    test::for_each_mode([&] {
        manual_seed(7);
        Tensor a = rand({100}), b = randn({3, 5});
        Tensor dropped = rand({10});
        dropped = Tensor();
        Tensor c = rand({4});
        // Reads the draws in another order than they were made.
        std::vector<float> all = test::elements<float>(c);
        for (const Tensor& t : {b, a})
            for (float v : test::elements<float>(t)) all.push_back(v);
        seen.push_back(all);
        manual_seed(7);
        CHECK(equal(rand({100}), a));
        CHECK_FALSE(equal(rand({100}), a));
        manual_seed(8);
        CHECK_FALSE(equal(rand({100}), a));
        // A draw is one value, however often it is read.
        Tensor d = rand({8});
        CHECK(equal(d - d, zeros({8})));
    });
    CHECK(seen[0] == seen[1]);
}

TEST_CASE("ranges and moments of draws") {
    test::for_each_mode([] {
        manual_seed(1);
        Tensor u = rand({20000}, kDouble);
        CHECK(u.min().item<double>() >= 0);
        CHECK(u.max().item<double>() < 1);
        CHECK(std::abs(u.mean().item<double>() - 0.5) < 0.01);
        Tensor n = randn({20000});
        CHECK(std::abs(n.mean().item<float>()) < 0.03);
        CHECK(std::abs(n.std().item<float>() - 1) < 0.03);
        Tensor i = randint(-2, 3, {5000});
        CHECK((i.dtype() == kLong));
        CHECK(i.min().item<int64_t>() == -2);
        CHECK(i.max().item<int64_t>() == 2);
        CHECK(std::abs(i.to(kDouble).mean().item<double>()) < 0.1);
        CHECK((randint(5, {3}, kByte).dtype() == kByte));
        CHECK(rand_like(u).sizes() == u.sizes());
        CHECK((randn_like(zeros({2}, kHalf)).dtype() == kHalf));
    });
    CHECK_ERROR(NotImplementedError, rand({2}, kLong),
                "[rand] the dtype is not supported; got Long, expected Half, BFloat16, Float, "
                "Double or a complex dtype; try randint() for integers");
    CHECK_ERROR(Error, randint(3, 3, {1}),
                "[randint] low is not less than high; got low 3 and high 3, expected low < high; "
                "try a larger high, which is exclusive");
    CHECK_ERROR(ValueError, randint(0, 300, {1}, kByte),
                "[randint] value cannot be converted to type uint8_t without overflow; got 299 for "
                "Byte, expected a value that Byte can hold; try kLong, a wider dtype");
}

TEST_CASE("integers drawn as narrow floats stay below the end") {
    test::for_each_mode([] {
        const Tensor t = randint(0, 300, {20000}, kBFloat16);
        CHECK(t.amax().item<float>() < 300);
        CHECK(empty({20000}, kHalf).random_(0, 2100).amax().item<float>() < 2100);
    });
    CHECK_ERROR(ValueError, randint(-1, 4, {2}, kByte),
                "[randint] value cannot be converted to type uint8_t without overflow; got -1 for "
                "Byte, expected a value that Byte can hold; try kLong, a wider dtype");
    CHECK_ERROR(ValueError, randint(3, {2}, kBool),
                "[randint] value cannot be converted to type bool without overflow; got 2 for "
                "Bool, expected a value that Bool can hold; try kDouble, a wider dtype");
}
