#include "tests/surface/probes.hpp"

#include <span>

namespace sinter::test {

namespace {

#define PROBE(name, ...)                                        \
    {#name, [](const Tensor& x, std::vector<Tensor>& results) { \
         static_cast<void>(x);                                  \
         collect(results, __VA_ARGS__);                         \
     }},

Tensor first(const Tensor& x) { return zeros({x.size(0)}, kLong); }
Tensor index(const Tensor& x) { return zeros({1, x.size(1)}, kLong); }
Tensor pivots() { return arange(1, 5, kInt).eval(); }
Tensor ready(const Tensor& t) { return t.eval(); }

const probe functions[] = {
#include "tests/surface/probes.def"
};

#undef PROBE

const probe rows[] = {
#define SINTER_UNARY(name, row) \
    {#name, [](const Tensor& x, std::vector<Tensor>& results) { collect(results, x.name()); }},
#define SINTER_BINARY(name, row) \
    {#name, [](const Tensor& x, std::vector<Tensor>& results) { collect(results, x.name(x)); }},
#include <sinter/expr/each_row.inc>
#undef SINTER_UNARY
#undef SINTER_BINARY
};

}  // namespace

std::span<const probe> probes() { return functions; }
std::span<const probe> row_probes() { return rows; }

}  // namespace sinter::test
