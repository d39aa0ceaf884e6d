#include "tests/ops/check.hpp"

using namespace sinter;
using test::check;

namespace {

std::vector<float> elements_of_half() {
    return test::elements<float>(tensor({1.5, 65504.0}, kHalf).to(kFloat));
}

}  // namespace

TEST_CASE("tensor from nested braces") {
    test::for_each_mode([] {
        check<float>(tensor({{1.0, 2.0}, {3.0, 4.5}}), {2, 2}, {1, 2, 3, 4.5});
        check<int64_t>(tensor({1, 2, 3}), {3}, {1, 2, 3});
        check<bool>(tensor({{true}, {false}}), {2, 1}, {true, false});
        check<int64_t>(tensor(7), {}, {7});
        check<float>(tensor({}), {0}, {});
        check<double>(tensor({{{{{{{{{{1}}}}}}}}}}, kDouble), {1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, {1});
        check<int32_t>(tensor({1, 2}, kInt), {2}, {1, 2});
        check<float>(tensor(std::vector<float>{1, 2}), {2}, {1, 2});
        check<double>(tensor(std::vector<int32_t>{1, 2}, kDouble), {2}, {1, 2});
        CHECK(elements_of_half() == std::vector<float>{1.5f, 65504.0f});
    });
    CHECK_ERROR(Error, tensor({{1, 2}, {3}}),
                "[tensor] Expected all sub-lists to have sizes: [2] (e.g. {1, 2}), but got "
                "sub-list {3} with sizes: [1]; got a ragged list, expected sub-lists of equal "
                "sizes; try padding the shorter ones");
    CHECK_ERROR(Error, tensor({{1, 2}, 3}),
                "[tensor] Expected all sub-lists to have sizes: [2] (e.g. {1, 2}), but got "
                "sub-list 3 with sizes: []; got a ragged list, expected sub-lists of equal sizes; "
                "try padding the shorter ones");
    // Errors of inner lists come first, as in PyTorch.
    CHECK_ERROR(Error, tensor({{{2, 3, 4}, {{5, 6}, {7}}}}),
                "[tensor] Expected all sub-lists to have sizes: [2] (e.g. {5, 6}), but got "
                "sub-list {7} with sizes: [1]; got a ragged list, expected sub-lists of equal "
                "sizes; try padding the shorter ones");
    CHECK_ERROR(Error, tensor({{{true, 2.0}}}),
                "[tensor] Expected all elements of the tensor to have the same scalar type: Bool, "
                "but got element of scalar type: Double; got numbers of different types, expected "
                "numbers of one type; try writing all of them alike, as in 1.0 and 2.0");
    CHECK_ERROR(ValueError, tensor({300}, kByte),
                "[tensor] value cannot be converted to type uint8_t without overflow; got 300 for "
                "Byte, expected a value that Byte can hold; try kLong, a wider dtype");
}

namespace {

template <class T>
ScalarType in_braces(T number) {
    const ScalarType list = tensor({number, number}).scalar_type();
    CHECK((tensor(number).scalar_type() == list));
    return list;
}
template <class T>
ScalarType in_vector(T number) {
    const std::vector<T> list{number, number};
    CHECK((tensor(list, kInt).scalar_type() == kInt));
    CHECK(tensor(ArrayRef<T>(list)).sizes() == tensor(list).sizes());
    CHECK((tensor(ArrayRef<T>(list)).scalar_type() == tensor(list).scalar_type()));
    return tensor(list).scalar_type();
}

}  // namespace

TEST_CASE("the dtype of numbers" * doctest::test_suite("host")) {
    for (const ScalarType usual : {kFloat, kDouble}) {
        set_default_dtype(usual);
        CHECK((in_braces(1.0) == usual && in_vector(1.0) == usual));
        CHECK((in_braces(1.0f) == usual && in_vector(1.0f) == usual));
        CHECK((tensor(std::vector<double>()).scalar_type() == usual));
        CHECK((tensor({{}, {}}).scalar_type() == usual));
        CHECK((in_braces(1) == kLong && in_vector(1) == kLong));
        CHECK((in_braces(int64_t{1}) == kLong && in_vector(int64_t{1}) == kLong));
        CHECK((in_braces(1U) == kLong && in_vector(1U) == kLong));
        CHECK((tensor(std::vector<int>()).scalar_type() == kLong));
        CHECK((in_braces(int16_t{1}) == kShort && in_vector(int16_t{1}) == kShort));
        CHECK((in_braces(int8_t{1}) == kChar && in_vector(int8_t{1}) == kChar));
        CHECK((in_braces(uint8_t{1}) == kByte && in_vector(uint8_t{1}) == kByte));
        CHECK((in_braces(Half(1)) == kHalf && in_vector(Half(1)) == kHalf));
        CHECK((in_braces(BFloat16(1)) == kBFloat16 && in_vector(BFloat16(1)) == kBFloat16));
        CHECK((in_braces(true) == kBool && tensor(std::vector<bool>{true}).dtype() == kBool));
        const complex<double> z(1, 2);
        CHECK((in_braces(z) == kComplexDouble));
        CHECK((in_braces(complex<float>(z)) == kComplexFloat));
        CHECK((tensor(std::vector{z}).scalar_type() == kComplexDouble));
    }
    set_default_dtype(kFloat);
    CHECK((tensor(int8_t{1}, kDouble).scalar_type() == kDouble));
    CHECK(equal(tensor(std::vector<double>{1.5, 300}, kLong), tensor({1, 300})));
    CHECK((tensor({1, int64_t{2}}).scalar_type() == kLong));
    CHECK_ERROR(Error, tensor({int8_t{1}, uint8_t{2}}),
                "[tensor] Expected all elements of the tensor to have the same scalar type: Char, "
                "but got element of scalar type: Byte; got numbers of different types, expected "
                "numbers of one type; try writing all of them alike, as in 1.0 and 2.0");
    CHECK_ERROR(Error, tensor(std::vector{complex<double>(1, 0)}, kDouble),
                "[tensor] complex numbers do not fit the dtype; got a complex list for Double, "
                "expected a complex dtype; try kComplexFloat, or real() of the complex tensor");
    CHECK_THROWS_AS(tensor(std::vector<float>{1}, kCUDA), Error);
}

TEST_CASE("filled tensors") {
    test::for_each_mode([] {
        check<float>(zeros({2}), {2}, {0, 0});
        check<int64_t>(ones({1, 2}, kLong), {1, 2}, {1, 1});
        check<int64_t>(full({2}, 3), {2}, {3, 3});
        check<float>(full({}, 2.5), {}, {2.5});
        check<bool>(full({1}, true), {1}, {true});
        check<double>(full({1}, 0.1, kDouble), {1}, {0.1});
        check<int64_t>(scalar_tensor(9007199254740993, kLong), {}, {9007199254740993});
        check<float>(scalar_tensor(3), {}, {3});
        check<float>(scalar_tensor(true), {}, {1});
        CHECK(empty({2, 3}, kByte).nbytes() == 6);
        Tensor a = zeros({2, 3}, kDouble).t();
        check<double>(zeros_like(a), {3, 2}, std::vector<double>(6, 0));
        CHECK(empty_like(a).strides() == IntArrayRef({1, 3}));
        check<int32_t>(ones_like(a, kInt), {3, 2}, std::vector<int32_t>(6, 1));
        check<double>(full_like(a, 4), {3, 2}, std::vector<double>(6, 4));
    });
    CHECK_ERROR(ValueError, full({2}, 300, kByte),
                "[full] value cannot be converted to type uint8_t without overflow; got 300 for "
                "Byte, expected a value that Byte can hold; try kLong, a wider dtype");
    CHECK_ERROR(
        Error, zeros({2, -1}),
        "[zeros] Trying to create tensor with negative dimension -1; got sizes [2, -1], expected "
        "sizes of 0 or more; try -1 only in view() and reshape(), which infer that size");
    CHECK_ERROR(Error, empty({INT64_MAX, 2}),
                "[empty] the tensor has too many elements; got sizes [9223372036854775807, 2], "
                "expected a product below 2^59; try smaller sizes");
}

TEST_CASE("two filled tensors are separate") {
    test::for_each_mode([] {
        Tensor a = zeros({3}), b = zeros({3});
        a.add_(1);
        check<float>(b, {3}, {0, 0, 0});
        check<float>(a, {3}, {1, 1, 1});
    });
}

TEST_CASE("arange") {
    test::for_each_mode([] {
        check<int64_t>(arange(4), {4}, {0, 1, 2, 3});
        check<int64_t>(arange(1, 8, 3), {3}, {1, 4, 7});
        check<int64_t>(arange(5, 0, -2), {3}, {5, 3, 1});
        check<float>(arange(1.0, 2.0, 0.25), {4}, {1, 1.25, 1.5, 1.75});
        check<double>(arange(0.0, 0.35, 0.1, kDouble), {4}, {0, 0.1, 0.2, 3 * 0.1});
        check<float>(arange(3, kFloat), {3}, {0, 1, 2});
        CHECK(arange(0).numel() == 0);
        CHECK(arange(2, 2).numel() == 0);
    });
    CHECK_ERROR(Error, arange(0, 5, 0),
                "[arange] the step is zero; got 0 to 5 by 0, expected a step other than 0; try "
                "linspace(), which takes the number of elements");
    CHECK_ERROR(
        Error, arange(0, -3),
        "[arange] the step leads away from the end; got 0 to -3 by 1, expected a step with the "
        "sign of end - start; try the opposite sign for the step, or swapping start and end");
    CHECK_ERROR(
        Error, arange(std::numeric_limits<double>::infinity()),
        "[arange] a bound is not finite, or the step is NaN; got 0 to inf by 1, expected finite "
        "bounds and a step that is a number; try std::isfinite() to find the argument");
}

TEST_CASE("linspace meets both ends") {
    test::for_each_mode([] {
        check<float>(linspace(0, 1, 5), {5}, {0, 0.25, 0.5, 0.75, 1});
        check<double>(linspace(-1, 1, 2, kDouble), {2}, {-1, 1});
        check<float>(linspace(3, 7, 1), {1}, {3});
        check<int64_t>(linspace(0, 10, 4, kLong), {4}, {0, 3, 6, 10});
        CHECK(linspace(0, 1, 0).numel() == 0);
        check<uint8_t>(linspace(-1, 5, 4, kByte), {4}, {255, 171, 88, 5});
        Tensor a = linspace(0.1, 0.7, 7);
        CHECK(a[0].item<float>() == 0.1f);
        CHECK(a[-1].item<float>() == 0.7f);
    });
    CHECK_ERROR(ValueError, linspace(0, 300, 4, kByte),
                "[linspace] value cannot be converted to type uint8_t without overflow; got 300 "
                "for Byte, expected a value that Byte can hold; try kLong, a wider dtype");
    CHECK_ERROR(Error, linspace(0, 1, -1),
                "[linspace] the number of steps is negative; got -1, expected 0 or more; try "
                "swapping start and end to count down");
}

TEST_CASE("eye") {
    test::for_each_mode([] {
        check<float>(eye(2), {2, 2}, {1, 0, 0, 1});
        check<int64_t>(eye(2, 3, kLong), {2, 3}, {1, 0, 0, 0, 1, 0});
        check<bool>(eye(1, kBool), {1, 1}, {true});
        CHECK(eye(0).sizes() == IntArrayRef({0, 0}));
    });
}

TEST_CASE("memory of the caller's") {
    test::for_each_mode([] {
        float memory[6] = {0, 1, 2, 3, 4, 5};
        Tensor a = from_blob(memory, {2, 3});
        Tensor b = a * 2;
        memory[0] = 100;  // b has been read
        check<float>(b, {2, 3}, {0, 2, 4, 6, 8, 10});
        a.add_(1);  // complete when the call returns
        CHECK(memory[0] == 101);
        CHECK(memory[5] == 6);
        check<float>(from_blob(memory, {2, 2}, {1, 3}), {2, 2}, {101, 4, 2, 5});
        CHECK(a.data_ptr<float>() == memory);
        int deleted = 0;
        {
            Tensor view;
            {
                Tensor owner = from_blob(memory, {6}, [&](void*) { ++deleted; });
                view = owner.slice(0, 2);
            }
            CHECK(deleted == 0);
            check<float>(view, {4}, {3, 4, 5, 6});
        }
        CHECK(deleted == 1);
        const int64_t fixed[] = {4, 5};
        Tensor c = from_blob(fixed, {2}, kLong);
        check<int64_t>(c + 1, {2}, {5, 6});
        CHECK(c.const_data_ptr<int64_t>() == fixed);
        const int64_t table[] = {1, 2, 3, 4, 5, 6};
        const Tensor turned = from_blob(table, {3, 2}, {1, 3}, kLong);
        check<int64_t>(turned, {3, 2}, {1, 4, 2, 5, 3, 6});
        CHECK_THROWS_AS(turned.zero_(), Error);
        CHECK(from_blob(nullptr, {0, 2}, kLong).numel() == 0);
        CHECK_ERROR(Error, c.add_(1),
                    "[add_] the tensor's memory is read-only; got memory that from_blob(const T*) "
                    "or fromDLPack took as read-only, expected writable memory; try clone() first");
        CHECK_ERROR(Error, c.data_ptr(),
                    "[data_ptr] the tensor's memory is read-only; got memory that from_blob(const "
                    "T*) or fromDLPack took as read-only, expected writable memory; try "
                    "const_data_ptr(), or clone() first");
    });
    float one = 0;
    CHECK_ERROR(Error, from_blob(&one, {1}, IntArrayRef({-1})),
                "[from_blob] a stride is negative; got strides [-1], expected strides of 0 or "
                "more; try flip(), which reverses a dimension by a copy");
    CHECK_ERROR(ValueError, from_blob(static_cast<void*>(nullptr), {1}),
                "[from_blob] the pointer is null; got nullptr for sizes [1], expected memory for "
                "every element; try empty(), which allocates memory");
}

TEST_CASE("logspace") {
    test::for_each_mode([] {
        check<float>(logspace(0, 2, 3), {3}, {1, 10, 100});
        check<double>(logspace(-1, 1, 3, 2, kDouble), {3}, {0.5, 1, 2});
        check<float>(logspace(3, 9, 1, 2), {1}, {8});
        check<int64_t>(logspace(0, 3, 4, 10, kLong), {4}, {1, 10, 100, 1000});
        CHECK((logspace(0, 1, 5, 10, kHalf).dtype() == kHalf));
        CHECK(logspace(0, 1, 0).numel() == 0);
        const Tensor powers = logspace(0.1, 1.0, 7, 10, kDouble);
        CHECK(allclose(powers, pow(10, linspace(0.1, 1.0, 7, kDouble))));
    });
    CHECK_ERROR(Error, logspace(0, 1, -1),
                "[logspace] the number of steps is negative; got -1, expected 0 or more; try "
                "swapping start and end to count down");
}

TEST_CASE("new tensors of a tensor's dtype") {
    test::for_each_mode([] {
        Tensor a = zeros({2}, kInt);
        CHECK((a.new_empty({2, 3}).dtype() == kInt));
        CHECK(a.new_empty({2, 3}).sizes() == IntArrayRef({2, 3}));
        CHECK((a.new_empty({}, kDouble).dtype() == kDouble));
        check<int32_t>(a.new_zeros({2}), {2}, {0, 0});
        check<float>(a.new_zeros(1, kFloat), {1}, {0});
        check<int32_t>(a.new_ones({1, 2}), {1, 2}, {1, 1});
        check<int32_t>(a.new_full(2, 2.5), {2}, {2, 2});
        check<double>(a.new_full({}, 2.5, kDouble), {}, {2.5});
        check<int32_t>(a.new_tensor({1, 2}), {2}, {1, 2});
        check<int32_t>(a.new_tensor({{1.5}, {2.5}}), {2, 1}, {1, 2});
        check<int32_t>(a.new_tensor(7), {}, {7});
        check<bool>(a.new_tensor({0, 2}, kBool), {2}, {false, true});
        auto named = a + 0.5;
        check<float>(named.new_ones(1), {1}, {1});
    });
    CHECK_ERROR(ValueError, zeros({1}, kByte).new_full({1}, 300),
                "[new_full] value cannot be converted to type uint8_t without overflow; got 300 "
                "for Byte, expected a value that Byte can hold; try kLong, a wider dtype");
    CHECK_ERROR(
        NotImplementedError, zeros({1}).new_zeros({1}, ScalarType::ComplexHalf),
        "[new_zeros] the dtype is not supported; got ComplexHalf, expected Byte, Char, Short, Int, "
        "Long, Half, BFloat16, Float, Double, ComplexFloat, ComplexDouble or Bool; try kFloat");
    CHECK_ERROR(
        Error, Tensor().new_ones({1}),
        "[new_ones] the tensor is undefined; got a default-constructed Tensor, expected a defined "
        "tensor; try assigning a tensor to it first; defined() tells whether it is one");
}

TEST_CASE("from_blob calls its deleter once, with the memory, when the last view dies") {
    float memory[6] = {0, 1, 2, 3, 4, 5};
    int calls = 0;
    const auto count = [&](void* p) { calls += p == memory ? 1 : 100; };
    {
        Tensor view;
        {
            const Tensor t = from_blob(memory, {3, 2}, {1, 3}, count);
            check<float>(t, {3, 2}, {0, 3, 1, 4, 2, 5});
            view = t[1];
        }
        CHECK(calls == 0);
        check<float>(view, {2}, {1, 4});
    }
    CHECK(calls == 1);
    from_blob(memory, {6}, count, kFloat).eval();
    CHECK(calls == 2);
    CHECK_THROWS_AS(from_blob(memory, {3, 2}, {1, -3}, count), Error);
    CHECK(calls == 2);  // a refused call takes no ownership
    Tensor last = from_blob(memory, {6}, [](void*) { throw std::runtime_error("not mine"); });
    CHECK_NOTHROW(last = Tensor());  // the process continues
}

TEST_CASE("what no memory could hold is refused where it is made") {
    // As in eager programs. A sum of it, pending, would run for minutes.
    for (const Mode mode : {Mode::lazy, Mode::eager}) {
        const ModeGuard guard(mode);
        CHECK_THROWS_AS(zeros({int64_t{1} << 46}).sum().item<float>(), OutOfMemoryError);
        CHECK_THROWS_AS(rand({int64_t{1} << 23, int64_t{1} << 23}), OutOfMemoryError);
        CHECK_THROWS_AS(arange(int64_t{1} << 46), OutOfMemoryError);
        CHECK_THROWS_AS(empty({int64_t{1} << 46}), OutOfMemoryError);
    }
    try {
        zeros({int64_t{1} << 50});
    } catch (const OutOfMemoryError& e) {
        const std::string what = e.what();
        CHECK(what.rfind(
                  "[zeros] the tensor is far larger than memory; got shape "
                  "[1125899906842624] of Float, which takes 4194304 GiB, expected at most 64 times "
                  "the main memory of ",
                  0) == 0);
        CHECK(what.find(" GiB; try smaller sizes, or a loop over slices") != std::string::npos);
    }
    // A tensor larger than memory works if it is fused away.
    const ModeGuard guard(Mode::lazy);
    CHECK(zeros({1}).expand({int64_t{1} << 46}).numel() == int64_t{1} << 46);
}
