// The rules are PyTorch's (tools/autograd/derivatives.yaml): the largest elements share the
// gradient of amax, the gradient of a standard deviation of 0 is 0.
#include "ops/autograd/reduction.hpp"

#include "ops/autograd/names.hpp"
#include "ops/autograd/saved.hpp"
#include "ops/common/op_checks.hpp"

#include <sinter/functions/functions.hpp>
#include <sinter/functions/scans.hpp>
#include <sinter/grad_mode.hpp>

#include <algorithm>

namespace sinter::inline v1::autograd {
namespace {

using row = op::reduction;

class reduction_gradient final : public recorded_gradient {
public:
    reduction_gradient(row r, const leaf& source, ScalarType in, uint64_t reduced,
                       double correction)
        : row_(r), in_(in), correction_(correction), sizes_(source.shape->sizes_ref().vec()) {
        kept_ = sizes_;
        for (std::size_t d = 0; d < sizes_.size(); ++d) {
            if (!(reduced >> d & 1)) continue;
            kept_[d] = 1;
            dims_.push_back(static_cast<int64_t>(d));
            count_ *= sizes_[d];
        }
        if (r != row::sum && r != row::mean) source_ = saved_value(source);
        next_edges_.push_back({source.gradient, source.result});
    }
    std::string name() const override { return backward_name(op::info(row_).name); }
    void set_result(const leaf& result) override {
        if (row_ != row::sum && row_ != row::mean && row_ != row::var)
            result_ = saved_value(result);
    }
    void release_variables() override {
        released_ = released_ || static_cast<bool>(source_);
        source_ = result_ = {};
    }
    variable_list apply(variable_list&& grads) override {
        if (!grads[0].defined()) return {Tensor()};
        if (released_) refuse_second_run();
        return {gradient(grads[0].reshape(kept_))};
    }
    /// Each result is a sum of derivatives times tangents.
    std::optional<variable_list> apply_forward(variable_list&& tangents, bool batched) override {
        if (released_) refuse_second_run();
        // A number is reduced as a vector.
        std::vector<int64_t> sizes = sizes_;
        if (batched) sizes.insert(sizes.begin(), tangents[0].size(0));
        const Tensor t = tangents[0].to(in_).reshape(sizes);
        if (row_ == row::sum) return variable_list{total(t, batched)};
        if (row_ == row::mean)
            return variable_list{total(t, batched) / static_cast<double>(count_)};
        const bool complex = isComplexType(results_[0].dtype);
        const ScalarType dtype = complex ? in_ : toRealValueType(in_);
        const Tensor one = ones(kept_, ops::beside(t, dtype));
        return variable_list{total(conj(gradient(one)) * t, batched)};
    }

private:
    Tensor total(const Tensor& t, bool batched) const {
        if (dims_.empty()) return t;
        std::vector<int64_t> dims = dims_;
        for (int64_t& d : dims) d += batched ? 1 : 0;
        return t.sum(dims, true);
    }

    Tensor gradient(const Tensor& g) {
        switch (row_) {
            case row::sum: return g.expand(sizes_);
            case row::mean: return (g / static_cast<double>(count_)).expand(sizes_);
            case row::prod: return of_product(g);
            case row::amax:
            case row::amin: {
                // If the result is NaN, it is that of all NaN.
                const Tensor best = (source() == result()) | isnan(source());
                return where(best, g / best.sum(dims_, true), 0);
            }
            case row::var: return of_variance(g);
            case row::std: {
                const Tensor y = result();
                return of_variance(where(y == 0, 0, g / (2 * y)));
            }
            default: refuse_missing(op::info(row_).name);
        }
    }

    /// Of each element the product of the others, which a quotient does not give where one is 0.
    Tensor of_product(const Tensor& g) {
        const Tensor x = source();
        // Without quotients also the derivative with respect to two zeros is right.
        if (GradMode::is_enabled()) return g * products_of_others(x);
        const Tensor zero = x == 0;
        const Tensor zeros = zero.sum(dims_, true);
        Tensor others = where(zero, 1, x);
        for (const int64_t d : dims_) others = others.prod(d, true);
        return g * where(zero, where(zeros == 1, others, 0), where(zeros == 0, result() / x, 0));
    }

    Tensor products_of_others(const Tensor& x) const {
        std::vector<int64_t> order, sizes, back(sizes_.size());
        for (std::size_t d = 0; d < sizes_.size(); ++d)
            if (std::find(dims_.begin(), dims_.end(), d) == dims_.end())
                order.push_back(static_cast<int64_t>(d));
        for (const int64_t d : order) sizes.push_back(sizes_[static_cast<std::size_t>(d)]);
        sizes.push_back(count_);
        order.insert(order.end(), dims_.begin(), dims_.end());
        for (std::size_t i = 0; i < order.size(); ++i)
            back[static_cast<std::size_t>(order[i])] = static_cast<int64_t>(i);
        const Tensor turned = x.permute(order), rows = turned.reshape(sizes);
        if (rows.numel() == 0) return zeros_like(x);
        const Tensor first = ones_like(rows.narrow(-1, 0, 1));
        const auto before = [&](const Tensor& t) {
            return cat({first, t.narrow(-1, 0, count_ - 1)}, -1).cumprod(-1);
        };
        return Tensor(before(rows) * before(rows.flip(-1)).flip(-1))
            .reshape(turned.sizes())
            .permute(back);
    }

    Tensor of_variance(const Tensor& g) {
        const Tensor x = source();
        const double n = static_cast<double>(count_) - correction_;
        return g * (2 / n) * (x - x.mean(dims_, true));
    }

    Tensor source() const { return source_.tensor(*this, next_edges_[0]).to(in_); }
    Tensor result() { return result_.tensor(*this, {intrusive_ptr<Node>(this), 0}).reshape(kept_); }

    row row_;
    ScalarType in_;
    double correction_;
    std::vector<int64_t> sizes_, kept_, dims_;
    int64_t count_ = 1;
    saved_value source_, result_;
    bool released_ = false;
};

}  // namespace

intrusive_ptr<recorded_gradient> make_reduction_gradient(op::reduction r, const leaf& source,
                                                         ScalarType in, uint64_t reduced,
                                                         double correction) {
    return make_intrusive<reduction_gradient>(r, source, in, reduced, correction);
}

}  // namespace sinter::inline v1::autograd
