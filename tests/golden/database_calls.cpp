// The forms of each overload. Sinter lacks a form that does not compile.
#include "tests/golden/database.hpp"

#include <algorithm>

namespace sinter::golden {
namespace {

results give(const Scalar& s) {
    const ScalarType type = s.isComplex()         ? kComplexDouble
                            : s.isFloatingPoint() ? kDouble
                            : s.isBoolean()       ? kBool
                                                  : kLong;
    return {scalar_tensor(s, type)};
}

#define SINTER_FORM(...)                               \
    [](const auto& a) -> std::optional<results> {      \
        if constexpr (requires { give(__VA_ARGS__); }) \
            return give(__VA_ARGS__);                  \
        else                                           \
            return static_cast<void>(a), std::nullopt; \
    }
#define SINTER_OVERLOAD(key, ...) {key, {__VA_ARGS__}},

}  // namespace

ArrayRef<double> database_arguments::doubles(std::size_t i) const {
    std::vector<double>& r = doubles_.emplace_back();
    for (const Scalar& s : a_.scalars(i)) r.push_back(s.toDouble());
    return r;
}

const std::string& database_arguments::text(std::size_t i) const {
    std::string& s = texts_.emplace_back(a_.text(i));
    std::replace(s.begin(), s.end(), '_', ' ');
    return s;
}

const overload_table& overloads() {
    static const overload_table table = {
#include "tests/golden/database_calls.def"
    };
    return table;
}

}  // namespace sinter::golden
