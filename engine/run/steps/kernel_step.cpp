#include "engine/graph/deferred.hpp"
#include "engine/graph/infer.hpp"
#include "engine/plan/in_place.hpp"
#include "engine/run/library/run_library.hpp"
#include "engine/run/results/result_buffers.hpp"
#include "engine/run/steps/kernel_launch.hpp"
#include "engine/run/steps/outputs.hpp"
#include "engine/run/steps/run_plan.hpp"
#include "engine/run/steps/steps.hpp"

namespace sinter::plan {
namespace {

/// Restores the value numbers of a node's edges, which `subgraph::alone` changes.
class edge_numbers {
public:
    explicit edge_numbers(Node& n) : n_(n) {
        for (const Edge& e : n.sources) before_.push_back(e.number);
        if (n.partial()) before_.push_back(n.base().number);
    }
    ~edge_numbers() {
        std::size_t i = 0;
        for (Edge& e : n_.sources) e.number = before_[i++];
        if (n_.partial()) n_.base().number = before_[i];
    }
    edge_numbers(const edge_numbers&) = delete;

private:
    Node& n_;
    runtime::arena_vector<int32_t> before_;
};

void run_apart(plan_run& r, int i) {
    Node& n = r.node(i);
    if (n.result->state != version_state::pending) return;  // computed for another step
    if (const std::exception_ptr error = plan_run::failed_source(n)) return fail(*n.result, error);
    const edge_numbers kept(n);
    subgraph one = r.work.alone(static_cast<std::size_t>(i));
    run_plan(*make_executable(one), one, r.on_cpu() ? executor::blocks : r.how);
}

/// Fails the node of a kernel that raised `status`. Of several nodes, runs each by itself: only
/// those that raise it fail, and their readers.
void fail_by_status(plan_run& r, const kernel_step& k, uint64_t status) {
    Node& n = r.node(k.nodes[0]);
    if (k.nodes.size() == 1)
        fail(*n.result, first_cause(*n.result, status_error(status, row_that_may_fail(n))));
    else
        run_nodes_apart(r, k);
}

}  // namespace

void run_kernel(plan_run& r, const kernel_step& k, const plan_step& s) {
    // A node may be several steps, as in eager mode on a GPU, and one of them may have failed.
    if (r.work.nodes.size() == 1 && r.value(0).state == version_state::failed) return;
    if (r.failed_source(k)) return run_nodes_apart(r, k);
    r.inherit_tests(k);
    output_buffers placed = place_outputs(r, k, s);
    if (const uint64_t status = launch(r, k, placed))
        fail_by_status(r, k, status);
    else
        publish_outputs(r, k, placed);
}

void run_nodes_apart(plan_run& r, const kernel_step& k) {
    for (const int i : k.nodes) run_apart(r, i);
}

void run_nodes_apart(plan_run& r) {
    for (std::size_t i = 0; i < r.work.nodes.size(); ++i) run_apart(r, static_cast<int>(i));
}

}  // namespace sinter::plan
