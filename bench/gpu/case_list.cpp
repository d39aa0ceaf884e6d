// The GPU cases: expressions, reductions, rows, indexed access and batches of matrices.
#include "bench/gpu/case_list.hpp"

namespace bench {

using namespace sinter;

Tensor operand(int64_t n, ScalarType dtype) { return randn({n}, kFloat).to(dtype).eval(); }

void add_eager(std::vector<rival>& rivals, const std::function<void()>& once, int64_t) {
    // NOLINTNEXTLINE(clang-analyzer-cplusplus.NewDeleteLeaks): the rival owns its copy of `once`
    rivals.push_back(on_device("eager", "a kernel for each operation", [once] {
        const ModeGuard guard(Mode::eager);
        once();
    }));
}

namespace {

/// An expression over `inputs` tensors of n elements, into an existing tensor.
template <class F>
gpu_case pointwise(const char* name, int inputs, F formula) {
    return {name, inputs + 1, [=](int64_t n, ScalarType dtype) -> std::function<void()> {
                std::vector<Tensor> x;
                for (int i = 0; i < inputs; ++i) x.push_back(operand(n, dtype));
                Tensor out = empty({n}, dtype);
                return [=]() mutable { out.copy_(formula(x)).eval(); };
            }};
}

/// Returns the case with eager mode as another rival.
gpu_case beside_eager(gpu_case c) {
    c.beside = add_eager;
    return c;
}

/// A reduction of a table with rows of `columns` elements (0: one row).
template <class F>
gpu_case reduction(const char* name, int64_t columns, F formula) {
    return {name, 1, [=](int64_t n, ScalarType dtype) -> std::function<void()> {
                const Tensor x = columns == 0
                                     ? operand(n, dtype)
                                     : operand(n / columns * columns, dtype).view({-1, columns});
                return [=] { formula(x).eval(); };
            }};
}

/// A case that maps rows to rows.
template <class F>
gpu_case rows(const char* name, int64_t columns, F formula) {
    return {name, 2, [=](int64_t n, ScalarType dtype) -> std::function<void()> {
                const Tensor x = operand(n / columns * columns, dtype).view({-1, columns});
                return [=] { formula(x).eval(); };
            }};
}

using list = std::vector<Tensor>;

/// A case of n elements in one dimension and as many random places in a tensor of an eighth of
/// that.
template <class F>
gpu_case indexed(const char* name, F formula) {
    return {name, 3, [=](int64_t n, ScalarType dtype) -> std::function<void()> {
                const Tensor x = operand(n, dtype), table = operand(n / 8, dtype);
                const Tensor places = randint(n / 8, {n}, kLong).eval();
                return [=] { formula(table, places, x).eval(); };
            }};
}

/// The same with whole numbers of 32 bits, and `fewer` times as many elements as places.
template <class F>
gpu_case whole_numbers(const char* name, int64_t fewer, F formula) {
    return {.name = name,
            .arrays = 3,
            .set_up = [=](int64_t n, ScalarType) -> std::function<void()> {
                const Tensor x = randint(1000, {n}, kInt).eval(),
                             table = zeros({n / fewer}, kInt).eval(),
                             places = randint(n / fewer, {n}, kLong).eval();
                return [=] { formula(table, places, x).eval(); };
            },
            .halves = false};
}

/// Batches of matrices of `side` rows, positive definite, with as many right sides.
template <class F>
gpu_case matrices(const char* name, int64_t side, F formula) {
    return {.name = name,
            .arrays = 2,
            .set_up = [=](int64_t n, ScalarType dtype) -> std::function<void()> {
                const int64_t count = n / (side * side);
                const Tensor b = operand(count * side * side, dtype).view({count, side, side});
                const Tensor a = (b.matmul(b.mT()) / side + eye(side)).eval();
                return [=] { formula(a, b); };
            },
            .halves = false,
            .most = 1 << 22};
}

Tensor layer_normed(const Tensor& x) {
    return (x - x.mean({1}, true)) * rsqrt(x.var({1}, false, true) + 1e-5);
}

}  // namespace

gpu_case summed(const char* name) {
    return reduction(name, 0, [](const Tensor& x) { return x.sum(); });
}

const std::vector<gpu_case>& gpu_cases() {
    static const std::vector<gpu_case> all = {
        pointwise("scale", 1, [](const list& x) { return x[0] * 2; }),
        pointwise("a+b", 2, [](const list& x) { return x[0] + x[1]; }),
        pointwise("a*b+c", 3, [](const list& x) { return x[0] * x[1] + x[2]; }),
        pointwise("four_inputs", 4, [](const list& x) { return x[0] * x[1] - x[2] * x[3]; }),
        pointwise("five_inputs", 5, [](const list& x) { return x[0] * x[1] + x[2] * x[3] - x[4]; }),
        pointwise("gelu", 1, [](const list& x) { return gelu(x[0]); }),
        pointwise("sin", 1, [](const list& x) { return sin(x[0]); }),
        pointwise("pow", 2, [](const list& x) { return pow(abs(x[0]), x[1]); }),
        pointwise("remainder", 2, [](const list& x) { return remainder(x[0], x[1]); }),
        beside_eager(pointwise(
            "ten_operations", 2,
            [](const list& x) {
                return ((x[0] * 2 + x[1]) * x[0] - 1) * (x[1] + 3) * (x[0] - x[1]) + x[0] * 5;
            })),
        {"x+x.t()", 2,
         [](int64_t n, ScalarType dtype) -> std::function<void()> {
             int64_t side = 1;
             while ((side + 1) * (side + 1) <= n) ++side;
             const Tensor x = operand(side * side, dtype).view({side, side});
             Tensor out = empty({side, side}, dtype);
             return [=]() mutable { out.copy_(x + x.t()).eval(); };
         }},
        summed("sum"),
        reduction("sum(1) of 4096", 4096, [](const Tensor& x) { return x.sum(1); }),
        reduction("sum(1) of 16", 16, [](const Tensor& x) { return x.sum(1); }),
        reduction("sum(0) of 4096", 4096, [](const Tensor& x) { return x.sum(0); }),
        reduction("var(1) of 4096", 4096, [](const Tensor& x) { return x.var(1); }),
        reduction("argmax(1) of 4096", 4096, [](const Tensor& x) { return x.argmax(1); }),
        rows("softmax 4096", 4096, [](const Tensor& x) { return softmax(x, 1); }),
        rows("softmax 16384", 16384, [](const Tensor& x) { return softmax(x, 1); }),
        rows("softmax 131072", 131072, [](const Tensor& x) { return softmax(x, 1); }),
        rows("layer_norm 4096", 4096, layer_normed),
        rows("layer_norm 16384", 16384, layer_normed),
        rows("layer_norm 131072", 131072, layer_normed),
        rows("cumsum 4096", 4096, [](const Tensor& x) { return x.cumsum(1); }),
        rows("sort 4096", 4096, [](const Tensor& x) { return std::get<0>(x.sort(1)); }),
        reduction("topk(8) of 4096", 4096,
                  [](const Tensor& x) { return std::get<0>(x.topk(8, 1)); }),
        reduction("cumsum", 0, [](const Tensor& x) { return x.cumsum(0); }),
        reduction("sort", 0, [](const Tensor& x) { return std::get<0>(x.sort(0)); }),
        reduction("histc(100)", 0, [](const Tensor& x) { return x.histc(100, -4, 4); }),
        reduction("masked_select", 0, [](const Tensor& x) { return x.masked_select(x > 0); }),
        indexed("gather", [](const Tensor& table, const Tensor& places,
                             const Tensor&) { return table.index_select(0, places); }),
        indexed("index_put", [](const Tensor& table, const Tensor& places,
                                const Tensor& x) { return table.index_put({places}, x); }),
        indexed("index_add", [](const Tensor& table, const Tensor& places,
                                const Tensor& x) { return table.index_add(0, places, x); }),
        whole_numbers("index_add i32", 8,
                      [](const Tensor& table, const Tensor& places, const Tensor& x) {
                          return table.index_add(0, places, x);
                      }),
        whole_numbers("index_put i32 few", 1024,
                      [](const Tensor& table, const Tensor& places, const Tensor& x) {
                          return table.index_put({places}, x);
                      }),
        {.name = "randperm",
         .arrays = 2,
         .set_up = [](int64_t n, ScalarType) -> std::function<void()> {
             return [n] { randperm(n).eval(); };
         },
         .halves = false},
        matrices("cholesky 32", 32, [](const Tensor& a, const Tensor&) { linalg::cholesky(a); }),
        matrices("solve 32", 32, [](const Tensor& a, const Tensor& b) { linalg::solve(a, b); }),
        matrices("qr 32", 32,
                 [](const Tensor&, const Tensor& b) {
                     const auto [q, r] = linalg::qr(b);
                     eval({q, r});
                 }),
        matrices("eigh 32", 32, [](const Tensor& a, const Tensor&) { linalg::eigh(a); }),
        matrices("svdvals 32", 32, [](const Tensor&, const Tensor& b) { linalg::svdvals(b); }),
    };
    return all;
}

}  // namespace bench
