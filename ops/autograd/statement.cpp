// One node for a statement, however many operations it has. Its gradients are pending statements
// again, so the planner fuses them with each other and with what is pending of the statement.
#include "ops/autograd/statement.hpp"

#include "engine/graph/infer.hpp"
#include "engine/run/record.hpp"
#include "ops/autograd/function.hpp"
#include "ops/autograd/names.hpp"
#include "ops/autograd/rows/derivation.hpp"
#include "ops/autograd/saved.hpp"
#include "ops/common/devices.hpp"

#include <sinter/functions/functions.hpp>
#include <sinter/grad_mode.hpp>

#include <boost/container/small_vector.hpp>

namespace sinter::inline v1::autograd {
namespace {

/// Most statements have few operands, which then take no memory of their own.
template <class T>
using few = boost::container::small_vector<T, 4>;

class statement_gradient final : public recorded_gradient {
public:
    statement_gradient(const typed_program& code, std::span<const leaf> leaves,
                       std::span<const Scalar> scalars)
        : code_(code), numbers_(scalars.begin(), scalars.end()) {
        numbers_.insert(numbers_.end(), code.constants.begin(), code.constants.end());
        few<bool> wanted;
        std::size_t edges = 0;
        for (const leaf& l : leaves) {
            wanted.push_back(static_cast<bool>(l.gradient));
            edges += wanted.back();
        }
        how_ = &derive(code, wanted);
        operands_.reserve(leaves.size());
        next_edges_.reserve(edges);
        for (std::size_t i = 0; i < leaves.size(); ++i) {
            const leaf& l = leaves[i];
            operands_.emplace_back();
            if (how_->saves[i]) operands_.back() = saved_value(l);
            if (!l.gradient) continue;
            origins_.push_back({static_cast<uint16_t>(i), l.value->device});
            next_edges_.push_back({l.gradient, l.result});
        }
    }

    /// Returns false if the result has no gradient: it is made of comparisons alone.
    bool follows() const { return how_->follows; }

    std::string name() const override {
        for (std::size_t k = code_.ops.size(); k-- > 0;)
            if (code_.ops[k].what == typed_op::kind::row)
                return backward_name(op::info(static_cast<op::id>(code_.ops[k].id)).name);
        return backward_name(code_.operations > 0 ? "to_copy" : "clone");
    }

    bool is_elementwise() const override { return true; }

    void set_result(const leaf& result) override {
        if (how_->saves_result) result_ = saved_value(result);
    }

    void writes_over(const Version& old) override {
        for (saved_value& v : operands_) v.allow(old);
    }

    void release_variables() override {
        released_ = released_ || how_->saves_result ||
                    std::find(how_->saves.begin(), how_->saves.end(), true) != how_->saves.end();
        for (saved_value& v : operands_) v = {};
        result_ = {};
    }

    variable_list apply(variable_list&& grads) override {
        if (how_->missing) refuse_missing(how_->missing);
        variable_list gradients(next_edges_.size());
        if (!grads[0].defined()) return gradients;
        if (released_) refuse_second_run();
        std::vector<Tensor> pieces;
        for (const piece& p : how_->pieces) pieces.push_back(run(p, pieces, grads, grads[0]));
        for (std::size_t k = 0; k < gradients.size(); ++k) {
            const auto& source = how_->gradients[k].source;
            if (how_->gradients[k].is_zero)
                gradients[k] = brought_home(zeros_for(next_edges_[k], grads[0]), origins_[k].home,
                                            next_edges_[k]);
            if (!source) continue;
            gradients[k] = brought_home(
                source->what == piece_source::kind::piece ? pieces[source->number] : grads[0],
                origins_[k].home, next_edges_[k]);
        }
        return gradients;
    }

    std::optional<variable_list> apply_forward(variable_list&& tangents, bool batched) override {
        few<bool> varied(operands_.size());
        for (std::size_t k = 0; k < tangents.size(); ++k)
            varied[origins_[k].operand] = tangents[k].defined();
        const derivation& how = derive_forward(code_, varied);
        if (how.missing) refuse_missing(how.missing);
        if (released_) refuse_second_run();
        if (!how.tangent) return variable_list(1);
        const variable_list of = tangents_of_operands(tangents, batched);
        const auto any =
            std::find_if(of.begin(), of.end(), [](const Tensor& t) { return t.defined(); });
        std::vector<Tensor> pieces;
        for (const piece& p : how.pieces) pieces.push_back(run(p, pieces, of, *any));
        const bool is_piece = how.tangent->what == piece_source::kind::piece;
        return variable_list{is_piece ? pieces[how.tangent->number] : of[how.tangent->number]};
    }

private:
    /// Returns the tangents by the numbers of operands, on the device of the result. Those of
    /// several at once have as many dimensions as the result, so that the leading one is the same.
    variable_list tangents_of_operands(const variable_list& tangents, bool batched) const {
        runtime::device_index there = runtime::main_memory;
        for (const origin& o : origins_)
            if (o.home != runtime::main_memory) there = o.home;
        variable_list of(operands_.size());
        for (std::size_t k = 0; k < tangents.size(); ++k) {
            Tensor t = tangents[k];
            if (!t.defined()) continue;
            if (batched) {
                std::vector<int64_t> sizes = t.sizes().vec();
                const auto more = static_cast<std::size_t>(results_[0].shape->ndim + 1 - t.dim());
                sizes.insert(sizes.begin() + 1, more, 1);
                t = ops::moved(t.reshape(sizes), there);
            }
            of[origins_[k].operand] = std::move(t);
        }
        return of;
    }

    static Tensor zeros_for(const Edge& to, const Tensor& g) {
        const result_metadata& of = to.function->results_[to.input_nr];
        return zeros(of.shape->sizes_ref(), TensorOptions(of.dtype).device(g.device()));
    }

    leaf read(const piece_source& s, const std::vector<Tensor>& pieces,
              const variable_list& gradients) {
        switch (s.what) {
            case piece_source::kind::operand: {
                const auto at =
                    std::find_if(origins_.begin(), origins_.end(),
                                 [&s](const origin& o) { return o.operand == s.number; });
                return operands_[s.number].read(
                    *this, at == origins_.end()
                               ? Edge{}
                               : next_edges_[static_cast<std::size_t>(at - origins_.begin())]);
            }
            case piece_source::kind::result:
                return result_.read(*this, {intrusive_ptr<Node>(this), 0});
            case piece_source::kind::gradient:
                return ops::read(ops::body("backward", gradients[s.number]));
            case piece_source::kind::piece:
                return ops::read(ops::body("backward", pieces[s.number]));
        }
        return {};
    }

    /// Returns the value of a piece. `like` is a gradient that it may have the layout of.
    Tensor run(const piece& p, const std::vector<Tensor>& pieces, const variable_list& gradients,
               const Tensor& like) {
        if (!p.code) return pieces[p.leaves[0].number].polygamma(p.order);
        std::vector<leaf> leaves;
        std::vector<int64_t> sizes;
        for (const piece_source& s : p.leaves) {
            leaves.push_back(read(s, pieces, gradients));
            const IntArrayRef own = leaves.back().shape->sizes_ref();
            sizes = leaves.size() == 1 ? own.vec() : broadcast_shapes("backward", sizes, own);
        }
        std::vector<Scalar> numbers;
        for (const piece::number& n : p.numbers)
            numbers.push_back(n.of_statement < 0
                                  ? Scalar(n.own)
                                  : numbers_[static_cast<std::size_t>(n.of_statement)]);
        bool uniform = false;
        const typed_program* typed = infer(p.code, leaves, numbers, &uniform);
        const auto result = static_cast<std::size_t>(typed->results[0]);
        ScalarType dtype = typed->ops[result].out;
        if (typed->results[1] >= 0) dtype = toComplexType(dtype);
        const geometry& own = *ops::body("backward", like).shape;
        geometry_ptr shape =
            own.contiguous && own.offset == 0 && own.sizes_ref() == IntArrayRef(sizes)
                ? geometry_ptr(&own)
                : make_contiguous(sizes);
        std::unique_ptr<sinter::Node> n =
            pointwise_node(p.code, std::span<leaf>(leaves), numbers, dtype, shape);
        if (leaves.empty()) n->device = ops::body("backward", like).device;
        return Tensor(make_pending(std::move(n), std::move(shape)));
    }

    /// Where a next edge comes from.
    struct origin {
        uint16_t operand;
        runtime::device_index home;
    };

    const typed_program& code_;
    const derivation* how_;
    few<Scalar> numbers_;
    few<saved_value> operands_;
    saved_value result_;
    few<origin> origins_;
    bool released_ = false;
};

}  // namespace

intrusive_ptr<recorded_gradient> make_statement_gradient(const typed_program& code,
                                                         std::span<const leaf> leaves,
                                                         std::span<const Scalar> scalars) {
    auto node = make_intrusive<statement_gradient>(code, leaves, scalars);
    return node->follows() ? node : nullptr;
}

}  // namespace sinter::inline v1::autograd
