// Where debuggers find what (tools/debug/sinter_debug.py). The library has no types in its debug
// information, and a program has none of those that are defined inside the library.
#include "engine/graph/graph.hpp"
#include "engine/graph/infer.hpp"
#include "engine/plan/plan.hpp"

#include <cstddef>

namespace sinter {

/// Flat, so that one read fetches the table from a process, a core dump or the library's file.
struct debug_entry {
    char name[44];
    int32_t value;
};

namespace {

// The reader takes these for a pointer, an optional kernel for the kernel and a flag after it, and
// a count of references for its number.
static_assert(sizeof(intrusive_ptr<Version>) == sizeof(void*) &&
              sizeof(peeked_ptr<Storage>) == sizeof(void*) &&
              sizeof(std::optional<plan::kernel_step>) ==
                  sizeof(plan::kernel_step) + alignof(plan::kernel_step) &&
              sizeof(std::exception_ptr) == sizeof(void*) &&
              sizeof(detail::reference_count) == sizeof(uint32_t));

using plan::cut_record;
using plan::kernel_step;
using plan::operand_binding;
using plan::plan_step;
using plan::temporary;
using planned = plan::plan;
using runtime::buffer;

}  // namespace

#define OFFSET(type, field) {#type "." #field, static_cast<int32_t>(offsetof(type, field))}
#define SIZE(type) {#type ".size", static_cast<int32_t>(sizeof(type))}
#define VALUE(type, name) {#type "." #name, static_cast<int32_t>(type::name)}

// Some of the types are not standard-layout. offsetof of those is up to the compiler, and both have
// it.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winvalid-offsetof"

extern "C" {
/// Exported, as a stripped library keeps no other names.
extern SINTER_API const debug_entry sinter_debug_layout[];
const debug_entry sinter_debug_layout[] = {
    OFFSET(TensorImpl, references),
    OFFSET(TensorImpl, storage),
    OFFSET(TensorImpl, shape),
    OFFSET(TensorImpl, dtype),
    OFFSET(TensorImpl, device),
    SIZE(geometry),
    OFFSET(geometry, references),
    OFFSET(geometry, ndim),
    OFFSET(geometry, offset),
    OFFSET(geometry, numel),
    OFFSET(Storage, references),
    OFFSET(Storage, current),
    OFFSET(Storage, version),
    OFFSET(Storage, external),
    OFFSET(Version, references),
    OFFSET(Version, state),
    OFFSET(Version, dtype),
    OFFSET(Version, device),
    OFFSET(Version, numel),
    OFFSET(Version, buffer),
    OFFSET(Version, producer),
    OFFSET(Version, error),
    OFFSET(buffer, references),
    OFFSET(buffer, data),
    OFFSET(buffer, bytes),
    OFFSET(buffer, device),
    SIZE(Edge),
    OFFSET(Edge, value),
    OFFSET(Edge, shape),
    OFFSET(Edge, dtype),
    OFFSET(Node, kind),
    OFFSET(Node, claimed),
    OFFSET(Node, dtype),
    OFFSET(Node, sequence),
    OFFSET(Node, result),
    OFFSET(Node, shape),
    OFFSET(Node, sources),
    OFFSET(Node, code),
    OFFSET(Node, library),
    OFFSET(Node, reduction),
    OFFSET(Node, has_base),
    OFFSET(Node, device),
    OFFSET(typed_program, source),
    OFFSET(program, words),
    OFFSET(kernel_op, name),
    OFFSET(planned, values),
    OFFSET(planned, temporaries),
    OFFSET(planned, steps),
    OFFSET(planned, cuts),
    OFFSET(planned, inlined),
    SIZE(temporary),
    SIZE(cut_record),
    SIZE(operand_binding),
    SIZE(plan_step),
    OFFSET(plan_step, before),
    OFFSET(plan_step, library),
    OFFSET(plan_step, kernel),
    OFFSET(plan_step, bias),
    OFFSET(kernel_step, extents),
    OFFSET(kernel_step, operands),
    OFFSET(kernel_step, nodes),
    OFFSET(kernel_step, bytes),
    SIZE(kernel_step),
    VALUE(version_state, pending),
    VALUE(version_state, ready),
    VALUE(version_state, failed),
    VALUE(node_kind, pointwise),
    VALUE(node_kind, reduce),
    VALUE(node_kind, library),
    {"token.leaf", token_leaf},
    {"token.scalar", token_scalar},
    {"token.real", token_real},
    {"token.imag", token_imag},
    {"token.cast", token_cast},
    {"token.join", token_join},
    // In a program a number follows a row that is random.
    {"random_row", 1 << 16},
#define ROW(name, rule) \
    {"row." #name,      \
     static_cast<int32_t>(op::name) | (dtype_rule::rule == dtype_rule::random ? 1 << 16 : 0)},
#define ROW1(name, rule, ...) ROW(name, rule)
#define ROW2(name, rule, ...) ROW(name, rule)
#define ROW3(name, rule, ...) ROW(name, rule)
#include <sinter/op/elementwise.def>
#undef ROW1
#undef ROW2
#undef ROW3
#undef ROW
#define SINTER_DTYPE(type, computed, name, ...) VALUE(ScalarType, name),
#define SINTER_COMPLEX_DTYPE SINTER_DTYPE
#include <sinter/core/dtype.def>
#define ENTRY(name) {"reduction." #name, static_cast<int32_t>(op::reduction::name)},
#define FOLD(name, ...) ENTRY(name)
#define ARG(name, ...) ENTRY(name)
#define MOMENTS(name, ...) ENTRY(name)
#include <sinter/op/reduce.def>
#undef FOLD
#undef ARG
#undef MOMENTS
#undef ENTRY
    {"", 0},  // the end
};
}

#pragma GCC diagnostic pop
#undef OFFSET
#undef SIZE
#undef VALUE

}  // namespace sinter
