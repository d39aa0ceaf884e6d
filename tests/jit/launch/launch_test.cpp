#include "jit/launch/launch.hpp"

#include "jit/interpret/interpret.hpp"
#include "runtime/threads/threads.hpp"
#include "tests/seed.hpp"

#include <sinter/error.hpp>
#include <sinter/op/op.hpp>
#include <sinter/stats.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <random>
#include <vector>

using namespace sinter;
using kernel_ir::kernel_call;
using kernel_ir::operand_arg;
using runtime::launch;
using runtime::launch_operand;

namespace {

// With the thread sanitizer each access of the hand-written kernels costs thirty.
#ifdef SINTER_SANITIZE_THREAD
constexpr int thinned = 8;
#else
constexpr int thinned = 1;
#endif

struct with_threads {
    explicit with_threads(int n) : saved(get_num_threads()) { set_num_threads(n); }
    ~with_threads() { set_num_threads(saved); }
    int saved;
};

std::atomic<int> calls{0};
std::atomic<bool> misaligned{false};

template <class T>
T& at(const operand_arg& o, int64_t row, int64_t element) {
    return *reinterpret_cast<T*>(o.ptr + row * o.s1 + element * o.s0);
}

/// out += a + scalar * index, which shows if an element is left out or visited twice. The last
/// operand is the output, the one before it an index.
void accumulate(const kernel_call* c) {
    ++calls;
    std::size_t inputs = 0;
    while (c->scalars[1] > inputs) ++inputs;
    const operand_arg& index = c->operands[inputs];
    const operand_arg& out = c->operands[inputs + 1];
    for (int64_t r = 0; r < c->n1; ++r)
        for (int64_t i = 0; i < c->n0; ++i) {
            int64_t position = static_cast<int64_t>(reinterpret_cast<uint64_t>(index.ptr)) +
                               r * index.s1 + i * index.s0;
            int64_t sum = static_cast<int64_t>(c->scalars[0]) * position;
            for (std::size_t k = 0; k < inputs; ++k) sum += at<int64_t>(c->operands[k], r, i);
            at<int64_t>(out, r, i) += sum;
        }
}

/// A random space with `inputs` strided inputs, and the result of plain loops over it.
struct random_space {
    std::vector<int64_t> extents;
    std::vector<std::vector<int64_t>> strides;  // bytes; of inputs, index, output
    std::vector<std::vector<int64_t>> data;     // of inputs; the last is the output
    std::vector<launch_operand> operands;
    std::vector<int64_t> expected;
    uint64_t scalars[2];

    random_space(std::mt19937_64& random, int rank, int64_t most, std::size_t inputs) {
        int64_t total = 1;
        for (int d = 0; d < rank; ++d) {
            auto e = static_cast<int64_t>(random() % 4 == 0 ? random() % 3 : random() % 9);
            if (d >= rank - 2) e = static_cast<int64_t>(random() % 300);
            if (random() % 12 == 0) e = static_cast<int64_t>(random() % 100000);
            if (e > 0 && total * e > most) e = 1 + static_cast<int64_t>(random() % 2);
            extents.push_back(e);
            total *= std::max<int64_t>(e, 1);
        }
        scalars[0] = random() % 100;
        scalars[1] = inputs;
        for (std::size_t k = 0; k < inputs; ++k) add_input(random);
        add_index(random);
        add_output(random);
        compute();
    }

    std::size_t rank() const { return extents.size(); }

    /// Returns row-major strides of `extents` for a shuffled order of dimensions, with gaps.
    std::vector<int64_t> layout(std::mt19937_64& random, int64_t& size) {
        std::vector<std::size_t> order(rank());
        std::iota(order.begin(), order.end(), 0);
        if (random() % 2) std::shuffle(order.begin(), order.end(), random);
        std::vector<int64_t> s(rank());
        size = 1;
        for (std::size_t i = rank(); i-- > 0;) {
            std::size_t d = order[i];
            s[d] = size * 8;
            size *= std::max<int64_t>(extents[d], 1);
            if (random() % 8 == 0) size += 3;
        }
        return s;
    }

    void add_input(std::mt19937_64& random) {
        int64_t size = 0;
        std::vector<int64_t> s = layout(random, size);
        for (int64_t& stride : s)
            if (random() % 5 == 0) stride = 0;
        data.emplace_back(static_cast<std::size_t>(size));
        for (int64_t& x : data.back()) x = static_cast<int64_t>(random() % 1000);
        strides.push_back(s);
    }
    void add_index(std::mt19937_64& random) {
        strides.emplace_back();
        for (std::size_t d = 0; d < rank(); ++d)
            strides.back().push_back(static_cast<int64_t>(random() % 50) - 25);
    }
    void add_output(std::mt19937_64& random) {
        int64_t size = 0;
        strides.push_back(layout(random, size));
        data.emplace_back(static_cast<std::size_t>(size), 0);
    }

    void compute() {
        expected.assign(data.back().size(), 0);
        std::vector<int64_t> at(rank(), 0);
        bool more = std::all_of(extents.begin(), extents.end(), [](int64_t e) { return e > 0; });
        std::size_t inputs = data.size() - 1;
        while (more) {
            auto offset = [&](std::size_t k) {
                int64_t o = 0;
                for (std::size_t d = 0; d < rank(); ++d) o += at[d] * strides[k][d];
                return o;
            };
            int64_t sum = static_cast<int64_t>(scalars[0]) * (1000 + offset(inputs));
            for (std::size_t k = 0; k < inputs; ++k)
                sum += data[k][static_cast<std::size_t>(offset(k) / 8)];
            expected[static_cast<std::size_t>(offset(inputs + 1) / 8)] += sum;
            more = false;
            for (std::size_t d = rank(); d-- > 0 && !more;) {
                more = ++at[d] < extents[d];
                if (!more) at[d] = 0;
            }
        }
    }

    bool run(kernel_ir::lanes along) {
        std::fill(data.back().begin(), data.back().end(), 0);
        operands.clear();
        std::size_t inputs = data.size() - 1;
        for (std::size_t k = 0; k < inputs; ++k)
            operands.push_back({reinterpret_cast<char*>(data[k].data()), strides[k].data()});
        operands.push_back({reinterpret_cast<char*>(uint64_t{1000}), strides[inputs].data()});
        operands.push_back(
            {reinterpret_cast<char*>(data.back().data()), strides[inputs + 1].data()});
        launch({.fn = accumulate,
                .along = along,
                .rank = static_cast<int>(rank()),
                .extents = extents.data(),
                .operands = operands,
                .scalars = scalars});
        return data.back() == expected;
    }
};

}  // namespace

TEST_CASE("launch: random strided spaces, on any number of threads") {
    for (int i = 0; i < test::cases(64 / thinned); ++i) {
        uint64_t seed = test::seed() + static_cast<uint64_t>(i);
        std::mt19937_64 random(seed);
        int rank = static_cast<int>(random() % 6);
        random_space s(random, rank, 200000, random() % 4);
        for (int threads : {1, 2, 3, 7}) {
            with_threads scope(threads);
            CAPTURE(seed);
            CAPTURE(threads);
            CHECK(s.run(kernel_ir::lanes::element));
            CHECK(s.run(kernel_ir::lanes::row));
        }
    }
}

TEST_CASE("launch: more dimensions and operands than the stack arrays hold") {
    for (int i = 0; i < 6; i += thinned) {
        std::mt19937_64 random(test::seed() + static_cast<uint64_t>(i));
        random_space s(random, 9 + i, 50000, static_cast<std::size_t>(31 + 2 * i));
        for (int threads : {1, 3}) {
            with_threads scope(threads);
            CHECK(s.run(kernel_ir::lanes::element));
        }
    }
}

TEST_CASE("launch: shares of one row begin at multiples of 64 elements") {
    with_threads scope(3);
    misaligned = false;
    auto check = [](const kernel_call* c) {
        ++calls;
        int64_t first = static_cast<int64_t>(reinterpret_cast<uint64_t>(c->operands[0].ptr));
        if (first % 64 != 0) misaligned = true;
    };
    int64_t one = 1;
    launch_operand index[] = {{nullptr, &one}};
    for (int64_t n : {1000001, 200000, 100}) {
        calls = 0;
        launch({.fn = check, .cost = 20, .rank = 1, .extents = &n, .operands = index});
        CHECK(!misaligned);
        CHECK((n == 100 ? calls == 1 : calls >= 3 && calls <= 12));
    }
}

TEST_CASE("launch: rows of a kernel with lanes along rows go in blocks of 64") {
    with_threads scope(3);
    misaligned = false;
    auto check = [](const kernel_call* c) {
        ++calls;
        int64_t first = static_cast<int64_t>(reinterpret_cast<uint64_t>(c->operands[0].ptr));
        if (first % 64 != 0) misaligned = true;
    };
    int64_t extents[] = {1000, 1000}, steps[] = {1, 0};
    launch_operand index[] = {{nullptr, steps}};
    calls = 0;
    launch({.fn = check,
            .along = kernel_ir::lanes::row,
            .cost = 20,
            .rank = 2,
            .extents = extents,
            .operands = index});
    CHECK(!misaligned);
    CHECK(calls >= 3);
    CHECK(calls <= 12);
}

TEST_CASE("launch: small work stays on the caller's thread, in one call") {
    with_threads scope(7);
    calls = 0;
    auto count = [](const kernel_call*) { ++calls; };
    int64_t extents[] = {100, 300}, strides[] = {1200, 4};
    char bytes[4];
    launch_operand operand[] = {{bytes, strides}};
    launch({.fn = count, .rank = 2, .extents = extents, .operands = operand});
    CHECK(calls == 1);
}

TEST_CASE("launch: status bits of all threads come together") {
    auto raise = [](const kernel_call* c) {
        int64_t row = static_cast<int64_t>(reinterpret_cast<uint64_t>(c->operands[0].ptr));
        for (int64_t r = row; r < row + c->n1; ++r) {
            if (r == 3) *c->status |= 4;
            if (r == 60) *c->status |= 1;
        }
    };
    int64_t extents[] = {64, 10000}, steps[] = {1, 0};
    launch_operand index[] = {{nullptr, steps}};
    for (int threads : {1, 2, 7}) {
        with_threads scope(threads);
        CHECK(launch({.fn = raise, .rank = 2, .extents = extents, .operands = index}) == 5);
        extents[0] = 2;
        CHECK(launch({.fn = raise, .rank = 2, .extents = extents, .operands = index}) == 0);
        extents[0] = 64;
    }
}

TEST_CASE("launch: an empty space calls nothing, but rows of no elements are reduced") {
    auto sum = [](const kernel_call* c) {
        ++calls;
        for (int64_t r = 0; r < c->n1; ++r) {
            int64_t total = 0;
            for (int64_t i = 0; i < c->n0; ++i) total += at<int64_t>(c->operands[0], r, i);
            at<int64_t>(c->operands[1], r, 0) = total;
        }
    };
    std::vector<int64_t> in(60, 2), out(20, -1);
    for (bool reduction : {false, true}) {
        for (std::vector<int64_t> extents :
             {std::vector<int64_t>{4, 5, 0}, {4, 0, 3}, {0, 5, 3}, {4, 5, 3}}) {
            std::vector<int64_t> in_strides = {120, 24, 8}, out_strides = {40, 8, 0};
            launch_operand operands[] = {{reinterpret_cast<char*>(in.data()), in_strides.data()},
                                         {reinterpret_cast<char*>(out.data()), out_strides.data()}};
            std::fill(out.begin(), out.end(), -1);
            calls = 0;
            reset_stats();
            launch({.fn = sum,
                    .reduction = reduction,
                    .rank = 3,
                    .extents = extents.data(),
                    .operands = operands});
            bool rows = extents[0] * extents[1] > 0;
            bool runs = rows && (reduction || extents[2] > 0);
            CHECK((calls > 0) == runs);
            CHECK(stats().kernels_launched == (runs ? 1 : 0));
            int64_t expected = runs ? 2 * extents[2] : -1;
            CHECK(std::all_of(out.begin(), out.end(), [&](int64_t x) { return x == expected; }));
        }
    }
}

TEST_CASE("launch: rows of a reduction are divided, never their elements") {
    auto sum = [](const kernel_call* c) {
        ++calls;
        for (int64_t r = 0; r < c->n1; ++r) {
            int64_t total = 0;
            for (int64_t i = 0; i < c->n0; ++i) total += at<int64_t>(c->operands[0], r, i);
            at<int64_t>(c->operands[1], r, 0) += total;
        }
    };
    std::mt19937_64 random(test::seed());
    for (auto [outer, rows, n] : {std::tuple{1, 1, 200000}, {3, 5, 20000}, {50, 7, 1000}}) {
        std::vector<int64_t> in(static_cast<std::size_t>(outer * rows * n));
        for (int64_t& x : in) x = static_cast<int64_t>(random() % 100);
        std::vector<int64_t> expected(static_cast<std::size_t>(outer * rows), 0);
        for (std::size_t i = 0; i < in.size(); ++i)
            expected[i / static_cast<std::size_t>(n)] += in[i];
        int64_t extents[] = {outer, rows, n};
        int64_t in_strides[] = {8 * rows * n, 8 * n, 8}, out_strides[] = {8 * rows, 8, 0};
        for (int threads : {1, 2, 3, 7}) {
            with_threads scope(threads);
            std::vector<int64_t> out(expected.size(), 0);
            launch_operand operands[] = {{reinterpret_cast<char*>(in.data()), in_strides},
                                         {reinterpret_cast<char*>(out.data()), out_strides}};
            launch({.fn = sum,
                    .reduction = true,
                    .rank = 3,
                    .extents = extents,
                    .operands = operands});
            CHECK(out == expected);
        }
    }
}

TEST_CASE("launch: rows of few elements are repeated where they read the same again") {
    auto sum = [](const kernel_call* c) {
        ++calls;
        for (int64_t t = 0; t < c->n2; ++t)
            for (int64_t r = 0; r < c->n1; ++r) {
                int64_t total = 0;
                for (int64_t i = 0; i < c->n0; ++i)
                    for (int k : {0, 1}) {
                        operand_arg o = c->operands[k];
                        o.ptr += t * o.s2;
                        total += (k + 1) * at<int64_t>(o, r, i);
                    }
                operand_arg out = c->operands[2];
                out.ptr += t * out.s2;
                at<int64_t>(out, r, 0) += total;
            }
    };
    std::mt19937_64 random(test::seed());
    for (auto [a, b, rows, n] : {std::tuple{1, 40, 300, 16}, {3, 7, 130, 40}, {5, 1, 64, 3}}) {
        std::vector<int64_t> x(static_cast<std::size_t>(a * b * n)),
            y(static_cast<std::size_t>(rows * n));
        for (int64_t& v : x) v = static_cast<int64_t>(random() % 100);
        for (int64_t& v : y) v = static_cast<int64_t>(random() % 100);
        std::vector<int64_t> expected;
        for (int64_t i = 0; i < a * b; ++i)
            for (int64_t r = 0; r < rows; ++r) {
                int64_t total = 0;
                for (int64_t e = 0; e < n; ++e)
                    total += x[static_cast<std::size_t>(i * n + e)] +
                             2 * y[static_cast<std::size_t>(e * rows + r)];
                expected.push_back(total);
            }
        int64_t extents[] = {a, b, rows, n};
        int64_t x_strides[] = {8 * b * n, 8 * n, 0, 8}, y_strides[] = {0, 0, 8, 8 * rows};
        int64_t out_strides[] = {8 * b * rows, 8 * rows, 8, 0};
        for (bool few : {false, true})
            for (int threads : {1, 2, 3}) {
                with_threads scope(threads);
                std::vector<int64_t> out(expected.size(), 0);
                launch_operand operands[] = {{reinterpret_cast<char*>(x.data()), x_strides},
                                             {reinterpret_cast<char*>(y.data()), y_strides},
                                             {reinterpret_cast<char*>(out.data()), out_strides}};
                calls = 0;
                launch({.fn = sum,
                        .along = kernel_ir::lanes::row,
                        .reduction = true,
                        .few = few,
                        .cost = 20,
                        .rank = 4,
                        .extents = extents,
                        .operands = operands});
                CHECK(out == expected);
                if (threads == 1) CHECK(calls == (few ? a : a * b));
            }
    }
}

TEST_CASE("launch: an exception reaches the caller from any thread") {
    auto fail = [](const kernel_call* c) {
        ++calls;
        if (reinterpret_cast<uint64_t>(c->operands[0].ptr) > 0) throw InternalError("refused");
    };
    int64_t n = 1000000, one = 1;
    launch_operand index[] = {{nullptr, &one}};
    with_threads scope(3);
    calls = 0;
    CHECK_THROWS_WITH_AS(
        launch({.fn = fail, .cost = 20, .rank = 1, .extents = &n, .operands = index}), "refused",
        InternalError);
    CHECK(calls >= 3);
    CHECK(calls <= 12);
}

TEST_CASE("launch: a kernel without code is interpreted") {
    kernel_ir::kernel k;
    k.operands = {{kernel_ir::role::input, kInt, kernel_ir::stride_class::unit},
                  {kernel_ir::role::output, kInt, kernel_ir::stride_class::unit}};
    k.body = {{.op = kernel_ir::opcode::load, .type = kInt, .mt = kernel_ir::mtype::i32, .a = 0},
              {.op = kernel_ir::opcode::row,
               .type = kInt,
               .in = kInt,
               .mt = kernel_ir::mtype::i32,
               .row = op::neg,
               .a = 0},
              {.op = kernel_ir::opcode::store,
               .type = kInt,
               .mt = kernel_ir::mtype::i32,
               .a = 1,
               .b = 1}};
    kernel_ir::interpreter interpreter(k);
    with_threads scope(2);
    int64_t n = 70000, four = 4;
    std::vector<int32_t> in(static_cast<std::size_t>(n)), out(in.size()), expected(in.size());
    std::iota(in.begin(), in.end(), -500);
    std::transform(in.begin(), in.end(), expected.begin(), [](int32_t x) { return -x; });
    launch_operand operands[] = {{reinterpret_cast<char*>(in.data()), &four},
                                 {reinterpret_cast<char*>(out.data()), &four}};
    reset_stats();
    launch({.runner = &interpreter, .rank = 1, .extents = &n, .operands = operands});
    CHECK(out == expected);
    CHECK(stats().interpreted == 1);
    CHECK(stats().kernels_launched == 1);
}

TEST_CASE("launch: threads share what computes much, however few the elements") {
    static std::atomic<int> parts{0};
    const with_threads scope(2);
    const auto parts_of = [](int64_t elements, int64_t cost) {
        parts = 0;
        runtime::launch_request r;
        r.fn = [](const kernel_call*) { ++parts; };
        r.rank = 1;
        r.extents = &elements;
        r.cost = cost;
        launch(r);
        return parts.load();
    };
    CHECK(parts_of(8000, 1) == 1);
    CHECK(parts_of(8000, 200) > 1);
    CHECK(parts_of(2900, 200) == 1);
    CHECK(parts_of(4000, 400) > 1);
    CHECK(parts_of(900, 1000000) == 1);  // a thread costs as much as it would save
    CHECK(parts_of(1100, 1000000) > 1);
    CHECK(parts_of(70000, 1) == 1);
    CHECK(parts_of(70000, 20) > 1);
    CHECK(parts_of(2000000, 1) > 1);
}
