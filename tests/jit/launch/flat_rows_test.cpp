// Short rows that run as one row give the same results as plain loops over the operands' strides.
#include "jit/launch/launch.hpp"
#include "runtime/threads/threads.hpp"
#include "tests/seed.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

using namespace sinter;
using kernel_ir::kernel_call;
using kernel_ir::operand_arg;
using runtime::launch_operand;

namespace {

struct with_threads {
    explicit with_threads(int n) : saved(get_num_threads()) { set_num_threads(n); }
    ~with_threads() { set_num_threads(saved); }
    int saved;
};

uint64_t read(const char* at, uint64_t item) {
    uint64_t x = 0;
    std::memcpy(&x, at, item);
    return x;
}

/// The last operand += the sum of the others and 1, which shows if an element is left out or
/// visited twice. Scalars: the number of operands, then for each one its element size in bytes and
/// whether it is spread; a spread operand must be dense.
void accumulate(const kernel_call* c) {
    const std::size_t inputs = c->scalars[0] - 1;
    for (int64_t r = 0; r < c->n1; ++r)
        for (int64_t e = 0; e < c->n0; ++e) {
            uint64_t sum = 1;
            for (std::size_t k = 0; k < inputs; ++k) {
                const operand_arg& o = c->operands[k];
                const uint64_t item = c->scalars[1 + 2 * k];
                if (c->scalars[2 + 2 * k] && o.s0 != static_cast<int64_t>(item)) *c->status |= 2;
                sum += read(o.ptr + r * o.s1 + e * o.s0, item);
            }
            char* out =
                c->operands[inputs].ptr + r * c->operands[inputs].s1 + e * c->operands[inputs].s0;
            sum += read(out, 8);
            std::memcpy(out, &sum, 8);
        }
    *c->status |= 1;
}

/// Inputs of all sizes over [outer..., n1, n0], each dense or repeated along some dimensions, with
/// or without gaps.
struct random_rows {
    std::vector<int64_t> extents;
    std::vector<std::vector<int64_t>> strides;  // bytes; the last is the output's
    std::vector<std::vector<char>> data;        // of inputs
    std::vector<uint64_t> scalars;
    std::vector<bool> spread;
    std::vector<uint64_t> out, expected;

    explicit random_rows(std::mt19937_64& random) {
        for (auto outer = random() % 3; outer > 0; --outer)
            extents.push_back(1 + static_cast<int64_t>(random() % 4));
        extents.push_back(1 + static_cast<int64_t>(random() % (random() % 4 ? 90 : 3000)));
        extents.push_back(1 + static_cast<int64_t>(random() % (random() % 4 ? 40 : 300)));
        const std::size_t inputs = 1 + random() % 4;
        scalars.push_back(inputs + 1);
        for (std::size_t k = 0; k < inputs; ++k) {
            const int64_t item = int64_t{1} << random() % 4;
            const int64_t gap = random() % 3 == 0 ? static_cast<int64_t>(random() % 5) : 0;
            const auto size = static_cast<std::size_t>(add_layout(random, item, gap, true));
            data.emplace_back(size);
            for (char& x : data.back()) x = static_cast<char>(random());
            // Consecutive rows may be spread as well.
            const bool row_behind_row =
                strides.back()[rank() - 2] == strides.back()[rank() - 1] * extents.back();
            spread.push_back(!row_behind_row || random() % 4 == 0);
            scalars.push_back(static_cast<uint64_t>(item));
            scalars.push_back(spread.back());
        }
        // Outputs with gaps are parts of larger ones.
        const int64_t gap = random() % 4 == 0 ? 3 : 0;
        out.resize(static_cast<std::size_t>(add_layout(random, 8, gap, false)) / 8);
        compute();
    }

    std::size_t rank() const { return extents.size(); }

    /// Returns the bytes.
    int64_t add_layout(std::mt19937_64& random, int64_t item, int64_t gap, bool repeats) {
        std::vector<int64_t> s(rank());
        int64_t size = item;
        for (std::size_t d = rank(); d-- > 0;) {
            s[d] = size;
            size *= extents[d];
            if (d + 1 == rank()) size += gap * item;
        }
        for (int64_t& stride : s)
            if (repeats && random() % 3 == 0) stride = 0;
        strides.push_back(s);
        return size;
    }

    void compute() {
        expected.assign(out.size(), 0);
        std::vector<int64_t> at(rank(), 0);
        for (bool more = true; more;) {
            const auto offset = [&](std::size_t k) {
                int64_t o = 0;
                for (std::size_t d = 0; d < rank(); ++d) o += at[d] * strides[k][d];
                return o;
            };
            uint64_t sum = 1;
            for (std::size_t k = 0; k < data.size(); ++k)
                sum += read(data[k].data() + offset(k), scalars[1 + 2 * k]);
            expected[static_cast<std::size_t>(offset(data.size()) / 8)] += sum;
            more = false;
            for (std::size_t d = rank(); d-- > 0 && !more;) {
                more = ++at[d] < extents[d];
                if (!more) at[d] = 0;
            }
        }
    }

    template <class Launch>
    bool run(Launch launch) {
        std::fill(out.begin(), out.end(), 0);
        std::vector<launch_operand> operands;
        for (std::size_t k = 0; k < data.size(); ++k)
            operands.push_back({data[k].data(), strides[k].data(),
                                static_cast<int64_t>(scalars[1 + 2 * k]), spread[k]});
        operands.push_back({reinterpret_cast<char*>(out.data()), strides.back().data(), 8, false});
        runtime::launch_request r;
        r.fn = accumulate;
        r.flat = true;
        r.rank = static_cast<int>(rank());
        r.extents = extents.data();
        r.operands = operands;
        r.scalars = scalars;
        return launch(r) == 1 && out == expected;
    }
};

}  // namespace

TEST_CASE("flat rows: random operands, on any number of threads and as a part") {
    for (int i = 0; i < test::cases(200); ++i) {
        const uint64_t seed = test::seed() + static_cast<uint64_t>(i);
        std::mt19937_64 random(seed);
        random_rows rows(random);
        CAPTURE(seed);
        for (int threads : {1, 2, 5}) {
            const with_threads scope(threads);
            CAPTURE(threads);
            CHECK(rows.run(runtime::launch));
        }
        CHECK(rows.run(runtime::launch_part));
    }
}
