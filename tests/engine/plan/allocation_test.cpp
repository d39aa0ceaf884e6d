// The cache-hit path allocates from the pool only: this program counts its calls of `new`.
#include "tests/engine/plan/one_kernel.hpp"

#include <cstdlib>
#include <new>

namespace {
thread_local bool counting = false;
thread_local int allocations = 0;
}  // namespace

#ifdef SINTER_SANITIZE_ADDRESS
constexpr bool counts = false;  // the sanitizer replaces new
#else
constexpr bool counts = true;
void* operator new(std::size_t bytes) {
    allocations += counting;
    if (void* p = std::malloc(bytes ? bytes : 1)) return p;
    throw std::bad_alloc();
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
#endif

using namespace sinter;

TEST_CASE("a statement whose kernel is known allocates nothing outside the pool") {
    if (!counts || default_executor() != plan::executor::compiled) {
        MESSAGE("SKIPPED: under a sanitizer, or without compiled kernels");
        return;
    }
    const Tensor a = rand({16}), b = rand({16}), c = rand({16});
    eval({a, b, c});
    auto statement = [&](double s) {
        Tensor z = a * b + c - s;
        z.eval();
    };
    statement(1);
    statement(2);
    allocations = 0;
    counting = true;
    statement(3);
    counting = false;
    CHECK(allocations == 0);
    counting = true;
    ::operator delete(::operator new(1));  // the counter works
    counting = false;
    CHECK(allocations == 1);
}
