#include "kernels/scan/scan.hpp"
#include "kernels/scan/scan_on_gpu.hpp"
#include "kernels/scan/scan_rows.hpp"
#include "runtime/types/dtypes.hpp"

#include <functional>

namespace sinter::scan {
namespace {

/// An extreme and its index in the row.
template <class T>
struct extreme {
    T value{};
    int64_t index = 0;
};

/// `Better` must also hold for equal elements, so that the last of them wins.
template <class T, class Better>
struct extreme_so_far {
    extreme<T> best;
    extreme<T> take(T x, int64_t i) {
        const auto value = rows::value_of(x), old = rows::value_of(best.value);
        if (i == 0 || rows::is_nan(x) || (!rows::is_nan(best.value) && Better()(value, old)))
            best = {x, i};
        return best;
    }
};

template <class Better>
void run(const op_call& call) {
    with_type(call.inputs[0].dtype, [&]<real_element T>(std::type_identity<T>) {
        auto* const values = reinterpret_cast<T*>(call.results[0].data);
        auto* const indices = reinterpret_cast<int64_t*>(call.results[1].data);
        scan_rows<extreme_so_far<T, Better>, T>(call, *call.results[0].shape,
                                                [=](const extreme<T>& best, int64_t at) {
                                                    values[at] = best.value;
                                                    indices[at] = best.index;
                                                });
    });
}

}  // namespace

const kernel_op cummax_op{
    .name = "cummax", .run = run<std::greater_equal<>>, .on_gpu = cummax_on_gpu};
const kernel_op cummin_op{.name = "cummin", .run = run<std::less_equal<>>, .on_gpu = cummin_on_gpu};

}  // namespace sinter::scan
