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

#define SINTER_STATE(name, identity, combine)         \
    template <class In, class Out>                    \
    struct name##_state {                             \
        total<In> a = identity;                       \
        Out take(In x, int64_t) {                     \
            const auto b = static_cast<total<In>>(x); \
            a = combine;                              \
            return static_cast<Out>(a);               \
        }                                             \
    };
SINTER_FOLD_SCANS(SINTER_STATE)  // NOLINT(bugprone-signed-char-misuse): Char extends its sign
#undef SINTER_STATE

template <template <class, class> class State>
void run(const op_call& call) {
    with_type(call.inputs[0].dtype, [&]<real_element T>(std::type_identity<T>) {
        if constexpr (!floating_element<T>)
            if (call.dtype == kLong) return scan_rows<State<T, int64_t>, T, int64_t>(call);
        scan_rows<State<T, T>, T, T>(call);
    });
}

}  // namespace

#define SINTER_OP(fold, ...) \
    const kernel_op fold##_op{.name = #fold, .run = run<fold##_state>, .on_gpu = fold##_on_gpu};
SINTER_FOLD_SCANS(SINTER_OP)
#undef SINTER_OP

}  // namespace sinter::scan
