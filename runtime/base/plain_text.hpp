// Text for messages and reports: the same in every locale of the program, and whole or not at all.
#pragma once

#include <locale>
#include <sstream>

namespace sinter::runtime {

/// Throws where there is no memory, which a stream otherwise keeps to itself.
class plain_text : public std::ostringstream {
public:
    plain_text() {
        imbue(std::locale::classic());
        exceptions(std::ios::badbit);
    }
};

}  // namespace sinter::runtime
