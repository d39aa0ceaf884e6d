// A loop over nodes by their numbers, from the first to the last: the opposite of a backward pass
// (engine.cpp). A node without a rule of its own is transposed: its tangents are the derivatives of
// its gradients by the gradients that it was given, since it is linear in these.
#include "ops/autograd/forward.hpp"

#include "ops/autograd/engine.hpp"
#include "ops/common/devices.hpp"
#include "ops/common/op_checks.hpp"
#include "ops/vmap/batched.hpp"

#include <sinter/functions/functions.hpp>
#include <sinter/functions/pointwise.hpp>
#include <sinter/functions/shape.hpp>
#include <sinter/grad_mode.hpp>
#include <sinter/mode.hpp>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace sinter::inline v1::autograd {
namespace {

/// Returns the tangent in the shape, dtype and memory of the result that it belongs to.
Tensor fitted_tangent(Tensor t, const result_metadata& to, optional<int64_t> leading) {
    std::vector<int64_t> wanted = to.shape->sizes_ref().vec();
    int64_t count = to.shape->numel;
    if (leading) {
        wanted.insert(wanted.begin(), *leading);
        count *= *leading;
    }
    if (t.sizes() != IntArrayRef(wanted))
        t = t.numel() == count ? t.reshape(wanted) : t.expand(wanted);
    if (t.unsafeGetTensorImpl()->device != to.device) t = ops::moved(t, to.device);
    if (t.scalar_type() == to.dtype) return t;
    if (isComplexType(t.scalar_type()) && !isComplexType(to.dtype)) t = real(t);
    return t.to(to.dtype);
}

bool is_any_defined(const variable_list& all) {
    return std::any_of(all.begin(), all.end(), [](const Tensor& t) { return t.defined(); });
}

/// The gradients of a node as a function of those of its results, which are zeros here.
class transposed_node {
public:
    transposed_node(Node& n, const variable_list& tangents, optional<int64_t> leading) {
        const AutoGradMode recorded(true);
        variable_list given;
        for (const result_metadata& r : n.results_) {
            given.emplace_back();
            points_.emplace_back();
            if (!is_differentiable(r.dtype)) continue;
            std::vector<int64_t> sizes = r.shape->sizes_ref().vec();
            if (leading) sizes.insert(sizes.begin(), *leading);
            const TensorOptions there = TensorOptions().device(ops::device_of(r.device));
            given.back() = zeros(sizes, there.dtype(r.dtype)).requires_grad_();
            points_.back() = gradient_edge(ops::body("forward", given.back()));
        }
        zeros_ = given;
        variable_list gradients = n.apply(std::move(given));
        for (std::size_t k = 0; k < tangents.size() && k < gradients.size(); ++k) {
            if (!tangents[k].defined() || !gradients[k].defined()) continue;
            const Edge& to = n.next_edges()[k];
            const Tensor g = fitted(std::move(gradients[k]), n, to.function->results_[to.input_nr],
                                    leading.has_value());
            if (!g.requires_grad()) continue;
            roots_.push_back(gradient_edge(ops::body("forward", g)));
            operands_.push_back(k);
        }
    }

    /// Returns the tangents of the results.
    variable_list run(const variable_list& tangents, bool create_graph) const {
        variable_list seeds;
        for (const std::size_t k : operands_) seeds.push_back(tangents[k]);
        run_options options;
        options.keep_graph = true;
        options.create_graph = create_graph;
        options.accumulate = false;
        options.wanted = points_;
        return run_backward(roots_, std::move(seeds), options);
    }

private:
    variable_list zeros_;
    std::vector<Edge> points_, roots_;
    std::vector<std::size_t> operands_;  // of each root
};

class forward_run {
public:
    forward_run(const std::vector<Edge>& varied, const variable_list& tangents,
                const forward_options& options)
        : options_(options) {
        for (std::size_t i = 0; i < varied.size(); ++i) {
            if (!varied[i].is_valid()) continue;
            given_.insert(varied[i].function.get());
            if (!tangents[i].defined()) continue;
            if (options.batched) leading_ = tangents[i].size(0);
            place(varied[i], tangents[i]);
        }
    }

    variable_list run(const std::vector<Edge>& roots, const std::vector<Node*>& nodes) {
        const AutoGradMode mode(options_.create_graph);
        for (const Node* n : nodes)
            for (const Edge& e : n->next_edges()) ++uses_[e.function.get()];
        for (const Edge& e : roots) ++uses_[e.function.get()];
        for (Node* n : nodes) {
            if (given_.count(n) == 0) run(*n);
            for (const Edge& e : n->next_edges()) drop(e.function.get());
        }
        variable_list found;
        for (const Edge& e : roots) found.push_back(tangent_of(e));
        return found;
    }

private:
    void place(const Edge& e, const Tensor& t) {
        variable_list& all = of_[e.function.get()];
        all.resize(e.function->results_.size());
        all[e.input_nr] = fitted_tangent(t, e.function->results_[e.input_nr], leading_);
    }

    Tensor tangent_of(const Edge& e) const {
        const auto found = of_.find(e.function.get());
        return found == of_.end() ? Tensor() : found->second[e.input_nr];
    }

    /// Forgets the tangents of a node when nothing will read them: they need not be kept.
    void drop(Node* n) {
        if (--uses_[n] == 0) of_.erase(n);
    }

    void run(Node& n) {
        variable_list tangents;
        for (const Edge& e : n.next_edges()) tangents.push_back(tangent_of(e));
        if (!is_any_defined(tangents)) return;
        std::optional<variable_list> made =
            n.apply_forward(variable_list(tangents), options_.batched);
        variable_list results = made ? std::move(*made) : transposed(n, tangents);
        for (std::size_t i = 0; i < results.size(); ++i)
            if (results[i].defined())
                results[i] = fitted_tangent(std::move(results[i]), n.results_[i], leading_);
        if (is_any_defined(results)) of_[&n] = std::move(results);
    }

    variable_list transposed(Node& n, const variable_list& tangents) const {
        if (!options_.batched || n.takes_batches())
            return transposed_node(n, tangents, leading_).run(tangents, options_.create_graph);
        std::optional<transposed_node> t;
        const auto along = [&](const variable_list& one) {
            std::optional<variable_list> made = n.apply_forward(variable_list(one), false);
            if (!made && !t) t.emplace(n, tangents, nullopt);
            return made ? std::move(*made) : t->run(one, options_.create_graph);
        };
        if (!options_.create_graph && get_mode() == Mode::lazy)
            if (std::optional<variable_list> all = at_once(tangents, along)) return std::move(*all);
        std::vector<std::vector<Tensor>> rows(n.results_.size());
        for (int64_t i = 0; i < *leading_; ++i) {
            variable_list one;
            for (const Tensor& all : tangents)
                one.push_back(all.defined() ? all.select(0, i) : Tensor());
            const variable_list results = along(one);
            for (std::size_t r = 0; r < results.size(); ++r)
                if (results[r].defined()) rows[r].push_back(results[r]);
        }
        variable_list all;
        for (const std::vector<Tensor>& r : rows) all.push_back(r.empty() ? Tensor() : stack(r));
        return all;
    }

    /// Returns what `along` returns for all tangents, by operations with one more dimension.
    template <class F>
    std::optional<variable_list> at_once(const variable_list& tangents, const F& along) const {
        const auto unread =
            std::make_exception_ptr(ops::no_value_yet("[jacfwd] a tangent was read"));
        std::vector<ops::mapped_tensor> mapped;
        variable_list one;
        for (const Tensor& all : tangents) {
            one.emplace_back();
            if (!all.defined()) continue;
            const TensorImpl& t = ops::body("forward", all);
            ops::placeholder p =
                ops::make_placeholder(t.shape->sizes_ref().slice(1), t.dtype, t.device, unread);
            one.back() = p.tensor;
            mapped.push_back({std::move(p), all});
        }
        try {
            variable_list results = along(one), defined;
            for (const Tensor& r : results)
                if (r.defined()) defined.push_back(r);
            const auto found = ops::over_batch(defined, mapped, *leading_);
            if (!found) return std::nullopt;
            auto next = found->begin();
            for (Tensor& r : results)
                if (r.defined()) r = *next++;
            return results;
        } catch (const ops::no_value_yet&) {
            return std::nullopt;
        }
    }

    const forward_options& options_;
    optional<int64_t> leading_;
    std::unordered_map<const Node*, variable_list> of_;  // tangents of results
    std::unordered_set<const Node*> given_;
    std::unordered_map<const Node*, int> uses_;
};

}  // namespace

variable_list run_forward(const std::vector<Edge>& roots, const std::vector<Edge>& varied,
                          const variable_list& tangents, const forward_options& options) {
    return forward_run(varied, tangents, options).run(roots, nodes_between(roots, varied));
}

}  // namespace sinter::inline v1::autograd
