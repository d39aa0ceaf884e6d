// Names of dtypes, and the promotion lattice.
#include "jit/expr/front.hpp"

#include <iterator>
#include <ostream>

namespace sinter::inline v1 {
namespace {

/// The lattice of the supported dtypes is a chain: the common dtype of two is the later one.
constexpr ScalarType chain[] = {kBool, kByte, kInt, kLong, kHalf, kFloat, kDouble};

}  // namespace

const char* toString(ScalarType type) {
    static constexpr const char* names[] = {
        "Byte",  "Char",   "Short",       "Int",          "Long",          "Half",
        "Float", "Double", "ComplexHalf", "ComplexFloat", "ComplexDouble", "Bool",
        "QInt8", "QUInt8", "QInt32",      "BFloat16",     "Undefined"};
    const auto i = static_cast<std::size_t>(type);
    return i < std::size(names) ? names[i] : "Unknown";
}

std::ostream& operator<<(std::ostream& out, ScalarType type) { return out << toString(type); }

ScalarType promote_types(ScalarType a, ScalarType b) {
    front::require_dtype("promote_types", a);
    front::require_dtype("promote_types", b);
    ScalarType common = a;
    for (ScalarType t : chain)
        if (t == a || t == b) common = t;
    return common;
}

ScalarType get_default_dtype() { return kFloat; }

}  // namespace sinter::inline v1
