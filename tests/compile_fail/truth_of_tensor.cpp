// expect: could not convert|not contextually convertible|value of type .* is not
// The truth of a tensor is read with is_nonzero or item.
#include <sinter/sinter.hpp>

#include <algorithm>
#include <vector>

using namespace sinter;

void program(Tensor a, Tensor b, bool c) {
    (void)a, (void)b, (void)c;
#ifdef GOOD
    if (a.is_nonzero()) a = b;
#else
    if (a) a = b;
#endif
}
