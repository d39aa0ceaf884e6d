// expect: cannot convert|no viable conversion
// A tensor becomes a number only where it is said.
#include <sinter/sinter.hpp>

#include <algorithm>
#include <vector>

using namespace sinter;

void program(Tensor a, Tensor b, bool c) {
    (void)a, (void)b, (void)c;
#ifdef GOOD
    double d = a.item<double>();
    (void)d;
#else
    double d = a;
    (void)d;
#endif
}
