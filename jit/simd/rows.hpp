// One loop for each elementwise row, compute type and operand pattern of this level.
#pragma once

#include "jit/simd/loops.hpp"

#include <boost/hana/for_each.hpp>

namespace sinter::block::SINTER_BLOCK_LEVEL {

// ---- operands

template <class T>
struct array {
    const T* data;
    number<T> operator[](int64_t i) const { return number<T>::from(data[i]); }
};
/// g++ 12 vectorises no loop that selects by a `bool` from memory.
template <>
struct array<bool> {
    const bool* data;
    number<bool> operator[](int64_t i) const {
        return number<bool>::from(reinterpret_cast<const uint8_t*>(data)[i] != 0);
    }
};
template <class T>
struct one {
    number<T> value;
    number<T> operator[](int64_t) const { return value; }
};

template <class T>
array<T> many(const void* p) {
    return {static_cast<const T*>(p)};
}
template <class T>
one<T> single(const void* p) {
    return {number<T>::from(*static_cast<const T*>(p))};
}

// ---- one row

/// Returns true for rows whose formula is so long that separate loops per operand pattern gain
/// nothing.
constexpr bool is_long(op::id row) {
    switch (row) {
        case op::floor_divide:
        case op::remainder:
        case op::fmod:
        case op::pow:
        case op::xlogy:
        case op::xlog1py:
        case op::gcd:
        case op::lcm:
        case op::logaddexp:
        case op::logaddexp2:
        case op::hypot:
        case op::atan2:
        case op::philox_uniform:
        case op::philox_normal:
        case op::philox_bits: return true;
        default: return false;
    }
}

/// Returns true for rows whose formula uses `rarely`. Their loop is compiled twice: without the
/// rare part, for parts of a block that contain no rare number, and with it.
constexpr bool has_rare_part(op::id row) {
    switch (row) {
        case op::floor_divide:
        case op::remainder:
        case op::fmod:
        case op::sin:
        case op::cos:
        case op::tan:
        case op::spherical_bessel_j0:
        case op::airy_ai:
        case op::bessel_j0:
        case op::bessel_j1:
        case op::bessel_y0:
        case op::bessel_y1: return true;
        default: return false;
    }
}
/// Returns the condition of the formula's `rarely`.
template <op::id row, class V>
typename V::mask is_rare(V a, V b) {
    if constexpr (row == op::floor_divide || row == op::remainder || row == op::fmod)
        return math::has_long_quotient(a, b);
    else if constexpr (row == op::airy_ai)
        return math::is_far_airy(a);
    else if constexpr (row >= op::bessel_j0 && row <= op::bessel_y1)
        return math::is_far_wave(a);
    else
        return math::is_far_angle(a);
}

/// Returns true for rows whose formula asks V::brief().
constexpr bool has_brief_formula(op::id row) {
    switch (row) {
        case op::pow:
        case op::sin:
        case op::cos:
        case op::spherical_bessel_j0: return true;
        default: return false;
    }
}

/// T: the compute type; for random rows the result's. Flags: those of host<T>.
template <class Row, class T, int Flags = 0>
struct row_loops {
    static constexpr bool random = Row::rule == dtype_rule::random;
    static constexpr bool choice = Row::rule == dtype_rule::choice;
    static constexpr bool predicate =
        Row::rule == dtype_rule::test || Row::rule == dtype_rule::logical;
    using out_type = std::conditional_t<predicate, bool, T>;
    using first_type = std::conditional_t<random, int64_t, std::conditional_t<choice, bool, T>>;
    using rest_type = std::conditional_t<random, int64_t, T>;
    static constexpr int arity = Row::arity;

    template <class... Operands>
    [[gnu::always_inline]] static void each(void* out, int64_t n, Operands... operands) {
        out_type* o = static_cast<out_type*>(out);
        SINTER_INDEPENDENT
        for (int64_t i = 0; i < n; ++i) {
            if constexpr (random)
                o[i] = Row::template value<number<T>>(operands[i]...).v;
            else
                o[i] = Row::value(flagged(operands[i])...).v;
        }
    }
    template <class U>
    [[gnu::always_inline]] static auto flagged(number<U> x) {
        using V = math::host<U, SINTER_HOST_ISA | Flags>;
        return V::from(x.v);
    }

    // ---- loops, one for each operand pattern
    SINTER_BLOCK_LOOP static void all_arrays(void* out, const void* const* in, int64_t n) {
        if constexpr (arity == 1)
            each(out, n, many<first_type>(in[0]));
        else if constexpr (arity == 2)
            each(out, n, many<first_type>(in[0]), many<rest_type>(in[1]));
        else
            each(out, n, many<first_type>(in[0]), many<rest_type>(in[1]), many<rest_type>(in[2]));
    }

    // ---- loops over parts of a block, most of which contain no rare number
    template <class V>
    [[gnu::always_inline]] static V value_at(const void* const* in, int64_t i) {
        if constexpr (arity == 1)
            return Row::value(V::from(static_cast<const T*>(in[0])[i]));
        else
            return Row::value(V::from(static_cast<const T*>(in[0])[i]),
                              V::from(static_cast<const T*>(in[1])[i]));
    }
    SINTER_BLOCK_LOOP static bool has_rare(const void* const* in, int64_t n) {
        using word = std::conditional_t<sizeof(T) == 8, int64_t, int32_t>;
        word any = 0;
        for (int64_t i = 0; i < n; ++i) {
            const auto a = number<T>::from(static_cast<const T*>(in[0])[i]);
            const auto b = number<T>::from(static_cast<const T*>(in[arity - 1])[i]);
            any |= is_rare<Row::id>(a, b).v ? word{1} : word{0};
        }
        return any != 0;
    }
    SINTER_BLOCK_LOOP static void usual_arrays(void* out, const void* const* in, int64_t n) {
        using usual = math::host<T, SINTER_HOST_ISA | SINTER_HOST_USUAL | Flags>;
        SINTER_INDEPENDENT
        for (int64_t i = 0; i < n; ++i) static_cast<T*>(out)[i] = value_at<usual>(in, i).v;
    }
    static void arrays(void* out, const void* const* in, int64_t n) {
        if constexpr (has_rare_part(Row::id) && std::is_floating_point_v<T>) {
            constexpr int64_t part = 512;
            for (int64_t begin = 0; begin < n; begin += part) {
                const int64_t size = n - begin < part ? n - begin : part;
                const void* at[arity];
                for (int k = 0; k < arity; ++k) at[k] = static_cast<const T*>(in[k]) + begin;
                (has_rare(at, size) ? all_arrays : usual_arrays)(static_cast<T*>(out) + begin, at,
                                                                 size);
            }
        } else {
            all_arrays(out, in, n);
        }
    }

    SINTER_BLOCK_LOOP static void array_one(void* out, const void* const* in, int64_t n) {
        each(out, n, many<first_type>(in[0]), single<rest_type>(in[1]));
    }
    SINTER_BLOCK_LOOP static void one_array(void* out, const void* const* in, int64_t n) {
        each(out, n, single<first_type>(in[0]), many<rest_type>(in[1]));
    }
    SINTER_BLOCK_LOOP static void array_one_one(void* out, const void* const* in, int64_t n) {
        each(out, n, many<first_type>(in[0]), single<rest_type>(in[1]), single<rest_type>(in[2]));
    }
    SINTER_BLOCK_LOOP static void array_array_one(void* out, const void* const* in, int64_t n) {
        each(out, n, many<first_type>(in[0]), many<rest_type>(in[1]), single<rest_type>(in[2]));
    }
    SINTER_BLOCK_LOOP static void array_one_array(void* out, const void* const* in, int64_t n) {
        each(out, n, many<first_type>(in[0]), single<rest_type>(in[1]), many<rest_type>(in[2]));
    }

    // ---- any pattern
    template <class T2>
    static void spread(void* to, const void* from, int64_t n) {
        const T2 value = *static_cast<const T2*>(from);
        for (int64_t i = 0; i < n; ++i) static_cast<T2*>(to)[i] = value;
    }
    /// Expands the uniform operands to blocks.
    static void any_pattern(void* out, const void* const* in, const bool* uniform, int64_t n) {
        constexpr int64_t part = 256;
        alignas(64) char buffers[arity][part * sizeof(int64_t)];
        const int64_t longest = n < part ? n : part;
        for (int k = 0; k < arity; ++k) {
            if (!uniform[k]) continue;
            if (k == 0)
                spread<first_type>(buffers[k], in[k], longest);
            else
                spread<rest_type>(buffers[k], in[k], longest);
        }
        for (int64_t begin = 0; begin < n; begin += part) {
            const void* at[arity];
            for (int k = 0; k < arity; ++k) {
                const int64_t size = k == 0 ? sizeof(first_type) : sizeof(rest_type);
                at[k] = uniform[k] ? buffers[k] : static_cast<const char*>(in[k]) + begin * size;
            }
            arrays(static_cast<out_type*>(out) + begin, at, n - begin < part ? n - begin : part);
        }
    }
    static void dispatch(void* out, const void* const* in, const bool* uniform, int64_t n) {
        if constexpr (arity == 1) {
            if (!uniform[0]) return arrays(out, in, n);
        } else if constexpr (arity == 2) {
            if (!uniform[0] && !uniform[1]) return arrays(out, in, n);
            if constexpr (!is_long(Row::id)) {
                if (!uniform[0]) return array_one(out, in, n);
                if (!uniform[1]) return one_array(out, in, n);
            }
        } else if (!uniform[0]) {
            if (!uniform[1]) return uniform[2] ? array_array_one(out, in, n) : arrays(out, in, n);
            return uniform[2] ? array_one_one(out, in, n) : array_one_array(out, in, n);
        }
        for (int k = 0; k < arity; ++k) {
            if (!uniform[k]) return any_pattern(out, in, uniform, n);
        }
        // The result is one value. A local holds it, since `out` may be an operand.
        out_type result;
        arrays(&result, in, 1);
        spread<out_type>(out, &result, n);
    }
    static void call(void* out, const void* const* in, const bool* uniform, int64_t n,
                     uint64_t* status) {
        if (n <= 0) return;
        dispatch(out, in, uniform, n);
        if constexpr (std::is_integral_v<T>) {  // only integer formulas have guards
            *status |= math::host_status;
            math::host_status = 0;
        }
    }
};

// ---- the table

enum class group { arith, power, trig, special, bessel, logic };

/// Returns the source file that compiles a row; rows are grouped by cost, so that files build in
/// parallel.
constexpr group group_of(op::id row) {
    if (row == op::pow) return group::power;
    if (row <= op::lcm) return group::arith;
    if (row >= op::sqrt && row <= op::entr) return group::power;
    if (row >= op::sin && row <= op::sigmoid) return group::trig;
    if (row >= op::erfinv && row <= op::i1e) return group::special;
    if (row >= op::airy_ai && row <= op::scaled_modified_bessel_k1) return group::bessel;
    return group::logic;
}

template <group Group>
void fill(table& t) {
    boost::hana::for_each(rows::all, [&](auto row) {
        using Row = decltype(row);
        if constexpr (group_of(Row::id) == Group) {
            for_each_compute_type([&]<class T>() {
                if constexpr (op::computes_in<T>(Row::id)) {
                    t.rows[Row::id][slot<T>()] = row_loops<Row, T>::call;
                }
            });
            constexpr int flags = has_brief_formula(Row::id) ? SINTER_HOST_BRIEF : 0;
            if constexpr (op::computes_in<float>(Row::id) && Row::rule != dtype_rule::random)
                t.rows[Row::id][narrow_slot] = row_loops<Row, float, flags>::call;
        }
    });
}

}  // namespace sinter::block::SINTER_BLOCK_LEVEL
