// The part of cuBLASLt that is loaded. An algorithm records what it was found for, and a product is
// checked against that. No algorithm exists for k = 13, and none with a bias for k = 17.
#include "core/base/occasions.hpp"
#include "core/linalg/linear_algebra.hpp"
#include "exported.hpp"

#include <map>
#include <string>

namespace gpu_emulator::light {
namespace {

constexpr int no_handle = 1, invalid = 7, not_supported = 15;
constexpr int f32 = 0, f64 = 1, half = 2, bfloat16 = 14, sums_f32 = 68, sums_f64 = 70;
constexpr uint32_t plain = 1, with_bias = 4;
constexpr uint64_t needed_workspace = 4096;

/// Attributes by number, as bytes. `kind` distinguishes the three descriptors.
struct descriptor {
    enum { operation = 'o', layout = 'l', preference = 'p' };
    int kind;
    std::map<int, std::string> attributes = {};

    template <class T>
    T get(int attribute, T otherwise) const {
        const auto at = attributes.find(attribute);
        if (at != attributes.end())
            std::memcpy(static_cast<void*>(&otherwise), at->second.data(), sizeof(T));
        return otherwise;
    }
    template <class T>
    void put(int attribute, T value) {
        attributes[attribute].assign(reinterpret_cast<const char*>(&value), sizeof value);
    }
};

descriptor* of(void* d, int kind) {
    auto* const it = static_cast<descriptor*>(d);
    return it && it->kind == kind ? it : nullptr;
}

int make(void** d, descriptor it) {
    *d = new descriptor(std::move(it));
    return 0;
}

int drop(void* d, int kind) {
    if (!of(d, kind)) return invalid;
    static_cast<descriptor*>(d)->kind = 0;  // detects a second destruction
    delete static_cast<descriptor*>(d);
    return 0;
}

int set(void* d, int kind, const std::map<int, std::size_t>& sizes, int attribute, const void* from,
        std::size_t bytes) {
    descriptor* const it = of(d, kind);
    const auto size = sizes.find(attribute);
    if (!it || !from || size == sizes.end() || size->second != bytes) return invalid;
    it->attributes[attribute].assign(static_cast<const char*>(from), bytes);
    return 0;
}

struct matrix {
    int type;
    uint64_t rows, cols;
    int64_t ld, step;
    int32_t count;

    bool read(void* layout) {
        const descriptor* const d = of(layout, descriptor::layout);
        if (!d) return false;
        type = d->get<int>(0, -1);
        rows = d->get<uint64_t>(2, 0);
        cols = d->get<uint64_t>(3, 0);
        ld = d->get<int64_t>(4, 0);
        count = d->get<int32_t>(5, 1);
        step = d->get<int64_t>(6, 0);
        return ld >= static_cast<int64_t>(rows) && (count == 1 || (count > 1 && step > 0));
    }
    bool operator==(const matrix&) const = default;
};

struct problem {
    const descriptor* operation;
    matrix a, b, c;
    char flag_a, flag_b;
    int m, n, k, sums, scale;
    uint32_t epilogue;
    const void* bias;
    library::element element;

    /// Returns CUBLAS_STATUS_SUCCESS if the descriptors fit together.
    int read(void* desc, void* of_a, void* of_b, void* of_c, void* of_d) {
        matrix d{};
        operation = of(desc, descriptor::operation);
        if (!operation || !a.read(of_a) || !b.read(of_b) || !c.read(of_c) || !d.read(of_d) ||
            !(c == d))
            return invalid;
        const auto ta = operation->get<int32_t>(3, 0), tb = operation->get<int32_t>(4, 0);
        if ((ta != 0 && ta != 1) || (tb != 0 && tb != 1)) return invalid;
        flag_a = ta ? 'T' : 'N';
        flag_b = tb ? 'T' : 'N';
        m = static_cast<int>(c.rows);
        n = static_cast<int>(c.cols);
        k = static_cast<int>(ta ? a.rows : a.cols);
        if ((ta ? a.cols : a.rows) != c.rows || (tb ? b.rows : b.cols) != c.cols ||
            static_cast<int>(tb ? b.cols : b.rows) != k || a.count != c.count || b.count != c.count)
            return invalid;
        sums = operation->get<int>(0, 0);
        scale = operation->get<int>(1, -1);
        epilogue = operation->get<uint32_t>(7, plain);
        bias = operation->get<const void*>(8, nullptr);
        if (epilogue != plain && epilogue != with_bias) return not_supported;
        if (epilogue == with_bias && (!bias || alignment(bias) < 16)) return invalid;
        if (a.type != c.type || b.type != c.type) return not_supported;
        switch (c.type) {
            case f32: element = library::element::f32; break;
            case f64: element = library::element::f64; break;
            case half: element = library::element::half; break;
            case bfloat16: element = library::element::bfloat16; break;
            default: return not_supported;
        }
        const bool wide = c.type == f64;
        return sums == (wide ? sums_f64 : sums_f32) && scale == (wide ? f64 : f32) ? 0
                                                                                   : not_supported;
    }

    static uint64_t alignment(const void* p) {
        const auto address = reinterpret_cast<std::uintptr_t>(p);
        return address & (~address + 1);
    }

    /// Returns a digest of what an algorithm was found for.
    uint64_t digest() const {
        std::string text;
        for (const matrix* x : {&a, &b, &c})
            for (const int64_t number :
                 {int64_t{x->type}, static_cast<int64_t>(x->rows), static_cast<int64_t>(x->cols),
                  x->ld, x->step, int64_t{x->count}})
                text += std::to_string(number) + ",";
        return std::hash<std::string>()(text + flag_a + flag_b);
    }
    bool has_algorithm() const { return k != 13 && (epilogue == plain || k != 17); }
};

struct algorithm {
    uint64_t digest, workspace, alignment[4], epilogue, spare;
};

struct answer {
    algorithm it;
    std::size_t workspace;
    int state;
    float waves;
    int reserved[4];
};

bool is_number(const void* p, int sums, double number) {
    return sums == sums_f64 ? *static_cast<const double*>(p) == number
                            : *static_cast<const float*>(p) == static_cast<float>(number);
}

}  // namespace

EXPORTED int cublasLtGetProperty(int which, int* value) {
    *value = which == 0 ? 13 : 0;
    return 0;
}

EXPORTED int cublasLtMatmulDescCreate(void** d, int sums, int scale) {
    descriptor it{descriptor::operation};
    it.put(0, sums);
    it.put(1, scale);
    return make(d, std::move(it));
}
EXPORTED int cublasLtMatmulDescDestroy(void* d) { return drop(d, descriptor::operation); }
EXPORTED int cublasLtMatmulDescSetAttribute(void* d, int attribute, const void* from,
                                            std::size_t bytes) {
    return set(d, descriptor::operation, {{3, 4}, {4, 4}, {7, 4}, {8, sizeof(void*)}}, attribute,
               from, bytes);
}

EXPORTED int cublasLtMatrixLayoutCreate(void** d, int type, uint64_t rows, uint64_t cols,
                                        int64_t ld) {
    descriptor it{descriptor::layout};
    it.put(0, type);
    it.put(2, rows);
    it.put(3, cols);
    it.put(4, ld);
    return make(d, std::move(it));
}
EXPORTED int cublasLtMatrixLayoutDestroy(void* d) { return drop(d, descriptor::layout); }
EXPORTED int cublasLtMatrixLayoutSetAttribute(void* d, int attribute, const void* from,
                                              std::size_t bytes) {
    return set(d, descriptor::layout, {{5, 4}, {6, 8}}, attribute, from, bytes);
}

EXPORTED int cublasLtMatmulPreferenceCreate(void** d) { return make(d, {descriptor::preference}); }
EXPORTED int cublasLtMatmulPreferenceDestroy(void* d) { return drop(d, descriptor::preference); }
EXPORTED int cublasLtMatmulPreferenceSetAttribute(void* d, int attribute, const void* from,
                                                  std::size_t bytes) {
    return set(d, descriptor::preference, {{1, 8}, {3, 4}, {5, 4}, {6, 4}, {7, 4}, {8, 4}},
               attribute, from, bytes);
}

EXPORTED int cublasLtMatmulAlgoGetHeuristic(void* handle, void* desc, void* a, void* b, void* c,
                                            void* d, void* preference, int wanted, answer* answers,
                                            int* count) {
    const descriptor* const wishes = of(preference, descriptor::preference);
    problem p{};
    *count = 0;
    if (!library::find(handle)) return no_handle;
    if (!wishes || wanted < 1) return invalid;
    if (const int failed = p.read(desc, a, b, c, d)) return failed;
    happens(occasion::ask);
    // Partial sums in the result's dtype would be rounded.
    if (wishes->get<uint32_t>(3, 7) != 2 || wishes->get<uint64_t>(1, 0) < needed_workspace ||
        !p.has_algorithm())
        return not_supported;
    answers[0] = {};
    answers[0].it = {p.digest(), needed_workspace, {}, p.epilogue, 0};
    for (int i = 0; i < 4; ++i) answers[0].it.alignment[i] = wishes->get<uint32_t>(5 + i, 256);
    answers[0].workspace = needed_workspace;
    *count = 1;
    return 0;
}

EXPORTED int cublasLtMatmulAlgoCheck(void* handle, void* desc, void* a, void* b, void* c, void* d,
                                     const algorithm* with, answer* result) {
    problem p{};
    if (!library::find(handle)) return no_handle;
    if (const int failed = p.read(desc, a, b, c, d)) return failed;
    if (with->digest != p.digest()) return invalid;
    if (!p.has_algorithm()) return not_supported;
    *result = {*with, needed_workspace, 0, 1, {}};
    return 0;
}

EXPORTED int cublasLtMatmul(void* handle, void* desc, const void* alpha, const void* a, void* of_a,
                            const void* b, void* of_b, const void* beta, const void* c, void* of_c,
                            void* d, void* of_d, const algorithm* with, void* workspace,
                            std::size_t bytes, void* stream) {
    problem p{};
    if (const int failed = p.read(desc, of_a, of_b, of_c, of_d)) return failed;
    const auto of_handle = library::find(handle);
    if (!of_handle) return no_handle;
    const void* const operands[] = {a, b, c, d};
    bool fits = with && with->digest == p.digest() && p.has_algorithm() && c == d &&
                bytes >= with->workspace && problem::alignment(workspace) >= 256 &&
                of_handle->workspace == workspace && of_handle->workspace_bytes == bytes;
    for (int i = 0; fits && i < 4; ++i)
        fits = problem::alignment(operands[i]) >= with->alignment[i];
    if (!fits) return invalid;
    if (!is_number(alpha, p.sums, 1) || !is_number(beta, p.sums, 0)) return not_supported;
    library::set_stream(handle, stream);
    return [](library::status s) {
        switch (s) {
            case library::status::done: return 0;
            case library::status::no_handle: return no_handle;
            case library::status::invalid: return invalid;
            case library::status::not_supported: return not_supported;
            default: return 13;
        }
    }(library::gemm(handle, p.element, p.m, p.n, p.k,
                    {p.flag_a, a, static_cast<int>(p.a.ld), p.a.step},
                    {p.flag_b, b, static_cast<int>(p.b.ld), p.b.step}, d, static_cast<int>(p.c.ld),
                    p.c.step, p.c.count, p.epilogue == with_bias ? p.bias : nullptr));
}

}  // namespace gpu_emulator::light
