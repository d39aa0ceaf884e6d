// Kernels for AArch64, run by qemu beside the interpreter on this processor, bit for bit.
#include "jit/cache/plugin.hpp"
#include "jit/interpret/interpret.hpp"
#include "jit/interpret/kernel_call_data.hpp"
#include "jit/kernel_ir/reduce_order.hpp"
#include "tests/jit/cache/temporary_folder.hpp"
#include "tests/seed.hpp"
#include "tests/support/all_kernels.hpp"
#include "tests/support/random_kernel.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

using namespace sinter;
using namespace sinter::kernel_ir;
using namespace sinter::kernel_ir::testing;

namespace {

using bytes = std::vector<uint8_t>;

void put(bytes& to, uint64_t word) {
    const auto* raw = reinterpret_cast<const uint8_t*>(&word);
    to.insert(to.end(), raw, raw + sizeof word);
}
void put_padded(bytes& to, const void* data, std::size_t size) {
    const auto* raw = static_cast<const uint8_t*>(data);
    to.insert(to.end(), raw, raw + size);
    to.resize((to.size() + 7) / 8 * 8);
}

/// A part of a kernel to run, with the results of the stages before it.
struct part {
    call_mode mode = call_mode::rows;
    int64_t stage = 0, chunk_begin = 0, chunk_end = 0;
    std::size_t partials = 0;
    std::vector<uint64_t> row_values;
};

/// Calls for another processor, and what the interpreter makes of them here.
class batch {
public:
    /// Adds a kernel; the calls that follow are of it.
    void add(const kernel& k) {
        kernels_.push_back(k);
        oracles_.emplace_back(k);
        calls_.push_back(0);
        bodies_.emplace_back();
    }
    const interpreter& oracle() const { return oracles_.back(); }

    /// Adds a call of a part of the kernel. Returns the states that the interpreter left.
    const std::vector<uint64_t>& add_call(int64_t n1, int64_t n0, uint64_t seed, bool finite,
                                          const part& p = {}) {
        const kernel& k = kernels_.back();
        const auto data = [&] {
            auto d = std::make_unique<kernel_call_data>(k, n1, n0, seed);
            if (finite) make_finite(*d, k, n1, n0, seed);
            return d;
        };
        all_.push_back({kernels_.size() - 1, data(), data(), std::vector<uint64_t>(p.partials)});
        call& c = all_.back();
        write(bodies_.back(), *c.got, p);
        ++calls_.back();
        kernel_call run = c.expected->call();
        run.mode = p.mode;
        run.stage = p.stage;
        run.chunk_begin = p.chunk_begin;
        run.chunk_end = p.chunk_end;
        run.partials = c.partials.data();
        run.row_values = p.row_values.data();
        if (p.stage == static_cast<int64_t>(oracle().order().stages.size()) && p.stage > 0)
            oracle().finish_row(run);
        else
            oracle().run(run);
        return c.partials;
    }

    /// One long row as several threads would run it.
    void add_parts(int64_t n0, uint64_t seed) {
        const kernel& k = kernels_.back();
        const int64_t chunks = chunk_count(n0);
        part p;
        p.row_values.resize(oracle().row_value_count());
        const auto& stages = oracle().order().stages;
        for (std::size_t n = 0; n < stages.size(); ++n) {
            p.stage = static_cast<int64_t>(n);
            const partial_layout layout = make_partial_layout(oracle().primitives(), stages[n]);
            if (!stages[n].reduces.empty()) {
                p.mode = call_mode::partials;
                p.partials = static_cast<std::size_t>(layout.words * chunks);
                p.chunk_begin = 0;
                p.chunk_end = chunks;
                std::vector<uint64_t> states = add_call(1, n0, seed, true, p);
                kernel_call_data again(k, 1, n0, seed);
                kernel_call merge = again.call();
                merge.stage = p.stage;
                merge.partials = states.data();
                merge.row_values = p.row_values.data();
                oracle().finish_stage(merge, p.row_values.data());
            }
            p.partials = 0;
            p.mode = call_mode::elements;
            p.chunk_begin = chunks / 2;
            p.chunk_end = chunks;
            if (!stages[n].stores.empty()) add_call(1, n0, seed, true, p);
        }
        p.stage = static_cast<int64_t>(stages.size());
        p.chunk_begin = p.chunk_end = 0;
        if (k.has_reduction()) add_call(1, n0, seed, true, p);
    }

    /// Compiles the kernels, runs all calls, and compares.
    void check() {
        const bytes output = run(compiled());
        std::size_t at = 0;
        const auto take = [&](void* to, std::size_t size) {
            REQUIRE(size <= output.size() - at);
            if (size > 0) std::memcpy(to, output.data() + at, size);
            at += size;
        };
        for (call& c : all_) {
            const kernel& k = kernels_[c.kernel];
            INFO(print(k));
            uint64_t status = 0;
            take(&status, sizeof status);
            c.got->set_status(status);
            std::vector<uint64_t> partials(c.partials.size());
            take(partials.data(), partials.size() * sizeof(uint64_t));
            CHECK(partials == c.partials);
            for (std::size_t o = 0; o < k.operands.size(); ++o) {
                const std::span<char> m = c.got->memory(o);
                take(m.data(), m.size());
            }
            CHECK(c.got->difference(*c.expected) == "");
            CHECK(c.got->canaries_alive());
        }
        CHECK(at == output.size());
        MESSAGE(kernels_.size() << " kernels, " << all_.size() << " calls");
    }

private:
    struct call {
        std::size_t kernel;
        std::unique_ptr<kernel_call_data> expected, got;
        std::vector<uint64_t> partials;
    };

    /// Adds a call to what the runner reads: runner.cpp.
    static void write(bytes& to, kernel_call_data& data, const part& p) {
        const kernel_call c = data.call();
        const std::size_t operands = data.operands();
        for (const uint64_t w :
             {static_cast<uint64_t>(c.n1), static_cast<uint64_t>(c.n0),
              static_cast<uint64_t>(p.mode), static_cast<uint64_t>(p.stage),
              static_cast<uint64_t>(p.chunk_begin), static_cast<uint64_t>(p.chunk_end),
              uint64_t{p.partials}, uint64_t{data.scalars().size()}, uint64_t{p.row_values.size()},
              uint64_t{operands}})
            put(to, w);
        put_padded(to, data.scalars().data(), data.scalars().size_bytes());
        put_padded(to, p.row_values.data(), p.row_values.size() * sizeof(uint64_t));
        for (std::size_t o = 0; o < operands; ++o) {
            const std::span<char> m = data.memory(o);
            const operand_arg& a = data.arg(o);
            put(to, m.size());
            put(to, m.empty() ? reinterpret_cast<uint64_t>(a.ptr)
                              : static_cast<uint64_t>(a.ptr - m.data()));
            put(to, static_cast<uint64_t>(a.s1));
            put(to, static_cast<uint64_t>(a.s0));
            put_padded(to, m.data(), m.size());
        }
    }

    bytes compiled() const {
        std::vector<bytes> serialized;
        for (const kernel& k : kernels_) serialized.push_back(serialize(k));
        bytes input;
        constexpr std::size_t together = 32;
        for (std::size_t n = 0; n < kernels_.size(); n += together) {
            const std::size_t end = std::min(n + together, kernels_.size());
            std::vector<code_cache::byte_view> some(
                serialized.begin() + static_cast<std::ptrdiff_t>(n),
                serialized.begin() + static_cast<std::ptrdiff_t>(end));
            const auto replies =
                code_cache::compile_kernels(codegen::target::aarch64, codegen::mode_exact, some);
            for (std::size_t i = n; i < end; ++i) {
                const code_cache::compile_reply& r = replies[i - n];
                INFO(print(kernels_[i]));
                REQUIRE(r.error == "");
                put(input, r.image.size());
                put(input, r.entry);
                put(input, calls_[i]);
                put_padded(input, r.image.data(), r.image.size());
                input.insert(input.end(), bodies_[i].begin(), bodies_[i].end());
            }
        }
        return input;
    }

    static bytes run(const bytes& input) {
        const sinter::testing::temporary_folder folder;
        const std::string in = folder / "batch", out = folder / "results";
        std::ofstream(in, std::ios::binary)
            .write(reinterpret_cast<const char*>(input.data()),
                   static_cast<std::streamsize>(input.size()));
        const std::string line =
            std::string(SINTER_QEMU) + " " SINTER_RUNNER " <" + in + " >" + out;
        REQUIRE(std::system(line.c_str()) == 0);
        std::ifstream results(out, std::ios::binary);
        return {std::istreambuf_iterator<char>(results), std::istreambuf_iterator<char>()};
    }

    std::vector<kernel> kernels_;
    std::deque<interpreter> oracles_;
    std::vector<uint64_t> calls_;  // of each kernel
    std::vector<bytes> bodies_;    // their calls
    std::deque<call> all_;
};

/// A number of elements that the form of rows takes, near `n0`.
int64_t within(const kernel& k, int64_t n0) {
    return std::clamp(n0, shortest_row(k), longest_row(k));
}

}  // namespace

TEST_CASE("aarch64: every row in every type has the bits of the interpreter") {
    batch b;
    std::mt19937_64 random(test::seed());
    for (const kernel& k : every_row()) {
        b.add(k);
        b.add_call(1, 200 + static_cast<int64_t>(random() % 32), random(), false);
        b.add_call(3, static_cast<int64_t>(random() % 40), random(), false);
        b.add_call(1, 60, random(), true);
    }
    b.check();
}

TEST_CASE("aarch64: every cast has the bits of the interpreter") {
    batch b;
    std::mt19937_64 random(test::seed());
    for (const kernel& k : every_cast()) {
        b.add(k);
        b.add_call(1, 600, random(), false);
    }
    b.check();
}

TEST_CASE("aarch64: every memory form, stride class and extent has the bits of the interpreter") {
    batch b;
    std::mt19937_64 random(test::seed());
    for (const kernel& k : every_memory_form()) {
        b.add(k);
        for (const int64_t n : {0, 1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 33, 65}) {
            b.add_call(n, 1 + static_cast<int64_t>(random() % 3), random(), false);
            b.add_call(1 + static_cast<int64_t>(random() % 50), n, random(), false);
        }
    }
    b.check();
}

TEST_CASE("aarch64: every reduction of every type has the bits of the interpreter") {
    batch b;
    std::mt19937_64 random(test::seed());
    for (const kernel& k : every_reduction()) {
        if (k.form == row_form::runs) continue;  // its pieces hold addresses of this process
        b.add(k);
        for (const int64_t n0 : {0, 1, 31, 32, 33, 95})
            b.add_call(static_cast<int64_t>(random() % 9), within(k, n0), random(), false);
        b.add_call(2, within(k, reduce_chunk + 65), random(), true);
        if (k.along == lanes::element && !k.one_chunk())
            b.add_parts(2 * reduce_chunk + 3, random());
    }
    b.check();
}

TEST_CASE("aarch64: random kernels have the bits of the interpreter, whole and in parts") {
    batch b;
    const uint64_t first = test::seed();
    std::mt19937_64 random(first);
    const int count = test::cases(120, 5);
    for (int n = 0; n < count; ++n) {
        std::vector<kernel> forms;
        add_with_forms(forms, random_kernel(first + static_cast<uint64_t>(n)));
        for (const kernel& k : forms) {
            if (k.form == row_form::runs) continue;
            b.add(k);
            for (int i = 0; i < 2; ++i)
                b.add_call(static_cast<int64_t>(random() % 20),
                           within(k, static_cast<int64_t>(random() % 70)), random(), false);
            if (k.along == lanes::element && !k.one_chunk() && !k.keeps_values() &&
                random() % 3 == 0)
                b.add_parts(1 + static_cast<int64_t>(random() % (2 * reduce_chunk)), random());
        }
    }
    b.check();
}
