#include "kernels/sort/search.hpp"

#include "kernels/slices/row_walk.hpp"
#include "kernels/sort/order_key.hpp"
#include "kernels/sort/search_on_gpu.hpp"
#include "runtime/base/fail.hpp"
#include "runtime/threads/threads.hpp"
#include "runtime/types/dtypes.hpp"

#include <sinter/error.hpp>

#include <algorithm>
#include <bit>
#include <string>

namespace sinter::ordering {
namespace {

/// Returns the cost of a binary search in `n` elements, for each of `values`.
int64_t work_of(int64_t values, int64_t n) {
    return values * 4 * static_cast<int64_t>(std::bit_width(static_cast<uint64_t>(n)) + 1);
}

/// Rows lie along the last dimension. For a scalar it is 0.
int64_t last_dim(const geometry& g) { return std::max(0, g.ndim - 1); }

void check_sorter(const op_call& call) {
    if (call.inputs.size() < 3) return;
    const op_input& sorter = call.inputs[2];
    const rows::row_walk walk({sorter.shape}, last_dim(*sorter.shape));
    const auto* index = reinterpret_cast<const int64_t*>(sorter.data);
    const int64_t n = walk.length(0);
    walk.for_each_line(n, [&](rows::line l) {
        for (; l.count > 0; --l.count, l.first[0] += walk.next(0))
            for (int64_t i = 0; i < n; ++i) {
                const int64_t k = index[l.first[0] + i * walk.step(0)];
                if (k < 0 || k >= n) bad_sorter(k, n);
            }
    });
}

/// Returns the first position among `n` elements at which `value` can be inserted; after equal
/// elements if `right`. A comparison with NaN always inserts after.
template <class T, class At>
int64_t position_of(T value, int64_t n, bool right, const At& at) {
    int64_t begin = 0;
    while (n > 0) {
        const int64_t half = n / 2;
        const T middle = at(begin + half);
        const bool behind = right ? !(middle > value) : !(middle >= value);
        if (behind) begin += half + 1;
        n = behind ? n - half - 1 : half;
    }
    return begin;
}

template <class T, class Out>
void search(const op_call& call) {
    const op_input &values = call.inputs[0], &sequence = call.inputs[1];
    const bool sorted = call.inputs.size() < 3;
    const op_input& sorter = call.inputs[sorted ? 1 : 2];
    const bool right = call.attributes->as<search_attributes>().right;
    const rows::row_walk walk({values.shape, &call.shape, sequence.shape, sorter.shape},
                              last_dim(*values.shape));
    const auto* x = reinterpret_cast<const T*>(values.data);
    const auto* row = reinterpret_cast<const T*>(sequence.data);
    const auto* order = reinterpret_cast<const int64_t*>(sorter.data);
    auto* out = reinterpret_cast<Out*>(call.output);
    const int64_t n = walk.length(2);
    walk.for_each_line(work_of(walk.length(0), n), [&](rows::line l) {
        for (; l.count > 0; --l.count) {
            const auto at = [&](int64_t i) {
                if (!sorted) i = order[l.first[3] + i * walk.step(3)];
                return rows::value_of(row[l.first[2] + i * walk.step(2)]);
            };
            for (int64_t i = 0; i < walk.length(0); ++i)
                out[l.first[1] + i * walk.step(1)] = static_cast<Out>(
                    position_of(rows::value_of(x[l.first[0] + i * walk.step(0)]), n, right, at));
            for (std::size_t o = 0; o < 4; ++o) l.first[o] += walk.next(static_cast<int>(o));
        }
    });
}

void run_search(const op_call& call) {
    with_type(call.inputs[0].dtype, [&]<real_element T>(std::type_identity<T>) {
        if (call.dtype == kInt)
            search<T, int32_t>(call);
        else
            search<T, int64_t>(call);
    });
}

/// A set of keys, by open addressing: a look-up nearly always reads one place, where a binary
/// search reads many and mispredicts at each.
class key_set {
public:
    explicit key_set(const std::vector<uint64_t>& keys)
        : shift_(63 - std::bit_width(2 * keys.size() + 1)),
          places_(std::size_t{1} << (64 - shift_)) {
        std::vector<bool> taken(keys.size() + 1);
        for (const uint64_t key : keys)
            if (key < taken.size()) taken[key] = true;
        while (taken[nobody_]) ++nobody_;  // the least number that is no key
        std::fill(places_.begin(), places_.end(), nobody_);
        for (const uint64_t key : keys) places_[find(key)] = key;
    }
    bool contains(uint64_t key) const { return places_[find(key)] == key && key != nobody_; }

private:
    /// Returns the place of the key, or the free one where it would be.
    std::size_t find(uint64_t key) const {
        std::size_t at = key * 0x9e3779b97f4a7c15 >> shift_;  // the top bits of a Fibonacci hash
        while (places_[at] != key && places_[at] != nobody_) at = (at + 1) & (places_.size() - 1);
        return at;
    }
    int shift_;
    uint64_t nobody_ = 0;
    std::vector<uint64_t> places_;
};

void run_isin(const op_call& call) {
    const op_input &elements = call.inputs[0], &wanted = call.inputs[1];
    const bool invert = call.attributes->as<isin_attributes>().invert;
    auto* out = reinterpret_cast<bool*>(call.output);
    const rows::row_walk walk({elements.shape, &call.shape}, last_dim(*elements.shape));
    const int64_t n = wanted.shape->numel;
    with_type(elements.dtype, [&]<real_element T>(std::type_identity<T>) {
        const auto* x = reinterpret_cast<const T*>(elements.data);
        const auto* w = reinterpret_cast<const T*>(wanted.data) + wanted.shape->offset;
        const int64_t w_step = wanted.shape->ndim ? wanted.shape->strides()[0] : 0;
        std::vector<uint64_t> some;
        for (int64_t i = 0; i < n; ++i)
            if (!rows::is_nan(w[i * w_step])) some.push_back(order_key(w[i * w_step]));
        const key_set keys(some);
        const auto look_up = [&](T value) { return keys.contains(order_key(value)) != invert; };
        if (elements.shape->contiguous && call.shape.contiguous) {
            const T* from = x + elements.shape->offset;
            bool* to = out + call.shape.offset;
            runtime::parallel_for(0, call.shape.numel, 1 << 13, [&](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i) to[i] = look_up(from[i]);
            });
            return;
        }
        walk.for_each_line(work_of(walk.length(0), 1), [&](rows::line l) {
            for (; l.count > 0; --l.count) {
                for (int64_t i = 0; i < walk.length(0); ++i)
                    out[l.first[1] + i * walk.step(1)] = look_up(x[l.first[0] + i * walk.step(0)]);
                for (std::size_t o = 0; o < 2; ++o) l.first[o] += walk.next(static_cast<int>(o));
            }
        });
    });
}

}  // namespace

void bad_sorter(int64_t index, int64_t n) {
    runtime::fail<IndexError>(
        "searchsorted", "an index of the sorter is out of range",
        runtime::text(index, " for rows of ", runtime::count_of(n, "element")),
        runtime::text("0 to ", n - 1), "argsort() of the sequence");
}

const kernel_op searchsorted_op{.name = "searchsorted",
                                .run = run_search,
                                .check = check_sorter,
                                .on_gpu = searchsorted_on_gpu,
                                .waits_for = "the test of the sorter if there is one"};
const kernel_op isin_op{.name = "isin", .run = run_isin, .on_gpu = isin_on_gpu};

}  // namespace sinter::ordering
