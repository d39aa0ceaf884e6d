// The error codes that both vendors share.
#pragma once

namespace gpu_emulator {

enum code : int {
    success = 0,
    invalid_value = 1,
    out_of_memory = 2,
    not_initialized = 3,
    device_unavailable = 46,
    invalid_device_function = 98,
    invalid_device = 101,
    invalid_image = 200,
    invalid_context = 201,
    no_binary_for_device = 209,
    unsupported_ptx = 222,
    invalid_handle = 400,
    not_found = 500,
    not_ready = 600,
    illegal_address = 700,
    out_of_resources = 701,
    peer_already_open = 704,
    launch_failure = 719,
    unknown = 999,
};

}  // namespace gpu_emulator
