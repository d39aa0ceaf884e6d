// Every class of misuse, for functions of every kind: the type and text of the exception, and that
// nothing has changed. The table is misuse.def.
#include "tests/ops/check.hpp"

#include <sinter/functions/out.hpp>

#include <typeinfo>

using namespace sinter;
using namespace sinter::indexing;

namespace {

constexpr int64_t big = int64_t{1} << 32, max = INT64_MAX;
float memory[4] = {};

struct subjects {
    Tensor none;
    Tensor m = ones({2, 3}), v = ones({3}), sq = ones({3, 3});
    Tensor row = ones({1, 3}).expand({2, 3});
    Tensor nothing = empty({0});
    Tensor head = v.slice(0, 0, -1);

    bool untouched() const {
        return m.sizes() == IntArrayRef({2, 3}) && m.eq(1).all().item<bool>() &&
               v.eq(1).all().item<bool>() && sq.eq(1).all().item<bool>() &&
               row.eq(1).all().item<bool>() && !none.defined();
    }
};

/// Returns the error, thrown at the latest when the value is read.
template <class T>
void finish(const T& result) {
    if constexpr (std::is_convertible_v<T, Tensor>) Tensor(result).eval();
}

struct misuse {
    const char* call;
    const std::type_info& type;
    const char* text;
    void (*run)(subjects&);
};

const misuse table[] = {
#define MISUSE(exception, text, ...)                                      \
    {#__VA_ARGS__, typeid(exception), text, [](subjects& s) {             \
         [[maybe_unused]] auto& [none, m, v, sq, row, nothing, head] = s; \
         finish(__VA_ARGS__);                                             \
     }},
#include "tests/ops/tensor/misuse.def"
#undef MISUSE
};

}  // namespace

TEST_CASE("misuse is refused, by name and with a remedy" * doctest::test_suite("at the line")) {
    test::for_each_mode([] {
        for (const misuse& row : table) {
            const std::string call = row.call;
            CAPTURE(call);
            subjects s;
            std::string text = "no exception";
            bool exact = false;
            try {
                row.run(s);
            } catch (const Error& e) {
                text = e.what();
                exact = typeid(e) == row.type;
            }
            CHECK(text == std::string(row.text));
            CHECK_MESSAGE(exact, "the type is not exactly " << row.type.name());
            CHECK_MESSAGE(s.untouched(), "a tensor has changed");
        }
    });
}
