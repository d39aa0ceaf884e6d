// Both layouts, compared with the output of libtorch and Python's PyTorch.
#include "tests/ops/check.hpp"

#include <sinter/functions/print.hpp>

#include <iostream>

using namespace sinter;
namespace torch = sinter;
using test::text;

namespace {
const double NAN_ = std::numeric_limits<double>::quiet_NaN();
const double INF_ = std::numeric_limits<double>::infinity();
#define SINTER_STRIP(...) __VA_ARGS__
}  // namespace

TEST_CASE("<< prints as libtorch does" * doctest::test_suite("host")) {
    test::for_each_mode([] {
#define PRINTED(code, cpp, python)          \
    {                                       \
        const Tensor t = SINTER_STRIP code; \
        CAPTURE(#code);                     \
        CHECK(text(t) == std::string(cpp)); \
    }
#define SUMMARISED(code, python)
#define OPTIONS(options, code, python)
#define NUMBER(value, python)
#include "tests/ops/io/print_golden.def"
#undef PRINTED
#undef SUMMARISED
#undef OPTIONS
#undef NUMBER
    });
}

TEST_CASE("repr prints as Python does" * doctest::test_suite("host")) {
    const auto check = [](const Tensor& t, const char* code, const char* python) {
        CAPTURE(code);
        CHECK(repr(t) == std::string(python));
    };
#define PRINTED(code, cpp, python) check(SINTER_STRIP code, #code, python);
#define SUMMARISED(code, python) check(SINTER_STRIP code, #code, python);
#define OPTIONS(options, code, python)        \
    set_printoptions({.profile = "default"}); \
    set_printoptions({SINTER_STRIP options}); \
    check(SINTER_STRIP code, #code, python);  \
    set_printoptions({.profile = "default"});
#define NUMBER(value, python) CHECK(repr(Scalar(value)) == std::string(python));
#include "tests/ops/io/print_golden.def"
#undef PRINTED
#undef SUMMARISED
#undef OPTIONS
#undef NUMBER
}

TEST_CASE("repr of what describes tensors" * doctest::test_suite("host")) {
    const Tensor t = zeros({5, 1});
    CHECK(repr_size(t.sizes()) == "torch.Size([5, 1])");
    CHECK(repr_size({}) == "torch.Size([])");
    CHECK(repr_tuple(zeros({2, 5, 1}).strides()) == "(5, 1, 1)");
    CHECK(repr_tuple(zeros({3}).strides()) == "(1,)");
    CHECK(repr_tuple({}) == "()");
    CHECK(repr(t.dtype()) == "torch.float32");
    CHECK(repr(kBFloat16) == "torch.bfloat16");
    CHECK(repr(Device("cuda:1")) == "device(type='cuda', index=1)");
    CHECK(repr(t.device()) == "device(type='cpu')");
    CHECK(repr(t.is_contiguous()) == "True");
    CHECK(repr(arange(4).split(2)) == "(tensor([0, 1]), tensor([2, 3]))");
    CHECK(repr(std::vector<Tensor>{tensor(1)}) == "(tensor(1),)");
    CHECK(repr(std::vector<Tensor>{}) == "()");
    set_default_dtype(kDouble);
    CHECK(repr(zeros({1}, kFloat)) == "tensor([0.], dtype=torch.float32)");
    CHECK(repr(zeros({1}, kDouble)) == "tensor([0.])");
    set_default_dtype(kFloat);
    CHECK(repr(t.to(kDouble) + 1) ==
          "tensor([[1.],\n        [1.],\n        [1.],\n        [1.],\n        "
          "[1.]], dtype=torch.float64)");
}

TEST_CASE("<< of what describes tensors" * doctest::test_suite("host")) {
    const auto shown = [](const auto& x) {
        std::ostringstream out;
        out << x;
        return out.str();
    };
    CHECK(shown(zeros({2, 3}).sizes()) == "[2, 3]");
    CHECK(shown(IntArrayRef()) == "[]");
    const char* names[] = {"unsigned char", "signed char",   "short int", "int",    "long int",
                           "c10::Half",     "c10::BFloat16", "float",     "double", "bool"};
    const ScalarType types[] = {kByte, kChar,     kShort, kInt,    kLong,
                                kHalf, kBFloat16, kFloat, kDouble, kBool};
    for (int i = 0; i < 10; ++i) CHECK(shown(zeros({1}, types[i]).dtype()) == names[i]);
    CHECK(shown(kFloat) == "Float");
    CHECK(shown(Device("cuda:0")) == "cuda:0");
    CHECK(shown(kCUDA) == "cuda");
    CHECK(shown(kStrided) == "Strided");
    CHECK(shown(TensorOptions()) ==
          "TensorOptions(dtype=float (default), device=cpu (default), layout=Strided (default), "
          "requires_grad=false (default), pinned_memory=false (default), memory_format=(nullopt))");
    CHECK(shown(TensorOptions(kDouble).device(kCPU)) ==
          "TensorOptions(dtype=double, device=cpu, layout=Strided (default), requires_grad=false "
          "(default), pinned_memory=false (default), memory_format=(nullopt))");
    CHECK(shown(zeros({1}).options()) ==
          "TensorOptions(dtype=float, device=cpu, layout=Strided, requires_grad=false (default), "
          "pinned_memory=false (default), memory_format=(nullopt))");
    CHECK(zeros({2}, kLong).toString() == "CPULongType");
    CHECK(Tensor().toString() == "UndefinedType");
}

TEST_CASE("no sign of a NaN is printed" * doctest::test_suite("host")) {
    const Tensor t = tensor({-NAN_, NAN_, 1.5});
    CHECK(text(t) == "    nan\n    nan\n 1.5000\n[ CPUFloatType{3} ]");
    CHECK(text(full({}, -NAN_)) == "nan\n[ CPUFloatType{} ]");
    CHECK(repr(t) == "tensor([   nan,    nan, 1.5000])");
    CHECK(repr(Scalar(-NAN_)) == "nan");
}

TEST_CASE("streams, lines and undefined tensors" * doctest::test_suite("host")) {
    std::ostringstream out;
    out << std::hex << tensor({0.5}) << 255;
    CHECK(out.str() == " 0.5000\n[ CPUFloatType{1} ]ff");
    std::ostringstream narrow;
    print(narrow, arange(8).view({2, 4}), 6);
    CHECK(narrow.str() ==
          "Columns 1 to 2 0  1\n 4  5\n\nColumns 3 to 4 2  3\n 6  7\n[ CPULongType{2,4} ]");
    CHECK(text(Tensor()) == "[ Tensor (undefined) ]");
    CHECK(repr(Tensor()) == "tensor(undefined)");
    CHECK(text(tensor({1.0, 2.0}) + 1) == " 2\n 3\n[ CPUFloatType{2} ]");
}

TEST_CASE("print options" * doctest::test_suite("host")) {
    set_printoptions({.precision = 2, .threshold = 7, .edgeitems = 1, .linewidth = 40});
    const PrintOptions o = get_printoptions();
    CHECK(*o.precision == 2);
    CHECK(*o.threshold == 7);
    CHECK(*o.edgeitems == 1);
    CHECK(*o.linewidth == 40);
    CHECK_FALSE(o.sci_mode.has_value());
    set_printoptions({.edgeitems = 0});
    CHECK(repr(arange(9)) == "tensor([ ...])");
    CHECK_ERROR(ValueError, set_printoptions({.precision = -1}),
                "[set_printoptions] an option is negative; got precision -1, expected 0 or more; "
                "try leaving it unset");
    CHECK_ERROR(ValueError, set_printoptions({.profile = "long"}),
                "[set_printoptions] the profile is unknown; got \"long\", expected \"default\", "
                "\"short\" or \"full\"; try \"default\", the default");
    CHECK(*get_printoptions().precision == 2);
    set_printoptions({.profile = "default"});
}
