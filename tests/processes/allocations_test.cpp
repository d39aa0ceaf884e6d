// Each allocation of a typical program fails once. The statement must throw an exception that a
// program can catch, and after a second run all values must be what they would have been.
#include "tests/support/again.hpp"
#include "tests/jit/cache/temporary_folder.hpp"
#include "tests/processes/failing_memory.hpp"
#include "tests/seed.hpp"
#include "tests/support/fork.hpp"

#include <sinter/sinter.hpp>

#include <doctest/doctest.h>

#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <sstream>
#include <string>
#include <vector>

using namespace sinter;

namespace {

/// The variables of the statements; undefined for a statement that has not run.
struct variables {
    Tensor a, b, c, d, e, f, g, h, i, j, k, l;
    std::vector<float> own = std::vector<float>(12, 2.0F);
    std::string text;
};

using statement = void (*)(variables&);

// Each can be run again where it threw.
const statement statements[] = {
    [](variables& v) { v.a = arange(12, kFloat).view({3, 4}); },
    [](variables& v) { v.b = v.a * 2 + 1; },
    [](variables& v) { v.c = v.b.sum({0}); },
    [](variables& v) { v.c.eval(); },
    [](variables& v) { v.a.add_(1); },
    [](variables& v) { v.a.slice(0, 0, 2).mul_(v.c); },
    [](variables& v) { v.d = matmul(v.a, v.b.t()) + 1; },
    [](variables& v) { v.e = softmax(v.d, 1); },
    [](variables& v) { v.e.eval(); },
    [](variables& v) { v.d.index_put_({Tensor(tensor({0, 2}))}, 5); },
    [](variables& v) { v.f = cumsum(v.a.t(), 0); },
    [](variables& v) { v.g = std::get<0>(v.f.sort(1, true)); },
    [](variables& v) { eval({v.d, v.g}); },
    [](variables& v) { v.a.index_put_({v.a > 6}, -1); },
    [](variables& v) { v.h = v.a.masked_select(v.a < 0); },
    [](variables& v) { v.i = cat({v.h, v.c}, 0).to(kDouble); },
    [](variables& v) { v.text = std::to_string(v.i.max().item<double>()); },
    [](variables& v) {
        std::ostringstream out;
        out.exceptions(std::ios::badbit);  // otherwise a stream reports nothing
        out << v.e << v.d;
        v.text = out.str();
    },
    [](variables& v) { from_blob(v.own.data(), {12}).copy_(v.a.view({12})); },
    [](variables& v) {
        const auto e = v.b - 1;
        Tensor x = e * 2;
        v.j = where(x > 4, e, 0);
    },
    [](variables& v) { v.j.t()[1] = 7; },
    [](variables& v) { v.k = linalg::solve(eye(3) * 2, v.a); },
    [](variables& v) { v.l = einsum("ij,kj->ik", {v.k, v.j}); },
    [](variables& v) { v.l.data_ptr<float>()[0] = 3; },
    [](variables& v) { v.b = complex(v.l, v.l + 1).abs(); },
    [](variables& v) { v.c = v.c.repeat({2}).unfold(0, 2, 1).amax({1}); },
};

std::string written(const variables& v) {
    std::ostringstream out;
    for (const Tensor* t : {&v.a, &v.b, &v.c, &v.d, &v.e, &v.f, &v.g, &v.h, &v.i, &v.j, &v.k, &v.l})
        out << *t << '\n';
    for (float x : v.own) out << x << ' ';
    return out.str() + v.text;
}

/// Returns the first line that differs.
std::string first_difference(const std::string& got, const std::string& expected) {
    std::istringstream a(got), b(expected);
    std::string x, y;
    for (int line = 1; a || b; ++line) {
        x.clear();
        y.clear();
        std::getline(a, x);
        std::getline(b, y);
        if (x != y) return "line " + std::to_string(line) + ": " + x + ", expected " + y;
    }
    return "";
}

struct outcome {
    int64_t allocations;
    int64_t live;  // bytes in use when all tensors are gone
    int status;    // 0: correct
    int at;        // the index of the statement
    char text[64 << 10];
};

/// Runs everything, with one allocation refused.
void run(int64_t refused, outcome& o) {
    o.status = 1;
    {
        variables v;
        test::refuse_allocation(refused);
        for (std::size_t s = 0; s < std::size(statements); ++s) {
            o.at = static_cast<int>(s);
            bool again = false;
            try {
                statements[s](v);
            } catch (const std::bad_alloc&) {
                again = true;
            } catch (const OutOfMemoryError&) {
                again = true;
            }
            if (again) statements[s](v);
        }
        o.allocations = test::stop_refusing();
        std::strncpy(o.text, written(v).c_str(), sizeof o.text - 1);
    }
    synchronize();
    o.live = stats().bytes_live;
    o.status = 0;
}

}  // namespace

TEST_CASE("child: refuse each allocation" * doctest::skip()) {
    auto* shared = static_cast<outcome*>(
        mmap(nullptr, sizeof(outcome), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    REQUIRE(shared != MAP_FAILED);
    const auto in_child = [&](int64_t refused) {
        *shared = {};
        shared->status = 2;
        return test::status_of_child([&] {
            alarm(20);
            std::set_terminate([] {
                test::print_where_refused();
                std::abort();
            });
            try {
                run(refused, *shared);
            } catch (const std::exception& e) {
                std::fprintf(stderr, "it threw %s\n", e.what());
            }
            if (shared->status || std::getenv("SINTER_TEST_WHERE")) test::print_where_refused();
            return shared->status;
        });
    };
    REQUIRE(in_child(0) == 0);  // compiles the kernels
    REQUIRE(in_child(0) == 0);
    const auto expected = std::make_unique<outcome>(*shared);
    REQUIRE(expected->allocations > 500);
    // The seed selects which allocations between the first and the last are tried.
    const int64_t step = test::long_run() ? 1 : 5;
    int bad = 0;
    if (const char* only = std::getenv("SINTER_TEST_ALLOCATION")) {
        const int status = in_child(std::atoll(only));
        CAPTURE(shared->at);
        CHECK(status == 0);
        CHECK(first_difference(shared->text, expected->text) == "");
        return;
    }
    for (int64_t n = 1 + static_cast<int64_t>(test::seed() % 5) % step;
         n <= expected->allocations && bad < 5; n += step) {
        CAPTURE(n);
        const int status = in_child(n);
        CAPTURE(shared->at);
        CHECK(status == 0);
        if (status == 0) {
            CHECK(first_difference(shared->text, expected->text) == "");
            CHECK(shared->live == expected->live);
        }
        bad += status != 0 || std::strcmp(shared->text, expected->text) != 0;
    }
    MESSAGE("allocations: ", expected->allocations);
}

TEST_CASE("an allocation that fails throws, and leaves all values as they are") {
    if (test::sanitized()) return;  // their allocators do not fail
    for (const std::string pool : {"off", "on"})
        for (const std::string jit : {"wait", "off"}) {
            CAPTURE(pool);
            CAPTURE(jit);
            const sinter::testing::temporary_folder folder;
            CHECK(test::status_of_child([&] {
                      setenv("SINTER_POOL", pool.c_str(), 1);
                      setenv("SINTER_JIT", jit.c_str(), 1);
                      setenv("SINTER_NUM_THREADS", "1", 1);
                      setenv("SINTER_TRACE", (folder / "trace.json").c_str(), 1);
                      setenv("SINTER_CACHE_DIR", folder.path().c_str(), 1);
                      return test::become_cases("child: refuse each allocation");
                  }) == 0);
        }
}
