#include "jit/codegen/llvm/loop_fission.hpp"

#include "jit/kernel_ir/opcodes.hpp"

#include <algorithm>
#include <cstdlib>

namespace sinter::codegen {

using kernel_ir::opcode;
using kernel_ir::stride_class;

namespace {

constexpr int shortest = 20, longest = 200, best = 40;  // operations per part
constexpr int most_carried = 16;

class splitter {
public:
    splitter(const kernel_context& context, const std::vector<value_id>& ids,
             const std::vector<value_id>& roots)
        : context_(context), ids_(ids), last_use_(context.k.body.size(), -1) {
        for (std::size_t p = 0; p < ids.size(); ++p)
            for_each_needed(ids[p], [&](value_id v) {
                last_use_[static_cast<std::size_t>(v)] = static_cast<int>(p);
            });
        for (value_id r : roots)
            last_use_[static_cast<std::size_t>(r)] = static_cast<int>(ids.size());
        count_carried();
    }

    std::vector<pass_part> run() {
        std::vector<pass_part> parts;
        for (std::size_t first = 0; first < ids_.size();) {
            const std::size_t end = next_cut(first);
            parts.push_back(part(first, end));
            first = end;
        }
        return parts;
    }

private:
    /// Calls f with the operands of `id`, and if it is a `rare` choice, with those of the values
    /// that it owns.
    template <class F>
    void for_each_needed(value_id id, F f) const {
        kernel_ir::for_each_value(context_.at(id), f);
        const auto owned = context_.rare_parts.find(id);
        if (owned == context_.rare_parts.end()) return;
        for (value_id part : owned->second) kernel_ir::for_each_value(context_.at(part), f);
    }

    /// Returns true for values that later parts reload instead of buffering.
    bool is_reloaded(value_id id) const {
        const kernel_ir::instr& i = context_.at(id);
        if (i.op == opcode::index) return true;
        if (i.op != opcode::load) return false;
        const stride_class lane = context_.k.operands[static_cast<std::size_t>(i.a)].lane;
        return lane == stride_class::unit || lane == stride_class::across;
    }
    bool is_alive(value_id id, std::size_t at) const {
        return last_use_[static_cast<std::size_t>(id)] >= static_cast<int>(at);
    }

    /// Counts for each position the values that live across a cut before it; above the limit if a
    /// mask is among them.
    void count_carried() {
        std::vector<int> ends(ids_.size() + 1, 0);
        int alive = 0;
        for (std::size_t p = 0; p < ids_.size(); ++p) {
            alive -= ends[p];
            carried_.push_back(alive);
            const int last = last_use_[static_cast<std::size_t>(ids_[p])];
            if (is_reloaded(ids_[p]) || last <= static_cast<int>(p)) continue;
            const int price = context_.at(ids_[p]).mt == mtype::b1 ? most_carried + 1 : 1;
            alive += price;
            ends[std::min(ids_.size(), static_cast<std::size_t>(last) + 1)] += price;
        }
    }

    /// Returns the end of the part that begins at `first`: the best of the next cuts, or the first
    /// one after these if none of them is possible.
    std::size_t next_cut(std::size_t first) const {
        std::size_t found = ids_.size();
        int least = 1 << 20, size = 0;
        for (std::size_t p = first; p < ids_.size(); ++p) {
            size += !is_reloaded(ids_[p]);
            if (size > longest && found < ids_.size()) break;
            const int rest = static_cast<int>(ids_.size() - p - 1);
            if (size < shortest || rest < shortest) continue;
            const int carried = carried_[p + 1];
            if (carried > most_carried) continue;
            const int price = carried * 16 + std::abs(size - best);
            if (price >= least) continue;
            least = price;
            found = p + 1;
        }
        return found;
    }

    pass_part part(std::size_t first, std::size_t end) const {
        pass_part result;
        for (std::size_t p = 0; p < first; ++p) {
            if (!is_alive(ids_[p], first)) continue;
            if (is_used(ids_[p], first, end))
                (is_reloaded(ids_[p]) ? result.ids : result.taken).push_back(ids_[p]);
        }
        const auto begin = ids_.begin();
        result.ids.insert(result.ids.end(), begin + static_cast<std::ptrdiff_t>(first),
                          begin + static_cast<std::ptrdiff_t>(end));
        for (std::size_t p = first; p < end && end < ids_.size(); ++p)
            if (is_alive(ids_[p], end) && !is_reloaded(ids_[p])) result.kept.push_back(ids_[p]);
        return result;
    }
    bool is_used(value_id id, std::size_t first, std::size_t end) const {
        if (end == ids_.size() && last_use_[static_cast<std::size_t>(id)] >= static_cast<int>(end))
            return true;
        bool used = false;
        for (std::size_t p = first; p < end; ++p)
            for_each_needed(ids_[p], [&](value_id v) { used |= v == id; });
        return used;
    }

    const kernel_context& context_;
    const std::vector<value_id>& ids_;
    std::vector<int> last_use_;
    std::vector<int> carried_;
};

}  // namespace

std::vector<pass_part> split_pass(const kernel_context& context, const std::vector<value_id>& ids,
                                  const std::vector<value_id>& roots) {
    return splitter(context, ids, roots).run();
}

}  // namespace sinter::codegen
