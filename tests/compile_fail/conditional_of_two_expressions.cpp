// expect: different types|incompatible operand types
// Two expressions of different operations have different types; name the result's.
#include <sinter/sinter.hpp>

#include <algorithm>
#include <vector>

using namespace sinter;

void program(Tensor a, Tensor b, bool c) {
    (void)a, (void)b, (void)c;
#ifdef GOOD
    Tensor r = c ? Tensor(a + b) : Tensor(a * b);
#else
    Tensor r = c ? a + b : a * b;
#endif
}
