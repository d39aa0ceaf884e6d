#include "kernels/scan/scan.hpp"
#include "kernels/scan/scan_on_gpu.hpp"
#include "kernels/scan/scan_rows.hpp"
#include "runtime/types/dtypes.hpp"

namespace sinter::scan {
namespace {

/// The accumulator. Integers wrap: they are added as unsigned numbers.
template <class T>
using total = std::conditional_t<narrow_float<T>, float,
                                 std::conditional_t<floating_element<T>, double, uint64_t>>;

template <class In, class Out>
struct sum {
    total<In> so_far = 0;
    Out take(In x, int64_t) { return static_cast<Out>(so_far += static_cast<total<In>>(x)); }
};

template <class In, class Out>
struct product {
    total<In> so_far = 1;
    Out take(In x, int64_t) { return static_cast<Out>(so_far *= static_cast<total<In>>(x)); }
};

template <template <class, class> class State>
void run(const op_call& call) {
    with_type(call.inputs[0].dtype, [&]<real_element T>(std::type_identity<T>) {
        if constexpr (!floating_element<T>)
            if (call.dtype == kLong) return scan_rows<State<T, int64_t>, T, int64_t>(call);
        scan_rows<State<T, T>, T, T>(call);
    });
}

}  // namespace

const kernel_op cumsum_op{.name = "cumsum", .run = run<sum>, .on_gpu = cumsum_on_gpu};
const kernel_op cumprod_op{.name = "cumprod", .run = run<product>, .on_gpu = cumprod_on_gpu};

}  // namespace sinter::scan
