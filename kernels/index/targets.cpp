#include "kernels/index/targets.hpp"

#include "kernels/sort/sort_on_gpu.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

namespace sinter::index_kernels {
namespace {

loops part_of(const loops& space, bool of_keys) {
    std::vector<std::size_t> dims;
    for (std::size_t d = 0; d < space.rank(); ++d) {
        bool key = space.indexed_strides()[d] == 0;
        for (std::size_t k = 0; k < space.indices(); ++k)
            key = key || space.index_strides(k)[d] != 0;
        if (key == of_keys) dims.push_back(d);
    }
    return space.over(dims);
}

/// Returns the largest number of bytes that all distances between places are multiples of.
int64_t unit_of(const loops& keys) {
    int64_t unit = 0;
    for (std::size_t d = 0; d < keys.rank(); ++d)
        if (keys.size(d) > 1) unit = std::gcd(unit, keys.indexed_strides()[d]);
    for (const loops::place& p : keys.places())
        if (p.extent > 1) unit = std::gcd(unit, p.step);
    return std::max<int64_t>(1, unit);
}

}  // namespace

targets::targets(const loops& space)
    : keys(part_of(space, true)),
      free(part_of(space, false)),
      unit(unit_of(keys)),
      places(1),
      reach(1) {
    for (const loops::place& p : keys.places())
        if (p.extent > 1) reach += (p.extent - 1) * p.step / unit;
    places = reach;
    for (std::size_t d = 0; d < keys.rank(); ++d)
        places += (keys.size(d) - 1) * keys.indexed_strides()[d] / unit;
}

space_arguments targets::arguments(uint64_t* outside) const {
    space_arguments a = arguments_of(keys, outside);
    for (int64_t& stride : a.indexed_strides) stride /= unit;
    for (auto& p : a.places) p.step /= unit;
    return a;
}

std::size_t targets::place_bytes() const {
    return places - 1 > std::numeric_limits<uint32_t>::max() ? 8 : 4;
}

int targets::place_bits() const {
    return std::max(1, static_cast<int>(std::bit_width(static_cast<uint64_t>(places - 1))));
}

bool targets::claims_pay(int64_t cache_bytes) const {
    constexpr int64_t word = 4, line = 64;
    constexpr int64_t launch = 4 << 20;  // the bytes that take as long as a launch
    if (keys.total() >= std::numeric_limits<uint32_t>::max()) return false;
    // Words are filled, changed and read. Each change and each read moves a line, or all of the
    // words once if the cache holds those that indices name within a short time.
    const bool cached = reach * word <= cache_bytes / 2;
    const int64_t lines = keys.total() * line, all = places * word;
    const int64_t claims = all + (cached ? 3 * std::min(all, lines) : 3 * lines);
    // A pass over 8 bits reads places twice and their keys, and writes both.
    const int64_t passes = (place_bits() + 7) / 8;
    const bool one_launch = keys.total() <= ordering::sorted_tile(place_bytes());
    return claims < (one_launch ? launch : passes * (5 * word * keys.total() + 3 * launch));
}

}  // namespace sinter::index_kernels
