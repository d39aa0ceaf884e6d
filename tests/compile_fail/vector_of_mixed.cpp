// expect: deduction failed|no viable constructor|no matching
// Elements of a list have one type; say which.
#include <sinter/sinter.hpp>

#include <algorithm>
#include <vector>

using namespace sinter;

void program(Tensor a, Tensor b, bool c) {
    (void)a, (void)b, (void)c;
#ifdef GOOD
    std::vector<Tensor> v{a + b, a};
#else
    std::vector v{a + b, a};
#endif
}
