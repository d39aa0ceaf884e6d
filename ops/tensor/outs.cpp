// `_out` forms of functions that are no table rows: each stores the result of the function without
// `_out`, and the copy fuses with that pending result.
#include "ops/common/out.hpp"
#include "ops/common/sharing.hpp"

#include <sinter/functions/functions.hpp>
#include <sinter/functions/gathering.hpp>
#include <sinter/functions/linalg.hpp>
#include <sinter/functions/out.hpp>
#include <sinter/functions/pointwise.hpp>
#include <sinter/functions/random.hpp>
#include <sinter/functions/reductions.hpp>
#include <sinter/functions/scans.hpp>
#include <sinter/functions/shape.hpp>
#include <sinter/functions/sorting.hpp>
#include <sinter/functions/special.hpp>

#include <utility>

namespace sinter::inline v1 {

using ops::body;

namespace {

enum class dtypes : uint8_t { cast, kept, joined, same, truth, drawn };
enum class overlap : uint8_t { any, partly, apart };

void require_joinable(const char* name, const Tensor& out, ScalarType dtype) {
    const ScalarType given = body(name, out).dtype;
    if (!can_cast(dtype, given)) ops::refuse_cast<TypeError>(name, dtype, given);
}

void require_truth(const char* name, const Tensor& out) {
    const ScalarType dtype = body(name, out).dtype;
    if (dtype != kBool && dtype != kByte)
        runtime::fail(name, "the output has the wrong dtype", runtime::text(dtype), "Bool or Byte",
                      "empty({0}, kBool) as the output");
}

void require_no_overlap(const char* name, const Tensor& out, const Tensor& operand) {
    if (!operand.defined() || !out.defined()) return;
    const ops::sharing how = ops::sharing_of(body(name, out), body(name, operand));
    if (how == ops::sharing::same || how == ops::sharing::partly)
        ops::refuse_overlap(name, "one storage for both", "separate memory");
}

// Checks the overlap of an argument with the output. Arguments that are not tensors have none.
template <class T>
void check_operand(const char*, overlap, const Tensor&, const T&) {}
void check_operand(const char* name, overlap rule, const Tensor& out, const Tensor& operand) {
    if (rule == overlap::apart) require_no_overlap(name, out, operand);
    if (rule == overlap::partly && operand.defined() && !operand.is_same(out))
        ops::require_no_partial_overlap(name, body(name, out), body(name, operand));
}
void check_operand(const char* name, overlap rule, const Tensor& out, TensorList operands) {
    for (const Tensor& t : operands) check_operand(name, rule, out, t);
}
void check_operand(const char* name, overlap rule, const Tensor& out,
                   const optional<Tensor>& operand) {
    if (operand) check_operand(name, rule, out, *operand);
}

void check_operand(const char* name, overlap rule, const Tensor& out,
                   ArrayRef<TensorIndex> indices) {
    for (const TensorIndex& i : indices)
        if (i.is_tensor()) check_operand(name, rule, out, i.tensor());
}

template <class... Arguments>
Tensor& into(const char* name, dtypes kind, overlap rule, Tensor& out, const Tensor& value,
             const Arguments&... arguments) {
    // A resized output no longer overlaps the operands that are read element by element.
    if (rule == overlap::apart || (out.defined() && out.sizes() == value.sizes()))
        (check_operand(name, rule, out, arguments), ...);
    if (kind == dtypes::same) ops::require_out_dtype(name, out, value.scalar_type());
    if (kind == dtypes::joined) require_joinable(name, out, value.scalar_type());
    if (kind == dtypes::kept && out.numel() == value.numel())
        return ops::store(name, out, value.view(out.sizes()));
    if (kind == dtypes::drawn) {
        ops::require_real(name, body(name, out).dtype);
        return ops::store(name, out, value.to(out.scalar_type()));
    }
    if (kind == dtypes::truth) {
        require_truth(name, out);
        return ops::store(name, out, value.to(out.scalar_type()));
    }
    return ops::store(name, out, value);
}

template <class Outs, class Values>
Outs each_into(const char* name, dtypes kind, const Outs& outs, const Values& values) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
        if (kind == dtypes::same)
            (ops::require_out_dtype(name, std::get<I>(outs), std::get<I>(values).scalar_type()),
             ...);
        (ops::store(name, std::get<I>(outs), std::get<I>(values)), ...);
    }(std::make_index_sequence<std::tuple_size_v<Outs>>());
    return outs;
}

/// An empty list of dimensions means all of them.
IntArrayRef every(const OptionalIntArrayRef& dim) { return dim ? *dim : IntArrayRef(); }

}  // namespace

#define SINTER_OR(...)
#define SINTER_OUT_LIST(...) __VA_ARGS__
#define SINTER_OUTS_2 std::tuple<Tensor&, Tensor&>
#define SINTER_OUTS_3 std::tuple<Tensor&, Tensor&, Tensor&>
#define SINTER_INTO(kind, rule, name, parameters, arguments)                            \
    Tensor& name##_out(Tensor& out, SINTER_OUT_LIST parameters) {                       \
        return into(#name "_out", dtypes::kind, overlap::rule, out, v1::name arguments, \
                    SINTER_OUT_LIST arguments);                                         \
    }
#define SINTER_INTO_ALL(kind, count, name, outs, out_names, parameters, arguments)     \
    SINTER_OUTS_##count name##_out(SINTER_OUT_LIST outs, SINTER_OUT_LIST parameters) { \
        return each_into(#name "_out", dtypes::kind, SINTER_OUTS_##count out_names,    \
                         v1::name arguments);                                          \
    }
#include <sinter/expr/outs.def>

Tensor& diff_out(Tensor& out, const Tensor& self, int64_t n, int64_t dim,
                 const optional<Tensor>& prepend, const optional<Tensor>& append) {
    return into("diff_out", n == 0 ? dtypes::same : dtypes::cast, overlap::apart, out,
                v1::diff(self, n, dim, prepend, append), self, prepend, append);
}
Tensor& empty_out(Tensor& out, IntArrayRef size, optional<MemoryFormat>) {
    return ops::store("empty_out", out, v1::empty(size, out.options()));
}
Tensor& index_out(Tensor& out, const Tensor& self, ArrayRef<TensorIndex> indices) {
    return into("index_out", dtypes::same, overlap::apart, out, self.index(indices), self, indices);
}
Tensor& index_put_out(Tensor& out, const Tensor& self, ArrayRef<TensorIndex> indices,
                      const Tensor& values, bool accumulate) {
    return into("index_put_out", dtypes::cast, overlap::any, out,
                v1::index_put(self, indices, values, accumulate));
}

}  // namespace sinter::inline v1
