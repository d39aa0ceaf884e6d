// The choice of the level, and look-ups in its table.
#include "jit/simd/table.hpp"

#include "runtime/base/device.hpp"
#include "runtime/base/environment.hpp"
#include "runtime/base/fail.hpp"
#include "runtime/base/fork.hpp"

#include <sinter/error.hpp>

#include <atomic>
#include <string>

namespace sinter::block {

namespace {

bool usable(isa level) {
    switch (level) {
        case isa::baseline: return true;
#if defined(SINTER_BLOCK_V4)
        case isa::v4: return runtime::cpu_has_v4();
#endif
#if defined(SINTER_BLOCK_V3)
        case isa::v3: return runtime::cpu_has_v3();
#endif
        default: return false;
    }
}

isa best() { return usable(isa::v4) ? isa::v4 : usable(isa::v3) ? isa::v3 : isa::baseline; }

isa chosen() {
    const runtime::isa_choice wanted = runtime::environment().isa;
    if (wanted == runtime::isa_choice::best) return best();
    const isa level = wanted == runtime::isa_choice::v4   ? isa::v4
                      : wanted == runtime::isa_choice::v3 ? isa::v3
                                                          : isa::baseline;
    if (usable(level)) return level;
    runtime::fail<ValueError>("SINTER_ISA", "this build does not support the level",
                              level == isa::v4 ? "v4" : "v3", "a supported level",
                              "baseline, or leaving it unset");
}

#define SINTER_FILL(level)           \
    [] {                             \
        table t{};                   \
        level::fill_rows_arith(t);   \
        level::fill_rows_power(t);   \
        level::fill_rows_trig(t);    \
        level::fill_rows_special(t); \
        level::fill_rows_bessel(t);  \
        level::fill_rows_logic(t);   \
        level::fill_convert(t);      \
        level::fill_reduce(t);       \
        level::fill_products(t);     \
        level::fill_factors(t);      \
        level::fill_eigen(t);        \
        return t;                    \
    }()

/// Returns the table of a level. It is filled on first use and never changes.
const table& table_of(isa level) {
#if defined(SINTER_BLOCK_V4)
    if (level == isa::v4) {
        static const table t = SINTER_FILL(v4);
        return t;
    }
#endif
#if defined(SINTER_BLOCK_V3)
    if (level == isa::v3) {
        static const table t = SINTER_FILL(v3);
        return t;
    }
#endif
    (void)level;
    static const table t = SINTER_FILL(baseline);
    return t;
}

struct choice {
    std::atomic<isa> level{chosen()};
    std::atomic<const table*> functions{&table_of(level)};
};

/// One per process, because the level is a property of the CPU. Atomic, because tests change it.
choice& current() {
    static constinit std::atomic<choice*> made{nullptr};
    return runtime::made_once(made, [] { return new choice; });
}

const table& functions() { return *current().functions.load(std::memory_order_acquire); }

int slot(ScalarType type) { return static_cast<int>(kernel_ir::compute_type(type)); }

}  // namespace

isa level() { return current().level.load(std::memory_order_acquire); }

bool available(isa level) { return usable(level); }

void set_level(isa level) {
    if (!usable(level)) runtime::bug("set_level", "this CPU or build does not support the level");
    current().functions.store(&table_of(level), std::memory_order_release);
    current().level.store(level, std::memory_order_release);
}

block_fn find(op::id row, ScalarType in, ScalarType out) {
    const bool random = op::info(row).rule == dtype_rule::random;
    if (random && in != kLong) return nullptr;
    return functions().rows[row][is_narrow_float(in) ? narrow_slot : slot(random ? out : in)];
}

load_fn find_load(ScalarType storage, ScalarType logical) {
    return functions().loads[static_cast<int>(storage)][static_cast<int>(logical)];
}

store_fn find_store(ScalarType logical, ScalarType storage) {
    return functions().stores[static_cast<int>(logical)][static_cast<int>(storage)];
}

const reduce_fns* find_reduce(op::reduction row, ScalarType accumulator) {
    const reduce_fns& f = functions().reductions[static_cast<int>(row)][slot(accumulator)];
    return f.passes > 0 ? &f : nullptr;
}

product_fn find_product(ScalarType type) {
    return type == kFloat    ? functions().float_product
           : type == kDouble ? functions().double_product
                             : nullptr;
}

const small_factor_fns* find_factors(ScalarType type) {
    return type == kFloat    ? &functions().float_factors
           : type == kDouble ? &functions().double_factors
                             : nullptr;
}

ScalarType accumulator_type(op::reduction row, ScalarType in) {
    switch (op::info(row).result) {
        case op::reduction_result::sum: return isIntegralType(in, true) ? kLong : in;
        case op::reduction_result::boolean: return kBool;
        default: return in;
    }
}

ScalarType result_type(op::reduction row, ScalarType in) {
    return op::info(row).result == op::reduction_result::index ? kLong : accumulator_type(row, in);
}

ScalarType result_type(op::id row, ScalarType in, ScalarType stated) {
    switch (op::info(row).rule) {
        case dtype_rule::test:
        case dtype_rule::logical: return kBool;
        case dtype_rule::random: return stated;
        default: return in;
    }
}

}  // namespace sinter::block
