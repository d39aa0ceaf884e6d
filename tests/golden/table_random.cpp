// Random draws from PyTorch's stream. Each call starts from a freshly seeded default generator.
#include "tests/golden/table.hpp"

namespace sinter::golden {
namespace {

class pytorch_stream {
public:
    pytorch_stream() {
        set_default_rng(Rng::mt19937);
        manual_seed(7);
    }
    ~pytorch_stream() { set_default_rng(Rng::philox); }
    pytorch_stream(const pytorch_stream&) = delete;
    pytorch_stream& operator=(const pytorch_stream&) = delete;
};

}  // namespace

#define SINTER_DRAW(name, ...)                              \
    table[#name].call = [](const arguments& a) -> results { \
        const pytorch_stream stream;                        \
        return give(__VA_ARGS__);                           \
    }

void add_random(function_table& table) {
    SINTER_DRAW(rand, rand(a.list(0), a.options(1)));
    SINTER_DRAW(randn, randn(a.list(0), a.options(1)));
    SINTER_DRAW(randint, a.is_none(0) ? randint(a.n(1), a.list(2), a.options(3))
                                      : randint(a.n(0), a.n(1), a.list(2), a.options(3)));
    SINTER_DRAW(randperm, randperm(a.n(0), a.options(1)));
    SINTER_DRAW(rand_like, rand_like(a.t(0), a.options(1)));
    SINTER_DRAW(randn_like, randn_like(a.t(0), a.options(1)));
    SINTER_DRAW(randint_like, randint_like(a.t(0), a.n(1), a.n(2), a.options(3)));
    SINTER_DRAW(normal, a.is_none(2)     ? normal(a.t(0), a.t(1))
                        : a.is_tensor(0) ? normal(a.t(0), a.s(1).toDouble())
                        : a.is_tensor(1) ? normal(a.s(0).toDouble(), a.t(1))
                                         : normal(a.s(0).toDouble(), a.s(1).toDouble(), a.list(2)));
    SINTER_DRAW(bernoulli, a.is_none(1) ? bernoulli(a.t(0)) : bernoulli(a.t(0), a.s(1).toDouble()));
    SINTER_DRAW(multinomial, multinomial(a.t(0), a.n(1), a.flag(2)));
    SINTER_DRAW(uniform_, a.t(0).uniform_(a.s(1).toDouble(), a.s(2).toDouble()));
    SINTER_DRAW(normal_, a.t(0).normal_(a.s(1).toDouble(), a.s(2).toDouble()));
    SINTER_DRAW(log_normal_, a.t(0).log_normal_(a.s(1).toDouble(), a.s(2).toDouble()));
    SINTER_DRAW(exponential_, a.t(0).exponential_(a.s(1).toDouble()));
    SINTER_DRAW(cauchy_, a.t(0).cauchy_(a.s(1).toDouble(), a.s(2).toDouble()));
    SINTER_DRAW(geometric_, a.t(0).geometric_(a.s(1).toDouble()));
    SINTER_DRAW(random_, a.is_none(1)   ? a.t(0).random_()
                         : a.is_none(2) ? a.t(0).random_(a.n(1))
                                        : a.t(0).random_(a.n(1), a.on(2)));
    SINTER_DRAW(bernoulli_,
                a.is_tensor(1) ? a.t(0).bernoulli_(a.t(1)) : a.t(0).bernoulli_(a.s(1).toDouble()));
    for (const char* name : {"log_normal_", "exponential_", "cauchy_"})
        table[name].ulp_f32 = table[name].ulp_f64 = 8;
}

}  // namespace sinter::golden
