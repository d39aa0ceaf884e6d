// Special functions of two operands, windows, and functions of sizes, classes and distances.
#include "tests/golden/table.hpp"

#include <sinter/functions/special.hpp>
#include <sinter/functions/windows.hpp>

namespace sinter::golden {
namespace {

template <class F>
results paired(const arguments& a, const F& f) {
    if (!a.is_tensor(0)) return give(f(a.s(0), a.t(1)));
    if (!a.is_tensor(1)) return give(f(a.t(0), a.s(1)));
    return give(f(a.t(0), a.t(1)));
}

/// Sizes and strides.
Tensor layout(const Tensor& t) {
    std::vector<int64_t> numbers = t.sizes().vec();
    numbers.insert(numbers.end(), t.strides().begin(), t.strides().end());
    return tensor(numbers);
}

std::vector<double> doubles(const arguments& a, std::size_t i) {
    std::vector<double> r;
    for (const Scalar& s : a.scalars(i)) r.push_back(s.toDouble());
    return r;
}

std::vector<std::vector<int64_t>> shapes(const arguments& a) {
    std::vector<std::vector<int64_t>> r;
    for (std::size_t i = 0; i < a.list_size(0); ++i) r.push_back(a.list_at(0, i));
    return r;
}

results points(const arguments& a) {
    const std::vector<double> numbers = doubles(a, 2);
    optional<ArrayRef<double>> range;
    if (!a.is_none(2)) range = numbers;
    const optional<Tensor> weight = optional_tensor(a, 3);
    const bool density = a.flag(4);
    auto [counts, edges] = [&] {
        if (!a.is_list(1)) return histogramdd(a.t(0), a.n(1), range, weight, density);
        const std::vector<Tensor> given = a.tensors(1);
        if (!given.empty() && given[0].defined())
            return histogramdd(a.t(0), TensorList(given), range, weight, density);
        return histogramdd(a.t(0), IntArrayRef(a.list(1)), range, weight, density);
    }();
    edges.insert(edges.begin(), counts);
    return edges;
}

void add_windows(function_table& table) {
#define SINTER_WINDOW(name)                                                                     \
    SINTER_CALL(name##_window, a.size() == 1 ? name##_window(a.n(0))                            \
                                             : name##_window(a.n(0), a.flag(1), a.options(2))); \
    SINTER_CALL(signal_##name, windows::name(a.n(0), a.flag(1), a.options(2)));
    SINTER_WINDOW(bartlett)
    SINTER_WINDOW(blackman)
    SINTER_WINDOW(hann)
#undef SINTER_WINDOW
    SINTER_CALL(hamming_window, a.size() == 1 ? hamming_window(a.n(0))
                                : a.size() == 3
                                    ? hamming_window(a.n(0), a.flag(1), a.options(2))
                                    : hamming_window(a.n(0), a.flag(1), a.s(3).toDouble(),
                                                     a.s(4).toDouble(), a.options(2)));
    SINTER_CALL(kaiser_window, a.size() == 1   ? kaiser_window(a.n(0))
                               : a.size() == 3 ? kaiser_window(a.n(0), a.flag(1), a.options(2))
                                               : kaiser_window(a.n(0), a.flag(1), a.s(3).toDouble(),
                                                               a.options(2)));
    using namespace windows;
    SINTER_CALL(signal_cosine, cosine(a.n(0), a.flag(1), a.options(2)));
    SINTER_CALL(signal_exponential, exponential(a.n(0), nullopt, 1, a.flag(1), a.options(2)));
    SINTER_CALL(signal_gaussian, gaussian(a.n(0), 1, a.flag(1), a.options(2)));
    SINTER_CALL(signal_general_hamming, general_hamming(a.n(0), 0.54, a.flag(1), a.options(2)));
    SINTER_CALL(signal_hamming, hamming(a.n(0), a.flag(1), a.options(2)));
    SINTER_CALL(signal_kaiser, kaiser(a.n(0), 12, a.flag(1), a.options(2)));
    SINTER_CALL(signal_nuttall, nuttall(a.n(0), a.flag(1), a.options(2)));
    SINTER_CALL(signal_general_cosine, general_cosine(a.n(0), doubles(a, 2), a.flag(1)));
    SINTER_CALL(signal_gaussian_with, gaussian(a.n(0), a.s(2).toDouble(), a.flag(1)));
    SINTER_CALL(signal_kaiser_with, kaiser(a.n(0), a.s(2).toDouble(), a.flag(1)));
    SINTER_CALL(signal_exponential_with,
                exponential(a.n(0), a.is_none(2) ? nullopt : optional<double>(a.s(2).toDouble()),
                            a.s(3).toDouble(), a.flag(1)));
}

}  // namespace

void add_special(function_table& table) {
#define SINTER_SPECIAL(name)                                                                 \
    table[#name].call = [](const arguments& a) {                                             \
        return paired(a, [](const auto& x, const auto& y) { return special_##name(x, y); }); \
    };
#include <sinter/functions/special_pairs.def>
#undef SINTER_SPECIAL
    SINTER_CALL(igamma, igamma(a.t(0), a.t(1)));
    SINTER_CALL(igammac, igammac(a.t(0), a.t(1)));
    SINTER_CALL(igamma_, a.t(0).igamma_(a.t(1)));
    SINTER_CALL(igammac_, a.t(0).igammac_(a.t(1)));
    add_windows(table);
    SINTER_CALL(sum_to_size, sum_to_size(a.t(0), a.list(1)));
    SINTER_CALL(constant_pad_nd, constant_pad_nd(a.t(0), a.list(1), a.s(2)));
    SINTER_CALL(fill, a.is_tensor(1) ? fill(a.t(0), a.t(1)) : fill(a.t(0), a.s(1)));
    SINTER_CALL(nonzero_static, a.size() == 2 ? nonzero_static(a.t(0), a.n(1))
                                              : nonzero_static(a.t(0), a.n(1), a.n(2)));
    SINTER_CALL(unsafe_split, unsafe_split(a.t(0), a.n(1), a.n(2)));
    SINTER_CALL(unsafe_chunk, unsafe_chunk(a.t(0), a.n(1), a.n(2)));
    SINTER_CALL(unsafe_split_with_sizes, unsafe_split_with_sizes(a.t(0), a.list(1), a.n(2)));
    SINTER_CALL(empty_strided, layout(empty_strided(a.list(0), a.list(1))));
    SINTER_CALL(new_empty_strided, layout(a.t(0).new_empty_strided(a.list(1), a.list(2))));
    SINTER_CALL(empty_permuted, layout(empty_permuted(a.list(0), a.list(1))));
    SINTER_CALL(broadcast_shapes, tensor(broadcast_shapes(shapes(a))));
    SINTER_CALL(unravel_index, unravel_index(a.t(0), a.list(1)));
    SINTER_CALL(one_hot, one_hot(a.t(0), a.n(1)));
    SINTER_CALL(frobenius_norm, frobenius_norm(a.t(0), a.list(1), a.flag(2)));
    SINTER_CALL(nuclear_norm, a.is_list(1) ? nuclear_norm(a.t(0), a.list(1), a.flag(2))
                                           : nuclear_norm(a.t(0), a.flag(1)));
    SINTER_CALL(cosine_similarity, cosine_similarity(a.t(0), a.t(1), a.n(2), a.s(3).toDouble()));
    SINTER_CALL(pairwise_distance,
                pairwise_distance(a.t(0), a.t(1), a.s(2).toDouble(), a.s(3).toDouble(), a.flag(4)));
    table["histogramdd"].call = points;
}

}  // namespace sinter::golden
