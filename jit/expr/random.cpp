// Random draws: element i of a draw is a function of the seed and of its position in one stream.
#include "jit/expr/front.hpp"
#include "jit/kernel_ir/kernel_ir.hpp"

#include <sinter/functions.hpp>
#include <sinter/limits.hpp>

#include <mutex>

namespace sinter::inline v1 {
namespace {

/// One stream for the process, as in PyTorch. Under a lock: two threads that draw at once must get
/// different positions, and manual_seed sets two fields.
struct generator {
    std::mutex mutex;
    uint64_t seed = 0;
    uint64_t position = 0;
};

generator& stream() {
    static generator g;
    return g;
}

struct place {
    Scalar seed;
    int64_t position;
};

/// The next `count` positions. Reserved at the call, so that what is drawn does not depend on when,
/// or whether, the draws before it are computed.
place reserve(int64_t count) {
    generator& g = stream();
    std::lock_guard lock(g.mutex);
    const place p{static_cast<int64_t>(g.seed), static_cast<int64_t>(g.position)};
    g.position += static_cast<uint64_t>(count);
    return p;
}

leaf positions(const geometry& shape, int64_t first) {
    return front::index_leaf(shape.sizes_ref(), make_contiguous(shape.sizes_ref())->strides_ref(),
                             first);
}

Tensor draw(const char* op, op::id row, geometry_ptr shape, const TensorOptions& options,
            ScalarType otherwise) {
    front::require_cpu(op, options.device());
    const ScalarType dtype = options.dtype_or(otherwise);
    front::require_dtype(op, dtype);
    if (!isFloatingType(dtype))
        front::fail<TypeError>(op, "the dtype is not floating", toString(dtype),
                               "Half, BFloat16, Float or Double", "randint");
    const place p = reserve(shape->numel);
    front::sequence code;
    code.number(p.seed).read(positions(*shape, p.position));
    if (kernel_ir::is_narrow(dtype) && row == op::philox_uniform) {
        // As many bits as the type holds: rounding a longer draw could make it 1.
        const double steps = 2 / finfo(dtype).eps;
        code.draw(row, kFloat).number(steps).row(op::mul).row(op::floor).number(1 / steps);
        code.row(op::mul).cast(dtype);
    } else {
        code.draw(row, dtype);
    }
    return code.pending(dtype, std::move(shape));
}

}  // namespace

void manual_seed(uint64_t seed) {
    generator& g = stream();
    std::lock_guard lock(g.mutex);
    g.seed = seed;
    g.position = 0;
}

Tensor rand(IntArrayRef sizes, const TensorOptions& options) {
    return draw("rand", op::philox_uniform, make_contiguous(sizes), options, get_default_dtype());
}

Tensor randn(IntArrayRef sizes, const TensorOptions& options) {
    return draw("randn", op::philox_normal, make_contiguous(sizes), options, get_default_dtype());
}

Tensor rand_like(const tensor_base& t, const TensorOptions& options) {
    const TensorImpl& like = front::body("rand_like", t);
    return draw("rand_like", op::philox_uniform, make_contiguous(like.shape->sizes_ref()), options,
                like.dtype);
}

Tensor randn_like(const tensor_base& t, const TensorOptions& options) {
    const TensorImpl& like = front::body("randn_like", t);
    return draw("randn_like", op::philox_normal, make_contiguous(like.shape->sizes_ref()), options,
                like.dtype);
}

Tensor randint(int64_t high, IntArrayRef sizes, const TensorOptions& options) {
    return randint(0, high, sizes, options);
}

Tensor randint(int64_t low, int64_t high, IntArrayRef sizes, const TensorOptions& options) {
    front::require_cpu("randint", options.device());
    const ScalarType dtype = options.dtype_or(kLong);
    front::require_dtype("randint", dtype);
    int64_t width = 0;
    const bool overflow = __builtin_sub_overflow(high, low, &width);
    constexpr int64_t mask = (int64_t{1} << 62) - 1;
    if (overflow || width <= 0 || width > mask)
        front::fail<ValueError>(
            "randint", "the range is empty or too wide", front::text(low, " to ", high),
            "low below high, less than 2^62 apart", "low and high in this order");
    front::require_fits("randint", low, dtype);
    front::require_fits("randint", high - 1, dtype);
    geometry_ptr shape = make_contiguous(sizes);
    const place p = reserve(shape->numel);
    front::sequence code;
    code.number(p.seed).read(positions(*shape, p.position)).draw(op::philox_bits, kLong);
    code.number(mask)
        .row(op::bitwise_and)
        .number(width)
        .row(op::remainder)
        .number(low)
        .row(op::add);
    if (dtype != kLong) code.cast(dtype);
    return code.pending(dtype, std::move(shape));
}

}  // namespace sinter::inline v1
