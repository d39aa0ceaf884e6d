// Launches that go to a stream together, in order: those of a kernel, or of all kernels of a plan.
#pragma once

#include "runtime/device/buffer.hpp"
#include "runtime/device/module.hpp"
#include "runtime/device/uses.hpp"
#include "runtime/memory/arena.hpp"

#include <span>

namespace sinter::runtime {

class launch_batch {
public:
    struct launch {
        void* function;
        launch_shape shape;
        uint32_t at, words;  // range in `arguments`
    };

    explicit launch_batch(gpu_stream& s) : stream_(s) {}
    launch_batch(const launch_batch&) = delete;
    launch_batch& operator=(const launch_batch&) = delete;

    gpu_stream& stream() const { return stream_; }
    void reserve(std::size_t launches, std::size_t words) {
        launches_.reserve(launches);
        arguments_.reserve(words);
    }

    // ---- collecting

    /// Returns memory for the argument of the next launches; valid until the next call.
    std::span<uint64_t> add_argument(std::size_t words) {
        argument_ = static_cast<uint32_t>(arguments_.size());
        arguments_.resize(arguments_.size() + words);
        return std::span(arguments_).subspan(argument_);
    }
    /// Adds a launch with the argument that was added last.
    void add(const gpu_kernel& code, const launch_shape& shape) {
        launches_.push_back({code.function, shape, argument_,
                             static_cast<uint32_t>(arguments_.size()) - argument_});
        used_ = uses_.size();
    }
    /// Notes memory that the next launch reads (or writes). The stream waits now for what the
    /// launch depends on. The memory must live until the batch has been put.
    void reads(stream_uses& u) {
        uses_.push_back({&u, false});
        u.before_read(stream_);
    }
    void writes(stream_uses& u) {
        uses_.push_back({&u, true});
        u.before_write(stream_);
    }
    void keep(buffer_ptr b) { kept_.push_back(std::move(b)); }

    std::span<const launch> launches() const { return launches_; }
    std::span<const uint64_t> arguments() const { return arguments_; }
    graph_kernel kernel(const launch& l) const {
        return {l.function, l.shape.blocks, l.shape.threads, l.shape.shared,
                arguments_.data() + l.at};
    }

    // ---- putting

    /// Puts the launches on the stream one by one. Throws if the driver refuses one; `put_so_far`
    /// then tells how many are on the stream.
    void put();
    /// Notes that all launches are on the stream, up to `position`.
    void were_put(uint64_t position);
    std::size_t put_so_far() const { return put_; }

private:
    struct use {
        stream_uses* of;
        bool written;
    };
    void note_uses(uint64_t position);

    gpu_stream& stream_;
    arena_vector<launch> launches_;
    arena_vector<uint64_t> arguments_;
    arena_vector<use> uses_;
    std::size_t used_ = 0;  // uses by launches; later ones belong to a launch that was never added
    arena_vector<buffer_ptr> kept_;
    uint32_t argument_ = 0;
    std::size_t put_ = 0;
};

}  // namespace sinter::runtime
