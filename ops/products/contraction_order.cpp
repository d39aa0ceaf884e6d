#include "ops/products/contraction_order.hpp"

#include "ops/common/op_checks.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace sinter::ops {
namespace {

constexpr std::size_t most_searched = 8;  // 3^8 / 2 splits

/// Dynamic programming over all subsets: the best contraction of a subset is that of its best split
/// into two parts.
class order_search {
public:
    order_search(const std::vector<label_set>& terms, const label_set& output,
                 const label_sizes& sizes)
        : terms_(terms), count_(uint32_t{1} << terms.size()), found_(count_) {
        for (uint32_t s = 1; s < count_; ++s) {
            label_set inside, outside = output;
            for (std::size_t i = 0; i < terms.size(); ++i) {
                label_set& side = (s >> i & 1) != 0 ? inside : outside;
                side = side | terms[i];
            }
            found_[s].labels = inside & outside;
            found_[s].elements = found_[s].labels.elements(sizes);
            if (std::has_single_bit(s)) {
                found_[s].labels = inside;
                found_[s].cost = 0;
            } else {
                best_split(s, sizes);
            }
        }
    }

    std::vector<contraction_step> steps() const {
        // A part has a lower number than the whole.
        std::vector<bool> used(count_);
        std::vector<std::size_t> place(count_);
        used[count_ - 1] = true;
        for (uint32_t s = count_ - 1; s > 0; --s)
            if (used[s] && !std::has_single_bit(s)) used[found_[s].part] = used[rest_of(s)] = true;
        for (std::size_t i = 0; i < terms_.size(); ++i) place[std::size_t{1} << i] = i;
        std::vector<contraction_step> steps;
        for (uint32_t s = 1; s < count_; ++s) {
            if (!used[s] || std::has_single_bit(s)) continue;
            place[s] = terms_.size() + steps.size();
            steps.push_back({place[found_[s].part], place[rest_of(s)]});
        }
        return steps;
    }

private:
    struct best {
        label_set labels;  // the labels that remain after it
        double elements = 0, cost = std::numeric_limits<double>::infinity();
        uint32_t part = 0;
    };

    uint32_t rest_of(uint32_t s) const { return s & ~found_[s].part; }

    void best_split(uint32_t s, const label_sizes& sizes) {
        const uint32_t first = s & -s, others = s & ~first;
        // The part with the first term: with all subsets of the others except all of them.
        for (uint32_t more = (others - 1) & others;; more = (more - 1) & others) {
            const best &x = found_[first | more], &y = found_[others & ~more];
            const double cost =
                x.cost + y.cost + (x.labels | y.labels).elements(sizes) + found_[s].elements;
            if (cost < found_[s].cost || found_[s].part == 0) {
                found_[s].cost = cost;
                found_[s].part = first | more;
            }
            if (more == 0) break;
        }
    }

    const std::vector<label_set>& terms_;
    uint32_t count_;
    std::vector<best> found_;
};

/// Returns the labels of two terms' product that the output or other terms still need.
label_set left_of(const std::vector<label_set>& terms, const std::vector<std::size_t>& alive,
                  std::size_t i, std::size_t j, const label_set& output) {
    label_set needed = output;
    for (std::size_t k : alive)
        if (k != i && k != j) needed = needed | terms[k];
    return (terms[i] | terms[j]) & needed;
}

std::vector<contraction_step> greedy_order(std::vector<label_set> terms, const label_set& output,
                                           const label_sizes& sizes) {
    std::vector<std::size_t> alive(terms.size());
    std::iota(alive.begin(), alive.end(), std::size_t{0});
    std::vector<contraction_step> steps;
    while (alive.size() > 1) {
        contraction_step best{alive[0], alive[1]};
        constexpr double infinity = std::numeric_limits<double>::infinity();
        std::pair<double, double> least{infinity, infinity};
        bool shares = false;  // terms without a common label are multiplied last
        for (std::size_t x = 0; x < alive.size(); ++x)
            for (std::size_t y = x + 1; y < alive.size(); ++y) {
                const std::size_t i = alive[x], j = alive[y];
                const bool common = !(terms[i] & terms[j]).empty();
                const std::pair<double, double> grown{
                    left_of(terms, alive, i, j, output).elements(sizes) - terms[i].elements(sizes) -
                        terms[j].elements(sizes),
                    (terms[i] | terms[j]).elements(sizes)};
                if (common ? shares && !(grown < least) : shares || !(grown < least)) continue;
                best = {i, j};
                least = grown;
                shares = common;
            }
        steps.push_back(best);
        terms.push_back(left_of(terms, alive, best.a, best.b, output));
        std::erase_if(alive, [&](std::size_t k) { return k == best.a || k == best.b; });
        alive.push_back(terms.size() - 1);
    }
    return steps;
}

}  // namespace

std::vector<contraction_step> cheapest_order(const std::vector<label_set>& terms,
                                             const label_set& output, const label_sizes& sizes) {
    if (terms.size() < 2) return {};
    if (terms.size() == 2) return {{0, 1}};
    if (terms.size() > most_searched) return greedy_order(terms, output, sizes);
    return order_search(terms, output, sizes).steps();
}

std::vector<contraction_step> order_of_path(IntArrayRef path, std::size_t terms) {
    const std::size_t expected = terms == 1 ? 1 : 2 * (terms - 1);
    if (path.size() != expected)
        runtime::fail("einsum", "the path has the wrong length",
                      runtime::text(path.size(), " numbers"),
                      runtime::text(expected, " numbers for ", terms, " operands"),
                      "two numbers for each contraction, or no path");
    std::vector<contraction_step> steps;
    if (terms == 1) return steps;
    std::vector<std::size_t> alive(terms);
    std::iota(alive.begin(), alive.end(), std::size_t{0});
    for (std::size_t at = 0; at < path.size(); at += 2) {
        const int64_t i = path[at], j = path[at + 1], count = static_cast<int64_t>(alive.size());
        const std::string got = runtime::text(i, " and ", j, " of ", count, " operands");
        if (i < 0 || j < 0 || i >= count || j >= count)
            runtime::fail("einsum", "the path names an operand that does not exist", got,
                          runtime::text("numbers from 0 to ", count - 1),
                          "positions among the operands that remain, with each result appended");
        if (i == j)
            runtime::fail("einsum", "the path contracts an operand with itself", got,
                          "two different operands",
                          "positions among the operands that remain, with each result appended");
        const contraction_step step{alive[static_cast<std::size_t>(i)],
                                    alive[static_cast<std::size_t>(j)]};
        std::erase_if(alive, [&](std::size_t k) { return k == step.a || k == step.b; });
        alive.push_back(terms + steps.size());
        steps.push_back(step);
    }
    return steps;
}

}  // namespace sinter::ops
