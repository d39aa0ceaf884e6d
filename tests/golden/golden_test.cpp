// Reference values from PyTorch (generate.py): each line of the files is a call, made lazily and
// eagerly; dtype, sizes, elements and the kind of failure must be PyTorch's.
#include "tests/golden/table.hpp"
#include "tests/seed.hpp"
#include "tests/support/element_types.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <typeinfo>
#include <utility>

using namespace sinter;
using namespace sinter::golden;

namespace sinter::golden {

const function_table& functions() {
    static const function_table table = [] {
        function_table t;
        add_rows(t);
        add_reductions(t);
        add_shapes(t);
        add_creation(t);
        add_indexing(t);
        add_ordering(t);
        add_parameters(t);
        add_complex(t);
        add_products(t);
        add_linalg(t);
        add_random(t);
        return t;
    }();
    return table;
}

namespace {

/// Numbers of a type in their order, so that a difference counts units in the last place.
int64_t ordered(uint64_t bits, ScalarType type) {
    const uint64_t sign = uint64_t{1} << (elementSize(type) * 8 - 1);
    return bits & sign ? -static_cast<int64_t>(bits & (sign - 1)) : static_cast<int64_t>(bits);
}

double value_of(uint64_t bits, ScalarType type) {
    switch (type) {
        case kHalf: return Half::from_bits(static_cast<uint16_t>(bits));
        case kBFloat16: return BFloat16::from_bits(static_cast<uint16_t>(bits));
        case kFloat: return std::bit_cast<float>(static_cast<uint32_t>(bits));
        case kDouble: return std::bit_cast<double>(bits);
        default: return static_cast<double>(static_cast<int64_t>(bits));
    }
}

double smallest_normal(ScalarType type) { return finfo(type).tiny; }

bool close(uint64_t got, uint64_t expected, ScalarType type, double ulp, double bound) {
    if (got == expected) return true;
    if (!isFloatingType(type)) return false;
    if (testing::is_nan(type, got) || testing::is_nan(type, expected))
        return testing::is_nan(type, got) && testing::is_nan(type, expected);
    const double x = value_of(got, type), y = value_of(expected, type);
    if (bound > 0 && std::isfinite(x) && std::isfinite(y)) return std::fabs(x - y) <= bound;
    if (ulp == 0 || std::isinf(y) != std::isinf(x)) return false;
    // exp(-x) of a formula overflows where the result is still a subnormal number.
    if (std::fabs(x) < smallest_normal(type) && std::fabs(y) < smallest_normal(type)) return true;
    return std::fabs(static_cast<double>(ordered(got, type) - ordered(expected, type))) <= ulp;
}

/// PyTorch's own functions are not exact either: their error is taken to be as large as ours, and
/// one rounding more.
double allowed_ulp(const entry& e, ScalarType type) {
    const double own = type == kDouble ? e.ulp_f64 : e.ulp_f32;
    if (own == 0) return 0;
    return type == kHalf || type == kBFloat16 ? 1 : std::ceil(2 * own) + 1;
}

std::string shown(IntArrayRef sizes) {
    std::string s = "[";
    for (std::size_t i = 0; i < sizes.size(); ++i) s += (i ? "," : "") + std::to_string(sizes[i]);
    return s + "]";
}

/// What is wrong with a result, or nothing.
std::string difference(const Tensor& t, const expected_tensor& e, const golden_call& c,
                       const entry& f) {
    if (t.scalar_type() != e.dtype)
        return std::string("dtype ") + toString(t.scalar_type()) + ", expected " +
               toString(e.dtype);
    if (t.sizes() != IntArrayRef(e.sizes))
        return "sizes " + shown(t.sizes()) + ", expected " + shown(e.sizes);
    if (e.is_view) {
        if (!c.args.t(0).defined() || !t.is_alias_of(c.args.t(0))) return "a copy, expected a view";
        if (t.strides() != IntArrayRef(e.strides))
            return "strides " + shown(t.strides()) + ", expected " + shown(e.strides);
        if (t.storage_offset() != e.offset)
            return "offset " + std::to_string(t.storage_offset()) + ", expected " +
                   std::to_string(e.offset);
    }
    const Tensor dense = t.cpu().contiguous();
    const void* memory = dense.const_data_ptr();
    const ScalarType type = toRealValueType(e.dtype);
    const auto words = static_cast<int64_t>(e.bits.size());
    if (dense.numel() * (isComplexType(e.dtype) ? 2 : 1) != words)
        return "the line has " + std::to_string(e.bits.size()) + " elements";
    for (int64_t i = 0; i < words; ++i) {
        const uint64_t got = bits_at(memory, i, type), want = e.bits[static_cast<std::size_t>(i)];
        if (close(got, want, type, allowed_ulp(f, type), c.bound)) continue;
        char text[200];
        std::snprintf(text, sizeof text, "%s %lld is %.17g (%llx), expected %.17g (%llx)",
                      isComplexType(e.dtype) ? "part" : "element", static_cast<long long>(i),
                      value_of(got, type), static_cast<unsigned long long>(got),
                      value_of(want, type), static_cast<unsigned long long>(want));
        return text;
    }
    return {};
}

/// PyTorch's exceptions are ours; its RuntimeError is Error, of which Sinter may say more: that it
/// is the types of the operands, or their values.
std::string wrong_error(const Error& got, const std::string& expected) {
    const std::type_info& type = typeid(got);
    const bool refined = type == typeid(TypeError) || type == typeid(ValueError) ||
                         type == typeid(NotImplementedError);
    const bool fits = expected == "IndexError"            ? type == typeid(IndexError)
                      : expected == "ValueError"          ? type == typeid(ValueError)
                      : expected == "TypeError"           ? type == typeid(TypeError)
                      : expected == "LinAlgError"         ? type == typeid(LinAlgError)
                      : expected == "NotImplementedError" ? type == typeid(NotImplementedError)
                                                          : refined || type == typeid(Error);
    return fits ? ""
                : std::string("threw ") + type.name() + " '" + got.what() + "', expected " +
                      expected;
}

std::string outcome(golden_call& c, const entry& f) {
    c.args.prepare();
    try {
        const results got = f.call(c.args);
        for (const Tensor& t : got) t.eval();
        if (!c.error.empty()) return "did not throw, expected " + c.error;
        if (got.size() != c.results.size())
            return std::to_string(got.size()) + " results, expected " +
                   std::to_string(c.results.size());
        for (std::size_t i = 0; i < got.size(); ++i) {
            const std::string d = difference(got[i], c.results[i], c, f);
            if (!d.empty()) return "result " + std::to_string(i) + ": " + d;
        }
    } catch (const Error& e) {
        if (c.error.empty()) return std::string("threw ") + e.what();
        return wrong_error(e, c.error);
    }
    return {};
}

/// SINTER_TEST_PART=2/7 makes only the calls whose number is 2 modulo 7, where each needs a kernel
/// of its own; a long run makes all.
bool left_out(int call) {
    static const auto [part, parts] = [] {
        int k = 0, n = 1;
        if (const char* text = std::getenv("SINTER_TEST_PART"); text && !test::long_run())
            REQUIRE(std::sscanf(text, "%d/%d", &k, &n) == 2);
        return std::pair(k, n);
    }();
    return call % parts != part;
}

void check_file(const std::string& name, int least) {
    const char* elsewhere = std::getenv("SINTER_TEST_GOLDENS");
    std::ifstream in(std::string(elsewhere ? elsewhere : SINTER_GOLDENS) + "/" + name);
    REQUIRE_MESSAGE(in, "cannot open " << name);
    int calls = 0, line_number = 0;
    for (std::string line; std::getline(in, line);) {
        ++line_number;
        if (line.empty() || line[0] == '#') continue;
        golden_call c = parse(line);
        const auto found = functions().find(c.name);
        if (found == functions().end()) {
            FAIL_CHECK(name << ":" << line_number << ": no way to call " << c.name);
            continue;
        }
        ++calls;
        if (left_out(calls)) continue;
        for (Mode mode : {Mode::lazy, Mode::eager}) {
            // Each new combination is compiled: lazily only every 37th is made, all in a long run.
            if (mode == Mode::lazy && !test::long_run() && calls % 37 != 0) continue;
            ModeGuard guard(mode);
            const std::string wrong = outcome(c, found->second);
            if (wrong.empty()) continue;
            const std::string place = name + ":" + std::to_string(line_number) +
                                      (mode == Mode::lazy ? " lazy: " : " eager: ");
            FAIL_CHECK(place << c.args.written(c.name) << "\n  " << wrong);
        }
    }
    CHECK(calls >= least);
}

}  // namespace
}  // namespace sinter::golden

TEST_CASE("operands are made as in generate.py") { check_file("operands.txt", 100); }
TEST_CASE("element operations of one operand") { check_file("unary.txt", 500); }
TEST_CASE("element operations of two operands") { check_file("binary.txt", 2000); }
TEST_CASE("conversions") { check_file("casts.txt", 100); }
TEST_CASE("reductions and products") { check_file("reductions.txt", 500); }
TEST_CASE("shapes and views") { check_file("shapes.txt", 500); }
TEST_CASE("creation") { check_file("creation.txt", 100); }
TEST_CASE("compositions, scans, sorts and sets") { check_file("ordering.txt", 500); }
TEST_CASE("element operations with parameters") { check_file("parameters.txt", 200); }
TEST_CASE("complex numbers") { check_file("complex.txt", 800); }
TEST_CASE("indexing") { check_file("indexing.txt", 500); }
TEST_CASE("products") { check_file("products.txt", 500); }
TEST_CASE("linear algebra") { check_file("linalg.txt", 1000); }
TEST_CASE("random draws") { check_file("random.txt", 200); }
