// Streams, events, and guards of the current stream.
#include "engine/run/flush.hpp"
#include "ops/common/devices.hpp"
#include "runtime/device/event.hpp"
#include "runtime/device/uses.hpp"

#include <sinter/cuda.hpp>

#include <ostream>
#include <utility>

namespace sinter::inline v1 {

using runtime::fail;
using runtime::gpu_event;
using runtime::gpu_stream;
using runtime::text;

struct stream_access {
    static Stream make(gpu_stream& s) {
        return Stream(Device(kCUDA, static_cast<int8_t>(s.device().index)), s.id(), &s);
    }
    /// Returns null for the CPU's stream.
    static gpu_stream* queue(const Stream& s) { return static_cast<gpu_stream*>(s.queue_); }
};

namespace {

const runtime::gpu& gpu_named(const char* op, int index) {
    return runtime::gpu_at(ops::device_index_of(op, Device(kCUDA, static_cast<int8_t>(index))));
}

/// Returns the calling thread's current stream of a device.
Stream current_of(Device device) {
    if (device.is_cpu()) return {Stream::DEFAULT, device};
    return stream_access::make(runtime::current_stream(runtime::gpu_at(device.index())));
}

void make_current(const Stream& s) {
    if (gpu_stream* queue = stream_access::queue(s)) runtime::set_current_stream(*queue);
}

cuda::CUDAStream of_gpu(gpu_stream& s) {
    return {cuda::CUDAStream::UNCHECKED, stream_access::make(s)};
}

gpu_event* mark_of(void* mark) { return static_cast<gpu_event*>(mark); }

[[noreturn]] void refuse_stream(Device stream, Device event) {
    fail("record", "the stream and the event are on different devices",
         text("a stream on ", stream.str(), " and an event for ", event.str()), "the same device",
         "another event for that stream");
}

bool keeps_time(EventFlag f) {
    return f == EventFlag::BACKEND_DEFAULT || f == EventFlag::CUDA_EVENT_DEFAULT;
}

}  // namespace

Stream::Stream(Unsafe, Device device, StreamId id) : device_(device), id_(id) {
    const runtime::device_index at = ops::device_index_of("Stream", device);
    if (at == runtime::main_memory) {
        if (id != 0)
            fail("Stream", "the CPU has one stream", text("id ", id), "id 0",
                 "Stream(Stream::DEFAULT, kCPU)");
        return;
    }
    gpu_stream* s = runtime::stream_by_id(runtime::gpu_at(at), id);
    if (!s)
        fail("Stream", "the stream does not exist", text("id ", id, " on ", device.str()),
             "the id of an existing stream", "getStreamFromPool()");
    *this = stream_access::make(*s);
}

Stream::Stream(Default, Device device) : Stream(UNSAFE, device, 0) {}

int Stream::priority() const {
    const gpu_stream* s = stream_access::queue(*this);
    return s && s->high_priority() ? -1 : 0;
}

void* Stream::native_handle() const {
    const gpu_stream* s = stream_access::queue(*this);
    if (!s)
        fail("native_handle", "the CPU's stream has no handle", device_.str(), "a stream on a GPU",
             "getCurrentCUDAStream()");
    return s->handle();
}

bool Stream::query() const {
    gpu_stream* s = stream_access::queue(*this);
    return !s || s->done(s->mark());
}

void Stream::synchronize() const {
    if (gpu_stream* s = stream_access::queue(*this)) s->finish(s->mark());
}

void Stream::wait(const Event& event) const { event.block(*this); }

std::ostream& operator<<(std::ostream& out, const Stream& s) {
    return out << "stream " << s.id() << " on device " << s.device();
}

// ---- events
Event::Event(DeviceType type, EventFlag flag) : type_(type), flag_(flag) {}
Event::~Event() { delete mark_of(mark_); }

Event::Event(Event&& o) noexcept
    : mark_(std::exchange(o.mark_, nullptr)),
      type_(o.type_),
      index_(o.index_),
      flag_(o.flag_),
      recorded_(std::exchange(o.recorded_, false)) {}

Event& Event::operator=(Event&& o) noexcept {
    std::swap(mark_, o.mark_);
    std::swap(type_, o.type_);
    std::swap(index_, o.index_);
    std::swap(flag_, o.flag_);
    std::swap(recorded_, o.recorded_);
    return *this;
}

void Event::record(const Stream& s) {
    if (s.device_type() != type_) refuse_stream(s.device(), Device(type_));
    if (index_ >= 0 && index_ != s.device_index()) refuse_stream(s.device(), device());
    if (gpu_stream* queue = stream_access::queue(s)) {
        if (!mark_) mark_ = new gpu_event(queue->device(), keeps_time(flag_));
        mark_of(mark_)->record(*queue);
    }
    index_ = s.device_index();
    recorded_ = true;
}

void Event::record() {
    if (type_ == kCPU)
        record(Stream(Stream::DEFAULT, kCPU));
    else
        record(current_of(Device(kCUDA, ops::device_index_of("record", kCUDA))));
}

void Event::block(const Stream& s) const {
    gpu_stream* queue = stream_access::queue(s);
    if (!mark_) return;
    if (queue)
        mark_of(mark_)->block(*queue);
    else
        synchronize();  // the CPU has no queue, so this thread waits
}

bool Event::query() const { return !mark_ || mark_of(mark_)->done(); }

void Event::synchronize() const {
    if (mark_) mark_of(mark_)->finish();
}

double Event::elapsedTime(const Event& later) const {
    if (!mark_ || !later.mark_)
        fail("elapsedTime", "an event has not been recorded on a GPU",
             text("a first event that was ", mark_ ? "" : "not ", "recorded and a second that was ",
                  later.mark_ ? "" : "not ", "recorded"),
             "two recorded events", "record() on both events first");
    if (!keeps_time(flag_) || !keeps_time(later.flag_))
        fail("elapsedTime", "an event does not keep its time", "an event made without timing",
             "two events with timing", "making both with EventFlag::BACKEND_DEFAULT");
    if (index_ != later.index_)
        fail("elapsedTime", "the events are on different devices",
             text(device().str(), " and ", later.device().str()), "the same device",
             "recording both on streams of one device");
    if (!query() || !later.query())
        fail("elapsedTime", "an event has not completed", "work that still runs",
             "two completed events", "synchronize() on the later event first");
    return static_cast<double>(mark_of(later.mark_)->since(*mark_of(mark_)));
}

// ---- guards
StreamGuard::StreamGuard(const Stream& s)
    : device_(s.device()),
      original_(current_of(device_.original_device())),
      replaced_(current_of(s.device())),
      current_(s) {
    make_current(s);
}

StreamGuard::~StreamGuard() { make_current(replaced_); }

void StreamGuard::reset_stream(const Stream& s) {
    const Stream replaced = s.device() == current_.device() ? replaced_ : current_of(s.device());
    device_.reset_device(s.device());
    make_current(replaced_);
    replaced_ = replaced;
    current_ = s;
    make_current(s);
}

MultiStreamGuard::MultiStreamGuard(ArrayRef<Stream> streams) {
    for (const Stream& s : streams) original_.push_back(current_of(s.device()));
    for (const Stream& s : streams) make_current(s);
}

MultiStreamGuard::~MultiStreamGuard() {
    // In reverse order, since a device may have been named twice.
    for (std::size_t i = original_.size(); i-- > 0;) make_current(original_[i]);
}

// ---- libtorch's functions
namespace cuda {

CUDAStream::CUDAStream(const Stream& s) : Stream(s) {
    if (s.device_type() == kCPU)
        fail("CUDAStream", "the stream is not on a GPU", s.device().str(), "a stream on a GPU",
             "getCurrentCUDAStream()");
}

CUDAStream getDefaultCUDAStream(DeviceIndex index) {
    return of_gpu(runtime::default_stream(gpu_named("getDefaultCUDAStream", index)));
}

CUDAStream getCurrentCUDAStream(DeviceIndex index) {
    return of_gpu(runtime::current_stream(gpu_named("getCurrentCUDAStream", index)));
}

void setCurrentCUDAStream(const Stream& s) { make_current(CUDAStream(s)); }

CUDAStream getStreamFromPool(bool isHighPriority, DeviceIndex index) {
    return of_gpu(runtime::pool_stream(gpu_named("getStreamFromPool", index), isHighPriority));
}

CUDAStream getStreamFromPool(int priority, DeviceIndex index) {
    if (priority > 0)
        fail("getStreamFromPool", "the priority is out of range", text(priority),
             "0 or less; lower numbers run first", "-1 for high priority");
    return getStreamFromPool(priority < 0, index);
}

CUDAStream getStreamFromExternal(void* handle, DeviceIndex index) {
    return of_gpu(runtime::stream_by_handle(gpu_named("getStreamFromExternal", index), handle));
}

}  // namespace cuda

// ---- memory used on other streams
void tensor_base::record_stream(const Stream& s) const {
    const TensorImpl& t = ops::body("record_stream", *this);
    gpu_stream* queue = stream_access::queue(s);
    if (t.device == runtime::main_memory || !queue)
        fail("record_stream", "the tensor or the stream is not on a GPU",
             text("a tensor on ", device().str(), " and a stream on ", s.device().str()),
             "both on a GPU", "synchronize() on the stream");
    ready_buffer(t, static_cast<int>(flush_reason::data_ptr)).uses->used_by_others_on(*queue);
}

}  // namespace sinter::inline v1
