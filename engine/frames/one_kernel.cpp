#include "engine/frames/one_kernel.hpp"

#include "engine/graph/claim.hpp"
#include "engine/run/execute.hpp"
#include "runtime/report/stats.hpp"

#include <algorithm>

namespace sinter::frames {

std::unique_ptr<one_kernel> one_kernel::make(const recording& r, const plan::executable& code,
                                             const plan::subgraph& w) {
    if (r.device != runtime::main_memory || r.storages.size() > most_storages || !r.targets.empty())
        return nullptr;
    for (const recorded_node& n : r.nodes)
        if (n.partial) return nullptr;
    const plan::kernel_step* only = plan::ready_launch::kernel_of(code);
    if (!only) return nullptr;
    const plan::kernel_step& k = *only;
    auto self = std::unique_ptr<one_kernel>(new one_kernel(code));
    for (std::size_t i = 0; i < k.operands.size(); ++i) {
        const plan::operand_binding& b = k.operands[i];
        const bool index = k.ir.operands[i].use == kernel_ir::role::index;
        operand o;
        o.offset = (b.offset + w.offsets.of(b.value)) * self->launch_.item(i);
        if (!index && !w.is_node(b.value)) o.leaf = b.value - static_cast<int>(r.nodes.size());
        for (std::size_t s = 0; s < r.storages.size(); ++s)
            if (!index && r.storages[s].node == b.value) o.storage = static_cast<int>(s);
        if (!index && o.leaf < 0 && o.storage < 0) return nullptr;
        self->operands_.push_back(o);
    }
    for (const recorded_storage& s : r.storages)
        if (std::none_of(k.outputs.begin(), k.outputs.end(), [&](int o) {
                return k.operands[static_cast<std::size_t>(o)].value == s.node;
            }))
            return nullptr;
    for (const plan::scalar_binding& b : k.scalars) {
        const recorded_node& n = r.nodes[static_cast<std::size_t>(b.node)];
        if (n.draw >= 0 && (b.index == 0 || b.index == 1)) {
            if (b.type != kernel_ir::mtype::i64) return nullptr;
            self->drawn_.push_back({self->scalars_.size(), n.draw, b.index == 1});
        }
        self->scalars_.push_back(plan::scalar_of(n, b));
    }
    if (!self->drawn_.empty() && self->scalars_.size() > most_scalars) return nullptr;
    return self;
}

namespace {

/// Returns a storage whose only value is ready in `buffer`. No other thread knows it.
intrusive_ptr<Storage> ready_storage(const recorded_storage& r, runtime::buffer_ptr buffer) {
    auto v = make_intrusive<Version>();
    auto s = make_intrusive<Storage>();
    v->dtype = r.dtype;
    v->numel = r.numel;
    v->owner = s.get();
    v->home = s.get();
    s->version = r.version;
    s->main = buffer;
    s->resident = v.get();
    v->buffer = std::move(buffer);
    v->state.store(version_state::ready, std::memory_order_relaxed);
    s->current = std::move(v);
    return s;
}

}  // namespace

void one_kernel::launch(std::span<const Version* const> leaves, const taken_places& places,
                        const storages& made) const {
    std::span<const uint64_t> scalars = scalars_;
    uint64_t now[most_scalars];
    if (!drawn_.empty()) {
        std::copy(scalars_.begin(), scalars_.end(), now);
        for (const drawn_scalar& d : drawn_) {
            const taken_places::place at = places.of(d.draw);
            now[d.at] = d.first ? at.first : at.seed;
        }
        scalars = {now, scalars_.size()};
    }
    launch_.run(
        [&](std::size_t i) {
            const operand& o = operands_[i];
            const Buffer* b = o.leaf >= 0 ? leaves[static_cast<std::size_t>(o.leaf)]->buffer.get()
                              : o.storage >= 0
                                  ? made[static_cast<std::size_t>(o.storage)]->main.get()
                                  : nullptr;
            return b ? static_cast<char*>(b->data) + o.offset : reinterpret_cast<char*>(o.offset);
        },
        scalars);
}

namespace {

/// A flush that only reads these values, which keep their memory, without the graph mutex.
class reading_values {
public:
    reading_values(std::span<Version* const> values, std::unique_lock<runtime::waiting_lock>& lock)
        : lock_(lock), values_(values) {
        for (Version* v : values_) {
            share(v).detach();
            ++v->pins;
        }
        enter_flush(false);
        lock_.unlock();
    }
    ~reading_values() {
        lock_.lock();
        leave_flush();
        for (Version* v : values_) --v->pins;
        lock_.unlock();
        // May destroy a version, which takes locks.
        for (Version* v : values_) intrusive_ptr<Version>::adopt(v).reset();
        lock_.lock();
    }
    reading_values(const reading_values&) = delete;

private:
    std::unique_lock<runtime::waiting_lock>& lock_;
    std::span<Version* const> values_;
};

}  // namespace

bool one_kernel::run(const recording& r, std::span<TensorImpl* const> arguments,
                     const taken_places& places,
                     std::unique_lock<runtime::waiting_lock>& graph_lock, storages& made) const {
    Version* leaves[most_operands];
    const std::size_t n = r.leaves.size();
    if (n > most_operands || !may_enter_flush()) return false;
    for (std::size_t i = 0; i < n; ++i) {
        const recorded_leaf& l = r.leaves[i];
        const Storage* s = storage_of(l, arguments);
        Version& v = s ? *s->current : *l.constant;
        if (!readable_bytes(v) || v.dtype != l.dtype) return false;
        if (l.captured && (v.numel != l.numel || l.captured->references.load() == 1)) return false;
        leaves[i] = &v;
    }
    for (std::size_t s = 0; s < r.storages.size(); ++s)
        made[s] = ready_storage(r.storages[s],
                                runtime::make_buffer(static_cast<std::size_t>(r.storages[s].numel) *
                                                     elementSize(r.storages[s].dtype)));
    if (launch_.is_brief()) {
        launch({leaves, n}, places, made);
    } else {
        const reading_values reading({leaves, n}, graph_lock);
        launch({leaves, n}, places, made);
    }
    runtime::counters& count = runtime::count();
    count.cache_hits.add();
    count.plans_replayed.add();
    return true;
}

}  // namespace sinter::frames
