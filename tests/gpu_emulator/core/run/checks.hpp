// The functions that compiled code calls; modules find them by name.
#pragma once

#include "core/run/launch_state.hpp"

extern "C" {
void* gpu_emulator_read(gpu_emulator::launch_state*, void*, uint64_t word, uint64_t bytes);
void* gpu_emulator_write(gpu_emulator::launch_state*, void*, uint64_t word, uint64_t bytes);
void* gpu_emulator_atomic(gpu_emulator::launch_state*, void*, uint64_t word, uint64_t bytes);
void gpu_emulator_shared_read(gpu_emulator::launch_state*, void*, uint64_t word, void*, uint64_t);
void gpu_emulator_shared_write(gpu_emulator::launch_state*, void*, uint64_t word, void*, uint64_t);
void gpu_emulator_shared_atomic(gpu_emulator::launch_state*, void*, uint64_t word, void*, uint64_t);
void gpu_emulator_object(gpu_emulator::launch_state*, void*, uint64_t word, void*, uint64_t);
void gpu_emulator_fence(gpu_emulator::launch_state*);
void gpu_emulator_barrier(gpu_emulator::launch_state*, uint32_t line);
int gpu_emulator_count(gpu_emulator::launch_state*, uint32_t line, int value, int how);
const uint64_t* gpu_emulator_exchange(gpu_emulator::launch_state*, uint32_t line, uint64_t mask,
                                      uint64_t value);
}
