// Streams, events and memory of GPUs, under libtorch's names. `cuda` means a GPU of either vendor;
// device.hpp lists the GPUs and sets the current one. Functions without a device mean the calling
// thread's current one. Without a GPU they throw Error, unless they say otherwise.
//
// Work is enqueued on a stream when it is launched; a pending value is not launched before
// `eval()`. Values synchronise across streams by themselves. A program waits for a stream or an
// event to know that work has ended, or before it touches memory of its own.
#pragma once

#include <sinter/core/array_ref.hpp>
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

/// Numbers of streams and of devices.
///@{
using StreamId = int64_t;
using DeviceIndex = int8_t;
///@}

class Event;

/// A queue of work of a device. Work on one stream runs in the order in which it was enqueued; work
/// on different ones in any order. The CPU has one stream, which is always done. Copies name the
/// same stream, which lives as long as the process. libtorch: c10::Stream.
class SINTER_API Stream {
public:
    /// Tags of constructors.
    ///@{
    enum Unsafe { UNSAFE };
    enum Default { DEFAULT };
    ///@}
    /// The stream of this id, or the default stream. Throws Error if it does not exist.
    ///@{
    Stream(Unsafe, Device device, StreamId id);
    Stream(Default, Device device);
    ///@}

    /// Returns the device, or a part of it.
    ///@{
    Device device() const { return device_; }
    DeviceType device_type() const { return device_.type(); }
    DeviceIndex device_index() const { return device_.index(); }
    ///@}
    /// Returns the id: 0 for a device's default stream.
    StreamId id() const { return id_; }
    /// Returns -1 for a stream of high priority, else 0.
    int priority() const;
    /// Returns the driver's handle, a CUstream or a hipStream_t, for the program's own kernels and
    /// libraries. Throws Error for the CPU's stream.
    void* native_handle() const;
    /// Returns true if all enqueued work has ended. Does not wait. Throws the errors of that work.
    bool query() const;
    /// Waits for all enqueued work. Throws the errors of that work.
    void synchronize() const;
    /// Makes work that is enqueued from now on run after the mark of the event.
    void wait(const Event& event) const;

    /// Returns true for the same stream.
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
/// Prints as `stream 3 on device cuda:0`.
SINTER_API std::ostream& operator<<(std::ostream& out, const Stream& s);

/// The kinds of events: with or without a time, by libtorch's names and by the driver's.
enum class EventFlag {
    PYTORCH_DEFAULT,  ///< keeps no time
    BACKEND_DEFAULT,  ///< keeps a time
    CUDA_EVENT_DEFAULT,
    CUDA_EVENT_DISABLE_TIMING,
};

/// A mark in the work of a stream, reached when all work that was on the stream at `record` has
/// ended. An event that was never recorded counts as reached. Moved, not copied. libtorch:
/// c10::Event.
class SINTER_API Event {
public:
    /// An event that is not recorded. A device type that does not exist throws Error at `record`.
    explicit Event(DeviceType type = kCUDA, EventFlag flag = EventFlag::PYTORCH_DEFAULT);
    /// Drops or moves the mark.
    ///@{
    ~Event();
    Event(Event&& o) noexcept;
    Event& operator=(Event&& o) noexcept;
    ///@}

    /// Returns the device on which it was recorded, or a part of it; the index is -1 before.
    ///@{
    Device device() const { return Device(type_, index_); }
    DeviceType device_type() const { return type_; }
    DeviceIndex device_index() const { return index_; }
    ///@}
    /// Returns the flag, or true if it was recorded.
    ///@{
    EventFlag flag() const { return flag_; }
    bool was_marked_for_recording() const { return recorded_; }
    ///@}
    /// Moves the mark to the end of a stream, by default of the current one; recordOnce only the
    /// first time. Throws Error if the stream is on another device than the first.
    ///@{
    void record(const Stream& s);
    void record();
    void recordOnce(const Stream& s) {
        if (!recorded_) record(s);
    }
    ///@}
    /// Makes work that is enqueued on `s` from now on, on any device, run after the mark.
    ///@{
    void block(const Stream& s) const;
    void wait(const Stream& s) const { block(s); }
    ///@}
    /// Returns true if the mark has been reached. Does not wait.
    bool query() const;
    /// Waits until the mark is reached.
    void synchronize() const;
    /// Returns the milliseconds from this event to `later`. Throws Error unless both keep a time
    /// (EventFlag::BACKEND_DEFAULT), were recorded on one device, and have been reached.
    ///@{
    double elapsedTime(const Event& later) const;
    float elapsed_time(const Event& later) const { return static_cast<float>(elapsedTime(later)); }
    ///@}

private:
    void* mark_ = nullptr;
    DeviceType type_;
    DeviceIndex index_ = -1;
    EventFlag flag_;
    bool recorded_ = false;
};

/// Makes a stream its device's current one, and that device the thread's, until the end of the
/// scope. libtorch: c10::StreamGuard.
class SINTER_API StreamGuard {
public:
    /// Sets stream and device, and restores those before.
    ///@{
    explicit StreamGuard(const Stream& s);
    ~StreamGuard();
    ///@}
    StreamGuard(const StreamGuard&) = delete;
    StreamGuard& operator=(const StreamGuard&) = delete;
    /// Restores the stream and device before, then makes another stream current.
    void reset_stream(const Stream& s);
    /// Returns what was current before, or what the guard set. `original_stream` is of the original
    /// device.
    ///@{
    Stream original_stream() const { return original_; }
    Stream current_stream() const { return current_; }
    Device original_device() const { return device_.original_device(); }
    Device current_device() const { return device_.current_device(); }
    ///@}

private:
    DeviceGuard device_;
    Stream original_, replaced_, current_;
};

/// A StreamGuard that may hold no stream. libtorch: c10::OptionalStreamGuard.
class SINTER_API OptionalStreamGuard {
public:
    /// Sets the stream if there is one.
    ///@{
    OptionalStreamGuard() = default;
    explicit OptionalStreamGuard(const Stream& s) { reset_stream(s); }
    explicit OptionalStreamGuard(const std::optional<Stream>& s) {
        if (s) reset_stream(*s);
    }
    ///@}
    /// Sets another stream, or restores what was set before.
    ///@{
    void reset_stream(const Stream& s) {
        guard_ ? guard_->reset_stream(s) : static_cast<void>(guard_.emplace(s));
    }
    void reset() { guard_.reset(); }
    ///@}
    /// Returns what was current before, or what the guard set; none if it set nothing.
    ///@{
    std::optional<Stream> original_stream() const {
        return guard_ ? std::optional(guard_->original_stream()) : std::nullopt;
    }
    std::optional<Stream> current_stream() const {
        return guard_ ? std::optional(guard_->current_stream()) : std::nullopt;
    }
    ///@}

private:
    std::optional<StreamGuard> guard_;
};

/// Makes each stream the current one of its device until the end of the scope; the current device
/// stays. libtorch: c10::MultiStreamGuard.
class SINTER_API MultiStreamGuard {
public:
    /// Sets the streams, and restores those before.
    ///@{
    explicit MultiStreamGuard(ArrayRef<Stream> streams);
    ~MultiStreamGuard();
    ///@}
    MultiStreamGuard(const MultiStreamGuard&) = delete;
    MultiStreamGuard& operator=(const MultiStreamGuard&) = delete;

private:
    std::vector<Stream> original_;
};

namespace cuda {

// ---- streams

/// A stream of a GPU. libtorch: c10::cuda::CUDAStream.
class SINTER_API CUDAStream : public Stream {
public:
    /// A stream of a GPU; unless UNCHECKED, throws Error for a stream of the CPU.
    ///@{
    enum Unchecked { UNCHECKED };
    explicit CUDAStream(const Stream& s);
    CUDAStream(Unchecked, const Stream& s) : Stream(s) {}
    ///@}
    /// Returns the stream.
    const Stream& unwrap() const { return *this; }
    /// Returns the driver's handle.
    void* stream() const { return native_handle(); }
    /// Returns the lowest and the highest priority.
    static constexpr std::tuple<int, int> priority_range() { return {0, -1}; }
};

/// Returns the stream that work goes to unless another one is made current. It does not synchronise
/// with the driver's own default stream. Throws Error without a GPU. libtorch:
/// c10::cuda::getDefaultCUDAStream.
SINTER_API CUDAStream getDefaultCUDAStream(DeviceIndex index = -1);
/// Returns or sets the calling thread's current stream of a device. Throws Error without a GPU.
/// libtorch: c10::cuda::getCurrentCUDAStream, c10::cuda::setCurrentCUDAStream.
///@{
SINTER_API CUDAStream getCurrentCUDAStream(DeviceIndex index = -1);
SINTER_API void setCurrentCUDAStream(const Stream& s);
///@}
/// Returns one of 32 streams of each priority, in turn: programs that want more share them. Throws
/// Error for a priority above 0. libtorch: c10::cuda::getStreamFromPool.
///@{
SINTER_API CUDAStream getStreamFromPool(bool isHighPriority = false, DeviceIndex index = -1);
SINTER_API CUDAStream getStreamFromPool(int priority, DeviceIndex index = -1);
///@}
/// Returns a stream for a handle that the program owns, and must keep until Sinter's work on it has
/// ended. Throws Error without a GPU. libtorch: c10::cuda::getStreamFromExternal.
SINTER_API CUDAStream getStreamFromExternal(void* handle, DeviceIndex index = -1);

/// libtorch's names.
///@{
using CUDAStreamGuard = StreamGuard;
using OptionalCUDAStreamGuard = OptionalStreamGuard;
using CUDAMultiStreamGuard = MultiStreamGuard;
///@}

/// The driver's flags of events.
///@{
inline constexpr unsigned event_default = 0, event_disable_timing = 2;  // the driver's flags
///@}

/// An Event with ATen's constructor. libtorch: at::cuda::CUDAEvent.
class SINTER_API CUDAEvent : public Event {
public:
    /// Without a time, unless `flags` are event_default.
    explicit CUDAEvent(unsigned flags = event_disable_timing)
        : Event(kCUDA, flags & event_disable_timing ? EventFlag::PYTORCH_DEFAULT
                                                    : EventFlag::BACKEND_DEFAULT) {}
    /// Returns true if it was recorded.
    bool isCreated() const { return was_marked_for_recording(); }
};

// ---- devices

/// A GPU by its index, -1 for the current one, by Device, or by name.
class SINTER_API AnyDevice {
public:
    /// A GPU. Throws ValueError for the CPU.
    ///@{
    AnyDevice() = default;
    // A template, or 0 would be a null pointer to a name.
    template <class T>
        requires std::is_integral_v<T>
    AnyDevice(T index) : index_(static_cast<int64_t>(index)) {}          // NOLINT
    AnyDevice(Device device);                                            // NOLINT
    AnyDevice(DeviceType type) : AnyDevice(Device(type)) {}              // NOLINT
    AnyDevice(const char* device) : AnyDevice(Device(device)) {}         // NOLINT
    AnyDevice(const std::string& device) : AnyDevice(Device(device)) {}  // NOLINT
    ///@}
    /// Returns the index as it was given: -1 for the current GPU.
    int64_t index() const { return index_; }

private:
    int64_t index_ = -1;
};

/// Makes a GPU the current one until the end of the scope. libtorch: c10::cuda::CUDAGuard.
class CUDAGuard : public DeviceGuard {
public:
    /// Sets the device.
    ///@{
    explicit CUDAGuard(DeviceIndex index) : DeviceGuard(Device(kCUDA, index)) {}
    explicit CUDAGuard(Device device) : DeviceGuard(device) {}
    ///@}
    /// Makes another device current.
    void set_device(Device device) { reset_device(device); }
};
/// libtorch's name.
using OptionalCUDAGuard = OptionalDeviceGuard;

/// A GPU's properties, as the driver reports them.
struct DeviceProperties {
    /// The properties. Memory is in bytes; `major` and `minor` are 9 and 0 for sm_90 and gfx90a, 9
    /// and 4 for gfx942.
    ///@{
    std::string name;
    std::string architecture;  ///< sm_90, gfx942
    Vendor vendor = Vendor::none;
    int major = 0, minor = 0;  ///< 9 and 0 for sm_90 and gfx90a, 9 and 4 for gfx942
    int64_t total_memory = 0;  // bytes
    int multi_processor_count = 0;
    int warp_size = 0;
    int max_threads_per_block = 0;
    int max_threads_per_multi_processor = 0;
    int64_t shared_memory_per_block = 0;  // bytes
    int64_t L2_cache_size = 0;            // bytes
    ///@}
};
/// Returns the properties, or the name. PyTorch: torch.cuda.get_device_properties,
/// torch.cuda.get_device_name.
///@{
SINTER_API DeviceProperties get_device_properties(AnyDevice device = {});
SINTER_API std::string get_device_name(AnyDevice device = {});
///@}
/// Returns the properties' major and minor number. PyTorch: torch.cuda.get_device_capability.
SINTER_API std::pair<int, int> get_device_capability(AnyDevice device = {});

/// Returns true if a GPU can read and write the memory of another; false for the same GPU. PyTorch:
/// torch.cuda.can_device_access_peer.
SINTER_API bool can_device_access_peer(AnyDevice device, AnyDevice peer);
/// Lets a GPU access another one's memory, for the program's own kernels and for copies that do not
/// pass main memory; returns true if it can. Sinter's operations want operands on one device
/// nevertheless. PyTorch: none.
SINTER_API bool enable_peer_access(AnyDevice device, AnyDevice peer);

// ---- memory

/// Returns the bytes in tensors (allocated), or got from the driver (reserved: in tensors and kept
/// for later ones), now or at most since the peaks were reset; 0 without a GPU. PyTorch:
/// torch.cuda.memory_allocated and so on.
///@{
SINTER_API int64_t memory_allocated(AnyDevice device = {});
SINTER_API int64_t max_memory_allocated(AnyDevice device = {});
SINTER_API int64_t memory_reserved(AnyDevice device = {});
SINTER_API int64_t max_memory_reserved(AnyDevice device = {});
///@}
/// Returns counters by the names of torch.cuda.memory_stats, those that exist here; none without a
/// GPU. PyTorch: torch.cuda.memory_stats.
SINTER_API std::map<std::string, int64_t> memory_stats(AnyDevice device = {});
/// Returns memory_stats() as a table for people. PyTorch: torch.cuda.memory_summary.
SINTER_API std::string memory_summary(AnyDevice device = {}, bool abbreviated = false);

/// Lets the peaks begin at what is in use now. Does nothing without a GPU. PyTorch:
/// torch.cuda.reset_peak_memory_stats.
SINTER_API void reset_peak_memory_stats(AnyDevice device = {});
/// Gives the driver back what no tensor uses, on all GPUs, after waiting for work on it. Does
/// nothing without a GPU. PyTorch: torch.cuda.empty_cache.
SINTER_API void empty_cache();

/// Returns free and total bytes of a GPU, for all processes, as the driver reports them. PyTorch:
/// torch.cuda.mem_get_info.
SINTER_API std::pair<int64_t, int64_t> mem_get_info(AnyDevice device = {});
/// Limits what is got from the driver to this part of all memory; more throws OutOfMemoryError.
/// Throws ValueError outside [0, 1]. PyTorch: torch.cuda.set_per_process_memory_fraction.
SINTER_API void set_per_process_memory_fraction(double fraction, AnyDevice device = {});

// ---- libtorch's other names
/// Seeds the draws on every device, also on the CPU. PyTorch: torch.cuda.manual_seed.
///@{
SINTER_API void manual_seed(uint64_t seed);
inline void manual_seed_all(uint64_t seed) { manual_seed(seed); }
///@}
/// libtorch's names of device_count() (throws Error for none) and synchronize(). libtorch:
/// c10::cuda::device_count_ensure_non_zero, c10::cuda::device_synchronize.
///@{
inline DeviceIndex device_count_ensure_non_zero() {
    current_device();
    return static_cast<DeviceIndex>(device_count());
}
inline void device_synchronize() { synchronize(); }
///@}
namespace CUDACachingAllocator {
/// libtorch's names of empty_cache(), reset_peak_memory_stats() and
/// set_per_process_memory_fraction(). libtorch: c10::cuda::CUDACachingAllocator.
///@{
inline void emptyCache() { empty_cache(); }
inline void resetPeakStats(int device) { reset_peak_memory_stats(device); }
inline void setMemoryFraction(double fraction, int device) {
    set_per_process_memory_fraction(fraction, device);
}
///@}
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
