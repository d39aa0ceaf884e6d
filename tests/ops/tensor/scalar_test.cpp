#include "tests/ops/check.hpp"

#include <cmath>

using namespace sinter;

namespace {

std::string printed(const Scalar& s) {
    std::ostringstream out;
    out << s;
    return out.str();
}

}  // namespace

TEST_CASE("a number of one kind becomes one of another, or says that it cannot") {
    CHECK(Scalar(300).to<int16_t>() == 300);
    CHECK(Scalar(-1.9).toInt() == -1);
    // Negative integers wrap in a Byte; a floating value must be in its range.
    CHECK((Scalar(-1).toByte() == 255 && Scalar(254.9).toByte() == 254));
    CHECK_THROWS_AS(Scalar(255.9).toByte(), Error);
    CHECK_THROWS_AS(Scalar(-0.9).toByte(), Error);
    CHECK(Scalar(true).toDouble() == 1.0);
    CHECK(Scalar(0.1).to<float>() == 0.1f);
    CHECK(static_cast<float>(Scalar(2049).toHalf()) == 2048.0f);
    CHECK(static_cast<float>(Scalar(257).toBFloat16()) == 256.0f);
    CHECK((Scalar(1e-300).to<bool>() && !Scalar(-0.0).to<bool>()));
    CHECK(Scalar(-0x1p63).to<int64_t>() == INT64_MIN);
    CHECK(std::isinf(Scalar(INFINITY).to<float>()));
    CHECK(std::isnan(Scalar(NAN).to<double>()));
    CHECK_ERROR(ValueError, Scalar(300).toChar(),
                "[scalar] value cannot be converted to type int8_t without overflow; got 300 for "
                "Char, expected a value that Char can hold; try kLong, a wider dtype");
    CHECK_ERROR(ValueError, Scalar(-256).toByte(),
                "[scalar] value cannot be converted to type uint8_t without overflow; got -256 for "
                "Byte, expected a value that Byte can hold; try kLong, a wider dtype");
    CHECK_ERROR(ValueError, Scalar(0x1p63).to<int64_t>(),
                "[scalar] value cannot be converted to type int64_t without overflow; got "
                "9.22337203685478e+18 for Long, expected a value that Long can hold; try kDouble, "
                "a wider dtype");
    CHECK_ERROR(ValueError, Scalar(NAN).toInt(),
                "[scalar] value cannot be converted to type int without overflow; got nan for Int, "
                "expected a value that Int can hold; try kDouble, a wider dtype");
    CHECK_ERROR(ValueError, Scalar(1e39).to<float>(),
                "[scalar] value cannot be converted to type float without overflow; got 1e+39 for "
                "Float, expected a value that Float can hold; try kDouble, a wider dtype");
    CHECK_THROWS_AS(Scalar(70000).toHalf(), std::runtime_error);
}

TEST_CASE("numbers are compared, negated and printed") {
    CHECK((Scalar(1).equal(1.0) && Scalar(true).equal(true) && !Scalar(2).equal(true)));
    CHECK((!Scalar(1).equal(true) && !Scalar(true).equal(1) && !Scalar(true).equal(1.0)));
    CHECK((!Scalar(complex<double>(1)).equal(true) && Scalar(complex<double>(1)).equal(1)));
    CHECK(!Scalar(NAN).equal(NAN));
    CHECK(Scalar(0.0).equal(-0.0));
    CHECK(((-Scalar(3)).toLong() == -3 && (-Scalar(2.5)).toDouble() == -2.5));
    CHECK((-Scalar(INT64_MIN)).toLong() == INT64_MIN);
    CHECK((!Scalar(1).isComplex() && Scalar(2.5).conj().equal(2.5)));
    CHECK((printed(3) == "3" && printed(2.5) == "2.5" && printed(true) == "true"));
}

TEST_CASE("toLong and toFloat are checked") {
    CHECK(Scalar(-2.9).toLong() == -2);
    CHECK(Scalar(true).toLong() == 1);
    CHECK_THROWS_AS(Scalar(1e30).toLong(), ValueError);
    CHECK_THROWS_AS(Scalar(NAN).toLong(), ValueError);
    CHECK_THROWS_AS(Scalar(complex<double>(1, 2)).toLong(), ValueError);
    CHECK_THROWS_AS(Scalar(1e300).toFloat(), ValueError);
    CHECK(Scalar(0.1).toFloat() == 0.1f);
}
