// Constant tables of the algebra's `lookup`. A table has one element type; `tables[t]` describes it
// for code generators, `table_data<T>(t)` is its typed data for the host.
#pragma once

#include <sinter/math/tables/bessel_coefficients.hpp>
#include <sinter/math/tables/table_values.def>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <type_traits>

namespace sinter::math {

enum class table : uint16_t {
    two_over_pi_f64,
    two_over_pi_f32,
    erf,
    bessel_j0,
    bessel_j1,
    bessel_y0,
    bessel_y1,
    airy_ai,
    count
};

struct table_info {
    bool is_double;  // else float
    int32_t size;
    const void* data;
};

inline constexpr table_info tables[] = {
    {true, std::size(table_values::two_over_pi_f64), table_values::two_over_pi_f64},
    {true, std::size(table_values::two_over_pi_f32), table_values::two_over_pi_f32},
    {true, std::size(table_values::erf), table_values::erf},
    {true, std::size(table_values::bessel_j0), table_values::bessel_j0},
    {true, std::size(table_values::bessel_j1), table_values::bessel_j1},
    {true, std::size(table_values::bessel_y0), table_values::bessel_y0},
    {true, std::size(table_values::bessel_y1), table_values::bessel_y1},
    {true, std::size(table_values::airy_ai), table_values::airy_ai},
};
static_assert(std::size(tables) == static_cast<std::size_t>(table::count));

/// The array itself and not tables[t].data, so that a compiler sees constants that no store can
/// change.
template <class T>
constexpr const T* table_data(table t) {
    static_assert(std::is_same_v<T, double>);
    switch (t) {
        case table::two_over_pi_f64: return table_values::two_over_pi_f64;
        case table::two_over_pi_f32: return table_values::two_over_pi_f32;
        case table::bessel_j0: return table_values::bessel_j0;
        case table::bessel_j1: return table_values::bessel_j1;
        case table::bessel_y0: return table_values::bessel_y0;
        case table::bessel_y1: return table_values::bessel_y1;
        case table::airy_ai: return table_values::airy_ai;
        default: return table_values::erf;
    }
}

}  // namespace sinter::math
