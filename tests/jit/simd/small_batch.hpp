// Batches of small matrices for the functions that compute them side by side, at each level.
#pragma once

#include "jit/simd/block.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <vector>

namespace sinter::test {

template <class T>
const block::small_factor_fns& factor_functions() {
    return *block::find_factors(sizeof(T) == 4 ? kFloat : kDouble);
}

/// Column-major matrices with NaN in the gaps after their columns.
template <class T>
struct batch {
    int rows, cols, ld, count;
    std::vector<T> memory;

    batch(std::mt19937_64& random, int rows_, int cols_, int count_)
        : rows(rows_), cols(cols_), ld(rows + static_cast<int>(random() % 3)), count(count_) {
        memory.assign(static_cast<std::size_t>(ld) * static_cast<std::size_t>(cols * count),
                      std::numeric_limits<T>::quiet_NaN());
        std::uniform_real_distribution<T> number(-1, 1);
        for (int k = 0; k < count; ++k)
            for (int j = 0; j < cols; ++j)
                for (int i = 0; i < rows; ++i) at(k, i, j) = number(random);
    }
    T& at(int k, int i, int j) { return memory[static_cast<std::size_t>((k * cols + j) * ld + i)]; }
    double get(int k, int i, int j) const {
        return memory[static_cast<std::size_t>((k * cols + j) * ld + i)];
    }
    template <class Pointer>
    std::vector<Pointer> items() {
        std::vector<Pointer> all;
        for (int k = 0; k < count; ++k) all.push_back(&at(k, 0, 0));
        return all;
    }
    bool gaps_are_untouched() const {
        for (int c = 0; c < cols * count; ++c)
            for (int i = rows; i < ld; ++i)
                if (!std::isnan(memory[static_cast<std::size_t>(c * ld + i)])) return false;
        return true;
    }
};

struct integers {
    integers(int each, int count) : values(static_cast<std::size_t>(each * count), -7) {
        for (int k = 0; k < count; ++k) items.push_back(values.data() + k * each);
    }
    std::vector<int> values;
    std::vector<int*> items;
    int operator()(int k, int i = 0) const { return items[static_cast<std::size_t>(k)][i]; }
};

template <class F>
void at_each_level(const F& f) {
    const block::isa before = block::level();
    for (const block::isa at : {block::isa::baseline, block::isa::v3, block::isa::v4}) {
        if (!block::available(at)) continue;
        block::set_level(at);
        CAPTURE(static_cast<int>(at));
        f();
    }
    block::set_level(before);
}

}  // namespace sinter::test
