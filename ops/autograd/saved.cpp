#include "ops/autograd/saved.hpp"

#include "engine/graph/infer.hpp"
#include "ops/common/op_checks.hpp"
#include "ops/common/sharing.hpp"

#include <sinter/autograd.hpp>

namespace sinter::inline v1::autograd {

namespace {

thread_local bool writes_allowed = false;

}  // namespace

AllowMutationOnSavedTensors::AllowMutationOnSavedTensors() : before_(writes_allowed) {
    writes_allowed = true;
}
AllowMutationOnSavedTensors::~AllowMutationOnSavedTensors() { writes_allowed = before_; }

saved_value::saved_value(const leaf& l)
    : value_(l), may_be_overwritten_(l.value && l.value->overwritten) {
    if (l.value && is_inference(*l.value))
        runtime::fail("autograd", "Inference tensors cannot be saved for backward",
                      runtime::text("a ", dtype_of(l), " tensor of shape ", l.shape->sizes_ref(),
                                    " that was made in inference mode"),
                      "an ordinary tensor",
                      "clone() outside of InferenceMode, or NoGradGuard instead of it");
    value_.gradient = {};
    count(1);
}

saved_value::saved_value(const Tensor& t)
    : saved_value([&] {
          NoGradGuard plain;
          return ops::read(ops::body("autograd", t));
      }()) {}

leaf saved_value::read(const Node& by, const Edge& edge) const {
    if (value_.value && value_.value->overwritten && !may_be_overwritten_ && !writes_allowed)
        runtime::fail(
            "backward",
            "one of the variables needed for gradient computation has been modified by "
            "an inplace operation",
            runtime::text("a ", dtype_of(value_), " tensor of shape ", value_.shape->sizes_ref(),
                          " that ", by.name(), " saved and that has been written since"),
            "the value that was saved",
            "clone() before the write, or an operation that is not in place");
    leaf l = value_;
    if (GradMode::is_enabled()) {
        l.gradient = edge.function;
        l.result = edge.input_nr;
    }
    return l;
}

Tensor saved_value::tensor(const Node& by, const Edge& edge) const {
    const leaf l = read(by, edge);
    Version& v = *l.value;
    intrusive_ptr<Storage> s;
    {
        const std::lock_guard lock(home_lock());
        s = try_share(v.owner);
    }
    // The storage is gone, or a view of the tensor could not tell the elements apart that share
    // memory.
    if (!s || (l.gradient && ops::overlaps_itself(*l.shape)))
        return ops::sequence().read(l).pending(dtype_of(l), make_contiguous(l.shape->sizes_ref()));
    auto t = make_intrusive<TensorImpl>();
    t->storage = std::move(s);
    t->shape = l.shape;
    t->dtype = dtype_of(l);
    t->device = v.device;
    gradient_family& f = start_family(*t);
    if (l.gradient) {
        f.origin = {l.gradient, l.result};
        t->storage->differentiated.store(true, std::memory_order_release);
    }
    return Tensor(std::move(t));
}

void refuse_second_run() {
    runtime::fail("backward",
                  "Trying to backward through the graph a second time (or directly access saved "
                  "tensors after they have already been freed)",
                  "a graph whose saved values have been freed", "a graph that is kept",
                  "retain_graph = true in the first call");
}

}  // namespace sinter::inline v1::autograd
