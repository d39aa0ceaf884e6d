#include <sinter/core/array_ref.hpp>

#include "runtime/base/fail.hpp"

#include <ostream>

namespace sinter::inline v1 {

void detail::outside_list(const char* op, std::size_t at, std::size_t size) {
    runtime::fail<IndexError>(
        op, "the index is out of range",
        runtime::text(at, " for a list of ",
                      runtime::count_of(static_cast<int64_t>(size), "element")),
        size == 0 ? "a list with elements" : runtime::text("at most ", size),
        "checking size() first");
}

std::ostream& operator<<(std::ostream& out, IntArrayRef list) {
    out << '[';
    for (std::size_t i = 0; i < list.size(); ++i) out << (i > 0 ? ", " : "") << list[i];
    return out << ']';
}

}  // namespace sinter::inline v1
