// Pointwise chains: those of pointwise.def, and those with several dtypes.
#include "bench/case.hpp"

#include <array>

namespace bench {
namespace {

using namespace sinter;
using NAMED = const Tensor;

/// A constant of a formula. As in Python, it takes the dtype of the other operand.
constexpr double V(double c) { return c; }

#define ROW(type, id, body)                                                       \
    type id([[maybe_unused]] const Tensor& x, [[maybe_unused]] const Tensor& y,   \
            [[maybe_unused]] const Tensor& z, [[maybe_unused]] const Tensor& w) { \
        body                                                                      \
    }
#define MAP(id, name, inputs, operations, low, high, ...) ROW(auto, id, return __VA_ARGS__;)
#define PROGRAM(id, name, inputs, operations, low, high, ...) ROW(Tensor, id, __VA_ARGS__)
#include "bench/pointwise.def"
#undef ROW

/// For two of the cases, sizes so small that fixed costs dominate.
std::vector<int64_t> sizes_of(const std::string& name) {
    std::vector<int64_t> sizes = every_level;
    if (name == "a*b+c" || name == "poly10") sizes.insert(sizes.begin(), 16);
    return sizes;
}

}  // namespace

std::vector<bench_case> pointwise_cases() {
    std::vector<bench_case> all;
#define MAP(id, name, inputs, operations, low, high, ...)                                     \
    all.push_back({name, sizes_of(name), [](contest& k) {                                     \
                       std::array<Tensor, 4> x;                                               \
                       for (int i = 0; i < (inputs); ++i) x[i] = k.input({k.n()}, low, high); \
                       k.cost(k.n() * ((inputs) + 1.0), k.n() * (operations));                \
                       k.lazy([=] { return id(x[0], x[1], x[2], x[3]); });                    \
                   }});
#define PROGRAM MAP
#include "bench/pointwise.def"
    // i32 * f32 + f64: the product is f32 and is then widened.
    all.push_back({"mixed_dtypes",
                   every_level,
                   [](contest& k) {
                       const Tensor a = k.input({k.n()}, -100, 100, kInt);
                       const Tensor b = k.input({k.n()}), c = k.input({k.n()}, -3, 3, kDouble);
                       k.cost_bytes(k.n() * (4.0 + 4 + 8 + 8), 2 * k.n());
                       k.lazy([=] { return a * b + c; });
                   },
                   {"f32"}});
    all.push_back({"quantise",
                   every_level,
                   [](contest& k) {
                       const Tensor x = k.input({k.n()}, -4, 4);
                       k.cost_bytes(k.n() * (4.0 + 1), 5 * k.n());
                       k.lazy([=] { return (x * 40.0).round().clamp(-128, 127).to(kChar); });
                   },
                   {"f32"}});
    all.push_back({"half_to_f32",
                   every_level,
                   [](contest& k) {
                       const Tensor x = k.input({k.n()}, -3, 3, kHalf);
                       k.cost_bytes(k.n() * (2.0 + 4), 3 * k.n());
                       k.lazy([=] { return x.to(kFloat) * 2.0 + 1.0; });
                   },
                   {"f16"}});
    return all;
}

}  // namespace bench
