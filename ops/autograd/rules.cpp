#include "ops/autograd/rules.hpp"

#include "ops/autograd/accumulate.hpp"
#include "ops/autograd/library.hpp"
#include "ops/autograd/reduction.hpp"
#include "ops/autograd/statement.hpp"
#include "ops/autograd/views.hpp"
#include "ops/common/op_checks.hpp"

#include <sinter/grad_mode.hpp>

namespace sinter::inline v1::autograd {
namespace {

bool is_leaf(const gradient_family& f) { return f.requires_grad && !f.origin.is_valid(); }

[[noreturn]] void refuse_write(const char* what, const char* got, const char* remedy) {
    runtime::fail("in-place", what, got, "a tensor that an operation computed", remedy);
}

class rules final : public gradient_rules {
public:
    intrusive_ptr<recorded_gradient> of_pointwise(const typed_program& code,
                                                  std::span<const leaf> leaves,
                                                  std::span<const Scalar> numbers) override {
        return make_statement_gradient(code, leaves, numbers);
    }
    intrusive_ptr<recorded_gradient> of_reduction(op::reduction row, const leaf& source,
                                                  ScalarType in, uint64_t reduced,
                                                  double correction) override {
        return make_reduction_gradient(row, source, in, reduced, correction);
    }
    intrusive_ptr<recorded_gradient> of_library(const kernel_op& op, std::span<const leaf> inputs,
                                                const attributes_ptr& attributes) override {
        return make_library_gradient(op, inputs, attributes);
    }
    intrusive_ptr<Node> of_view(const gradient_view& v, const gradient_family& family,
                                Edge next) override {
        return make_view_gradient(v, family, std::move(next));
    }
    intrusive_ptr<Node> of_leaf(gradient_family& family) override {
        return make_accumulator(family);
    }

    void check_write(const TensorImpl& target, bool tracked) override {
        if (!GradMode::is_enabled()) return;
        const gradient_family* f = family_of(target);
        const bool has = f && (f->requires_grad || f->origin.is_valid());
        if (!tracked && !has) return;
        if (const gradient_view* v = view_of(target); v && v->without_gradient)
            runtime::fail(
                "in-place",
                "A view was created in no_grad mode and is being modified inplace with grad mode "
                "enabled",
                "a write through that view, which would not be recorded as what was written",
                "both the view and the write within the guard, or both outside of it",
                "moving one of them");
        if (!f || !is_leaf(*f)) return;
        if (target.base)
            refuse_write(
                "a view of a leaf Variable that requires grad is being used in an in-place "
                "operation",
                "a view of a leaf", "NoGradGuard, if the write is not to be differentiated");
        refuse_write("a leaf Variable that requires grad is being used in an in-place operation",
                     "a leaf", "NoGradGuard, if the write is not to be differentiated");
    }

    void written(const TensorImpl& target, intrusive_ptr<Node> source) override {
        if (!GradMode::is_enabled()) return;
        if (!source && !family_of(target)) return;
        gradient_family& f = differentiated_family(target);
        Edge old;
        {
            const std::lock_guard lock(f.lock);
            old = f.origin;
        }
        if (!source && !old.is_valid()) return;
        intrusive_ptr<Node> node;
        if (target.base)
            node = make_partial_write_gradient(target, f, old, {std::move(source), 0});
        else if (source)
            node = std::move(source);
        else
            node = make_overwritten_gradient(f, old);
        const std::lock_guard lock(f.lock);
        f.origin = {std::move(node), 0};
    }
};

}  // namespace

void install_rules() {
    static rules all;
    known_gradient_rules.store(&all, std::memory_order_release);
}

}  // namespace sinter::inline v1::autograd
