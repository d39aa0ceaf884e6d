// New tensors of random numbers: checks arguments and chooses the distribution.
#include "engine/watch/watch.hpp"
#include "engine/run/record.hpp"
#include "kernels/random/permutation.hpp"
#include "ops/autograd/function.hpp"
#include "ops/common/devices.hpp"
#include "ops/random/draw.hpp"

#include <sinter/functions/functions.hpp>
#include <sinter/functions/pointwise.hpp>
#include <sinter/functions/random.hpp>
#include <sinter/limits.hpp>

namespace sinter::inline v1 {

using ops::body;
using ops::distribution;
using ops::drawn;
using runtime::fail;
using runtime::text;
using kind = distribution::kind;

namespace {

geometry_ptr layout_of(const TensorImpl& t) { return ops::layout_like(*t.shape); }

ops::creation checked(const char* op, const TensorOptions& options, ScalarType otherwise) {
    return {op, options, otherwise, creation_device()};
}

Tensor floating(const char* op, const distribution& d, geometry_ptr shape,
                const TensorOptions& options, ScalarType otherwise,
                const optional_generator& generator) {
    const ops::creation dtype = checked(op, options, otherwise);
    if (isComplexType(dtype)) {  // the parts of each element are drawn one after the other
        std::vector<int64_t> sizes = shape->sizes_ref().vec();
        sizes.push_back(2);
        return dtype.made(view_as_complex(
            drawn(ops::of_parts(d), toRealValueType(dtype), make_contiguous(sizes), generator)));
    }
    if (!isFloatingType(dtype))
        runtime::refuse_dtype(op, toString(dtype),
                              "Half, BFloat16, Float, Double or a complex dtype",
                              "randint() for integers");
    return dtype.made(drawn(d, dtype, std::move(shape), generator));
}

Tensor integers(const char* op, int64_t low, int64_t high, geometry_ptr shape,
                const TensorOptions& options, ScalarType otherwise,
                const optional_generator& generator) {
    const ops::creation dtype = checked(op, options, otherwise);
    int64_t width = 0;
    const bool overflow = __builtin_sub_overflow(high, low, &width);
    if (low >= high)
        fail(op, "low is not less than high", text("low ", low, " and high ", high), "low < high",
             "a larger high, which is exclusive");
    if (overflow || width > (int64_t{1} << 62) - 1)
        fail(op, "the range is too wide", text("low ", low, " and high ", high),
             "fewer than 2^62 values", "random_() without bounds");
    const ops::whole_range range = ops::range_in(op, low, high, dtype);
    return dtype.made(
        drawn({kind::integers, 0, 1, range.low, static_cast<uint64_t>(range.high - range.low)},
              dtype, std::move(shape), generator));
}

constexpr distribution unit{kind::uniform, 0, 1};
constexpr distribution standard{kind::normal, 0, 1};

}  // namespace

Tensor rand(IntArrayRef sizes, const TensorOptions& options) {
    return rand(sizes, nullopt, options);
}

Tensor rand(IntArrayRef sizes, const optional_generator& generator, const TensorOptions& options) {
    return floating("rand", unit, make_contiguous(sizes, "rand"), options, get_default_dtype(),
                    generator);
}

Tensor randn(IntArrayRef sizes, const TensorOptions& options) {
    return randn(sizes, nullopt, options);
}

Tensor randn(IntArrayRef sizes, const optional_generator& generator, const TensorOptions& options) {
    return floating("randn", standard, make_contiguous(sizes, "randn"), options,
                    get_default_dtype(), generator);
}

Tensor rand_like(const tensor_base& t, const TensorOptions& options) {
    const TensorImpl& like = body("rand_like", t);
    const ops::creation_scope there(like.device);
    return floating("rand_like", unit, layout_of(like), options, like.dtype, nullopt);
}

Tensor randn_like(const tensor_base& t, const TensorOptions& options) {
    const TensorImpl& like = body("randn_like", t);
    const ops::creation_scope there(like.device);
    return floating("randn_like", standard, layout_of(like), options, like.dtype, nullopt);
}

Tensor randint(int64_t high, IntArrayRef sizes, const TensorOptions& options) {
    return randint(0, high, sizes, nullopt, options);
}

Tensor randint(int64_t high, IntArrayRef sizes, const optional_generator& generator,
               const TensorOptions& options) {
    return randint(0, high, sizes, generator, options);
}

Tensor randint(int64_t low, int64_t high, IntArrayRef sizes, const TensorOptions& options) {
    return randint(low, high, sizes, nullopt, options);
}

Tensor randint(int64_t low, int64_t high, IntArrayRef sizes, const optional_generator& generator,
               const TensorOptions& options) {
    return integers("randint", low, high, make_contiguous(sizes, "randint"), options, kLong,
                    generator);
}

Tensor randint_like(const tensor_base& t, int64_t high, const TensorOptions& options) {
    return randint_like(t, 0, high, options);
}

Tensor randint_like(const tensor_base& t, int64_t low, int64_t high, const TensorOptions& options) {
    const TensorImpl& like = body("randint_like", t);
    const ops::creation_scope there(like.device);
    return integers("randint_like", low, high, layout_of(like), options, like.dtype, nullopt);
}

// ---- with parameters
namespace {

void require_deviation(double std) {
    if (!(std >= 0))
        fail("normal", "a standard deviation is negative or NaN", text(std), "0 or more",
             "abs() on std");
}

/// Checks values that are ready; does not compute pending ones.
void require_deviations(const TensorImpl& std) {
    if (std.storage->current->state != version_state::ready || std.shape->numel == 0) return;
    const double least = Tensor(intrusive_ptr<TensorImpl>(const_cast<TensorImpl*>(&std)))
                             .amin()
                             .to(kDouble)
                             .item<double>();
    require_deviation(least);
}

ScalarType floating_dtype(const char* op, const TensorImpl& t) {
    if (!isFloatingType(t.dtype))
        runtime::refuse_dtype(op, toString(t.dtype), "Half, BFloat16, Float or Double");
    return t.dtype;
}

/// As in PyTorch, the gradients of the parameters of a draw are 0. `mean + std * randn_like(mean)`
/// has others.
template <class F>
Tensor without_parameters(const tensor_base& mean, const tensor_base& std, const F& draw) {
    return autograd::with_rule("normal", {&mean, &std}, {}, draw, [&] {
        return [a = mean.sizes().vec(),
                b = std.sizes().vec()](const autograd::rule_call& c) -> autograd::variable_list {
            const TensorOptions like = ops::beside(c.grad(), c.grad().scalar_type());
            return {zeros(a, like), zeros(b, like)};
        };
    });
}

}  // namespace

Tensor normal(double mean, double std, IntArrayRef sizes, const optional_generator& generator,
              const TensorOptions& options) {
    require_deviation(std);
    return floating("normal", {kind::normal, mean, std}, make_contiguous(sizes, "normal"), options,
                    get_default_dtype(), generator);
}

Tensor normal(const tensor_base& mean, double std, const optional_generator& generator) {
    const TensorImpl& m = body("normal", mean);
    require_deviation(std);
    return without_parameters(mean, mean, [&] {
        const ops::creation_scope there(m.device);
        const Tensor x = drawn({kind::normal, 0, std}, floating_dtype("normal", m),
                               make_contiguous(m.shape->sizes_ref()), generator);
        return Tensor(x + mean);
    });
}

Tensor normal(double mean, const tensor_base& std, const optional_generator& generator) {
    const TensorImpl& s = body("normal", std);
    const ScalarType dtype = floating_dtype("normal", s);
    require_deviations(s);
    return without_parameters(std, std, [&] {
        const ops::creation_scope there(s.device);
        const Tensor x = drawn(standard, dtype, make_contiguous(s.shape->sizes_ref()), generator);
        return Tensor(x * std + mean);
    });
}

Tensor normal(const tensor_base& mean, const tensor_base& std,
              const optional_generator& generator) {
    const TensorImpl &m = body("normal", mean), &s = body("normal", std);
    const ScalarType dtype = floating_dtype("normal", m);  // the other is converted
    floating_dtype("normal", s);
    const auto sizes = broadcast_shapes("normal", m.shape->sizes_ref(), s.shape->sizes_ref());
    require_deviations(s);
    return without_parameters(mean, std, [&] {
        const ops::creation_scope there(m.device);
        const Tensor x = drawn(standard, dtype, make_contiguous(sizes), generator);
        return Tensor(x * std + mean).to(dtype);
    });
}

// ---- permutations
Tensor randperm(int64_t n, const TensorOptions& options) { return randperm(n, nullopt, options); }

Tensor randperm(int64_t n, const optional_generator& generator, const TensorOptions& options) {
    const ops::creation dtype = checked("randperm", options, kLong);
    if (n < 0)
        fail("randperm", "n is negative", text(n), "0 or more",
             "size() of the dimension to permute");
    // The dtype must hold every integer up to n - 1.
    const int64_t exact = dtype == kBool          ? 2
                          : isFloatingType(dtype) ? static_cast<int64_t>(2 / finfo(dtype).eps) + 1
                                                  : INT64_MAX;
    if (n > exact || (n > 0 && !runtime::fits(n - 1, dtype)))
        fail<ValueError>("randperm", "the dtype cannot hold every number",
                         text(n, " numbers as ", dtype), text("a dtype that holds 0 to ", n - 1),
                         "kLong, the default");
    GeneratorImpl& g = ops::generator_of(generator);
    geometry_ptr shape = make_contiguous(n, "randperm");
    std::unique_lock lock(g.mutex_);
    if (g.algorithm() == Rng::mt19937) {
        note_effect("draws from a Mersenne Twister");
        Tensor result(make_empty(dtype, shape, runtime::main_memory));
        auto& twister = static_cast<CPUGeneratorImpl&>(g);
        random_kernels::permute(ops::fresh(*result.unsafeGetTensorImpl()), n, dtype,
                                [&] { return twister.random(); });
        return dtype.made(ops::moved(result, creation_device()));
    }
    lock.unlock();
    const Tensor words = drawn({.how = kind::integers}, kLong, shape, generator);
    const leaf from = ops::read(*words.unsafeGetTensorImpl());
    return dtype.made(Tensor(make_pending(
        library_node(&random_kernels::permutation_op, {&from, 1}, dtype, shape), shape)));
}

}  // namespace sinter::inline v1
