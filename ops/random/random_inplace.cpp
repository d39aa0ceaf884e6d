// In-place random numbers, and draws with a tensor of probabilities.
#include "ops/random/draw.hpp"

#include <sinter/functions/pointwise.hpp>
#include <sinter/functions/random.hpp>
#include <sinter/limits.hpp>

#include <cmath>

namespace sinter::inline v1 {

using ops::body;
using ops::distribution;
using runtime::fail;
using runtime::text;
using kind = distribution::kind;

namespace {

void require_floating(const char* op, ScalarType dtype) {
    if (!isFloatingType(dtype))
        runtime::refuse_dtype(op, toString(dtype), "Half, BFloat16, Float or Double",
                              "random_() for integers, or .to(kFloat) first");
}

void require_parameter(const char* op, bool holds, const char* name, double value,
                       const char* expected, const char* remedy) {
    if (!holds) fail(op, text(name, " is out of range"), text(value), expected, remedy);
}

Tensor& write(const char* op, const tensor_base& self, const distribution& d,
              const optional_generator& generator) {
    const TensorImpl& t = body(op, self);
    ops::require_writable(op, t);
    ops::draw_into(d, t, generator);
    return self.self();
}

/// Returns the largest integer up to which the dtype holds every integer.
int64_t largest(ScalarType dtype) {
    if (dtype == kBool) return 1;
    if (isIntegralType(dtype)) return iinfo(dtype).max;
    return static_cast<int64_t>(2 / finfo(dtype).eps);
}

}  // namespace

Tensor& tensor_base::uniform_(double from, double to, const optional_generator& generator) const {
    if (isComplexType(body("uniform_", *this).dtype)) {
        view_as_real(*this).uniform_(from, to, generator);
        return self();
    }
    const ScalarType dtype = body("uniform_", *this).dtype;
    require_floating("uniform_", dtype);
    const double most = finfo(dtype).max;
    if (!(from <= to))
        fail("uniform_", "from is greater than to", text("from ", from, " and to ", to),
             "from <= to", "swapping them");
    if (from < -most || to > most || to - from > most)
        fail("uniform_", "the range does not fit the dtype",
             text("from ", from, " and to ", to, " for ", dtype),
             text("bounds and a distance of at most ", most), "a Double tensor");
    return write("uniform_", *this, {kind::uniform, from, to}, generator);
}

Tensor& tensor_base::normal_(double mean, double std, const optional_generator& generator) const {
    require_parameter("normal_", std >= 0, "std", std, "0 or more", "1, the default");
    if (isComplexType(body("normal_", *this).dtype)) {
        const distribution part = ops::of_parts({kind::normal, mean, std});
        view_as_real(*this).normal_(mean, part.b, generator);
        return self();
    }
    require_floating("normal_", body("normal_", *this).dtype);
    return write("normal_", *this, {kind::normal, mean, std}, generator);
}

Tensor& tensor_base::log_normal_(double mean, double std,
                                 const optional_generator& generator) const {
    require_floating("log_normal_", body("log_normal_", *this).dtype);
    require_parameter("log_normal_", std > 0, "std", std, "a positive number", "2, the default");
    return write("log_normal_", *this, {kind::log_normal, mean, std}, generator);
}

Tensor& tensor_base::exponential_(double lambd, const optional_generator& generator) const {
    require_floating("exponential_", body("exponential_", *this).dtype);
    require_parameter("exponential_", lambd > 0, "lambd", lambd, "a positive number",
                      "1, the default");
    return write("exponential_", *this, {kind::exponential, lambd}, generator);
}

Tensor& tensor_base::cauchy_(double median, double sigma,
                             const optional_generator& generator) const {
    require_floating("cauchy_", body("cauchy_", *this).dtype);
    require_parameter("cauchy_", sigma > 0, "sigma", sigma, "a positive number", "1, the default");
    return write("cauchy_", *this, {kind::cauchy, median, sigma}, generator);
}

Tensor& tensor_base::geometric_(double p, const optional_generator& generator) const {
    require_parameter("geometric_", p > 0 && p < 1, "p", p, "more than 0 and less than 1",
                      "fill_(1) for p = 1, where each trial succeeds");
    return write("geometric_", *this, {kind::geometric, p}, generator);
}

Tensor& tensor_base::random_(const optional_generator& generator) const {
    const auto width = static_cast<uint64_t>(largest(body("random_", *this).dtype)) + 1;
    return write("random_", *this, {kind::any_integer, 0, 1, 0, width}, generator);
}

Tensor& tensor_base::random_(int64_t to, const optional_generator& generator) const {
    return random_(0, to, generator);
}

Tensor& tensor_base::random_(int64_t from, optional<int64_t> to,
                             const optional_generator& generator) const {
    const ScalarType dtype = body("random_", *this).dtype;
    int64_t last = to ? *to - (*to > INT64_MIN) : largest(dtype);
    if (to ? from >= *to : from > last)
        fail("random_", "from is not less than to",
             text("from ", from, " and to ", to ? text(*to) : text(last, ", the dtype's largest")),
             "from < to", "a larger to, which is exclusive");
    if (to && *to > INT64_MIN) {
        const ops::whole_range range = ops::range_in("random_", from, *to, dtype);
        from = range.low, last = range.high - 1;
    } else {
        runtime::require_fits("random_", from, dtype);
    }
    const uint64_t width = static_cast<uint64_t>(last) - static_cast<uint64_t>(from) + 1;
    const bool counted = ops::generator_of(generator).algorithm() == Rng::philox;
    if (counted && width >= uint64_t{1} << 62 && (width & (width - 1)) != 0)
        fail("random_", "the range is too wide", text("from ", from, " to ", last),
             "fewer than 2^62 values, or a power of 2 of them",
             "make_generator<CPUGeneratorImpl>(seed), which takes any range");
    return write("random_", *this, {kind::integers, 0, 1, from, width}, generator);
}

// ---- Bernoulli
namespace {

void require_probability(const char* op, double p) {
    require_parameter(op, p >= 0 && p <= 1, "p", p, "0 to 1", "p / 100 if it is a percentage");
}

/// Checks values that are ready; does not compute pending ones.
void require_probabilities(const char* op, const TensorImpl& p) {
    if (!isFloatingType(p.dtype))
        fail<NotImplementedError>(op, "the probabilities have the wrong dtype", toString(p.dtype),
                                  "Half, BFloat16, Float or Double",
                                  ".to(kFloat) on the probabilities");
    if (p.storage->current->state != version_state::ready || p.shape->numel == 0) return;
    const Tensor t(intrusive_ptr<TensorImpl>(const_cast<TensorImpl*>(&p)));
    const Tensor least = t.amin().to(kDouble), most = t.amax().to(kDouble);
    eval({least, most});
    require_probability(op, least.item<double>());
    require_probability(op, most.item<double>());
}

}  // namespace

Tensor& tensor_base::bernoulli_(double p, const optional_generator& generator) const {
    require_probability("bernoulli_", p);
    return write("bernoulli_", *this, {kind::bernoulli, p}, generator);
}

Tensor& tensor_base::bernoulli_(const tensor_base& p, const optional_generator& generator) const {
    const TensorImpl &t = body("bernoulli_", *this), &from = body("bernoulli_", p);
    ops::require_writable("bernoulli_", t);
    ops::require_same_shape(
        "bernoulli_", t,
        broadcast_shapes("bernoulli_", t.shape->sizes_ref(), from.shape->sizes_ref()));
    require_probabilities("bernoulli_", from);
    const Tensor values = ops::drawn_below(from, t.dtype, ops::layout_like(*t.shape), generator);
    ops::sequence().read(ops::read(*values.unsafeGetTensorImpl())).write(t);
    return self();
}

Tensor tensor_base::bernoulli(const optional_generator& generator) const {
    const TensorImpl& p = body("bernoulli", *this);
    require_probabilities("bernoulli", p);
    return ops::drawn_below(p, p.dtype, ops::layout_like(*p.shape), generator);
}

Tensor tensor_base::bernoulli(double p, const optional_generator& generator) const {
    const TensorImpl& t = body("bernoulli", *this);
    require_probability("bernoulli", p);
    return ops::drawn({kind::bernoulli, p}, t.dtype, ops::layout_like(*t.shape), generator);
}

Tensor bernoulli(const tensor_base& probabilities, const optional_generator& generator) {
    return probabilities.bernoulli(generator);
}

Tensor bernoulli(const tensor_base& like, double p, const optional_generator& generator) {
    return like.bernoulli(p, generator);
}

}  // namespace sinter::inline v1
