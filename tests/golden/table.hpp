// The table of functions that the reference values name, and how each is called.
#pragma once

#include "tests/golden/call.hpp"

#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace sinter::golden {

using results = std::vector<Tensor>;

struct entry {
    results (*call)(const arguments& a) = nullptr;
    double ulp_f32 = 0, ulp_f64 = 0;  // largest error of the function
};
using function_table = std::map<std::string, entry>;

/// Returns the table of all functions.
const function_table& functions();

void add_rows(function_table& table);
void add_reductions(function_table& table);
void add_shapes(function_table& table);
void add_creation(function_table& table);
void add_indexing(function_table& table);
void add_ordering(function_table& table);
void add_parameters(function_table& table);
void add_complex(function_table& table);
void add_products(function_table& table);
void add_linalg(function_table& table);
void add_random(function_table& table);
void add_special(function_table& table);
void add_neural(function_table& table);

/// Returns argument `i`, or nothing if it is no tensor.
inline optional<Tensor> optional_tensor(const arguments& a, std::size_t i) {
    if (!a.is_tensor(i)) return nullopt;
    return a.t(i);
}

// Returns the result of a call as a list of tensors.
inline results give(const tensor_base& t) { return {t.self()}; }
inline results give(const std::vector<Tensor>& ts) { return ts; }
inline results give(bool truth) { return {scalar_tensor(truth, kBool)}; }
inline results give(ScalarType type) { return {zeros({0}, type)}; }
template <class... T>
results give(const std::tuple<T...>& ts) {
    return std::apply([](const T&... t) { return results{t...}; }, ts);
}

}  // namespace sinter::golden

/// A line of the table: `a` are the arguments.
#define SINTER_CALL(name, ...) \
    table[#name].call = [](const arguments& a) -> results { return give(__VA_ARGS__); }
