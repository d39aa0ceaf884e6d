// Random shapes, layouts and dtypes: where they lie, and that the seed alone says what they are.
#include <sinter/benchmark.hpp>
#include <sinter/error.hpp>
#include <sinter/sinter.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <sstream>

using namespace sinter;
using benchmark::FuzzedCase;
using benchmark::FuzzedParameter;
using benchmark::FuzzedParameters;
using benchmark::FuzzedTensor;
using benchmark::Fuzzer;

namespace {

/// Returns the numbers of a parameter in many cases.
std::vector<int64_t> numbers(const FuzzedParameter& p, int64_t n = 4000) {
    std::vector<int64_t> all;
    for (const FuzzedCase& c : Fuzzer({p}, {}).take(n)) all.push_back(c.parameter(p.name()));
    return all;
}

double mean(const std::vector<int64_t>& all) {
    double sum = 0;
    for (const int64_t n : all) sum += static_cast<double>(n);
    return sum / static_cast<double>(all.size());
}

double share(const std::vector<int64_t>& all, int64_t low, int64_t high) {
    const auto count =
        std::count_if(all.begin(), all.end(), [&](int64_t n) { return low <= n && n <= high; });
    return static_cast<double>(count) / static_cast<double>(all.size());
}

int64_t least(const std::vector<int64_t>& all) { return *std::min_element(all.begin(), all.end()); }
int64_t most(const std::vector<int64_t>& all) { return *std::max_element(all.begin(), all.end()); }

/// Returns true if no two elements of a tensor without overlaps share a place, by its strides.
bool has_places(const Tensor& t) {
    std::vector<std::pair<int64_t, int64_t>> dims;  // stride and size
    for (int64_t d = 0; d < t.dim(); ++d)
        if (t.size(d) > 1) dims.emplace_back(t.stride(d), t.size(d));
    std::sort(dims.begin(), dims.end());
    int64_t reach = 1;
    for (const auto& [stride, size] : dims) {
        if (stride < reach) return false;
        reach = stride * (size - 1) + reach;
    }
    return true;
}

FuzzedTensor matrix() { return FuzzedTensor("x").size({"m", "n"}); }
std::vector<FuzzedParameter> sizes() {
    return {FuzzedParameter::uniform("m", 2, 9), FuzzedParameter::uniform("n", 2, 9)};
}

void check_equal(const FuzzedCase& a, const FuzzedCase& b) {
    CHECK(a.to_string() == b.to_string());
    CHECK(a.parameters() == b.parameters());
    REQUIRE(a.tensors().size() == b.tensors().size());
    for (std::size_t i = 0; i < a.tensors().size(); ++i)
        CHECK(a.tensors()[i].second.equal(b.tensors()[i].second));
}

}  // namespace

// ---- numbers

TEST_CASE("fuzzer: uniform numbers have both ends and the mean between them") {
    const auto n = numbers(FuzzedParameter::uniform("n", -3, 6));
    CHECK(least(n) == -3);
    CHECK(most(n) == 6);
    CHECK(mean(n) == doctest::Approx(1.5).epsilon(0.1));
    for (int64_t k = -3; k <= 6; ++k) CHECK(std::abs(share(n, k, k) - 0.1) < 0.02);
    CHECK(numbers(FuzzedParameter::uniform("n", 5, 5), 3) == std::vector<int64_t>{5, 5, 5});

    const auto all = numbers(FuzzedParameter::uniform("n", INT64_MIN, INT64_MAX), 400);
    CHECK(std::abs(share(all, INT64_MIN, -1) - 0.5) < 0.1);
    CHECK(std::set<int64_t>(all.begin(), all.end()).size() == 400);
}

TEST_CASE("fuzzer: loguniform numbers have as many in each octave, and both ends") {
    const auto n = numbers(FuzzedParameter::loguniform("n", 1, 7));
    for (int64_t k = 1; k <= 7; ++k) {
        const double expected = std::log2(static_cast<double>(k + 1) / static_cast<double>(k)) / 3;
        CHECK(std::abs(share(n, k, k) - expected) < 0.025);
    }
    CHECK(least(n) == 1);
    CHECK(most(n) == 7);

    const auto wide = numbers(FuzzedParameter::loguniform("n", 1, 99999));
    for (int64_t from = 1; from < 100000; from *= 10)
        CHECK(std::abs(share(wide, from, 10 * from - 1) - 0.2) < 0.03);
    CHECK(most(wide) <= 99999);

    // Ends that are not powers of two, close ends, and ends that doubles do not tell apart.
    const auto narrow = numbers(FuzzedParameter::loguniform("n", 1023, 1024), 400);
    CHECK(std::abs(share(narrow, 1023, 1023) - 0.5) < 0.1);
    CHECK(share(narrow, 1023, 1024) == 1);
    const auto mixed = numbers(FuzzedParameter::loguniform("n", 5, 17));
    CHECK(least(mixed) == 5);
    CHECK(most(mixed) == 17);
    CHECK(std::abs(share(mixed, 5, 8) - std::log(9 / 5.0) / std::log(18 / 5.0)) < 0.03);
    const int64_t big = int64_t{1} << 60;
    const auto far = numbers(FuzzedParameter::loguniform("n", big, big + 1), 100);
    CHECK(least(far) == big);
    CHECK(most(far) == big + 1);
    CHECK(numbers(FuzzedParameter::loguniform("n", INT64_MAX, INT64_MAX), 2) ==
          std::vector<int64_t>{INT64_MAX, INT64_MAX});
    const auto whole = numbers(FuzzedParameter::loguniform("n", 1, INT64_MAX), 1000);
    CHECK(least(whole) >= 1);
    CHECK(std::abs(share(whole, 1, int64_t{1} << 31) - 0.5) < 0.06);
}

TEST_CASE("fuzzer: choices have equal or given weights, and can be other parameters") {
    const auto equal = numbers(FuzzedParameter::choice("n", {1, 7, 0}));
    for (const int64_t k : {0, 1, 7}) CHECK(std::abs(share(equal, k, k) - 1.0 / 3) < 0.03);
    const auto weighed = numbers(FuzzedParameter::choice("n", {{4, 6}, {5, 0}, {6, 2}}));
    CHECK(std::abs(share(weighed, 4, 4) - 0.75) < 0.03);
    CHECK(share(weighed, 5, 5) == 0);
    CHECK(std::abs(share(weighed, 6, 6) - 0.25) < 0.03);

    // Aliases of what comes later, and of aliases.
    Fuzzer f(
        {FuzzedParameter::alias("a", "b"), FuzzedParameter::choice("b", {{1, 0.5}, {"n", 0.5}}),
         FuzzedParameter::uniform("n", 2, 50)},
        {});
    int64_t ones = 0;
    for (const FuzzedCase& c : f.take(400)) {
        CHECK(c.parameter("a") == c.parameter("b"));
        CHECK((c.parameter("b") == 1 || c.parameter("b") == c.parameter("n")));
        ones += c.parameter("b") == 1;
    }
    CHECK(std::abs(static_cast<double>(ones) / 400 - 0.5) < 0.1);
}

// ---- tensors

TEST_CASE("fuzzer: tensors have the sizes of their parameters, contiguous or permuted") {
    Fuzzer f(sizes(), {matrix(), FuzzedTensor("y").size({"n", 3, "m"})});
    int64_t contiguous = 0, permuted = 0;
    for (const FuzzedCase& c : f.take(200)) {
        const int64_t m = c.parameter("m"), n = c.parameter("n");
        const Tensor x = c.tensor("x"), y = c.tensor("y");
        CHECK(x.sizes() == IntArrayRef{m, n});
        CHECK(y.sizes() == IntArrayRef{n, 3, m});
        CHECK(x.dtype() == kFloat);
        CHECK(has_places(y));
        // Dense in any order: as many places as elements.
        std::vector<int64_t> strides = y.strides().vec();
        std::sort(strides.begin(), strides.end());
        CHECK(strides[0] == 1);
        CHECK(y.is_non_overlapping_and_dense());
        contiguous += x.is_contiguous();
        permuted += x.strides() == IntArrayRef{1, m};
        CHECK(x.is_contiguous() == (x.strides() == IntArrayRef{n, 1}));
    }
    CHECK(contiguous + permuted == 200);
    CHECK(std::abs(static_cast<double>(contiguous) - 100) < 30);

    for (const double p : {0.0, 1.0})
        for (const FuzzedCase& c : Fuzzer(sizes(), {matrix().probability_contiguous(p)}).take(20))
            CHECK(c.tensor("x").is_contiguous() == (p == 1));
}

TEST_CASE("fuzzer: a permuted tensor has the elements that its constructor gave") {
    const auto count = [](IntArrayRef s, ScalarType t) {
        return arange(s[0] * s[1], t).reshape(s);
    };
    Fuzzer f(sizes(), {matrix().probability_contiguous(0).steps({1, 2}).constructor(count)});
    for (const FuzzedCase& c : f.take(10)) {
        const int64_t m = c.parameter("m"), n = c.parameter("n");
        const Tensor all = arange(m * n * 2, kFloat).reshape({m, n * 2});
        CHECK(c.tensor("x").equal(all.slice(1, 0, nullopt, 2)));
        CHECK(c.tensor("x").strides() == IntArrayRef{1, 2 * m});
    }
}

TEST_CASE("fuzzer: steps give slices of larger tensors") {
    Fuzzer f({FuzzedParameter::uniform("n", 2, 9), FuzzedParameter::choice("s", {2, 3})},
             {FuzzedTensor("x").size({"n", 4}).steps({"s"}).probability_contiguous(1)});
    for (const FuzzedCase& c : f.take(20)) {
        const Tensor x = c.tensor("x");
        CHECK(x.sizes() == IntArrayRef{c.parameter("n"), 4});
        CHECK(x.strides() == IntArrayRef{4 * c.parameter("s"), 1});
        CHECK_FALSE(x.is_contiguous());
    }
}

TEST_CASE("fuzzer: a parameter can be the number of dimensions") {
    Fuzzer f({FuzzedParameter::uniform("d", 0, 3), FuzzedParameter::uniform("n", 1, 4)},
             {FuzzedTensor("x").size({"n", 2, 5}).dim_parameter("d")});
    std::set<int64_t> seen;
    for (const FuzzedCase& c : f.take(60)) {
        const std::vector<int64_t> all{c.parameter("n"), 2, 5};
        const auto d = static_cast<std::size_t>(c.parameter("d"));
        CHECK(c.tensor("x").sizes() == IntArrayRef(all).slice(0, d));
        seen.insert(c.tensor("x").dim());
    }
    CHECK(seen == std::set<int64_t>{0, 1, 2, 3});
}

TEST_CASE("fuzzer: each dtype comes, with values of its kind") {
    const std::vector<ScalarType> all{kBool,     kByte,   kChar,         kShort,
                                      kInt,      kLong,   kHalf,         kFloat,
                                      kBFloat16, kDouble, kComplexFloat, kComplexDouble};
    Fuzzer f({}, {FuzzedTensor("x").size({10, 10}).dtypes(all)});
    std::map<ScalarType, int> seen;
    for (const FuzzedCase& c : f.take(240)) {
        const Tensor x = c.tensor("x");
        ++seen[x.scalar_type()];
        if (isComplexType(x.scalar_type())) {
            CHECK(real(x).ge(0).logical_and(real(x).lt(1)).all().item<bool>());
            CHECK(imag(x).ge(0).logical_and(imag(x).lt(1)).all().item<bool>());
        } else if (x.scalar_type() == kBool) {
            CHECK(x.any().item<bool>());
            CHECK_FALSE(x.all().item<bool>());
        } else if (isFloatingType(x.scalar_type())) {
            CHECK(x.ge(0).logical_and(x.lt(1)).all().item<bool>());
        } else {
            CHECK(x.ge(1).logical_and(x.le(126)).all().item<bool>());
        }
        CHECK((x.to(kComplexDouble) != x.to(kComplexDouble).flatten()[0]).any().item<bool>());
    }
    CHECK(seen.size() == all.size());
    for (const auto& [dtype, count] : seen) CHECK(std::abs(count - 20) < 16);
}

TEST_CASE("fuzzer: limits and constraints hold, and refused draws are counted") {
    const auto wide = [](const FuzzedParameters& p) { return p["m"] < p["n"]; };
    Fuzzer f(sizes(),
             {matrix()
                  .min_elements(12)
                  .max_elements(40)
                  .steps({2})
                  .dtypes({kFloat, kDouble})
                  .max_allocation_bytes(480)},
             {wide}, 5);
    CHECK(f.rejection_rate() == 0);
    std::set<ScalarType> seen;
    for (const FuzzedCase& c : f.take(100)) {
        const Tensor x = c.tensor("x");
        CHECK(c.parameter("m") < c.parameter("n"));
        CHECK(x.numel() >= 12);
        CHECK(x.numel() <= 40);
        CHECK(2 * x.numel() * static_cast<int64_t>(x.element_size()) <= 480);
        seen.insert(x.scalar_type());
    }
    CHECK(seen.size() == 2);
    CHECK(f.rejection_rate() > 0.5);
    CHECK(f.rejection_rate() < 0.95);
    Fuzzer free(sizes(), {matrix()});
    free.take(10);
    CHECK(free.rejection_rate() == 0);

    // Numbers of elements beyond 64 bits are above any limit.
    const int64_t big = int64_t{1} << 40;
    Fuzzer huge({FuzzedParameter::choice("n", {big, int64_t{3}})},
                {FuzzedTensor("x").size({"n", "n"}).max_elements(100)});
    for (const FuzzedCase& c : huge.take(10)) CHECK(c.parameter("n") == 3);
}

// ---- streams

TEST_CASE("fuzzer: the seed alone says what the cases are") {
    const auto make = [](uint64_t seed) {
        return Fuzzer(sizes(), {matrix().dtypes({kFloat, kInt}), FuzzedTensor("y").size({"n"})}, {},
                      seed);
    };
    Fuzzer a = make(7), b = make(7), other = make(8);
    CHECK(a.seed() == 7);
    const auto first = a.take(12), again = a.take(12), others = other.take(12);
    int different = 0;
    for (std::size_t k = 0; k < first.size(); ++k) {
        check_equal(first[k], again[k]);
        check_equal(first[k], b.next());
        check_equal(first[k], make(7).at(k));
        different += first[k].to_string() != others[k].to_string();
        CHECK_FALSE(first[k].tensor("y").equal(others[k].tensor("y")));
    }
    CHECK(different >= 11);
    check_equal(first[0], a.next());  // take() did not move it
    CHECK_FALSE(first[0].tensor("y").equal(first[1].tensor("y")));
    check_equal(make(UINT64_MAX).at(UINT64_MAX), make(UINT64_MAX).at(UINT64_MAX));
    CHECK(make(7).at(0).to_string() != make(7 + (uint64_t{1} << 32)).at(0).to_string());
}

TEST_CASE("fuzzer: cases are the same in each mode, and for each default algorithm") {
    const auto one = [] { return Fuzzer(sizes(), {matrix().probability_contiguous(0)}).at(3); };
    const FuzzedCase lazy = one();
    const Mode mode = get_mode();
    set_mode(Mode::eager);
    check_equal(lazy, one());
    set_mode(mode);
    const Rng rng = get_default_rng();
    set_default_rng(Rng::mt19937);
    check_equal(lazy, one());
    set_default_rng(rng);
}

TEST_CASE("fuzzer: the numbers of a seed are the same on every machine") {
    Fuzzer f({FuzzedParameter::uniform("u", 0, 999), FuzzedParameter::loguniform("l", 1, 999999),
              FuzzedParameter::choice("c", {1, 2, 3})},
             {FuzzedTensor("x").size({2, 3, 4}).dtypes({kFloat, kLong})}, {}, 1);
    std::string all;
    for (const FuzzedCase& c : f.take(3)) all += c.to_string() + "\n";
    CHECK(all ==
          "u=404, l=5, c=1; x: Float [2, 3, 4] strides [1, 8, 2] not contiguous\n"
          "u=661, l=37, c=1; x: Long [2, 3, 4] strides [12, 4, 1] contiguous\n"
          "u=622, l=2, c=1; x: Long [2, 3, 4] strides [12, 4, 1] contiguous\n");
}

TEST_CASE("fuzzer: options are set in a chain, and read") {
    const FuzzedTensor x = FuzzedTensor("x")
                               .size({"n", 4})
                               .steps({2})
                               .dim_parameter("d")
                               .device(kCPU)
                               .probability_contiguous(0.25)
                               .min_elements(1)
                               .max_elements(2)
                               .max_allocation_bytes(3)
                               .dtypes({kInt});
    CHECK(x.name() == "x");
    CHECK(x.size()[0].is_name());
    CHECK(x.size()[0].name() == "n");
    CHECK_FALSE(x.size()[1].is_name());
    CHECK(x.size()[1].number() == 4);
    CHECK(x.steps().size() == 1);
    CHECK(x.dim_parameter() == "d");
    CHECK(x.probability_contiguous() == 0.25);
    CHECK(x.min_elements() == 1);
    CHECK(x.max_elements() == 2);
    CHECK(x.max_allocation_bytes() == 3);
    CHECK(x.dtypes() == std::vector<ScalarType>{kInt});
    REQUIRE(x.device().has_value());
    CHECK(x.device()->is_cpu());
    CHECK_FALSE(x.constructor());
    // A case is on the device that is named, also if the constructor's is another one.
    const auto zeros_of = [](IntArrayRef s, ScalarType t) { return zeros(s, t); };
    Fuzzer f({}, {FuzzedTensor("a").device(kCPU), FuzzedTensor("b"),
                  FuzzedTensor("c").device("cpu").constructor(zeros_of)});
    CHECK(f.at(0).tensor("a").device().is_cpu());
    CHECK(f.at(0).tensor("b").device().type() == zeros({1}).device().type());
    CHECK(f.at(0).tensor("c").device().is_cpu());
}

TEST_CASE("fuzzer: the default generator does not move") {
    manual_seed(11);
    const Tensor expected = rand({8}).eval();
    manual_seed(11);
    Fuzzer(sizes(), {matrix().dtypes({kFloat, kInt, kBool})}).take(10);
    CHECK(rand({8}).equal(expected));
}

TEST_CASE("fuzzer: a case as text, and used by a timer") {
    Fuzzer f({FuzzedParameter::choice("n", {3})},
             {FuzzedTensor("x").size({"n", 4}).probability_contiguous(1),
              FuzzedTensor("y").size({"n", 4}).probability_contiguous(0).dtypes({kLong})});
    const FuzzedCase c = f.next();
    CHECK(c.to_string() ==
          "n=3; x: Float [3, 4] strides [4, 1] contiguous; y: Long [3, 4] strides [1, 3] not "
          "contiguous");
    std::ostringstream out;
    out << c;
    CHECK(out.str() == c.to_string());
    CHECK(c.parameters().size() == 1);
    CHECK(c.tensors()[1].first == "y");

    // The tensors are there: no call draws them.
    const benchmark::Measurement m =
        benchmark::Timer([&] { return c.tensor("x") + c.tensor("y"); }).timeit(1);
    REQUIRE(m.circumstances().call.has_value());
    CHECK(m.circumstances().call->kernels_launched == 1);
    CHECK(m.raw_times().size() == 1);
}
