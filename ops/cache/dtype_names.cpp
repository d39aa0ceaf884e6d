#include "ops/cache/dtype_names.hpp"

#include "runtime/base/fail.hpp"

#include <string_view>

namespace sinter::cache_command {
namespace {

ScalarType dtype_of(const std::string& name) {
    struct row {
        std::string_view name;
        ScalarType dtype;
    };
    static constexpr row rows[] = {
#define SINTER_DTYPE(type, computed, name, number, kind, pair, npy, dlpack, cpp, error, python, \
                     gpu, ...)                                                                  \
    {gpu, k##name},
#define SINTER_COMPLEX_DTYPE SINTER_DTYPE
#include <sinter/core/dtype.def>
    };
    std::string all;
    for (const row& r : rows) {
        if (r.name == name) return r.dtype;
        all += (all.empty() ? "" : ", ") + std::string(r.name);
    }
    runtime::fail("cache", "there is no such dtype", name, all, "--dtypes f32,f64");
}

}  // namespace

std::vector<ScalarType> dtypes_of(const std::vector<std::string>& names) {
    std::vector<ScalarType> dtypes;
    for (const std::string& name : names) dtypes.push_back(dtype_of(name));
    return dtypes;
}

}  // namespace sinter::cache_command
