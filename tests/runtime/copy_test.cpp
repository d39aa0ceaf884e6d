// Copies between strided layouts write what a plain loop writes, and no other byte.
#include "runtime/strided/copy.hpp"

#include "runtime/strided/walk.hpp"
#include "tests/seed.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>
#include <string>
#include <vector>

using namespace sinter;

namespace {

/// The layout of an array in memory of its own; offsets and strides are in elements.
struct array {
    std::vector<int64_t> strides;
    int64_t first = 0, elements = 1;

    /// Dimensions lie in the order of `order`, innermost last, with gaps and steps backwards.
    array(const std::vector<int64_t>& sizes, const std::vector<std::size_t>& order, bool gaps,
          bool backwards, bool repeats)
        : strides(sizes.size()) {
        int64_t step = 1;
        for (std::size_t i = order.size(); i-- > 0;) {
            const std::size_t d = order[i];
            if (repeats && i % 2 == 0) continue;
            if (gaps) step += 1;
            strides[d] = backwards && i % 2 == 1 ? -step : step;
            const int64_t reach = (std::max<int64_t>(sizes[d], 1) - 1) * step;
            if (strides[d] < 0) first += reach;
            elements += reach;
            step = step * std::max<int64_t>(sizes[d], 1) + (gaps ? 3 : 0);
        }
    }
};

void compare(ScalarType type, const std::vector<int64_t>& sizes, const array& out, const array& in,
             std::mt19937_64& g) {
    const std::size_t item = elementSize(type);
    // A byte before the elements shifts them, as external memory may.
    std::string from(1 + static_cast<std::size_t>(in.elements) * item, '\0');
    std::generate(from.begin(), from.end(), [&] { return static_cast<char>(g()); });
    std::string to(1 + static_cast<std::size_t>(out.elements) * item, '?');
    std::string expected = to;
    const auto place = [item](const array& a, int64_t element, const std::vector<int64_t>& n) {
        return 1 +
               static_cast<std::size_t>(
                   a.first + runtime::offset_of(element, n.size(), n.data(), a.strides.data())) *
                   item;
    };
    const int64_t total =
        std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<>());
    for (int64_t e = 0; e < total; ++e)
        std::memcpy(&expected[place(out, e, sizes)], &from[place(in, e, sizes)], item);
    runtime::copy_elements(type, sizes, &to[1 + static_cast<std::size_t>(out.first) * item],
                           out.strides, &from[1 + static_cast<std::size_t>(in.first) * item],
                           in.strides);
    CHECK(to == expected);
}

constexpr ScalarType types[] = {kByte, kBFloat16, kFloat, kDouble, kComplexFloat, kComplexDouble};

}  // namespace

TEST_CASE("copy: random layouts") {
    std::mt19937_64 g(test::seed());
    const auto upto = [&](int64_t n) {
        return static_cast<int64_t>(g() % static_cast<uint64_t>(n));
    };
    for (int i = test::cases(1000); i-- > 0;) {
        std::vector<int64_t> sizes(static_cast<std::size_t>(upto(5)));
        for (int64_t& n : sizes) n = upto(30) == 0 ? 0 : 1 + upto(upto(2) == 0 ? 3 : 40);
        std::vector<std::size_t> order(sizes.size()), other;
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::shuffle(order.begin(), order.end(), g);
        other = order;
        if (upto(3) != 0) std::shuffle(other.begin(), other.end(), g);
        int64_t total = 1;
        for (int64_t n : sizes) total *= n;
        if (total > 100000) continue;
        const array out(sizes, order, upto(2) == 0, upto(4) == 0, false),
            in(sizes, other, upto(2) == 0, upto(4) == 0, upto(4) == 0);
        compare(types[static_cast<std::size_t>(upto(6))], sizes, out, in, g);
    }
}

TEST_CASE("copy: large arrays, as they are and transposed") {
    std::mt19937_64 g(test::seed());
    for (ScalarType type : types)
        for (const std::vector<std::size_t>& order :
             {std::vector<std::size_t>{0, 1, 2}, {0, 2, 1}, {2, 1, 0}, {1, 2, 0}}) {
            const std::vector<int64_t> sizes{3, 251, 307};
            const array out(sizes, {0, 1, 2}, false, false, false),
                in(sizes, order, false, false, false);
            compare(type, sizes, out, in, g);
            compare(type, sizes, in, out, g);
        }
}

TEST_CASE("copy: dimensions and elements of size 0 and 1") {
    std::mt19937_64 g(test::seed());
    for (const std::vector<int64_t>& sizes :
         {std::vector<int64_t>{}, {0}, {1}, {1, 1, 1}, {4, 0, 3}, {0, 1 << 20}}) {
        std::vector<std::size_t> order(sizes.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        const bool empty = std::find(sizes.begin(), sizes.end(), 0) != sizes.end();
        const array dense(empty ? std::vector<int64_t>(sizes.size(), 1) : sizes, order, false,
                          false, false);
        compare(kComplexDouble, sizes, dense, dense, g);
    }
}
