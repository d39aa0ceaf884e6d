#include "kernels/scan/scan_on_gpu.hpp"

#include "kernels/scan/scan.hpp"
#include "jit/codegen/c_like/cuda.hpp"
#include "jit/codegen/c_like/formula.hpp"
#include "jit/codegen/c_like/hip.hpp"
#include "kernels/gpu/scratch.hpp"
#include "kernels/scan/scan_text.hpp"
#include "kernels/slices/rows_on_gpu.hpp"
#include "kernels/sort/sort_on_gpu.hpp"
#include "kernels/sort/sort_text.hpp"

#include <sinter/error.hpp>
#include <sinter/math/log_add_exp.hpp>

#include <algorithm>

namespace sinter::scan {
namespace {

using gpu_kernels::arguments, gpu_kernels::meanings, gpu_kernels::written;

constexpr int64_t serial_elements = 256, serial_rows = 8192;
// All rows together are cut into about this many parts; each part has at least `least_part`
// elements.
constexpr int64_t wanted_parts = most_parts, least_part = 4 * tile_elements;

// SUM 0: 64-bit integers; 1: narrow floats in f32; 2: f32 and f64 in f64.
constexpr const char* sums_text = R"(
#if SUM == 0
typedef u64 item;
#elif SUM == 1
typedef f32 item;
#else
typedef f64 item;
#endif
typedef item state;
typedef item result;
struct source { u64 type, result_type, product; };
static __device__ inline state none(const source& k) { return k.product ? 1 : 0; }
static __device__ inline state taken(const source&, item x, i64) { return x; }
static __device__ inline state joined(const source& k, state a, state b) {
    return k.product ? a * b : a + b;
}
static __device__ inline result result_of(state x) { return x; }
static __device__ inline item load(const source& k, const char* p) {
    switch ((u32)k.type) {
#if SUM == 0
        case 0: return (item)*(const u8*)p;
        case 1: return (item)*(const i8*)p;
        case 2: return (item)*(const i16*)p;
        case 3: return (item)*(const i32*)p;
        case 4: return *(const u64*)p;
        default: return value_of(*(const boolean*)p);
#elif SUM == 1
        case 5: return value_of(*(const f16*)p);
        default: return value_of(*(const bf16*)p);
#else
        case 6: return *(const f32*)p;
        default: return *(const f64*)p;
#endif
    }
}
static __device__ inline void store(const source& k, char* p, const char*, i64, result x) {
    switch ((u32)k.result_type) {
#if SUM == 0
        case 0:
        case 1: *(u8*)p = (u8)x; return;
        case 2: *(u16*)p = (u16)x; return;
        case 3: *(u32*)p = (u32)x; return;
        case 4: *(u64*)p = x; return;
        default: *(u8*)p = x != 0; return;
#elif SUM == 1
        case 5: *(f16*)p = made<f16>(x); return;
        default: *(bf16*)p = made<bf16>(x); return;
#else
        case 6: *(f32*)p = (f32)x; return;
        default: *(f64*)p = x; return;
#endif
    }
}
)";

// Picks the last of the largest keys. NaN is the largest key for both extremes.
constexpr const char* extremes_text = R"(
typedef KEY item;
typedef INDEX result;
struct state { KEY key; INDEX where; };
struct source { elements of; u64 nan_is_least, values; };
static __device__ inline state none(const source&) { return {0, ~(INDEX)0}; }
static __device__ inline state taken(const source&, item x, i64 i) { return {x, (INDEX)i}; }
static __device__ inline state joined(const source&, const state& a, const state& b) {
    return b.where != ~(INDEX)0 && (a.where == ~(INDEX)0 || b.key >= a.key) ? b : a;
}
static __device__ inline result result_of(const state& x) { return x.where; }
static __device__ inline item load(const source& k, const char* p) {
    const KEY key = key_at(k.of, p);
    return k.nan_is_least && key == 0 ? ~(KEY)0 : key;
}
static __device__ inline void store(const source& k, char* p, const char* row, i64 step,
                                    result where) {
    if (!k.values) {
        *(i64*)p = (i64)where;
        return;
    }
    const char* const from = row + (i64)where * step;
    switch ((u32)k.of.bytes) {
        case 1: *(u8*)p = *(const u8*)from; return;
        case 2: *(u16*)p = *(const u16*)from; return;
        case 4: *(u32*)p = *(const u32*)from; return;
        default: *(u64*)p = *(const u64*)from;
    }
}
)";

constexpr const char* logs_text = R"(
typedef f64 item;
typedef f64 state;
typedef f64 result;
struct source { u64 type; };
static __device__ inline state none(const source&) { return -(f64)__int_as_float(0x7f800000); }
static __device__ inline state taken(const source&, item x, i64) { return x; }
static __device__ inline state joined(const source&, state a, state b) { return log_add_exp(a, b); }
static __device__ inline result result_of(state x) { return x; }
static __device__ inline item load(const source& k, const char* p) {
    switch ((u32)k.type) {
        case 5: return value_of(*(const f16*)p);
        case 6: return *(const f32*)p;
        case 7: return *(const f64*)p;
        default: return value_of(*(const bf16*)p);
    }
}
static __device__ inline void store(const source& k, char* p, const char*, i64, result x) {
    switch ((u32)k.type) {
        case 5: *(f16*)p = made<f16>((f32)x); return;
        case 6: *(f32*)p = (f32)x; return;
        case 7: *(f64*)p = x; return;
        default: *(bf16*)p = made<bf16>((f32)x); return;
    }
}
)";

written logs_for(const codegen::dialect& to) {
    using number = codegen::formula_number;
    const auto sum = [](number a, number b) { return math::logaddexp(a, b); };
    return scan_kernels(codegen::c_formula(to, "log_add_exp", sum) + logs_text);
}

const written& logs_kernels(runtime::vendor made_by) {
    static const written cuda = logs_for(codegen::cuda_dialect);
    static const written hip = logs_for(codegen::hip_dialect);
    return made_by == runtime::vendor::nvidia ? cuda : hip;
}

const written& sums_kernels() {
    static const written k = scan_kernels(sums_text);
    return k;
}

const written& extremes_kernels() {
    static const written k = scan_kernels(std::string(ordering::key_text) + extremes_text);
    return k;
}

uint64_t type_number(ScalarType t) {
    switch (t) {
        case kByte: return 0;
        case kChar: return 1;
        case kShort: return 2;
        case kInt: return 3;
        case kLong: return 4;
        case kHalf: return 5;
        case kFloat: return 6;
        case kDouble: return 7;
        case kBool: return 8;
        case kBFloat16: return 9;
        default: throw InternalError("[scan] a dtype without a kernel");
    }
}

/// `source` has the fields of `struct source`; a state takes at most `state_bytes`.
bool put_scan(const op_call& c, const op_result& result, runtime::gpu_stream& s,
              const written& text, meanings words, const arguments& source,
              std::size_t state_bytes) {
    const op_input& input = c.inputs[0];
    const rows::gpu_rows rows({{input.shape, input.dtype}, {result.shape, result.dtype}},
                              c.attributes->as<scan_attributes>().dim);
    if (!rows.fit()) return false;
    const int64_t n = rows.length(0), count = rows.rows();
    if (count * n == 0) return true;
    const auto kernels = gpu_kernels::kernels_of(s.device(), text, words.number("OPERANDS", 2));
    int64_t parts = std::clamp<int64_t>(wanted_parts / count, 1, (n + least_part - 1) / least_part);
    const int64_t tiles = (n + tile_elements - 1) / tile_elements;
    const int64_t part = (tiles + parts - 1) / parts * tile_elements;
    parts = (n + part - 1) / part;
    const gpu_kernels::scratch totals(
        s, parts > 1 ? static_cast<std::size_t>(count * parts) * state_bytes : 0);
    enum : std::size_t { scan_rows, scan_short, scan_parts, scan_totals };
    const auto put = [&](std::size_t kernel, int64_t threads, bool output) {
        arguments a = rows.arguments();
        a.add(source).add(count).add(n).add(part).add(parts).add(input.data + rows.first(0));
        a.add(output ? result.data + rows.first(1) : nullptr).add(rows.step(0)).add(rows.step(1));
        gpu_kernels::put(s, kernels[kernel], gpu_kernels::grid_for(threads), a.add(totals.data()));
    };
    const bool beside = rows.across(0) && rows.across(1);
    if (n <= serial_elements || (beside && count >= serial_rows)) {
        put(beside ? scan_rows : scan_short, count, true);
        return true;
    }
    if (parts > 1) {
        put(scan_parts, count * parts * gpu_kernels::block_threads, false);
        put(scan_totals, count * gpu_kernels::block_threads, false);
    }
    put(scan_parts, count * parts * gpu_kernels::block_threads, true);
    return true;
}

op_result only_result(const op_call& c) { return {c.output, &c.shape, c.dtype}; }

bool put_sums(const op_call& c, runtime::gpu_stream& s, bool product) {
    const ScalarType in = c.inputs[0].dtype;
    const bool narrow = in == kHalf || in == kBFloat16;
    meanings words;
    words.number("SUM", narrow ? 1 : isFloatingType(in) ? 2 : 0);
    arguments source;
    source.add(type_number(in)).add(type_number(c.dtype)).add(product);
    return put_scan(c, only_result(c), s, sums_kernels(), words, source, sizeof(uint64_t));
}

bool put_extreme(const op_call& c, const op_result& result, runtime::gpu_stream& s, bool least,
                 bool values) {
    const op_input& input = c.inputs[0];
    const int64_t dim = c.attributes->as<scan_attributes>().dim;
    const int64_t n = input.shape->ndim ? input.shape->sizes()[dim] : 1;
    meanings words;
    words.name("KEY", gpu_kernels::bits_name(ordering::key_bytes(input.dtype)))
        .name("INDEX", gpu_kernels::bits_name(ordering::index_bytes(n)));
    arguments source = ordering::key_arguments(input.dtype, least);
    source.add(least && ordering::nan_key(input.dtype) != 0).add(values);
    return put_scan(c, result, s, extremes_kernels(), words, source, 2 * sizeof(uint64_t));
}

/// A kernel writes either values or indices, so the rows are scanned twice.
bool put_extremes(const op_call& c, runtime::gpu_stream& s, bool least) {
    return put_extreme(c, c.results[0], s, least, true) &&
           put_extreme(c, c.results[1], s, least, false);
}

}  // namespace

bool logcumsumexp_on_gpu(const op_call& c, runtime::gpu_stream& s) {
    if (isComplexType(c.dtype)) return false;
    return put_scan(c, only_result(c), s, logs_kernels(s.device().api->made_by), {},
                    arguments().add(type_number(c.dtype)), sizeof(double));
}
bool cumsum_on_gpu(const op_call& c, runtime::gpu_stream& s) { return put_sums(c, s, false); }
bool cumprod_on_gpu(const op_call& c, runtime::gpu_stream& s) { return put_sums(c, s, true); }
bool cummax_on_gpu(const op_call& c, runtime::gpu_stream& s) { return put_extremes(c, s, false); }
bool cummin_on_gpu(const op_call& c, runtime::gpu_stream& s) { return put_extremes(c, s, true); }

}  // namespace sinter::scan
