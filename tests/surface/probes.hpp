// A call of each public function, made to observe how it runs. The contents of docs/functions.md
// are observed, not typed.
#pragma once

#include <sinter/sinter.hpp>

#include <span>
#include <tuple>
#include <vector>

namespace sinter::test {

struct probe {
    const char* name;
    /// Calls the function on a ready 4 x 4 tensor whose elements are 0 and 1, and appends its
    /// tensors.
    void (*call)(const Tensor& x, std::vector<Tensor>& results);
};

/// Every function that is not a row of the operation table.
std::span<const probe> probes();
/// Rows and aliases.
std::span<const probe> row_probes();

inline void collect(std::vector<Tensor>& to, const tensor_base& t) { to.push_back(t.self()); }
inline void collect(std::vector<Tensor>& to, const std::vector<Tensor>& list) {
    to.insert(to.end(), list.begin(), list.end());
}
template <class... T>
void collect(std::vector<Tensor>& to, const std::tuple<T...>& list) {
    std::apply([&](const T&... t) { (collect(to, t), ...); }, list);
}
inline void collect(std::vector<Tensor>&, bool) {}  // the value is the result

}  // namespace sinter::test
