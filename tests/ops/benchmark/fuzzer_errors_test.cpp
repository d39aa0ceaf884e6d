// Mistakes in the description of random shapes, layouts and dtypes, by their texts.
#include <sinter/benchmark.hpp>
#include <sinter/error.hpp>
#include <sinter/sinter.hpp>

#include <doctest/doctest.h>

#include <cmath>

using namespace sinter;
using benchmark::FuzzedCase;
using benchmark::FuzzedParameter;
using benchmark::FuzzedParameters;
using benchmark::FuzzedTensor;
using benchmark::Fuzzer;

namespace {

FuzzedTensor x_of_m_n() { return FuzzedTensor("x").size({"m", "n"}); }
std::vector<FuzzedParameter> m_and_n() {
    return {FuzzedParameter::uniform("m", 2, 9), FuzzedParameter::uniform("n", 2, 9)};
}
std::vector<FuzzedParameter> n_of(int64_t low, int64_t high) {
    return {FuzzedParameter::uniform("n", low, high)};
}

}  // namespace

TEST_CASE("fuzzer: mistakes in parameters") {
    CHECK_THROWS_WITH_AS(FuzzedParameter::uniform("n", 3, 2),
                         "[FuzzedParameter] the lower end is above the upper one; got 3 and 2, "
                         "expected low <= high; try exchanging them",
                         ValueError);
    CHECK_THROWS_WITH_AS(FuzzedParameter::loguniform("n", 9, 2),
                         "[FuzzedParameter] the lower end is above the upper one; got 9 and 2, "
                         "expected low <= high; try exchanging them",
                         ValueError);
    CHECK_THROWS_WITH_AS(FuzzedParameter::loguniform("n", 0, 2),
                         "[FuzzedParameter] the lower end has no logarithm; got 0, expected 1 or "
                         "more; try uniform(), or a choice() for 0",
                         ValueError);
    CHECK_THROWS_WITH_AS(
        FuzzedParameter::choice("n", {{1, 0.5}, {2, -0.5}}),
        "[FuzzedParameter] a probability is negative or not finite; got -0.5, expected 0 or more; "
        "try weights in proportion; they are divided by their sum",
        ValueError);
    CHECK_THROWS_WITH_AS(
        FuzzedParameter::choice("n", {{1, NAN}}),
        "[FuzzedParameter] a probability is negative or not finite; got nan, expected 0 or more; "
        "try weights in proportion; they are divided by their sum",
        ValueError);
    CHECK_THROWS_WITH_AS(FuzzedParameter::choice("n", {{1, 0}, {2, 0}}),
                         "[FuzzedParameter] the probabilities cannot be normalized; got 0 as sum "
                         "of 2, expected a positive, finite sum; try a list without weights",
                         ValueError);
    CHECK_THROWS_WITH_AS(FuzzedParameter::choice("n", {}),
                         "[FuzzedParameter] the probabilities cannot be normalized; got 0 as sum "
                         "of 0, expected a positive, finite sum; try a list without weights",
                         ValueError);
}

TEST_CASE("fuzzer: mistakes in names") {
    CHECK_THROWS_WITH_AS(Fuzzer(m_and_n(), {FuzzedTensor("x").size({"m", "k"})}),
                         "[Fuzzer] tensor \"x\" names an unknown parameter; got \"k\", expected "
                         "one of \"m\", \"n\"; try a FuzzedParameter of this name",
                         ValueError);
    CHECK_THROWS_WITH_AS(Fuzzer(m_and_n(), {x_of_m_n().steps({"s"})}),
                         "[Fuzzer] tensor \"x\" names an unknown parameter; got \"s\", expected "
                         "one of \"m\", \"n\"; try a FuzzedParameter of this name",
                         ValueError);
    CHECK_THROWS_WITH_AS(Fuzzer(m_and_n(), {x_of_m_n().dim_parameter("d")}),
                         "[Fuzzer] tensor \"x\" names an unknown parameter; got \"d\", expected "
                         "one of \"m\", \"n\"; try a FuzzedParameter of this name",
                         ValueError);
    CHECK_THROWS_WITH_AS(Fuzzer({FuzzedParameter::alias("a", "b")}, {}),
                         "[Fuzzer] parameter \"a\" names an unknown parameter; got \"b\", expected "
                         "one of \"a\"; try a FuzzedParameter of this name",
                         ValueError);
    CHECK_THROWS_WITH_AS(Fuzzer({}, {FuzzedTensor("x").size({"m"})}),
                         "[Fuzzer] tensor \"x\" names an unknown parameter; got \"m\", expected no "
                         "name, as there is no parameter; try a FuzzedParameter of this name",
                         ValueError);
    CHECK_THROWS_WITH_AS(
        Fuzzer({FuzzedParameter::uniform("n", 1, 2), FuzzedParameter::uniform("n", 3, 4)}, {}),
        "[Fuzzer] two parameters or tensors have one name; got \"n\", expected a name of its own "
        "for each; try a number at the end of the name",
        ValueError);
    CHECK_THROWS_WITH_AS(Fuzzer({}, {FuzzedTensor("x"), FuzzedTensor("x")}),
                         "[Fuzzer] two parameters or tensors have one name; got \"x\", expected a "
                         "name of its own for each; try a number at the end of the name",
                         ValueError);
    CHECK_THROWS_WITH_AS(Fuzzer(n_of(1, 2), {FuzzedTensor("n")}),
                         "[Fuzzer] two parameters or tensors have one name; got \"n\", expected a "
                         "name of its own for each; try a number at the end of the name",
                         ValueError);
    CHECK_THROWS_WITH_AS(Fuzzer({FuzzedParameter::alias("a", "a")}, {}),
                         "[Fuzzer] parameters stand for each other in a loop; got \"a\" for \"a\", "
                         "expected names that lead to a number; try uniform() for one of them",
                         ValueError);
    CHECK_THROWS_WITH_AS(
        Fuzzer({FuzzedParameter::alias("z", "a"), FuzzedParameter::choice("a", {1, "b"}),
                FuzzedParameter::alias("b", "c"), FuzzedParameter::choice("c", {2, "a"})},
               {}),
        "[Fuzzer] parameters stand for each other in a loop; got \"a\" for \"b\" for \"c\" for "
        "\"a\", expected names that lead to a number; try uniform() for one of them",
        ValueError);
}

TEST_CASE("fuzzer: mistakes in tensors") {
    const FuzzedTensor x = FuzzedTensor("x").size({"n", "n"});
    CHECK_THROWS_WITH_AS(Fuzzer({}, {FuzzedTensor("x").size({4, -1})}),
                         "[Fuzzer] tensor \"x\" has a negative size; got -1, expected 0 or more; "
                         "try uniform() from 0",
                         ValueError);
    CHECK_THROWS_WITH_AS(Fuzzer(n_of(-2, 2), {x}),
                         "[Fuzzer] tensor \"x\" has a negative size; got -2 as the least \"n\", "
                         "expected 0 or more; try uniform() from 0",
                         ValueError);
    CHECK_THROWS_WITH_AS(Fuzzer(n_of(0, 2), {FuzzedTensor(x).steps({0})}),
                         "[Fuzzer] tensor \"x\" has a step that is not positive; got 0, expected 1 "
                         "or more; try 1 for every element",
                         ValueError);
    CHECK_THROWS_WITH_AS(Fuzzer(n_of(0, 2), {FuzzedTensor(x).steps({"n"})}),
                         "[Fuzzer] tensor \"x\" has a step that is not positive; got 0 as the "
                         "least \"n\", expected 1 or more; try 1 for every element",
                         ValueError);
    CHECK_THROWS_WITH_AS(Fuzzer(n_of(0, 2), {FuzzedTensor(x).steps({1, 1, 2})}),
                         "[Fuzzer] tensor \"x\" has more steps than sizes; got 3 and 2, expected 2 "
                         "or fewer; try a step for each size",
                         ValueError);
    CHECK_THROWS_WITH_AS(Fuzzer(n_of(0, 3), {FuzzedTensor(x).dim_parameter("n")}),
                         "[Fuzzer] tensor \"x\" has a number of dimensions out of range; got 0 to "
                         "3 as \"n\", expected 0 to 2; try a size for each dimension that can be",
                         ValueError);
    CHECK_THROWS_WITH_AS(Fuzzer(n_of(0, 2), {FuzzedTensor(x).probability_contiguous(1.5)}),
                         "[Fuzzer] tensor \"x\" has a probability out of range; got 1.5, expected "
                         "0 to 1; try 0.5, the default",
                         ValueError);
    CHECK_THROWS_WITH_AS(Fuzzer(n_of(0, 2), {FuzzedTensor(x).probability_contiguous(NAN)}),
                         "[Fuzzer] tensor \"x\" has a probability out of range; got nan, expected "
                         "0 to 1; try 0.5, the default",
                         ValueError);
    CHECK_THROWS_WITH_AS(Fuzzer(n_of(0, 2), {FuzzedTensor(x).dtypes({})}),
                         "[Fuzzer] tensor \"x\" has no dtypes; got an empty list, expected at "
                         "least one dtype; try {kFloat}, the default",
                         ValueError);
    CHECK_THROWS_WITH_AS(
        Fuzzer(n_of(0, 2), {FuzzedTensor(x).dtypes({ScalarType::QInt8})}),
        "[Fuzzer] the dtype is not supported; got QInt8, expected Byte, Char, Short, Int, Long, "
        "Half, BFloat16, Float, Double, ComplexFloat, ComplexDouble or Bool; try kFloat",
        NotImplementedError);
}

TEST_CASE("fuzzer: mistakes that a draw finds") {
    CHECK_THROWS_WITH_AS(Fuzzer({}, {}, {nullptr}),
                         "[Fuzzer] a constraint is empty; got a std::function without a target, "
                         "expected a function of the parameters; try leaving it out",
                         ValueError);
    CHECK_THROWS_WITH_AS(Fuzzer({}, {}).take(-1),
                         "[Fuzzer] the number of cases is negative; got -1, expected 0 or more; "
                         "try next() for one case",
                         ValueError);
    const auto no = [](const FuzzedParameters&) { return false; };
    const auto yes = [](const FuzzedParameters&) { return true; };
    Fuzzer refused({}, {}, {yes, no});
    CHECK_THROWS_WITH_AS(refused.next(),
                         "[Fuzzer] 1000 draws in a row were refused, most by constraint 1; got "
                         "1000 refusals by it, expected parameters that keep all constraints and "
                         "limits; try narrower ranges of parameters, or wider limits",
                         Error);
    CHECK(refused.rejection_rate() == 1);
    const FuzzedTensor x = FuzzedTensor("x").size({"n"});
    CHECK_THROWS_WITH_AS(
        Fuzzer(n_of(0, 2), {x, FuzzedTensor("y").min_elements(2)}).next(),
        "[Fuzzer] 1000 draws in a row were refused, most by min_elements of \"y\"; got 1000 "
        "refusals by it, expected parameters that keep all constraints and limits; try narrower "
        "ranges of parameters, or wider limits",
        Error);
    CHECK_THROWS_WITH_AS(
        Fuzzer(n_of(8, 9), {FuzzedTensor(x).max_elements(4)}).next(),
        "[Fuzzer] 1000 draws in a row were refused, most by max_elements of \"x\"; got 1000 "
        "refusals by it, expected parameters that keep all constraints and limits; try narrower "
        "ranges of parameters, or wider limits",
        Error);
    CHECK_THROWS_WITH_AS(
        Fuzzer(n_of(8, 9), {FuzzedTensor(x).max_allocation_bytes(4)}).next(),
        "[Fuzzer] 1000 draws in a row were refused, most by max_allocation_bytes of \"x\"; got "
        "1000 refusals by it, expected parameters that keep all constraints and limits; try "
        "narrower ranges of parameters, or wider limits",
        Error);
    const auto larger = [](IntArrayRef s, ScalarType t) { return ones({s[0] + 1}, t); };
    CHECK_THROWS_WITH_AS(Fuzzer(n_of(2, 2), {FuzzedTensor(x).constructor(larger)}).next(),
                         "[Fuzzer] the constructor of \"x\" returned another tensor; got Float of "
                         "sizes [3], expected Float of sizes [2]; try making it of both arguments",
                         Error);
    const auto none = [](IntArrayRef, ScalarType) { return Tensor(); };
    CHECK_THROWS_WITH_AS(
        Fuzzer(n_of(2, 2), {FuzzedTensor(x).constructor(none)}).next(),
        "[Fuzzer] the constructor of \"x\" returned another tensor; got an undefined tensor, "
        "expected Float of sizes [2]; try making it of both arguments",
        Error);

    const FuzzedCase c = Fuzzer(m_and_n(), {x_of_m_n()}).next();
    CHECK_THROWS_WITH_AS(c.parameter("k"),
                         "[FuzzedCase] no parameter has this name; got \"k\", expected one of "
                         "\"m\", \"n\"; try a loop over all of them",
                         ValueError);
    CHECK_THROWS_WITH_AS(c.tensor("y"),
                         "[FuzzedCase] no tensor has this name; got \"y\", expected one of \"x\"; "
                         "try a loop over all of them",
                         ValueError);
    CHECK_THROWS_WITH_AS(Fuzzer({}, {}).next().tensor("y"),
                         "[FuzzedCase] no tensor has this name; got \"y\", expected no name, as "
                         "there is no tensor; try a loop over all of them",
                         ValueError);
}
