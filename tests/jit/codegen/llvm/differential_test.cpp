// Compiled kernels against the interpreter, bit for bit, at every level, between guard pages.
#include "jit/kernel_ir/base_form.hpp"
#include "jit/codegen/protocol.hpp"
#include "jit/interpret/interpret.hpp"
#include "jit/kernel_ir/reduce_order.hpp"
#include "tests/jit/codegen/llvm/compiled.hpp"
#include "tests/jit/codegen/llvm/guarded_call.hpp"
#include "tests/seed.hpp"
#include "tests/support/all_kernels.hpp"
#include "tests/support/compiler.hpp"
#include "tests/support/random_kernel.hpp"

using namespace sinter;
using namespace sinter::kernel_ir;
using namespace sinter::kernel_ir::testing;

namespace {

struct extents {
    int64_t n1, n0;
};

/// One kernel, compiled for every level, and its interpreter.
struct subject {
    kernel rows;
    std::unique_ptr<interpreter> oracle;
    std::vector<kernel_fn> compiled;
};

/// All levels share the generator. So each of many kernels is compiled for one level, in turns that
/// start with the seed, and of few ones too under sanitizers, which do not see the generated code.
std::vector<subject> make_subjects(const std::vector<kernel>& kernels) {
    std::vector<subject> subjects;
    for (const kernel& k : kernels) subjects.push_back({k, std::make_unique<interpreter>(k), {}});
    const auto levels = sinter::testing::levels();
    const bool turns = test::sanitized() || (kernels.size() > 50 && !test::long_run());
    const std::size_t step = turns ? levels.size() : 1;
    for (std::size_t level = 0; level < levels.size(); level++) {
        const std::size_t first = (level + test::seed()) % step;
        std::vector<kernel> chosen;
        for (std::size_t n = first; n < kernels.size(); n += step) chosen.push_back(kernels[n]);
        const auto functions = sinter::testing::compile(chosen, levels[level]);
        for (std::size_t n = 0; n < functions.size(); n++) {
            subjects[first + n * step].compiled.push_back(functions[n]);
        }
    }
    return subjects;
}

/// Compares each level's code with the interpreter on this data.
void check_levels(const subject& s, kernel_call_data& data, guard_side side, bool backwards) {
    if (s.rows.form == row_form::runs) return;  // this form runs only in parts
    const int64_t n0 = data.call().n0;
    if (n0 < shortest_row(s.rows) || n0 > longest_row(s.rows)) return;
    guarded_call expected(s.rows, data, side, backwards);
    s.oracle->run(expected.call());
    for (std::size_t level = 0; level < s.compiled.size(); level++) {
        guarded_call got(s.rows, data, side, backwards);
        const kernel_call call = got.call();
        s.compiled[level](&call);
        INFO("level " << level);
        CHECK(got.difference(expected) == "");
    }
}

void check(const subject& s, extents e, uint64_t seed, bool finite = false) {
    INFO("seed " << seed << ", n1 " << e.n1 << ", n0 " << e.n0 << "\n" << print(s.rows));
    const guard_side side = seed & 1 ? guard_side::before : guard_side::after;
    const bool backwards = seed & 2;
    kernel_call_data data(s.rows, e.n1, e.n0, seed);
    if (finite) make_finite(data, s.rows, e.n1, e.n0, seed);
    check_levels(s, data, side, backwards);
}

/// The row of `call`, in pieces of every length. Operands of elements have null pointers, so only
/// the pieces locate them.
class cut_row {
public:
    cut_row(const kernel& k, const kernel_call& call, uint64_t seed)
        : random_(seed), row_(call), arguments_(call.operands, call.operands + k.operands.size()) {
        for (const instr& i : k.body)
            if ((i.op == opcode::load || i.op == opcode::index) && i.dom == domain::element)
                arguments_[static_cast<std::size_t>(i.a)].ptr = nullptr;
    }

    void run(kernel_fn fn, kernel_call call) {
        std::vector<uint64_t> words;
        for (int64_t c = call.chunk_begin; c < call.chunk_end; c++) cut(c, words);
        call.mode = call_mode::runs;
        call.operands = arguments_.data();
        call.pieces = words.data();
        fn(&call);
    }

private:
    void cut(int64_t chunk, std::vector<uint64_t>& words) {
        const int64_t first = chunk * reduce_chunk;
        const int64_t length = std::min(row_.n0 - first, reduce_chunk);
        const std::size_t count = words.size();
        words.push_back(0);
        for (int64_t begin = 0, end; begin < length; begin = end, words[count]++) {
            const int64_t longest = random_() % 2 ? 40 : 1000;
            end = begin + 1 + static_cast<int64_t>(random_()) % longest;
            end = std::min(std::max(end, begin + 1), length);
            words.push_back(static_cast<uint64_t>(begin));
            words.push_back(static_cast<uint64_t>(end));
            for (std::size_t o = 0; o < arguments_.size(); o++)
                words.push_back(reinterpret_cast<uint64_t>(row_.operands[o].ptr) +
                                static_cast<uint64_t>(first * row_.operands[o].s0));
        }
    }

    std::mt19937_64 random_;
    kernel_call row_;
    std::vector<operand_arg> arguments_;
};

/// Runs one long row as several threads would: partial results, merged by the interpreter, then
/// elements, then the values stored once per row.
void run_in_parts(const subject& s, kernel_fn fn, kernel_call call, uint64_t seed) {
    const auto chunks_a_call = 1 + static_cast<int64_t>(seed % 2);
    cut_row in_pieces(s.rows, call, seed);
    const int64_t chunks = chunk_count(call.n0);
    std::vector<uint64_t> row_values(s.oracle->row_value_count());
    call.row_values = row_values.data();
    const auto for_parts = [&](call_mode mode) {
        call.mode = mode;
        for (int64_t end = chunks; end > 0; end -= chunks_a_call) {
            call.chunk_begin = std::max<int64_t>(0, end - chunks_a_call);
            call.chunk_end = end;
            if (mode == call_mode::partials && s.rows.form == row_form::runs)
                in_pieces.run(fn, call);
            else
                fn(&call);
        }
    };
    const auto& stages = s.oracle->order().stages;
    for (std::size_t n = 0; n < stages.size(); n++) {
        call.stage = static_cast<int64_t>(n);
        const partial_layout layout = make_partial_layout(s.oracle->primitives(), stages[n]);
        std::vector<uint64_t> partials(static_cast<std::size_t>(layout.words * chunks));
        call.partials = partials.data();
        if (!stages[n].reduces.empty()) {
            for_parts(call_mode::partials);
            s.oracle->finish_stage(call, row_values.data());
        }
        if (!stages[n].stores.empty()) for_parts(call_mode::elements);
    }
    if (!s.rows.has_reduction()) return;
    call.mode = call_mode::elements;
    call.stage = static_cast<int64_t>(stages.size());
    call.chunk_begin = call.chunk_end = 0;
    fn(&call);
}

void check_parts(const subject& s, int64_t n0, uint64_t seed, bool finite = false) {
    if (s.rows.one_chunk()) return;
    INFO("in parts, seed " << seed << ", n0 " << n0 << "\n" << print(s.rows));
    kernel_call_data data(s.rows, 1, n0, seed);
    if (finite) make_finite(data, s.rows, 1, n0, seed);
    guarded_call expected(s.rows, data, guard_side::after, false);
    s.oracle->run(expected.call());
    for (std::size_t level = 0; level < s.compiled.size(); level++) {
        guarded_call got(s.rows, data, guard_side::after, false);
        run_in_parts(s, s.compiled[level], got.call(), seed);
        INFO("level " << level);
        CHECK(got.difference(expected) == "");
    }
}

/// Extents around the lane counts of vectors and of the reduction order.
int64_t edge(std::mt19937_64& random) {
    constexpr int64_t edges[] = {0,  1,  2,  3,  7,  8,  9,  15, 16, 17,
                                 31, 32, 33, 47, 63, 64, 65, 97, 130};
    return edges[random() % std::size(edges)];
}

constexpr int64_t C = reduce_chunk;

}  // namespace

TEST_CASE("codegen: every row in every type equals the interpreter") {
    if (!test::has_compiler()) return;
    std::mt19937_64 random(test::seed());
    for (const subject& s : make_subjects(every_row())) {
        check(s, {1, 400 + static_cast<int64_t>(random() % 32)}, random());
        check(s, {3, edge(random)}, random());
        // Without numbers that are rare for a function.
        check(s, {1, 100}, random(), true);
    }
}

TEST_CASE("codegen: chains of functions, in parts over a chunk, equal the interpreter") {
    if (!test::has_compiler()) return;
    std::vector<kernel> kernels;
    for (ScalarType type : {kHalf, kFloat, kDouble}) {
        for (stride_class lane : {stride_class::unit, stride_class::zero, stride_class::other}) {
            kernel_builder b;
            const value_id x = b.load(type), y = b.load(type, lane);
            const value_id soft = b.row(op::log1p, type, {b.row(op::exp, type, {x})});
            const value_id t = b.row(op::tanh, type, {b.row(op::mul, type, {soft, y})});
            // A second result at the end, which reads what the first part reads.
            b.store(t);
            const value_id late = b.row(op::add, type, {b.row(op::tanh, type, {t}), soft});
            b.store(b.cast(b.row(op::mul, type, {late, x}), type == kHalf ? kFloat : kDouble));
            kernels.push_back(b.get());
        }
    }
    std::mt19937_64 random(test::seed());
    for (const subject& s : make_subjects(kernels)) {
        for (int64_t n : {1, 16, 33, 255, 256, 257, 511, 512, 513, 1300})
            check(s, {1 + static_cast<int64_t>(random() % 3), n}, random());
    }
}

TEST_CASE("codegen: every cast equals the interpreter") {
    if (!test::has_compiler()) return;
    std::mt19937_64 random(test::seed());
    for (const subject& s : make_subjects(every_cast())) check(s, {1, 600}, random());
}

TEST_CASE("codegen: logic chosen by a mask equals the interpreter") {
    if (!test::has_compiler()) return;
    // Each combination of two logic operations, next to one of its operands in a select.
    std::vector<kernel> kernels;
    const op::id logic[] = {op::bitwise_and, op::bitwise_or, op::bitwise_xor};
    for (ScalarType type : {kInt, kLong}) {
        for (op::id outer : logic) {
            for (op::id inner : logic) {
                for (int other = 0; other < 4; other++) {
                    kernel_builder b;
                    const value_id x = b.load(type), y = b.load(type), s = b.scalar(type);
                    const value_id flipped = b.row(op::bitwise_not, type, {s});
                    const value_id kept = b.row(inner, type, {y, flipped});
                    const value_id v = b.row(outer, type, {b.row(inner, type, {x, s}), kept});
                    const value_id choices[] = {x, y, s, kept};
                    const value_id condition = b.row(op::lt, type, {x, y});
                    b.store(b.row(op::where, type, {condition, v, choices[other]}));
                    b.store(b.row(op::where, type, {condition, choices[other], v}));
                    kernels.push_back(b.get());
                }
            }
        }
    }
    // With constants in the code, from which the row takes the sign.
    for (ScalarType type : {kFloat, kDouble}) {
        kernel_builder b;
        const value_id x = b.load(type);
        b.store(b.row(op::where, type,
                      {b.row(op::lt, type, {x, b.load(type)}), b.row(op::sinh, type, {x}), x}));
        kernels.push_back(b.get());
    }
    std::mt19937_64 random(test::seed());
    for (const subject& s : make_subjects(kernels)) check(s, {1, 100}, random());
}

TEST_CASE("codegen: every memory form, stride class and extent equals the interpreter") {
    if (!test::has_compiler()) return;
    std::mt19937_64 random(test::seed());
    for (const subject& s : make_subjects(every_memory_form())) {
        for (int64_t n : {0, 1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 257}) {
            check(s, {n, 1 + static_cast<int64_t>(random() % 3)}, random());
            check(s, {1 + static_cast<int64_t>(random() % 3), n}, random());
            check(s, {1 + static_cast<int64_t>(random() % 150), n}, random());
        }
    }
}

TEST_CASE("codegen: large tiles of operands read across lanes equal the interpreter") {
    if (!test::has_compiler()) return;
    std::mt19937_64 random(test::seed());
    for (ScalarType type : {kChar, kHalf, kFloat, kDouble}) {
        kernel_builder b;
        const value_id x = b.load(type, stride_class::across), y = b.load(type);
        b.store(b.row(op::maximum, type, {x, y}));
        // More than a MiB of results, in whole and partial tiles.
        const auto elements = (int64_t{1} << 20) / static_cast<int64_t>(elementSize(type));
        for (const subject& s : make_subjects({b.get()}))
            for (int64_t n : {257, 1000}) check(s, {elements / n + 5, n}, random());
    }
}

TEST_CASE("codegen: every reduction of every type equals the interpreter") {
    if (!test::has_compiler()) return;
    std::mt19937_64 random(test::seed());
    for (const subject& s : make_subjects(every_reduction())) {
        for (int64_t n0 : {0, 1, 31, 32, 33, 95}) check(s, {edge(random) % 20, n0}, random());
        const int64_t lengths[] = {C - 1, C, C + 1, 2 * C + 3, 4 * C, 5 * C + 65};
        const int64_t n0 = lengths[random() % std::size(lengths)];
        // With special values almost every long sum is NaN, whatever its order. Sanitizers do not
        // look at values.
        if (!test::sanitized()) check(s, {1 + static_cast<int64_t>(random() % 2), n0}, random());
        check(s, {1 + static_cast<int64_t>(random() % 2), n0}, random(), true);
        if (s.rows.along == lanes::element) check_parts(s, n0, random(), true);
    }
}

TEST_CASE("codegen: reductions of few elements, lanes along rows, equal the interpreter") {
    if (!test::has_compiler()) return;
    std::vector<kernel> kernels;
    for (ScalarType type : {kFloat, kDouble, kHalf, kInt, kBool})
        for (bool squares : {false, true}) {
            kernel_builder b(lanes::row);
            value_id x = b.load(type, squares ? stride_class::zero : stride_class::unit);
            if (squares) {
                x = b.row(op::sub, type == kBool ? kFloat : type, {x, b.load(type)});
                x = b.row(op::mul, type == kBool ? kFloat : type, {x, x});
            }
            b.store(b.reduce(op::reduction::sum, x));
            add_with_forms(kernels, b.get());
            b.store(b.reduce(op::reduction::amax, x));
            b.store(b.reduce(op::reduction::prod, x));
            b.store(b.reduce(op::reduction::all, x));
            if (isFloatingType(type)) b.store(b.reduce(op::reduction::mean, x));
            add_with_forms(kernels, b.get());
        }
    std::mt19937_64 random(test::seed());
    for (const subject& s : make_subjects(kernels)) {
        for (int64_t n0 = 0; n0 <= 34; n0++) {
            check(s, {64 + edge(random) % 20, n0}, random(), n0 % 3 != 0);
            check(s, {1 + static_cast<int64_t>(random() % 150), n0}, random(), n0 % 3 != 0);
        }
        for (int64_t n0 : {47, 48, 49, 63, 64, 65, 96, 100, 128, 129, 255, 256, 257})
            check(s, {64, n0}, random(), true);
    }
}

TEST_CASE("codegen: calls that repeat their rows equal the interpreter") {
    if (!test::has_compiler()) return;
    std::vector<kernel> kernels;
    for (ScalarType type : {kFloat, kDouble, kChar}) {
        kernel_builder b(lanes::row);
        const value_id x = b.load(type), y = b.load(type, stride_class::other);
        b.store(b.reduce(op::reduction::sum, x));
        kernels.push_back(b.get());
        b.store(b.reduce(op::reduction::argmax, y));
        kernels.push_back(b.get());
        const value_id top = b.reduce(op::reduction::amax, x);
        b.store(b.row(op::maximum, type, {top, y}));
        kernels.push_back(b.get());
    }
    constexpr int64_t times = 3;
    std::mt19937_64 random(test::seed());
    for (kernel& k : kernels) k.form = row_form::few;
    for (const subject& s : make_subjects(kernels))
        for (int64_t n1 : {0, 1, 15, 64, 70, 130})
            for (int64_t n0 : {0, 1, 6, 16, 45, 250}) {
                const uint64_t seed = random();
                INFO("seed " << seed << ", n1 " << n1 << ", n0 " << n0 << "\n" << print(s.rows));
                kernel_call_data data(s.rows, times * n1, n0, seed);
                guarded_call expected(s.rows, data, guard_side::after, false);
                s.oracle->run(expected.call());
                for (std::size_t level = 0; level < s.compiled.size(); level++) {
                    guarded_call got(s.rows, data, guard_side::after, false);
                    kernel_call call = got.call();
                    std::vector<operand_arg> arguments(call.operands,
                                                       call.operands + s.rows.operands.size());
                    for (operand_arg& a : arguments) a.s2 = n1 * a.s1;
                    call.operands = arguments.data();
                    call.n1 = n1;
                    call.n2 = times;
                    s.compiled[level](&call);
                    INFO("level " << level);
                    CHECK(got.difference(expected) == "");
                }
            }
}

TEST_CASE("codegen: sums of zeros of either sign equal the interpreter") {
    if (!test::has_compiler()) return;
    std::vector<kernel> kernels;
    for (lanes along : {lanes::element, lanes::row})
        for (ScalarType type : {kHalf, kFloat, kDouble}) {
            kernel_builder b(along);
            b.store(b.reduce(op::reduction::sum, b.load(type)));
            add_with_forms(kernels, b.get());
        }
    std::mt19937_64 random(test::seed());
    for (const subject& s : make_subjects(kernels))
        for (int64_t n0 : {0, 1, 4, 5, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 128}) {
            INFO("n0 " << n0 << "\n" << print(s.rows));
            kernel_call_data data(s.rows, 70, n0, random());
            const int64_t bytes = static_cast<int64_t>(elementSize(s.rows.operands[0].type));
            for (int64_t row = 0; row < 70; row++)
                for (int64_t e = 0; e < n0; e++) {
                    const bool positive = row % 4 == 0 && random() % 8 == 0;
                    data.set_element(0, row, e, positive ? 0 : uint64_t{1} << (8 * bytes - 1));
                }
            check_levels(s, data, guard_side::after, false);
        }
}

TEST_CASE("codegen: reductions that share a pass equal the interpreter") {
    if (!test::has_compiler()) return;
    std::vector<kernel> kernels;
    for (lanes along : {lanes::element, lanes::row})
        for (ScalarType type : {kHalf, kFloat, kDouble})
            for (bool moments : {false, true}) {
                kernel_builder b(along);
                const value_id x = b.load(type), y = b.load(type);
                std::vector<value_id> results{b.reduce(op::reduction::prod, x),
                                              b.reduce(op::reduction::sum, y),
                                              b.reduce(op::reduction::sum, x)};
                if (moments) {
                    const value_id s = b.scalar(type == kDouble ? kDouble : kFloat);
                    results.push_back(b.reduce(op::reduction::var, x, s));
                    results.push_back(b.reduce(op::reduction::var, y, s));
                }
                results.push_back(b.reduce(op::reduction::mean, x));
                results.push_back(b.reduce(op::reduction::amax, x));
                for (value_id v : results) b.store(v);
                add_with_forms(kernels, b.get());
            }
    std::mt19937_64 random(test::seed());
    for (const subject& s : make_subjects(kernels)) {
        for (int64_t n0 : {1, 33, 200}) check(s, {7, n0}, random(), true);
        for (int64_t n0 : {C - 1, 2 * C + 3}) {
            check(s, {70, n0}, random(), true);
            if (s.rows.along == lanes::element) check_parts(s, n0, random(), true);
        }
    }
}

TEST_CASE("codegen: amax and amin of zeros, infinities and NaN equal the interpreter") {
    if (!test::has_compiler()) return;
    std::vector<kernel> kernels;
    for (lanes along : {lanes::element, lanes::row})
        for (op::reduction reduction : {op::reduction::amax, op::reduction::amin})
            for (ScalarType type : {kFloat, kDouble}) {
                kernel_builder b(along);
                b.store(b.reduce(reduction, b.load(type)));
                add_with_forms(kernels, b.get());
            }
    // Each row draws from one of these. With a NaN or an infinity in every row, other differences
    // would not show.
    const double inf = std::numeric_limits<double>::infinity();
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const std::vector<double> pools[] = {{-0.0, 0.0},
                                         {-0.0, -1},
                                         {0.0, 1},
                                         {-0.0},
                                         {-inf},
                                         {inf, -inf},
                                         {-1, -2, -1e-310, -1e-40},
                                         {1, nan},
                                         {-inf, -nan},
                                         {1e-310, 1e-40, 0.0}};
    std::mt19937_64 random(test::seed());
    for (const subject& s : make_subjects(kernels))
        for (int64_t n0 : {1, 7, 16, 17, 31, 32, 33, 95, 1000}) {
            const int64_t n1 = 40;
            kernel_call_data data(s.rows, n1, n0, random());
            for (int64_t row = 0; row < n1; row++) {
                const auto& pool = pools[random() % std::size(pools)];
                for (int64_t e = 0; e < n0; e++) {
                    const double x = pool[random() % pool.size()];
                    const bool single = s.rows.operands[0].type == kFloat;
                    data.set_element(0, row, e,
                                     single ? std::bit_cast<uint32_t>(static_cast<float>(x))
                                            : std::bit_cast<uint64_t>(x));
                }
            }
            INFO("n0 " << n0 << "\n" << print(s.rows));
            check_levels(s, data, guard_side::after, false);
        }
}

/// Dividends of one divisor, of every size. Their quotients are next to the midpoint of two
/// neighbours, where a wrong last bit of an inexact division would show.
template <class T>
void set_quotients(kernel_call_data& data, int64_t row, int64_t n0, std::mt19937_64& random) {
    using word = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
    const ScalarType type = sizeof(T) == 4 ? kFloat : kDouble;
    const auto any = [&] {
        return std::bit_cast<T>(static_cast<word>(kernel_call_data::storage_bits(type, random)));
    };
    const auto fraction = [&] { return 1 + std::ldexp(static_cast<T>(random() >> 11), -53); };
    T d = any();
    if (random() % 4 != 0) d = std::ldexp(fraction(), static_cast<int>(random() % 90) - 45);
    if (random() % 8 == 0) d = std::ldexp(T(1) - std::numeric_limits<T>::epsilon() / 2, 3);
    data.set_element(1, row, 0, std::bit_cast<word>(d));
    const int reach = std::numeric_limits<T>::max_exponent;
    for (int64_t e = 0; e < n0; e++) {
        const T q = fraction();
        T x = any();
        if (random() % 8 == 0) x = std::ldexp(q, static_cast<int>(random() % (2 * reach)) - reach);
        if (random() % 2 == 0) {
            using wide = long double;
            const wide middle = static_cast<wide>(q) + std::numeric_limits<T>::epsilon() / 2;
            x = static_cast<T>(middle * static_cast<wide>(d));
        }
        if (random() % 16 == 0) x = random() % 2 ? T(0) : -T(0);
        data.set_element(0, row, e, std::bit_cast<word>(random() % 2 ? x : -x));
    }
}

TEST_CASE("codegen: quotients by one number of a row equal the interpreter") {
    if (!test::has_compiler()) return;
    std::vector<kernel> kernels;
    for (lanes along : {lanes::element, lanes::row})
        for (ScalarType type : {kFloat, kDouble}) {
            kernel_builder b(along);
            const bool vectors = along == lanes::row;
            const value_id x = b.load(type);
            const value_id d =
                b.load(type, vectors ? stride_class::unit : stride_class::zero, domain::row);
            b.store(b.row(op::div, type, {x, d}));
            b.store(b.reduce(op::reduction::amax, x));
            kernels.push_back(b.get());
        }
    std::mt19937_64 random(test::seed());
    for (const subject& s : make_subjects(kernels))
        for (int n = 0; n < test::cases(60); n++) {
            const auto n1 = static_cast<int64_t>(1 + random() % 70), n0 = edge(random) * 4;
            kernel_call_data data(s.rows, n1, n0, random());
            for (int64_t row = 0; row < n1; row++)
                if (s.rows.operands[0].type == kFloat)
                    set_quotients<float>(data, row, n0, random);
                else
                    set_quotients<double>(data, row, n0, random);
            INFO("n1 " << n1 << ", n0 " << n0 << "\n" << print(s.rows));
            check_levels(s, data, guard_side::after, false);
        }
}

TEST_CASE("codegen: values kept in an output equal the interpreter") {
    if (!test::has_compiler()) return;
    std::vector<kernel> kernels;
    for (lanes along : {lanes::element, lanes::row})
        for (ScalarType type : {kFloat, kDouble})
            add_with_forms(kernels, kept_softmax(type, along));
    std::mt19937_64 random(test::seed());
    for (const subject& s : make_subjects(kernels)) {
        for (int64_t n0 : {0, 1, 15, 16, 17, 31, 32, 33, 95, 1000})
            check(s, {edge(random) % 20, n0}, random(), true);
        for (int64_t n0 : {C - 1, C + 1, 2 * C + 3}) {
            check(s, {2, n0}, random());
            check(s, {1, n0}, random(), true);
        }
    }
}

TEST_CASE("codegen: a product is rounded before it is added to") {
    if (!test::has_compiler()) return;
    std::vector<kernel> kernels;
    for (const ScalarType type : {kFloat, kDouble})
        for (const op::id row : {op::add, op::sub}) {
            kernel_builder b;
            const value_id x = b.load(type), y = b.load(type), z = b.load(type);
            b.store(b.row(row, type, {b.row(op::mul, type, {x, y}), z}));
            kernels.push_back(b.get());
        }
    std::mt19937_64 random(test::seed());
    for (const subject& s : make_subjects(kernels))
        for (int n = 0; n < 8; n++) check(s, {3, 100 + edge(random)}, random());
}

TEST_CASE("codegen: random kernels equal the interpreter in every call mode") {
    if (!test::has_compiler()) return;
    const uint64_t first = test::seed();
    std::vector<kernel> kernels;
    const int count = test::cases(200, 5);
    for (int n = 0; n < count; n++)
        add_with_forms(kernels, random_kernel(first + static_cast<uint64_t>(n)));
    std::mt19937_64 random(first);
    int in_parts = 0, in_runs = 0;
    for (const subject& s : make_subjects(kernels)) {
        for (int n = 0; n < 3; n++) check(s, {edge(random), edge(random)}, random());
        if (random() % 8 == 0) check(s, {1, C - 1 + static_cast<int64_t>(random() % 3)}, random());
        const bool parts = s.rows.along == lanes::element && !s.rows.one_chunk();
        if (parts && (s.rows.form == row_form::runs || random() % 4 == 0)) {
            (s.rows.form == row_form::runs ? in_runs : in_parts)++;
            check_parts(s, 1 + static_cast<int64_t>(random() % (2 * C)), random());
        }
    }
    CHECK(in_parts > count / 40);
    CHECK(in_runs > count / 40);
}

TEST_CASE("codegen: base forms on the strides of their kernels equal the interpreter") {
    if (!test::has_compiler()) return;
    const uint64_t first = test::seed() + 4000;
    std::vector<kernel> kernels, bases;
    const int count = test::cases(60, 5);
    for (int n = 0; n < count; n++)
        add_with_forms(kernels, random_kernel(first + static_cast<uint64_t>(n)));
    std::erase_if(kernels, [](const kernel& k) { return !base_key(k); });
    for (const kernel& k : kernels) {
        const std::vector<uint8_t> key = *base_key(k);
        bases.push_back(deserialize(key.data(), key.size()));
        CHECK(!base_key(bases.back()));
    }
    REQUIRE(bases.size() > static_cast<std::size_t>(count / 2));
    const auto functions = sinter::testing::compile(bases, sinter::testing::levels().back());
    std::mt19937_64 random(first);
    for (std::size_t n = 0; n < kernels.size(); n++) {
        const subject s{kernels[n], std::make_unique<interpreter>(kernels[n]), {functions[n]}};
        for (int i = 0; i < 3; i++) check(s, {edge(random), edge(random)}, random());
        if (s.rows.along == lanes::element && random() % 4 == 0)
            check_parts(s, 1 + static_cast<int64_t>(random() % (2 * C)), random());
    }
}

TEST_CASE("codegen: kernels that know their extent and scalars equal the interpreter") {
    if (!test::has_compiler()) return;
    const uint64_t first = test::seed();
    std::mt19937_64 random(first);
    std::vector<kernel> general, special;
    struct call_form {
        extents e;
        uint64_t seed;
    };
    std::vector<call_form> calls;
    const auto add = [&](kernel k, extents e) {
        const uint64_t seed = random();
        general.push_back(k);
        calls.push_back({e, seed});
        kernel_call_data data(k, e.n1, e.n0, seed);
        k.extent = random() % 4 ? e.n0 : 0;
        for (std::size_t s = 0; s < k.scalars.size(); s++)
            if (random() % 4) k.known.push_back({static_cast<int32_t>(s), data.scalar(s)});
        special.push_back(k);
    };
    for (int n = 0; n < test::cases(100, 5); n++) {
        std::vector<kernel> forms;
        add_with_forms(forms, random_kernel(first + static_cast<uint64_t>(n)));
        for (const kernel& k : forms) {
            const int64_t shortest = std::max<int64_t>(shortest_row(k), 1);
            const auto longer =
                static_cast<uint64_t>(std::min<int64_t>(longest_row(k), 64) - shortest);
            if (k.form != row_form::runs)
                add(k, {edge(random), shortest + static_cast<int64_t>(random() % (longer + 1))});
        }
    }
    for (const op::id row : {op::remainder, op::fmod, op::floor_divide})
        for (const ScalarType type : {kByte, kChar, kShort, kInt, kLong})
            for (int n = 0; n < 4; n++) {
                kernel_builder b;
                const value_id x = b.load(type), s = b.scalar(type);
                b.store(b.row(row, type, {x, s}));
                add(b.get(), {edge(random), edge(random) + 1});
            }
    std::vector<subject> subjects = make_subjects(special);
    for (std::size_t n = 0; n < subjects.size(); n++) {
        subject& s = subjects[n];
        s.rows = general[n];
        s.oracle = std::make_unique<interpreter>(general[n]);
        INFO(print(special[n]));
        check(s, calls[n].e, calls[n].seed);
    }
}
