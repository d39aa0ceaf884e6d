// Functions of numbers in a cache: nanoseconds per element of the block row (eager mode), of the
// compiled kernel, of its form under fast math where that is another one, and of the C library's
// vector function (4 ULP), in turns on one thread.
//
//     study_functions [ROW ...]
#include "jit/cache/loader.hpp"
#include "jit/cache/plugin.hpp"
#include "jit/cache/target.hpp"
#include "jit/kernel_ir/kernel_ir.hpp"
#include "jit/simd/block.hpp"

#include <sinter/op/op.hpp>

#include <dlfcn.h>
#include <immintrin.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

namespace {

using namespace sinter;

constexpr int64_t count = 4096;

kernel_ir::kernel kernel_of(op::id row, int arity, ScalarType type, bool fast) {
    using namespace kernel_ir;
    kernel k;
    instr call{.op = opcode::row, .type = type, .in = type, .dom = domain::element, .row = row};
    call.fast = fast;
    call.mt = compute_type(type);
    for (int n = 0; n < arity; ++n) {
        k.operands.push_back({role::input, type, stride_class::unit});
        k.body.push_back({.op = opcode::load,
                          .type = type,
                          .mt = compute_type(type),
                          .dom = domain::element,
                          .a = n});
        (n == 0 ? call.a : n == 1 ? call.b : call.c) = n;
    }
    k.body.push_back(call);
    k.operands.push_back({role::output, type, stride_class::unit});
    k.body.push_back({.op = opcode::store,
                      .type = type,
                      .mt = compute_type(type),
                      .dom = domain::element,
                      .a = arity,
                      .b = arity});
    return k;
}

kernel_ir::kernel_fn compiled(const kernel_ir::kernel& k) {
    const auto level = code_cache::can_run(codegen::target::x86_64_v4) ? codegen::target::x86_64_v4
                                                                       : codegen::target::x86_64_v3;
    const code_cache::bytes text = kernel_ir::serialize(k);
    const code_cache::byte_view view(text);
    const auto replies = code_cache::compile_kernels(level, code_cache::process_mode(), {view});
    if (!replies[0].error.empty()) {
        std::printf("%s\n", replies[0].error.c_str());
        return nullptr;
    }
    return code_cache::load_image({"", text, replies[0].image, replies[0].entry});
}

template <class T>
struct vector_of;
template <>
struct vector_of<float> {
    using type = __m512;
    static constexpr const char* prefix[] = {"_ZGVeN16v_", "_ZGVeN16vv_"};
};
template <>
struct vector_of<double> {
    using type = __m512d;
    static constexpr const char* prefix[] = {"_ZGVeN8v_", "_ZGVeN8vv_"};
};

template <class T>
void bench(op::id row) {
    using vector = typename vector_of<T>::type;
    const ScalarType type = scalar_type_v<T>;
    const block::block_fn block = block::find(row, type, type);
    const int arity = op::info(row).arity;
    if (!block || op::info(row).rule == dtype_rule::test) return;
    const std::string name(op::info(row).name);
    alignas(64) static T x[count], y[count], out[count];
    double low = -3, high = 3;
    if (name == "log" || name == "log2" || name == "log10" || name == "pow" || name == "sqrt" ||
        name == "entr" || name == "rsqrt")
        low = 0.1;
    if (name == "asin" || name == "acos" || name == "atanh" || name == "erfinv") low = -1, high = 1;
    if (name == "logit" || name == "ndtri") low = 0, high = 1;
    if (name == "log1p" || name == "xlog1py") low = -0.9;
    if (name == "acosh") low = 1;
    if (name == "sin" || name == "cos" || name == "tan") low = -50, high = 50;
    for (int64_t i = 0; i < count; ++i) {
        const double u = std::fmod(static_cast<double>(i) * 0.6180339887498949, 1.0);
        const double v = std::fmod(static_cast<double>(i) * 0.7548776662466927, 1.0);
        x[i] = static_cast<T>(low + (high - low) * u);
        y[i] = static_cast<T>(low + (high - low) * v);
    }
    const kernel_ir::kernel k = kernel_of(row, arity, type, false);
    const kernel_ir::kernel k_fast = kernel_of(row, arity, type, true);
    const bool has_fast = kernel_ir::decompose(k).body != kernel_ir::decompose(k_fast).body;
    const auto fused = compiled(k), fast = compiled(k_fast);
    static void* library = dlopen("libmvec.so.1", RTLD_NOW);
    std::string symbol =
        vector_of<T>::prefix[arity == 1 ? 0 : 1] + name + (sizeof(T) == 4 ? "f" : "");
    void* peer =
        library && __builtin_cpu_supports("avx512f") ? dlsym(library, symbol.c_str()) : nullptr;
    const void* in[] = {x, y, y};
    const bool uniform[] = {false, false, false};
    uint64_t status = 0;
    kernel_ir::operand_arg args[4] = {};
    args[0] = {reinterpret_cast<char*>(x), 0, sizeof(T)};
    args[1] = {reinterpret_cast<char*>(y), 0, sizeof(T)};
    args[2] = {reinterpret_cast<char*>(y), 0, sizeof(T)};
    args[arity] = {reinterpret_cast<char*>(out), 0, sizeof(T)};
    kernel_ir::kernel_call call{};
    call.operands = args;
    call.status = &status;
    call.n1 = 1;
    call.n0 = count;
    call.mode = kernel_ir::call_mode::rows;
    const std::function<void()> rivals[] = {
        [&] { block(out, in, uniform, count, &status); }, [&] { fused(&call); },
        [&] { fast(&call); },
        [&] {
            constexpr int64_t step = sizeof(vector) / sizeof(T);
            for (int64_t i = 0; i < count; i += step) {
                vector r;
                if (arity == 1)
                    r = reinterpret_cast<vector (*)(vector)>(peer)(
                        *reinterpret_cast<vector*>(x + i));
                else
                    r = reinterpret_cast<vector (*)(vector, vector)>(peer)(
                        *reinterpret_cast<vector*>(x + i), *reinterpret_cast<vector*>(y + i));
                *reinterpret_cast<vector*>(out + i) = r;
            }
        }};
    double best[] = {1e300, 1e300, 1e300, 1e300};
    for (int round = 0; round < 40; ++round) {
        for (int who = 0; who < (peer ? 4 : 3); ++who) {
            if (who == 2 && !has_fast) continue;
            const auto start = std::chrono::steady_clock::now();
            for (int i = 0; i < 8; ++i) rivals[who]();
            const std::chrono::duration<double, std::nano> t =
                std::chrono::steady_clock::now() - start;
            best[who] = std::min(best[who], t.count() / (8.0 * count));
        }
    }
    std::printf("%-20s %s  block %7.3f  compiled %7.3f", name.c_str(),
                sizeof(T) == 4 ? "f32" : "f64", best[0], best[1]);
    if (has_fast) std::printf("  fast %7.3f  ratio %5.2f", best[2], best[2] / best[1]);
    if (peer) std::printf("  libmvec %7.3f  ratio %5.2f", best[3], best[1] / best[3]);
    std::printf("\n");
    std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
    for (int r = 0; r < op::count; ++r) {
        const auto row = static_cast<op::id>(r);
        bool wanted = argc == 1;
        for (int i = 1; i < argc; ++i) wanted |= op::info(row).name == std::string(argv[i]);
        if (!wanted || op::info(row).rule == dtype_rule::random || row == op::where) continue;
        bench<float>(row);
        bench<double>(row);
    }
}
