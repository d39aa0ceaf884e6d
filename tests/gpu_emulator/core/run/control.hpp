// Test controls besides the vendors' functions; both libraries export them.
#pragma once

extern "C" {
/// Makes the `nth` event from now fail; 1 is the next one, 0 none. The words are: "allocate",
/// "launch" (when it is submitted), "asynchronous" (a launch when it runs), "copy", "module",
/// "compile", "blas" (a call of a BLAS or solver library), "refuse" (the same, as not supported),
/// "graph" (a launch of one), "instantiate", "update" (of a launch in a graph), "context" (of a
/// CUDA device). Returns 0, or 1 for another word.
int sinter_emulator_fail(const char* what, int nth);
/// Returns how often an event happened: those words and "deallocate", "fill", "synchronize",
/// "finding", "query", "low" (a stream whose priority is lower than that of others).
unsigned long long sinter_emulator_counts(const char* what);
/// Returns the line of the last finding, or "" if there was none. Valid until the next call on this
/// thread.
const char* sinter_emulator_finding();
/// Clears the findings and the errors that devices keep.
void sinter_emulator_forgive();
}
