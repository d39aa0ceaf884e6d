#include "ops/optim/line_search.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace sinter::ops {
namespace {

/// Returns where the cubic through two points, with their slopes, has its minimum, clipped to `low`
/// and `high`; the mean of these if it has none.
double cubic_minimum(const line_point& a, const line_point& b, double low, double high) {
    const double d1 = a.slope + b.slope - 3 * (a.loss - b.loss) / (a.at - b.at);
    const double square = d1 * d1 - a.slope * b.slope;
    if (!(square >= 0)) return (low + high) / 2;
    const double d2 = std::sqrt(square);
    const line_point &left = a.at <= b.at ? a : b, &right = a.at <= b.at ? b : a;
    const double minimum = right.at - (right.at - left.at) * ((right.slope + d2 - d1) /
                                                              (right.slope - left.slope + 2 * d2));
    return std::min(std::max(minimum, low), high);
}

class wolfe_search {
public:
    wolfe_search(const std::function<line_point(double)>& evaluate, const line_point& start,
                 int64_t steps)
        : evaluate_(evaluate), start_(start), steps_left_(steps) {}

    line_point run(double first, double largest) {
        if (!bracket(first)) narrow(largest);
        return ends_[low_];
    }

private:
    bool decreases_too_little(const line_point& p) const {
        return p.loss > start_.loss + 1e-4 * p.at * start_.slope;
    }
    bool is_flat(const line_point& p) const { return std::abs(p.slope) <= -0.9 * start_.slope; }
    void find_low() { low_ = ends_[0].loss <= ends_[1].loss ? 0 : 1; }

    /// Goes outwards until there is a minimum between two points. Returns true if one satisfies the
    /// conditions already; it is the low end then.
    bool bracket(double first) {
        line_point before = start_, now = evaluate_(first);
        for (int64_t step = 0; steps_left_ > 0; ++step, --steps_left_) {
            const bool rises = decreases_too_little(now) || (step > 1 && now.loss >= before.loss);
            if (!rises && is_flat(now)) {
                ends_ = {now, now};
                return true;
            }
            if (rises || now.slope >= 0) {
                ends_ = {before, now};
                find_low();
                return false;
            }
            const double next =
                cubic_minimum(before, now, now.at + 0.01 * (now.at - before.at), now.at * 10);
            before = std::exchange(now, evaluate_(next));
        }
        ends_ = {start_, now};
        find_low();
        return false;
    }

    /// Makes the bracket shorter until a point in it satisfies the conditions: it is the low end
    /// then.
    void narrow(double largest) {
        bool stuck = false;
        for (; steps_left_ > 0; --steps_left_) {
            const auto [left, right] = std::minmax({ends_[0].at, ends_[1].at});
            if ((right - left) * largest < 1e-9) return;
            double t = cubic_minimum(ends_[0], ends_[1], left, right);
            // Near an end twice in a row, or at it, the bracket would hardly get shorter.
            const double margin = 0.1 * (right - left);
            const bool near_end = std::min(right - t, t - left) < margin;
            const bool moved = near_end && (stuck || t >= right || t <= left);
            if (moved)
                t = std::abs(t - right) < std::abs(t - left) ? right - margin : left + margin;
            stuck = near_end && !moved;

            line_point now = evaluate_(t);
            line_point &low = ends_[low_], &high = ends_[1 - low_];
            if (decreases_too_little(now) || now.loss >= low.loss) {
                high = std::move(now);
                find_low();
                continue;
            }
            const bool done = is_flat(now);
            if (!done && now.slope * (high.at - low.at) >= 0) high = low;
            low = std::move(now);
            if (done) return;
        }
    }

    const std::function<line_point(double)>& evaluate_;
    const line_point& start_;
    int64_t steps_left_;
    std::array<line_point, 2> ends_;
    std::size_t low_ = 0;
};

}  // namespace

line_point strong_wolfe(const std::function<line_point(double)>& evaluate, const line_point& start,
                        double first, double largest, int64_t steps) {
    return wolfe_search(evaluate, start, steps).run(first, largest);
}

}  // namespace sinter::ops
