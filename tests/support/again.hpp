// This program once more, for a part of its test cases: in a process of its own, for decisions that
// a process makes once, and for ends that a test cannot survive.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

namespace sinter::test {

/// Replaces this process, a forked child, by the program that runs the test cases that match, also
/// those that are skipped otherwise. Returns 210 if that fails. Under an emulator, whose name and
/// options are in SINTER_TEST_EMULATOR, the emulator is started, as the system cannot run the
/// program.
inline int become_cases(const std::string& filter) {
    std::vector<std::string> words;
    if (const char* emulator = std::getenv("SINTER_TEST_EMULATOR")) {
        std::istringstream list(emulator);
        for (std::string word; list >> word;) words.push_back(word);
    }
    char self[4096] = {};
    if (words.empty() || readlink("/proc/self/exe", self, sizeof self - 1) < 0)
        words = {"/proc/self/exe"};
    else
        words.emplace_back(self);
    words.insert(words.end(), {"--test-case=" + filter, "--no-skip", "--minimal"});
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    execvp(arguments[0], arguments.data());
    return 210;
}

}  // namespace sinter::test
