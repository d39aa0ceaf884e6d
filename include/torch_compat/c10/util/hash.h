// c10::hash, which is std::hash, and the hashes of several values together.
#pragma once

#include <c10/util/complex.h>

#include <cstddef>
#include <functional>

namespace c10 {

template <class T>
struct hash : std::hash<T> {};

inline std::size_t hash_combine(std::size_t seed, std::size_t value) {
    return seed ^ (value + 0x9e3779b97f4a7c15u + (seed << 6) + (seed >> 2));
}
template <class... T>
std::size_t get_hash(const T&... values) {
    std::size_t seed = 0;
    ((seed = hash_combine(seed, hash<T>()(values))), ...);
    return seed;
}

}  // namespace c10
