// A seeded generator of row-level kernels, for differential tests of all ways to run kernels.
#pragma once

#include "tests/support/element_types.hpp"
#include "tests/support/kernel_builder.hpp"

#include <algorithm>
#include <random>

namespace sinter::kernel_ir::testing {

using sinter::testing::all_types;

struct random_kernel_options {
    int operations = 12;  // about this many rows and casts
    int reductions = 3;   // at most
};

/// Returns a random kernel: operands of every role, type and stride class, rows, casts, reductions
/// in chained and sibling stages, row and element stores.
class random_kernel_generator {
public:
    random_kernel_generator(uint64_t seed, random_kernel_options options)
        : random_(seed), options_(options), build_(chance(50) ? lanes::element : lanes::row) {}

    kernel generate() {
        const int reductions = chance(60) ? static_cast<int>(below(options_.reductions + 1)) : 0;
        reducing_ = reductions > 0;
        make_leaves();
        for (int r = 0; r <= reductions; r++) {
            const int n = 1 + static_cast<int>(below(1 + options_.operations / (reductions + 1)));
            for (int i = 0; i < n; i++) make_operation();
            if (r < reductions) make_reduction();
        }
        make_stores(reductions);
        return build_.get();
    }

private:
    uint64_t below(int n) { return n <= 0 ? 0 : random_() % static_cast<uint64_t>(n); }
    bool chance(int percent) { return below(100) < static_cast<uint64_t>(percent); }
    ScalarType any_type() { return all_types[below(std::size(all_types))]; }
    stride_class any_stride() {
        const bool tiles = !reducing_ && build_.get().along == lanes::element;
        return static_cast<stride_class>(below(tiles ? 5 : 4));
    }

    void make_leaves() {
        const int loads = 1 + static_cast<int>(below(3));
        for (int i = 0; i < loads; i++) add(build_.load(any_type(), any_stride()));
        if (reducing_ && chance(40)) {
            add(build_.load(any_type(), stride_class::zero, domain::row));
        }
        if (chance(20)) add(build_.index());
        const int scalars = static_cast<int>(below(3));
        for (int i = 0; i < scalars; i++) add(build_.scalar(any_type()));
    }

    /// Later values are drawn more often, so that chains become deep.
    value_id any_value() {
        const auto n = static_cast<int>(values_.size());
        const uint64_t back = std::min(below(n), below(n));
        return values_[values_.size() - 1 - back];
    }

    void make_operation() {
        if (chance(15)) {
            add(build_.cast(any_value(), any_type()));
            return;
        }
        // Of more than a hundred rows, a compiler might contract these.
        constexpr op::id arithmetic[] = {op::add, op::sub, op::mul};
        const auto row = chance(12) ? arithmetic[below(3)] : static_cast<op::id>(below(op::count));
        const op::row_info& info = op::info(row);
        ScalarType in = any_type();
        while (!allows(info.rule, in)) in = any_type();
        const value_id a = any_value(), b = any_value(), c = any_value();
        if (info.rule == dtype_rule::random) {
            add(build_.row_as(row, random_type(row), in, {a, b}));
        } else if (info.arity == 1) {
            add(build_.row(row, in, {a}));
        } else if (info.arity == 2) {
            add(build_.row(row, in, {a, b}));
        } else {
            add(build_.row(row, in, {a, b, c}));
        }
    }

    ScalarType random_type(op::id row) {
        constexpr ScalarType floats[] = {kHalf, kBFloat16, kFloat, kDouble};
        return row == op::philox_bits ? kLong : floats[below(4)];
    }

    void make_reduction() {
        const auto reduction =
            static_cast<op::reduction>(below(static_cast<int>(op::reduction::count)));
        const op::reduction_info& info = op::info(reduction);
        value_id a = any_value();
        for (int i = 0; i < 8 && build_.at(a).dom == domain::row; i++) a = any_value();
        if (info.result == op::reduction_result::floating && !isFloatingType(build_.at(a).type)) {
            a = add(build_.cast(a, chance(50) ? kFloat : kDouble));
        }
        value_id parameter = none;
        if (info.kind == op::reduction_kind::moments) {
            parameter =
                build_.scalar(compute_type(build_.at(a).type) == mtype::f64 ? kDouble : kFloat);
        }
        results_.push_back(add(build_.reduce(reduction, a, parameter)));
    }

    void make_stores(int reductions) {
        const int stores = 1 + static_cast<int>(below(2));
        for (int i = 0; i < stores; i++) {
            const value_id v = any_value();
            const bool one_a_row = reductions > 0 && build_.at(v).dom == domain::row && chance(80);
            store(v, one_a_row ? domain::row : domain::element);
        }
        // Every reduction has a reader.
        for (value_id v : results_) {
            if (chance(60)) store(v, domain::row);
        }
    }

    void store(value_id v, domain dom) {
        const bool one_a_row = dom == domain::row && build_.get().along == lanes::element;
        const stride_class lane = chance(60)   ? stride_class::unit
                                  : chance(50) ? stride_class::pair
                                               : stride_class::other;
        build_.store(v, one_a_row ? stride_class::zero : lane, dom);
    }

    value_id add(value_id v) {
        values_.push_back(v);
        return v;
    }

    std::mt19937_64 random_;
    random_kernel_options options_;
    bool reducing_ = false;
    kernel_builder build_;
    std::vector<value_id> values_;
    std::vector<value_id> results_;
};

inline kernel random_kernel(uint64_t seed, random_kernel_options options = {}) {
    return random_kernel_generator(seed, options).generate();
}

}  // namespace sinter::kernel_ir::testing
