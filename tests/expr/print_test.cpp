#include "tests/expr/check.hpp"

using namespace sinter;
using test::text;

TEST_CASE("numbers without dimensions") {
    test::for_each_mode([] {
        CHECK(text(full({}, 2.5)) == "2.5\n[ CPUFloatType{} ]");
        CHECK(text(tensor(7)) == "7\n[ CPULongType{} ]");
        CHECK(text(full({}, -std::numeric_limits<double>::quiet_NaN())) ==
              "nan\n[ CPUFloatType{} ]");
        CHECK(text(full({}, true)) == "1\n[ CPUBoolType{} ]");
    });
}

TEST_CASE("vectors and matrices") {
    test::for_each_mode([] {
        CHECK(text(tensor({1, -2, 30})) == "  1\n -2\n 30\n[ CPULongType{3} ]");
        CHECK(text(tensor({{1.0, 2.0}, {3.0, 4.0}})) == " 1  2\n 3  4\n[ CPUFloatType{2,2} ]");
        CHECK(text(tensor({{0.5, -2.0}, {10.25, 4.0}})) ==
              "  0.5000  -2.0000\n 10.2500   4.0000\n[ CPUFloatType{2,2} ]");
        CHECK(text(tensor({1e-8, 1.0})) == " 1.0000e-08\n 1.0000e+00\n[ CPUFloatType{2} ]");
        CHECK(text(tensor({{1.0, 2.0}, {3.0, 4.0}}).t()) == " 1  3\n 2  4\n[ CPUFloatType{2,2} ]");
        const double inf = std::numeric_limits<double>::infinity();
        CHECK(text(tensor({1.0, -inf, -(inf - inf)})) == "   1\n-inf\n nan\n[ CPUFloatType{3} ]");
    });
}

TEST_CASE("large and small numbers have a common factor") {
    test::for_each_mode([] {
        CHECK(text(tensor({123456.5, -20000.25}, kDouble)) ==
              "1e+05 *\n 1.2346\n-0.2000\n[ CPUDoubleType{2} ]");
        CHECK(text(tensor({{0.00125, 0.002}, {0.0005, 0.001}}, kDouble)) ==
              "0.001 *\n 1.2500  2.0000\n 0.5000  1.0000\n[ CPUDoubleType{2,2} ]");
        CHECK(text(full({1, 1, 1}, 0.025)) ==
              "(1,.,.) = \n 0.01 *\n  2.5000\n[ CPUFloatType{1,1,1} ]");
    });
}

TEST_CASE("empty tensors and stacks of matrices") {
    test::for_each_mode([] {
        CHECK(text(zeros({0})) == "[ CPUFloatType{0} ]");
        CHECK(text(zeros({2, 0}, kHalf)) == "[ CPUHalfType{2,0} ]");
        CHECK(text(arange(8).view({2, 2, 2})) ==
              "(1,.,.) = \n  0  1\n  2  3\n\n(2,.,.) = \n  4  5\n  6  7\n[ CPULongType{2,2,2} ]");
    });
}

TEST_CASE("wide matrices break into blocks, large tensors show corners") {
    test::for_each_mode([] {
        const std::string wide = text(zeros({1, 30}));
        CHECK(wide.substr(0, 16) == "Columns 1 to 26\n");
        CHECK(wide.find("\nColumns 27 to 30\n") != std::string::npos);
        CHECK(text(arange(2000)) ==
              "    0\n    1\n    2\n  ...\n 1997\n 1998\n 1999\n[ CPULongType{2000} ]");
        const std::string large = text(arange(10000).view({100, 100}));
        CHECK(large.substr(0, large.find('\n')) == "    0     1     2   ...    97    98    99");
    });
}

TEST_CASE("the stream keeps its flags") {
    std::ostringstream out;
    out << std::hex << tensor({0.5}) << 255;
    CHECK(out.str() == " 0.5000\n[ CPUFloatType{1} ]ff");
}
