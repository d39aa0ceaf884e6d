#include "jit/launch/gpu/launch_batch.hpp"

namespace sinter::runtime {

void launch_batch::put() {
    const gpu& g = stream_.device();
    const std::size_t before = put_;
    try {
        const device_scope scope(g);
        for (; put_ < launches_.size(); ++put_) {
            const graph_kernel k = kernel(launches_[put_]);
            void* parameters[] = {const_cast<void*>(k.argument)};
            check(g, "launching a kernel",
                  g.api->launch(k.function, k.blocks, 1, 1, k.threads, 1, 1, k.shared,
                                stream_.handle(), parameters, nullptr));
        }
    } catch (...) {
        if (put_ > before) note_uses(stream_.mark());
        throw;
    }
    if (put_ > before) note_uses(stream_.put("launching a kernel"));
}

void launch_batch::were_put(uint64_t position) {
    put_ = launches_.size();
    note_uses(position);
}

void launch_batch::note_uses(uint64_t position) {
    for (const use& u : std::span(uses_).first(used_)) {
        if (u.written)
            u.of->after_write(stream_, position);
        else
            u.of->after_read(stream_, position);
    }
    uses_.clear();
    used_ = 0;
    kept_.clear();
}

}  // namespace sinter::runtime
