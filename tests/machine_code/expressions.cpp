// Computes one expression, of which the kernels are looked at: machine_code.py.
#include <sinter/sinter.hpp>

#include <cstdio>
#include <map>
#include <string>

using namespace sinter;

namespace {

Tensor make(IntArrayRef shape, ScalarType t) { return ones(shape, t).eval(); }

using expression = Tensor (*)(ScalarType);
const std::map<std::string, expression> expressions = {
    {"sum", [](ScalarType t) -> Tensor { return make({10000000}, t).sum(); }},
    {"sum(1)", [](ScalarType t) -> Tensor { return make({64, 100000}, t).sum(1); }},
    {"sum(1) of 1000", [](ScalarType t) -> Tensor { return make({10000, 1000}, t).sum(1); }},
    {"sum(0)", [](ScalarType t) -> Tensor { return make({4096, 1000}, t).sum(0); }},
    {"max", [](ScalarType t) -> Tensor { return make({10000000}, t).max(); }},
    {"var(1)", [](ScalarType t) -> Tensor { return make({1000, 4096}, t).var(1); }},
    {"softmax", [](ScalarType t) -> Tensor { return softmax(make({1000, 4096}, t), 1); }},
    {"layer norm of 65536",
     [](ScalarType t) -> Tensor {
         const Tensor x = make({600, 65536}, t);
         return (x - x.mean(1, true)) * rsqrt(x.var(1, false, true) + 1e-5);
     }},
    {"mul add sum(1)",
     [](ScalarType t) -> Tensor {
         const Tensor x = make({1000, 4096}, t);
         return (x * x + 1).sum(1);
     }},
    {"axpy", [](ScalarType t) -> Tensor { return make({1000000}, t) * 2 + make({1000000}, t); }},
    {"gelu", [](ScalarType t) -> Tensor { return gelu(make({1000000}, t)); }},
    {"exp", [](ScalarType t) -> Tensor { return exp(make({1000000}, t)); }},
    {"sin", [](ScalarType t) -> Tensor { return sin(make({1000000}, t)); }},
    {"remainder",
     [](ScalarType t) -> Tensor { return remainder(make({1000000}, t), make({1000000}, t)); }},
    {"tanh", [](ScalarType t) -> Tensor { return tanh(make({1000000}, t)); }},
    {"pow",
     [](ScalarType t) -> Tensor { return pow(abs(make({1000000}, t)), make({1000000}, t)); }},
    {"copy of a transpose",
     [](ScalarType t) -> Tensor { return make({2000, 3000}, t).t().contiguous(); }},
};
const std::map<std::string, ScalarType> dtypes = {{"f32", kFloat}, {"f16", kHalf}};

}  // namespace

int main(int count, char** words) {
    const auto e = count == 3 ? expressions.find(words[1]) : expressions.end();
    const auto t = count == 3 ? dtypes.find(words[2]) : dtypes.end();
    if (e == expressions.end() || t == dtypes.end()) {
        std::fprintf(stderr, "usage: %s EXPRESSION f32|f16\n", words[0]);
        return 2;
    }
    e->second(t->second).eval();
}
