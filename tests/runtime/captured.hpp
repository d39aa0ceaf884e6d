// Captures what a test writes to stderr.
#pragma once

#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdio>
#include <string>

namespace sinter::test {

/// Returns what `body` writes to stderr.
template <class F>
std::string captured(F&& body) {
    std::FILE* file = std::tmpfile();
    REQUIRE(file);
    std::fflush(stderr);
    int saved = dup(2);
    dup2(fileno(file), 2);
    body();
    std::fflush(stderr);
    dup2(saved, 2);
    close(saved);
    REQUIRE(std::fseek(file, 0, SEEK_SET) == 0);
    std::string text;
    for (int c; (c = std::fgetc(file)) != EOF;) text += static_cast<char>(c);
    std::fclose(file);
    return text;
}

}  // namespace sinter::test
