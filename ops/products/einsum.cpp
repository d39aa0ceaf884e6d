// einsum: the equation labels the operands, which are contracted two at a time.
#include "ops/common/op_checks.hpp"
#include "ops/products/contraction.hpp"
#include "ops/products/contraction_order.hpp"
#include "ops/products/einsum_equation.hpp"
#include "ops/products/products.hpp"

#include <sinter/functions/products.hpp>

#include <algorithm>

namespace sinter::inline v1 {
namespace {

using ops::label_list;
using ops::label_set;
using ops::labelled;
using runtime::fail;
using runtime::text;

constexpr const char* name = "einsum";
constexpr int letters = 52;

/// Letters are the first 52 labels. The dimensions of the ellipsis come after them, counted from
/// the last one, because they broadcast.
uint8_t label_of(char c) { return static_cast<uint8_t>(c < 'a' ? c - 'A' : c - 'a' + 26); }

std::string in_words(int label) {
    if (label >= letters) return text("dimension ", letters - 1 - label, " of the ellipsis");
    return text("'", static_cast<char>(label < 26 ? 'A' + label : 'a' + label - 26), "'");
}

/// Returns the labels of a term whose ellipsis has `dotted` dimensions.
label_list labels_of(const std::string& term, int64_t dotted) {
    label_list labels;
    for (char c : term) {
        if (c != '.') {
            labels.push_back(label_of(c));
            continue;
        }
        for (int64_t d = dotted; d-- > 0;) labels.push_back(static_cast<uint8_t>(letters + d));
    }
    return labels;
}

class summation {
public:
    summation(const ops::equation& e, TensorList operands) {
        sizes_.fill(1);
        terms_.reserve(2 * operands.size());
        int64_t dotted = 0;
        for (std::size_t i = 0; i < operands.size(); ++i)
            dotted = std::max(dotted, add_operand(e.operands[i], operands[i], i));
        output_ = labels_of(e.output, dotted);
        sum_alone(operands.size() == 1 &&
                  !(label_set(labels_of(e.operands[0], dotted)) - label_set(output_)).empty());
    }

    std::size_t operands() const { return terms_.size(); }

    Tensor run(const std::vector<ops::contraction_step>& steps) {
        for (std::size_t i = 0; i < steps.size(); ++i) {
            const bool last = i + 1 == steps.size();
            const labelled a = take(steps[i].a), b = take(steps[i].b);
            label_set kept(output_);
            for (const labelled& t : terms_) kept = kept | label_set(t.labels);
            terms_.push_back(contract(name, a, b, kept, last ? output_ : label_list{}));
        }
        const Tensor& result = terms_.back().value;
        // For a single operand the result is a view, never the operand itself.
        return arranged(
            steps.empty() ? labelled{result.view(result.sizes()), terms_[0].labels} : terms_.back(),
            output_);
    }

    std::vector<ops::contraction_step> cheapest() const {
        std::vector<label_set> sets;
        for (const labelled& t : terms_) sets.emplace_back(t.labels);
        return cheapest_order(sets, label_set(output_), sizes_);
    }

private:
    /// Returns the number of dimensions of the operand's ellipsis.
    int64_t add_operand(const std::string& term, const Tensor& t, std::size_t number) {
        const IntArrayRef sizes = ops::body(name, t).shape->sizes_ref();
        const bool open = term.find('.') != std::string::npos;
        const auto named = std::ssize(term) - (open ? 1 : 0);
        const auto dotted = std::ssize(sizes) - named;
        if (dotted < 0 || (dotted > 0 && !open))
            fail(name, text("operand ", number, " has the wrong number of dimensions"),
                 text("shape ", sizes, " for ", runtime::count_of(named, "letter")),
                 text(open ? "at least " : "", runtime::count_of(named, "dimension")),
                 "\"...\" for dimensions without a letter");
        const label_list labels = labels_of(term, dotted);
        for (std::size_t d = 0; d < labels.size(); ++d) {
            if (sizes[d] != sizes[labels.find(labels[d])])
                fail(name,
                     text("the repeated letter ", in_words(labels[d]), " of operand ", number,
                          " has two sizes"),
                     text("shape ", sizes), "equal sizes, of which the diagonal is taken",
                     "narrow() on one of the dimensions");
            bind(labels[d], sizes[d], number);
        }
        terms_.push_back(ops::label(name, t, labels));
        return dotted;
    }

    void bind(uint8_t label, int64_t size, std::size_t number) {
        int64_t& known = sizes_[label];
        if (size == 1 || size == known) return;
        if (known != 1)
            fail(name, text("the sizes of ", in_words(label), " do not broadcast"),
                 text(size, " in operand ", number),
                 text(known, ", as in an earlier operand, or 1"),
                 "narrow() or expand() on the operand");
        known = size;
    }

    /// Sums each label that only one operand has and the result lacks, before any product. Sums of
    /// integers are Long, so if one is summed, all operands become Long. `counts`: a single operand
    /// loses a label, perhaps only one of size 1, which also counts as a sum.
    void sum_alone(bool counts) {
        const label_set output(output_);
        label_set once, more;
        for (const labelled& t : terms_) {
            const label_set own(t.labels);
            more = more | (once & own);
            once = once | own;
        }
        const label_set alone = once - more - output;
        const ScalarType type = terms_[0].value.scalar_type();
        const bool one_type = std::ranges::all_of(
            terms_, [&](const labelled& t) { return t.value.scalar_type() == type; });
        if (one_type && type == kBool && !(more - output).empty())
            runtime::refuse_bool(name, toString(type), ops::no_bool_product);
        if (alone.empty() && !counts) return;
        // A sum over dimensions of size 1 is a copy: only a permutation or diagonal of an operand
        // is a view.
        if (alone.empty()) terms_[0].value = terms_[0].value.clone();
        for (labelled& t : terms_) {
            t = sum_over(t, alone);
            if (one_type && isIntegralType(type, true)) t.value = t.value.to(kLong);
        }
    }

    labelled take(std::size_t i) { return std::exchange(terms_[i], {}); }

    std::vector<labelled> terms_;  // terms already used are empty
    label_list output_;
    ops::label_sizes sizes_;
};

}  // namespace

Tensor einsum(std::string_view equation, TensorList operands, OptionalIntArrayRef path) {
    if (operands.empty())
        fail(name, "the list of operands is empty", "no tensors", "at least one tensor",
             "a tensor for each term of the equation");
    summation s(ops::parse_equation(equation, operands.size()), operands);
    return s.run(path ? ops::order_of_path(*path, operands.size()) : s.cheapest());
}

}  // namespace sinter::inline v1
