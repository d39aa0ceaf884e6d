#include "ops/cache/build/sources.hpp"

#include "jit/codegen/c_like/value.hpp"
#include "kernels/gpu/kernel_source.hpp"
#include "kernels/scan/scan_on_gpu.hpp"
#include "runtime/base/fail.hpp"

#include <algorithm>
#include <iterator>

namespace sinter::embedded {
extern const char index_check[], index_gather[], index_mask[], index_places[], index_put[],
    linalg_integer_product[], scan_extremes[], scan_sums[], sort_histogram[], sort_order[],
    sort_quantile[], sort_search[], sort_sort[], special_polygamma[];
}

namespace sinter::cache_command {
namespace {

struct named_text {
    const char *name, *text;
};
// A source that this lacks cannot be built, which `build` says.
constexpr named_text texts[] = {
    {"index_check", embedded::index_check},
    {"index_gather", embedded::index_gather},
    {"index_mask", embedded::index_mask},
    {"index_places", embedded::index_places},
    {"index_put", embedded::index_put},
    {"linalg_integer_product", embedded::linalg_integer_product},
    {"scan_extremes", embedded::scan_extremes},
    {"scan_sums", embedded::scan_sums},
    {"sort_histogram", embedded::sort_histogram},
    {"sort_order", embedded::sort_order},
    {"sort_quantile", embedded::sort_quantile},
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

std::string text_of_source(code_cache::byte_view request, const codegen::gpu_compiler& c) {
    const gpu_kernels::source_request r = gpu_kernels::read_request(request);
    return codegen::c_prelude(c.language) + r.words + text_named(r.name, c.language);
}

}  // namespace sinter::cache_command
