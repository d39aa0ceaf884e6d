#include "tests/ops/check.hpp"

#include <sinter/random_engines.hpp>

#include <cstdlib>
#include <random>
#include <thread>

using namespace sinter;

TEST_CASE("engines give the published words") {
    std::mt19937 reference(123);
    mt19937 twister(123);
    for (int i = 0; i < 2000; ++i) REQUIRE(twister() == reference());
    mt19937 other;
    CHECK(other.seed() == 5489);
    CHECK(other.is_valid());
    other.set_data(twister.data());
    CHECK(other() == reference());
    mt19937_data_pod bad = twister.data();
    bad.left_ = 0;
    other.set_data(bad);
    CHECK_FALSE(other.is_valid());

    // Random123's known answers; the high half of the counter is the subsequence.
    Philox4_32 zero(0, 0, 0);
    for (uint32_t word : {0x6627e8d5U, 0xe169c58dU, 0xbc57ac4cU, 0x9b00dbd8U})
        CHECK(zero() == word);
    Philox4_32 ones(~uint64_t{0}, ~uint64_t{0}, ~uint64_t{0});
    for (uint32_t word : {0x408f276dU, 0x41c83b0eU, 0xa20bc7c6U, 0x6d5451fdU})
        CHECK(ones() == word);
    Philox4_32 skipped(7, 3, 0), counted(7, 3, 2);
    for (int i = 0; i < 8; ++i) skipped();
    CHECK(skipped() == counted());
    Philox4_32 incremented(7, 3, 0);
    incremented.incr();
    incremented.incr_n(2);
    counted = Philox4_32(7, 3, 3);
    CHECK(incremented() == counted());
}

TEST_CASE("a generator is a handle of its stream") {
    for (const Generator& g : {make_generator<CPUGeneratorImpl>(uint64_t{5}),
                               make_generator<PhiloxGeneratorImpl>(uint64_t{5})}) {
        CHECK(g.current_seed() == 5);
        CHECK(g.device() == Device(kCPU));
        const Generator same = g, copy = g.clone();
        CHECK(same == g);
        CHECK_FALSE(copy == g);
        const Tensor first = randn({3}, g);
        CHECK(equal(randn({3}, copy), first));
        CHECK_FALSE(equal(randn({3}, same), first));
        // States include the cached half of a pair of normal numbers.
        const Tensor state = g.get_state();
        CHECK((state.dtype() == kByte));
        const Tensor next = randn({5}, g);
        g.set_state(state);
        CHECK(equal(randn({5}, g), next));
        copy.set_state(state);
        CHECK(equal(randn({5}, copy), next));
        g.set_current_seed(5);
        CHECK(equal(randn({3}, g), first));
        const uint64_t chosen = g.seed();
        CHECK(chosen == g.current_seed());
        CHECK(chosen < uint64_t{1} << 53);
        std::lock_guard lock(g.mutex());
    }
    CHECK(detail::createCPUGenerator().current_seed() == 67280421310721);
    CHECK(detail::createCPUGenerator(3).get<CPUGeneratorImpl>()->random() == std::mt19937(3)());
    CHECK(Generator() == Generator());
    CHECK_FALSE(Generator().defined());
    CHECK_ERROR(Error, Generator().current_seed(),
                "[Generator] the generator is undefined; got a default-constructed Generator, "
                "expected a defined generator; try make_generator<CPUGeneratorImpl>(seed)");
}

TEST_CASE("states that are none") {
    const Generator g = detail::createCPUGenerator(1);
    const Tensor before = g.get_state();
    CHECK(before.numel() == 5056);
    CHECK_ERROR(Error, g.set_state(zeros({16}, kByte)),
                "[set_state] the state has the wrong size; got 16 bytes, expected 5056 bytes for "
                "this class of generator; try the state of a generator of the same class");
    CHECK_ERROR(TypeError, g.set_state(zeros({5056})),
                "[set_state] the tensor is not a generator state; got Float with strides [1], "
                "expected a contiguous Byte tensor; try the tensor that get_state() returned");
    CHECK_ERROR(Error, g.set_state(zeros({5056}, kByte)),
                "[set_state] the bytes are not the state of a Mersenne Twister; got 0 words left "
                "from word 0, expected 1 to 624 words left, from word 624 or before; try the "
                "tensor that get_state() returned");
    CHECK(equal(g.get_state(), before));
}

TEST_CASE("the default generator") {
    CHECK((get_default_rng() == Rng::philox));
    const Generator philox = detail::getDefaultCPUGenerator();
    manual_seed(11);
    CHECK(philox.current_seed() == 11);
    const Tensor counted = rand({4}), more = rand({4});
    set_default_rng(Rng::mt19937);
    const Generator twister = detail::getDefaultCPUGenerator();
    CHECK_FALSE(twister == philox);
    CHECK((twister.algorithm() == Rng::mt19937));
    CHECK(initial_seed() == 11);  // both were seeded
    const Tensor drawn = rand({4});
    CHECK(equal(rand({4}, detail::createCPUGenerator(11)), drawn));
    const Tensor state = get_rng_state();
    const Tensor next = rand({4});
    set_rng_state(state);
    CHECK(equal(rand({4}), next));
    // An undefined generator means the default one; an explicit one does not change it.
    set_rng_state(state);
    rand({100}, philox);
    CHECK(equal(rand({4}, Generator()), next));
    set_default_rng(Rng::philox);
    manual_seed(11);
    CHECK(equal(rand({4}), counted));
    rand({4}, twister);
    CHECK(equal(rand({4}, nullopt), more));
}

TEST_CASE("threads share a generator") {
    for (const Generator& g : {make_generator<CPUGeneratorImpl>(uint64_t{5}),
                               make_generator<PhiloxGeneratorImpl>(uint64_t{5})}) {
        std::vector<Tensor> parts(4);
        std::vector<std::thread> threads;
        for (Tensor& part : parts)
            threads.emplace_back([&part, g] { part = randint(1 << 20, {500}, g).eval(); });
        for (std::thread& t : threads) t.join();
        g.set_current_seed(5);
        // In whatever order, the same numbers were drawn.
        int64_t sum = 0;
        for (const Tensor& part : parts) sum += part.sum().item<int64_t>();
        CHECK(randint(1 << 20, {2000}, g).sum().item<int64_t>() == sum);
    }
}
