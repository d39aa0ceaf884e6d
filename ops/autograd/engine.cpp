// A loop over nodes by their numbers, from the last to the first: a node is made after those that
// it leads to, so each runs when all its gradients are known, and in the same order each time.
// Nothing is computed here: nodes make pending statements.
#include "ops/autograd/engine.hpp"

#include "ops/autograd/anomaly.hpp"
#include "ops/common/op_checks.hpp"

#include <sinter/functions/functions.hpp>
#include <sinter/functions/pointwise.hpp>
#include <sinter/grad_mode.hpp>

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace sinter::inline v1::autograd {
namespace {

class backward_run {
public:
    explicit backward_run(const run_options& options) : options_(options) {
        for (std::size_t i = 0; i < options.wanted.size(); ++i)
            wanted_[options.wanted[i].function.get()].push_back(i);
        found_.resize(options.wanted.size());
    }

    variable_list run(const std::vector<Edge>& roots, variable_list gradients) {
        if (!options_.wanted.empty())
            for (Node* n : nodes_between(roots, options_.wanted)) needed_.insert(n);
        for (std::size_t i = 0; i < roots.size(); ++i)
            if (gradients[i].defined()) add(roots[i], gradients[i]);
        AutoGradMode mode(options_.create_graph);
        while (!ready_.empty()) {
            const auto last = std::prev(ready_.end());
            task t = std::move(last->second);
            ready_.erase(last);
            run(*t.node, std::move(t.gradients));
        }
        return std::move(found_);
    }

private:
    struct task {
        intrusive_ptr<Node> node;
        variable_list gradients;
    };

    bool is_needed(Node* n) const { return options_.wanted.empty() || needed_.count(n) > 0; }

    /// Adds a gradient of a node's result.
    void add(const Edge& e, Tensor g) {
        Node& n = *e.function;
        if (!is_needed(&n)) return;
        task& t = ready_[n.sequence_nr()];
        if (!t.node) {
            t.node = e.function;
            t.gradients.resize(n.results_.size());
        }
        g = fitted(std::move(g), n, n.results_[e.input_nr]);
        Tensor& sum = t.gradients[e.input_nr];
        sum = sum.defined() ? Tensor(sum + g) : std::move(g);
    }

    bool goes_on(const Node& n) const {
        if (n.next_edges().empty()) return options_.accumulate;
        return options_.wanted.empty() ||
               std::any_of(n.next_edges().begin(), n.next_edges().end(),
                           [&](const Edge& e) { return needed_.count(e.function.get()) > 0; });
    }

    void run(Node& n, variable_list gradients) {
        const Node::hook_lists* hooks = n.hooks_if_any();
        if (hooks) before(*hooks, gradients);
        if (const auto w = wanted_.find(&n); w != wanted_.end())
            for (const std::size_t i : w->second)
                found_[i] = gradients[options_.wanted[i].input_nr];
        if (!goes_on(n)) return;
        variable_list given;
        if (hooks && !hooks->after.empty()) given = gradients;
        variable_list results = n.apply(std::move(gradients));
        if (hooks)
            for (const Node::post_hook& h : hooks->after) results = h(results, given);
        check_anomaly(n, results);
        if (!options_.keep_graph) n.release_variables();
        for (std::size_t i = 0; i < n.next_edges().size(); ++i)
            if (n.next_edges()[i].is_valid() && i < results.size() && results[i].defined())
                add(n.next_edges()[i], std::move(results[i]));
    }

    static void before(const Node::hook_lists& hooks, variable_list& gradients) {
        for (const auto& [result, hook] : hooks.of_tensors)
            if (*hook && gradients[result].defined())
                if (Tensor other = (*hook)(gradients[result]); other.defined())
                    gradients[result] = std::move(other);
        for (const auto& [result, hook] : hooks.retaining)
            if (gradients[result].defined()) hook(gradients[result]);
        for (const Node::pre_hook& h : hooks.before) gradients = h(gradients);
    }

    const run_options& options_;
    std::unordered_map<Node*, std::vector<std::size_t>> wanted_;
    std::unordered_set<Node*> needed_;
    std::map<uint64_t, task> ready_;  // by number
    variable_list found_;
};

/// What is recorded while it lives computes gradients.
class backward_pass {
public:
    backward_pass() : within_(std::exchange(in_backward_pass, true)) {}
    ~backward_pass() { in_backward_pass = within_; }
    backward_pass(const backward_pass&) = delete;
    backward_pass& operator=(const backward_pass&) = delete;

private:
    const bool within_;
};

}  // namespace

std::vector<Node*> nodes_between(const std::vector<Edge>& roots, const std::vector<Edge>& targets) {
    // Nodes with a smaller number than all targets cannot lead to one.
    uint64_t least = ~uint64_t{0};
    std::unordered_set<const Node*> leading;
    for (const Edge& e : targets) {
        if (!e.is_valid()) continue;
        least = std::min(least, e.function->sequence_nr());
        leading.insert(e.function.get());
    }
    std::vector<Node*> all;
    std::unordered_set<const Node*> seen;
    const auto meet = [&](const Edge& e) {
        Node* n = e.function.get();
        if (n && n->sequence_nr() >= least && seen.insert(n).second) all.push_back(n);
    };
    for (const Edge& e : roots) meet(e);
    for (std::size_t i = 0; i < all.size(); ++i)
        for (const Edge& e : all[i]->next_edges()) meet(e);
    std::sort(all.begin(), all.end(),
              [](const Node* a, const Node* b) { return a->sequence_nr() < b->sequence_nr(); });
    std::erase_if(all, [&](Node* n) {
        const auto leads = [&](const Edge& e) { return leading.count(e.function.get()) > 0; };
        if (leading.count(n) > 0) return false;
        if (std::none_of(n->next_edges().begin(), n->next_edges().end(), leads)) return true;
        leading.insert(n);
        return false;
    });
    return all;
}

Tensor fitted(Tensor g, const Node& by, const result_metadata& to, bool batched) {
    std::vector<int64_t> expected;
    int64_t count = to.shape->numel;
    if (batched) {
        // Sizes are compared from behind, and the leading dimension stays.
        std::vector<int64_t> summed;
        for (int64_t d = 1; d < g.dim() - to.shape->ndim; ++d) summed.push_back(d);
        if (!summed.empty()) g = g.sum(summed);
        expected = to.shape->sizes_ref().vec();
        expected.insert(expected.begin(), g.size(0));
        count *= g.size(0);
    }
    const IntArrayRef sizes = g.sizes(),
                      wanted = batched ? IntArrayRef(expected) : to.shape->sizes_ref();
    if (sizes != wanted) {
        bool sums = g.numel() != count && sizes.size() >= wanted.size();
        const std::size_t lead = sizes.size() - std::min(sizes.size(), wanted.size());
        for (std::size_t d = 0; sums && d < wanted.size(); ++d)
            sums = wanted[d] == sizes[lead + d] || wanted[d] == 1;
        if (sums) {
            g = g.sum_to_size(wanted);
        } else if (g.numel() == count) {
            g = g.reshape(wanted);
        } else {
            runtime::fail("backward", runtime::text(by.name(), " returned an invalid gradient"),
                          runtime::text("shape ", sizes),
                          runtime::text("shape ", wanted, ", or one that broadcasts from it"),
                          "a gradient of the operand's shape");
        }
    }
    if (g.scalar_type() == to.dtype) return g;
    if (isComplexType(g.scalar_type()) && !isComplexType(to.dtype)) g = real(g);
    return g.to(to.dtype);
}

variable_list run_backward(const std::vector<Edge>& roots, variable_list gradients,
                           const run_options& options) {
    const backward_pass here;
    return backward_run(options).run(roots, std::move(gradients));
}

}  // namespace sinter::inline v1::autograd
