// Dual tensors: include/sinter/autograd/forward_ad.hpp. A tangent belongs to a node of the gradient
// graph that passes everything on, so that copies and views of a dual tensor have it, too.
#include "ops/autograd/forward.hpp"
#include "ops/autograd/rules.hpp"
#include "ops/common/op_checks.hpp"

#include <sinter/autograd.hpp>
#include <sinter/functions/functions.hpp>

#include <algorithm>
#include <unordered_set>

namespace sinter::inline v1::autograd::forward_ad {
namespace {

/// A level that has begun. It drops the tangents of its nodes when it ends, since they may depend
/// on these nodes.
struct level_state {
    std::vector<std::weak_ptr<Tensor>> tangents;

    level_state() = default;
    level_state(const level_state&) = delete;
    level_state& operator=(const level_state&) = delete;
    ~level_state() {
        for (const std::weak_ptr<Tensor>& w : tangents)
            if (const std::shared_ptr<Tensor> t = w.lock()) *t = Tensor();
    }
};

thread_local std::vector<std::shared_ptr<level_state>> levels;

class dual_node final : public Node {
public:
    /// An undefined tangent is 0.
    dual_node(const TensorImpl& of, const std::shared_ptr<level_state>& level, Tensor tangent)
        : level_(level), tangent_(std::make_shared<Tensor>(std::move(tangent))) {
        level->tangents.push_back(tangent_);
        if (GradMode::is_enabled())
            if (Edge e = gradient_edge(of); e.is_valid()) next_edges_.push_back(std::move(e));
        renumber();
        describe_result(*this, of.shape, of.dtype, of.device);
    }
    std::string name() const override { return "MakeDualBackward0"; }
    variable_list apply(variable_list&& grads) override {
        grads.resize(next_edges_.size());
        return std::move(grads);
    }
    std::optional<variable_list> apply_forward(variable_list&& tangents, bool) override {
        return std::move(tangents);
    }

    bool is_of(const level_state& level) const { return level_.lock().get() == &level; }
    const Tensor& tangent() const { return *tangent_; }

private:
    std::weak_ptr<level_state> level_;  // expired: the level has ended
    std::shared_ptr<Tensor> tangent_;
};

/// Returns the level; null if there is none.
std::shared_ptr<level_state> find_level(const char* name, optional<uint64_t> number) {
    if (!number) return levels.empty() ? nullptr : levels.back();
    if (*number < levels.size()) return levels[*number];
    runtime::fail(name, "there is no such forward AD level", runtime::text("level ", *number),
                  runtime::text("one of ", levels.size(), " levels, counted from 0"),
                  "the number that enter_dual_level() returned");
}

/// Returns a tensor over the same memory whose tangent in the level is this one.
Tensor with_tangent(const Tensor& t, const std::shared_ptr<level_state>& level, Tensor tangent) {
    const TensorImpl& of = ops::body("forward_ad", t);
    auto node = make_intrusive<dual_node>(of, level, std::move(tangent));
    const Tensor dual = t.detach();
    set_origin(*dual.unsafeGetTensorImpl(), std::move(node), 0);
    return dual;
}

/// What a tensor was computed from.
struct origins {
    std::vector<Edge> duals;  // of the level
    variable_list tangents;
    bool others = false;  // also from leaves, or from duals of other levels
};

origins origins_of(const Edge& root, const level_state& level) {
    origins found;
    std::vector<Edge> open{root};
    std::unordered_set<const Node*> seen{root.function.get()};
    while (!open.empty()) {
        const Edge e = std::move(open.back());
        open.pop_back();
        if (const auto* dual = dynamic_cast<const dual_node*>(e.function.get());
            dual && dual->is_of(level)) {
            found.duals.push_back(e);
            found.tangents.push_back(dual->tangent());
            // The value of the dual may have a gradient of its own.
            found.others =
                found.others || !e.function->next_edges().empty() ||
                (found.tangents.back().defined() && found.tangents.back().requires_grad());
            continue;
        }
        found.others = found.others || e.function->next_edges().empty();
        for (const Edge& next : e.function->next_edges())
            if (next.is_valid() && seen.insert(next.function.get()).second) open.push_back(next);
    }
    return found;
}

}  // namespace

uint64_t enter_dual_level() {
    install_rules();
    const uint64_t number = levels.size();
    levels.push_back(std::make_shared<level_state>());
    return number;
}

void exit_dual_level(uint64_t level) {
    if (level + 1 != levels.size())
        runtime::fail("exit_dual_level",
                      "Trying to exit a forward AD level that was not the last one that was "
                      "created. This is not supported",
                      runtime::text("level ", level),
                      levels.empty() ? std::string("no level at all")
                                     : runtime::text("level ", levels.size() - 1),
                      "leaving levels in the opposite order");
    levels.pop_back();
}

dual_level::~dual_level() {
    if (levels.size() > level_) levels.resize(level_);
}

Tensor make_dual(const Tensor& primal, const Tensor& tangent, optional<uint64_t> level) {
    const char* name = "make_dual";
    const std::shared_ptr<level_state> of = find_level(name, level);
    if (!of)
        runtime::fail(name,
                      "Trying to create a dual Tensor for forward AD but no level exists, make "
                      "sure to enter_dual_level() first",
                      "no level", "a level", "a forward_ad::dual_level object");
    const TensorImpl &p = ops::body(name, primal), &t = ops::body(name, tangent);
    if (!is_differentiable(p.dtype))
        runtime::fail(name, "the primal is neither floating point nor complex",
                      runtime::text("dtype ", p.dtype), "a floating point or complex dtype",
                      "to(kFloat)");
    if (!(p.shape->sizes_ref() == t.shape->sizes_ref()))
        runtime::fail(name, "the tangent does not have the shape of the primal", ops::shapes(p, t),
                      "the same shape", "expand_as() on the tangent");
    return with_tangent(primal, of, tangent);
}

unpacked_dual unpack_dual(const Tensor& dual, optional<uint64_t> level) {
    const std::shared_ptr<level_state> of = find_level("unpack_dual", level);
    const Edge root = gradient_edge(ops::body("unpack_dual", dual));
    if (!of || !root.is_valid()) return {dual, Tensor()};
    const origins from = origins_of(root, *of);
    if (std::none_of(from.tangents.begin(), from.tangents.end(),
                     [](const Tensor& t) { return t.defined(); }))
        return {dual, Tensor()};
    const bool recorded = from.others && GradMode::is_enabled();
    Tensor tangent = run_forward({root}, from.duals, from.tangents, {.create_graph = recorded})[0];
    // What was computed from a tensor with a tangent has one, be it 0.
    if (!tangent.defined()) tangent = zeros(dual.sizes(), dual.detach().options());
    if (!recorded) return {dual.detach(), tangent};
    return {with_tangent(dual, of, Tensor()), with_tangent(tangent, of, Tensor())};
}

}  // namespace sinter::inline v1::autograd::forward_ad
