// expect: cannot bind|invalid initialization|no known conversion|no matching function
// A named expression is no Tensor object; make one.
#include <sinter/sinter.hpp>

#include <algorithm>
#include <vector>

using namespace sinter;
void take(Tensor&);
void program(Tensor a, Tensor b, bool c) {
    (void)a, (void)b, (void)c;
#ifdef GOOD
    Tensor e = a + b;
    take(e);
#else
    auto e = a + b;
    take(e);
#endif
}
