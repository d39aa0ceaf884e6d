// `sinter cache` in this process.
#pragma once

#include <sinter/cache.hpp>

#include <sstream>
#include <string>
#include <vector>

namespace sinter::testing {

struct result {
    int status;
    std::string out, err;
};

inline result sinter_cache(const std::vector<std::string>& words) {
    std::ostringstream out, err;
    const int status = cache::run_command(words, out, err);
    return {status, out.str(), err.str()};
}

inline bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace sinter::testing
