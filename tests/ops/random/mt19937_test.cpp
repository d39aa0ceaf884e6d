// PyTorch's stream: every line of the goldens, and the values printed in its tutorials and
// documentation.
#include "tests/ops/check.hpp"

#include <cmath>

using namespace sinter;

namespace {

void hash(uint64_t& h, const tensor_base& t) {
    const Tensor c = t.contiguous();
    const auto* p = static_cast<const unsigned char*>(c.const_data_ptr());
    for (std::size_t i = 0; i < c.nbytes(); ++i) h = (h ^ p[i]) * 0x100000001B3;
}

#define SINTER_STRIP(...) __VA_ARGS__

}  // namespace

TEST_CASE("what PyTorch draws, in bits" * doctest::test_suite("host")) {
    test::for_each_mode([] {
        uint64_t seed = 0;
#define EXACT(code, expected)                                         \
    {                                                                 \
        CAPTURE(#code);                                               \
        const Generator g = make_generator<CPUGeneratorImpl>(seed++); \
        Tensor t;                                                     \
        SINTER_STRIP code;                                            \
        uint64_t h = 0xCBF29CE484222325;                              \
        hash(h, t);                                                   \
        hash(h, rand({1}, g, kDouble));                               \
        CHECK(h == expected);                                         \
    }
#define CLOSE(code, ...) ++seed;
#include "tests/ops/random/mt19937_golden.def"
#undef EXACT
#undef CLOSE
    });
}

TEST_CASE("what PyTorch draws, by value") {
    uint64_t seed = 0;
#define EXACT(code, expected) ++seed;
#define CLOSE(code, ...)                                                                  \
    {                                                                                     \
        CAPTURE(#code);                                                                   \
        const Generator g = make_generator<CPUGeneratorImpl>(seed++);                     \
        Tensor t;                                                                         \
        SINTER_STRIP code;                                                                \
        t = cat({t.to(kDouble).flatten(), rand({1}, g, kDouble)});                        \
        const std::vector<double> got = test::elements<double>(t), expected{__VA_ARGS__}; \
        REQUIRE(got.size() == expected.size());                                           \
        for (std::size_t i = 0; i < got.size(); ++i)                                      \
            CHECK(std::abs(got[i] - expected[i]) <= 1e-7 * std::abs(expected[i]));        \
    }
#include "tests/ops/random/mt19937_golden.def"
#undef EXACT
#undef CLOSE
}

TEST_CASE("the values that PyTorch's tutorials print") {
    set_default_rng(Rng::mt19937);
    manual_seed(0);
    CHECK(rand({1}).item<float>() == 0.49625658988952637F);
    manual_seed(0);
    CHECK(allclose(randn({4}), tensor({1.5410, -0.2934, -2.1788, 0.5684}), 0, 5e-5));
    manual_seed(0);
    CHECK(equal(randperm(4), tensor({0, 1, 3, 2})));
    CHECK(equal(randperm(5), tensor({0, 4, 2, 1, 3})));
    manual_seed(0);
    CHECK(equal(randint(10, {6}), tensor({4, 9, 3, 0, 3, 9})));
    // By position in the stream, in words since the seed.
    manual_seed(0);
    rand({56});
    CHECK(std::abs(rand({2})[0].item<float>() - 0.5932F) < 5e-5F);
    // Only the low 32 bits of a seed count.
    manual_seed(uint64_t{1} << 32);
    const Tensor high = rand({5});
    manual_seed(0);
    CHECK(equal(high, rand({5})));
    CHECK(initial_seed() == 0);
    set_default_rng(Rng::philox);
}
