#include "kernels/linalg/rows_join.hpp"

#include "kernels/linalg/blas_call.hpp"
#include "kernels/linalg/tiling.hpp"

#include <cstring>
#include <iterator>
#include <vector>

namespace sinter::blas {
namespace {

// The row counts are odd multiples of the unit, so that the code path for last rows runs inside the
// product as well. n and k leave a remainder for vectors of any width.
constexpr int n = 67, k = 327;
constexpr int begins[] = {0, 5 * row_unit, 14 * row_unit, 19 * row_unit + 13};
constexpr int m = begins[3];

template <class R>
std::vector<R> numbers(int count) {
    std::vector<R> all(static_cast<std::size_t>(count));
    uint32_t state = 1;
    for (R& x : all) {
        state = state * 1664525 + 1013904223;
        x = static_cast<R>(state >> 8) * R(0x1p-24) - R(0.5);
    }
    return all;
}

/// `parts`: the number of reals in a T.
template <class T, class R>
bool same_bits(const blas_library& l, int parts) {
    const std::vector<R> a = numbers<R>(m * k * parts), b = numbers<R>(k * n * parts);
    std::vector<R> whole(static_cast<std::size_t>(m * n * parts)), cut = whole;
    const auto rows = [&](int begin, int end, std::vector<R>& to) {
        const T one{1}, zero{0};
        l.of<T>().gemm(row_major, as_is, as_is, end - begin, n, k, factor(one),
                       reinterpret_cast<const T*>(a.data() + begin * k * parts), k,
                       reinterpret_cast<const T*>(b.data()), n, factor(zero),
                       reinterpret_cast<T*>(to.data() + begin * n * parts), n);
    };
    const blas_call inside(l);
    rows(0, m, whole);
    for (std::size_t i = 1; i < std::size(begins); ++i) rows(begins[i - 1], begins[i], cut);
    return std::memcmp(whole.data(), cut.data(), whole.size() * sizeof(R)) == 0;
}

}  // namespace

template <class T>
bool rows_join(const blas_library& l) {
    // Computed once: the process has only one library.
    static const bool joins = [&l] {
        if constexpr (std::is_floating_point_v<T>)
            return same_bits<T, T>(l, 1);
        else
            return same_bits<T, typename T::value_type>(l, 2);
    }();
    return joins;
}

template bool rows_join<float>(const blas_library& l);
template bool rows_join<double>(const blas_library& l);
template bool rows_join<complex<float>>(const blas_library& l);
template bool rows_join<complex<double>>(const blas_library& l);

}  // namespace sinter::blas
