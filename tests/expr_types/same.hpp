// An expression type and the builder must give the same program and the same bits.
#pragma once

#include <sinter/sinter.hpp>

#include <doctest/doctest.h>

#include <cstring>
#include <vector>

using namespace sinter;
using B = expression_builder;

struct operands {
    Tensor a = linspace(-3, 3, 35).view({5, 7}), b = linspace(0.1, 2, 7),
           c = linspace(-1, 1, 5).view({5, 1}), d = full({}, 0.75);
};

inline void same_bits(int number, const Tensor& x, const Tensor& y) {
    REQUIRE(x.sizes() == y.sizes());
    const float* p = x.const_data_ptr<float>();
    const float* q = y.const_data_ptr<float>();
    int different = 0;
    for (int64_t i = 0; i < x.numel(); ++i)
        different +=
            std::memcmp(&p[i], &q[i], sizeof(float)) != 0 && !(p[i] != p[i] && q[i] != q[i]);
    CHECK_MESSAGE(different == 0,
                  "expression " << number << ": " << different << " elements differ");
}

template <op::id Op, class... Operands>
void same(int number, expr<Op, Operands...>&& e, const B& built) {
    const program_ref p = e.program();
    const std::vector<uint16_t> words(p.words, p.words + p.size);
    CHECK_MESSAGE(words == built.words(), "expression " << number << ": programs differ");
    CHECK(p.leaves == expr<Op, Operands...>::leaves);
    CHECK(p.scalars == expr<Op, Operands...>::scalars);
    same_bits(number, Tensor(std::move(e)), built.finish());
}
