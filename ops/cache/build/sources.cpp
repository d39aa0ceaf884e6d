#include "ops/cache/build/sources.hpp"

#include "jit/codegen/c_like/value.hpp"
#include "kernels/gpu/kernel_source.hpp"
#include "kernels/gpu/moves.hpp"
#include "kernels/scan/scan_on_gpu.hpp"
#include "kernels/sort/sort_on_gpu.hpp"
#include "runtime/base/fail.hpp"
#include "runtime/types/dtypes.hpp"

#include <algorithm>
#include <iterator>

namespace sinter::embedded {
extern const char index_atomic[], index_check[], index_gather[], index_mask[], index_places[],
    index_put[], lapack_ldl[], linalg_integer_product[], random_permutation[], scan_extremes[],
    scan_sums[], histogram_histogram[], sort_order[], sort_quantile[], sort_radix[], sort_search[],
    sort_sort[], special_polygamma[];
}

namespace sinter::cache_command {
namespace {

struct named_text {
    const char *name, *text;
};
// A source that this lacks cannot be built, which `build` says.
constexpr named_text texts[] = {
    {"index_atomic", embedded::index_atomic},
    {"index_check", embedded::index_check},
    {"index_gather", embedded::index_gather},
    {"index_mask", embedded::index_mask},
    {"index_places", embedded::index_places},
    {"index_put", embedded::index_put},
    {"linalg_integer_product", embedded::linalg_integer_product},
    {"lapack_ldl", embedded::lapack_ldl},
    {"random_permutation", embedded::random_permutation},
    {"scan_extremes", embedded::scan_extremes},
    {"scan_sums", embedded::scan_sums},
    {"histogram_histogram", embedded::histogram_histogram},
    {"sort_order", embedded::sort_order},
    {"sort_quantile", embedded::sort_quantile},
    {"sort_radix", embedded::sort_radix},
    {"sort_search", embedded::sort_search},
    {"sort_sort", embedded::sort_sort},
    {"special_polygamma", embedded::special_polygamma},
};

std::string text_named(const std::string& name, const codegen::dialect& to) {
    if (name == "scan_logs") return scan::logs_text(to);
    const auto* const found = std::find_if(std::begin(texts), std::end(texts),
                                           [&](const named_text& t) { return name == t.name; });
    if (found == std::end(texts))
        runtime::fail("cache", "a recording asks for kernels that this library lacks", name,
                      "a recording of this version", "recording the program again");
    return found->text;
}

}  // namespace

namespace {

using gpu_kernels::macro_definitions;

/// Collects records. The order of definitions is that of the operations.
class usual {
public:
    void add(const char* name, const macro_definitions& words) {
        all_.push_back(gpu_kernels::write_request({name, words.text()}));
    }
    std::vector<code_cache::bytes> take() { return std::move(all_); }

private:
    std::vector<code_cache::bytes> all_;
};

bool is_wide_float(ScalarType t) { return isFloatingType(t) && !is_narrow_float(t); }

macro_definitions space_words(int dims, int wraps) {
    macro_definitions m;
    return m.number("DIMS", dims).number("INDICES", 1).number("WRAPS", wraps).name("INDEX", "u32");
}

macro_definitions key_words(const char* key, const char* index) {
    macro_definitions m;
    return m.name("KEY", key).name("INDEX", index);
}

void add_indexing(usual& u, std::size_t item) {
    const char* const bits = gpu_kernels::bits_name(item);
    for (const int dims : {1, 2})
        for (const int wraps : {0, 1}) {
            u.add("index_gather", space_words(dims, wraps).name("T", bits));
            u.add("index_gather", space_words(dims, wraps).name("T", "bits16"));
        }
    u.add("index_mask",
          macro_definitions().name("T", bits).number("DIMS", 1).name("USE", "select_element"));
    for (const int dims : {1, 2})
        u.add("index_mask",
              macro_definitions().name("T", bits).number("DIMS", dims).name("USE", "put_element"));
}

macro_definitions places_words(int dims, int wraps, bool claims, int64_t carries) {
    return space_words(dims, wraps)
        .name("PLACE", "u32")
        .number("CLAIMS", claims)
        .number("CARRIES", carries);
}

/// Of one dtype: additions to indexed elements.
void add_sums(usual& u, ScalarType t) {
    for (const int dims : {1, 2})
        for (const int wraps : {0, 1})
            if (t == kInt || t == kLong || t == kBool)
                u.add("index_atomic", space_words(dims, wraps)
                                          .type("T", t)
                                          .name("COMBINE", t == kBool ? "set" : "add"));
    const bool complex = isComplexType(t), few_bytes = elementSize(t) <= 4;
    for (const int keys : {1, 2})
        for (const bool carried : {false, true}) {
            if (carried && !few_bytes) continue;
            macro_definitions words;
            u.add("index_put", words.type("T", t)
                                   .name("PLACE", "u32")
                                   .name("ORDER", "u32")
                                   .number("KEY_DIMS", keys)
                                   .number("FREE_DIMS", 1)
                                   .name("INDEX", "u32")
                                   .number("ASSIGNS", 0)
                                   .number("COMPUTED", !complex)
                                   .name("COMBINE", complex ? "complex_sum" : "sum")
                                   .number("CLAIMED", 0)
                                   .number("CARRIED", carried));
        }
}

/// Assignments of elements of `item` bytes.
void add_assignments(usual& u, std::size_t item) {
    for (const int dims : {1, 2})
        for (const int wraps : {0, 1}) {
            u.add("index_places", places_words(dims, wraps, true, 0));
            u.add("index_places", places_words(dims, wraps, false, 0));
            if (item <= 4)
                u.add("index_places", places_words(dims, wraps, false, static_cast<int64_t>(item)));
        }
    for (const int keys : {1, 2})
        for (const bool claimed : {false, true})
            for (const bool carried : {false, true}) {
                if (carried && (claimed || item > 4)) continue;
                macro_definitions words;
                u.add("index_put", words.name("T", gpu_kernels::bits_name(item))
                                       .name("PLACE", "u32")
                                       .name("ORDER", "u32")
                                       .number("KEY_DIMS", keys)
                                       .number("FREE_DIMS", 1)
                                       .name("INDEX", "u32")
                                       .number("ASSIGNS", 1)
                                       .number("COMPUTED", 0)
                                       .name("COMBINE", "")
                                       .number("CLAIMED", claimed)
                                       .number("CARRIED", carried));
            }
}

}  // namespace

std::vector<code_cache::bytes> usual_sources(std::span<const ScalarType> dtypes) {
    usual u;
    u.add("random_permutation", macro_definitions().type("T", kLong));
    u.add("index_mask", {});
    for (const int dims : {1, 2}) {
        u.add("index_check", macro_definitions().number("DIMS", dims));
        u.add("index_mask",
              macro_definitions().name("T", "i64").number("DIMS", dims).name("USE", "write_index"));
    }
    for (const ScalarType t : dtypes) {
        add_indexing(u, elementSize(t));
        add_assignments(u, elementSize(t));
        add_sums(u, t);
        if (isComplexType(t)) continue;
        const char* const key = gpu_kernels::bits_name(ordering::key_bytes(t));
        for (const char* source : {"sort_radix", "sort_order"})
            u.add(source, key_words(key, "u32"));
        u.add("sort_sort", key_words(key, "u32").number("PACKED", elementSize(t) <= 2));
        for (const auto& [source, words] : scan::usual_scans(t)) u.add(source, words);
        u.add("sort_search", macro_definitions().name("KEY", key));
        if (is_wide_float(t)) u.add("sort_quantile", key_words(key, "u32").type("T", t));
        if (isIntegralType(t, false))
            for (const int dims : {0, 1})
                u.add("linalg_integer_product",
                      macro_definitions()
                          .type("T", t)
                          .name("SUM", elementSize(t) == 8 ? "u64" : "u32")
                          .number("DIMS", dims));
    }
    return u.take();
}

std::vector<code_cache::bytes> usual_moves(std::span<const ScalarType> dtypes) {
    std::vector<code_cache::bytes> all;
    for (const ScalarType t : dtypes) gpu_kernels::write_usual_moves(t, all);
    return all;
}

std::string text_of_source(code_cache::byte_view request, const codegen::gpu_compiler& c) {
    const gpu_kernels::source_request r = gpu_kernels::read_request(request);
    return codegen::c_prelude(c.language) + r.words + text_named(r.name, c.language);
}

}  // namespace sinter::cache_command
