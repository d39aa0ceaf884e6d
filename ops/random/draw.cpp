// Philox draws as pending programs, and the layout of tensors drawn from the Mersenne Twister.
#include "ops/random/draw.hpp"

#include "engine/watch/watch.hpp"
#include "jit/kernel_ir/kernel_ir.hpp"
#include "ops/common/devices.hpp"
#include "runtime/types/element.hpp"

#include <sinter/limits.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

namespace sinter::ops {
namespace {

using kind = distribution::kind;

constexpr const char* drawn_at_once = "draws from a Mersenne Twister";

/// Returns a pointer that keeps the generator, for the engine, which does not count its references.
std::shared_ptr<PhiloxGeneratorImpl> kept(PhiloxGeneratorImpl& g) {
    return {&g, [held = intrusive_ptr<GeneratorImpl>(&g)](PhiloxGeneratorImpl*) {}};
}

/// Reads the next positions of the stream, one for each element. They are reserved at the call, so
/// that a draw does not depend on when, or if, earlier draws are computed. Seed and first position
/// are the first two scalars of the node, so that all draws have one plan.
void read_places(sequence& code, const geometry& shape, GeneratorImpl& generator) {
    auto& g = static_cast<PhiloxGeneratorImpl&>(generator);
    const auto count = static_cast<uint64_t>(shape.numel);
    uint64_t seed, first;
    {
        std::lock_guard lock(g.mutex_);
        seed = g.current_seed();
        first = g.reserve(count);
    }
    if (watching) [[unlikely]]
        watching->draws.push_back({kept(g), watching->made.size(), seed, first, count});
    code.number(static_cast<int64_t>(seed)).number(static_cast<int64_t>(first));
    code.read(index_leaf(shape.sizes_ref(), make_contiguous(shape.sizes_ref())->strides_ref(), 0));
    code.row(op::add);
}

void scale(sequence& code, double factor, double shift) {
    if (factor != 1) code.number(factor).row(op::mul);
    if (shift != 0) code.number(shift).row(op::add);
}

/// Draws only as many bits as the type holds: rounding a longer draw could give 1.
void narrow_uniform(sequence& code, ScalarType dtype) {
    const double steps = 2 / finfo(dtype).eps;
    code.draw(op::philox_uniform, kFloat).number(steps).row(op::mul).row(op::floor);
    code.number(1 / steps).row(op::mul);
}

double rounded(double v, ScalarType dtype) {
    char bytes[sizeof v];
    runtime::store(bytes, dtype, v);
    return runtime::load(bytes, dtype).toDouble();
}

/// Returns the largest number of the dtype that is less than v rounded to it.
double below(double v, ScalarType dtype) {
    const double end = rounded(v, dtype);
    if (dtype == kDouble) return std::nextafter(end, -INFINITY);
    if (dtype == kFloat) return std::nextafter(static_cast<float>(end), -INFINITY);
    const finfo limits(dtype);
    double distance = std::max(std::abs(end), limits.smallest_normal) * limits.eps / 4;
    while (rounded(end - distance, dtype) >= end) distance *= 2;
    return rounded(end - distance, dtype);
}

/// Appends the distribution's program after seed and position. Returns the dtype of its values.
ScalarType code_of(sequence& code, const distribution& d, ScalarType dtype) {
    const bool narrow = kernel_ir::is_narrow(dtype);
    const ScalarType real = dtype == kDouble ? kDouble : kFloat;
    switch (d.how) {
        case kind::uniform:
            if (d.a == 0 && d.b == 1) {
                if (narrow)
                    narrow_uniform(code, dtype);
                else
                    code.draw(op::philox_uniform, real);
                return real;
            }
            code.draw(op::philox_uniform, real);
            scale(code, d.b - d.a, d.a);
            if (dtype != real) code.cast(dtype);
            // Rounding may reach the end of the range, which is excluded.
            if (rounded(d.a, dtype) < rounded(d.b, dtype))
                code.number(below(d.b, dtype)).row(op::minimum);
            return dtype;
        case kind::normal:
        case kind::log_normal:
            if (d.how == kind::normal && d.a == 0 && d.b == 1) {
                code.draw(op::philox_normal, dtype);
                return dtype;
            }
            code.draw(op::philox_normal, real);
            scale(code, d.b, d.a);
            if (d.how == kind::log_normal) code.row(op::exp);
            return real;
        // In double for every dtype: the 24 bits of a float would cut off the tails.
        case kind::exponential:
            code.draw(op::philox_uniform, kDouble).row(op::neg).row(op::log1p);
            code.number(-1 / d.a).row(op::mul);
            return kDouble;
        case kind::cauchy:
            code.draw(op::philox_uniform, kDouble).number(0.5).row(op::sub);
            code.number(0x1.921fb54442d18p+1).row(op::mul).row(op::tan);
            scale(code, d.b, d.a);
            return kDouble;
        case kind::geometric:
            code.draw(op::philox_uniform, kDouble).row(op::neg).row(op::log1p);
            code.number(std::log1p(-d.a)).row(op::div).row(op::ceil);
            code.number(1.0).row(op::maximum);
            return kDouble;
        case kind::bernoulli:
            code.draw(op::philox_uniform, kDouble).number(d.a).row(op::lt);
            return kBool;
        case kind::integers:
        case kind::any_integer:
            code.draw(op::philox_bits, kLong);
            if (d.width != 0) {
                constexpr uint64_t most = uint64_t{1} << 62;
                const bool power = (d.width & (d.width - 1)) == 0;
                code.number(static_cast<int64_t>((power ? d.width : most) - 1));
                code.row(op::bitwise_and);
                if (!power) code.number(static_cast<int64_t>(d.width)).row(op::remainder);
            }
            if (d.low != 0) code.number(d.low).row(op::add);
            return kLong;
    }
    __builtin_unreachable();
}

/// Returns the dimensions from the largest stride to the smallest: the order of the elements in
/// memory.
std::vector<int64_t> memory_order(const geometry& g) {
    std::vector<int64_t> order(static_cast<std::size_t>(g.ndim));
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](int64_t a, int64_t b) { return g.strides()[a] > g.strides()[b]; });
    return order;
}

std::vector<int64_t> inverse(const std::vector<int64_t>& order) {
    std::vector<int64_t> back(order.size());
    for (std::size_t i = 0; i < order.size(); ++i)
        back[static_cast<std::size_t>(order[i])] = static_cast<int64_t>(i);
    return back;
}

std::vector<int64_t> permuted(IntArrayRef sizes, const std::vector<int64_t>& order) {
    std::vector<int64_t> out;
    for (int64_t d : order) out.push_back(sizes[static_cast<std::size_t>(d)]);
    return out;
}

/// Returns values from the Mersenne Twister for a tensor with this layout.
Tensor twisted_for(const distribution& d, ScalarType dtype, const geometry& g,
                   GeneratorImpl& generator) {
    const std::vector<int64_t> order = memory_order(g);
    const std::vector<int64_t> sizes = permuted(g.sizes_ref(), order);
    note_effect(drawn_at_once);
    std::lock_guard lock(generator.mutex_);
    auto& twister = static_cast<CPUGeneratorImpl&>(generator);
    return twisted(d, dtype, sizes, g.contiguous, twister).permute(inverse(order));
}

void require_drawable(const char* op, int64_t value, ScalarType dtype) {
    const bool beyond = dtype == kBool ? value > 1 : dtype == kByte && value > 255;
    if (beyond || (value < 0 && (dtype == kBool || dtype == kByte)))
        runtime::refuse_value(op, value, dtype);
    runtime::require_fits(op, value, dtype);
}

/// Returns the integer rounded to `dtype`.
int64_t near(int64_t value, ScalarType dtype) {
    if (dtype == kDouble) return static_cast<int64_t>(static_cast<double>(value));
    const auto single = static_cast<float>(value);
    return static_cast<int64_t>(dtype == kFloat ? single : rounded(single, dtype));
}

/// Returns the distance between integers of a floating dtype near `value`.
int64_t distance_at(int64_t value, ScalarType dtype) {
    const double step = std::ldexp(finfo(dtype).eps, std::ilogb(static_cast<double>(value)));
    return static_cast<int64_t>(step);
}

}  // namespace

whole_range range_in(const char* op, int64_t low, int64_t high, ScalarType dtype) {
    require_drawable(op, low, dtype);
    require_drawable(op, high - 1, dtype);
    if (!isFloatingType(dtype)) return {low, high};
    const int64_t first = near(low + 1, dtype), last = near(high - 1, dtype);
    if (first < low) low = first + distance_at(low + 1, dtype);
    if (last >= high) high = last - distance_at(high - 1, dtype);
    return {low, high};
}

GeneratorImpl& generator_of(const optional_generator& generator) {
    const bool named = generator.has_value() && generator->defined();
    const Generator& g = named ? *generator : sinter::detail::getDefaultCPUGenerator();
    return *g.unsafeGetGeneratorImpl();
}

Tensor drawn(const distribution& d, ScalarType dtype, geometry_ptr shape,
             const optional_generator& generator) {
    GeneratorImpl& g = generator_of(generator);
    if (g.algorithm() == Rng::mt19937) return twisted_for(d, dtype, *shape, g);
    sequence code;
    read_places(code, *shape, g);
    if (code_of(code, d, dtype) != dtype) code.cast(dtype);
    return code.pending(dtype, std::move(shape));
}

void draw_into(const distribution& d, const TensorImpl& target,
               const optional_generator& generator) {
    GeneratorImpl& g = generator_of(generator);
    sequence code;
    if (g.algorithm() == Rng::mt19937) {
        const creation_scope there(target.device);
        const Tensor values = twisted_for(d, target.dtype, *target.shape, g);
        code.read(read(*values.unsafeGetTensorImpl())).write(target);
        return;
    }
    read_places(code, *target.shape, g);
    if (code_of(code, d, target.dtype) != target.dtype) code.cast(target.dtype);
    code.write(target);
}

Tensor drawn_below(const TensorImpl& probabilities, ScalarType dtype, geometry_ptr shape,
                   const optional_generator& generator) {
    GeneratorImpl& g = generator_of(generator);
    const ScalarType real = probabilities.dtype == kDouble ? kDouble : kFloat;
    const leaf p = read(probabilities);
    if (g.algorithm() == Rng::mt19937) {
        const std::vector<int64_t> order = memory_order(*shape);
        const Tensor in_order =
            view_of(probabilities, probabilities.shape->sizes_ref(),
                    probabilities.shape->strides_ref(), probabilities.shape->offset)
                .expand(shape->sizes_ref())
                .to(real)
                .permute(order)
                .contiguous()
                .eval();
        note_effect(drawn_at_once);
        std::lock_guard lock(g.mutex_);
        return moved(twisted_below(in_order, dtype, static_cast<CPUGeneratorImpl&>(g)),
                     probabilities.device)
            .permute(inverse(order));
    }
    sequence code;
    read_places(code, *shape, g);
    code.draw(op::philox_uniform, real).read(p).row(op::lt);
    if (dtype != kBool) code.cast(dtype);
    return code.pending(dtype, std::move(shape));
}

}  // namespace sinter::ops
