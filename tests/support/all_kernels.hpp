// The kernels that show what a code generator does with each operation: for the tests of all of
// them.
#pragma once

#include "tests/seed.hpp"
#include "tests/support/element_types.hpp"
#include "tests/support/kernel_builder.hpp"

#include <algorithm>
#include <vector>

namespace sinter::kernel_ir::testing {

using sinter::testing::all_types;

/// Adds the kernel, and its variants for every other form of rows.
inline void add_with_forms(std::vector<kernel>& kernels, kernel k) {
    kernels.push_back(k);
    if (k.along == lanes::row && k.has_reduction()) {
        k.form = row_form::few;
        kernels.push_back(k);
    }
    if (k.along != lanes::element || !k.has_reduction()) return;
    for (const row_form form : {row_form::one_chunk, row_form::up_to_32, row_form::up_to_16}) {
        k.form = form;
        kernels.push_back(k);
    }
    if (std::any_of(k.body.begin(), k.body.end(), [](const instr& i) {
            return i.op == opcode::store && i.dom == domain::element;
        }))
        return;
    k.form = row_form::runs;
    kernels.push_back(k);
}

/// Each row in each type that it takes.
inline std::vector<kernel> every_row() {
    std::vector<kernel> kernels;
    for (uint16_t row = 0; row < op::count; row++) {
        const auto id = static_cast<op::id>(row);
        const op::row_info& info = op::info(id);
        int types = 0;
        for (ScalarType in : all_types) {
            if (!allows(info.rule, in)) continue;
            // A third of the types is enough to show what the generator does with memory.
            if (test::sanitized() && types++ % 3 != 0) continue;
            std::vector<ScalarType> results{result_type(id, in)};
            if (info.rule == dtype_rule::random) results = {kHalf, kFloat, kDouble};
            if (id == op::philox_bits) results = {kLong};
            for (ScalarType result : results) {
                kernel_builder b;
                const ScalarType first = info.rule == dtype_rule::choice ? kBool : in;
                const value_id x = b.load(first);
                const value_id y = info.arity > 1 ? b.load(in) : none;
                const value_id z = info.arity > 2 ? b.load(in) : none;
                value_id v = none;
                if (info.arity == 1) v = b.row_as(id, result, in, {x});
                if (info.arity == 2) v = b.row_as(id, result, in, {x, y});
                if (info.arity == 3) v = b.row_as(id, result, in, {x, y, z});
                b.store(v);
                kernels.push_back(b.get());
            }
        }
    }
    return kernels;
}

/// Each conversion.
inline std::vector<kernel> every_cast() {
    std::vector<kernel> kernels;
    for (ScalarType from : all_types) {
        for (ScalarType to : all_types) {
            kernel_builder b;
            b.store(b.cast(b.load(from), to));
            kernels.push_back(b.get());
        }
    }
    return kernels;
}

/// Operands of each type, stride class and direction of lanes.
inline std::vector<kernel> every_memory_form() {
    std::vector<kernel> kernels;
    for (lanes along : {lanes::element, lanes::row}) {
        for (ScalarType type : all_types) {
            for (stride_class lane : {stride_class::zero, stride_class::unit, stride_class::other,
                                      stride_class::pair, stride_class::across}) {
                const bool across = lane == stride_class::across;
                if (across && along == lanes::row) continue;
                kernel_builder b(along);
                const value_id x = b.load(type, lane), y = b.load(type);
                b.store(b.row(op::maximum, type, {x, y}),
                        lane == stride_class::zero || across ? stride_class::unit : lane);
                kernels.push_back(b.get());
            }
        }
    }
    return kernels;
}

/// Each reduction of each type, in each form of rows.
inline std::vector<kernel> every_reduction() {
    std::vector<kernel> kernels;
    for (lanes along : {lanes::element, lanes::row}) {
        for (uint16_t r = 0; r < static_cast<uint16_t>(op::reduction::count); r++) {
            const auto reduction = static_cast<op::reduction>(r);
            const op::reduction_info& info = op::info(reduction);
            for (ScalarType type : all_types) {
                const bool floats = info.result == op::reduction_result::floating;
                if (floats && !isFloatingType(type)) continue;
                kernel_builder b(along);
                value_id parameter = none;
                if (info.kind == op::reduction_kind::moments) {
                    parameter = b.scalar(compute_type(type) == mtype::f64 ? kDouble : kFloat);
                }
                b.store(b.reduce(reduction, b.load(type), parameter));
                add_with_forms(kernels, b.get());
            }
        }
    }
    return kernels;
}

}  // namespace sinter::kernel_ir::testing
