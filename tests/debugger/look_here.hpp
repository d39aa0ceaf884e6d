// Where the debuggers stop.
#pragma once

[[gnu::noinline]] inline void look_here() { asm volatile("" ::: "memory"); }
