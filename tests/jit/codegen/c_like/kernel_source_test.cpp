// The .cuh files of kernels/ through the vendors' compilers, where they are installed, each for
// some of the meanings that the library gives to what it leaves open. No GPU takes part.
#include "jit/codegen/c_like/formula.hpp"
#include "jit/codegen/c_like/gpu_compiler.hpp"
#include "jit/codegen/c_like/value.hpp"
#include "kernels/gpu/kernel_source.hpp"
#include "tests/jit/codegen/c_like/usable.hpp"

#include <sinter/math/log_add_exp.hpp>

namespace sinter::embedded {
extern const char index_atomic[], index_check[], index_gather[], index_mask[], index_places[],
    index_put[], lapack_ldl[], linalg_integer_product[], random_permutation[], scan_extremes[],
    scan_logs[], scan_sums[], histogram_histogram[], sort_order[], sort_quantile[], sort_radix[],
    sort_search[], sort_sort[], special_polygamma[];
}

using namespace sinter;
using gpu_kernels::macro_definitions;

namespace {

struct kernel_text {
    const char* name;
    std::string body;
    std::vector<macro_definitions> words;
};

macro_definitions keys(const char* key, const char* index) {
    return macro_definitions().name("KEY", key).name("INDEX", index);
}

macro_definitions taking(macro_definitions words, int64_t each, int64_t runs = 4) {
    return words.number("EACH", each).number("RUNS", runs);
}
macro_definitions sum_of(const char* type, const char* result, const char* state, int64_t each) {
    macro_definitions words;
    words.name("TYPE", type).name("RESULT", result).name("STATE", state).number("FOLD", 0);
    return taking(words, each);
}

macro_definitions space_of(int64_t dims, int64_t indices) {
    return macro_definitions().number("DIMS", dims).number("INDICES", indices);
}

macro_definitions put_of(const char* type, bool computed, const char* combine, int64_t key_dims = 2,
                         int64_t free_dims = 1, bool claimed = false, bool carried = false) {
    return macro_definitions()
        .name("T", type)
        .number("KEY_DIMS", key_dims)
        .number("FREE_DIMS", free_dims)
        .name("PLACE", "u32")
        .name("ORDER", "u32")
        .name("INDEX", "u64")
        .number("ASSIGNS", std::string_view(combine).empty())
        .number("COMPUTED", computed)
        .name("COMBINE", combine)
        .number("CLAIMED", claimed)
        .number("CARRIED", carried);
}

macro_definitions combined(const char* type, const char* combine) {
    return space_of(2, 1)
        .number("WRAPS", 1)
        .name("INDEX", "u32")
        .name("T", type)
        .name("COMBINE", combine);
}

std::vector<kernel_text> all_texts(const codegen::dialect& to) {
    using number = codegen::formula_number;
    const auto log_add_exp = [](number a, number b) { return math::logaddexp(a, b); };
    std::vector<kernel_text> all = {
        {"atomic",
         embedded::index_atomic,
         {combined("i32", "add"), combined("i32", "keep_larger"), combined("i64", "add"),
          combined("i64", "keep_smaller"), combined("boolean", "set"),
          combined("boolean", "clear")}},
        {"check",
         embedded::index_check,
         {macro_definitions().number("DIMS", 2), macro_definitions().number("DIMS", 0)}},
        {"gather",
         embedded::index_gather,
         {space_of(3, 2).number("WRAPS", 1).name("INDEX", "u32").name("T", "bits16"),
          space_of(1, 1).number("WRAPS", 0).name("INDEX", "u64").name("T", "u8"),
          space_of(0, 1).number("WRAPS", 0).name("INDEX", "u32").name("T", "f32")}},
        {"mask", embedded::index_mask, {{}}},
        {"places",
         embedded::index_places,
         {space_of(2, 1)
              .number("WRAPS", 1)
              .name("INDEX", "u32")
              .name("PLACE", "u64")
              .number("CLAIMS", 0)
              .number("CARRIES", 2),
          space_of(0, 1)
              .number("WRAPS", 0)
              .name("INDEX", "u64")
              .name("PLACE", "u32")
              .number("CLAIMS", 1)
              .number("CARRIES", 0)}},
        {"put",
         embedded::index_put,
         {put_of("f32", true, "larger"), put_of("f16", true, "sum"),
          put_of("boolean", true, "product"), put_of("i32", true, "product"),
          put_of("c128", false, "complex_sum"), put_of("f64", true, "sum", 1, 0),
          put_of("u16", false, ""), put_of("bits16", false, "", 1, 2, true),
          put_of("u8", false, "", 1, 0, false, true),
          put_of("bf16", true, "sum", 0, 1, false, true)}},
        {"integer_product",
         embedded::linalg_integer_product,
         {macro_definitions().name("T", "i32").name("SUM", "u32").number("DIMS", 0),
          macro_definitions().name("T", "i8").name("SUM", "u32").number("DIMS", 1),
          macro_definitions().name("T", "i64").name("SUM", "u64").number("DIMS", 3)}},
        {"ldl",
         embedded::lapack_ldl,
         {macro_definitions().name("T", "f32").number("HERMITIAN", 0),
          macro_definitions().name("T", "c128").number("HERMITIAN", 1)}},
        {"permutation",
         embedded::random_permutation,
         {macro_definitions().name("T", "i64"), macro_definitions().name("T", "bf16"),
          macro_definitions().name("T", "boolean")}},
        {"extremes",
         embedded::scan_extremes,
         {taking(keys("u32", "u32").name("ITEM", "u8"), 4),
          taking(keys("u64", "u64").name("ITEM", "u64"), 2)}},
        {"logs",
         codegen::c_formula(to, "log_add_exp", log_add_exp) + embedded::scan_logs,
         {taking(macro_definitions().name("TYPE", "f32"), 8, 1)}},
        {"sums",
         embedded::scan_sums,
         {sum_of("f32", "f32", "f64", 4), sum_of("f64", "f64", "f64", 2),
          sum_of("f16", "f16", "f32", 8), sum_of("bf16", "bf16", "f32", 8),
          sum_of("boolean", "i64", "u64", 2), sum_of("i32", "i64", "u64", 2)}},
        {"order", embedded::sort_order, {keys("u32", "u64")}},
        {"radix",
         embedded::sort_radix,
         {keys("u32", "u32"), keys("u64", "u32"), keys("u32", "u64"), keys("u64", "u64")}},
        {"search", embedded::sort_search, {macro_definitions().name("KEY", "u64")}},
        {"sort",
         embedded::sort_sort,
         {keys("u32", "u32").number("PACKED", 0), keys("u32", "u32").number("PACKED", 1),
          keys("u64", "u32").number("PACKED", 0)}},
    };
    kernel_text& mask = all[3];
    for (const char* use : {"write_index", "select_element", "put_element"})
        for (const int dims : {0, 2})
            mask.words.push_back(
                macro_definitions().name("T", "i64").number("DIMS", dims).name("USE", use));
    kernel_text histogram{"histogram", embedded::histogram_histogram, {}};
    for (const int n : {0, 1, 2}) {
        for (const bool weighted : {false, true}) {
            macro_definitions words = keys("u32", "u32")
                                          .types(isFloatingType)
                                          .number("FORM", n)
                                          .number("WEIGHTED", weighted);
            words.name("TYPE", n == 2 ? "i64" : n == 1 ? "f16" : "f32");
            histogram.words.push_back(words.name("V", n ? "f64" : "f32").name("ACC", "f64"));
        }
    }
    kernel_text quantile{"quantile", embedded::sort_quantile, {}};
    kernel_text polygamma{"polygamma", embedded::special_polygamma, {}};
    for (const char* t : {"f32", "f64"}) {
        quantile.words.push_back(keys("u32", "u32").name("T", t));
        polygamma.words.push_back(macro_definitions().name("T", t));
    }
    all.insert(all.end(), {histogram, quantile, polygamma});
    return all;
}

void compile_all(const codegen::gpu_compiler& by, const char* architecture) {
    if (!testing::usable(by.library())) return;
    for (const kernel_text& t : all_texts(by.language))
        for (const macro_definitions& words : t.words) {
            INFO(t.name << "\n" << words.text());
            const codegen::device_code code = codegen::compile(
                by, codegen::c_prelude(by.language) + words.text() + t.body, architecture);
            CHECK(code.error == "");
            CHECK(!code.bytes.empty());
        }
}

}  // namespace

TEST_CASE("cuda: written kernels compile for sm_90") {
    compile_all(codegen::cuda_compiler, "sm_90");
}
TEST_CASE("hip: written kernels compile for gfx90a") {
    compile_all(codegen::hip_compiler, "gfx90a");
}
