#include "jit/simd/block.hpp"
#include "kernels/scan/complex_log_sum.hpp"
#include "kernels/scan/scan.hpp"
#include "kernels/scan/scan_on_gpu.hpp"
#include "kernels/scan/scan_rows.hpp"
#include "runtime/types/dtypes.hpp"

#include <limits>

namespace sinter::scan {
namespace {

/// Each sum waits for the one before it. The block function, though called for one element, uses
/// the instructions that this processor has: without fma a sum takes a third longer.
template <class T>
struct log_sum {
    block::block_fn add = block::find(op::id::logaddexp, kDouble, kDouble);
    double so_far = -std::numeric_limits<double>::infinity();
    T take(T x, int64_t) {
        const auto element = static_cast<double>(rows::value_of(x));
        const void* const operands[] = {&so_far, &element};
        constexpr bool uniform[] = {false, false};
        uint64_t status = 0;
        add(&so_far, operands, uniform, 1, &status);
        return static_cast<T>(so_far);
    }
};

template <class T>
struct complex_sum {
    complex<double> so_far{-std::numeric_limits<double>::infinity(), 0};
    T take(T x, int64_t) {
        so_far = complex_log_sum::of(complex<double>(x.real(), x.imag()), so_far);
        using part = typename T::value_type;
        return T(static_cast<part>(so_far.real()), static_cast<part>(so_far.imag()));
    }
};

void run(const op_call& call) {
    with_type(call.dtype, [&]<class T>(std::type_identity<T>) {
        if constexpr (complex_element<T>)
            scan_rows<complex_sum<T>, T, T>(call);
        else if constexpr (floating_element<T>)
            scan_rows<log_sum<T>, T, T>(call);
    });
}

}  // namespace

const kernel_op logcumsumexp_op{
    .name = "logcumsumexp", .run = run, .complex = true, .on_gpu = logcumsumexp_on_gpu};

}  // namespace sinter::scan
