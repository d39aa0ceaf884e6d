// expect: inconsistent types|return type .* must match previous
// A lambda deduces one type; state Tensor.
#include <sinter/sinter.hpp>

#include <algorithm>
#include <vector>

using namespace sinter;

void program(Tensor a, Tensor b, bool c) {
    (void)a, (void)b, (void)c;
#ifdef GOOD
    auto f = [&]() -> Tensor {
        if (c) return a + b;
        return a * b;
    };
    (void)f;
#else
    auto f = [&] {
        if (c) return a + b;
        return a * b;
    };
    (void)f;
#endif
}
