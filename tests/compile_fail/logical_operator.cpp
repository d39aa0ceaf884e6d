// expect: no match for .operator&&|invalid operands|could not convert|not contextually
// && would have to evaluate; logical_and is elementwise.
#include <sinter/sinter.hpp>

#include <algorithm>
#include <vector>

using namespace sinter;

void program(Tensor a, Tensor b, bool c) {
    (void)a, (void)b, (void)c;
#ifdef GOOD
    Tensor r = logical_and(a, b);
#else
    Tensor r = a && b;
#endif
}
