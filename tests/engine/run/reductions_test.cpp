// Reductions over every subset of dimensions in eager mode, compared with the interpreter over the
// gathered elements. The interpreter follows reduce_order.hpp literally.
#include "engine/graph/graph.hpp"
#include "engine/run/record.hpp"
#include "jit/simd/block.hpp"
#include "ops/common/op_checks.hpp"
#include "tests/engine/run/strided.hpp"
#include "tests/seed.hpp"

#include <sinter/threads.hpp>

#include <doctest/doctest.h>

namespace sinter {
namespace {

using testing::bytes;
using testing::layout;
using testing::strided;

using testing::all_types;
constexpr int reductions = static_cast<int>(op::reduction::count);

bool allowed(op::reduction row, ScalarType in) {
    return op::info(row).result != op::reduction_result::floating || isFloatingType(in);
}

/// Returns the input's elements with kept dimensions outside and reduced ones inside, each in
/// logical order.
bytes by_output(const bytes& dense, ScalarType type, const std::vector<int64_t>& shape,
                unsigned mask) {
    std::vector<int64_t> order_shape, order_strides;
    for (bool reduced : {false, true}) {
        int64_t stride = 1;
        std::vector<int64_t> strides(shape.size());
        for (std::size_t d = shape.size(); d-- > 0;) {
            strides[d] = stride;
            stride *= shape[d];
        }
        for (std::size_t d = 0; d < shape.size(); d++) {
            if ((mask >> d & 1) != reduced) continue;
            order_shape.push_back(shape[d]);
            order_strides.push_back(strides[d]);
        }
    }
    bytes out;
    const std::size_t size = elementSize(type);
    testing::for_each_offset(order_shape, order_strides, [&](int64_t at) {
        const char* from = dense.data() + static_cast<std::size_t>(at) * size;
        out.insert(out.end(), from, from + size);
    });
    return out;
}

/// Reduces the dimensions in `mask` and keeps them with size 1.
Tensor reduce(op::reduction row, const Tensor& x, ScalarType in, unsigned mask, double correction) {
    const ModeGuard eager(Mode::eager);
    std::vector<int64_t> kept = x.sizes().vec();
    for (std::size_t d = 0; d < kept.size(); d++)
        if (mask >> d & 1) kept[d] = 1;
    leaf source = ops::read(*x.unsafeGetTensorImpl());
    if (kept.empty()) {  // treated as one dimension to reduce
        source.shape = make_geometry(1, 1, 0);
        mask = 1;
    }
    return Tensor(
        make_pending(reduce_node(row, source, in, mask, correction, block::result_type(row, in)),
                     make_contiguous(kept)));
}

bytes elements_of(const Tensor& t) {
    const char* data = static_cast<const char*>(t.const_data_ptr());
    return {data, data + t.nbytes()};
}

void check(op::reduction row, ScalarType from, ScalarType in, const std::vector<int64_t>& shape,
           unsigned mask, layout how, std::mt19937_64& random, double correction = 1) {
    strided x(from, shape, how, random);
    int64_t n = 1, outputs = 1;
    for (std::size_t d = 0; d < shape.size(); d++) (mask >> d & 1 ? n : outputs) *= shape[d];
    if (n == 0 && op::info(row).kind == op::reduction_kind::arg) return;
    ScalarType result;
    const bytes expected =
        testing::interpret_reduce(row, from, in, by_output(x.gather(), from, shape, mask).data(),
                                  outputs, n, correction, &result);
    const bytes got = elements_of(reduce(row, x.tensor(), in, mask, correction));
    const int64_t at = testing::first_difference(result, got.data(), expected.data(), outputs);
    std::string text;
    for (int64_t s : shape) text += std::to_string(s) + " ";
    const std::size_t size = elementSize(result);
    CHECK_MESSAGE(
        at == -1, std::string(op::info(row).name), " of ", std::string(toString(from)), " in ",
        std::string(toString(in)), " shape ", text, " mask ", mask, " output ", at, " got ",
        testing::element_bits(result, got.data() + static_cast<std::size_t>(at) * size),
        " expected ",
        testing::element_bits(result, expected.data() + static_cast<std::size_t>(at) * size));
    CHECK(x.rest_untouched());
}

TEST_CASE("every reduction and type over every subset of dimensions") {
    std::mt19937_64 random(test::seed());
    INFO("SINTER_TEST_SEED=", test::seed());
    const block::isa before = block::level();
    for (int r = 0; r < reductions; r++) {
        const auto row = static_cast<op::reduction>(r);
        for (ScalarType in : all_types) {
            if (!allowed(row, in)) continue;
            for (int i = 0; i < test::cases(2); i++) {
                const auto shape = testing::random_shape(random, 300);
                for (unsigned mask = 0; mask < 1u << shape.size(); mask++) {
                    for (auto level : {block::isa::baseline, block::isa::v3, block::isa::v4}) {
                        if (!block::available(level) || random() % 2) continue;
                        block::set_level(level);
                        check(row, in, in, shape, mask, static_cast<layout>(random() % 3), random);
                    }
                }
            }
        }
    }
    block::set_level(before);
}

TEST_CASE("extents around lanes and chunks, inner and outer, narrow and wide") {
    std::mt19937_64 random(test::seed() + 1);
    INFO("SINTER_TEST_SEED=", test::seed());
    const int64_t lanes = kernel_ir::reduce_lanes, chunk = kernel_ir::reduce_chunk;
    const op::reduction rows[] = {op::reduction::sum, op::reduction::amax, op::reduction::argmin,
                                  op::reduction::var};
    for (op::reduction row : rows) {
        for (int64_t n : {int64_t{1}, lanes - 1, lanes, lanes + 1, 8 * lanes, 8 * lanes + 1,
                          chunk - 1, chunk, chunk + 1, 3 * chunk + 5}) {
            for (ScalarType type : {kFloat, kHalf}) {
                // Half has the same lanes and chunks as the other types, so sanitizers would see
                // the same.
                if (test::sanitized() && type == kHalf && n > 8 * lanes) continue;
                check(row, type, type, {n}, 1, layout::contiguous, random);
                check(row, type, type, {2, n}, 2, layout::contiguous, random);
                check(row, type, type, {n, 3}, 1, layout::contiguous, random);
                check(row, type, type, {n, 19}, 1, layout::contiguous, random);
            }
        }
        check(row, kFloat, kFloat, {300, 600}, 1, layout::contiguous, random);
        check(row, kDouble, kDouble, {40, 3, 600}, 3, layout::contiguous, random);
        check(row, kFloat, kFloat, {70, 9, 70}, 5, layout::contiguous, random);
    }
}

TEST_CASE("elements of another type are converted first, integers accumulate in Long") {
    std::mt19937_64 random(test::seed() + 2);
    INFO("SINTER_TEST_SEED=", test::seed());
    for (ScalarType from : all_types) {
        for (ScalarType in : all_types) {
            check(op::reduction::sum, from, in, {37, 41}, 1, layout::any, random);
            check(op::reduction::sum, from, in, {37, 41}, 2, layout::any, random);
            check(op::reduction::any, from, in, {3, 5, 7}, 2, layout::any, random);
        }
    }
}

TEST_CASE("nothing to reduce") {
    std::mt19937_64 random(test::seed() + 3);
    for (int r = 0; r < reductions; r++) {
        const auto row = static_cast<op::reduction>(r);
        for (ScalarType in : all_types) {
            if (!allowed(row, in)) continue;
            check(row, in, in, {}, 0, layout::contiguous, random);
            check(row, in, in, {3, 0}, 2, layout::contiguous, random);
            check(row, in, in, {0, 40}, 1, layout::contiguous, random);
            check(row, in, in, {0, 3}, 2, layout::contiguous, random);
            check(row, in, in, {4, 1}, 2, layout::contiguous, random, 0);
            check(row, in, in, {4, 1}, 2, layout::contiguous, random, 2);
        }
    }
}

TEST_CASE("any number of threads gives the same bits") {
    std::mt19937_64 random(test::seed() + 4);
    const int before = get_num_threads();
    const std::pair<std::vector<int64_t>, unsigned> cases[] = {{{300007}, 1},     {{30000, 20}, 1},
                                                               {{500, 600}, 1},   {{500, 600}, 2},
                                                               {{60, 50, 70}, 5}, {{3, 100000}, 2}};
    for (const auto& [shape, mask] : cases) {
        for (ScalarType type : {kFloat, kHalf}) {
            for (op::reduction row :
                 {op::reduction::sum, op::reduction::std, op::reduction::argmax}) {
                strided x(type, shape, layout::contiguous, random);
                bytes first;
                for (int threads : {1, 2, 3, 7}) {
                    set_num_threads(threads);
                    const bytes got = elements_of(reduce(row, x.tensor(), type, mask, 1));
                    if (threads == 1) first = got;
                    const auto outputs = static_cast<int64_t>(
                        got.size() / elementSize(block::result_type(row, type)));
                    CHECK(testing::first_difference(block::result_type(row, type), got.data(),
                                                    first.data(), outputs) == -1);
                }
            }
        }
    }
    set_num_threads(before);
}

}  // namespace
}  // namespace sinter
