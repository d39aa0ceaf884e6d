// This program again in another process, for settings that are read once.
#pragma once

#include <doctest/doctest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

namespace sinter::testing {

struct outcome {
    int status;
    std::string printed;
};

/// Runs one of the tests that are skipped otherwise.
inline outcome run_with(const std::string& environment, const std::string& test) {
    const char* folder = std::getenv("SINTER_CACHE_DIR");
    REQUIRE(folder != nullptr);
    const std::string log = std::string(folder) + "/log";
    const std::string command = environment + " /proc/" + std::to_string(getpid()) +
                                "/exe --no-skip -tc='" + test + "' > '" + log + "' 2>&1";
    const int status = std::system(command.c_str());
    std::ostringstream text;
    text << std::ifstream(log).rdbuf();
    return {status, text.str()};
}

}  // namespace sinter::testing
