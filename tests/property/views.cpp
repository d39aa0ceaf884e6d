// Views and lazy copies of every kind, with random arguments.
#include "tests/property/program.hpp"

#include <algorithm>
#include <numeric>

namespace sinter::test {

namespace {

using sizes_t = std::vector<int64_t>;

int64_t some_dim(chooser& c, const Tensor& t) {
    const int64_t n = std::max<int64_t>(t.dim(), 1);
    return c.below(2 * n) - n;  // negative ones too
}

/// Returns another factorisation of the same number of elements.
sizes_t refactored(chooser& c, const Tensor& t) {
    const int64_t n = t.numel();
    if (n == 0 || c.chance(3)) return {c.chance(2) ? -1 : n};
    sizes_t s;
    int64_t left = n;
    for (int64_t f : {2, 3, 5, 7})
        if (left % f == 0 && c.chance(2)) {
            s.push_back(f);
            left /= f;
        }
    if (c.chance(4)) s.push_back(1);
    s.insert(s.begin() + c.below(static_cast<int64_t>(s.size()) + 1), left);
    return s;
}

Tensor strided(chooser& c, const Tensor& t) {
    if (!t.is_contiguous() || t.numel() == 0) return t.as_strided(t.sizes(), t.strides());
    const int64_t n = t.numel();
    if (c.chance(2)) {
        const int64_t step = c.between(1, 3), length = c.between(1, (n - 1) / step + 1);
        const int64_t free = n - 1 - (length - 1) * step;
        return t.as_strided({length}, {step}, t.storage_offset() + c.below(free + 1));
    }
    const int64_t inner = c.between(1, std::min<int64_t>(n, 9));
    const int64_t outer = n / inner;
    if (c.chance(3))  // as many elements, but some of them twice
        return t.as_strided({outer, inner}, {c.below(inner), 1}, t.storage_offset());
    if (c.chance(3))  // overlapping rows
        return t.as_strided({n - inner + 1, inner}, {1, 1}, t.storage_offset());
    if (c.chance(2)) return t.as_strided({inner, outer}, {1, inner}, t.storage_offset());
    return t.as_strided({outer, inner}, {inner, 1}, t.storage_offset());
}

Tensor indexed(chooser& c, const Tensor& t) {
    const int64_t n = t.dim() ? t.size(0) : 0;
    switch (c.below(5)) {
        case 0: return t.index({Ellipsis, None});
        case 1: return t.index({None, Ellipsis});
        case 2:
            return t.dim() ? t.index({Slice(c.below(n), nullopt, c.between(1, 3))}) : t.index({});
        case 3: return t.dim() ? t.index({"...", Slice(nullopt, -1)}) : t.index({"..."});
        default: return n ? t.index({c.below(n), Ellipsis}) : t.index({Ellipsis});
    }
}

Tensor expanded(chooser& c, const Tensor& t) {
    sizes_t s = t.sizes().vec();
    for (int64_t& x : s)
        if (x == 1 && c.chance(2)) x = c.between(1, 4);
    if (s.size() < 4 && t.numel() < 2000) s.insert(s.begin(), c.between(1, 4));
    return t.expand(s);
}

}  // namespace

Tensor take_view(chooser& c, const Tensor& t, view_kind& which, const Tensor& other) {
    which = static_cast<view_kind>(c.below(static_cast<int64_t>(view_kind::count)));
    if (t.is_complex() && c.chance(2))
        which = c.chance(3) ? view_kind::as_real : c.chance(2) ? view_kind::real : view_kind::imag;
    const int64_t rank = t.dim();
    const int64_t dim = some_dim(c, t);
    const int64_t extent = rank ? t.size(dim) : 1;
    switch (which) {
        case view_kind::view: return t.view(refactored(c, t));
        case view_kind::transpose: return t.transpose(dim, some_dim(c, t));
        case view_kind::t: return t.t();
        case view_kind::permute: {
            sizes_t order(static_cast<std::size_t>(rank));
            std::iota(order.begin(), order.end(), 0);
            for (std::size_t i = order.size(); i > 1; --i)
                std::swap(order[i - 1],
                          order[static_cast<std::size_t>(c.below(static_cast<int64_t>(i)))]);
            return t.permute(order);
        }
        case view_kind::slice: {
            const int64_t from = c.between(-extent, extent);
            return t.slice(dim, from,
                           c.chance(2) ? optional<int64_t>() : c.between(-extent, extent),
                           c.between(1, 3));
        }
        case view_kind::select: return t.select(dim, c.between(-extent, extent - 1));
        case view_kind::narrow: {
            const int64_t start = c.below(extent);
            return t.narrow(dim, start, c.between(0, extent - start));
        }
        case view_kind::expand: return expanded(c, t);
        case view_kind::expand_as: return t.expand_as(other);
        case view_kind::squeeze: return t.squeeze();
        case view_kind::squeeze_dim: return t.squeeze(dim);
        case view_kind::unsqueeze: return t.unsqueeze(c.below(rank + 1));
        case view_kind::diagonal: return t.diagonal(c.between(-2, 2), dim, some_dim(c, t));
        case view_kind::unfold: {
            const int64_t size = c.between(0, std::min<int64_t>(extent, 5));
            return t.unfold(dim, size, c.between(1, std::max<int64_t>(1, size + 1)));
        }
        case view_kind::as_strided: return strided(c, t);
        case view_kind::detach: return t.detach();
        case view_kind::subscript: return t[c.between(-extent, extent - 1)];
        case view_kind::index: return indexed(c, t);
        case view_kind::reshape: return t.reshape(refactored(c, t));
        case view_kind::flatten:
            return rank > 1 && c.chance(2) ? t.flatten(c.below(rank - 1)) : t.flatten();
        case view_kind::flip: return c.chance(3) && rank > 1 ? t.flip({0, -1}) : t.flip({dim});
        case view_kind::roll:
            return c.chance(3) ? t.roll({c.between(-3, 3)}) : t.roll({c.between(-3, 3)}, {dim});
        case view_kind::rot90: return t.rot90(c.between(-1, 3), {dim, some_dim(c, t)});
        case view_kind::contiguous: return t.contiguous();
        case view_kind::clone: return t.clone();
        case view_kind::real: return real(t);
        case view_kind::imag: return imag(t);
        case view_kind::as_real: return view_as_real(t);
        case view_kind::as_complex:
            return view_as_complex(t.is_contiguous() && t.numel() % 2 == 0 ? t.view({-1, 2}) : t);
        default: return t;
    }
}

const char* to_string(view_kind k) {
    static const char* const names[] = {
#define SINTER_KIND(name) #name,
        SINTER_VIEWS(SINTER_KIND)
#undef SINTER_KIND
    };
    return names[static_cast<std::size_t>(k)];
}

const char* to_string(statement_kind k) {
    static const char* const names[] = {
#define SINTER_KIND(name) #name,
        SINTER_STATEMENTS(SINTER_KIND)
#undef SINTER_KIND
    };
    return names[static_cast<std::size_t>(k)];
}

}  // namespace sinter::test
