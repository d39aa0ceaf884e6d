// The rivals of a case: the library's from its expression, the others by name.
#include "bench/case.hpp"

#include "bench/loops/lapack.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <stdexcept>

namespace bench {
namespace {

using namespace sinter;

ScalarType type_of(const std::string& dtype) {
    if (dtype == "f64") return kDouble;
    if (dtype == "f16") return kHalf;
    if (dtype == "bf16") return kBFloat16;
    return kFloat;
}

/// Returns where a loop writes a result that follows `bytes` of others, and adds its bytes to them.
int64_t place_of(const Tensor& result, int64_t& bytes) {
    const int64_t size = result.element_size(), place = (bytes + size - 1) / size * size;
    bytes = place + result.numel() * size;
    return place;
}

/// Returns the elements of a random permutation of 2^24 numbers, divided by that number.
Tensor shuffled(IntArrayRef shape, int64_t seed) {
    constexpr int64_t last = (int64_t{1} << 24) - 1;
    int64_t count = 1;
    for (int64_t extent : shape) count *= extent;
    Tensor place = (arange(count, kLong) + (seed + 1) * 1000003).bitwise_and(last);
    for (int64_t odd : {10368889, 14058331, 7027927}) {
        place = (place * odd).bitwise_and(last);
        place = place.bitwise_xor(place.bitwise_right_shift(11));
    }
    return (place.to(kDouble) * 0x1p-24).view(shape);
}

}  // namespace

contest::contest(const options& o, std::string name, std::string dtype, int64_t n, int threads)
    : o_(o),
      name_(std::move(name)),
      dtype_(std::move(dtype)),
      type_(type_of(dtype_)),
      n_(n),
      threads_(threads),
      tolerance_(type_ == kDouble ? 1e-11 : 5e-5) {
    arguments_.threads = threads;
    arguments_.sizes[0] = n;
}

Tensor contest::input(IntArrayRef shape, double low, double high, ScalarType type) {
    const auto seed = static_cast<int64_t>(inputs_.size());
    // A Weyl sequence: random enough for timing, and easy to reproduce in other languages.
    int64_t count = 1;
    for (int64_t extent : shape) count *= extent;
    Tensor place = arange(count, kLong) * 2654435761 + (seed + 1) * 40503;
    Tensor unit = place.bitwise_and(0xffffffff).to(kDouble) * 0x1p-32;
    return given((unit * (high - low) + low).to(type).view(shape));
}

Tensor contest::given(const Tensor& values) {
    inputs_.push_back(values.eval());
    return inputs_.back();
}

Tensor contest::input(IntArrayRef shape, double low, double high) {
    return input(shape, low, high, type_);
}

Tensor contest::random(IntArrayRef shape, double low, double high, ScalarType type) {
    const auto seed = static_cast<int64_t>(inputs_.size());
    return given((shuffled(shape, seed) * (high - low) + low).to(type));
}

Tensor contest::mask(IntArrayRef shape, double share) {
    return given(shuffled(shape, static_cast<int64_t>(inputs_.size())) < share);
}

Tensor contest::squares(IntArrayRef shape, matrices kind) {
    Tensor x = input(shape);
    if (kind == matrices::positive) x = (x + x.mT()) / 2;
    x = (x + eye(shape.back(), type_) * (6.0 * static_cast<double>(shape.back()))).eval();
    inputs_.back() = x;
    return x;
}

void contest::sizes(std::initializer_list<int64_t> values) {
    std::copy(values.begin(), values.end(), arguments_.sizes);
}

void contest::cost(double elements, double operations) {
    cost_bytes(elements * static_cast<double>(elementSize(type_)), operations);
}

void contest::cost_bytes(double bytes, double operations) {
    bytes_ = std::llround(bytes);
    operations_ = std::llround(operations);
}

void contest::fused(const std::string& note, const std::function<void()>& once) {
    rivals_.push_back(rival::of("fused", note, once));
    if (same_in_all_modes_) return;
    rivals_.push_back({"fast", note, [=](int64_t times) {
                           FastMathGuard guard;
                           for (int64_t i = 0; i < times; ++i) once();
                       }});
    if (n_ > 5 * 1000 * 1000)
        return;  // one kernel per operation, each through memory: known to be slower
    rivals_.push_back({"eager", note, [=](int64_t times) {
                           ModeGuard guard(Mode::eager);
                           for (int64_t i = 0; i < times; ++i) once();
                       }});
}

void contest::lazy_list(const std::function<std::vector<Tensor>()>& values) {
    fused("fresh", [=] { eval(values()); });
    expected_ = values();
    eval(expected_);
}

/// Rivals must have equal results, or times mean nothing. A hand-written loop that differs is a
/// mistake. A peer may be too inaccurate, such as those that add millions of floats in one chain.
bool contest::agrees(const std::string& impl, const void* values) const {
    int64_t at = 0;
    const bool by_hand = impl.starts_with("hand");
    const double allowed = by_hand ? tolerance_ : 100 * tolerance_;
    for (const Tensor& want : expected_) {
        const Tensor got = from_blob(static_cast<const char*>(values) + place_of(want, at),
                                     want.sizes(), want.scalar_type());
        Tensor g = got.to(kDouble), w = want.to(kDouble);
        if (in_any_order_) {
            g = std::get<0>(g.sort());
            w = std::get<0>(w.sort());
        }
        const Tensor error = (g - w).abs() / (1 + w.abs());
        const double worst = error.numel() == 0 ? 0 : error.amax().item<double>();
        if (worst <= allowed) continue;
        const std::string text = "[bench] " + name_ + " " + dtype_ + " n=" + std::to_string(n_) +
                                 ": " + impl + " computes something else; got a difference of " +
                                 std::to_string(worst) + ", expected at most " +
                                 std::to_string(allowed);
        if (by_hand) throw std::runtime_error(text);
        std::fprintf(stderr, "%s; it is left out\n", text.c_str());
        return false;
    }
    return true;
}

void contest::add_loop(const std::string& impl, const loop_row& row) {
    const loop f = type_ == kDouble ? row.f64 : row.f32;
    if (!f) return;
    if (in_place_)
        std::memcpy(arguments_.output, arguments_.inputs[0],
                    static_cast<std::size_t>(expected_[0].numel() * expected_[0].element_size()));
    f(arguments_);
    if (!agrees(impl, output_->data())) return;
    // The closures keep alive what the loops read and write.
    const auto as_rival = [&](bool stream) {
        loop_arguments a = arguments_;
        a.stream = stream;
        std::string note = stream ? "reused, non-temporal stores" : "reused";
        if (*row.note) note += std::string(", ") + row.note;
        return rival::of(impl, note, [f, a, inputs = inputs_, output = output_] { f(a); });
    };
    // Whether streaming stores help depends on the loop, the size and the machine. Results that fit
    // into the L2 cache must stay there.
    bool stream = false;
    if (row.streams && bytes_ >= (int64_t{1} << 21)) {
        std::vector<rival> both{as_rival(false), as_rival(true)};
        const std::vector<timing> t = race(o_.quickly(), both);
        stream = t[1].min_ns < 0.97 * t[0].min_ns;
    }
    rivals_.push_back(as_rival(stream));
}

void contest::add_loops() {
    int64_t bytes = 0;
    for (const Tensor& t : expected_) place_of(t, bytes);
    output_ = std::make_shared<buffer<char>>(std::max<int64_t>(bytes, 64));
    for (std::size_t i = 0; i < inputs_.size(); ++i)
        arguments_.inputs[i] = std::as_const(inputs_[i]).const_data_ptr();
    arguments_.output = output_->data();
    static const std::pair<const char*, std::vector<loop_row>> all[] = {
        {"hand", hand_loops()},
        {"hand_fast", hand_fast_loops()},
        {"blas", lapack_loops()},
        {"eigen", eigen_loops()},
        {"xtensor", xtensor_loops()}};
    for (const auto& [impl, rows] : all)
        for (const loop_row& row : rows)
            if (row.name == name_) add_loop(impl, row);
}

std::vector<record> contest::run() {
    add_loops();
    if (!o_.impl.empty()) std::erase_if(rivals_, [&](const rival& r) { return r.impl != o_.impl; });
    if (rivals_.empty()) return {};
    const std::size_t count = rivals_.size();
    for (rival& triad : triad_rivals(bytes_, threads_)) rivals_.push_back(std::move(triad));
    const std::vector<timing> times = race(o_, rivals_);
    const double triad_ns = std::min(times[count].min_ns, times[count + 1].min_ns);
    const int64_t triad_bytes = std::max<int64_t>(bytes_ / 12, 1) * 12;
    double sum = 0;
    for (const Tensor& t : expected_) {
        // Not of the indices beside values, which NumPy does not return.
        if (&t != expected_.data() && !t.is_floating_point()) continue;
        sum += t.to(kDouble).abs().sum().item<double>();
    }
    std::vector<record> records;
    for (std::size_t i = 0; i < count; ++i) {
        record r;
        r.name = name_;
        r.n = n_;
        r.dtype = dtype_;
        r.threads = threads_;
        r.impl = rivals_[i].impl;
        r.note = rivals_[i].note;
        r.min_ns = times[i].min_ns;
        r.median_ns = times[i].median_ns;
        r.mean_ns = times[i].mean_ns;
        r.bytes = bytes_;
        r.flops = operations_;
        r.stream_gbps = static_cast<double>(triad_bytes) / triad_ns;
        r.sum = sum;
        records.push_back(std::move(r));
    }
    return records;
}

/// Calls body(case, dtype, n, threads) for everything that the options ask for.
template <class F>
void each_wanted(const options& o, F body) {
    for (const auto& family :
         {pointwise_cases, reduction_cases, row_cases, broadcast_cases, layout_cases, element_cases,
          product_cases, contraction_cases, system_cases, gradient_cases, statement_cases})
        for (const bench_case& c : family())
            for (int64_t n : c.sizes)
                for (const std::string& dtype : c.dtypes)
                    for (int threads : o.threads)
                        if ((!o.quick || options::in_quick(n, dtype)) &&
                            o.wants(c.name, dtype, n, threads))
                            body(c, dtype, n, threads);
}

void run_throughput(const options& o, std::vector<record>& to) {
    each_wanted(o, [&](const bench_case& c, const std::string& dtype, int64_t n, int threads) {
        set_num_threads(threads);
        contest k(o, c.name, dtype, n, threads);
        c.set_up(k);
        std::vector<record> found = k.run();
        if (found.empty()) return;  // the case has no such rival
        for (record& r : found) to.push_back(std::move(r));
        progress(to);
    });
}

void list_throughput(const options& o) {
    each_wanted(o, [](const bench_case& c, const std::string& dtype, int64_t n, int threads) {
        std::printf(R"({"case": "%s", "dtype": "%s", "n": %lld, "threads": %d})"
                    "\n",
                    c.name.c_str(), dtype.c_str(), static_cast<long long>(n), threads);
    });
}

}  // namespace bench
