#include "kernels/scan/scan_on_gpu.hpp"

#include "kernels/scan/scan.hpp"
#include "jit/codegen/c_like/formula.hpp"
#include "jit/codegen/c_like/gpu_compiler.hpp"
#include "kernels/gpu/scratch.hpp"
#include "kernels/scan/extremes.cuh"
#include "kernels/scan/logs.cuh"
#include "kernels/scan/sums.cuh"
#include "kernels/slices/rows_on_gpu.hpp"
#include "kernels/sort/sort_on_gpu.hpp"
#include "runtime/device/transfer.hpp"
#include "runtime/types/dtypes.hpp"

#include <sinter/math/log_add_exp.hpp>

#include <algorithm>

namespace sinter::embedded {
extern const char scan_sums[], scan_extremes[], scan_logs[];  // sums.cuh, extremes.cuh, logs.cuh
}

namespace sinter::scan {
namespace {

using gpu_kernels::macro_definitions, gpu_kernels::kernel_source;

constexpr int64_t serial_elements = 256, serial_rows = 8192;
enum : std::size_t { scan_rows, scan_short, scan_tiles };
kernel_source scan_kernels(const char* name, const std::string& text) {
    return {name, text, {"sinter_scan_rows", "sinter_scan_short", "sinter_scan_tiles"}};
}

/// What a thread takes of a tile: `runs` times `each` elements side by side. The definitions of a
/// text say it, too.
struct taking {
    int64_t each, runs;

    macro_definitions& say(macro_definitions& words) const {
        return words.number("EACH", each).number("RUNS", runs);
    }
};
/// Takes 16 bytes of the wider of two types at once.
taking packs_of(std::size_t bytes, std::size_t other) {
    return {.each = std::clamp<int64_t>(16 / static_cast<int64_t>(std::max(bytes, other)), 1, 8),
            .runs = 4};
}
taking sums_taking(ScalarType in, ScalarType result) {
    return packs_of(elementSize(in), elementSize(result));
}
taking extremes_taking(ScalarType in, std::size_t index) {
    return packs_of(ordering::key_bytes(in), index);
}
// A join of logarithms is long, so a tile has few of them besides one for each element.
constexpr taking logs_taking{.each = 8, .runs = 1};

macro_definitions sums_words(ScalarType in, ScalarType result, on_gpu::fold fold) {
    const char* state = "u64";
    if (isFloatingType(in)) state = is_narrow_float(in) ? "f32" : "f64";
    macro_definitions words;
    words.type("TYPE", in).type("RESULT", result).name("STATE", state).number("FOLD", fold);
    return sums_taking(in, result).say(words);
}
macro_definitions extremes_words(ScalarType in, std::size_t index) {
    macro_definitions words;
    words.name("ITEM", gpu_kernels::bits_name(elementSize(in)))
        .name("KEY", gpu_kernels::bits_name(ordering::key_bytes(in)))
        .name("INDEX", gpu_kernels::bits_name(index));
    return extremes_taking(in, index).say(words);
}
macro_definitions logs_words(ScalarType t) {
    macro_definitions words;
    return logs_taking.say(words.type("TYPE", t));
}

const kernel_source& logs_kernels(const runtime::gpu& g) {
    static const std::vector<kernel_source> by_vendor = [] {
        std::vector<kernel_source> all;
        for (const codegen::gpu_compiler* c : codegen::gpu_compilers)
            all.push_back(scan_kernels("scan_logs", logs_text(c->language)));
        return all;
    }();
    return by_vendor[runtime::index_of(g.api->vendor->id)];
}

const kernel_source& sums_kernels() {
    static const kernel_source k = scan_kernels("scan_sums", embedded::scan_sums);
    return k;
}

const kernel_source& extremes_kernels() {
    static const kernel_source k = scan_kernels("scan_extremes", embedded::scan_extremes);
    return k;
}

/// Returns the threads of a block that scans rows of n elements by tiles.
unsigned threads_for(int64_t n, const taking& by) {
    unsigned threads = 64;
    while (threads < gpu_kernels::block_threads && threads * by.each * by.runs < n) threads *= 2;
    return threads;
}

/// Puts a scan on the stream. Returns false if the rows have too many dimensions for a kernel. A
/// state takes at most `state_bytes` bytes.
template <class T>
bool put_scan(const op_call& c, const op_result& result, runtime::gpu_stream& s,
              const kernel_source& text, const macro_definitions& words, const T& source,
              std::size_t state_bytes, const taking& by) {
    const op_input& input = c.inputs[0];
    const rows::gpu_rows rows({{input.shape, input.dtype}, {result.shape, result.dtype}},
                              c.attributes->as<scan_attributes>().dim);
    if (!rows.fit()) return false;
    const int64_t n = rows.length(0), count = rows.rows();
    if (count * n == 0) return true;
    const auto kernels = gpu_kernels::kernels_of(s.device(), text, words);
    const unsigned threads = threads_for(n, by);
    const int64_t tile = threads * by.each * by.runs, tiles = (n + tile - 1) / tile;
    const bool beside = rows.across(0) && rows.across(1);
    const bool serial = n <= serial_elements || (beside && count >= serial_rows);
    std::size_t told_bytes = 0;
    if (!serial && tiles > 1) {
        constexpr int64_t together = on_gpu::scan_group;
        const int64_t groups = (tiles + together - 1) / together,
                      outer = (groups + together - 1) / together;
        const std::size_t words = state_bytes / sizeof(uint32_t);
        told_bytes = (1 + static_cast<std::size_t>(count * (tiles + groups + outer)) * words) *
                     sizeof(uint64_t);
    }
    const gpu_kernels::scratch told(s, told_bytes);
    if (told_bytes != 0) runtime::put_fill(s, told.data(), 0, told_bytes);
    const on_gpu::scans<T, void> a{.space = rows.space<2>(),
                                   .of = source,
                                   .rows = count,
                                   .n = n,
                                   .tiles = tiles,
                                   .data = input.data + rows.first(0),
                                   .out = result.data + rows.first(1),
                                   .step = rows.step(0),
                                   .out_step = rows.step(1),
                                   .told = told.as<uint64_t>()};
    const auto put = [&](std::size_t kernel, int64_t blocks,
                         unsigned block = gpu_kernels::block_threads) {
        runtime::launch_shape shape = gpu_kernels::grid_for(blocks * gpu_kernels::block_threads);
        shape.threads = block;
        gpu_kernels::put(s, kernels[kernel], shape, a);
    };
    if (serial)
        put(beside ? scan_rows : scan_short,
            (count + gpu_kernels::block_threads - 1) / gpu_kernels::block_threads);
    else
        put(scan_tiles, count * tiles, threads);
    return true;
}

op_result only_result(const op_call& c) { return {c.output, &c.shape, c.dtype}; }

bool put_sums(const op_call& c, runtime::gpu_stream& s, on_gpu::fold fold) {
    const ScalarType in = c.inputs[0].dtype;
    return put_scan(c, only_result(c), s, sums_kernels(), sums_words(in, c.dtype, fold),
                    on_gpu::sums_source{}, sizeof(uint64_t), sums_taking(in, c.dtype));
}

bool put_extremes(const op_call& c, runtime::gpu_stream& s, bool least) {
    const op_result &values = c.results[0], &indices = c.results[1];
    if (values.shape->strides_ref() != indices.shape->strides_ref()) return false;
    const op_input& input = c.inputs[0];
    const int64_t dim = c.attributes->as<scan_attributes>().dim;
    const int64_t n = input.shape->ndim ? input.shape->sizes()[dim] : 1;
    const std::size_t index = ordering::index_bytes(n);
    const on_gpu::extremes_source source{
        .of = ordering::key_arguments(input.dtype, least),
        .nan_is_least = least && ordering::nan_key(input.dtype) != 0,
        .values = values.data,
        .indices = reinterpret_cast<int64_t*>(indices.data)};
    return put_scan(c, values, s, extremes_kernels(), extremes_words(input.dtype, index), source,
                    2 * sizeof(uint64_t), extremes_taking(input.dtype, index));
}

}  // namespace

std::string logs_text(const codegen::dialect& to) {
    using number = codegen::formula_number;
    const auto sum = [](number a, number b) { return math::logaddexp(a, b); };
    return codegen::c_formula(to, "log_add_exp", sum) + embedded::scan_logs;
}

std::vector<named_words> usual_scans(ScalarType t) {
    std::vector<named_words> all;
    const ScalarType sum = isIntegralType(t, true) ? kLong : t;
#define SINTER_USUAL(name, ...) \
    all.push_back({"scan_sums", sums_words(t, sum, on_gpu::fold_##name)});
    SINTER_FOLD_SCANS(SINTER_USUAL)
#undef SINTER_USUAL
    all.push_back({"scan_extremes", extremes_words(t, sizeof(uint32_t))});
    if (isFloatingType(t)) all.push_back({"scan_logs", logs_words(t)});
    return all;
}

bool logcumsumexp_on_gpu(const op_call& c, runtime::gpu_stream& s) {
    if (isComplexType(c.dtype)) return false;
    return put_scan(c, only_result(c), s, logs_kernels(s.device()), logs_words(c.dtype),
                    on_gpu::logs_source{}, sizeof(double), logs_taking);
}
#define SINTER_ON_GPU(name, ...)                                   \
    bool name##_on_gpu(const op_call& c, runtime::gpu_stream& s) { \
        return put_sums(c, s, on_gpu::fold_##name);                \
    }
SINTER_FOLD_SCANS(SINTER_ON_GPU)
#undef SINTER_ON_GPU
bool cummax_on_gpu(const op_call& c, runtime::gpu_stream& s) { return put_extremes(c, s, false); }
bool cummin_on_gpu(const op_call& c, runtime::gpu_stream& s) { return put_extremes(c, s, true); }

}  // namespace sinter::scan
