// The kernels whose text is tested, and functions of one program.
#pragma once

#include "jit/codegen/c_like/form.hpp"
#include "jit/codegen/c_like/program.hpp"
#include "tests/seed.hpp"
#include "jit/interpret/kernel_call_data.hpp"
#include "tests/support/random_kernel.hpp"

#include <doctest/doctest.h>

#include <random>

namespace sinter::testing {

using kernel_ir::kernel;
using kernel_ir::lanes;
using kernel_ir::none;
using kernel_ir::stride_class;
using kernel_ir::value_id;
using kernel_ir::testing::all_types;
using kernel_ir::testing::kernel_builder;

/// A map kernel of one row, computed in `in`.
inline kernel row_kernel(op::id id, ScalarType in, ScalarType result) {
    const op::row_info& info = op::info(id);
    kernel_builder b;
    const value_id x = b.load(info.rule == dtype_rule::choice ? kBool : in);
    const value_id y = info.arity > 1 ? b.load(in) : none;
    const value_id z = info.arity > 2 ? b.load(in) : none;
    value_id v = none;
    if (info.arity == 1) v = b.row_as(id, result, in, {x});
    if (info.arity == 2) v = b.row_as(id, result, in, {x, y});
    if (info.arity == 3) v = b.row_as(id, result, in, {x, y, z});
    b.store(v);
    return b.get();
}

/// a * b + scalar, which a compiler would contract.
inline kernel triad_kernel(ScalarType type) {
    kernel_builder b;
    const value_id product = b.row(op::mul, type, {b.load(type), b.load(type)});
    b.store(b.row(op::add, type, {product, b.scalar(type)}));
    return b.get();
}

/// Every row in its compute types.
inline std::vector<std::vector<kernel>> kernels_of_rows() {
    std::vector<std::vector<kernel>> rows;
    for (uint16_t row = 0; row < op::count; row++) {
        const auto id = static_cast<op::id>(row);
        const dtype_rule rule = op::info(id).rule;
        std::vector<kernel>& kernels = rows.emplace_back();
        for (ScalarType in : all_types) {
            if (!kernel_ir::testing::allows(rule, in)) continue;
            std::vector<ScalarType> results{kernel_ir::testing::result_type(id, in)};
            if (rule == dtype_rule::random) results = {kHalf, kFloat, kDouble};
            if (id == op::philox_bits) results = {kLong};
            for (ScalarType result : results) kernels.push_back(row_kernel(id, in, result));
        }
    }
    return rows;
}

/// Casts from each type to all.
inline std::vector<kernel> all_casts() {
    std::vector<kernel> kernels;
    for (ScalarType from : all_types) {
        kernel_builder b;
        const value_id x = b.load(from);
        for (ScalarType to : all_types) b.store(b.cast(x, to));
        kernels.push_back(b.get());
    }
    return kernels;
}

/// Every reduction in the types that it supports.
inline std::vector<std::vector<kernel>> kernels_of_reductions(lanes along) {
    std::vector<std::vector<kernel>> rows;
    for (uint16_t r = 0; r < static_cast<uint16_t>(op::reduction::count); r++) {
        const auto reduction = static_cast<op::reduction>(r);
        const op::reduction_info& info = op::info(reduction);
        std::vector<kernel>& kernels = rows.emplace_back();
        for (ScalarType type : all_types) {
            if (info.result == op::reduction_result::floating && !isFloatingType(type)) continue;
            kernel_builder b(along);
            value_id parameter = none;
            if (info.kind == op::reduction_kind::moments)
                parameter = b.scalar(type == kDouble ? kDouble : kFloat);
            b.store(b.reduce(reduction, b.load(type), parameter));
            kernels.push_back(b.get());
        }
    }
    return rows;
}

/// exp(x - amax(x)) / sum: two stages of reductions, then stores.
inline kernel softmax_kernel(ScalarType type) {
    kernel_builder b;
    const value_id x = b.load(type);
    const value_id top = b.reduce(op::reduction::amax, x);
    const value_id e = b.row(op::exp, type, {b.row(op::sub, type, {x, top})});
    b.store(b.row(op::div, type, {e, b.reduce(op::reduction::sum, e)}));
    return b.get();
}

inline std::vector<kernel> random_kernels(int count) {
    std::vector<kernel> kernels;
    for (int n = 0; n < count; n++)
        kernels.push_back(
            kernel_ir::testing::random_kernel(test::seed() + static_cast<uint64_t>(n)));
    return kernels;
}

/// The space of a call, as a launch has it: one-dimensional if there is one row.
class call_space {
public:
    call_space(const kernel& k, const kernel_ir::kernel_call& call, bool rows)
        : extents_{call.n1, call.n0} {
        if (!rows) extents_.erase(extents_.begin());
        strides_.reserve(2 * k.operands.size());
        for (std::size_t o = 0; o < k.operands.size(); o++) {
            const std::size_t first = strides_.size();
            if (rows) strides_.push_back(call.operands[o].s1);
            strides_.push_back(call.operands[o].s0);
            operands_.push_back({call.operands[o].ptr, &strides_[first]});
        }
    }
    codegen::element_space view() const { return {extents_, operands_}; }

private:
    std::vector<int64_t> extents_, strides_;
    std::vector<codegen::argument_operand> operands_;
};

/// A pointwise kernel in the form that a launch of these extents has.
struct formed_kernel {
    kernel k;
    int64_t n1, n0;
    uint64_t seed;  // of its operands
    codegen::loop_shape shape;
};

/// Forms over sizes around those of vectors and tiles, of kernels with operands of all strides,
/// types and roles. Optional properties of a form (narrow offsets, whole operands) are left out at
/// random.
inline std::vector<formed_kernel> random_forms(int count, uint64_t seed) {
    std::vector<formed_kernel> forms;
    std::mt19937_64 random(seed);
    while (forms.size() < static_cast<std::size_t>(count)) {
        const kernel k = kernel_ir::testing::random_kernel_generator(random(), {5, 0}).generate();
        const int64_t lengths[] = {15, 24, 32, 33, 48, 64, 100, 136, 2051, 2064, 3001, 5000};
        formed_kernel f{k, 1, lengths[random() % std::size(lengths)], random(), {}};
        if (f.n0 < 200) f.n1 = 2200 / f.n0 + static_cast<int64_t>(random() % 40);
        kernel_ir::kernel_call_data data(k, f.n1, f.n0, f.seed);
        const call_space space(k, data.call(), f.n1 > 1);
        f.shape = codegen::element_form(
            k, space.view(),
            {int64_t{16} << random() % 6, 1 + static_cast<int64_t>(random() % 64)});
        f.shape.far |= random() % 4 == 0;
        f.shape.wide |= random() % 4 == 0;
        if (random() % 4 == 0) f.shape.whole &= random();
        forms.push_back(std::move(f));
    }
    return forms;
}

inline void append(std::vector<kernel>& to, const std::vector<kernel>& more) {
    to.insert(to.end(), more.begin(), more.end());
}

/// Returns one kernel of each list, in turns.
inline std::vector<kernel> one_of_each(const std::vector<std::vector<kernel>>& lists) {
    std::vector<kernel> kernels;
    std::size_t turn = test::seed();
    for (const auto& list : lists) kernels.push_back(list[turn++ % list.size()]);
    return kernels;
}

inline std::vector<kernel> all_of(const std::vector<std::vector<kernel>>& lists) {
    std::vector<kernel> kernels;
    for (const auto& list : lists) append(kernels, list);
    return kernels;
}

/// Returns the argument of a function for a call.
inline std::vector<uint64_t> argument_of(const kernel& k, const codegen::loop_shape& shape,
                                         bool by_rows, const kernel_ir::kernel_call& call) {
    if (by_rows) return codegen::pack_arguments(k, call);
    std::vector<uint64_t> words(codegen::element_argument_words(k, shape));
    codegen::pack_elements(k, shape, call_space(k, call, shape.row_dims > 0).view(),
                           {call.scalars, k.scalars.size()}, call.status, words);
    return words;
}

/// Returns the name of a function that is not a symbol of the code.
inline std::string missing_symbol(const codegen::c_like_program& program,
                                  const std::vector<char>& code) {
    const std::string text(code.begin(), code.end());
    for (const codegen::c_like_function& f : program.functions)
        if (text.find(f.name + '\0') == std::string::npos) return f.name;
    return {};
}

}  // namespace sinter::testing
