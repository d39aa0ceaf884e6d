// expect: no matching function
// std::max wants one type; maximum is the elementwise function.
#include <sinter/sinter.hpp>

#include <algorithm>
#include <vector>

using namespace sinter;

void program(Tensor a, Tensor b, bool c) {
    (void)a, (void)b, (void)c;
#ifdef GOOD
    Tensor m = maximum(a, a + b);
#else
    auto m = std::max(a, a + b);
#endif
}
