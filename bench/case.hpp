// A case: what the library computes, over which inputs, at which sizes. The loops of the same name
// (loops/loops.hpp) are its rivals. They read and write the same memory in the same order.
#pragma once

#include "bench/bench.hpp"
#include "bench/buffer.hpp"
#include "bench/loops/loops.hpp"

#include <sinter/sinter.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace bench {

/// Square matrices: x, or (x + x^T) / 2, with 6 n added to the diagonal.
enum class matrices { dominant, positive };

/// One case at one size, dtype and thread count: collects the rivals, then races them.
class contest {
public:
    contest(const options& o, std::string name, std::string dtype, int64_t n, int threads);

    // ---- what a case states
    sinter::ScalarType type() const { return type_; }
    /// Returns values in [low, high) that depend only on their index and `seed`; peers.py makes the
    /// same values.
    sinter::Tensor input(sinter::IntArrayRef shape, double low = -3, double high = 3);
    sinter::Tensor input(sinter::IntArrayRef shape, double low, double high,
                         sinter::ScalarType type);
    /// Returns values in [low, high) in an order that no branch predictor and no prefetcher learns,
    /// unlike that of `input`. Up to 2^24 of a floating dtype differ, so that no tie decides.
    sinter::Tensor random(sinter::IntArrayRef shape, double low, double high,
                          sinter::ScalarType type);
    /// Returns a mask whose elements are true with this probability.
    sinter::Tensor mask(sinter::IntArrayRef shape, double share);
    /// Makes a tensor of the case's own values an input.
    sinter::Tensor given(const sinter::Tensor& values);
    /// Returns random regular square matrices: (batch..., n, n).
    sinter::Tensor squares(sinter::IntArrayRef shape, matrices kind);
    /// Sets the sizes that the loops get.
    void sizes(std::initializer_list<int64_t> values);
    /// The number of elements that the algorithm must move, each once, and of arithmetic
    /// operations.
    void cost(double elements, double operations);
    void cost_bytes(double bytes, double operations);
    /// The largest accepted difference from the library's result, relative to 1 + |value|.
    void tolerance(double f32, double f64) { tolerance_ = type_ == sinter::kDouble ? f64 : f32; }
    /// Eager mode and fast math run the same code, and are no rivals.
    void same_in_all_modes() { same_in_all_modes_ = true; }
    /// The result is the first input, changed: loops find a copy of it where they write.
    void in_place() { in_place_ = true; }
    /// The results are equal if they are in ascending order: the case draws them.
    void in_any_order() { in_any_order_ = true; }
    /// `expression()` returns the right-hand side of one lazy statement. `reused` asks for a second
    /// run that writes into an existing tensor.
    template <class E>
    void lazy(const E& expression, bool reused = true) {
        fused("fresh", [=] {
            sinter::Tensor z = expression();
            z.eval();
        });
        expected_ = {sinter::Tensor(expression()).eval()};
        if (!reused) return;
        sinter::Tensor target = expected_[0];
        rivals_.push_back(rival::of("fused", "reused", [=]() mutable {
            target.copy_(expression());
            target.eval();
        }));
    }
    /// `values()` returns lazy results, which are evaluated together.
    void lazy_list(const std::function<std::vector<sinter::Tensor>()>& values);

    std::vector<record> run();

private:
    void fused(const std::string& note, const std::function<void()>& once);
    void add_loops();
    void add_loop(const std::string& impl, const loop_row& row);
    bool agrees(const std::string& impl, const void* values) const;

    const options& o_;
    std::string name_, dtype_;
    sinter::ScalarType type_;
    int64_t n_;
    int threads_;
    int64_t bytes_ = 0, operations_ = 0;
    double tolerance_;
    bool same_in_all_modes_ = false, in_place_ = false, in_any_order_ = false;
    loop_arguments arguments_;
    std::vector<sinter::Tensor> inputs_, expected_;
    std::shared_ptr<buffer<char>> output_;
    std::vector<rival> rivals_;

public:
    int64_t n() const { return n_; }
    int threads() const { return threads_; }
};

/// A row of the table. A new case needs one more row, and a hand-written loop of its name.
struct bench_case {
    std::string name;
    std::vector<int64_t> sizes;
    std::function<void(contest&)> set_up;
    std::vector<std::string> dtypes = {"f32", "f64"};
};

/// About 1e3, 1e5, 1e6 and 3e7 elements: in L1, L2, L3, and in memory.
inline const std::vector<int64_t> every_level = {1000, 100000, 1000000, 30000000};
inline const std::vector<int64_t> in_caches = {1000, 100000, 1000000};

// ---- the families
std::vector<bench_case> pointwise_cases();
std::vector<bench_case> reduction_cases();
std::vector<bench_case> row_cases();
std::vector<bench_case> broadcast_cases();
std::vector<bench_case> layout_cases();
std::vector<bench_case> element_cases();
std::vector<bench_case> product_cases();
std::vector<bench_case> contraction_cases();
std::vector<bench_case> system_cases();
std::vector<bench_case> gradient_cases();
std::vector<bench_case> statement_cases();

}  // namespace bench
