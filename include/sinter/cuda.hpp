// Streams, events and memory of GPUs, under libtorch's names. `cuda` means a GPU of either vendor;
// which are there, and the current one, is in device.hpp. What is said here of a device that is not
// named is said of the calling thread's current one. Where there is no GPU, all of it throws Error
// but for what says otherwise.
//
// Work is put on a stream when it is launched, which a pending value has not been: `eval()` is the
// line that does it. Values wait for each other across streams by themselves; a stream or an event
// is waited for to know that something has ended, or that memory of one's own can be touched.
#pragma once

#include <sinter/array_ref.hpp>
#include <sinter/device.hpp>

#include <iosfwd>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace sinter::inline v1 {

using StreamId = int64_t;
using DeviceIndex = int8_t;

class Event;

/// A queue of work of a device: what is put on one runs in the order in which it was put, what is
/// on different ones in any order. On the CPU there is one, which is always done. Copies name the
/// same stream, which lives as long as the process.
class SINTER_API Stream {
public:
    enum Unsafe { UNSAFE };
    enum Default { DEFAULT };
    /// The one of that id. Throws Error where there is none.
    Stream(Unsafe, Device device, StreamId id);
    Stream(Default, Device device);

    Device device() const { return device_; }
    DeviceType device_type() const { return device_.type(); }
    DeviceIndex device_index() const { return device_.index(); }
    /// 0 of a device's default stream.
    StreamId id() const { return id_; }
    /// -1 of a stream that is served first, else 0.
    int priority() const;
    /// The driver's handle, a CUstream or a hipStream_t: for kernels and libraries of one's own.
    void* native_handle() const;
    /// Whether all work that was put on it has ended. Does not wait. Throws the errors of that
    /// work.
    bool query() const;
    /// Waits for all work that was put on it. Throws the errors of that work.
    void synchronize() const;
    /// What is put on it from now on runs after what the event marks.
    void wait(const Event& event) const;

    friend bool operator==(const Stream& a, const Stream& b) {
        return a.device_ == b.device_ && a.id_ == b.id_;
    }

private:
    friend struct stream_access;
    Stream(Device device, StreamId id, void* queue) : device_(device), id_(id), queue_(queue) {}
    Device device_;
    StreamId id_ = 0;
    void* queue_ = nullptr;
};
/// stream 3 on device cuda:0
SINTER_API std::ostream& operator<<(std::ostream& out, const Stream& s);

enum class EventFlag {
    PYTORCH_DEFAULT,  // without a time
    BACKEND_DEFAULT,  // with one
    CUDA_EVENT_DEFAULT,
    CUDA_EVENT_DISABLE_TIMING,
};

/// A mark in a stream's work: when all that was on the stream as it was recorded has ended. One
/// that was never recorded is done, and nothing waits for it. It is moved, not copied.
class SINTER_API Event {
public:
    /// Throws Error where there is no such device at the first `record`, not before.
    explicit Event(DeviceType type = kCUDA, EventFlag flag = EventFlag::PYTORCH_DEFAULT);
    ~Event();
    Event(Event&& o) noexcept;
    Event& operator=(Event&& o) noexcept;

    /// Of the device that it was recorded on; index -1 before.
    Device device() const { return Device(type_, index_); }
    DeviceType device_type() const { return type_; }
    DeviceIndex device_index() const { return index_; }
    EventFlag flag() const { return flag_; }
    bool was_marked_for_recording() const { return recorded_; }
    /// Marks where the stream is, the current one by default; before, it marked another place.
    /// Throws Error on a stream of another device than the first.
    void record(const Stream& s);
    void record();
    void recordOnce(const Stream& s) {
        if (!recorded_) record(s);
    }
    /// What is put on `s` from now on, of whichever device, runs after the mark.
    void block(const Stream& s) const;
    void wait(const Stream& s) const { block(s); }
    /// Whether the mark has been reached. Does not wait.
    bool query() const;
    /// Waits until it has been.
    void synchronize() const;
    /// Milliseconds from this one to `later`. Throws Error unless both keep a time
    /// (EventFlag::BACKEND_DEFAULT), were recorded on one device, and have been reached.
    double elapsedTime(const Event& later) const;
    float elapsed_time(const Event& later) const { return static_cast<float>(elapsedTime(later)); }

private:
    void* mark_ = nullptr;
    DeviceType type_;
    DeviceIndex index_ = -1;
    EventFlag flag_;
    bool recorded_ = false;
};

/// Makes a stream the current one of its device, and that device the thread's, until the end of the
/// scope.
class SINTER_API StreamGuard {
public:
    explicit StreamGuard(const Stream& s);
    ~StreamGuard();
    StreamGuard(const StreamGuard&) = delete;
    StreamGuard& operator=(const StreamGuard&) = delete;
    /// Puts things back as they were, then makes another stream current.
    void reset_stream(const Stream& s);
    /// The one that was current of the device that was.
    Stream original_stream() const { return original_; }
    Stream current_stream() const { return current_; }
    Device original_device() const { return device_.original_device(); }
    Device current_device() const { return device_.current_device(); }

private:
    DeviceGuard device_;
    Stream original_, replaced_, current_;
};

/// The same of a stream that may be none.
class SINTER_API OptionalStreamGuard {
public:
    OptionalStreamGuard() = default;
    explicit OptionalStreamGuard(const Stream& s) { reset_stream(s); }
    explicit OptionalStreamGuard(const std::optional<Stream>& s) {
        if (s) reset_stream(*s);
    }
    void reset_stream(const Stream& s) {
        guard_ ? guard_->reset_stream(s) : static_cast<void>(guard_.emplace(s));
    }
    void reset() { guard_.reset(); }
    std::optional<Stream> original_stream() const {
        return guard_ ? std::optional(guard_->original_stream()) : std::nullopt;
    }
    std::optional<Stream> current_stream() const {
        return guard_ ? std::optional(guard_->current_stream()) : std::nullopt;
    }

private:
    std::optional<StreamGuard> guard_;
};

/// Makes each the current stream of its device until the end of the scope; the current device
/// stays.
class SINTER_API MultiStreamGuard {
public:
    explicit MultiStreamGuard(ArrayRef<Stream> streams);
    ~MultiStreamGuard();
    MultiStreamGuard(const MultiStreamGuard&) = delete;
    MultiStreamGuard& operator=(const MultiStreamGuard&) = delete;

private:
    std::vector<Stream> original_;
};

namespace cuda {

// ---- streams

/// A stream of a GPU.
class SINTER_API CUDAStream : public Stream {
public:
    enum Unchecked { UNCHECKED };
    /// Throws Error of a stream of the CPU.
    explicit CUDAStream(const Stream& s);
    CUDAStream(Unchecked, const Stream& s) : Stream(s) {}
    const Stream& unwrap() const { return *this; }
    /// The driver's handle.
    void* stream() const { return native_handle(); }
    static constexpr std::tuple<int, int> priority_range() { return {0, -1}; }
};

/// The stream that work goes to unless another one is made current. It does not wait for the
/// driver's own default stream, nor that one for it.
SINTER_API CUDAStream getDefaultCUDAStream(DeviceIndex index = -1);
/// The calling thread's.
SINTER_API CUDAStream getCurrentCUDAStream(DeviceIndex index = -1);
SINTER_API void setCurrentCUDAStream(const Stream& s);
/// One of 32 of each priority, in turn: programs that want more share them.
SINTER_API CUDAStream getStreamFromPool(bool isHighPriority = false, DeviceIndex index = -1);
SINTER_API CUDAStream getStreamFromPool(int priority, DeviceIndex index = -1);
/// A stream that somebody else made, by its handle; he keeps it until Sinter's work on it has
/// ended.
SINTER_API CUDAStream getStreamFromExternal(void* handle, DeviceIndex index = -1);

using CUDAStreamGuard = StreamGuard;
using OptionalCUDAStreamGuard = OptionalStreamGuard;
using CUDAMultiStreamGuard = MultiStreamGuard;

inline constexpr unsigned event_default = 0, event_disable_timing = 2;  // the driver's flags

/// An Event with ATen's constructor: without a time unless `flags` say event_default.
class SINTER_API CUDAEvent : public Event {
public:
    explicit CUDAEvent(unsigned flags = event_disable_timing)
        : Event(kCUDA, flags & event_disable_timing ? EventFlag::PYTORCH_DEFAULT
                                                    : EventFlag::BACKEND_DEFAULT) {}
    bool isCreated() const { return was_marked_for_recording(); }
};

// ---- devices

/// A GPU named by its index, -1 for the current one, or as a Device or its name. Throws ValueError
/// of the CPU.
class SINTER_API AnyDevice {
public:
    AnyDevice() = default;
    // A template, or 0 would be a null pointer to a name.
    template <class T>
        requires std::is_integral_v<T>
    AnyDevice(T index) : index_(static_cast<int64_t>(index)) {}          // NOLINT
    AnyDevice(Device device);                                            // NOLINT
    AnyDevice(DeviceType type) : AnyDevice(Device(type)) {}              // NOLINT
    AnyDevice(const char* device) : AnyDevice(Device(device)) {}         // NOLINT
    AnyDevice(const std::string& device) : AnyDevice(Device(device)) {}  // NOLINT
    /// As it was named: -1 for the current one.
    int64_t index() const { return index_; }

private:
    int64_t index_ = -1;
};

/// Makes a GPU the current one until the end of the scope.
class CUDAGuard : public DeviceGuard {
public:
    explicit CUDAGuard(DeviceIndex index) : DeviceGuard(Device(kCUDA, index)) {}
    explicit CUDAGuard(Device device) : DeviceGuard(device) {}
    void set_device(Device device) { reset_device(device); }
};
using OptionalCUDAGuard = OptionalDeviceGuard;

struct DeviceProperties {
    std::string name;
    std::string architecture;  // sm_90, gfx942
    Vendor vendor = Vendor::none;
    int major = 0, minor = 0;  // 9 and 0 of sm_90 and gfx90a, 9 and 4 of gfx942
    int64_t total_memory = 0;  // bytes
    int multi_processor_count = 0;
    int warp_size = 0;
    int max_threads_per_block = 0;
    int max_threads_per_multi_processor = 0;
    int64_t shared_memory_per_block = 0;  // bytes
    int64_t L2_cache_size = 0;            // bytes
};
SINTER_API DeviceProperties get_device_properties(AnyDevice device = {});
SINTER_API std::string get_device_name(AnyDevice device = {});
/// The properties' major and minor number.
SINTER_API std::pair<int, int> get_device_capability(AnyDevice device = {});

/// Whether the machine lets a GPU read and write the memory of another. False of itself.
SINTER_API bool can_device_access_peer(AnyDevice device, AnyDevice peer);
/// Lets it, for kernels of one's own and for copies without a detour through main memory. Returns
/// whether it can. Sinter's operations want operands on one device nevertheless.
SINTER_API bool enable_peer_access(AnyDevice device, AnyDevice peer);

// ---- memory. Bytes. Where there is no GPU the first four are 0, and the stats empty.

/// In tensors; the most of that since the peaks were reset.
SINTER_API int64_t memory_allocated(AnyDevice device = {});
SINTER_API int64_t max_memory_allocated(AnyDevice device = {});
/// Got from the driver: in tensors and kept for later ones.
SINTER_API int64_t memory_reserved(AnyDevice device = {});
SINTER_API int64_t max_memory_reserved(AnyDevice device = {});
/// By the names of torch.cuda.memory_stats, those that there are.
SINTER_API std::map<std::string, int64_t> memory_stats(AnyDevice device = {});
/// The same as a table for people.
SINTER_API std::string memory_summary(AnyDevice device = {}, bool abbreviated = false);

/// These two do nothing where there is no GPU. The peaks begin at what is in use now.
SINTER_API void reset_peak_memory_stats(AnyDevice device = {});
/// Gives the driver back what no tensor uses, of all GPUs. Waits for what still runs on it.
SINTER_API void empty_cache();

/// Free memory and all there is, as the driver says: of all processes.
SINTER_API std::pair<int64_t, int64_t> mem_get_info(AnyDevice device = {});
/// The most that is got from the driver, as a part of all there is; what is more throws
/// OutOfMemoryError. Throws ValueError unless 0 to 1.
SINTER_API void set_per_process_memory_fraction(double fraction, AnyDevice device = {});

// ---- libtorch's other names
/// The seed of the draws on every device, the CPU among them.
SINTER_API void manual_seed(uint64_t seed);
inline void manual_seed_all(uint64_t seed) { manual_seed(seed); }
inline DeviceIndex device_count_ensure_non_zero() {
    current_device();
    return static_cast<DeviceIndex>(device_count());
}
inline void device_synchronize() { synchronize(); }
namespace CUDACachingAllocator {
inline void emptyCache() { empty_cache(); }
inline void resetPeakStats(int device) { reset_peak_memory_stats(device); }
inline void setMemoryFraction(double fraction, int device) {
    set_per_process_memory_fraction(fraction, device);
}
}  // namespace CUDACachingAllocator

}  // namespace cuda

}  // namespace sinter::inline v1

template <>
struct std::hash<sinter::Stream> {
    std::size_t operator()(const sinter::Stream& s) const noexcept {
        return std::hash<int64_t>()(s.id() * 256 + s.device_index());
    }
};
template <>
struct std::hash<sinter::cuda::CUDAStream> : std::hash<sinter::Stream> {};
