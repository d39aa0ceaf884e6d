#include "engine/measure/specialization.hpp"

#include "engine/measure/timing.hpp"
#include "engine/measure/undecided.hpp"
#include "engine/plan/plan.hpp"
#include "jit/cache/kernel_cache.hpp"
#include "runtime/base/environment.hpp"
#include "runtime/report/stats.hpp"

#include <sinter/error.hpp>

#include <algorithm>
#include <unordered_map>

namespace sinter::plan {
namespace {

using kernel_ir::domain;
using kernel_ir::mtype;
using kernel_ir::opcode;

constexpr int64_t short_row = 64;
constexpr uint32_t stable_runs = 16;
constexpr uint32_t most_misses = 16;
constexpr std::size_t most_variants = 2;  // per step
constexpr int most_of_a_kernel = 4;       // over all steps that use it
constexpr int most_of_a_process = 64;

struct {
    std::atomic<uint64_t> after_ns{special_rules{}.after_ns};
    std::atomic<bool> always_stays{false};
} rules_now;

bool specialises() { return runtime::environment().specialise != runtime::specialise_choice::off; }

/// Limits the number of special kernels per process and per general kernel.
class budget {
public:
    bool take(kernel_ir::kernel_fn general) {
        std::lock_guard lock(mutex_);
        if (spent_ == most_of_a_process || spent_on_[general] == most_of_a_kernel) return false;
        ++spent_;
        ++spent_on_[general];
        return true;
    }

private:
    std::mutex mutex_;  // plans of all threads share the budget
    int spent_ = 0;
    std::unordered_map<kernel_ir::kernel_fn, int> spent_on_;
};

budget& the_budget() {
    static auto* b = new budget;  // leaked: other threads may evaluate while the process exits
    return *b;
}

bool holds_integers(mtype t) { return t != mtype::b1 && !kernel_ir::is_float(t); }

/// Returns the numbers of the integer scalars that integer elements are divided by. Others, such as
/// the place of a draw, may change at each run.
std::vector<int32_t> divisors_of(const kernel_ir::kernel& k) {
    const kernel_ir::kernel p = kernel_ir::decompose(k);
    std::vector<uint8_t> divides(p.body.size());
    std::vector<int32_t> found;
    for (std::size_t at = p.body.size(); at-- > 0;) {
        const kernel_ir::instr& i = p.body[at];
        const auto mark = [&](kernel_ir::value_id v) {
            if (v != kernel_ir::none && p.body[static_cast<std::size_t>(v)].dom == domain::row)
                divides[static_cast<std::size_t>(v)] = 1;
        };
        if ((i.op == opcode::idiv || i.op == opcode::irem) && i.dom == domain::element) mark(i.b);
        if (!divides[at]) continue;
        if (i.op == opcode::scalar) {
            if (holds_integers(p.scalars[static_cast<std::size_t>(i.a)]) &&
                std::find(found.begin(), found.end(), i.a) == found.end())
                found.push_back(i.a);
        } else if (i.op != opcode::load && i.op != opcode::constant && i.op != opcode::index) {
            for (const kernel_ir::value_id v : {i.a, i.b, i.c}) mark(v);
        }
    }
    return found;
}

uint64_t digest(std::span<const uint64_t> scalars, const std::vector<int32_t>& of) {
    uint64_t hash = 0xcbf29ce484222325;
    for (const int32_t s : of) {
        hash = (hash ^ scalars[static_cast<std::size_t>(s)]) * 0x9e3779b97f4a7c15;
        hash ^= hash >> 29;
    }
    return hash;
}

}  // namespace

void set_special_rules(special_rules rules) {
    rules_now.after_ns.store(rules.after_ns, std::memory_order_relaxed);
    rules_now.always_stays.store(rules.always_stays, std::memory_order_relaxed);
}

bool has_integer_scalars(const kernel_ir::kernel& k) {
    return std::any_of(k.scalars.begin(), k.scalars.end(), holds_integers);
}

std::unique_ptr<specialization> make_specialization(const kernel_step& k,
                                                    const kernel_timing& timing) {
    const bool reduces_short_rows = !k.streams && k.extents.size() >= 2 && k.extents.back() > 1 &&
                                    k.extents.back() <= short_row;
    const bool possible = reduces_short_rows || has_integer_scalars(k.ir);
    if (!possible || k.pieces || k.reduced > 1 || k.ir.form == kernel_ir::row_form::runs ||
        !specialises())
        return nullptr;
    int64_t elements = 1;
    for (const int64_t e : k.extents)
        if (__builtin_mul_overflow(elements, e, &elements)) return nullptr;
    if (!worth_specializing(elements, k.cost)) return nullptr;
    return std::make_unique<specialization>(k, timing, reduces_short_rows ? k.extents.back() : 0);
}

specialization::specialization(const kernel_step& k, const kernel_timing& timing, int64_t extent)
    : step_(k), timing_(timing), extent_(extent) {
    if (has_integer_scalars(k.ir)) divisors_ = divisors_of(k.ir);
}

bool specialization::variant::matches(std::span<const uint64_t> scalars) const {
    return std::all_of(known.begin(), known.end(), [&](const kernel_ir::known_scalar& s) {
        return scalars[static_cast<std::size_t>(s.number)] == s.bits;
    });
}

specialization::turn specialization::next(std::span<const uint64_t> scalars,
                                          kernel_ir::kernel_fn general, bool wait) {
    const state s = state_.load(std::memory_order_acquire);
    switch (s) {
        case state::off: break;
        case state::watching: watch(scalars, general, wait); break;
        case state::compiling: {
            note_undecided();
            const patience::answer a = patience_.ask();
            if (a == patience::answer::give_up)
                move(s, state::off);
            else if (wait || a == patience::answer::look)
                look(wait);
            break;
        }
        case state::racing:
        case state::chosen: {
            variant& v = *now_.load(std::memory_order_acquire);
            if (!v.matches(scalars)) {
                if (v.misses.fetch_add(1, std::memory_order_relaxed) + 1 >= most_misses)
                    generalise(v);
                break;
            }
            if (v.misses.load(std::memory_order_relaxed) != 0)
                v.misses.store(0, std::memory_order_relaxed);
            if (s == state::chosen) return {v.fn};
            note_undecided();
            const int side = v.measured.next();
            return {side ? v.fn : general, side};
        }
    }
    return {general};
}

/// Starts a special kernel once this kernel has taken long and its scalars have been stable.
void specialization::watch(std::span<const uint64_t> scalars, kernel_ir::kernel_fn general,
                           bool wait) {
    bool changed = false;
    if (!divisors_.empty()) {
        const uint64_t now = digest(scalars, divisors_);
        changed = last_scalars_.exchange(now, std::memory_order_relaxed) != now;
        if (changed) same_.store(0, std::memory_order_relaxed);
    }
    // Scalars that change at each run may never lead to a race.
    if (!changed || extent_ != 0) note_undecided();
    const bool stable = same_.fetch_add(1, std::memory_order_relaxed) + 1 >= stable_runs;
    if (!stable && extent_ == 0) return;
    const uint64_t runs = timing_.runs.load(std::memory_order_relaxed);
    const uint64_t best = timing_.best_ns.load(std::memory_order_relaxed);
    if (runs < stable_runs || best == 0 ||
        runs < rules_now.after_ns.load(std::memory_order_relaxed) / best)
        return;
    make(scalars, general, stable);
    if (wait && state_.load(std::memory_order_acquire) == state::compiling) look(wait);
}

void specialization::make(std::span<const uint64_t> scalars, kernel_ir::kernel_fn general,
                          bool stable) {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock || state_.load(std::memory_order_acquire) != state::watching) return;
    const bool divides = stable && !divisors_.empty();
    if ((!divides && extent_ == 0) || code_cache::misses_are_errors() ||
        !the_budget().take(general)) {
        state_.store(state::off, std::memory_order_release);
        return;
    }
    auto v = std::make_unique<variant>();
    if (divides)
        for (const int32_t s : divisors_)
            v->known.push_back({s, scalars[static_cast<std::size_t>(s)]});
    kernel_ir::kernel ir = step_.ir;
    ir.extent = extent_;
    ir.known = v->known;
    kernel_ir::verify(ir);
    v->key = kernel_ir::serialize(ir);
    now_.store(v.get(), std::memory_order_release);
    made_.push_back(std::move(v));
    state_.store(state::compiling, std::memory_order_release);
}

/// Starts the race if the special kernel is compiled. Turns specialisation off if it fails to
/// compile.
void specialization::look(bool wait) {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock || state_.load(std::memory_order_acquire) != state::compiling) return;
    variant& v = *now_.load(std::memory_order_relaxed);
    const std::span<const uint8_t> key[] = {v.key};
    try {
        const code_cache::lookup found =
            (wait ? code_cache::get(key) : code_cache::get_or_compile_later(key)).front();
        if (!found.k) return;
        v.fn = found.k->fn;
        state_.store(state::racing, std::memory_order_release);
    } catch (const Error&) {
        state_.store(state::off, std::memory_order_release);
    }
}

void specialization::record(int side, uint64_t ns) {
    variant& v = *now_.load(std::memory_order_acquire);
    const std::optional<bool> faster = v.measured.record(side, ns);
    if (!faster) return;
    const bool stays = *faster || rules_now.always_stays.load(std::memory_order_relaxed);
    if (move(state::racing, stays ? state::chosen : state::off) && stays)
        runtime::count().kernels_specialised.add();
}

/// Drops the variant because its scalars changed. After `most_variants`, turns specialisation off.
void specialization::generalise(variant& v) {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    const state s = state_.load(std::memory_order_acquire);
    if (!lock || now_.load(std::memory_order_relaxed) != &v) return;
    if (s != state::racing && s != state::chosen) return;
    same_.store(0, std::memory_order_relaxed);
    const bool moved = move(s, made_.size() == most_variants ? state::off : state::watching);
    if (moved && s == state::chosen) runtime::count().kernels_generalised.add();
}

std::string specialization::describe() const {
    std::lock_guard lock(mutex_);
    if (made_.empty()) return "";
    const variant& v = *made_.back();
    std::string text = "own kernel for";
    if (extent_ > 0) text += " rows of " + std::to_string(extent_);
    for (const kernel_ir::known_scalar& s : v.known) {
        const bool word = step_.ir.scalars[static_cast<std::size_t>(s.number)] == mtype::i32;
        const int64_t value = word ? static_cast<int32_t>(s.bits) : static_cast<int64_t>(s.bits);
        text += (&s == v.known.data() ? (extent_ > 0 ? ", scalar " : " scalar ") : ", scalar ") +
                std::to_string(value);
    }
    const auto time_of = [&v](int side) {
        const ab_timing::times& t = v.measured.of(side);
        if (t.runs.load() == 0) return std::string("not measured");
        const uint64_t ns = t.best_ns.load();
        return std::to_string(ns / 1000) + "." + std::to_string(ns % 1000 / 100) + " us";
    };
    switch (state_.load(std::memory_order_acquire)) {
        case state::watching: text += ", given up: other scalars came"; break;
        case state::compiling: text += ", being compiled"; break;
        case state::racing: text += ", tried in turns"; break;
        case state::chosen: text += ", runs"; break;
        case state::off:
            text +=
                v.misses.load() >= most_misses ? ", given up: scalars change" : ", does not run";
            break;
    }
    return text + "; general " + time_of(0) + ", own " + time_of(1);
}

}  // namespace sinter::plan
