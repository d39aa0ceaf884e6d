// A text stream for messages and reports, independent of the program's locale and never truncated.
#pragma once

#include <locale>
#include <sstream>

namespace sinter::runtime {

/// Throws if there is no memory; a plain stream would only set a flag.
class plain_text : public std::ostringstream {
public:
    plain_text() {
        imbue(std::locale::classic());
        exceptions(std::ios::badbit);
    }
};

}  // namespace sinter::runtime
