#include "ops/common/devices.hpp"

#include <sinter/expr/expr.hpp>
#include <sinter/functions/fft.hpp>
#include <sinter/functions/functions.hpp>

namespace sinter::inline v1::fft {
namespace {

/// Returns 0, 1, ... count - 1, from `wraps` on less n, over n d.
Tensor frequencies(const char* op, int64_t n, double d, int64_t count, int64_t wraps,
                   const TensorOptions& options) {
    if (n < 0)
        runtime::fail(op, "the number of samples is negative", runtime::text(n), "0 or more",
                      "0 for an empty tensor");
    const ops::creation dtype(op, options, get_default_dtype(), creation_device());
    if (!isFloatingType(dtype) && !isComplexType(dtype))
        runtime::refuse_integers(op, toString(dtype));
    const Tensor k = arange(count, dtype.dtype());
    const double step = 1 / (static_cast<double>(n) * d);
    if (wraps >= count) return dtype.made(k * step);
    return dtype.made(cat({k.narrow(0, 0, wraps), Tensor(k.narrow(0, wraps, count - wraps) - n)}) *
                      step);
}

Tensor shifted(const char* op, const tensor_base& self, OptionalIntArrayRef dim, bool back) {
    const Tensor x = self.self();
    const int64_t ndim = ops::body(op, x).shape->ndim;
    std::vector<int64_t> along, by;
    if (dim) {
        for (const int64_t d : *dim) along.push_back(ops::wrap_dim(op, d, ndim));
    } else {
        for (int64_t d = 0; d < ndim; ++d) along.push_back(d);
    }
    if (along.empty()) return x.clone();
    for (const int64_t d : along) by.push_back((x.size(d) + (back ? 1 : 0)) / 2);
    return roll(x, by, along);
}

}  // namespace

Tensor fftfreq(int64_t n, double d, const TensorOptions& options) {
    return frequencies("fftfreq", n, d, n, (n + 1) / 2, options);
}
Tensor rfftfreq(int64_t n, double d, const TensorOptions& options) {
    return frequencies("rfftfreq", n, d, n / 2 + 1, n / 2 + 1, options);
}
Tensor fftshift(const tensor_base& self, OptionalIntArrayRef dim) {
    return shifted("fftshift", self, dim, false);
}
Tensor ifftshift(const tensor_base& self, OptionalIntArrayRef dim) {
    return shifted("ifftshift", self, dim, true);
}

}  // namespace sinter::inline v1::fft
