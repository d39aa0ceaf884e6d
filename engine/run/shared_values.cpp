#include "engine/run/shared_values.hpp"

#include "runtime/memory/arena.hpp"

namespace sinter {
namespace {

class plan_walk {
public:
    plan_walk(node_visitor shared, void* context) : shared_(shared), context_(context) {}

    /// Visits what the next plan reads, which computes `targets`.
    void next(std::span<Version* const> targets) {
        ++plan_;
        for (Version* v : targets) visit(*v);
        while (!walk_.empty()) {
            const Node& n = *walk_.back()->producer;
            walk_.pop_back();
            for (const Edge& e : n.sources)
                if (e.value) visit(*e.value);
        }
    }

private:
    void visit(Version& v) {
        if (v.index == 0) {
            v.index = plan_;
            walk_.push_back(&v);
        } else if (v.index > 0 && v.index != plan_ && !v.producer->partial() &&
                   !v.producer->sources.empty()) {
            shared_(context_, *v.producer);
        }
    }

    node_visitor shared_;
    void* context_;
    runtime::arena_vector<Version*> walk_;
    int32_t plan_ = 0;
};

}  // namespace

void for_each_shared(std::span<Version* const> writes, std::span<Version* const> wanted,
                     node_visitor visit, void* context) {
    plan_walk walk(visit, context);
    for (Version* v : writes) {
        Version* base[] = {v->producer->base().value.get()};
        if (base[0]->index == 0) walk.next(base);
        Version* part[] = {v};
        walk.next(part);
    }
    walk.next(wanted);
}

}  // namespace sinter
