#include "kernels/sort/groups.hpp"

#include "kernels/slices/numbers.hpp"
#include "kernels/sort/items.hpp"
#include "runtime/base/fp_environment.hpp"
#include "runtime/types/dtypes.hpp"

#include <algorithm>
#include <numeric>

namespace sinter::ordering {
namespace {

template <class T>
bool equal_slices(const T* a, const T* b, int64_t size) {
    for (int64_t i = 0; i < size; ++i)
        if (!(rows::value_of(a[i]) == rows::value_of(b[i]))) return false;
    return true;
}

template <class T>
std::vector<int64_t> order_of_elements(const T* x, int64_t n) {
    std::vector<int64_t> order(static_cast<std::size_t>(n));
    with_items<T>(n, [&](auto item_type) {
        row_items<typename decltype(item_type)::type> items;
        items.load(x, 1, n, false);
        items.sort();
        for (int64_t i = 0; i < n; ++i)
            order[static_cast<std::size_t>(i)] = static_cast<int64_t>(items[i].index);
    });
    return order;
}

template <class T>
std::vector<int64_t> order_of_slices(const T* x, int64_t n, int64_t size) {
    std::vector<int64_t> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
        const T *p = x + a * size, *q = x + b * size;
        for (int64_t i = 0; i < size; ++i) {
            const uint64_t k = order_key(p[i]), l = order_key(q[i]);
            if (k != l) return k < l;
        }
        return false;
    });
    return order;
}

template <class T>
void find_begins(const T* x, int64_t size, groups& g) {
    for (std::size_t i = 0; i < g.order.size(); ++i)
        if (i == 0 || !equal_slices(x + g.order[i - 1] * size, x + g.order[i] * size, size))
            g.begins.push_back(static_cast<int64_t>(i));
}

}  // namespace

groups sorted_groups(const char* data, ScalarType dtype, int64_t n, int64_t size) {
    const runtime::fp_environment environment;
    groups g;
    with_type(dtype, [&]<real_element T>(std::type_identity<T>) {
        const auto* x = reinterpret_cast<const T*>(data);
        g.order = size == 1 ? order_of_elements(x, n) : order_of_slices(x, n, size);
        find_begins(x, size, g);
    });
    return g;
}

groups neighbour_groups(const char* data, ScalarType dtype, int64_t n, int64_t size) {
    const runtime::fp_environment environment;
    groups g;
    g.order.resize(static_cast<std::size_t>(n));
    std::iota(g.order.begin(), g.order.end(), 0);
    with_type(dtype, [&]<real_element T>(std::type_identity<T>) {
        find_begins(reinterpret_cast<const T*>(data), size, g);
    });
    return g;
}

}  // namespace sinter::ordering
