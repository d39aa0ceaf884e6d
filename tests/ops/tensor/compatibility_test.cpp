// What libtorch programs use besides tensors: ranges, contexts of errors.
#include "tests/ops/check.hpp"

#include <sinter/cuda.hpp>
#include <sinter/random_engines.hpp>

#include <numeric>

using namespace sinter;

TEST_CASE("irange counts up to its end") {
    std::vector<int64_t> seen;
    for (const auto i : irange(int64_t{4})) seen.push_back(i);
    for (const auto i : irange(2, int64_t{4})) seen.push_back(10 * i);
    for (const auto i : irange(-3)) seen.push_back(i);
    for (const auto i : irange(5, 2)) seen.push_back(i);
    CHECK(seen == std::vector<int64_t>{0, 1, 2, 3, 20, 30});
    const auto five = irange(std::size_t{5});
    CHECK(std::accumulate(five.begin(), five.end(), std::size_t{0}) == 10);
}

TEST_CASE("an error is thrown on with what the program was about") {
    const auto caught = [](int contexts) {
        try {
            try {
                zeros({3})[5].eval();
            } catch (Error& e) {
                for (int i = 0; i < contexts; ++i) e.add_context("row " + std::to_string(i));
                throw;
            }
        } catch (const IndexError& e) {
            CHECK(e.msg() == e.what());
            return std::string(e.what());
        }
        return std::string();
    };
    const std::string plain = caught(0);
    CHECK(caught(1) == plain + " (row 0)");
    CHECK(caught(2) == plain + " (row 0) (row 1)");
}

TEST_CASE("types of devices that have no tensors can be named") {
    const std::pair<DeviceType, const char*> all[] = {
        {DeviceType::CPU, "cpu"},       {DeviceType::CUDA, "cuda"},
        {DeviceType::MKLDNN, "mkldnn"}, {DeviceType::OPENGL, "opengl"},
        {DeviceType::OPENCL, "opencl"}, {DeviceType::IDEEP, "ideep"},
        {DeviceType::HIP, "hip"},       {DeviceType::XLA, "xla"}};
    for (const auto& [type, name] : all) {
        CAPTURE(name);
        CHECK(Device(type).str() == name);
        CHECK((Device(std::string(name) + ":3") == Device(type, 3)));
        if (type != kCPU && type != kCUDA && type != kHIP)
            CHECK_ERROR(NotImplementedError, zeros({2}, type),
                        std::string("[zeros] the device type is not supported; got ") + name +
                            ", expected cpu or cuda; try kCPU");
    }
    const int index = 1;
    CHECK((TensorOptions(kCUDA, index).device() == Device(kCUDA, 1)));
    CHECK_THROWS_AS(zeros({2}).to({DeviceType::IDEEP, index}), NotImplementedError);
    CHECK(zeros({2}).to({kCPU, 0}).device().is_cpu());
    static_assert(std::is_same_v<DeviceIndex, int8_t>);
}

TEST_CASE("what holds for a thread is set and put back") {
    const Device before = get_default_device();
    set_default_device(kCPU);
    CHECK((get_default_device() == Device(kCPU)));
    set_default_device(before);
    set_fast_math(true);
    CHECK(get_fast_math());
    set_fast_math(false);
}

TEST_CASE("what asks for a GPU says that there is none") {
    if (cuda::is_available()) return;
    CHECK_THROWS_AS(cuda::device_count_ensure_non_zero(), Error);
    CHECK_THROWS_AS(cuda::CUDACachingAllocator::setMemoryFraction(0.5, 0), Error);
    CHECK_NOTHROW(cuda::manual_seed_all(5));  // as PyTorch: accepted without a GPU
}

TEST_CASE("names of dtypes") {
    static_assert(isIntegralType(kInt) && !isIntegralType(kBool) && isIntegralType(kBool, true));
    static_assert(typeMetaToScalarType(TypeMeta::Make<double>()) == kDouble);
    CHECK((zeros({2}, dtype<double>()).dtype() == TypeMeta::Make<double>()));
    CHECK((promoteTypes(kHalf, kInt) == kHalf));
    CHECK((get_default_dtype_as_scalartype() == kFloat));
}

TEST_CASE("a number as a tensor of its own kind") {
    CHECK((scalar_to_tensor(2).dtype() == kLong));
    CHECK((scalar_to_tensor(2.5).dtype() == kDouble));
    CHECK((scalar_to_tensor(true).dtype() == kBool));
    CHECK((scalar_to_tensor(complex<float>(1, 2)).dtype() == kComplexDouble));
    CHECK(scalar_to_tensor(2.5).dim() == 0);
    CHECK(scalar_to_tensor(2.5).item<double>() == 2.5);
}

TEST_CASE("filling from a tensor without dimensions") {
    test::for_each_mode([] {
        const Tensor t = zeros({2, 2}), value = tensor({4, 5})[1];
        CHECK(&t.fill_(value) != nullptr);
        test::check<float>(t, {2, 2}, {5, 5, 5, 5});
        t.fill_(t[0][0] + 1);
        test::check<float>(t, {2, 2}, {6, 6, 6, 6});
        t[0][1] = 9;
        t.fill_(t[0][1]);  // a part of itself
        test::check<float>(t, {2, 2}, {9, 9, 9, 9});
        test::check<float>(fill_(t[0], 1), {2}, {1, 1});
        test::check<float>(fill_(t[0], value), {2}, {5, 5});
        test::check<float>(zero_(t), {2, 2}, {0, 0, 0, 0});
    });
    CHECK_ERROR(Error, zeros({2}).fill_(ones({1})),
                "[fill_] fill_ only supports 0-dimension value tensor but got tensor with 1 "
                "dimensions; got shape [1], expected a 0-d tensor; try copy_(), which broadcasts");
}

TEST_CASE("functions that write, and Python's names of operators") {
    test::for_each_mode([] {
        const Tensor t = arange(5);
        test::check<int64_t>(clamp_min_(t, 1), {5}, {1, 1, 2, 3, 4});
        test::check<int64_t>(clamp_max_(t, 3), {5}, {1, 1, 2, 3, 3});
        test::check<int64_t>(clamp_max_(t, tensor(2)), {5}, {1, 1, 2, 2, 2});
        test::check<int64_t>(clamp_min_(t, tensor(2)), {5}, {2, 2, 2, 2, 2});
        const Tensor a = tensor({12, 10}), b = tensor({10, 3});
        test::check<int64_t>(__and__(a, b), {2}, {8, 2});
        test::check<int64_t>(__or__(a, 1), {2}, {13, 11});
        test::check<int64_t>(__xor__(a, b), {2}, {6, 9});
        test::check<int64_t>(__lshift__(a, 1), {2}, {24, 20});
        test::check<int64_t>(__rshift__(a, 2), {2}, {3, 2});
    });
}

TEST_CASE("indexing by functions") {
    test::for_each_mode([] {
        const Tensor t = arange(6).view({2, 3});
        test::check<int64_t>(sinter::index(t, {tensor({1, 0}), tensor({0, 2})}), {2}, {3, 2});
        const std::vector<TensorIndex> list{Slice(), 1};
        test::check<int64_t>(sinter::index(t, list), {2}, {1, 4});
        CHECK(index_put_(t, {tensor({0})}, tensor(7)).is_same(t));
        index_put_(t, list, tensor(1), true);
        test::check<int64_t>(t, {2, 3}, {7, 8, 7, 3, 5, 5});
    });
}

TEST_CASE("the format that a tensor lies in") {
    CHECK((zeros({2, 3, 4, 5}).suggest_memory_format() == MemoryFormat::Contiguous));
    CHECK((zeros({2, 3, 4, 5}).contiguous(MemoryFormat::ChannelsLast).suggest_memory_format() ==
           MemoryFormat::ChannelsLast));
    CHECK(
        (zeros({2, 3, 4, 5, 6}).contiguous(MemoryFormat::ChannelsLast3d).suggest_memory_format() ==
         MemoryFormat::ChannelsLast3d));
    CHECK((zeros({3, 2}).t().suggest_memory_format() == MemoryFormat::Contiguous));
}

TEST_CASE("the object behind a generator") {
    const Generator g = make_generator<CPUGeneratorImpl>(5);
    CHECK(check_generator<CPUGeneratorImpl>(g) == g.unsafeGetGeneratorImpl());
    CHECK(get_generator_or_default<CPUGeneratorImpl>(nullopt, g) == g.unsafeGetGeneratorImpl());
    CHECK(get_generator_or_default<CPUGeneratorImpl>(Generator(), g) == g.unsafeGetGeneratorImpl());
    CHECK_ERROR(Error, check_generator<CPUGeneratorImpl>(nullopt),
                "[check_generator] Expected Generator but received nullopt; got nullopt, expected "
                "a generator; try make_generator<CPUGeneratorImpl>(seed)");
    CHECK_ERROR(Error, check_generator<CPUGeneratorImpl>(Generator()),
                "[check_generator] Generator with undefined implementation is not allowed; got a "
                "default-constructed Generator, expected a defined generator; try "
                "make_generator<CPUGeneratorImpl>(seed)");
    CHECK_ERROR(
        Error, check_generator<PhiloxGeneratorImpl>(g),
        "[check_generator] the generator has the wrong algorithm; got a generator of another "
        "algorithm, expected philox; try make_generator<PhiloxGeneratorImpl>(seed)");
}

TEST_CASE("a number that is no index") {
    const AutoGradMode guard(false);
    CHECK(arange(3)[Scalar(-1)].item<int64_t>() == 2);
    CHECK_THROWS_AS(arange(3)[Scalar(0.5)], IndexError);
}
