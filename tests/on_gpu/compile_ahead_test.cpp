// The kernels of a plan are compiled before it runs, several at once.
#include "tests/on_gpu/emulator_control.hpp"

#include <sinter/cuda.hpp>
#include <sinter/sinter.hpp>

#include <vector>

using namespace sinter;
using namespace sinter::testing;

namespace {

class threads {
public:
    explicit threads(int n) : before_(get_num_threads()) { set_num_threads(n); }
    ~threads() { set_num_threads(before_); }
    threads(const threads&) = delete;
    threads& operator=(const threads&) = delete;

private:
    int before_;
};

/// A plan of as many kernels as rows are normed, which nothing else computes with this number.
Tensor chain(Tensor x, double number) {
    for (int i = 0; i < 4; ++i) x = (x - x.mean({i % 2}, true)) * number + i;
    return x;
}

Tensor numbers_of(int64_t rows) { return (arange(rows * 5, kDouble) * 0.31).cos().view({rows, 5}); }

}  // namespace

TEST_CASE("gpu ahead: a plan's kernels are compiled at the same time, and each once") {
    if (!has_emulator()) return;
    const threads several(4);
    const Tensor x = numbers_of(31), there = x.cuda();
    const auto compiled = counts("compile"), beside = counts("compile_beside");
    reset_stats();
    const Tensor y = chain(there.to(kFloat).tanh(), 1.5).eval();
    const auto kernels = counts("compile") - compiled;
    CHECK(kernels >= 3);
    // hiprtc compiles for one thread at a time.
    const bool beside_others = there.device().vendor() == Vendor::nvidia;
    CHECK((counts("compile_beside") > beside) == beside_others);
    CHECK(stats().kernels_compiled == kernels);
    CHECK(equal(y.cpu(), chain(x.to(kFloat).tanh(), 1.5)));
    // Another run compiles nothing, nor does a plan of the same kernels.
    chain(there.to(kFloat).tanh(), 1.5).eval();
    CHECK(counts("compile") == compiled + kernels);
}

TEST_CASE("gpu ahead: views at odd addresses launch in the forms that were compiled") {
    if (!has_emulator()) return;
    const threads several(4);
    const Tensor x = numbers_of(40).flatten(), there = x.cuda();
    for (const int64_t first : {1, 2, 3, 8}) {
        CAPTURE(first);
        const auto run = [&](const Tensor& all) {
            return chain(all.narrow(0, first, 150).view({30, 5}).sinh(), 0.25);
        };
        const Tensor expected = run(x).eval();
        const auto compiled = counts("compile");
        reset_stats();
        const Tensor y = run(there).eval();
        CHECK(stats().kernels_launched + 1 >= counts("compile") - compiled);
        CHECK(equal(y.cpu(), expected));
    }
}

TEST_CASE(
    "gpu ahead: a kernel that does not compile throws at its launch, and can be tried again") {
    if (!has_emulator()) return;
    const threads several(4);
    const Tensor x = numbers_of(17), there = x.cuda();
    const Tensor y = chain(there.atan(), 3.5);
    make_fail("compile", 1);
    // The launch compiles it once more.
    y.eval();
    CHECK(equal(y.cpu(), chain(x.atan(), 3.5)));
    const Tensor z = chain(there.atan().exp(), 4.5);
    make_fail("module", 1);
    z.eval();
    CHECK(equal(z.cpu(), chain(x.atan().exp(), 4.5)));
}
