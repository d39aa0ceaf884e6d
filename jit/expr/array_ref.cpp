#include <sinter/array_ref.hpp>

#include <ostream>

namespace sinter::inline v1 {

std::ostream& operator<<(std::ostream& out, IntArrayRef list) {
    out << '[';
    for (std::size_t i = 0; i < list.size(); ++i) out << (i > 0 ? ", " : "") << list[i];
    return out << ']';
}

}  // namespace sinter::inline v1
