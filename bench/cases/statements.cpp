// A program as users write it: a tensor for every line, and a read at the end.
#include "bench/case.hpp"

namespace bench {

using namespace sinter;

std::vector<bench_case> statement_cases() {
    return {{"20_statements", {16, 1000, 1000000}, [](contest& k) {
                 const Tensor x = k.input({k.n()}), y = k.input({k.n()});
                 k.sizes({k.n()});
                 k.cost(3 * k.n(), 20 * k.n());
                 k.lazy(
                     [=] {
                         Tensor t = x;
                         for (int line = 0; line < 10; ++line) {
                             Tensor scaled = t * 0.75;
                             t = scaled + y;
                         }
                         return t;
                     },
                     false);
             }}};
}

}  // namespace bench
