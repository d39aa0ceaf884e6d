// A finding of a check: one line on stderr, kept for tests.
#pragma once

#include <string>

namespace gpu_emulator {

void report(const std::string& text);
std::string last_finding();
void forget_findings();

}  // namespace gpu_emulator
