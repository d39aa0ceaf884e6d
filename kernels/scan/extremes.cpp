#include "kernels/scan/scan.hpp"
#include "kernels/scan/scan_on_gpu.hpp"
#include "kernels/scan/scan_rows.hpp"

#include <functional>

namespace sinter::scan {
namespace {

/// `Better` must also hold for equal elements, so that the last of them wins.
template <class T, class Better, class Out>
struct extreme {
    T best{};
    int64_t where = 0;
    Out take(T x, int64_t i) {
        const auto value = rows::value_of(x), old = rows::value_of(best);
        if (i == 0 || rows::is_nan(x) || (!rows::is_nan(best) && Better()(value, old))) {
            best = x;
            where = i;
        }
        if constexpr (std::is_same_v<Out, T>)
            return best;
        else
            return where;
    }
};

/// A distinct type for `where`, so that Out differs from every element type.
struct index {
    int64_t value;
    index() = default;
    index(int64_t i) : value(i) {}  // NOLINT: what `take` returns
};

template <class Better, bool Indices>
void run(const op_call& call) {
    rows::with_type(call.inputs[0].dtype, [&](auto type) {
        using T = typename decltype(type)::type;
        using Out = std::conditional_t<Indices, index, T>;
        scan_rows<extreme<T, Better, Out>, T, Out>(call);
    });
}

}  // namespace

const kernel_op cummax_op{
    "cummax", run<std::greater_equal<>, false>, false, nullptr, false, false, cummax_on_gpu};
const kernel_op cummax_indices_op{
    "cummax", run<std::greater_equal<>, true>, false, nullptr, false, false, cummax_indices_on_gpu};
const kernel_op cummin_op{"cummin",     run<std::less_equal<>, false>, false, nullptr, false, false,
                          cummin_on_gpu};
const kernel_op cummin_indices_op{"cummin", run<std::less_equal<>, true>, false, nullptr, false,
                                  false,    cummin_indices_on_gpu};

}  // namespace sinter::scan
