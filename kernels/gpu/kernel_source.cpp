#include "kernels/gpu/kernel_source.hpp"

#include "jit/cache/device_kernels.hpp"
#include "jit/cache/recorder.hpp"
#include "jit/kernel_ir/byte_stream.hpp"
#include "runtime/report/stats.hpp"
#include "runtime/types/dtypes.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <tuple>

namespace sinter::gpu_kernels {
namespace {

struct slot {
    std::mutex getting;
    std::vector<runtime::gpu_kernel> kernels;  // empty until compiled
    std::atomic<bool> ready{false};
};

struct known_kernels {
    std::shared_mutex mutex;
    std::map<std::tuple<int, const kernel_source*, std::string>, std::unique_ptr<slot>> slots;

    slot& of(int device, const kernel_source& w, const std::string& words) {
        const auto key = std::tuple(device, &w, words);
        {
            const std::shared_lock lock(mutex);
            if (const auto at = slots.find(key); at != slots.end()) return *at->second;
        }
        const std::unique_lock lock(mutex);
        std::unique_ptr<slot>& s = slots[key];
        if (!s) s = std::make_unique<slot>();
        return *s;
    }
};

/// Leaked on purpose: threads may use kernels until the last one ends.
known_kernels& known() {
    static auto* k = new known_kernels;
    return *k;
}

}  // namespace

macro_definitions& macro_definitions::number(std::string_view word, int64_t n) {
    return name(word, std::to_string(n));
}

macro_definitions& macro_definitions::name(std::string_view word, std::string_view meaning) {
    text_.append("#define ").append(word).append(" ").append(meaning).append("\n");
    return *this;
}

macro_definitions& macro_definitions::type(std::string_view word, ScalarType t) {
    return name(word, info_of(t).gpu);
}

macro_definitions& macro_definitions::types(bool (*takes)(ScalarType)) {
    std::string list;
#define SINTER_DTYPE(type, computed, name, number, ...) \
    if (takes(ScalarType::name))                        \
        list += std::string(" X(" #number ", ") + info_of(ScalarType::name).gpu + ")";
#include <sinter/core/dtype.def>
    return name("TYPES(X)", list);
}

const char* bits_name(std::size_t bytes) {
    switch (bytes) {
        case 1: return "u8";
        case 2: return "u16";
        case 4: return "u32";
        case 8: return "u64";
        default: return "bits16";
    }
}

std::vector<uint8_t> write_request(const source_request& r) {
    kernel_ir::byte_writer out;
    out.put_name(r.name);
    out.put_size(r.words.size());
    for (const char c : r.words) out.put(c);
    return out.take();
}

source_request read_request(std::span<const uint8_t> bytes) {
    kernel_ir::byte_reader in(bytes.data(), bytes.size(), "recording", "a request for a source");
    source_request r;
    r.name = in.get_name();
    r.words.resize(in.get_size(1));
    for (char& c : r.words) c = in.get<char>();
    if (in.left() != 0) in.malformed("more bytes follow the request");
    return r;
}

std::span<const runtime::gpu_kernel> kernels_of(const runtime::gpu& g, const kernel_source& of,
                                                const macro_definitions& words) {
    slot& s = known().of(g.index, of, words.text());
    if (s.ready.load(std::memory_order_acquire)) {
        runtime::count().cache_hits.add();
        return s.kernels;
    }
    const std::lock_guard lock(s.getting);
    if (!s.ready.load(std::memory_order_acquire)) {
        if (code_cache::records())
            code_cache::record(code_cache::record_kind::source,
                               write_request({of.name, words.text()}));
        code_cache::device_code found =
            code_cache::get_text_on(g, words.text() + of.text, of.functions);
        (found.from == code_cache::source::disk ? runtime::count().kernels_loaded
                                                : runtime::count().kernels_compiled)
            .add();
        s.kernels = std::move(found.kernels);
        s.ready.store(true, std::memory_order_release);
    }
    return s.kernels;
}

runtime::launch_shape grid_for(int64_t threads) {
    // A HIP grid holds fewer than 2^32 threads.
    constexpr int64_t most = std::numeric_limits<int32_t>::max() / block_threads;
    const int64_t blocks = (threads + block_threads - 1) / block_threads;
    return {static_cast<unsigned>(std::clamp<int64_t>(blocks, 1, most)), block_threads};
}

void put(runtime::gpu_stream& s, const runtime::gpu_kernel& k, const runtime::launch_shape& shape,
         const arguments& a) {
    runtime::put_launch(s, k, shape, a.data());
    runtime::count().kernels_launched.add();
}

}  // namespace sinter::gpu_kernels
