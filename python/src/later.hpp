// Python's objects are let go under the interpreter's lock. The library may let go of memory on any
// thread and under its own locks, where waiting for the interpreter's could be a deadlock.
#pragma once

#include <functional>

/// Runs a function that needs the interpreter's lock: at once on a thread that has it, else on the
/// main thread, the next time that this one runs Python. Never waits, and never throws.
void run_locked(std::function<void()> function) noexcept;
