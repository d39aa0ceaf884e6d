#include "ops/autograd/names.hpp"

#include "runtime/base/fail.hpp"

namespace sinter::inline v1::autograd {

std::string backward_name(std::string_view operation) {
    std::string name;
    bool upper = true;
    for (const char c : operation) {
        if (c == '_') {
            upper = true;
            continue;
        }
        name += upper && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
        upper = false;
    }
    return name + "Backward0";
}

void refuse_missing(const char* operation) {
    runtime::fail<NotImplementedError>(
        operation, runtime::text("the derivative for '", operation, "' is not implemented"),
        "a tensor that requires a gradient", "an operation with a derivative",
        "detach() on its operands");
}

}  // namespace sinter::inline v1::autograd
