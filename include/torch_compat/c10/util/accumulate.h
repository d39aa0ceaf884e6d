// Sums and products of sizes, as 64-bit integers.
#pragma once

#include <ATen/ATen.h>

#include <iterator>
#include <type_traits>

namespace sinter::torch_compat {

/// What has begin() and end(); a pointer or an iterator is none.
template <class C>
concept container = requires(const C& c) {
    c.begin();
    c.end();
};

/// The product of [from, to) of a list's dimensions, in which both are.
template <class C>
int64_t elements_between(int64_t from, int64_t to, const C& sizes) {
    const auto n = static_cast<int64_t>(sizes.size());
    if (from < 0 || from > to || to > n)
        throw IndexError("[numelements] the dimensions are out of range; got " +
                         std::to_string(from) + " to " + std::to_string(to) + ", expected 0 to " +
                         std::to_string(n) + " in rising order; try size() for all of them");
    int64_t product = 1;
    for (auto d = std::next(sizes.begin(), from); from < to; ++from, ++d) product *= *d;
    return product;
}

}  // namespace sinter::torch_compat

namespace c10 {

template <class Iterator>
int64_t sum_integers(Iterator begin, Iterator end) {
    int64_t sum = 0;
    for (; begin != end; ++begin) sum += static_cast<int64_t>(*begin);
    return sum;
}
template <sinter::torch_compat::container C>
int64_t sum_integers(const C& numbers) {
    return sum_integers(numbers.begin(), numbers.end());
}
template <class Iterator>
int64_t multiply_integers(Iterator begin, Iterator end) {
    int64_t product = 1;
    for (; begin != end; ++begin) product *= static_cast<int64_t>(*begin);
    return product;
}
template <sinter::torch_compat::container C>
int64_t multiply_integers(const C& numbers) {
    return multiply_integers(numbers.begin(), numbers.end());
}

/// The products of the sizes from dimension `k` on, before it, and between two, in either order.
template <class C>
int64_t numelements_from_dim(int k, const C& sizes) {
    return k > static_cast<int64_t>(sizes.size())
               ? 1
               : sinter::torch_compat::elements_between(k, static_cast<int64_t>(sizes.size()),
                                                        sizes);
}
template <class C>
int64_t numelements_to_dim(int k, const C& sizes) {
    return sinter::torch_compat::elements_between(0, k, sizes);
}
template <class C>
int64_t numelements_between_dim(int k, int l, const C& sizes) {
    return k < l ? sinter::torch_compat::elements_between(k, l, sizes)
                 : sinter::torch_compat::elements_between(l, k, sizes);
}

}  // namespace c10
