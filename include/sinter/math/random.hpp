// Random draws: Philox4x32-10 (Salmon, Moraes, Dror, Shaw 2011). The counter is the position in the
// stream, the key the seed; every element has one block of four words of its own, so that no draw
// depends on another.
#pragma once

#include <sinter/math/log.hpp>
#include <sinter/math/trig.hpp>

namespace sinter::math {

namespace detail {

template <class W>
struct words {
    W w0, w1, w2, w3;
};

template <class W>
words<W> philox4x32(words<W> counter, W key0, W key1) {
    W m0 = W::from(static_cast<int32_t>(0xD2511F53u)),
      m1 = W::from(static_cast<int32_t>(0xCD9E8D57u));
    W step0 = W::from(static_cast<int32_t>(0x9E3779B9u)),
      step1 = W::from(static_cast<int32_t>(0xBB67AE85u));
    for (int round = 0; round < 10; ++round) {
        W hi0 = mulhi(m0, counter.w0), lo0 = m0 * counter.w0;
        W hi1 = mulhi(m1, counter.w2), lo1 = m1 * counter.w2;
        counter = {hi1 ^ counter.w1 ^ key0, lo1, hi0 ^ counter.w3 ^ key1, lo0};
        key0 = key0 + step0;
        key1 = key1 + step1;
    }
    return counter;
}

/// The block of a seed and a position, both int64.
template <class I>
auto philox_block(I seed, I position) {
    using W = typename I::template as<int32_t>;
    auto low = [](I x) { return convert<int32_t>(x); };
    auto high = [](I x) { return convert<int32_t>(x >> 32); };
    return philox4x32(words<W>{low(position), high(position), W(0), W(0)}, low(seed), high(seed));
}

/// Two words as one integer, the first on top.
template <class W>
auto join(W high, W low) {
    using I = typename W::template as<int64_t>;
    return (convert<int64_t>(high) << 32) | (convert<int64_t>(low) & I::from(0xffffffff));
}

/// The top 53 bits of two words, as a whole number. Made of 32-bit conversions, which more
/// instruction sets have.
template <class D, class W>
D whole_53(W high, W low) {
    D top = convert<double>(lshr(high, 16)) * D(0x1p37);
    D middle = convert<double>(high & W(0xffff)) * D(0x1p21);
    return top + middle + convert<double>(lshr(low, 11));
}

}  // namespace detail

/// In [0, 1): 53 bits in f64, 24 in f32.
template <class R, class V>
R philox_uniform(V seed, V position) {
    using N = R;
    auto w = detail::philox_block(seed, position);
    if constexpr (!is_double<N>)
        return convert<float>(lshr(w.w0, 8)) * N(0x1p-24);
    else
        return detail::whole_53<N>(w.w0, w.w1) * N(0x1p-53);
}

/// Standard normal numbers by Box and Muller. The angle is a whole quadrant plus an exact fraction.
template <class R, class V>
R philox_normal(V seed, V position) {
    using namespace detail;
    using N = R;
    auto w = philox_block(seed, position);
    N uniform, quarters;  // in (0, 1]; in [0, 4)
    if constexpr (is_double<N>) {
        uniform = (whole_53<N>(w.w0, w.w1) + N(1)) * N(0x1p-53);
        quarters = whole_53<N>(w.w2, w.w3) * N(0x1p-51);
    } else {
        uniform = fma(convert<float>(lshr(w.w0, 1)), N(0x1p-31), N(0x1p-32));
        quarters = convert<float>(lshr(w.w2, 8)) * N(0x1p-22);
    }
    N radius = sqrt(N(-2) * log(uniform));
    auto q = round_to_integer(quarters);
    N fraction = quarters - q.value;
    using I = decltype(q.integer);
    I quadrant = q.integer + I(1);  // cos is sin a quarter turn on
    N sine, cosine;
    if constexpr (is_double<N>) {
        auto r =
            pair<N>{fraction, N(0)} * pair<N>{N(0x1.921fb54442d18p+0), N(0x1.1a62633145c07p-54)};
        auto both = sin_cos_reduced(r);
        sine = total(both.sin);
        cosine = total(both.cos);
    } else {
        N r = fraction * N(0x1.921fb6p+0);
        sine = sin_short(r);
        cosine = cos_short(r);
    }
    return radius * negate_by(select(is_odd<N>(quadrant), cosine, sine), quadrant);
}

/// 64 random bits, the first word on top.
template <class R, class V>
R philox_bits(V seed, V position) {
    static_assert(std::is_same_v<typename R::scalar, int64_t>);
    auto w = detail::philox_block(seed, position);
    return detail::join(w.w0, w.w1);
}

}  // namespace sinter::math
