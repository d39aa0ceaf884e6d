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
constexpr char head[8] = {'S', 'I', 'N', 'T', 'E', 'R', 'R', '2'};

// A payload begins with its kind.
constexpr auto runs_kind = static_cast<record_kind>(1);  // counted_runs follows

struct record_header {
    uint32_t size, checksum;  // of the payload
};

struct counted_runs {
    hash128 work;
    uint64_t runs;
};

uint32_t checksum(byte_view payload) { return static_cast<uint32_t>(hash_of(payload).low); }

void append(bytes& to, record_kind of, byte_view content) {
    bytes payload{static_cast<uint8_t>(of)};
    payload.insert(payload.end(), content.begin(), content.end());
    const record_header h{static_cast<uint32_t>(payload.size()), checksum(payload)};
    const auto* raw = reinterpret_cast<const uint8_t*>(&h);
    to.insert(to.end(), raw, raw + sizeof h);
    to.insert(to.end(), payload.begin(), payload.end());
}

void append(bytes& to, const counted_runs& r) {
    append(to, runs_kind, {reinterpret_cast<const uint8_t*>(&r), sizeof r});
}

void read_payload(byte_view payload, recording& to) {
    const byte_view content = payload.subspan(1);
    counted_runs r;
    const auto kind = static_cast<record_kind>(payload[0]);
    switch (kind) {
        case record_kind::work: to.works.emplace_back(content.begin(), content.end()); break;
        case record_kind::source: to.sources.emplace_back(content.begin(), content.end()); break;
        case record_kind::move: to.moves.emplace_back(content.begin(), content.end()); break;
        default:
            if (kind != runs_kind || content.size() != sizeof r) break;
            std::memcpy(&r, content.data(), sizeof r);
            to.runs[r.work] += r.runs;
    }
}

constexpr auto kinds = {&recording::works, &recording::sources, &recording::moves};

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

// Each record in one call, which a kill seldom cuts.
bool recording_writer::add(record_kind kind, byte_view content) {
    bytes record;
    append(record, kind, content);
    return runtime::write_all(file_.get(), record);
}

bool recording_writer::add_runs(const hash128& work, uint64_t runs) {
    bytes record;
    append(record, {work, runs});
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
        if (h.size == 0 || h.size > left.size() - sizeof h) break;
        const byte_view payload = left.subspan(sizeof h, h.size);
        if (checksum(payload) != h.checksum) break;
        read_payload(payload, r);
        left = left.subspan(sizeof h + h.size);
    }
    r.lost = left.size();
    return r;
}

void join(recording& to, recording from) {
    to.lost += from.lost;
    for (const auto list : kinds)
        std::move((from.*list).begin(), (from.*list).end(), std::back_inserter(to.*list));
    for (const auto& [work, runs] : from.runs) to.runs[work] += runs;
}

void make_unique(recording& r) {
    for (const auto list : kinds) {
        std::sort((r.*list).begin(), (r.*list).end());
        (r.*list).erase(std::unique((r.*list).begin(), (r.*list).end()), (r.*list).end());
    }
}

bytes write_recording(recording r) {
    make_unique(r);
    const auto* raw = reinterpret_cast<const uint8_t*>(head);
    bytes all(raw, raw + sizeof head);
    const auto add = [&all](record_kind kind, const std::vector<bytes>& list) {
        for (const bytes& content : list) append(all, kind, content);
    };
    add(record_kind::work, r.works);
    add(record_kind::source, r.sources);
    add(record_kind::move, r.moves);
    for (const bytes& w : r.works)
        if (const auto runs = r.runs.find(hash_of(w)); runs != r.runs.end())
            append(all, {runs->first, runs->second});
    return all;
}

}  // namespace sinter::code_cache
