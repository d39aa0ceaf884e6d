// Actions between two statements that must change nothing: values are computed, printed, seen
// through other handles. Without them only long chains of pending operations are tested.
#include "tests/property/program.hpp"

#include <sstream>

namespace sinter::test {

namespace {

int64_t some_pause(chooser& c) { return c.between(1, static_cast<int64_t>(pause_kind::count) - 1); }

}  // namespace

void add_pauses(program& p, uint64_t seed) {
    chooser c(seed ^ 0x7061757365u);
    const int64_t temper = c.below(4);
    const auto always = static_cast<pause_kind>(some_pause(c));
    for (statement& s : p) {
        const auto any = static_cast<pause_kind>(some_pause(c));
        switch (temper) {
            case 0: break;  // never
            case 1:
                if (c.chance(4)) s.then = any;
                break;                        // sometimes
            case 2: s.then = any; break;      // always, of any kind
            default: s.then = always; break;  // always the same
        }
    }
}

void machine::pause(const statement& s) {
    chooser c(~s.seed);
    ++counts_->pauses[static_cast<std::size_t>(s.then)];
    const std::size_t at = any_slot(c);
    switch (s.then) {
        case pause_kind::eval_last: slots_[last_].eval(); break;
        case pause_kind::eval_any: slots_[at].eval(); break;
        case pause_kind::eval_all:
            for (const Tensor& t : slots_) t.eval();
            break;
        case pause_kind::print: {
            if (slots_[last_].numel() > 40) break;
            std::ostringstream out;
            out << slots_[last_].cpu();
            record("print", out.str());
            break;
        }
        case pause_kind::alias: {
            // Another handle, or a view of the whole tensor, replaces another slot.
            const Tensor& t = slots_[last_];
            slots_[at] = c.chance(2) ? t : c.chance(2) ? t.detach() : t.view(t.sizes());
            since_[at] = at_;
            break;
        }
        case pause_kind::explain: describe(slots_[last_]); break;
        case pause_kind::nothing:
        case pause_kind::count: break;
    }
}

}  // namespace sinter::test
