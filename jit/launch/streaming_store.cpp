#include "jit/launch/streaming_store.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <string>

#include <unistd.h>

#ifdef __SSE2__
#include <immintrin.h>
#endif

namespace sinter::runtime {
namespace {

constexpr int64_t line = 64;
constexpr int64_t buffer_bytes = 8192;  // fits in the first-level cache
constexpr int64_t shortest_row = 4096;  // bytes; a row may begin and end with a partial line
constexpr int64_t longest_step = 16;    // bytes between elements; a vector then reads only a few
                                        // lines
constexpr int64_t heaviest = 4;         // primitives per byte
constexpr std::size_t most_operands = 5;

#ifdef __SSE2__
[[gnu::target("avx512f")]] void copy_whole_lines(char* to, const char* from, int64_t bytes) {
    for (int64_t i = 0; i < bytes; i += line)
        _mm512_stream_si512(reinterpret_cast<__m512i*>(to + i), _mm512_load_si512(from + i));
}
#endif

/// Copies whole lines; both addresses are line-aligned.
void copy_past_caches([[maybe_unused]] char* to, [[maybe_unused]] const char* from,
                      [[maybe_unused]] int64_t bytes) {
#ifdef __SSE2__
    // A store of a whole line needs no write combining.
    static const bool whole = __builtin_cpu_supports("avx512f");
    if (whole) return copy_whole_lines(to, from, bytes);
    for (int64_t i = 0; i < bytes; i += 16)
        _mm_stream_si128(reinterpret_cast<__m128i*>(to + i),
                         _mm_load_si128(reinterpret_cast<const __m128i*>(from + i)));
#endif
}

/// Returns the bytes of the last-level cache of a processor, from sysfs or else from the C library,
/// which on some machines returns the sum of all caches; 0 if unknown.
[[maybe_unused]] int64_t last_cache_bytes() {
    int64_t bytes = 0;
    for (int index = 0;; ++index) {
        std::ifstream file("/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) +
                           "/size");
        int64_t size = 0;
        char unit = 0;
        if (!(file >> size >> unit)) break;
        const int64_t scale = unit == 'K' ? 1 << 10 : unit == 'M' ? 1 << 20 : 1;
        bytes = std::max(bytes, size * scale);
    }
    return bytes > 0 ? bytes : int64_t{sysconf(_SC_LEVEL3_CACHE_SIZE)};
}

/// The address range [begin, end) that an operand may touch.
struct extent {
    uint64_t begin, end;
};
extent extent_of(const space& s, std::size_t operand) {
    const auto base = reinterpret_cast<uint64_t>(s.request.operands[operand].base);
    extent e{base, base + static_cast<uint64_t>(longest_step)};
    for (int d = 0; d < s.request.rank; ++d) {
        const int64_t way = (s.request.extents[d] - 1) * s.stride(operand, d);
        (way < 0 ? e.begin : e.end) += static_cast<uint64_t>(way);
    }
    return e;
}

}  // namespace

int64_t past_caches_from() {
#ifdef __SSE2__
    static const int64_t from = [] {
        const int64_t last = last_cache_bytes();
        return last > 0 ? last : int64_t{64} << 20;
    }();
    return from;
#else
    return std::numeric_limits<int64_t>::max();
#endif
}

bool goes_past_caches(const space& s) {
    const launch_request& r = s.request;
    // A reduced row cannot run in parts. Buffering whole rows was 1.1 to 1.6 times slower than
    // plain stores (softmax and similar).
    if (!r.fn || r.output < 0 || r.reduction || r.along != kernel_ir::lanes::element) return false;
    const auto out = static_cast<std::size_t>(r.output);
    const int64_t item = s.stride0(out), row = s.n0 * item;
    const bool unit = item == 1 || item == 2 || item == 4 || item == 8;
    const auto fewer_than = [&](int64_t bytes) { return s.rows() <= (bytes - 1) / row; };
    if (!unit || row < shortest_row) return false;
    // Streaming stores alternate with computing and reading, while plain stores overlap with them.
    // So heavy kernels do not use them.
    if (r.cost > heaviest * item || r.operands.size() > most_operands) return false;
    // No last-level cache is this small, so its size need not be read.
    if (r.past_caches_from == 0 && fewer_than(int64_t{1} << 20)) return false;
    if (fewer_than(r.past_caches_from > 0 ? r.past_caches_from : past_caches_from())) return false;
    if (reinterpret_cast<uint64_t>(r.operands[out].base) % static_cast<uint64_t>(item) != 0)
        return false;
    const extent written = extent_of(s, out);
    for (std::size_t k = 0; k < r.operands.size(); ++k) {
        if (k == out) continue;
        const extent read = extent_of(s, k);
        if (std::abs(s.stride0(k)) > longest_step ||
            (read.begin < written.end && written.begin < read.end))
            return false;
    }
    for (int d = 0; d + 1 < r.rank; ++d)
        if (s.stride(out, d) % item != 0) return false;
    return true;
}

void run_past_caches(const space& s, walker& w, kernel_ir::kernel_call& call, int64_t row,
                     int64_t element) {
    alignas(line) char buffer[buffer_bytes];
    const auto out = static_cast<std::size_t>(s.request.output);
    const int64_t item = std::max<int64_t>(s.stride0(out), 1);  // goes_past_caches requires it
    const int64_t end = element + call.n0;
    while (element < end) {
        call.operands = w.arguments(row, element);
        char* to = call.operands[out].ptr;
        const auto into = static_cast<int64_t>(reinterpret_cast<uint64_t>(to) % line);
        const int64_t lines = (end - element) * item / line * line;
        if (into != 0 || lines == 0) {  // a partial line gets plain stores
            call.n0 = std::min(end - element, (line - into) / item);
            call_kernel(s.request, call);
        } else {
            const int64_t bytes = std::min(lines, buffer_bytes);
            call.n0 = bytes / item;
            w.place(out, buffer);
            call_kernel(s.request, call);
            copy_past_caches(to, buffer, bytes);
        }
        element += call.n0;
    }
}

void fence_stores() {
#ifdef __SSE2__
    _mm_sfence();
#endif
}

}  // namespace sinter::runtime
