// A kernel with two stages, written by hand in the three modes of jit/kernel_ir/call.hpp. Rows that
// threads share must give the same bits as rows that one thread computes.
#include "jit/launch/shared_row.hpp"

#include "jit/interpret/interpret.hpp"
#include "jit/kernel_ir/reduce_order.hpp"
#include "jit/launch/reduction_plan.hpp"
#include "runtime/threads/threads.hpp"
#include "tests/seed.hpp"
#include "tests/support/kernel_builder.hpp"

#include <sinter/op/op.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

using namespace sinter;
using namespace sinter::kernel_ir;

namespace {

// y = x - mean(x); z = var(x) + amax(y); where = argmax(x)
kernel two_stages(lanes along = lanes::element) {
    auto reduce = [](op::reduction r, ScalarType type, value_id a, value_id b = none) {
        return instr{.op = opcode::reduce,
                     .type = type,
                     .in = kFloat,
                     .mt = compute_type(type),
                     .dom = domain::row,
                     .row = static_cast<uint16_t>(r),
                     .a = a,
                     .b = b};
    };
    auto binary = [](op::id row, domain dom, value_id a, value_id b) {
        return instr{.op = opcode::row,
                     .type = kFloat,
                     .in = kFloat,
                     .mt = mtype::f32,
                     .dom = dom,
                     .row = row,
                     .a = a,
                     .b = b};
    };
    auto store = [](ScalarType type, domain dom, value_id operand, value_id v) {
        return instr{.op = opcode::store,
                     .type = type,
                     .mt = compute_type(type),
                     .dom = dom,
                     .a = operand,
                     .b = v};
    };
    kernel k;
    k.along = along;
    k.operands = {{role::input, kFloat, stride_class::other},
                  {role::output, kFloat, stride_class::other},
                  {role::output, kFloat, stride_class::other},
                  {role::output, kLong, stride_class::other}};
    k.scalars = {mtype::f32};
    k.body = {
        {.op = opcode::load, .type = kFloat, .mt = mtype::f32, .a = 0},
        {.op = opcode::scalar, .type = kFloat, .mt = mtype::f32, .dom = domain::row, .a = 0},
        reduce(op::reduction::mean, kFloat, 0),
        reduce(op::reduction::var, kFloat, 0, 1),
        reduce(op::reduction::argmax, kLong, 0),
        binary(op::sub, domain::element, 0, 2),
        reduce(op::reduction::amax, kFloat, 5),
        store(kFloat, domain::element, 1, 5),
        binary(op::add, domain::row, 3, 6),
        store(kFloat, domain::row, 2, 8),
        store(kLong, domain::row, 3, 4),
    };
    return k;
}

template <class T>
uint64_t word(T x) {
    uint64_t w = 0;
    std::memcpy(&w, &x, sizeof x);
    return w;
}
float as_float(uint64_t w) { return std::bit_cast<float>(static_cast<uint32_t>(w)); }

std::atomic<int> calls_by_mode[3];

struct row_of {
    const kernel_call* c;
    int64_t row;

    template <class T>
    T& at(int k, int64_t i) const {
        const operand_arg& o = c->operands[k];
        return *reinterpret_cast<T*>(o.ptr + row * o.s1 + i * o.s0);
    }
    float x(int64_t i) const { return at<float>(0, i); }
};

/// The fold of f(i) over one chunk, in the lanes that reduce_order.hpp defines.
template <class F>
float lanes_sum(int64_t begin, int64_t end, F&& f) {
    float lane[reduce_lanes] = {};
    for (int64_t i = begin; i < end; ++i) lane[(i - begin) % reduce_lanes] += f(i);
    for (int64_t h = reduce_lanes / 2; h > 0; h /= 2)
        for (int64_t i = 0; i < h; ++i) lane[i] += lane[i + h];
    return lane[0];
}

void chunk_states(const row_of& r, int64_t stage, float mean, int64_t c, uint64_t* w) {
    int64_t b = c * reduce_chunk, e = std::min(r.c->n0, b + reduce_chunk);
    if (stage == 1) {
        float best = -INFINITY;
        for (int64_t i = b; i < e; ++i) best = std::max(best, r.x(i) - mean);
        w[0] = word(best);
        return;
    }
    float sum = lanes_sum(b, e, [&](int64_t i) { return r.x(i); });
    float m = sum / static_cast<float>(e - b);
    int64_t first = b;
    for (int64_t i = b; i < e; ++i)
        if (r.x(i) > r.x(first)) first = i;
    w[0] = word(sum);
    w[1] = word(m);
    w[2] = word(lanes_sum(b, e, [&](int64_t i) { return (r.x(i) - m) * (r.x(i) - m); }));
    w[3] = word(r.x(first));
    w[4] = word(first);
}

struct moments {
    float sum, mean, squares, n;
};

moments merge(const uint64_t* w, int64_t n, int64_t begin, int64_t count) {
    if (count == 1) {
        int64_t elements = std::min(reduce_chunk, n - begin * reduce_chunk);
        const uint64_t* s = w + begin * 5;
        return {as_float(s[0]), as_float(s[1]), as_float(s[2]), static_cast<float>(elements)};
    }
    auto left = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(count - 1)));
    moments a = merge(w, n, begin, left), b = merge(w, n, begin + left, count - left);
    float delta = b.mean - a.mean, share = b.n / (a.n + b.n);
    return {a.sum + b.sum, a.mean + delta * share,
            (a.squares + b.squares) + (delta * delta) * (a.n * share), a.n + b.n};
}

void whole_row(const row_of& r) {
    int64_t n = r.c->n0, chunks = chunk_count(n);
    std::vector<uint64_t> w(static_cast<std::size_t>(5 * chunks));
    for (int64_t c = 0; c < chunks; ++c) chunk_states(r, 0, 0, c, w.data() + 5 * c);
    moments m = merge(w.data(), n, 0, chunks);
    float mean = m.sum / static_cast<float>(n);
    int64_t first = 0;
    float most = -INFINITY;
    for (int64_t i = 0; i < n; ++i) {
        if (r.x(i) > r.x(first)) first = i;
        r.at<float>(1, i) = r.x(i) - mean;
        most = std::max(most, r.x(i) - mean);
    }
    r.at<float>(2, 0) = m.squares / (static_cast<float>(n) - as_float(r.c->scalars[0])) + most;
    r.at<int64_t>(3, 0) = first;
}

void by_hand(const kernel_call* c) {
    ++calls_by_mode[static_cast<int>(c->mode)];
    row_of r{c, 0};
    int64_t last = c->mode == call_mode::rows ? c->n1 : 1;
    for (; r.row < last; ++r.row) {
        if (c->mode == call_mode::rows) {
            whole_row(r);
        } else if (c->mode == call_mode::partials) {
            int64_t words = c->stage == 0 ? 5 : 1;
            float mean = c->stage == 1 ? as_float(c->row_values[0]) : 0;
            for (int64_t j = c->chunk_begin; j < c->chunk_end; ++j)
                chunk_states(r, c->stage, mean, j, c->partials + j * words);
        } else if (c->stage == 1) {
            int64_t end = std::min(c->n0, c->chunk_end * reduce_chunk);
            for (int64_t i = c->chunk_begin * reduce_chunk; i < end; ++i)
                r.at<float>(1, i) = r.x(i) - as_float(c->row_values[0]);
        } else {
            *c->status |= c->stage == 2 ? 8 : 1024;
            r.at<float>(2, 0) = as_float(c->row_values[1]) + as_float(c->row_values[3]);
            r.at<int64_t>(3, 0) = static_cast<int64_t>(c->row_values[2]);
        }
    }
}

struct with_threads {
    explicit with_threads(int n) : saved(get_num_threads()) { set_num_threads(n); }
    ~with_threads() { set_num_threads(saved); }
    int saved;
};

}  // namespace

TEST_CASE("reduction_plan: stages, words, numbering") {
    runtime::reduction_plan plan = runtime::make_reduction_plan(two_stages());
    CHECK(plan.sharable);
    CHECK(plan.stores_after);
    CHECK(plan.reductions == 4);
    REQUIRE(plan.stages.size() == 2);
    CHECK(plan.stages[0].words == 5);
    CHECK(!plan.stages[0].stores);
    REQUIRE(plan.stages[0].reductions.size() == 3);
    CHECK(plan.stages[0].reductions[1].scalar == 0);
    CHECK(plan.stages[0].reductions[2].offset == 3);
    CHECK((plan.stages[0].reductions[2].result == kLong));
    CHECK(plan.stages[1].words == 1);
    CHECK(plan.stages[1].stores);
    REQUIRE(plan.stages[1].reductions.size() == 1);
    CHECK(plan.stages[1].reductions[0].ordinal == 3);
}

TEST_CASE("reduction_plan: a computed parameter, or lanes along rows, cannot be shared") {
    kernel k = two_stages();
    k.body.insert(k.body.begin() + 2, {.op = opcode::row,
                                       .type = kFloat,
                                       .in = kFloat,
                                       .mt = mtype::f32,
                                       .dom = domain::row,
                                       .row = op::neg,
                                       .a = 1});
    for (std::size_t v = 3; v < k.body.size(); ++v) {
        instr& i = k.body[v];
        if (i.op != opcode::store && i.a >= 2) ++i.a;
        if (i.b >= 2) ++i.b;
    }
    k.body[4].b = 2;  // var's
    CHECK(!runtime::make_reduction_plan(k).sharable);
    CHECK(!runtime::make_reduction_plan(two_stages(lanes::row)).sharable);
    CHECK(!runtime::make_reduction_plan(testing::kept_softmax(kFloat)).sharable);
}

TEST_CASE("shared rows: the interpreter, in parts, agrees with whole rows by hand") {
    kernel k = two_stages();
    interpreter code(k);
    runtime::reduction_plan plan = runtime::make_reduction_plan(k);
    std::mt19937_64 random(test::seed());
    const uint64_t scalars[] = {word(1.0f)};
    int64_t n = 70001, extents[] = {n}, four = 4, zero = 0;
    std::vector<float> x(static_cast<std::size_t>(n)), y[2] = {x, x};
    for (float& v : x) v = static_cast<float>(random() % 1000) / 7;
    float z[2] = {};
    int64_t w[2] = {};
    for (int by : {0, 1}) {
        with_threads scope(by ? 3 : 1);
        runtime::launch_operand operands[] = {{reinterpret_cast<char*>(x.data()), &four},
                                              {reinterpret_cast<char*>(y[by].data()), &four},
                                              {reinterpret_cast<char*>(&z[by]), &zero},
                                              {reinterpret_cast<char*>(&w[by]), &zero}};
        runtime::launch({.fn = by ? nullptr : by_hand,
                         .runner = &code,
                         .reductions = &plan,
                         .reduction = true,
                         .rank = 1,
                         .extents = extents,
                         .operands = operands,
                         .scalars = scalars});
    }
    CHECK(y[0] == y[1]);
    CHECK(z[0] == z[1]);
    CHECK(w[0] == w[1]);
}

TEST_CASE("shared rows: the bits of one thread, whatever the number of threads") {
    std::mt19937_64 random(test::seed());
    std::normal_distribution<float> normal(3, 10);
    runtime::reduction_plan plan = runtime::make_reduction_plan(two_stages());
    const uint64_t scalars[] = {word(1.0f)};
    for (int64_t n : {int64_t{70000}, 20 * reduce_chunk, 20 * reduce_chunk + 1}) {
        for (auto [outer, rows] : {std::pair{1, 1}, {1, 2}, {2, 1}}) {
            auto row_count = static_cast<std::size_t>(outer) * static_cast<std::size_t>(rows);
            std::vector<float> x(row_count * static_cast<std::size_t>(n) * 2);
            for (float& v : x) v = std::round(normal(random) * 100) / 7;
            int64_t extents[] = {outer, rows, n};
            int64_t xs[] = {rows * n * 8, n * 8, 8}, ys[] = {rows * n * 4, n * 4, 4};
            int64_t zs[] = {rows * 4, 4, 0}, ws[] = {rows * 8, 8, 0};
            std::vector<float> first_y, first_z;
            std::vector<int64_t> first_w;
            for (int threads : {1, 2, 3, 7}) {
                CAPTURE(threads);
                CAPTURE(n);
                with_threads scope(threads);
                std::vector<float> y(x.size() / 2, -1), z(row_count, -1);
                std::vector<int64_t> w(row_count, -1);
                runtime::launch_operand operands[] = {{reinterpret_cast<char*>(x.data()), xs},
                                                      {reinterpret_cast<char*>(y.data()), ys},
                                                      {reinterpret_cast<char*>(z.data()), zs},
                                                      {reinterpret_cast<char*>(w.data()), ws}};
                for (auto& c : calls_by_mode) c = 0;
                uint64_t status = runtime::launch({.fn = by_hand,
                                                   .reductions = &plan,
                                                   .reduction = true,
                                                   .rank = 3,
                                                   .extents = extents,
                                                   .operands = operands,
                                                   .scalars = scalars});
                if (threads == 1) {
                    CHECK(calls_by_mode[0] == outer);
                    first_y = y, first_z = z, first_w = w;
                } else {
                    bool shared = calls_by_mode[1] > 0;
                    // Two rows keep two threads busy without sharing.
                    CHECK(shared == !(threads == 2 && row_count > 1));
                    CHECK(status == (shared ? 8 : 0));
                    CHECK((calls_by_mode[0] == 0) == shared);
                    CHECK(y == first_y);
                    CHECK(z == first_z);
                    CHECK(w == first_w);
                }
            }
        }
    }
}
