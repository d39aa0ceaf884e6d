#include "kernels/gpu_linalg/light_product.hpp"

#include "runtime/types/dtypes.hpp"

#include <algorithm>
#include <array>
#include <mutex>
#include <optional>
#include <unordered_map>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace sinter::gpu_linalg {
namespace {

// ---- descriptors

constexpr int epilogue_bias = 4;

class descriptor {
public:
    explicit descriptor(int (*drop)(void*)) : drop_(drop) {}
    ~descriptor() {
        if (it_) drop_(it_);
    }
    descriptor(const descriptor&) = delete;
    descriptor& operator=(const descriptor&) = delete;
    void** place() { return &it_; }
    void* get() const { return it_; }

private:
    int (*drop_)(void*);
    void* it_ = nullptr;
};

/// The cuBLASLt descriptors of a product of column-major matrices.
class description {
public:
    description(const cublas_session& on, const cublaslt_table& f, const gemm_call& g,
                const void* bias)
        : on_(on), f_(f), g_(g) {
        const factors scale(g.dtype);
        on.check("cublasLtMatmulDescCreate",
                 f.make_operation(operation.place(), cuda_sums(scale),
                                  info_of(scale.wide ? kDouble : kFloat).cuda));
        constexpr int trans_a = 3, trans_b = 4, epilogue = 7, bias_pointer = 8;
        set(trans_a, int32_t{g.a.flag != 'N'});
        set(trans_b, int32_t{g.b.flag != 'N'});
        if (bias) {
            set(epilogue, uint32_t{epilogue_bias});
            set(bias_pointer, bias);
        }
        lay_out(a, g.a.flag == 'N' ? g.m : g.k, g.a.flag == 'N' ? g.k : g.m, g.a.ld, g.a.step);
        lay_out(b, g.b.flag == 'N' ? g.k : g.n, g.b.flag == 'N' ? g.n : g.k, g.b.ld, g.b.step);
        lay_out(c, g.m, g.n, g.m, g.step);
    }

private:
    template <class T>
    void set(int attribute, const T& value) {
        on_.check("cublasLtMatmulDescSetAttribute",
                  f_.set_operation(operation.get(), attribute, static_cast<const void*>(&value),
                                   sizeof value));
    }

    void lay_out(descriptor& d, int rows, int cols, int ld, int64_t step) {
        on_.check("cublasLtMatrixLayoutCreate",
                  f_.make_layout(d.place(), info_of(g_.dtype).cuda, static_cast<uint64_t>(rows),
                                 static_cast<uint64_t>(cols), ld));
        if (g_.count == 1) return;
        constexpr int batch_count = 5, batch_offset = 6;
        const int32_t count = g_.count;
        on_.check("cublasLtMatrixLayoutSetAttribute",
                  f_.set_layout(d.get(), batch_count, &count, sizeof count));
        on_.check("cublasLtMatrixLayoutSetAttribute",
                  f_.set_layout(d.get(), batch_offset, &step, sizeof step));
    }

    const cublas_session& on_;
    const cublaslt_table& f_;
    const gemm_call& g_;

public:
    descriptor operation{f_.drop_operation}, a{f_.drop_layout}, b{f_.drop_layout},
        c{f_.drop_layout};
};

// ---- algorithms

/// The key of the algorithm cache: everything that the choice of an algorithm reads.
using problem = std::array<int64_t, 15>;

/// Returns the largest power of two that divides the address, at most 256.
int64_t alignment_of(const void* p) {
    constexpr uintptr_t most = 256;
    const auto address = reinterpret_cast<uintptr_t>(p) | most;
    return static_cast<int64_t>(address & (~address + 1));
}

problem problem_of(int device, const gemm_call& g, bool for_bias) {
    return {device,
            static_cast<int64_t>(g.dtype),
            for_bias,
            int64_t{g.a.flag} << 8 | g.b.flag,
            g.m,
            g.n,
            g.k,
            g.count,
            g.a.ld,
            g.b.ld,
            g.count == 1 ? 0 : g.a.step,
            g.count == 1 ? 0 : g.b.step,
            alignment_of(g.a.data),
            alignment_of(g.b.data),
            alignment_of(g.c)};
}

struct known {
    std::optional<cublaslt_algorithm> algorithm;
    std::optional<bool> adds_bias;  // unset until asked
};

/// A cache of cuBLASLt's answers: asking takes longer than many products.
class answers {
public:
    std::optional<known> find(const problem& p) {
        const std::lock_guard lock(mutex_);
        const auto at = all_.find(p);
        return at == all_.end() ? std::nullopt : std::optional(at->second);
    }
    void keep(const problem& p, const known& k) {
        constexpr std::size_t most = 1024;
        const std::lock_guard lock(mutex_);
        if (all_.size() >= most && !all_.contains(p)) all_.clear();
        all_[p] = k;
    }

private:
    struct hash {
        std::size_t operator()(const problem& p) const { return XXH3_64bits(&p, sizeof p); }
    };
    std::mutex mutex_;
    std::unordered_map<problem, known, hash> all_;
};

answers& all_answers() {
    static auto& all = *new answers;  // leaked: other threads may multiply until the end
    return all;
}

bool is_no_answer(int code) { return code == 8 || code == 15; }

std::optional<cublaslt_algorithm> ask(const cublas_session& on, const cublaslt_table& f,
                                      const description& d, const gemm_call& g) {
    descriptor wishes(f.drop_preference);
    on.check("cublasLtMatmulPreferenceCreate", f.make_preference(wishes.place()));
    const auto set = [&](int attribute, const auto& value) {
        on.check("cublasLtMatmulPreferenceSetAttribute",
                 f.set_preference(wishes.get(), attribute, &value, sizeof value));
    };
    constexpr int workspace = 1, reductions = 3, alignments = 5;
    constexpr uint32_t in_compute_type = 2;  // partial sums are not rounded to Half
    set(workspace, uint64_t{on.workspace().bytes()});
    set(reductions, in_compute_type);
    int attribute = alignments;
    for (const void* p : {static_cast<const void*>(g.a.data), static_cast<const void*>(g.b.data),
                          static_cast<const void*>(g.c), static_cast<const void*>(g.c)})
        set(attribute++, static_cast<uint32_t>(alignment_of(p)));
    cublaslt_answer answer{};
    int count = 0;
    const int code = f.find_algorithm(on.handle(), d.operation.get(), d.a.get(), d.b.get(),
                                      d.c.get(), d.c.get(), wishes.get(), 1, &answer, &count);
    if (is_no_answer(code)) return std::nullopt;
    on.check("cublasLtMatmulAlgoGetHeuristic", code);
    if (count == 0 || answer.state != 0 || answer.workspace > on.workspace().bytes())
        return std::nullopt;
    return answer.algorithm;
}

/// Returns true if an algorithm that was found without a bias can add one.
bool can_add(const cublas_session& on, const cublaslt_table& f, const description& d,
             const cublaslt_algorithm& algorithm) {
    cublaslt_answer answer{};
    const int code = f.check_algorithm(on.handle(), d.operation.get(), d.a.get(), d.b.get(),
                                       d.c.get(), d.c.get(), &algorithm, &answer);
    return code == 0 && answer.state == 0 && answer.workspace <= on.workspace().bytes();
}

}  // namespace

const cublaslt_table* light_library() {
    // A cuBLAS handle is valid for the cuBLASLt of the same version only.
    static const cublaslt_table* const it = [] {
        const found_library<cublaslt_table>& light = find_library<cublaslt_table>();
        const bool fits = light.it && find_library<cublas_table>().version == light.version;
        return fits ? light.it : nullptr;
    }();
    return it;
}

bool put_light(const cublas_session& on, const gemm_call& g) {
    const bool narrow = is_narrow_float(g.dtype);
    if (narrow ? !g.bias : g.dtype != kFloat && g.dtype != kDouble) return false;
    // The documentation does not allow a batch that repeats a matrix.
    if (g.count > 1 && (g.a.step == 0 || g.b.step == 0)) return false;
    const cublaslt_table* const f = light_library();
    if (!f) return false;
    const problem p = problem_of(on.stream().device().index, g, narrow);
    std::optional<known> k = all_answers().find(p);
    if (!k || (k->algorithm && g.bias && !k->adds_bias)) {
        // Used as an address that is not read: it shows the minimum alignment of a bias.
        const void* const any_bias = reinterpret_cast<const void*>(bias_alignment);
        if (!k) k = {ask(on, *f, description(on, *f, g, narrow ? any_bias : nullptr), g), {}};
        if (k->algorithm && g.bias)
            k->adds_bias =
                narrow || can_add(on, *f, description(on, *f, g, any_bias), *k->algorithm);
        all_answers().keep(p, *k);
    }
    if (!k->algorithm || (g.bias && !*k->adds_bias)) return false;
    const description d(on, *f, g, g.bias);
    const factors scale(g.dtype);
    const int code =
        f->multiply(on.handle(), d.operation.get(), scale.one(), g.a.data, d.a.get(), g.b.data,
                    d.b.get(), scale.zero(), g.c, d.c.get(), g.c, d.c.get(), &*k->algorithm,
                    on.workspace().data(), on.workspace().bytes(), on.stream().handle());
    if (is_no_answer(code)) return false;
    on.check("cublasLtMatmul", code);
    return true;
}

}  // namespace sinter::gpu_linalg
