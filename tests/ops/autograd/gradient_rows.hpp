// Functions whose gradients are compared with finite differences: a row each, in lists by area.
#pragma once

#include <sinter/sinter.hpp>

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace testing {

using sinter::Tensor;
using sinter::autograd::variable_list;

/// An operand of random numbers in [low, high), which should keep away from where the function has
/// no derivative. A complex one has such a real part and an imaginary part in [-0.7, 0.7).
struct random_operand {
    std::vector<int64_t> sizes;
    double low = -1.5, high = 1.5;
};

enum class numbers : uint8_t { real, complex_too, complex_only };

struct gradient_row {
    // As docs/functions.md has it; a slash and more words tell rows of one function apart.
    std::string name;
    std::vector<random_operand> operands;
    std::function<variable_list(const variable_list&)> f;
    numbers of = numbers::real;
};

inline variable_list listed(const Tensor& t) { return {t}; }
inline variable_list listed(std::vector<Tensor> all) { return all; }
template <class... T>
variable_list listed(const std::tuple<T...>& all) {
    return std::apply([](const auto&... t) { return variable_list{Tensor(t)...}; }, all);
}

/// A row: the call is an expression of the operands a, b, c and d.
#define GRADIENT_ROW(name, of, call, ...)                                              \
    gradient_row {                                                                     \
        name, {__VA_ARGS__},                                                           \
            [](const variable_list& v) {                                               \
                [[maybe_unused]] const Tensor &a = v[0], &b = v[v.size() > 1 ? 1 : 0], \
                                              &c = v[v.size() > 2 ? 2 : 0],            \
                                              &d = v[v.size() > 3 ? 3 : 0];            \
                return listed(call);                                                   \
            },                                                                         \
            numbers::of                                                                \
    }

/// The lists.
///@{
std::vector<gradient_row> unary_rows();
std::vector<gradient_row> binary_rows();
std::vector<gradient_row> parametric_rows();
std::vector<gradient_row> reduction_rows();
std::vector<gradient_row> distance_rows();
std::vector<gradient_row> neural_rows();
std::vector<gradient_row> view_rows();
///@}

/// Compares first and second derivatives with finite differences: of operands in row-major order,
/// transposed, and of every second element of a larger tensor; of real and complex numbers.
void check_gradients(const gradient_row& r);
/// Checks the row for other sizes of its operands, row-major and of real numbers alone.
void check_gradients(const gradient_row& r, const std::vector<std::vector<int64_t>>& sizes);

}  // namespace testing
