// The functions that compiled code calls before it accesses memory.
#include "core/run/checks.hpp"

#include "core/base/codes.hpp"
#include "core/base/vendor.hpp"
#include "core/compile/access_word.hpp"
#include "core/memory/device.hpp"
#include "core/memory/host_memory.hpp"
#include "core/run/launch.hpp"
#include "core/run/threads.hpp"

#include <cstdio>

namespace gpu_emulator {
namespace {

using race_kind = race_checker::kind;

const char* const kind_names[] = {"read", "write", "atomic access"};

std::string hexadecimal(uintptr_t n) {
    char text[32];
    std::snprintf(text, sizeof text, "0x%zx", n);
    return text;
}

std::string what_it_is(access_kind kind, uintptr_t address, uint64_t bytes) {
    return std::string(kind_names[static_cast<int>(kind)]) + " of " + std::to_string(bytes) +
           " bytes at " + hexadecimal(address);
}

/// Does not return, so the caller must not have live objects with destructors.
[[noreturn]] void stop(launch& l) { l.running->stop(); }

[[gnu::noinline]] void note_bounds(launch& l, access_kind kind, uintptr_t address, uint64_t bytes,
                                   uint32_t line) {
    bool freed = false;
    const std::string where = l.on.memory().describe(address, bytes, freed);
    l.note(illegal_address,
           (freed ? "use after free: " : "out of bounds: ") + what_it_is(kind, address, bytes) +
               ", " + where,
           line);
}

[[gnu::noinline]] void note_alignment(launch& l, access_kind kind, uintptr_t address,
                                      uint64_t bytes, uint64_t word) {
    l.note(vendor.misaligned,
           "misaligned: " + what_it_is(kind, address, bytes) + " must be at a multiple of " +
               std::to_string(alignment_of(word)),
           line_of(word));
}

[[gnu::noinline]] void note_race(launch& l, access_kind kind, const char* memory, uintptr_t address,
                                 uint64_t bytes, const access_record& other, bool wrote,
                                 uint32_t line) {
    std::string who = l.name_of(other.block, other.thread);
    if (static_cast<reach>(other.wide) != reach::thread) who += " and others";
    l.note(launch_failure,
           "race: " + what_it_is(kind, address, bytes) + memory + " that " + who + " " +
               (wrote ? (other.atomic ? "changed atomically" : "wrote") : "read") +
               " with nothing to order them",
           line);
}

constexpr race_kind race_kind_of(access_kind k) {
    return k == access_kind::read    ? race_kind::read
           : k == access_kind::write ? race_kind::write
                                     : race_kind::atomic;
}

/// Checks all granules of the bytes. `shadows` begins at address `from`.
template <access_kind kind, race_checker::memory where>
inline void check_races(launch& l, race_shadow* shadows, uintptr_t from, uintptr_t address,
                        uint64_t bytes, uint32_t line) {
    const uintptr_t offset = address - from;
    access_record a = l.me;
    a.atomic = kind == access_kind::atomic;
    const uintptr_t last = (offset + bytes - 1) / race_granule;
    for (uintptr_t g = offset / race_granule; g <= last; ++g) {
        const uintptr_t low = g * race_granule;
        const unsigned first = offset > low ? static_cast<unsigned>(offset - low) : 0;
        const unsigned end = offset + bytes < low + race_granule
                                 ? static_cast<unsigned>(offset + bytes - low)
                                 : race_granule;
        a.bytes = ((1u << end) - (1u << first)) & 0xf;
        race_shadow& s = shadows[g];
        while (access_record* other = l.races.enter<race_kind_of(kind), where>(s, a)) {
            if (where == race_checker::memory::global && l.fences.orders(*other, a)) {
                *other = {};
                continue;
            }
            const bool wrote = other == &s.write;
            note_race(l, kind, where == race_checker::memory::shared ? " of shared memory" : "",
                      address, bytes, *other, wrote, line);
            stop(l);
        }
    }
}

/// In long launches one granule in 16 is checked, the same ones for all threads.
inline bool is_watched(const launch& l, uintptr_t address) {
    return l.accesses <= l.race_limit || (address >> 6) * 0x9e3779b97f4a7c15u >> 60 == 0;
}

template <access_kind kind>
inline void check_shared_races(launch& l, uintptr_t address, uint64_t bytes, uint32_t line) {
    if (++l.accesses > l.race_limit && !is_watched(l, address)) return;
    check_races<kind, race_checker::memory::shared>(l, l.shared_shadow.data(),
                                                    reinterpret_cast<uintptr_t>(l.shared.data()),
                                                    address, bytes, line);
}

/// Handles accesses outside the memory of the launch's device: shared memory that the compiler did
/// not recognise, a thread's stack, pinned host memory, a peer's memory.
template <access_kind kind>
[[gnu::noinline]] void* elsewhere(launch& l, uintptr_t address, uint64_t word, uint64_t bytes) {
    void* pointer = reinterpret_cast<void*>(address);
    const auto shared = reinterpret_cast<uintptr_t>(l.shared.data());
    if (address >= shared && address - shared < l.shared.size()) {
        if (bytes > l.shared.size() - (address - shared)) {
            l.note(illegal_address,
                   "out of bounds: " + what_it_is(kind, address, bytes) + ", behind the " +
                       std::to_string(l.shared.size()) + " bytes of the block's shared memory",
                   line_of(word));
            stop(l);
        }
        check_shared_races<kind>(l, address, bytes, line_of(word));
        return pointer;
    }
    if (l.running->is_stack(pointer)) return pointer;
    const address_space& space = l.space;
    if (const int peer = space.device_of(address); peer >= 0) {
        if (!l.on.may_access(peer)) {
            l.note(illegal_address,
                   what_it_is(kind, address, bytes) + " in memory of device " +
                       std::to_string(peer) + ", which device " + std::to_string(l.on.number()) +
                       " has no access to",
                   line_of(word));
            stop(l);
        }
        if (!space.is_allocated(address, bytes)) {
            note_bounds(l, kind, address, bytes, line_of(word));
            stop(l);
        }
        return space.bytes(address);
    }
    if (is_pinned(pointer, bytes)) return pointer;
    l.note(illegal_address,
           "out of bounds: " + what_it_is(kind, address, bytes) + ", which is no device memory",
           line_of(word));
    stop(l);
}

template <access_kind kind>
inline void* check(launch_state* s, void* pointer, uint64_t word, uint64_t bytes) {
    launch& l = *s->current;
    const auto address = reinterpret_cast<uintptr_t>(pointer);
    if (bytes == 0) return pointer;
    if (address & (alignment_of(word) - 1)) {
        note_alignment(l, kind, address, bytes, word);
        stop(l);
    }
    if (address - l.begin >= l.extent) return elsewhere<kind>(l, address, word, bytes);
    const address_space& space = l.space;
    if (!space.is_allocated(address, bytes)) {
        note_bounds(l, kind, address, bytes, line_of(word));
        stop(l);
    }
    if (kind == access_kind::atomic) l.fences.atomic_access(l.me);
    if (++l.accesses <= l.race_limit || is_watched(l, address))
        check_races<kind, race_checker::memory::global>(l, space.shadows(), l.first, address, bytes,
                                                        line_of(word));
    return space.bytes(address);
}

[[gnu::noinline]] void note_variable(launch& l, access_kind kind, uintptr_t offset, uint64_t bytes,
                                     uint64_t extent, uint32_t line) {
    l.note(illegal_address,
           "out of bounds: " + std::string(kind_names[static_cast<int>(kind)]) + " of " +
               std::to_string(bytes) + " bytes at offset " +
               std::to_string(static_cast<int64_t>(offset)) + " of a variable of " +
               std::to_string(extent) + " bytes",
           line);
}

inline void check_variable(launch& l, access_kind kind, uintptr_t address, uint64_t word,
                           uint64_t bytes, void* variable, uint64_t extent) {
    const uintptr_t offset = address - reinterpret_cast<uintptr_t>(variable);
    if (offset > extent || bytes > extent - offset) {
        note_variable(l, kind, offset, bytes, extent, line_of(word));
        stop(l);
    }
    if (address & (alignment_of(word) - 1)) {
        note_alignment(l, kind, address, bytes, word);
        stop(l);
    }
}

template <access_kind kind>
inline void check_shared(launch_state* s, void* pointer, uint64_t word, void* variable,
                         uint64_t extent) {
    launch& l = *s->current;
    const uint64_t bytes = word >> access_word_bits;
    const auto address = reinterpret_cast<uintptr_t>(pointer);
    if (bytes == 0) return;
    if (extent == 0)
        extent =
            static_cast<uint64_t>(l.shared.data() + l.shared.size() - static_cast<char*>(variable));
    check_variable(l, kind, address, word, bytes, variable, extent);
    check_shared_races<kind>(l, address, bytes, line_of(word));
}

}  // namespace
}  // namespace gpu_emulator

using namespace gpu_emulator;

void* gpu_emulator_read(launch_state* s, void* p, uint64_t word, uint64_t bytes) {
    return check<access_kind::read>(s, p, word, bytes);
}
void* gpu_emulator_write(launch_state* s, void* p, uint64_t word, uint64_t bytes) {
    return check<access_kind::write>(s, p, word, bytes);
}
void* gpu_emulator_atomic(launch_state* s, void* p, uint64_t word, uint64_t bytes) {
    return check<access_kind::atomic>(s, p, word, bytes);
}
void gpu_emulator_shared_read(launch_state* s, void* p, uint64_t word, void* v, uint64_t extent) {
    check_shared<access_kind::read>(s, p, word, v, extent);
}
void gpu_emulator_shared_write(launch_state* s, void* p, uint64_t word, void* v, uint64_t extent) {
    check_shared<access_kind::write>(s, p, word, v, extent);
}
void gpu_emulator_shared_atomic(launch_state* s, void* p, uint64_t word, void* v, uint64_t extent) {
    check_shared<access_kind::atomic>(s, p, word, v, extent);
}
void gpu_emulator_object(launch_state* s, void* p, uint64_t word, void* v, uint64_t extent) {
    check_variable(*s->current, access_kind::read, reinterpret_cast<uintptr_t>(p), word,
                   word >> access_word_bits, v, extent);
}
void gpu_emulator_fence(launch_state* s) {
    launch& l = *s->current;
    l.fences.fence(l.me, l.shape.blocks.x * l.shape.blocks.y * l.shape.blocks.z, l.thread_count());
}
void gpu_emulator_barrier(launch_state* s, uint32_t line) { s->current->running->barrier(line); }
int gpu_emulator_count(launch_state* s, uint32_t line, int value, int how) {
    return s->current->running->count(line, value, how);
}
const uint64_t* gpu_emulator_exchange(launch_state* s, uint32_t line, uint64_t mask,
                                      uint64_t value) {
    return s->current->running->exchange(line, mask, value);
}
