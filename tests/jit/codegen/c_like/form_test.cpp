// The form that a pointwise launch chooses, and the contents of its text.
#include "jit/codegen/c_like/gpu_compiler.hpp"
#include "tests/jit/codegen/c_like/subjects.hpp"

#include <cstdint>

using namespace sinter;
using namespace sinter::testing;
using codegen::argument_operand;
using codegen::loop_shape;

namespace {

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

kernel add_kernel(ScalarType type, stride_class second = stride_class::unit) {
    kernel_builder b;
    const value_id x = b.load(type);
    b.store(b.row(op::add, type, {x, b.load(type, second)}));
    return b.get();
}

char* at(uintptr_t address) { return reinterpret_cast<char*>(address); }

struct space {
    std::vector<int64_t> extents;
    std::vector<std::vector<int64_t>> strides;
    std::vector<uintptr_t> offsets = {0, 0, 0};

    loop_shape form(const kernel& k, codegen::element_machine m = {}) const {
        std::vector<argument_operand> operands;
        for (std::size_t o = 0; o < strides.size(); o++)
            operands.push_back({at(0x10000 + offsets[o]), strides[o].data()});
        return element_form(k, {extents, operands}, m);
    }
};

std::string text_of(const kernel& k, const loop_shape& shape) {
    const codegen::c_like_subject subject[] = {{&k, shape}};
    return print_program(codegen::cuda_compiler.language, subject).text;
}

}  // namespace

TEST_CASE("forms: dense aligned operands move in 16 bytes, whatever their dtype") {
    const std::pair<ScalarType, int> widths[] = {{kByte, 16}, {kHalf, 8},   {kBFloat16, 8},
                                                 {kFloat, 4}, {kDouble, 2}, {kLong, 2}};
    for (const auto& [type, width] : widths) {
        const kernel k = add_kernel(type);
        const int64_t size = static_cast<int64_t>(elementSize(type));
        const loop_shape s = space{{10001}, {{size}, {size}, {size}}}.form(k);
        CHECK(s.vector == width);
        CHECK(s.whole == 7);
        CHECK_FALSE(s.far);
        CHECK_FALSE(s.wide);
        const std::string pack = ", " + std::to_string(width) + ", 16>";
        CHECK(contains(text_of(k, s), "x0[j] = load_pack<pack<"));
        CHECK(contains(text_of(k, s), pack + ">(k.operands[0].ptr + o0);"));
        CHECK(contains(text_of(k, s), "store_pack(k.operands[2].ptr + o2, y2[j]);"));
    }
}

TEST_CASE("forms: where most bytes begin anywhere, elements move one by one, several at a time") {
    const kernel k = add_kernel(kFloat);
    const std::vector<std::vector<int64_t>> dense{{4}, {4}, {4}};
    CHECK(space{{9000}, dense, {4, 4, 0}}.form(k).vector == 1);
    CHECK(space{{9000}, dense, {4, 4, 0}}.form(k).items == 8);
    CHECK(space{{9000}, dense, {8, 8, 8}}.form(k).vector == 2);
    const loop_shape one = space{{9000}, dense, {4, 0, 0}}.form(k);
    CHECK(one.vector == 4);
    CHECK(one.whole == 6);
    CHECK(contains(text_of(k, one), "x0[j].at[l] = *(const f32*)"));
}

TEST_CASE("forms: rows must be whole steps, and standing operands are loaded once") {
    const kernel k = add_kernel(kFloat, stride_class::zero);
    const auto rows = [&](int64_t n) {
        return space{{300, n}, {{n * 4, 4}, {4, 0}, {n * 4, 4}}}.form(k);
    };
    CHECK(rows(64).vector == 4);
    CHECK(rows(62).vector == 2);
    CHECK(rows(61).vector == 1);
    const std::string text = text_of(k, rows(64));
    CHECK(contains(text, "x1[j] = *(const f32*)"));
    CHECK(contains(text, "quotient(n, k.by[0])"));
    CHECK_FALSE(contains(text, " / k."));
    // Rows whose stride is not a multiple of the alignment are not aligned.
    CHECK(space{{300, 64}, {{65 * 4, 4}, {4, 0}, {65 * 4, 4}}}.form(k).vector == 1);
}

TEST_CASE("forms: items follow the bytes that must be in flight, and the length of the text") {
    const kernel k = add_kernel(kFloat);
    const space s{{100000}, {{4}, {4}, {4}}};
    CHECK(s.form(k, {16, 1}).items == 1);
    CHECK(s.form(k, {64, 1}).items == 2);
    CHECK(s.form(k, {128, 1}).items == 4);
    CHECK(s.form(k, {128, 200}).items == 1);
    CHECK(contains(text_of(k, s.form(k, {64, 1})), "pack<f32, 4, 16> x1[2];"));
}

TEST_CASE("forms: what is dense along the next dimension passes through a tile") {
    const kernel k = add_kernel(kFloat, stride_class::other);
    const auto turned = [&](int64_t n) {
        return space{{20, n, n}, {{0, n * 4, 4}, {0, 4, n * 4}, {n * n * 4, n * 4, 4}}}.form(k);
    };
    CHECK(turned(100).turned == 2);
    CHECK(turned(15).turned == 0);
    const std::string text = text_of(k, turned(100));
    CHECK(contains(text, "__shared__ f32 t1[32][33];"));
    CHECK(contains(text, "x1[j] = t1[column][row];"));
    CHECK(contains(text, "__syncthreads();"));
    CHECK_FALSE(contains(text, "t0"));
}

TEST_CASE("forms: indices and offsets are as wide as a space needs") {
    const kernel k = add_kernel(kFloat);
    const int64_t big = int64_t{1} << 29;
    const space near{{big - 16}, {{4}, {4}, {4}}}, far{{big}, {{4}, {4}, {4}}};
    CHECK_FALSE(near.form(k).far);
    CHECK(far.form(k).far);
    CHECK_FALSE(far.form(k).wide);
    CHECK(space{{4 * big}, {{4}, {4}, {4}}}.form(k).wide);
    CHECK(space{{100, 8}, {{-big, 4}, {32, 4}, {32, 4}}}.form(k).far);
    CHECK(contains(text_of(k, near.form(k)), "const i32 o0 = "));
    CHECK(contains(text_of(k, far.form(k)), "const i64 o0 = "));
}

TEST_CASE("forms: the least spaces are walked one by one, wherever they begin") {
    const kernel k = add_kernel(kFloat);
    const std::vector<std::vector<int64_t>> dense{{4}, {4}, {4}};
    const loop_shape s = space{{2047}, dense}.form(k);
    CHECK(s.vector == 1);
    CHECK(s.items == 1);
    CHECK(s == space{{3}, dense, {4, 8, 0}}.form(k));
    CHECK(s != space{{2048}, dense}.form(k));
}
