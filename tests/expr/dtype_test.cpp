#include "tests/expr/check.hpp"

#include <algorithm>

using namespace sinter;

TEST_CASE("dtype names are libtorch's") {
    CHECK(std::string(toString(kByte)) == "Byte");
    CHECK(std::string(toString(kBFloat16)) == "BFloat16");
    CHECK(std::string(toString(ScalarType::Undefined)) == "Undefined");
    std::ostringstream out;
    out << kLong << ' ' << kBool << ' ' << kComplexDouble;
    CHECK(out.str() == "Long Bool ComplexDouble");
}

TEST_CASE("promotion of two dimensioned dtypes") {
    const ScalarType rising[] = {kBool, kByte, kInt, kLong, kHalf, kFloat, kDouble};
    for (std::size_t i = 0; i < 7; ++i)
        for (std::size_t j = 0; j < 7; ++j)
            CHECK((promote_types(rising[i], rising[j]) == rising[std::max(i, j)]));
    CHECK((get_default_dtype() == kFloat));
    CHECK_ERROR(NotImplementedError, promote_types(kFloat, kBFloat16),
                "[promote_types] the dtype is not supported yet; got BFloat16, expected Byte, Int, "
                "Long, Half, Float, Double or Bool; try kFloat32");
}

TEST_CASE("devices are read and written as text") {
    CHECK(Device("cpu") == Device(kCPU));
    CHECK(Device("cuda:1").type() == kCUDA);
    CHECK(Device("cuda:1").index() == 1);
    CHECK(Device("cuda:1").str() == "cuda:1");
    CHECK(Device("cuda").str() == "cuda");
    for (const char* wrong : {"", "gpu", "cuda:", "cuda:x", "cuda:1x", "cuda:-1", "cuda:999"}) {
        CAPTURE(wrong);
        CHECK_ERROR(
            Error, Device(wrong),
            "[device] the text names no device; got \"" + std::string(wrong) +
                "\", expected cpu, cuda or hip, then perhaps a colon and an index; try \"cpu\"");
    }
}

TEST_CASE("what the options refuse") {
    CHECK_ERROR(NotImplementedError, TensorOptions().requires_grad(true),
                "[requires_grad] there is no differentiation yet; got true, expected false; try "
                "requires_grad(false)");
    CHECK((TensorOptions(kDouble).requires_grad(false).dtype() == kDouble));
    CHECK_ERROR(NotImplementedError, zeros({2}, kCUDA),
                "[zeros] the device is not supported yet; got cuda, expected cpu; try kCPU");
    CHECK_ERROR(
        NotImplementedError, ones({2}, kBFloat16),
        "[ones] the dtype is not supported yet; got BFloat16, expected Byte, Int, Long, Half, "
        "Float, Double or Bool; try kFloat32");
}

TEST_CASE("lists of integers print as Python's") {
    std::ostringstream out;
    out << IntArrayRef({2, 3}) << IntArrayRef();
    CHECK(out.str() == "[2, 3][]");
}
