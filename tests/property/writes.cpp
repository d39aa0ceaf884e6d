// Statements that write in place, through views of every kind.
#include "tests/property/program.hpp"

#include "engine/graph/graph.hpp"

#include <iterator>

namespace sinter::test {

namespace {

using by_tensor = Tensor& (tensor_base::*)(const tensor_base&) const;
using by_number = Tensor& (tensor_base::*)(const Scalar&) const;
using by_nothing = Tensor& (tensor_base::*)() const;

struct writing_row {
    op::id row;
    by_nothing alone;
    by_tensor tensor;
    by_number number;
};

const writing_row writing_rows[] = {
#define SINTER_UNARY(name, row) {op::row, &tensor_base::name##_, nullptr, nullptr},
#define SINTER_BINARY(name, row) {op::row, nullptr, &tensor_base::name##_, &tensor_base::name##_},
#include <sinter/expr/each_row.inc>
#undef SINTER_UNARY
#undef SINTER_BINARY
};

}  // namespace

/// Returns what makes this write more than a store: other holders, readers or pending uses of the
/// old value.
std::string machine::hazard(const Tensor& target) {
    const TensorImpl& t = *target.unsafeGetTensorImpl();
    const Storage& s = *t.storage;
    const Version& v = *s.current;
    if (s.external) return "external memory";
    std::string kind;
    bool read = false;
    {
        std::lock_guard lock(graph_mutex());
        read = v.readers != nullptr;
    }
    if (read)
        kind = "pending readers";
    else if (v.references.load() > 1)
        kind = "held by an expression";
    else
        kind = v.state == version_state::pending ? "pending writes" : "ready";
    if (s.references.load() > 2) kind += ", seen by views";
    if (s.address_known) kind += ", address known";
    if (!covers(*t.shape, v.numel)) kind += ", in part";
    return kind;
}

void machine::wrote(const Tensor& target, view_kind through) {
    ++counts_->writes;
    ++counts_->views_written[static_cast<std::size_t>(through)];
    if (target.unsafeGetTensorImpl()->storage->external) ++counts_->external_writes;
}

void machine::write_row(chooser& c) {
    const std::size_t at = last_ = any_slot(c);
    view_kind through = view_kind::same;
    const Tensor v =
        c.chance(4) ? slots_[at] : take_view(c, slots_[at], through, slots_[any_slot(c)]);
    say(" s", at, ".", to_string(through), v.sizes(), v.strides());
    const writing_row& w = writing_rows[c.below(std::size(writing_rows))];
    const std::string danger = hazard(v);
    say(".", op::rows[w.row].name, "_");
    const bool divides = w.row == op::floor_divide || w.row == op::remainder || w.row == op::fmod;
    if (w.alone) {
        (v.*w.alone)();
    } else if (const auto other = fitting(c, v.sizes(), true); other && c.chance(2)) {
        Tensor b = slots_[*other];
        if (divides && isIntegralType(b.scalar_type(), true))
            b = expression_builder::apply(op::bitwise_or,
                                          {expression_builder(b), expression_builder(Scalar(1))})
                    .finish();
        say("(s", *other, ")");
        (v.*w.tensor)(b);
    } else {
        const Scalar n = c.chance(2) ? Scalar(c.between(1, 4)) : Scalar(0.375);
        say("(", n.toDouble(), ")");
        (v.*w.number)(n);
    }
    ++counts_->rows_in_place[w.row];
    ++counts_->hazards[danger];
    wrote(v, through);
}

void machine::write_value(chooser& c) {
    const std::size_t at = last_ = any_slot(c);
    const Tensor& x = slots_[at];
    view_kind through = view_kind::same;
    const Tensor v = c.chance(5) ? x : take_view(c, x, through, slots_[any_slot(c)]);
    say(" s", at, ".", to_string(through), v.sizes(), v.strides());
    const std::string danger = hazard(v);
    const std::optional<std::size_t> other = fitting(c, v.sizes(), true);
    const auto source = [&] { return other ? slots_[*other] : v; };
    const auto from = other ? static_cast<int>(*other) : -1;
    switch (c.below(9)) {
        case 0:
            say(".zero_");
            v.zero_();
            break;
        case 1:
            say(".fill_");
            v.fill_(c.chance(2) ? Scalar(c.between(0, 1)) : Scalar(0.5));
            break;
        case 2:
        case 3:
            say(".copy_(s", from, ")");
            v.copy_(source());
            break;
        case 4: {
            say(".copy_ of an expression of s", from, ":");
            v.copy_(expression(c, source(), 1).finish());
            break;
        }
        case 5:
            say(" += s", from);
            v += source();
            break;
        case 6:
            say(" *= 2");
            v *= 2;
            break;
        case 7:
            if (v.dim() == 0) {
                say(".index_put_({}, 1)");
                v.index_put_({}, 1);
            } else {
                say(".index_put_({Slice(0, 3)}, 1)");
                v.index_put_({Slice(0, 3)}, c.between(0, 1));
            }
            through = view_kind::index;
            break;
        default:
            if (v.dim() == 0) {
                say(" -= 1");
                v -= 1;
            } else {
                say("[0] = 1");
                v[0] = c.between(0, 1);
                through = view_kind::subscript;
            }
    }
    ++counts_->hazards[danger];
    wrote(v, through);
}

/// Writes a tensor from an expression of itself, through another view.
void machine::write_self(chooser& c) {
    const std::size_t at = last_ = any_slot(c);
    const Tensor x = slots_[at];
    const int64_t dim = x.dim() ? c.below(x.dim()) : 0;
    const int64_t n = x.dim() ? x.size(dim) : 1;
    using E = expression_builder;
    const std::string danger = hazard(x);
    say(" s", at);
    view_kind through = view_kind::same;
    switch (c.below(8)) {
        case 0:
            say(".copy_(flip)");
            x.copy_(x.flip({dim}));
            break;
        case 1:
            say(".copy_(roll)");
            x.copy_(x.roll({1}, {dim}));
            break;
        case 2:
            say(".copy_(t() + x)");
            x.copy_(E::apply(op::add, {E(x.t()), E(x)}).finish());
            break;
        case 3: {
            say(" shifted up by one");
            through = view_kind::slice;
            x.slice(dim, 1).copy_(
                E::apply(op::mul, {E(x.slice(dim, 0, n - 1)), E(Scalar(1))}).finish());
            break;
        }
        case 4:
            say(".add_(x)");
            x.add_(x);
            break;
        case 5:
            say(".copy_(t()), which overlaps");
            x.copy_(x.t());
            break;
        case 6: {
            say(" minus its mean");
            x.copy_(E::apply(op::sub, {E(x), E(x.sum({dim}, true))}).finish().to(x.scalar_type()));
            break;
        }
        default: {
            say(", halves swapped");
            through = view_kind::narrow;
            const Tensor low = x.narrow(dim, 0, n / 2), high = x.narrow(dim, n - n / 2, n / 2);
            const Tensor kept = low.clone();
            low.copy_(high);
            high.copy_(kept);
        }
    }
    ++counts_->hazards[danger + ", from itself"];
    wrote(x, through);
}

}  // namespace sinter::test
