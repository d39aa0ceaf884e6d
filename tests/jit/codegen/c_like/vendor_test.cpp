// Compiles the same program with the vendors' compilers, if they are installed. Needs no GPU.
#include "jit/codegen/c_like/gpu_compiler.hpp"
#include "tests/jit/codegen/c_like/subjects.hpp"
#include "tests/jit/codegen/c_like/usable.hpp"

using namespace sinter;
using namespace sinter::testing;
using codegen::device_code;

namespace {

/// Every row and every reduction in a type that rotates with its index and the seed (in all types
/// in a long run), every cast, a chain of stages, random kernels.
std::vector<kernel> subjects() {
    const auto rows = kernels_of_rows(), reductions = kernels_of_reductions(lanes::element);
    std::vector<kernel> kernels = test::long_run() ? all_of(rows) : one_of_each(rows);
    append(kernels, test::long_run() ? all_of(reductions) : one_of_each(reductions));
    append(kernels, all_casts());
    kernels.push_back(softmax_kernel(kFloat));
    append(kernels, random_kernels(8));
    return kernels;
}

/// Tests every form that a row kernel can have, each with every `step`-th of the kernels.
void check_forms(const codegen::gpu_compiler& by, const char* architecture, std::size_t first,
                 std::size_t step) {
    if (!usable(by.library())) return;
    using codegen::row_form;
    std::vector<kernel> kernels{softmax_kernel(kFloat), softmax_kernel(kHalf)};
    for (op::reduction r : {op::reduction::sum, op::reduction::argmax, op::reduction::var}) {
        for (ScalarType type : {kFloat, kDouble}) {
            kernel_builder b;
            const value_id x = b.load(type);
            b.store(b.reduce(r, x, r == op::reduction::var ? b.scalar(type) : none));
            kernels.push_back(b.get());
        }
    }
    const row_form forms[] = {
        {.lanes = 2, .teams = 1, .rows = 16, .slots = 1, .packed = true},
        {.lanes = 8, .teams = 1, .rows = 64, .slots = 1},
        {.lanes = 4, .teams = 8, .slots = 8, .steps = 4, .packed = true},
        {.lanes = 4, .teams = 1, .rows = 32, .slots = 8, .steps = 8, .across = true},
        {.lanes = 4, .teams = 1, .rows = 8, .slots = 1, .across = true, .parts = true},
        {.lanes = 4, .teams = 1, .rows = 8, .slots = 1, .steps = 2, .packed = true, .across = true},
        {.lanes = 1, .teams = 8, .slots = 64, .steps = 16, .stored = 2, .parts = true},
        {.lanes = 1, .teams = 8, .slots = 4, .stored = 2, .packed = true, .kept = 1},
        {.lanes = 4, .teams = 1, .rows = 16, .slots = 1, .steps = 2, .kept = 2},
        {.lanes = 1, .teams = 32, .slots = 64, .steps = 8, .stored = 4, .packed = true, .kept = 3},
    };
    std::vector<codegen::c_like_subject> subjects;
    for (const row_form& form : forms) {
        codegen::loop_shape shape;
        shape.rows = form;
        for (std::size_t n = (first + subjects.size()) % step; n < kernels.size(); n += step)
            subjects.push_back({&kernels[n], shape});
    }
    const auto program = codegen::print_program(by.language, subjects);
    const device_code code = codegen::compile(by, program.text, architecture);
    CHECK(code.error == "");
    CHECK(missing_symbol(program, code.bytes) == "");
    CHECK(program.distinct == subjects.size());
}

void compile_rows(const codegen::gpu_compiler& by, const char* architecture) {
    if (!usable(by.library())) return;
    const std::vector<kernel> kernels = subjects();
    const auto program = codegen::print_program(by.language, kernels);
    const device_code code = codegen::compile(by, program.text, architecture);
    CHECK(code.error == "");
    CHECK(missing_symbol(program, code.bytes) == "");
    MESSAGE(program.distinct << " kernels, " << program.text.size() << " bytes of text, "
                             << code.bytes.size() << " of code for " << std::string(architecture));

    std::vector<codegen::c_like_subject> in_forms;
    const auto forms = random_forms(test::long_run() ? 200 : 10, test::seed());
    for (const formed_kernel& f : forms) in_forms.push_back({&f.k, f.shape});
    const auto formed = codegen::print_program(by.language, in_forms);
    const device_code code_of_forms = codegen::compile(by, formed.text, architecture);
    CHECK(code_of_forms.error == "");
    CHECK(missing_symbol(formed, code_of_forms.bytes) == "");

    const device_code broken = codegen::compile(by, "nonsense;", architecture);
    CHECK(broken.bytes.empty());
    CHECK(broken.error.find("nonsense") != std::string::npos);
}

}  // namespace

TEST_CASE("cuda: many kernels in one program compile for sm_90") {
    compile_rows(codegen::cuda_compiler, "sm_90");
}

TEST_CASE("hip: many kernels in one program compile for gfx90a") {
    compile_rows(codegen::hip_compiler, "gfx90a");
}

TEST_CASE("cuda and hip: all forms of rows compile") {
    const std::size_t step = test::long_run() ? 1 : 3;
    check_forms(codegen::cuda_compiler, "sm_90", 0, step);
    check_forms(codegen::hip_compiler, "gfx90a", 1, step);
}

TEST_CASE("a missing compiler is an error text and no crash") {
    const char* places[] = {"libsinter_no_such_compiler.so.1"};
    codegen::rtc_library none({"none", &runtime::settings::nvrtc_library, places, "", ""});
    CHECK(none.why_not() == "none is not installed; looked for libsinter_no_such_compiler.so.1");
    CHECK(none.compile("", "").error == none.why_not());
}
