// What a statement that is timed may return.
#include <sinter/benchmark.hpp>

#include <string>

using namespace sinter;

// note: a statement that is timed returns a tensor, an expression, a tree of tensors
void text(const Tensor& a) {
#ifdef GOOD
    benchmark::Timer([&] { return a + 1; });
#else
    benchmark::Timer([&] { return std::string("sum"); });
    (void)a;
#endif
}
