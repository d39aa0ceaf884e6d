// A recording: a file of what programs asked the planner for. Records are added at the end and
// never change, each with its size and checksum, so that a program that is killed leaves all whole
// ones.
#pragma once

#include "jit/stored/artefact.hpp"
#include "runtime/base/file.hpp"

#include <optional>
#include <string>

namespace sinter::code_cache {

/// Adds records to a file of its own. A kill may cut the last one, which a reader drops.
class recording_writer {
public:
    /// Makes the file, which must not exist. Returns nothing if it cannot; errno says why.
    static std::optional<recording_writer> make(const std::string& path);

    /// Returns false if the record cannot be written; errno says why.
    bool add(byte_view payload);

private:
    explicit recording_writer(int file) : file_(file) {}
    runtime::open_file file_;
};

struct recording {
    std::vector<bytes> payloads;
    uint64_t lost = 0;  // bytes at the end, from the first record that is not whole
};

/// Returns all whole records. Throws Error if the file cannot be read or is no recording.
recording read_recording(const std::string& path);

/// Returns the bytes of a file with these records, each once, in an order of their own: the same
/// records give the same bytes.
bytes write_recording(std::vector<bytes> payloads);

}  // namespace sinter::code_cache
