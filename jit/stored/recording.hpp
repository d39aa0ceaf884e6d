// A recording: a file of what programs asked the planner for, their works, of how often each of
// these ran, and of what library operations asked a GPU's compiler for. Records are added at the
// end and never change, each with its size and checksum, so that a program that is killed leaves
// all whole ones.
#pragma once

#include "jit/stored/artefact.hpp"
#include "runtime/base/file.hpp"

#include <map>
#include <optional>
#include <string>

namespace sinter::code_cache {

/// What a record has, but for runs. Readers skip the kinds that they do not know.
enum class record_kind : uint8_t {
    work = 0,    // engine/recordings/portable_work.hpp
    source = 2,  // the source of a written kernel for GPUs: kernels/gpu/kernel_source.hpp
    move = 3,    // a copy by a generated kernel for GPUs: kernels/gpu/moves.hpp
};

/// Adds records to a file of its own. A kill may cut the last one, which a reader drops.
class recording_writer {
public:
    /// Makes the file, which must not exist. Returns nothing if it cannot; errno says why.
    static std::optional<recording_writer> make(const std::string& path);

    /// Returns false if the record cannot be written; errno says why.
    bool add(record_kind kind, byte_view content);
    /// Adds runs of a work, which another file may have.
    bool add_runs(const hash128& work, uint64_t runs);

private:
    explicit recording_writer(int file) : file_(file) {}
    runtime::open_file file_;
};

/// Runs of works, by hash_of(work).
using run_counts = std::map<hash128, uint64_t>;

struct recording {
    std::vector<bytes> works{}, sources{}, moves{};
    run_counts runs{};  // sums; a work whose program was killed has none
    uint64_t lost = 0;  // bytes at the end, from the first record that is not whole
};

/// Returns all whole records. Throws Error if the file cannot be read or is no recording.
recording read_recording(const std::string& path);

/// Adds what `from` has.
void join(recording& to, recording from);

/// Sorts the records of each kind, and leaves each once.
void make_unique(recording& r);

/// Returns the bytes of a file with these records, each once, in an order of their own: the same
/// records give the same bytes.
bytes write_recording(recording r);

}  // namespace sinter::code_cache
