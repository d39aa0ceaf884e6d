// The same program through the vendors' compilers, where they are installed. No GPU takes part.
#include "jit/codegen/cuda.hpp"
#include "jit/codegen/hip.hpp"
#include "tests/codegen_text/subjects.hpp"

using namespace sinter;
using namespace sinter::testing;
using codegen::device_code;

namespace {

/// Whether to go on; says loudly why not.
bool usable(const codegen::rtc_library& compiler) {
    if (sanitized) {
        MESSAGE("SKIPPED under a sanitizer, which would watch the vendor's library too");
        return false;
    }
    if (!compiler.why_not().empty()) {
        MESSAGE("SKIPPED, nothing was compiled: " << compiler.why_not());
        return false;
    }
    MESSAGE(compiler.path() << ", version " << compiler.version());
    return true;
}

template <class Compile>
void check(const codegen::dialect& to, Compile compile, const char* architecture) {
    const std::vector<kernel> kernels = vendor_subjects();
    const auto program = codegen::print_program(to, kernels);
    const device_code code = compile(program.text, architecture);
    CHECK(code.error == "");
    CHECK(missing_symbol(program, code.bytes) == "");
    MESSAGE(program.distinct << " kernels, " << program.text.size() << " bytes of text, "
                             << code.bytes.size() << " of code for " << architecture);

    const device_code broken = compile("nonsense;", architecture);
    CHECK(broken.bytes.empty());
    CHECK(broken.error.find("nonsense") != std::string::npos);
}

}  // namespace

TEST_CASE("cuda: many kernels in one program compile for sm_90") {
    if (usable(codegen::cuda_compiler()))
        check(codegen::cuda_dialect, codegen::compile_cuda, "sm_90");
}

TEST_CASE("hip: many kernels in one program compile for gfx90a") {
    if (usable(codegen::hip_compiler()))
        check(codegen::hip_dialect, codegen::compile_hip, "gfx90a");
}

TEST_CASE("a missing compiler is an error text and no crash") {
    const char* places[] = {"libsinter_no_such_compiler.so.1"};
    codegen::rtc_names names{};
    names.vendor = "none";
    names.places = places;
    codegen::rtc_library none(names);
    CHECK(none.why_not() == "none is not installed; looked for libsinter_no_such_compiler.so.1");
    CHECK(none.compile("", {}).error == none.why_not());
}
