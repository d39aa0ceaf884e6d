// The sort keys of order_key.hpp for GPU kernels.
#pragma once

#include "kernels/gpu/elements.cuh"

namespace sinter::on_gpu {

/// How elements of a dtype become keys, unsigned numbers with the same order. `form` is 0 for
/// unsigned elements, 1 for signed ones and 2 for floats. `turn` is all ones for descending order,
/// else 0.
struct elements {
    u64 bytes, form, sign, exponent, turn;
};

#ifdef SINTER_DEVICE
/// Returns the key of an element from its bits.
template <class key>
static __device__ inline key key_of(const elements& k, key x) {
    const key sign = (key)k.sign, below = sign - 1;
    const u32 form = (u32)k.form;
    if (form == 1) x ^= sign;
    if (form == 2) {
        const key magnitude = x & below;
        if (magnitude > (key)k.exponent)
            x = sign | below;
        else
            x = x & sign ? sign - magnitude : sign + magnitude;
    }
    return x ^ (key)k.turn;
}
/// Sets `bits` to those of the elements that have a key. Returns false if they may differ: zeros
/// do, and all sorts of NaN.
template <class key>
static __device__ inline bool bits_of_key(const elements& k, key x, key& bits) {
    const key sign = (key)k.sign, below = sign - 1;
    const u32 form = (u32)k.form;
    x ^= (key)k.turn;
    if (form == 2)
        bits = x < sign ? sign | (sign - x) : x - sign;
    else
        bits = form == 1 ? x ^ sign : x;
    return form != 2 || (x != sign && x != (sign | below));
}
/// Returns the bits of the element at `p`.
template <class key>
static __device__ inline key bits_at(const elements& k, const char* p) {
    switch ((u32)k.bytes) {
        case 1: return *(const u8*)p;
        case 2: return *(const u16*)p;
        case 4: return *(const u32*)p;
        default: return (key) * (const u64*)p;
    }
}
template <class key>
static __device__ inline void put_bits(const elements& k, char* p, key bits) {
    switch ((u32)k.bytes) {
        case 1: *(u8*)p = (u8)bits; break;
        case 2: *(u16*)p = (u16)bits; break;
        case 4: *(u32*)p = (u32)bits; break;
        default: *(u64*)p = (u64)bits;
    }
}
/// Returns the key of the element at `p`.
template <class key>
static __device__ inline key key_at(const elements& k, const char* p) {
    return key_of<key>(k, bits_at<key>(k, p));
}
template <int count, class element, class key>
static __device__ inline void load_elements(const char* p, i64 step, i64 i, u32 by, u32 inside,
                                            key* bits) {
#pragma unroll
    for (int j = 0; j < count; j++)
        if (j * by < inside) bits[j] = *(const element*)(p + (i + j * by) * step);
}
/// Sets keys of the elements i, i + by, and so on, as many as are less than `inside` after i. They
/// are elements of `data`, or keys if that is null. All are under way before the first one is
/// looked at.
template <int count, class key>
static __device__ inline void load_keys(const elements& of, const char* data, i64 step,
                                        const key* keys, i64 i, u32 by, u32 inside, key* to) {
    if (data) {
        switch ((u32)of.bytes) {
            case 1: load_elements<count, u8>(data, step, i, by, inside, to); break;
            case 2: load_elements<count, u16>(data, step, i, by, inside, to); break;
            case 4: load_elements<count, u32>(data, step, i, by, inside, to); break;
            default: load_elements<count, u64>(data, step, i, by, inside, to);
        }
#pragma unroll
        for (int j = 0; j < count; j++) to[j] = key_of(of, to[j]);
        return;
    }
#pragma unroll
    for (int j = 0; j < count; j++)
        if (j * by < inside) to[j] = keys[i + j * by];
}

/// Returns the position of the first of `n` sorted keys that is not less than `wanted`, or `n`.
template <class key>
static __device__ inline i64 first_not_below(const key* keys, i64 n, key wanted) {
    i64 begin = 0;
    while (n > 0) {
        const i64 half = n / 2;
        const bool below = keys[begin + half] < wanted;
        if (below) begin += half + 1;
        n = below ? n - half - 1 : half;
    }
    return begin;
}
#endif

}  // namespace sinter::on_gpu
