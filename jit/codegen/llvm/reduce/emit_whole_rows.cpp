#include "jit/codegen/llvm/reduce/emit_whole_rows.hpp"

#include "jit/codegen/llvm/reduce/emit_reduce.hpp"
#include "jit/codegen/protocol.hpp"

#include <algorithm>
#include <bit>

namespace sinter::codegen {

using kernel_ir::row_form;
using llvm::Value;

namespace {

/// The limits of a row's elements.
struct bounds {
    int64_t fewest, most;
};
bounds bounds_of(const kernel& k) {
    if (k.extent > 0) return {k.extent, k.extent};
    return k.form == row_form::up_to_16 ? bounds{1, 16} : bounds{17, 32};
}

int64_t vectors_of(const kernel_context& c) {
    const auto width = static_cast<int64_t>(c.width);
    const auto vectors = static_cast<uint64_t>((bounds_of(c.k).most + width - 1) / width);
    return static_cast<int64_t>(std::bit_ceil(vectors));
}

/// Returns the instructions for one row.
int64_t work_of(const kernel_context& c) {
    int64_t work = 0;
    for (const kernel_ir::stage& s : c.order.stages)
        work += static_cast<int64_t>(s.elements.size() + s.stores.size() + 6 * s.reduces.size());
    return work * vectors_of(c);
}

class whole_rows {
public:
    explicit whole_rows(const kernel_context& context)
        : c_(context),
          f_(context, context.add_function(
                          "", {llvm::PointerType::getUnqual(context.module.getContext())}, true)),
          vectors_(vectors_of(context)) {
        f_.rows_are_few_vectors = vectors_ <= 2;
        const auto width = static_cast<int64_t>(f_.lanes.width());
        for (int64_t v = 0; v < vectors_; ++v) {
            Value *first = f_.number(v * width), *active = nullptr;
            if ((v + 1) * width > bounds_of(c_.k).fewest) {
                active = f_.lanes.at_most(f_.b.CreateSub(f_.n0, first), width);
                active = f_.b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, active, f_.number(0));
            }
            lane_point at = f_.point(first, active);
            if (active) f_.lanes.mask(at);
            first_row_.push_back(std::move(at));
        }
    }

    void emit() {
        const int64_t together = rows_together();
        Value* rest = f_.number(0);
        if (together > 1) rest = rows(together, rest);
        rows(1, rest);
        f_.finish();
    }

private:
    /// Returns the rows per group: enough that one row's instructions hide the latency of the
    /// others, without more code than is worth compiling.
    int64_t rows_together() const {
        constexpr int64_t most_work = 320, most_vectors = 8;
        for (int64_t n : {4, 2})
            if (n * work_of(c_) <= most_work && n * vectors_ <= most_vectors) return n;
        return 1;
    }

    /// Runs all whole groups of `count` rows from `begin` on. Returns the first remaining row.
    Value* rows(int64_t count, Value* begin) {
        Value* end = f_.b.CreateSub(f_.n1, f_.number(count - 1));
        auto body = [&](Value* row, const lane_emitter::values&) {
            group(row, static_cast<std::size_t>(count));
            return lane_emitter::values{};
        };
        return f_.lanes.loop(begin, end, count, {}, body).back();
    }

    void group(Value* row, std::size_t count) {
        auto each = [&](const std::function<void()>& body) {
            for (std::size_t n = 0; n < count; ++n) {
                f_.select_row(n);
                body();
            }
        };
        std::vector<lane_point> points;
        std::size_t at = 0;
        each([&] {
            f_.enter_row(f_.b.CreateAdd(row, f_.number(static_cast<int64_t>(at))), nullptr);
            for (lane_point p : first_row_) {
                p.row = at;
                points.push_back(std::move(p));
            }
            ++at;
        });
        int stage = 0;
        for (const kernel_ir::stage& s : c_.order.stages) {
            each([&] {
                f_.emit_row(s.before);
                f_.hoist(s.elements);
            });
            if (!s.reduces.empty()) reduce_emitter(f_, stage, 1, vectors_).pass_at(points, count);
            if (!s.stores.empty()) {
                std::vector<value_id> roots;
                for (value_id id : s.stores) roots.push_back(c_.at(id).b);
                std::vector<value_id> ids = c_.needed(s.elements, roots);
                function_emitter::drop_computed(ids, points[0]);
                ids.insert(ids.end(), s.stores.begin(), s.stores.end());
                f_.emit_elements(ids, points);
            }
            ++stage;
        }
        each([&] { f_.emit_row(c_.order.after); });
    }

    const kernel_context& c_;
    function_emitter f_;
    int64_t vectors_;
    std::vector<lane_point> first_row_;  // vectors of a row; all rows have the same masks
};

}  // namespace

bool is_whole_in_registers(const kernel_context& c) {
    constexpr int64_t most_work = 400, most_vectors = 4;
    if (c.k.form != row_form::up_to_16 && c.k.form != row_form::up_to_32) return false;
    if (c.fault(mode_fault_lane_order) || vectors_of(c) > most_vectors || work_of(c) > most_work)
        return false;
    return !lane_emitter::has_slow_tail(c.k, c.options.shape);
}

void emit_whole_rows(const kernel_context& context) { whole_rows(context).emit(); }

}  // namespace sinter::codegen
