// Contractions from attention, by einsum; the name of a case is its equation.
#include "bench/case.hpp"

namespace bench {
namespace {

using namespace sinter;

/// The extents of the letters. There are as many keys (k) as queries (q), and values (v) are as
/// wide as keys (d).
struct extents {
    int64_t b, h, q, d;
};

/// The extents for n elements of an operand with b, h, q and d.
extents with_heads(int64_t n) {
    if (n == 2048) return {1, 2, 16, 64};
    return n == 131072 ? extents{2, 8, 128, 64} : extents{4, 8, 512, 64};
}
extents without_heads(int64_t n) {
    if (n == 2048) return {2, 1, 16, 64};
    return n == 131072 ? extents{4, 1, 512, 64} : extents{8, 1, 2048, 64};
}

int64_t extent(const extents& e, char letter) {
    switch (letter) {
        case 'b': return e.b;
        case 'h': return e.h;
        case 'q':
        case 'k': return e.q;
        default: return e.d;
    }
}

/// One product of b h q k d multiplications, or two of b q d d; this is the cheapest order.
bench_case contraction(const char* equation, extents (*of)(int64_t), bool one) {
    return {equation, {2048, 131072, 1048576}, [=](contest& c) {
                const extents e = of(c.n());
                const std::string text = equation, terms = text.substr(0, text.find("->"));
                std::vector<Tensor> operands;
                std::vector<int64_t> sizes;
                double elements = static_cast<double>(c.n());
                for (std::size_t i = 0; i <= terms.size(); ++i) {
                    if (i < terms.size() && terms[i] != ',') {
                        sizes.push_back(extent(e, terms[i]));
                        continue;
                    }
                    operands.push_back(c.input(sizes));
                    elements += static_cast<double>(operands.back().numel());
                    sizes.clear();
                }
                c.sizes({e.b, e.h, e.q, e.d});
                const auto rows = static_cast<double>(e.b * e.h * e.q);
                c.cost(elements, one ? 2 * rows * static_cast<double>(e.q * e.d)
                                     : 4 * rows * static_cast<double>(e.d * e.d));
                c.tolerance(2e-3, 1e-10);
                c.lazy([=] { return einsum(equation, operands); }, false);
            }};
}

}  // namespace

std::vector<bench_case> contraction_cases() {
    return {
        contraction("bhqd,bhkd->bhqk", with_heads, true),
        contraction("bhqk,bhkd->bhqd", with_heads, true),
        contraction("bqhd,bkhd->bhqk", with_heads, true),
        contraction("bqd,bkd,bkv->bqv", without_heads, false),
    };
}

}  // namespace bench
