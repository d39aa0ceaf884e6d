#include "runtime/device/stream.hpp"

#include "runtime/device/event.hpp"
#include "runtime/report/stats.hpp"
#include "runtime/report/trace.hpp"

#include <algorithm>
#include <array>
#include <deque>

namespace sinter::runtime {
namespace {

constexpr int pool_size = 32;

/// Streams of one GPU, made on first use.
struct streams_of_gpu {
    std::array<gpu_stream*, 1 + 2 * pool_size> own{};  // by id
    std::array<unsigned, 2> next{};                    // by priority
    std::vector<gpu_stream*> others;
};

/// All streams of the process; never freed, because memory refers to them.
class stream_table {
public:
    gpu_stream& first(const gpu& g) {
        require_usable(g);
        const std::lock_guard lock(mutex_);
        return own(g, 0);
    }
    gpu_stream& next(const gpu& g, bool high_priority) {
        require_usable(g);
        const std::lock_guard lock(mutex_);
        const std::size_t kind = high_priority ? 1 : 0;
        return own(g, 1 + kind * pool_size + of(g).next[kind]++ % pool_size);
    }
    gpu_stream* by_id(const gpu& g, int64_t id) {
        require_usable(g);
        const std::lock_guard lock(mutex_);
        if (id >= 0 && id <= 2 * pool_size) return &own(g, static_cast<std::size_t>(id));
        for (gpu_stream* s : of(g).others)
            if (s->id() == id) return s;
        return nullptr;
    }
    gpu_stream& by_handle(const gpu& g, void* handle) {
        require_usable(g);
        const std::lock_guard lock(mutex_);
        streams_of_gpu& here = of(g);
        for (gpu_stream* s : here.own)
            if (s && s->handle() == handle) return *s;
        for (gpu_stream* s : here.others)
            if (s->handle() == handle) return *s;
        // Small handles denote the driver's default streams and would clash with ids of our own.
        const auto number = static_cast<int64_t>(reinterpret_cast<intptr_t>(handle));
        const int64_t id = number <= 2 * pool_size ? -1 - number : number;
        here.others.push_back(&note(g, handle, id, false));
        return *here.others.back();
    }

private:
    streams_of_gpu& of(const gpu& g) {
        while (by_gpu_.size() <= static_cast<std::size_t>(g.index)) by_gpu_.emplace_back();
        return by_gpu_[static_cast<std::size_t>(g.index)];
    }
    gpu_stream& own(const gpu& g, std::size_t id) {
        gpu_stream*& s = of(g).own[id];
        if (!s) s = &make(g, static_cast<int64_t>(id), id > pool_size);
        return *s;
    }
    gpu_stream& make(const gpu& g, int64_t id, bool high_priority) {
        // Without this flag the stream would synchronise with the legacy default stream.
        constexpr unsigned non_blocking = 1;
        const device_scope scope(g);
        // 0 is the priority of streams without one; it is the least on CUDA, but not on HIP.
        int least = 0, greatest = 0;
        check(g, "querying stream priorities", g.api->stream_priorities(&least, &greatest));
        void* handle = nullptr;
        check(g, "creating a stream",
              g.api->create_stream(&handle, non_blocking, high_priority ? greatest : 0));
        return note(g, handle, id, high_priority);
    }
    gpu_stream& note(const gpu& g, void* handle, int64_t id, bool high_priority) {
        return streams_.emplace_back(g, handle, static_cast<int>(streams_.size()), id,
                                     high_priority);
    }

    std::mutex mutex_;
    std::deque<streams_of_gpu> by_gpu_;
    std::deque<gpu_stream> streams_;
};

stream_table& table() {
    static stream_table& t = *new stream_table;
    return t;
}

/// Caches the default streams of the first GPUs, so that a thread looks each up only once.
constexpr std::size_t remembered = 16;
[[gnu::tls_model("initial-exec")]] constinit thread_local gpu_stream* defaults[remembered] = {};

/// The streams that the thread has chosen, by GPU index; null: the default stream.
std::vector<gpu_stream*>& chosen() {
    thread_local std::vector<gpu_stream*> streams;
    return streams;
}

}  // namespace

uint64_t gpu_stream::put(const char* doing) {
    const uint64_t at = position_.fetch_add(1, std::memory_order_acq_rel) + 1;
    if (launch_blocking()) {
        const device_scope scope(gpu_);
        check(gpu_, doing, gpu_.api->finish_stream(handle_));
    }
    return at;
}

void gpu_stream::wait_for(gpu_stream& other, uint64_t position) {
    if (&other == this || other.finished_.load(std::memory_order_acquire) >= position) return;
    const std::lock_guard lock(mutex_);
    const auto number = static_cast<std::size_t>(other.number_);
    if (seen_.size() <= number) seen_.resize(number + 1);
    if (seen_[number] >= position) return;
    // The event comes after all work submitted so far, which may be more than requested.
    const uint64_t reached = other.position();
    std::unique_ptr<gpu_event> mark = mark_behind(other);
    mark->block(*this);
    recycle(std::move(mark));
    seen_[number] = reached;
}

void gpu_stream::finish(uint64_t position) {
    if (known_done(position)) return;
    count().host_waits.add();
    const trace_span span("gpu", "wait");
    const uint64_t reached = this->position();
    {
        const device_scope scope(gpu_);
        check(gpu_, "waiting for a stream", gpu_.api->finish_stream(handle_));
    }
    uint64_t known = finished_.load();
    while (known < reached && !finished_.compare_exchange_weak(known, reached)) {
    }
}

bool gpu_stream::done(uint64_t position) {
    if (known_done(position)) return true;
    const uint64_t reached = this->position();
    const device_scope scope(gpu_);
    const int code = gpu_.api->query_stream(handle_);
    if (code == driver_code::not_ready) return false;
    check(gpu_, "querying a stream", code);
    uint64_t known = finished_.load();
    while (known < reached && !finished_.compare_exchange_weak(known, reached)) {
    }
    return true;
}

gpu_stream& default_stream(const gpu& g) { return table().first(g); }
gpu_stream& pool_stream(const gpu& g, bool high_priority) { return table().next(g, high_priority); }
gpu_stream* stream_by_id(const gpu& g, int64_t id) { return table().by_id(g, id); }
gpu_stream& stream_by_handle(const gpu& g, void* handle) { return table().by_handle(g, handle); }

gpu_stream& current_stream(const gpu& g) {
    const std::vector<gpu_stream*>& streams = chosen();
    const auto index = static_cast<std::size_t>(g.index);
    if (index < streams.size() && streams[index]) return *streams[index];
    if (index >= remembered) return default_stream(g);
    if (!defaults[index]) defaults[index] = &default_stream(g);
    return *defaults[index];
}

void set_current_stream(gpu_stream& s) {
    std::vector<gpu_stream*>& streams = chosen();
    const auto index = static_cast<std::size_t>(s.device().index);
    if (streams.size() <= index) streams.resize(index + 1);
    streams[index] = &s;
}

void finish_device(const gpu& g) {
    count().host_waits.add();
    const trace_span span("gpu", "wait");
    const device_scope scope(g);
    check(g, "waiting for the device", g.api->finish_device());
}

}  // namespace sinter::runtime
