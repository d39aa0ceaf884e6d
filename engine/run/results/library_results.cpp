#include "engine/run/results/library_results.hpp"

#include "engine/graph/results.hpp"
#include "engine/run/results/result_buffers.hpp"

namespace sinter::plan {

library_results::library_results(const Node& n, runtime::device_index device) {
    if (!n.several()) {
        buffers_.push_back(runtime::make_buffer(n.result->nbytes(), device));
        return;
    }
    for (const result_info& r : n.attributes->results) {
        const auto bytes = static_cast<std::size_t>(r.shape->numel) * elementSize(r.dtype);
        buffers_.push_back(runtime::make_buffer(bytes, device));
        results_.push_back({static_cast<char*>(buffers_.back()->data), r.shape.get(), r.dtype});
    }
}

op_call library_results::call(const Node& n, std::span<const op_input> inputs,
                              runtime::gpu_stream* stream) const {
    char* const only = results_.empty() ? static_cast<char*>(buffers_[0]->data) : nullptr;
    return {*n.library, inputs, n.attributes, only, *n.shape, n.dtype, results_, stream};
}

library_results library_results::on(runtime::device_index device) const {
    library_results there;
    for (const runtime::buffer_ptr& b : buffers_) {
        there.buffers_.push_back(runtime::make_buffer(b->bytes, device));
        runtime::copy_bytes(*there.buffers_.back(), *b, b->bytes);
    }
    return there;
}

void library_results::publish_to(Version& v) && {
    if (!v.producer->several()) return settle_result(v, std::move(buffers_[0]));
    v.parts = std::make_unique<std::vector<runtime::buffer_ptr>>(std::move(buffers_));
    publish(v, runtime::make_buffer(v.nbytes(), v.device));
}

void run_result_node(Node& n) {
    const std::size_t part = n.attributes->as<result_attributes>().index;
    Version& all = *n.sources[0].value;
    runtime::buffer_ptr own;
    {
        // All readers are result_op nodes. A holder of another reference may add readers later, so
        // the part is then copied.
        std::lock_guard lock(graph_mutex());
        uint32_t readers = 0, of_part = 0;
        for (const Edge* e = all.readers; e; e = e->next) {
            ++readers;
            of_part += e->reader->attributes->as<result_attributes>().index == part;
        }
        if (of_part == 1 && all.references.load() == readers) own = std::move((*all.parts)[part]);
    }
    if (!own) {
        const Buffer& shared = *(*all.parts)[part];
        own = runtime::make_buffer(shared.bytes, n.device);
        runtime::copy_bytes(*own, shared, shared.bytes);
    }
    settle_result(*n.result, std::move(own));
}

}  // namespace sinter::plan
