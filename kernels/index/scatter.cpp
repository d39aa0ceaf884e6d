#include "kernels/index/scatter.hpp"

#include "kernels/index/on_gpu.hpp"
#include "kernels/index/space.hpp"
#include "kernels/slices/numbers.hpp"
#include "runtime/base/fail.hpp"
#include "runtime/base/fp_environment.hpp"
#include "runtime/threads/threads.hpp"
#include "runtime/types/dtypes.hpp"

#include <cmath>

namespace sinter::index_kernels {
namespace {

template <class T>
T larger(T a, T b) {
    if constexpr (floating_element<T>) {
        const bool b_wins = b != b || (a == a && (b > a || (b == a && std::signbit(float(a)))));
        return b_wins ? b : a;
    } else {
        return b > a ? b : a;
    }
}

template <class T>
T smaller(T a, T b) {
    if constexpr (floating_element<T>) {
        const bool b_wins = b != b || (a == a && (b < a || (b == a && std::signbit(float(b)))));
        return b_wins ? b : a;
    } else {
        return b < a ? b : a;
    }
}

/// Integers wrap. Bools add by or and multiply by and.
template <put_kind Kind, class T>
T combine(T a, T b) {
    if constexpr (Kind == put_kind::assign) {
        return b;
    } else if constexpr (Kind == put_kind::amax) {
        return larger(a, b);
    } else if constexpr (Kind == put_kind::amin) {
        return smaller(a, b);
    } else if constexpr (std::is_same_v<T, bool>) {
        return Kind == put_kind::add ? a || b : a && b;
    } else if constexpr (narrow_float<T>) {
        const float x = a, y = b;
        return T(Kind == put_kind::add ? x + y : x * y);
    } else if constexpr (std::is_floating_point_v<T> || complex_element<T>) {
        return Kind == put_kind::add ? a + b : a * b;
    } else {
        const auto x = static_cast<uint64_t>(static_cast<int64_t>(a));
        const auto y = static_cast<uint64_t>(static_cast<int64_t>(b));
        return static_cast<T>(Kind == put_kind::add ? x + y : x * y);
    }
}

template <put_kind Kind, class T>
void put_rows(const loops& l) {
    const int64_t to_step = l.indexed_step(), from_step = l.other_step();
    const bool together = l.rows_together();
    l.for_each_row(0, l.total(), [&](const loops::row& r) {
        const auto put = [=, to = r.indexed, from = r.other](int64_t i, int64_t place) {
            char* const p = to + i * to_step + place;
            T a, b;
            std::memcpy(&b, from + i * from_step, sizeof b);
            if constexpr (Kind != put_kind::assign) {
                std::memcpy(&a, p, sizeof a);
                b = combine<Kind>(a, b);
            }
            std::memcpy(p, &b, sizeof b);
        };
        if (!together) return l.each_place<sizeof(T)>(r, put);
        const int64_t place = l.placed(r, 0);
        for (int64_t i = 0; i < r.count; ++i) put(i, place);
    });
}

template <class T>
void put_rows(put_kind kind, const loops& l) {
    switch (kind) {
        case put_kind::add: return put_rows<put_kind::add, T>(l);
        case put_kind::prod: return put_rows<put_kind::prod, T>(l);
        default: break;
    }
    if constexpr (complex_element<T>)
        runtime::bug("scatter", "complex numbers have no order");
    else if (kind == put_kind::amax)
        put_rows<put_kind::amax, T>(l);
    else
        put_rows<put_kind::amin, T>(l);
}

void put_rows(put_kind kind, ScalarType type, const loops& l) {
    const runtime::fp_environment environment;
    if (kind == put_kind::assign) {
        switch (elementSize(type)) {
            case 1: return put_rows<put_kind::assign, uint8_t>(l);
            case 2: return put_rows<put_kind::assign, uint16_t>(l);
            case 4: return put_rows<put_kind::assign, uint32_t>(l);
            case 8: return put_rows<put_kind::assign, uint64_t>(l);
            default: return put_rows<put_kind::assign, complex<double>>(l);
        }
    }
    with_type(type, [&]<class T>(std::type_identity<T>) { put_rows<T>(kind, l); });
}

void check(const op_call& c) {
    const auto indices = c.inputs.subspan(2);
    check_range(c, c.attributes->as<scatter_attributes>().space, c.shape, indices);
}

void run(const op_call& c) {
    const auto& [kind, space] = c.attributes->as<scatter_attributes>();
    const auto indices = c.inputs.subspan(2);
    const loops all(space, c.output, c.shape, const_cast<char*>(c.inputs[1].data),
                    *c.inputs[1].shape, c.dtype, indices);
    if (all.total() == 0) return;
    const int best = all.apart();
    if (best < 0) return put_rows(kind, c.dtype, all);
    const auto dim = static_cast<std::size_t>(best);
    const put_kind put = kind;  // clang captures no structured binding
    const int64_t others = all.total() / all.size(dim);
    const int64_t grain = std::max<int64_t>(1, (1 << 14) / others);
    runtime::parallel_for(0, all.size(dim), grain, [&](int64_t begin, int64_t end) {
        put_rows(put, c.dtype, all.part(dim, begin, end));
    });
}

constexpr kernel_op update(const char* name) {
    return {.name = name,
            .run = run,
            .updates = true,
            .check = check,
            .complex = true,
            .on_gpu = scatter_on_gpu};
}
#define SINTER_UPDATE(name) update(#name), update(#name "_")
const kernel_op operations[] = {
    SINTER_UPDATE(scatter),    SINTER_UPDATE(scatter_add),  SINTER_UPDATE(scatter_reduce),
    SINTER_UPDATE(index_put),  SINTER_UPDATE(index_add),    SINTER_UPDATE(index_copy),
    SINTER_UPDATE(index_fill), SINTER_UPDATE(index_reduce), SINTER_UPDATE(put),
};
#undef SINTER_UPDATE

}  // namespace

const kernel_op* scatter_op(const char* name) {
    for (const kernel_op& o : operations)
        if (std::strcmp(o.name, name) == 0) return &o;
    return nullptr;
}

}  // namespace sinter::index_kernels
