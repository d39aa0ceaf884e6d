// Plans by structure.
#include "engine/run/plan_cache.hpp"

#include "engine/plan/subgraph.hpp"

#include <sinter/sinter.hpp>

#include <doctest/doctest.h>

#include <array>
#include <barrier>
#include <thread>
#include <vector>

namespace sinter::test {

TEST_CASE("threads that plan one structure at the same moment get one plan") {
    constexpr std::size_t n_threads = 4, n_structures = 64;
    using plans = std::vector<std::shared_ptr<const plan::executable>>;
    std::array<plans, n_threads> got;
    std::barrier together(n_threads);
    const auto plan_all = [&](std::size_t thread) {
        ModeGuard lazy(Mode::lazy);
        for (std::size_t i = 0; i < n_structures; ++i) {
            const Tensor x = ones({static_cast<int64_t>(i) + 3, 5}).eval();
            const Tensor y = softmax(x * 2, 1) + x.sum({1}, true);
            Version* wanted[] = {y.unsafeGetTensorImpl()->storage->current.get()};
            const runtime::arena memory;
            const plan::claimed_work claimed(wanted);
            together.arrive_and_wait();
            got[thread].push_back(plan::find_or_build_shared(claimed.w));
        }
    };
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < n_threads; ++t) threads.emplace_back(plan_all, t);
    for (std::thread& t : threads) t.join();
    for (std::size_t t = 1; t < n_threads; ++t) CHECK(got[t] == got[0]);
}

}  // namespace sinter::test
