// The contents of a program's text, without any compiler.
#include "jit/codegen/c_like/gpu_compiler.hpp"
#include "tests/jit/codegen/c_like/subjects.hpp"

#include <regex>

using namespace sinter;
using namespace sinter::testing;
using codegen::print_program;

namespace {

std::size_t count(const std::string& text, const std::string& part) {
    std::size_t n = 0;
    for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at++) n++;
    return n;
}

}  // namespace

TEST_CASE("c_like: equal kernels share a function, different ones do not") {
    const std::vector<kernel> kernels{triad_kernel(kFloat), softmax_kernel(kFloat),
                                      triad_kernel(kFloat), triad_kernel(kDouble)};
    const auto program = print_program(codegen::cuda_compiler.language, kernels);
    CHECK(program.distinct == 3);
    REQUIRE(program.functions.size() == 4);
    CHECK(program.functions[0].name == program.functions[2].name);
    CHECK(program.functions[0].name != program.functions[3].name);
    CHECK(count(program.text, "__global__") == 3);
    CHECK_FALSE(program.functions[0].by_rows);
    CHECK(program.functions[1].by_rows);
}

TEST_CASE("c_like: the text includes nothing, multiplies and adds apart, and repeats itself") {
    const std::vector<kernel> kernels{triad_kernel(kFloat)};
    for (const codegen::dialect* to : {&codegen::cuda_compiler.language,
                                       &codegen::hip_compiler.language, &codegen::host_dialect}) {
        INFO(to->name);
        const auto program = print_program(*to, kernels);
        CHECK(count(program.text, "#include") == 0);
        CHECK(count(program.text, " = v0 * v1;") == 1);
        CHECK(program.text == print_program(*to, kernels).text);
    }
}

TEST_CASE("c_like: a kernel is the same from either level") {
    const kernel rows = triad_kernel(kHalf);
    const std::vector<kernel> from_rows{rows}, from_primitives{decompose(rows)};
    CHECK(print_program(codegen::hip_compiler.language, from_rows).text ==
          print_program(codegen::hip_compiler.language, from_primitives).text);
}

TEST_CASE("c_like: tables and reductions are declared once") {
    std::vector<kernel> kernels{row_kernel(op::erf, kDouble, kDouble),
                                row_kernel(op::erf, kFloat, kFloat), softmax_kernel(kFloat)};
    kernel_builder b;
    b.store(b.reduce(op::reduction::sum, b.load(kFloat)));
    kernels.push_back(b.get());
    const std::string text = print_program(codegen::host_dialect, kernels).text;
    CHECK(count(text, "static const f64 table_2[] = {") == 1);
    CHECK(count(text, "void reduce_sum_Float_combine(f32 p0, f32 p1, f32& r0) {") == 1);
}

TEST_CASE("c_like: what only rare numbers need is in a branch") {
    for (op::id id : {op::sin, op::tan, op::fmod, op::floor_divide, op::remainder}) {
        const std::vector<kernel> kernels{row_kernel(id, kFloat, kFloat)};
        const std::string text = print_program(codegen::cuda_compiler.language, kernels).text;
        const std::string element = text.substr(text.find("_element("));
        const std::size_t opened = element.find("if (__builtin_expect(");
        INFO(op::info(id).name);
        REQUIRE(opened != std::string::npos);
        const std::size_t closed = element.find("    }\n", opened);
        // Constants aside, doubles begin with a conversion of the operand.
        const std::string branch = element.substr(opened, closed - opened);
        CHECK(count(branch, " = (f64)v") > 0);
        CHECK(count(branch, " = (f64)v") == count(element, " = (f64)v"));
    }
}

TEST_CASE("c_like: no variable has the name of a type, whatever its number") {
    std::vector<kernel> kernels;
    for (int before = 0; before < 70; before++) {
        kernel_builder b;
        value_id v = b.load(kFloat);
        for (int i = 0; i < before; i++) v = b.row(op::neg, kFloat, {v});
        b.store(b.reduce(op::reduction::argmax, v));
        b.store(b.reduce(op::reduction::var, v, b.scalar(kFloat)));
        kernels.push_back(b.get());
    }
    const std::string text = print_program(codegen::cuda_compiler.language, kernels).text;
    CHECK(count(text, " a64[") > 0);  // the numbers go that far
    const std::regex named_as_type("[a-z0-9_]+ [iuf](8|16|32|64) ?[;=[,)]");
    std::smatch found;
    std::string first;
    const std::string functions = text.substr(text.find("__global__"));
    if (std::regex_search(functions, found, named_as_type)) first = found.str();
    CHECK(first == "");
}
