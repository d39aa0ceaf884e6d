// expect: no match for .operator<<|invalid operands
// << prints; bitwise_left_shift shifts.
#include <sinter/sinter.hpp>

#include <algorithm>
#include <vector>

using namespace sinter;

void program(Tensor a, Tensor b, bool c) {
    (void)a, (void)b, (void)c;
#ifdef GOOD
    Tensor r = bitwise_left_shift(a, 2);
#else
    Tensor r = a << 2;
#endif
}
