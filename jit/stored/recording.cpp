#include "jit/stored/recording.hpp"

#include "runtime/base/fail.hpp"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

namespace sinter::code_cache {
namespace {

// The last character is the version of the format.
constexpr char head[8] = {'S', 'I', 'N', 'T', 'E', 'R', 'R', '1'};

struct record_header {
    uint32_t size, checksum;  // of the payload
};

uint32_t checksum(byte_view payload) { return static_cast<uint32_t>(hash_of(payload).low); }

void append(bytes& to, byte_view payload) {
    const record_header h{static_cast<uint32_t>(payload.size()), checksum(payload)};
    const auto* raw = reinterpret_cast<const uint8_t*>(&h);
    to.insert(to.end(), raw, raw + sizeof h);
    to.insert(to.end(), payload.begin(), payload.end());
}

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
    runtime::fail("cache", "a recording cannot be read", path + ": " + why,
                  "a recording (.srec) that this version wrote",
                  "recording the program again: sinter cache record -o FILE -- PROGRAM");
}

}  // namespace

std::optional<recording_writer> recording_writer::make(const std::string& path) {
    const int file =
        open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (file < 0) return std::nullopt;
    recording_writer w(file);
    const auto* raw = reinterpret_cast<const uint8_t*>(head);
    if (!runtime::write_all(file, {raw, sizeof head})) return std::nullopt;
    return w;
}

bool recording_writer::add(byte_view payload) {
    bytes record;  // in one call, which a kill seldom cuts
    append(record, payload);
    return runtime::write_all(file_.get(), record);
}

recording read_recording(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    if (!in) refuse(path, std::strerror(errno));
    const bytes all{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    if (in.bad()) refuse(path, std::strerror(errno));
    recording r;
    byte_view left(all);
    if (left.size() < sizeof head && std::equal(left.begin(), left.end(), head))
        return r;  // killed before it had begun
    if (left.size() < sizeof head || std::memcmp(head, left.data(), sizeof head - 1) != 0)
        refuse(path, "it is not a recording");
    if (left[sizeof head - 1] != static_cast<uint8_t>(head[sizeof head - 1]))
        refuse(path, "it is of another version of the format");
    left = left.subspan(sizeof head);
    record_header h;
    while (left.size() >= sizeof h) {
        std::memcpy(&h, left.data(), sizeof h);
        if (h.size > left.size() - sizeof h) break;
        const byte_view payload = left.subspan(sizeof h, h.size);
        if (checksum(payload) != h.checksum) break;
        r.payloads.emplace_back(payload.begin(), payload.end());
        left = left.subspan(sizeof h + h.size);
    }
    r.lost = left.size();
    return r;
}

bytes write_recording(std::vector<bytes> payloads) {
    std::sort(payloads.begin(), payloads.end());
    payloads.erase(std::unique(payloads.begin(), payloads.end()), payloads.end());
    const auto* raw = reinterpret_cast<const uint8_t*>(head);
    bytes all(raw, raw + sizeof head);
    for (const bytes& p : payloads) append(all, p);
    return all;
}

}  // namespace sinter::code_cache
