// Results that PyTorch makes new are new here too if an operand has a single element, a list is
// empty or a parameter changes nothing. Returning the operand would make an alias.
#include "tests/ops/check.hpp"

using namespace sinter;

namespace {

using tensors = std::vector<Tensor>;

void collect(tensors& to, const tensor_base& t) { to.push_back(t.self()); }
void collect(tensors& to, const tensors& list) { to.insert(to.end(), list.begin(), list.end()); }
template <class... T>
void collect(tensors& to, const std::tuple<T...>& list) {
    std::apply([&](const T&... t) { (collect(to, t), ...); }, list);
}

struct degenerate_call {
    const char* text;
    std::vector<int64_t> sizes;  // of the operand, whose elements are 1
    tensors (*run)(const Tensor& x);
};

Tensor none() { return empty({0}, kLong); }
Tensor zeroth() { return zeros({1}, kLong); }
Tensor one(bool value) { return full({}, value, kBool); }

#define SINTER_SIZES(...) __VA_ARGS__
#define CALL(sizes, ...)                                       \
    {#__VA_ARGS__, {SINTER_SIZES sizes}, [](const Tensor& x) { \
         static_cast<void>(x);                                 \
         tensors results;                                      \
         collect(results, __VA_ARGS__);                        \
         return results;                                       \
     }},

const degenerate_call fresh[] = {
#include "tests/ops/create/fresh_results.def"
};

/// PyTorch returns views of these.
const degenerate_call views[] = {
    CALL((3, 3), einsum("ii->i", {x})) CALL((1, 1), einsum("ii->i", {x}))
        CALL((2, 3), einsum("ij->ji", {x})) CALL((1, 1, 3), einsum("iij->ij", {x}))
            CALL((1, 3, 1), einsum("iji->ij", {x})) CALL((3), einsum("i->i", {x}))
                CALL((3), cartesian_prod({x}))};
#undef CALL
#undef SINTER_SIZES

constexpr ScalarType types[] = {kFloat, kDouble, kHalf,  kBFloat16,     kLong,         kInt,
                                kByte,  kBool,   kShort, kComplexFloat, kComplexDouble};

/// Runs a call for every dtype that supports it; at least one must.
template <class F>
void for_each_type(const degenerate_call& c, const F& look) {
    bool taken = false;
    for (ScalarType type : types) {
        const std::string call = c.text, dtype = toString(type);
        CAPTURE(call);
        CAPTURE(dtype);
        const Tensor x = ones(c.sizes, type);
        tensors results;
        try {
            results = c.run(x);
        } catch (const InternalError&) {
            throw;
        } catch (const Error&) {
            continue;  // not supported for this dtype
        }
        taken = true;
        look(x, results);
    }
    const std::string call = c.text;
    CAPTURE(call);
    CHECK(taken);
}

}  // namespace

TEST_CASE("a result that is not a view shares nothing with an operand of one element" *
          doctest::test_suite("host")) {
    test::for_each_mode([] {
        for (const degenerate_call& c : fresh)
            for_each_type(c, [](const Tensor& x, tensors& results) {
                for (Tensor& r : results) {
                    CHECK_FALSE(r.is_alias_of(x));
                    r.zero_();
                }
                CHECK(equal(x, ones_like(x)));
            });
    });
}

TEST_CASE("what rearranges one operand is a view of it") {
    test::for_each_mode([] {
        for (const degenerate_call& c : views)
            for_each_type(c, [](const Tensor& x, tensors& results) {
                CHECK(results[0].is_alias_of(x));
                results[0].zero_();
                CHECK_FALSE(equal(x, ones_like(x)));
            });
    });
}
