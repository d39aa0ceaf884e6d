#include "engine/graph/infer.hpp"

#include "engine/graph/complex_rows.hpp"
#include "engine/graph/split_complex.hpp"
#include "jit/kernel_ir/rows/cost.hpp"
#include "runtime/base/fail.hpp"
#include "runtime/base/fault.hpp"
#include "runtime/base/fork.hpp"
#include "runtime/base/mode.hpp"
#include "runtime/types/default_dtype.hpp"
#include "runtime/types/dtypes.hpp"
#include "runtime/types/number_checks.hpp"

#include <sinter/error.hpp>
#include <sinter/expr/expr.hpp>
#include <sinter/warning.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <unordered_map>

namespace sinter::inline v1 {
namespace {

using rank = operand_type::rank;

std::string dtype_list(std::span<const operand_type> operands) {
    std::string s;
    for (std::size_t i = 0; i < operands.size(); ++i) {
        if (i > 0) s += i + 1 == operands.size() ? " and " : ", ";
        s += toString(operands[i].dtype);
    }
    return s;
}

/// Throws NotImplementedError: a row takes integers alone.
[[noreturn]] void refuse_fractions(op::id row, std::span<const operand_type> operands,
                                   const char* expected) {
    runtime::fail<NotImplementedError>(op::rows[row].name,
                                       "floating-point numbers are not supported",
                                       dtype_list(operands), expected, ".to(kLong) first");
}

/// Returns true for a subtraction with a Bool operand. `1 - mask` is refused too: it should be
/// `~mask`.
bool subtracts_truth(op::id row, std::span<const operand_type> operands) {
    return (row == op::sub || row == op::rsub) &&
           (operands[0].dtype == kBool || operands[1].dtype == kBool);
}

/// Returns the stronger of two kinds: a floating number raises integers to floating.
ScalarType combine_categories(ScalarType higher, ScalarType lower) {
    if (higher == ScalarType::Undefined) return lower;
    if (lower == ScalarType::Undefined || isComplexType(higher)) return higher;
    if (isFloatingType(higher)) return isComplexType(lower) ? toComplexType(higher) : higher;
    if (higher == kBool || isFloatingType(lower) || isComplexType(lower))
        return promote_types(higher, lower);
    return higher;
}

}  // namespace

ScalarType common_dtype(std::span<const operand_type> operands) {
    ScalarType dimensioned = ScalarType::Undefined, zero = dimensioned, number = dimensioned;
    auto merge = [](ScalarType& into, ScalarType t) {
        into = into == ScalarType::Undefined ? t : promote_types(into, t);
    };
    if (!operands.empty()) {  // the common case
        const operand_type& first = operands[0];
        bool alike = first.which == rank::dimensioned && is_supported(first.dtype);
        for (std::size_t i = 1; alike && i < operands.size(); ++i) alike = operands[i] == first;
        if (alike) return first.dtype;
    }
    for (const operand_type& o : operands) {
        if (o.which == rank::dimensioned) merge(dimensioned, o.dtype);
        if (o.which == rank::zero_dim) merge(zero, o.dtype);
        if (o.which == rank::number)
            merge(number, o.dtype == kDouble          ? default_floating()
                          : o.dtype == kComplexDouble ? toComplexType(default_floating())
                                                      : o.dtype);
    }
    const ScalarType t = combine_categories(dimensioned, combine_categories(zero, number));
    return is_supported(t) || operands.empty() ? t : promote_types(t, t);  // throws
}

row_types resolve_row(op::id row, std::span<const operand_type> operands) {
    const dtype_rule rule = op::rows[row].rule;
    if (rule == dtype_rule::choice) {
        if (operands[0].dtype != kBool && operands[0].dtype != kByte)
            runtime::fail(op::rows[row].name, "the condition has the wrong dtype",
                          dtype_list(operands.first(1)), "Bool", "a comparison, or .to(kBool)");
        ScalarType t = common_dtype(operands.subspan(1));
        return {t, t};
    }
    if (rule == dtype_rule::logical) return {kBool, kBool};
    const ScalarType t = common_dtype(operands);
    if (isComplexType(t) && !subtracts_truth(row, operands)) {
        switch (complex_result_of(row)) {
            case complex_result::same: return {t, t};
            case complex_result::real: return {t, toRealValueType(t)};
            case complex_result::truth: return {t, kBool};
            case complex_result::refused:
                runtime::refuse_complex(op::rows[row].name, dtype_list(operands));
        }
    }
    switch (rule) {
        case dtype_rule::any: return {t, t};
        case dtype_rule::matched:
            for (const operand_type& o : operands)
                if (o.which != rank::number && o.dtype != t)
                    runtime::refuse_dtypes(op::rows[row].name, operands[0].dtype,
                                           operands[1].dtype);
            return {t, t};
        case dtype_rule::numeric:
        case dtype_rule::power:
            if (row == op::square && t == kBool) return {kLong, kLong};
            if (t == kBool || subtracts_truth(row, operands))
                runtime::refuse_bool(
                    op::rows[row].name, dtype_list(operands),
                    "a logical operation such as logical_xor(), or .to(kByte) first");
            return {t, t};
        case dtype_rule::floating: {
            ScalarType f = isFloatingType(t) ? t : default_floating();
            return {f, f};
        }
        case dtype_rule::real:
        case dtype_rule::wide:
            if (!isFloatingType(t))
                runtime::refuse_integers(op::rows[row].name, dtype_list(operands));
            return {t, t};
        case dtype_rule::whole:
        case dtype_rule::shift:
            if (isFloatingType(t) || t == kBool)
                refuse_fractions(row, operands, "an integral dtype");
            return {t, t};
        case dtype_rule::test: return {t, kBool};
        case dtype_rule::bitwise:
            if (isFloatingType(t)) refuse_fractions(row, operands, "an integral dtype or Bool");
            return {t, t};
        default: runtime::bug("infer", "a row has no dtype rule");
    }
}

namespace {

/// Returns true if a 0-d factor or divisor of a 16-bit float is not rounded to that dtype first.
bool keeps_wide(op::id row, ScalarType in, std::span<const operand_type> operands) {
    return (row == op::mul || row == op::div || row == op::floor_divide) && is_narrow_float(in) &&
           operands[0].which == rank::dimensioned && operands[1].which == rank::zero_dim &&
           isFloatingType(operands[1].dtype) && operands[1].dtype != in;
}

void find_last_uses(typed_program& t) {
    const auto end = static_cast<int32_t>(t.ops.size());
    t.last_use.assign(t.ops.size(), -1);
    for (int32_t k = 0; k < end; ++k)
        for (int32_t a : t.ops[static_cast<std::size_t>(k)].args)
            if (a >= 0) t.last_use[static_cast<std::size_t>(a)] = k;
    for (int32_t r : t.results) {
        if (r < 0) continue;
        int32_t& use = t.last_use[static_cast<std::size_t>(r)];
        if (use >= 0 || t.results[0] == t.results[1]) use = end;
    }
}

int64_t cost_of(const typed_op& o) {
    constexpr int64_t rounding = 6;  // conversion to 16 bits and back
    const bool narrow = is_narrow_float(o.out) || is_narrow_float(o.in);
    if (o.what == typed_op::kind::cast) return narrow ? rounding : 1;
    if (o.what != typed_op::kind::row) return 0;
    const bool draws = op::rows[o.id].rule == dtype_rule::random;
    return kernel_ir::row_cost(o.id, draws ? o.out : o.in) + (narrow ? rounding : 0);
}

/// Types all operations. Complex ones are there as they were written.
std::unique_ptr<typed_program> infer_whole(const program* p, std::span<const operand_type> leaves,
                                           std::span<const Scalar> scalars) {
    auto typed = std::make_unique<typed_program>();
    typed->source = p;
    typed->leaves.assign(leaves.begin(), leaves.end());
    const auto like_first = [&](const operand_type& t) {
        return t == leaves[0] && t.which == rank::dimensioned;
    };
    if (!leaves.empty() && std::all_of(leaves.begin(), leaves.end(), like_first))
        typed->uniform = leaves[0].dtype;
    for (const Scalar& s : scalars) typed->scalars.push_back(s.which());
    typed->operations = 0;
    typed->default_dtype = get_default_dtype();
    typed->fast = get_fast_math();
    std::vector<int32_t> stack;
    std::vector<operand_type> types;  // per op
    uint16_t next_leaf = 0, next_scalar = 0;
    auto push = [&](typed_op o, operand_type t) {
        stack.push_back(static_cast<int32_t>(typed->ops.size()));
        typed->ops.push_back(o);
        types.push_back(t);
    };
    auto cast_to = [&](int32_t a, ScalarType to) {
        typed->ops.push_back({typed_op::kind::cast, 0, types[a].dtype, to, {a, -1, -1}});
        types.push_back({to, types[a].which});
        ++typed->operations;
        return static_cast<int32_t>(typed->ops.size() - 1);
    };
    for (std::size_t w = 0; w < p->words.size(); ++w) {
        const uint16_t word = p->words[w];
        const std::size_t known = typed->ops.size();
        const auto origin = static_cast<uint16_t>(w);
        if (word == token_leaf) {
            operand_type t = leaves[next_leaf];
            push({typed_op::kind::leaf, next_leaf++, t.dtype, t.dtype, {-1, -1, -1}}, t);
        } else if (word == token_scalar) {
            ScalarType t = scalars[next_scalar].type();
            push({typed_op::kind::scalar, next_scalar++, t, t, {-1, -1, -1}}, {t, rank::number});
        } else if (word == token_cast) {
            auto to = static_cast<ScalarType>(p->words[++w]);
            int32_t a = stack.back();
            stack.pop_back();
            // A number that is cast counts as a tensor of that dtype, as in `full`.
            rank r = types[a].which == rank::number ? rank::dimensioned : types[a].which;
            push({typed_op::kind::cast, 0, types[a].dtype, to, {a, -1, -1}}, {to, r});
            ++typed->operations;
        } else if (word == token_real || word == token_imag) {
            const int32_t a = stack.back();
            stack.pop_back();
            const ScalarType to = toRealValueType(types[a].dtype);
            const uint16_t which = word == token_imag;
            push({typed_op::kind::part, which, types[a].dtype, to, {a, -1, -1}},
                 {to, types[a].which});
        } else if (word == token_join) {
            const auto to = static_cast<ScalarType>(p->words[++w]);
            const int32_t im = stack.back(), re = stack[stack.size() - 2];
            stack.resize(stack.size() - 2);
            const rank r =
                types[re].which == rank::dimensioned ? rank::dimensioned : types[im].which;
            push({typed_op::kind::join, 0, toRealValueType(to), to, {re, im, -1}}, {to, r});
        } else {
            auto row = static_cast<op::id>(word);
            const int arity = op::rows[row].arity;
            typed_op o{typed_op::kind::row, word, {}, {}, {-1, -1, -1}};
            operand_type operands[3];
            rank r = rank::zero_dim;
            for (int i = 0; i < arity; ++i) {
                o.args[i] = stack[stack.size() - arity + i];
                operands[i] = types[o.args[i]];
                if (operands[i].which == rank::dimensioned) r = rank::dimensioned;
            }
            stack.resize(stack.size() - arity);
            row_types t{};
            if (op::rows[row].rule == dtype_rule::random)
                t = {kLong, static_cast<ScalarType>(p->words[++w])};
            else
                t = resolve_row(row, {operands, static_cast<std::size_t>(arity)});
            const bool wide = keeps_wide(row, t.in, operands);
            if (wide)
                for (int i = 0; i < arity; ++i) o.args[i] = cast_to(o.args[i], kFloat);
            o.in = wide ? kFloat : t.in;
            o.out = wide ? kFloat : t.out;
            push(o, {o.out, r});
            ++typed->operations;
            if (wide) stack.back() = cast_to(stack.back(), t.out);
        }
        for (std::size_t k = known; k < typed->ops.size(); ++k) typed->ops[k].origin = origin;
    }
    return typed;
}

std::unique_ptr<typed_program> infer_ops(const program* p, std::span<const operand_type> leaves,
                                         std::span<const Scalar> scalars) {
    std::unique_ptr<typed_program> typed = infer_whole(p, leaves, scalars);
    split_complex(*typed);
    find_last_uses(*typed);
    typed->cost = 0;
    for (const typed_op& o : typed->ops) typed->cost += cost_of(o);
    return typed;
}

operand_type type_of(const leaf& l) {
    return {dtype_of(l), l.shape->ndim == 0 ? rank::zero_dim : rank::dimensioned};
}

bool assumes_settings(const typed_program& t) {
    return t.default_dtype == get_default_dtype() && t.fast == current_fast_math();
}

bool takes_scalars(const typed_program& t, std::span<const Scalar> scalars) {
    for (std::size_t i = 0; i < scalars.size(); ++i)
        if (t.scalars[i] != scalars[i].which()) return false;
    return true;
}

bool same(const typed_program& t, std::span<const leaf> leaves, std::span<const Scalar> scalars,
          bool* uniform) {
    if (!assumes_settings(t)) return false;
    bool alike = t.uniform != ScalarType::Undefined && leaves[0].shape->ndim > 0;
    if (alike) {
        const geometry* first = leaves[0].shape.get();
        for (const leaf& l : leaves) alike &= l.shape.get() == first && l.dtype == t.uniform;
    }
    *uniform = alike;
    const operand_type* wanted = t.leaves.data();
    for (std::size_t i = 0; !alike && i < leaves.size(); ++i)
        if (!(wanted[i] == type_of(leaves[i]))) return false;
    return takes_scalars(t, scalars);
}

struct program_table {
    std::mutex mutex;  // all threads share the programs, which are never freed
    std::unordered_multimap<uint64_t, std::unique_ptr<program>> programs;
    std::unordered_multimap<const program*, std::unique_ptr<typed_program>> typed;
};

program_table& table() {
    static auto* t = new program_table;  // leaked: tensors may die after main
    return *t;
}
std::mutex& programs_lock() { return table().mutex; }
[[maybe_unused]] const runtime::held_at_fork<programs_lock> programs_at_fork(
    runtime::fork_order::programs);

}  // namespace

const program* intern(const program_ref& p) {
    program_table& t = table();
    std::lock_guard lock(t.mutex);
    auto [b, e] = t.programs.equal_range(p.digest);
    for (auto it = b; it != e; ++it) {
        const program& q = *it->second;
        if (q.words.size() == p.size && std::equal(q.words.begin(), q.words.end(), p.words))
            return &q;
    }
    auto q = std::make_unique<program>();
    q->words.assign(p.words, p.words + p.size);
    q->leaves = p.leaves;
    q->scalars = p.scalars;
    q->digest = p.digest;
    return t.programs.emplace(p.digest, std::move(q))->second.get();
}

int64_t cost_of(const program& p) {
    const int64_t known = p.cost.load(std::memory_order_relaxed);
    if (known >= 0) return known;
    int64_t cost = 0;
    for (std::size_t w = 0; w < p.words.size(); ++w) {
        const uint16_t word = p.words[w];
        if (word == token_cast || word == token_join) ++w;
        if (word >= token_first) continue;
        cost += kernel_ir::row_cost(word, kFloat);
        if (op::rows[word].rule == dtype_rule::random) ++w;
    }
    p.cost.store(cost, std::memory_order_relaxed);
    return cost;
}

const typed_program* infer(const program* p, std::span<const leaf> leaves,
                           std::span<const Scalar> scalars, bool* uniform) {
    const typed_program* known = p->recent.load(std::memory_order_acquire);
    if (known && same(*known, leaves, scalars, uniform)) return known;
    *uniform = false;
    std::vector<operand_type> types;
    for (const leaf& l : leaves) types.push_back(type_of(l));
    program_table& t = table();
    std::lock_guard lock(t.mutex);
    auto [at, end] = t.typed.equal_range(p);
    while (at != end && !same(*at->second, leaves, scalars, uniform)) ++at;
    if (at == end) at = t.typed.emplace(p, infer_ops(p, types, scalars));
    p->recent.store(at->second.get(), std::memory_order_release);
    return at->second.get();
}

bool is_of_alike(const typed_program& t, ScalarType in, std::span<const Scalar> scalars) {
    return t.uniform == in && assumes_settings(t) && takes_scalars(t, scalars);
}

typed_program infer_unsplit(const typed_program& t) {
    std::vector<Scalar> numbers;
    for (const Scalar::kind k : t.scalars) switch (k) {
            case Scalar::kind::boolean: numbers.emplace_back(false); break;
            case Scalar::kind::integral: numbers.emplace_back(int64_t{0}); break;
            case Scalar::kind::floating: numbers.emplace_back(0.0); break;
            case Scalar::kind::complex: numbers.emplace_back(complex<double>(0, 0)); break;
        }
    typed_program whole = std::move(*infer_whole(t.source, t.leaves, numbers));
    whole.results[0] = static_cast<int32_t>(whole.ops.size()) - 1;
    whole.results[1] = -1;
    return whole;
}

constinit std::atomic<uint8_t> known_results[std::size(op::rows)][tensor_dtypes] = {};

namespace {

bool same_sizes(const geometry& a, const geometry& b) {
    return &a == &b || a.sizes_ref() == b.sizes_ref();
}

/// Returns the dtype, and in `shape` the shape, of operands that are alike apart from plain
/// numbers. Returns Undefined if they differ.
ScalarType alike(const detail::meta_view* operands, int arity, const geometry** shape) {
    const geometry* g = nullptr;
    ScalarType t = ScalarType::Undefined;
    bool numbers = false;
    for (int i = 0; i < arity; ++i) {
        const detail::meta_view& o = operands[i];
        if (!o.shape) {
            if (o.dtype != kLong && o.dtype != kDouble) return ScalarType::Undefined;
            numbers = true;
        } else if (!g) {
            g = o.shape;
            t = o.dtype;
        } else if (o.dtype != t || !same_sizes(*g, *o.shape)) {
            return ScalarType::Undefined;
        }
    }
    if (!g || !is_plain(*g, t) || (numbers && !isFloatingType(t))) return ScalarType::Undefined;
    *shape = g;
    return t;
}

void remember(op::id row, ScalarType in, ScalarType out) {
    const dtype_rule rule = op::rows[row].rule;
    if (rule == dtype_rule::choice || rule == dtype_rule::random ||
        (rule == dtype_rule::floating && !isFloatingType(in)))
        return;
    known_results[row][static_cast<int>(in)].store(static_cast<uint8_t>(static_cast<int>(out) + 1),
                                                   std::memory_order_relaxed);
}

}  // namespace

ScalarType combine_alike(op::id row, const detail::meta_view* operands, int arity,
                         const geometry** shape) {
    const ScalarType t = alike(operands, arity, shape);
    return t == ScalarType::Undefined ? t : result_of_one_kind(row, **shape, t);
}

namespace detail {

expr_meta combine(op::id row, const meta_view* operands) {
    const int arity = op::rows[row].arity;
    operand_type types[3];
    const geometry* shape = nullptr;
    bool fresh = false;
    expr_meta result;
    for (int i = 0; i < arity; ++i) {
        const geometry* g = operands[i].shape;
        types[i] = {operands[i].dtype, !g             ? rank::number
                                       : g->ndim == 0 ? rank::zero_dim
                                                      : rank::dimensioned};
        if (!g) continue;
        if (!shape) {
            shape = g;
        } else if (!(shape->sizes_ref() == g->sizes_ref())) {
            std::vector<int64_t> sizes =
                broadcast_shapes(op::rows[row].name, shape->sizes_ref(), g->sizes_ref());
            result.shape = make_contiguous(sizes);
            shape = result.shape.get();
            fresh = true;
        }
    }
    if (!shape) runtime::bug("infer", "an operation has numbers as its only operands");
    result.dtype = resolve_row(row, {types, static_cast<std::size_t>(arity)}).out;
    if (const ScalarType t = alike(operands, arity, &shape); t != ScalarType::Undefined)
        remember(row, t, result.dtype);
    if (row == op::where && types[0].dtype == kByte)
        warn(
            Warning("[where] where received a uint8 condition tensor, which is deprecated; try a "
                    "Bool condition"));
    if (!fresh) {
        if (shape->contiguous && shape->offset == 0)
            result.shape = geometry_ptr(shape);
        else
            result.shape = make_contiguous(shape->sizes_ref());
    }
    return result;
}

leaf capture(const Tensor& t) {
    const TensorImpl* impl = t.unsafeGetTensorImpl();
    if (!impl) runtime::refuse_undefined("expression_builder");
    return captured_leaf(*impl);
}

}  // namespace detail
}  // namespace sinter::inline v1
