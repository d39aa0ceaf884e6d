#include "tests/ops/check.hpp"

using namespace sinter;
using test::check;

TEST_CASE("item converts and checks") {
    test::for_each_mode([] {
        CHECK(tensor({2.75}).item<float>() == 2.75f);
        CHECK(tensor({2.75}).item<int64_t>() == 2);
        CHECK(tensor(5).item<double>() == 5);
        CHECK(tensor(-1).item<uint8_t>() == 255);
        CHECK(tensor({true}).item<bool>());
        CHECK(static_cast<float>(tensor({1.5}, kHalf).item<Half>()) == 1.5f);
        CHECK(tensor(9007199254740993).item().toLong() == 9007199254740993);
        CHECK((zeros({}) + 3).item<int32_t>() == 3);
        CHECK(tensor({{7}}).is_nonzero());
        CHECK_FALSE(zeros({1}).is_nonzero());
    });
    CHECK_ERROR(ValueError, tensor(300).item<uint8_t>(),
                "[item] value cannot be converted to type uint8_t without overflow; got 300 for "
                "Byte, expected a value that Byte can hold; try kLong, a wider dtype");
    CHECK_ERROR(ValueError, tensor({1e300}, kDouble).item<float>(),
                "[item] value cannot be converted to type float without overflow; got 1e+300 for "
                "Float, expected a value that Float can hold; try kDouble, a wider dtype");
    CHECK_ERROR(Error, zeros({2}).item(),
                "[item] a Tensor with 2 elements cannot be converted to Scalar; got shape [2], "
                "expected 1 element; try an index first, or a reduction such as sum()");
    CHECK_ERROR(Error, zeros({0}).is_nonzero(),
                "[is_nonzero] a Tensor with 0 elements cannot be converted to Scalar; got shape "
                "[0], expected 1 element; try checking numel() first");
}

TEST_CASE("pointers" * doctest::test_suite("host")) {
    test::for_each_mode([] {
        Tensor a = tensor({1.0, 2.0, 3.0}) * 2;
        const float* read = a.const_data_ptr<float>();
        CHECK(read[2] == 6);
        CHECK(a.slice(0, 1).const_data_ptr<float>() == read + 1);
        CHECK(a.data_ptr<const float>() == read);
        float* write = a.data_ptr<float>();
        CHECK(write == read);
        // From here on the memory is external: reads and writes run at their lines.
        Tensor b = a + 1;
        write[0] = 50;
        check<float>(b, {3}, {3, 5, 7});
        check<float>(a, {3}, {50, 4, 6});
        a.add_(1);
        CHECK(write[1] == 5);
        CHECK(a.data_ptr() == write);
        CHECK(a.mutable_data_ptr() == write);
        CHECK(a.slice(0, 1).mutable_data_ptr<float>() == write + 1);
    });
    CHECK_ERROR(Error, zeros({2}).data_ptr<double>(),
                "[data_ptr] expected scalar type Double but found Float; got a Float tensor, "
                "expected a Double tensor; try .to(kDouble) first, or float as the element type");
    CHECK_ERROR(Error, zeros({2}).const_data_ptr<bool>(),
                "[const_data_ptr] expected scalar type Bool but found Float; got a Float tensor, "
                "expected a Bool tensor; try .to(kBool) first, or float as the element type");
}

TEST_CASE("a pointer stays valid through in-place writes" * doctest::test_suite("host")) {
    test::for_each_mode([] {
        Tensor a = zeros({3});
        const float* p = a.const_data_ptr<float>();
        a.add_(1);
        Tensor old = a + 0;
        a.mul_(5);
        a.eval();
        CHECK(a.const_data_ptr<float>() == p);
        CHECK(p[0] == 5);
        check<float>(old, {3}, {1, 1, 1});
    });
}

TEST_CASE("eval of one and of several") {
    test::for_each_mode([] {
        Tensor a = ones({4}) * 3, b = a + 1;
        CHECK(a.eval().is_same(a));
        eval({a, b});
        check<float>(b, {4}, {4, 4, 4, 4});
        eval({});
        const std::vector<Tensor> list{a * 2, b + 1};
        eval(list);
        CHECK(explain(list[0]) == "nothing to compute\n");
        eval(std::vector<Tensor>{});
    });
}
