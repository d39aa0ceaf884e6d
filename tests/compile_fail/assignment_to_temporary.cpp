// expect: use of deleted function|deleted operator
// A temporary expression cannot be given a value.
#include <sinter/sinter.hpp>

#include <algorithm>
#include <vector>

using namespace sinter;

void program(Tensor a, Tensor b, bool c) {
    (void)a, (void)b, (void)c;
#ifdef GOOD
    auto e = a + b;
    e = a;
#else
    (a + b) = a;
#endif
}
