// Properties of GPUs and statistics of their memory.
#include "ops/common/devices.hpp"
#include "runtime/device/memory.hpp"
#include "runtime/device/transfer.hpp"

#include <sinter/cuda.hpp>
#include <sinter/generator.hpp>

#include <algorithm>
#include <cmath>

namespace sinter::inline v1 {

using runtime::fail;
using runtime::text;

namespace {

const runtime::gpu& gpu_of(const char* op, const cuda::AnyDevice& device) {
    const int64_t index = device.index();
    const auto number = static_cast<int8_t>(std::clamp<int64_t>(index, -1, 127));
    return runtime::gpu_at(ops::device_index_of(op, Device(kCUDA, number)));
}

/// Returns zeros if there is no GPU.
runtime::gpu_memory_stats stats_of(const char* op, const cuda::AnyDevice& device) {
    if (runtime::gpu_count() == 0) return {};
    return runtime::gpu_memory_stats_of(gpu_of(op, device));
}

int64_t number(uint64_t n) { return static_cast<int64_t>(n); }

}  // namespace

Vendor Device::vendor() const {
    const runtime::device_index device = ops::device_index_of("vendor", *this);
    return device == runtime::main_memory ? Vendor::none : runtime::gpu_at(device).api->vendor->id;
}

std::ostream& operator<<(std::ostream& out, Vendor vendor) {
    for (const runtime::gpu_vendor* v : runtime::gpu_vendors)
        if (v->id == vendor) return out << v->company;
    return out << "none";
}

namespace cuda {

AnyDevice::AnyDevice(Device device) : index_(device.index()) {
    if (device.is_cpu())
        fail<ValueError>("cuda", "the device is not a GPU", device.str(), "a GPU", "kCUDA");
}

DeviceProperties get_device_properties(AnyDevice device) {
    const runtime::gpu& g = gpu_of("get_device_properties", device);
    const runtime::device_properties& from = g.properties;
    DeviceProperties p;
    p.name = from.name;
    p.architecture = from.architecture;
    p.vendor = g.api->vendor->id;
    p.major = from.major;
    p.minor = from.minor;
    p.total_memory = number(from.memory);
    p.multi_processor_count = from.multiprocessors;
    p.warp_size = from.warp;
    p.max_threads_per_block = from.threads_per_block;
    p.max_threads_per_multi_processor = from.threads_per_multiprocessor;
    p.shared_memory_per_block = from.shared_memory;
    p.L2_cache_size = from.l2;
    return p;
}

std::string get_device_name(AnyDevice device) {
    return gpu_of("get_device_name", device).properties.name;
}

std::pair<int, int> get_device_capability(AnyDevice device) {
    const runtime::device_properties& p = gpu_of("get_device_capability", device).properties;
    return {p.major, p.minor};
}

bool can_device_access_peer(AnyDevice device, AnyDevice peer) {
    const runtime::gpu& g = gpu_of("can_device_access_peer", device);
    return runtime::can_open_peer(g, gpu_of("can_device_access_peer", peer));
}

bool enable_peer_access(AnyDevice device, AnyDevice peer) {
    const runtime::gpu& g = gpu_of("enable_peer_access", device);
    return runtime::open_peer(g, gpu_of("enable_peer_access", peer));
}

// ---- memory
int64_t memory_allocated(AnyDevice device) {
    return number(stats_of("memory_allocated", device).allocated);
}
int64_t max_memory_allocated(AnyDevice device) {
    return number(stats_of("max_memory_allocated", device).allocated_peak);
}
int64_t memory_reserved(AnyDevice device) {
    return number(stats_of("memory_reserved", device).reserved);
}
int64_t max_memory_reserved(AnyDevice device) {
    return number(stats_of("max_memory_reserved", device).reserved_peak);
}

std::map<std::string, int64_t> memory_stats(AnyDevice device) {
    if (runtime::gpu_count() == 0) return {};
    const runtime::gpu_memory_stats s = stats_of("memory_stats", device);
    return {
        {"allocated_bytes.all.current", number(s.allocated)},
        {"allocated_bytes.all.peak", number(s.allocated_peak)},
        {"reserved_bytes.all.current", number(s.reserved)},
        {"reserved_bytes.all.peak", number(s.reserved_peak)},
        {"allocation.all.current", number(s.blocks)},
        {"allocation.all.allocated", number(s.requests)},
        {"segment.all.current", number(s.segments)},
        {"num_alloc_retries", number(s.retries)},
        {"num_ooms", number(s.failures)},
        {"num_device_alloc", number(s.driver_calls)},
    };
}

std::string memory_summary(AnyDevice device, bool abbreviated) {
    const runtime::gpu& g = gpu_of("memory_summary", device);
    const runtime::gpu_memory_stats s = runtime::gpu_memory_stats_of(g);
    const auto row = [](const char* what, uint64_t now, uint64_t peak) {
        std::string line = what;
        for (const uint64_t n : {now, peak}) {
            const std::string digits = std::to_string(n);
            line += std::string(16 - std::min<std::size_t>(15, digits.size()), ' ') + digits;
        }
        return line + "\n";
    };
    std::string table = g.str() + ", " + g.properties.name + "\n" +
                        "memory, bytes                now            peak\n" +
                        row("in tensors       ", s.allocated, s.allocated_peak) +
                        row("from the driver  ", s.reserved, s.reserved_peak);
    if (abbreviated) return table;
    return table + text("blocks ", s.blocks, ", segments ", s.segments, ", requests so far ",
                        s.requests, ", of the driver ", s.driver_calls,
                        ", again after giving back ", s.retries, ", failed ", s.failures, "\n");
}

void reset_peak_memory_stats(AnyDevice device) {
    if (runtime::gpu_count() > 0)
        runtime::reset_gpu_peaks(gpu_of("reset_peak_memory_stats", device));
}

void empty_cache() {
    for (int i = 0; i < runtime::gpu_count(); ++i) runtime::empty_gpu_cache(runtime::gpu_at(i));
}

std::pair<int64_t, int64_t> mem_get_info(AnyDevice device) {
    std::size_t free = 0, total = 0;
    runtime::gpu_memory_info(gpu_of("mem_get_info", device), free, total);
    return {number(free), number(total)};
}

void set_per_process_memory_fraction(double fraction, AnyDevice device) {
    if (!(fraction >= 0 && fraction <= 1))
        fail<ValueError>("set_per_process_memory_fraction", "the fraction is out of range",
                         text(fraction), "0 to 1", "1, which allows all of the GPU's memory");
    const runtime::gpu& g = gpu_of("set_per_process_memory_fraction", device);
    const double bytes = std::floor(static_cast<double>(g.properties.memory) * fraction);
    // A limit of 0 would mean no limit.
    runtime::limit_gpu_memory(g, std::max<std::size_t>(1, static_cast<std::size_t>(bytes)));
}

void manual_seed(uint64_t seed) { v1::manual_seed(seed); }

}  // namespace cuda
}  // namespace sinter::inline v1
