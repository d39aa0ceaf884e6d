// The machine: its pool, and the statements that read.
#include "tests/property/program.hpp"

#include "engine/graph/graph.hpp"

#include <ostream>

namespace sinter::test {

program random_program(uint64_t seed, int statements) {
    using k = statement_kind;
    struct weight {
        k what;
        int in_all;
    };
    static constexpr weight weights[] = {
        {k::make, 7},           {k::draw, 3},       {k::view, 12},          {k::cast, 3},
        {k::pointwise, 15},     {k::reduce, 6},     {k::pattern, 5},        {k::product, 1},
        {k::chain, 3},          {k::write_row, 18}, {k::write_value, 19},   {k::write_self, 5},
        {k::hold, 3},           {k::finish, 5},     {k::named, 2},          {k::alias, 3},
        {k::drop, 3},           {k::blob, 2},       {k::const_blob, 1},     {k::dying, 1},
        {k::poke, 3},           {k::expose, 3},     {k::read, 8},           {k::read_two, 4},
        {k::describe, 2},       {k::function, 11},  {k::write_function, 7}, {k::lay_out, 4},
        {k::write_laid_out, 12}};
    int total = 0;
    for (const weight& w : weights) total += w.in_all;
    chooser c(seed);
    program p;
    for (int i = 0; i < statements; ++i) {
        int64_t at = c.below(total);
        const weight* w = weights;
        while (at >= w->in_all) at -= (w++)->in_all;
        p.push_back({w->what, c.bits()});
    }
    add_pauses(p, seed);
    return p;
}

program for_a_device(program p) {
    using k = statement_kind;
    std::erase_if(p, [](const statement& s) {
        return s.what == k::blob || s.what == k::const_blob || s.what == k::dying ||
               s.what == k::poke || s.what == k::expose;
    });
    for (statement& s : p)
        if (s.what == k::product) s.what = k::exact_product;
    return p;
}

machine::machine(coverage* counts, std::ostream* listing)
    : counts_(counts ? counts : &unused_), listing_(listing) {
    manual_seed(1);
    for (std::size_t i = 0; i < pool; ++i) {
        chooser c(i);
        slots_[i] = fresh(c);
        say("\n");
    }
    if (listing_) *listing_ << "pool:\n" << line_.str();
}

machine::~machine() = default;

/// Invalid arguments must be refused in the same way: the program sees the error.
template <class F>
void machine::attempt(const F& f) {
    try {
        f();
    } catch (const InternalError& e) {
        say("   ", e.what());
        record("internal error", std::string(e.what()));
    } catch (const Error& e) {
        ++counts_->refused;
        say("   refused: ", std::string(e.what()).substr(0, 90));
        record("error", std::string(e.what()));
    }
}

void machine::run(const program& p) {
    for (std::size_t i = 0; i < p.size(); ++i) {
        at_ = static_cast<int>(i);
        line_.str("");
        ++counts_->statements;
        ++counts_->done[static_cast<std::size_t>(p[i].what)];
        attempt([&] { step(p[i]); });
        if (p[i].then != pause_kind::nothing) attempt([&] { pause(p[i]); });
        if (listing_) *listing_ << i << ". " << to_string(p[i].what) << line_.str() << std::endl;
    }
    for (std::size_t i = 0; i < pool; ++i) {
        at_ = static_cast<int>(p.size() + i);
        attempt([&] { record("at the end", slots_[i]); });
    }
}

void machine::put(chooser& c, Tensor t, const std::string& text) {
    const std::size_t to = any_slot(c);
    say(" ", text, " -> s", to, " ", t.scalar_type(), t.sizes(), t.strides());
    slots_[to] = std::move(t);
    since_[to] = at_;
    last_ = to;
}

std::optional<std::size_t> machine::fitting(chooser& c, IntArrayRef sizes, bool into) {
    const std::size_t first = any_slot(c);
    for (std::size_t k = 0; k < pool; ++k) {
        const std::size_t i = (first + k) % pool;
        const auto r = small_broadcast(sizes, slots_[i].sizes());
        if (r && (!into || sizes == IntArrayRef(*r))) return i;
    }
    return std::nullopt;
}

void machine::step(const statement& s) {
    chooser c(s.seed);
    switch (s.what) {
        case statement_kind::make: put(c, fresh(c), ""); break;
        case statement_kind::draw: put(c, draw(c), ""); break;
        case statement_kind::view: {
            view_kind which{};
            const std::size_t at = any_slot(c);
            Tensor v = take_view(c, slots_[at], which, slots_[any_slot(c)]);
            say(" s", at, ".", to_string(which));
            if (v.numel() > 9000 || v.dim() > 5) return;
            ++counts_->views_read[static_cast<std::size_t>(which)];
            put(c, std::move(v), "");
            break;
        }
        case statement_kind::cast: {
            const std::size_t at = any_slot(c);
            say(" s", at);
            put(c, slots_[at].to(random_dtype(c)), "");
            break;
        }
        case statement_kind::pointwise: {
            const std::size_t at = any_slot(c);
            say(" s", at);
            if (slots_[at].unsafeGetTensorImpl()->storage->external) ++counts_->external_reads;
            put(c,
                expression(c, slots_[at], static_cast<int>(c.chance(2) ? 1 : c.between(2, 5)))
                    .finish(),
                "");
            break;
        }
        case statement_kind::reduce: {
            const std::size_t at = any_slot(c);
            say(" s", at);
            put(c, reduced(c, slots_[at]), "");
            break;
        }
        case statement_kind::pattern: {
            const Tensor t = pattern(c);
            if (c.chance(2)) describe(t);
            put(c, t, "");
            break;
        }
        case statement_kind::product: put(c, product(c, false), ""); break;
        case statement_kind::exact_product: put(c, product(c, true), ""); break;
        case statement_kind::chain: put(c, chain(c), ""); break;
        case statement_kind::write_row: write_row(c); break;
        case statement_kind::write_value: write_value(c); break;
        case statement_kind::write_self: write_self(c); break;
        case statement_kind::function: function(c); break;
        case statement_kind::write_function: write_function(c); break;
        case statement_kind::lay_out: lay_out(c); break;
        case statement_kind::write_laid_out: write_laid_out(c); break;
        case statement_kind::hold: hold(c); break;
        case statement_kind::finish: finish(c); break;
        case statement_kind::named: named(c); break;
        case statement_kind::alias: {
            const std::size_t at = any_slot(c);
            say(" s", at);
            put(c, slots_[at], "");
            break;
        }
        case statement_kind::drop: {
            const std::size_t at = any_slot(c);
            say(" s", at);
            slots_[at] = zeros({});
            break;
        }
        case statement_kind::blob: blob(c); break;
        case statement_kind::const_blob: const_blob(c); break;
        case statement_kind::dying: dying(c); break;
        case statement_kind::poke: poke(c); break;
        case statement_kind::expose: expose(c); break;
        case statement_kind::read: read(c); break;
        case statement_kind::read_two: read_two(c); break;
        case statement_kind::describe: describe(slots_[any_slot(c)]); break;
        case statement_kind::count: break;
    }
}

/// An expression that is finished later still sees the values of this line. Eager runs compute it
/// here, as the reference for lazy ones.
void machine::hold(chooser& c) {
    const std::size_t at = held_from_ = any_slot(c);
    const Tensor& x = slots_[at];
    const auto k = static_cast<std::size_t>(c.below(held));
    const bool now = get_mode() == Mode::eager;
    if (c.chance(2)) {
        // It is unnamed until it is read. An expression that reads external memory is a tensor at
        // once.
        say(" s", at, " * 2 + 1 as expression ", k, " of C++");
        const auto e = std::make_shared<decltype(x * 2 + 1)>(x * 2 + 1);
        if (now) e->eval();
        expressions_[k] = [e] { return Tensor(*e); };
        return;
    }
    if (x.unsafeGetTensorImpl()->storage->external) return;
    say(" s", at, " + 1 as expression ", k);
    const expression_builder e =
        expression_builder::apply(op::add, {expression_builder(x), expression_builder(Scalar(1))});
    if (now)
        built_[k] = [value = e.finish()] { return value.clone(); };
    else
        built_[k] = [e] { return e.finish(); };
}

void machine::finish(chooser& c) {
    const auto k = static_cast<std::size_t>(c.below(held));
    if (expressions_[k] && (!built_[k] || c.chance(2))) {
        say(" expression ", k, " of C++");
        put(c, expressions_[k](), "");
    } else if (built_[k]) {
        say(" expression ", k);
        put(c, built_[k](), "");
    }
}

/// Named expressions of C++: each is one tensor, computed once.
void machine::named(chooser& c) {
    const std::size_t at = any_slot(c);
    const Tensor x = slots_[at];
    say(" s", at);
    switch (c.below(4)) {
        case 0: {
            auto e = x + 1;
            x.fill_(1);
            ++counts_->writes;
            put(c, e, " of the old value");
            break;
        }
        case 1: {
            auto e = x * 2;
            auto copy = e;  // NOLINT: it is one tensor with what it copies
            e.add_(1);
            ++counts_->writes;
            put(c, copy, " shares what its copy was given");
            break;
        }
        case 2: {
            auto e = rand({3, 4}, kDouble) * 2;
            put(c, e - e, " one draw, used twice");
            break;
        }
        default: {
            auto h = x * 2;
            h = h + h;
            put(c, h, " given another value");
        }
    }
}

void machine::read(chooser& c) {
    const std::size_t at = any_slot(c);
    const Tensor& t = slots_[at];
    say(" s", at);
    ++counts_->reads;
    if (at_ - since_[at] > 40) ++counts_->late_reads;
    switch (c.below(7)) {
        case 0: {
            if (t.numel() != 1) break;
            const Scalar v = t.item();
            const double d = v.toDouble();
            std::string bytes(reinterpret_cast<const char*>(&d), sizeof d);
            make_nans_alike(bytes.data(), 1, kDouble);
            record("item", bytes);
            return;
        }
        case 1: t.eval(); break;
        case 2: {
            const std::size_t other = any_slot(c);
            if (t.scalar_type() == slots_[other].scalar_type())
                record("equal", equal(t, slots_[other]) ? "1" : "0");
            break;
        }
        case 3:
            if (t.numel() < 40) {
                std::ostringstream out;
                out << t.cpu();  // prints no device
                record("print", out.str());
                return;
            }
            break;
        default: break;
    }
    describe(t);
    record("value", t);
}

/// Reads two values at once: any two, or one and a reader of a view of it, perhaps in the same
/// kernel.
void machine::read_two(chooser& c) {
    const std::size_t at = any_slot(c);
    Tensor a = slots_[at], b = slots_[any_slot(c)];
    say(" s", at);
    if (c.chance(2)) {
        a = expression(c, a, 1).finish();
        view_kind which{};
        const Tensor v = take_view(c, a, which, b);
        say(" and its ", to_string(which), v.sizes(), v.strides());
        if (v.numel() > 9000) return;
        b = expression(c, v, 1).finish();
    }
    describe(a);
    eval({a, b});
    record("eval", a);
    record("eval", b);
}

/// The text of explain counts as coverage; explain must not change anything.
void machine::describe(const Tensor& t) {
    if (get_mode() != Mode::lazy) return;
    const std::string text = explain(t);
    for (std::size_t at = text.find("\n  cut: "); at != std::string::npos;
         at = text.find("\n  cut: ", at + 1)) {
        const std::size_t reason = text.find(": ", at + 8) + 2;
        ++counts_->cuts[text.substr(reason, text.find('\n', reason) - reason)];
    }
}

void machine::record(const char* what, const Tensor& t) {
    std::string bytes = toString(t.scalar_type());
    for (int64_t s : t.sizes()) bytes += "," + std::to_string(s);
    bytes += ':';
    record(what, bytes + canonical_bytes(t));
}

}  // namespace sinter::test
