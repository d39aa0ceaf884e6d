#include <sinter/array_ref.hpp>

#include "runtime/base/fail.hpp"

#include <ostream>

namespace sinter::inline v1 {

void detail::outside_list(const char* op, std::size_t at, std::size_t size) {
    front::fail<IndexError>(op, "the list is too short", front::text("position ", at),
                            front::text("at most its size, ", size), "size() first");
}

std::ostream& operator<<(std::ostream& out, IntArrayRef list) {
    out << '[';
    for (std::size_t i = 0; i < list.size(); ++i) out << (i > 0 ? ", " : "") << list[i];
    return out << ']';
}

}  // namespace sinter::inline v1
