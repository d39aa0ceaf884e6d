// Factories: pending programs without a source, over numbers and indices.
#include "engine/run/record.hpp"
#include "engine/watch/watch.hpp"

#include "ops/autograd/function.hpp"
#include "ops/common/devices.hpp"
#include "ops/common/parts.hpp"
#include "runtime/base/fp_environment.hpp"
#include "runtime/types/default_dtype.hpp"

#include <sinter/functions/functions.hpp>
#include <sinter/mode.hpp>

#include <algorithm>
#include <cmath>

namespace sinter::inline v1 {

using ops::creation;
using ops::index_leaf;
using ops::sequence;
using runtime::fail;
using runtime::text;

namespace {

/// Returns the dtype and device of a new tensor. Throws Error if either does not exist.
creation checked(const char* op, const TensorOptions& options, ScalarType otherwise) {
    return {op, options, otherwise, creation_device()};
}
/// The defaults are the dtype and device of `like`.
creation checked(const char* op, const TensorOptions& options, const TensorImpl& like) {
    return {op, options, like.dtype, like.device};
}

/// Returns the default floating dtype for floating numbers, its complex type for complex numbers,
/// Long for integers and Bool for booleans.
ScalarType dtype_of(const Scalar& value) {
    if (value.isComplex()) return toComplexType(default_floating());
    return value.isFloatingPoint() ? get_default_dtype() : value.type();
}

Tensor filled(const char* op, geometry_ptr shape, const Scalar& value, ScalarType dtype) {
    runtime::require_fits(op, value, dtype);
    return sequence().number(value).cast(dtype).pending(dtype, std::move(shape));
}

/// Returns a tensor without values. It is an operation without work, so that its memory is
/// allocated when something is written there, or never, if all of it is overwritten: a pending loop
/// that fills one such tensor at each iteration needs the memory of one. Little memory is allocated
/// at once: a program that asks for its address next would wait 0.4 us longer.
Tensor uninitialised(ScalarType dtype, geometry_ptr shape) {
    constexpr std::size_t little = 16384;
    if (get_mode() == Mode::eager || creation_device() != runtime::main_memory ||
        static_cast<std::size_t>(shape->numel) * elementSize(dtype) <= little) {
        Tensor t(make_empty(dtype, std::move(shape)));
        if (watching) [[unlikely]]
            watching->uninitialised.insert(t.unsafeGetTensorImpl()->storage->current.get());
        return t;
    }
    static const kernel_op nothing{.name = "empty", .run = [](const op_call&) {}, .complex = true};
    auto node = library_node(&nothing, {}, dtype, shape);
    return Tensor(make_pending(std::move(node), std::move(shape)));
}

}  // namespace

Tensor scalar_tensor(const Scalar& value, const TensorOptions& options) {
    const ScalarType own = value.isComplex() ? dtype_of(value) : get_default_dtype().toScalarType();
    const creation dtype = checked("scalar_tensor", options, own);
    return dtype.made(filled("scalar_tensor", make_contiguous({}), value, dtype));
}

Tensor scalar_to_tensor(const Scalar& value, Device device) {
    const ScalarType dtype = value.type();
    const creation made = checked("scalar_to_tensor", TensorOptions(dtype).device(device), dtype);
    return made.made(filled("scalar_to_tensor", make_contiguous({}), value, dtype));
}

Tensor empty(IntArrayRef sizes, const TensorOptions& options) {
    const creation dtype = checked("empty", options, get_default_dtype());
    return dtype.made(uninitialised(dtype, make_contiguous(sizes, "empty")));
}

Tensor zeros(IntArrayRef sizes, const TensorOptions& options) {
    const creation dtype = checked("zeros", options, get_default_dtype());
    return dtype.made(filled("zeros", make_contiguous(sizes, "zeros"), 0, dtype));
}

Tensor ones(IntArrayRef sizes, const TensorOptions& options) {
    const creation dtype = checked("ones", options, get_default_dtype());
    return dtype.made(filled("ones", make_contiguous(sizes, "ones"), 1, dtype));
}

Tensor full(IntArrayRef sizes, const Scalar& value, const TensorOptions& options) {
    const creation dtype = checked("full", options, dtype_of(value));
    return dtype.made(filled("full", make_contiguous(sizes, "full"), value, dtype));
}

Tensor empty_like(const tensor_base& t, const TensorOptions& options) {
    const TensorImpl& like = ops::body("empty_like", t);
    const creation dtype = checked("empty_like", options, like);
    return dtype.made(uninitialised(dtype, ops::layout_like(*like.shape)));
}

Tensor zeros_like(const tensor_base& t, const TensorOptions& options) {
    const TensorImpl& like = ops::body("zeros_like", t);
    const creation dtype = checked("zeros_like", options, like);
    return dtype.made(filled("zeros_like", ops::layout_like(*like.shape), 0, dtype));
}

Tensor ones_like(const tensor_base& t, const TensorOptions& options) {
    const TensorImpl& like = ops::body("ones_like", t);
    const creation dtype = checked("ones_like", options, like);
    return dtype.made(filled("ones_like", ops::layout_like(*like.shape), 1, dtype));
}

Tensor full_like(const tensor_base& t, const Scalar& value, const TensorOptions& options) {
    const TensorImpl& like = ops::body("full_like", t);
    const creation dtype = checked("full_like", options, like);
    return dtype.made(filled("full_like", ops::layout_like(*like.shape), value, dtype));
}

// ---- dtype of another tensor, other sizes
Tensor tensor_base::new_empty(IntArrayRef sizes, const TensorOptions& options) const {
    const creation dtype = checked("new_empty", options, ops::body("new_empty", *this));
    return dtype.made(uninitialised(dtype, make_contiguous(sizes, "new_empty")));
}

Tensor tensor_base::new_zeros(IntArrayRef sizes, const TensorOptions& options) const {
    const creation dtype = checked("new_zeros", options, ops::body("new_zeros", *this));
    return dtype.made(filled("new_zeros", make_contiguous(sizes, "new_zeros"), 0, dtype));
}

Tensor tensor_base::new_ones(IntArrayRef sizes, const TensorOptions& options) const {
    const creation dtype = checked("new_ones", options, ops::body("new_ones", *this));
    return dtype.made(filled("new_ones", make_contiguous(sizes, "new_ones"), 1, dtype));
}

Tensor tensor_base::new_full(IntArrayRef sizes, const Scalar& value,
                             const TensorOptions& options) const {
    const creation dtype = checked("new_full", options, ops::body("new_full", *this));
    return dtype.made(filled("new_full", make_contiguous(sizes, "new_full"), value, dtype));
}

Tensor tensor_base::new_tensor(const number_list& values, const TensorOptions& options) const {
    const creation dtype = checked("new_tensor", options, ops::body("new_tensor", *this));
    return dtype.made(tensor(values, dtype.dtype()));
}

Tensor tensor_base::new_tensor(std::initializer_list<number_list> values,
                               const TensorOptions& options) const {
    const creation dtype = checked("new_tensor", options, ops::body("new_tensor", *this));
    return dtype.made(tensor(values, dtype.dtype()));
}

// ---- ranges
namespace {

[[noreturn]] void refuse_range(const char* what, const Scalar& start, const Scalar& end,
                               const Scalar& step, const char* expected, const char* remedy) {
    fail("arange", what,
         text(runtime::to_text(start), " to ", runtime::to_text(end), " by ",
              runtime::to_text(step)),
         expected, remedy);
}

/// Returns the number of values start, start + step, ... before the end.
int64_t range_count(const Scalar& start, const Scalar& end, const Scalar& step, bool whole) {
    const auto refuse_zero = [&] {
        refuse_range("the step is zero", start, end, step, "a step other than 0",
                     "linspace(), which takes the number of elements");
    };
    const auto refuse_sign = [&] {
        refuse_range("the step leads away from the end", start, end, step,
                     "a step with the sign of end - start",
                     "the opposite sign for the step, or swapping start and end");
    };
    const auto refuse_length = [&] {
        refuse_range("the range is too long", start, end, step, "fewer than 2^62 elements",
                     "a larger step");
    };
    if (whole) {
        const __int128 span = static_cast<__int128>(end.toLong()) - start.toLong();
        const int64_t s = step.toLong();
        if (s == 0) refuse_zero();
        if ((s > 0 && span < 0) || (s < 0 && span > 0)) refuse_sign();
        const __int128 n = (span + s + (s > 0 ? -1 : 1)) / s;
        if (n > INT64_MAX) refuse_length();
        return static_cast<int64_t>(n);
    }
    const double n = runtime::in_fp_environment(
        [&](double a, double b, double s) {
            if (s == 0) refuse_zero();
            if (!std::isfinite(a) || !std::isfinite(b) || std::isnan(s))
                refuse_range("a bound is not finite, or the step is NaN", start, end, step,
                             "finite bounds and a step that is a number",
                             "std::isfinite() to find the argument");
            if ((s > 0 && b < a) || (s < 0 && b > a)) refuse_sign();
            return std::ceil((b - a) / s);
        },
        start.toDouble(), end.toDouble(), step.toDouble());
    if (!(n < 0x1p62)) refuse_length();
    return static_cast<int64_t>(n);
}

}  // namespace

Tensor arange(const Scalar& end, const TensorOptions& options) {
    return arange(0, end, 1, options);
}

Tensor arange(const Scalar& start, const Scalar& end, const TensorOptions& options) {
    return arange(start, end, 1, options);
}

Tensor arange(const Scalar& start, const Scalar& end, const Scalar& step,
              const TensorOptions& options) {
    const bool whole =
        !start.isFloatingPoint() && !end.isFloatingPoint() && !step.isFloatingPoint();
    const creation dtype = checked("arange", options, whole ? kLong : get_default_dtype());
    ops::require_real("arange", dtype);
    // Integers stay exact; everything else is computed in double and rounded once. For an integral
    // dtype, start and step are truncated first, as in PyTorch, but the count uses the original
    // numbers.
    const int64_t n = range_count(start, end, step, whole);
    const bool in_integers = whole || isIntegralType(dtype, false);
    const geometry_ptr shape = make_contiguous(n, "arange");
    sequence code;
    if (in_integers) {
        code.number(start.toLong()).number(step.toLong()).read(index_leaf(n, 1, 0));
    } else {
        code.number(start.toDouble())
            .number(step.toDouble())
            .read(index_leaf(n, 1, 0))
            .cast(kDouble);
    }
    code.row(op::mul).row(op::add);
    if (dtype != (in_integers ? kLong : kDouble)) code.cast(dtype);
    return dtype.made(code.pending(dtype, shape));
}

namespace {

/// Returns the default dtype of a range between two numbers.
ScalarType range_dtype(const Scalar& start, const Scalar& end) {
    return start.isComplex() || end.isComplex() ? toComplexType(default_floating())
                                                : get_default_dtype().toScalarType();
}

/// Returns an end of a range in this dtype. An integer wraps, as in a cast.
Scalar end_of_range(const char* name, const Scalar& s, ScalarType dtype) {
    runtime::require_fits(name, s, dtype);
    if (isFloatingType(dtype)) return s;
    return dtype == kByte ? s.truncated() & 255 : s.truncated();
}

}  // namespace

Tensor linspace(const Scalar& start, const Scalar& end, int64_t steps,
                const TensorOptions& options) {
    const creation dtype = checked("linspace", options, range_dtype(start, end));
    if (isComplexType(dtype)) {
        const complex<double> a = start.toComplexDouble(), b = end.toComplexDouble();
        const ScalarType part = toRealValueType(dtype);
        return dtype.made(ops::joined(linspace(a.real(), b.real(), steps, part),
                                      linspace(a.imag(), b.imag(), steps, part)));
    }
    if (start.isComplex() || end.isComplex())
        fail("linspace", "an end is complex",
             runtime::text(runtime::to_text(start), " to ", runtime::to_text(end), " for ", dtype),
             "a complex dtype", "kComplexFloat");
    if (steps < 0)
        fail("linspace", "the number of steps is negative", text(steps), "0 or more",
             "swapping start and end to count down");
    if (steps == 0) return dtype.made(empty(0, dtype.dtype()));
    if (steps == 1) return dtype.made(full(1, start, dtype.dtype()));
    // Each half starts from its end of the range, so that both ends are exact.
    const bool whole = !isFloatingType(dtype);  // the ends are converted to integers first
    const Scalar first = end_of_range("linspace", start, dtype),
                 last = end_of_range("linspace", end, dtype);
    const ScalarType in = dtype == kDouble || whole ? kDouble : kFloat;
    const auto part = [&](auto a, auto b) { return (b - a) / static_cast<decltype(a)>(steps - 1); };
    const Scalar step =
        in == kDouble ? Scalar(runtime::in_fp_environment(part, first.toDouble(), last.toDouble()))
                      : Scalar(runtime::in_fp_environment(part, first.toFloat(), last.toFloat()));
    const geometry_ptr shape = make_contiguous(steps, "linspace");
    sequence code;
    code.read(index_leaf(steps, 1, 0)).number(steps / 2).row(op::lt);
    code.number(first.toDouble()).number(step).read(index_leaf(steps, 1, 0)).cast(in);
    code.row(op::mul).row(op::add);
    code.number(last.toDouble()).number(step).read(index_leaf(steps, -1, steps - 1)).cast(in);
    code.row(op::mul).row(op::sub).row(op::where);
    if (dtype != in) code.cast(dtype);
    return dtype.made(code.pending(dtype, shape));
}

Tensor logspace(const Scalar& start, const Scalar& end, int64_t steps, double base,
                const TensorOptions& options) {
    const creation dtype = checked("logspace", options, range_dtype(start, end));
    if (isComplexType(dtype))
        return dtype.made(pow(base, linspace(start, end, steps, dtype.dtype())));
    if (steps < 0)
        fail("logspace", "the number of steps is negative", text(steps), "0 or more",
             "swapping start and end to count down");
    // Exponents as in linspace; powers in double, rounded once.
    const ScalarType in = dtype == kDouble || !isFloatingType(dtype) ? kDouble : kFloat;
    const bool ends = steps > 1;  // then the ends are converted to the dtype first
    const Tensor exponents = linspace(ends ? end_of_range("logspace", start, dtype) : start,
                                      ends ? end_of_range("logspace", end, dtype) : end, steps, in);
    sequence code;
    code.number(base).read(ops::read(*exponents.unsafeGetTensorImpl()));
    if (in != kDouble) code.cast(kDouble);
    code.row(op::pow);
    if (dtype != kDouble) code.cast(dtype);
    return dtype.made(code.pending(dtype, make_contiguous(steps)));
}

namespace {

/// Returns the end of a range that a tensor holds.
Scalar end_in(const char* op, const tensor_base& t) {
    const TensorImpl& end = ops::body(op, t);
    ops::require_0d(op, end, "an end", "one element of it, as in t[0]");
    const Scalar value = t.item();
    // The dtype of the tensor has no effect unless it is complex.
    return isComplexType(end.dtype) ? value : Scalar(value.toDouble());
}

/// Returns the range from `start` to `end`, which may have gradients. `slope`: what the gradient is
/// multiplied by, made from the range.
template <class F>
Tensor range_of_tensors(const char* op, const tensor_base* start, const tensor_base* end,
                        double slope, const F& range) {
    autograd::saves kept;
    if (slope != 0) kept.results = 1;
    return autograd::with_rule(op, {start, end}, kept, range,
                               [slope](const autograd::rule_call& c) -> autograd::variable_list {
                                   Tensor g = c.grad();
                                   if (slope != 0) g = g * Tensor(c.result() * slope).conj();
                                   const TensorOptions like =
                                       ops::beside(g, toRealValueType(g.scalar_type()));
                                   return {Tensor(g * linspace(1, 0, g.numel(), like)).sum(),
                                           Tensor(g * linspace(0, 1, g.numel(), like)).sum()};
                               });
}

}  // namespace

Tensor linspace(const tensor_base& start, const tensor_base& end, int64_t steps,
                const TensorOptions& options) {
    return range_of_tensors("linspace", &start, &end, 0, [&] {
        return linspace(end_in("linspace", start), end_in("linspace", end), steps, options);
    });
}
Tensor linspace(const tensor_base& start, const Scalar& end, int64_t steps,
                const TensorOptions& options) {
    return range_of_tensors("linspace", &start, nullptr, 0, [&] {
        return linspace(end_in("linspace", start), end, steps, options);
    });
}
Tensor linspace(const Scalar& start, const tensor_base& end, int64_t steps,
                const TensorOptions& options) {
    return range_of_tensors("linspace", nullptr, &end, 0, [&] {
        return linspace(start, end_in("linspace", end), steps, options);
    });
}
Tensor logspace(const tensor_base& start, const tensor_base& end, int64_t steps, double base,
                const TensorOptions& options) {
    return range_of_tensors("logspace", &start, &end, std::log(base), [&] {
        return logspace(end_in("logspace", start), end_in("logspace", end), steps, base, options);
    });
}
Tensor logspace(const tensor_base& start, const Scalar& end, int64_t steps, double base,
                const TensorOptions& options) {
    return range_of_tensors("logspace", &start, nullptr, std::log(base), [&] {
        return logspace(end_in("logspace", start), end, steps, base, options);
    });
}
Tensor logspace(const Scalar& start, const tensor_base& end, int64_t steps, double base,
                const TensorOptions& options) {
    return range_of_tensors("logspace", nullptr, &end, std::log(base), [&] {
        return logspace(start, end_in("logspace", end), steps, base, options);
    });
}

Tensor eye(int64_t n, const TensorOptions& options) { return eye(n, n, options); }

Tensor eye(int64_t n, int64_t m, const TensorOptions& options) {
    const creation dtype = checked("eye", options, get_default_dtype());
    const geometry_ptr shape = make_contiguous({n, m}, "eye");
    sequence code;
    code.read(index_leaf(shape->sizes_ref(), {1, -1}, 0)).number(0).row(op::eq);
    if (dtype != kBool) code.cast(dtype);
    return dtype.made(code.pending(dtype, shape));
}

}  // namespace sinter::inline v1
