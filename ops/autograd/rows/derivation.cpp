#include "ops/autograd/rows/derivation.hpp"

#include "ops/autograd/rows/columns.hpp"
#include "ops/autograd/rows/transform.hpp"

#include <sinter/error.hpp>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>
#include <utility>

namespace sinter::inline v1::autograd {
namespace {

/// What an input of the row program stands for.
struct input {
    enum class kind : uint8_t { operand, number, result, gradient };
    kind what;
    uint16_t number;

    bool operator==(const input&) const = default;
};

/// Complex operations are differentiated as they were written: the real formulas that they are
/// computed by have kinks where one part is 0.
bool is_complex(const typed_program& t) {
    for (const operand_type& l : t.leaves)
        if (isComplexType(l.dtype)) return true;
    return t.results[1] >= 0;
}

/// A statement as a program of rows, and what its inputs are.
struct statement {
    std::optional<typed_program> unsplit;
    const typed_program& code;
    std::vector<input> inputs;
    std::optional<row_program> rows;

    explicit statement(const typed_program& t)
        : unsplit(is_complex(t) ? std::optional(infer_unsplit(t)) : std::nullopt),
          code(unsplit ? *unsplit : t) {
        for (const typed_op& o : code.ops)
            if (const auto i = input_of(o))
                if (std::find(inputs.begin(), inputs.end(), *i) == inputs.end())
                    inputs.push_back(*i);
        inputs.push_back({input::kind::result, 0});
        rows.emplace(static_cast<int>(inputs.size()));
        std::vector<value> at;
        for (const typed_op& o : code.ops) at.push_back(put(o, at));
        rows->outputs.push_back(at[static_cast<std::size_t>(code.results[0])]);
    }
    statement(const statement&) = delete;
    statement& operator=(const statement&) = delete;

private:
    std::optional<input> input_of(const typed_op& o) const {
        if (o.what == typed_op::kind::leaf) return input{input::kind::operand, o.id};
        if (o.what == typed_op::kind::scalar) return input{input::kind::number, o.id};
        return {};
    }

    value put(const typed_op& o, const std::vector<value>& at) {
        if (const auto i = input_of(o))
            return static_cast<value>(std::find(inputs.begin(), inputs.end(), *i) - inputs.begin());
        const auto value_of = [&](int k) {
            return o.args[k] < 0 ? no_value : at[static_cast<std::size_t>(o.args[k])];
        };
        const auto type_of = [&](int k) {
            const typed_op& a = code.ops[static_cast<std::size_t>(o.args[k])];
            return a.what == typed_op::kind::scalar ? ScalarType::Undefined : a.out;
        };
        if (o.what == typed_op::kind::cast) {
            const ScalarType from = type_of(0);
            return from == o.out ? value_of(0) : rows->cast(value_of(0), from, o.out);
        }
        if (o.what == typed_op::kind::part) return rows->part(value_of(0), o.in, o.id);
        if (o.what == typed_op::kind::join) return rows->join(value_of(0), value_of(1), o.out);
        const auto row = static_cast<op::id>(o.id);
        const dtype_rule rule = op::info(row).rule;
        if (rule == dtype_rule::random) return rows->draw(row, value_of(0), value_of(1), o.out);
        // Operands are converted where a row does it silently, so that their gradients are
        // converted back.
        std::array<value, 3> operands{no_value, no_value, no_value};
        for (int k = 0; k < op::info(row).arity; ++k) {
            value v = value_of(k);
            const bool as_it_is =
                rule == dtype_rule::logical || (rule == dtype_rule::choice && k == 0);
            const ScalarType from = type_of(k);
            if (!as_it_is && from != ScalarType::Undefined && from != o.in)
                v = rows->cast(v, from, o.in);
            operands[static_cast<std::size_t>(k)] = v;
        }
        row_value v{.is = row_value::kind::row, .row = row};
        if (isComplexType(o.in)) v.from = o.in;
        v.by_numbers = row == op::clamp || row == op::minimum || row == op::maximum;
        for (int k = 1; k < op::info(row).arity; ++k)
            v.by_numbers = v.by_numbers && type_of(k) == ScalarType::Undefined;
        return rows->repeat(v, operands);
    }
};

/// Words of a program and what they read.
struct words {
    std::vector<uint16_t> code;
    std::vector<piece_source> leaves;
    std::vector<piece::number> numbers;

    void append(const words& o) {
        code.insert(code.end(), o.code.begin(), o.code.end());
        leaves.insert(leaves.end(), o.leaves.begin(), o.leaves.end());
        numbers.insert(numbers.end(), o.numbers.begin(), o.numbers.end());
    }
    void put(uint16_t word) { code.push_back(word); }
    void put_cast(ScalarType to) {
        put(token_cast);
        put(static_cast<uint16_t>(to));
    }
};

/// Makes pieces of a vector-Jacobian or a Jacobian-vector program.
class writer {
public:
    writer(const statement& s, const row_program& derived, std::span<const bool> wanted,
           derivation& to)
        : s_(s),
          p_(derived),
          wanted_(wanted),
          to_(to),
          followed_(followed_inputs(*s.rows)),
          uses_(p_.values().size()),
          texts_(p_.values().size()) {
        inputs_ = s.inputs;
    }

    /// The program's outputs are the gradients of the wanted operands, in the order of inputs.
    void put_gradients() {
        inputs_.push_back({input::kind::gradient, 0});
        write_values();
        for (std::size_t operand = 0; operand < wanted_.size(); ++operand)
            if (wanted_[operand]) put_gradient(static_cast<uint16_t>(operand));
    }
    /// Its output is the tangent of the result. Its last inputs are those of the wanted operands.
    void put_tangent() {
        for (const input& i : s_.inputs)
            if (i.what == input::kind::operand && wanted_[i.number])
                inputs_.push_back({input::kind::gradient, i.number});
        write_values();
        if (p_.outputs[0] >= 0) to_.tangent = source_of(text_of(p_.outputs[0]));
    }

private:
    void write_values() {
        find_numbers();
        count_uses();
        for (std::size_t v = inputs_.size(); v < p_.values().size(); ++v)
            if (uses_[v] > 0) write(static_cast<value>(v));
    }

    const row_value& at(value v) const { return p_.at(v); }

    /// Returns the value to read: the statement's result stands for what it was computed by.
    value read(value v) const {
        const value made = s_.rows->outputs[0];
        const auto more = static_cast<value>(inputs_.size() - s_.inputs.size());
        const bool is_result = made >= s_.rows->inputs() && v == made + more;
        return is_result ? static_cast<value>(s_.inputs.size()) - 1 : v;
    }

    /// Values of numbers alone are computed as 0-d doubles, which do not decide dtypes.
    void find_numbers() {
        for (std::size_t v = 0; v < p_.values().size(); ++v) {
            const row_value& r = p_.values()[v];
            bool number = r.is == row_value::kind::number;
            if (r.is == row_value::kind::input) {
                number = inputs_[v].what == input::kind::number;
            } else if (!number) {
                number = true;
                for (const value o : r.operands)
                    number = number && (o < 0 || number_[static_cast<std::size_t>(o)]);
            }
            number_.push_back(number);
        }
    }

    void count_uses() {
        std::vector<value> open;
        const auto use = [&](value v) {
            v = read(v);
            if (uses_[static_cast<std::size_t>(v)]++ == 0) open.push_back(v);
        };
        for (const value v : p_.outputs)
            if (v >= 0) use(v);
        while (!open.empty()) {
            const value v = open.back();
            open.pop_back();
            for (const value o : at(v).operands)
                if (o >= 0) use(o);
        }
    }

    words text_of_input(value v) const {
        const input& i = inputs_[static_cast<std::size_t>(v)];
        words t;
        switch (i.what) {
            case input::kind::number:
                t.put(token_scalar);
                t.numbers.push_back({i.number, 0});
                break;
            case input::kind::operand:
                t.put(token_leaf);
                t.leaves.push_back({piece_source::kind::operand, i.number});
                break;
            case input::kind::result:
                t.put(token_leaf);
                t.leaves.push_back({piece_source::kind::result});
                break;
            case input::kind::gradient:
                t.put(token_leaf);
                t.leaves.push_back({piece_source::kind::gradient, i.number});
        }
        return t;
    }

    words text_of(value v) const {
        v = read(v);
        const row_value& r = at(v);
        if (r.is == row_value::kind::input) return text_of_input(v);
        if (r.is != row_value::kind::number) return texts_[static_cast<std::size_t>(v)];
        words t;
        t.put(token_scalar);
        t.numbers.push_back({-1, std::bit_cast<double>(r.bits)});
        return t;
    }

    /// Makes a piece of the words. Returns the words that read it.
    words set_apart(const words& t) {
        to_.pieces.push_back({intern({t.code.data(), static_cast<uint16_t>(t.code.size()),
                                      static_cast<uint16_t>(t.leaves.size()),
                                      static_cast<uint16_t>(t.numbers.size()),
                                      program_digest(t.code.data(), t.code.size())}),
                              t.leaves, t.numbers});
        for (const piece_source& l : t.leaves) {
            if (l.what == piece_source::kind::operand) to_.saves[l.number] = true;
            if (l.what == piece_source::kind::result) to_.saves_result = true;
        }
        words reads;
        reads.put(token_leaf);
        reads.leaves.push_back(last_piece());
        return reads;
    }
    piece_source last_piece() const {
        return {piece_source::kind::piece, static_cast<uint16_t>(to_.pieces.size() - 1)};
    }

    void write(value v) {
        const row_value& r = at(v);
        words t;
        if (r.is == row_value::kind::polygamma) {
            texts_[static_cast<std::size_t>(v)] = set_polygamma_apart(r);
            return;
        }
        const bool of_numbers = number_[static_cast<std::size_t>(v)];
        if (r.is == row_value::kind::number) return;
        for (const value o : r.operands) {
            if (o < 0) continue;
            t.append(text_of(o));
            if (of_numbers && is_input(o) && r.is != row_value::kind::cast)
                t.put_cast(type_of_number(o));
            else if (r.is == row_value::kind::join && number_[static_cast<std::size_t>(o)])
                t.put_cast(toRealValueType(r.to));
        }
        switch (r.is) {
            case row_value::kind::cast: t.put_cast(r.to); break;
            case row_value::kind::part: t.put(r.bits == 0 ? token_real : token_imag); break;
            case row_value::kind::join:
                t.put(token_join);
                t.put(static_cast<uint16_t>(r.to));
                break;
            default:
                t.put(r.row);
                if (r.to != ScalarType::Undefined) t.put(static_cast<uint16_t>(r.to));
        }
        const bool apart = of_numbers ? meets_tensors(v) : uses_[static_cast<std::size_t>(v)] > 1;
        texts_[static_cast<std::size_t>(v)] = apart ? set_apart(t) : std::move(t);
    }

    bool is_input(value v) const {
        return read(v) < static_cast<value>(inputs_.size()) ||
               at(read(v)).is == row_value::kind::number;
    }
    ScalarType type_of_number(value v) const {
        if (at(read(v)).is == row_value::kind::number) return kDouble;
        const input& i = inputs_[static_cast<std::size_t>(read(v))];
        const bool complex = s_.code.scalars[i.number] == Scalar::kind::complex;
        return complex ? kComplexDouble : kDouble;
    }

    words set_polygamma_apart(const row_value& r) {
        words t = text_of(r.operands[0]);
        const bool is_piece = t.code.size() == 1 && t.leaves.size() == 1 &&
                              t.leaves[0].what == piece_source::kind::piece;
        if (!is_piece) t = set_apart(t);
        to_.pieces.push_back({nullptr, t.leaves, {}, static_cast<int>(r.bits)});
        t.leaves = {last_piece()};
        return t;
    }

    /// Returns true if the value of numbers is an operand beside a tensor.
    bool meets_tensors(value v) const {
        for (std::size_t n = 0; n < p_.values().size(); ++n)
            for (const value o : p_.values()[n].operands)
                if (o == v && uses_[n] > 0 && !number_[n]) return true;
        return false;
    }

    void put_gradient(uint16_t operand) {
        std::size_t output = 0;
        for (std::size_t n = 0; n < s_.inputs.size(); ++n) {
            const input& i = s_.inputs[n];
            if (i.what != input::kind::operand || !wanted_[i.number]) continue;
            const value v = p_.outputs[output++];
            if (i.number != operand) continue;
            if (v >= 0)
                to_.gradients.push_back({operand, source_of(text_of(v))});
            else
                to_.gradients.push_back({operand, std::nullopt, followed_[n]});
            return;
        }
        to_.gradients.push_back({operand, std::nullopt});
    }

    piece_source source_of(const words& t) {
        const bool whole = t.code.size() == 1 && t.leaves.size() == 1;
        if (whole && t.leaves[0].what != piece_source::kind::operand) return t.leaves[0];
        set_apart(t);
        return last_piece();
    }

    const statement& s_;
    const row_program& p_;
    std::span<const bool> wanted_;
    derivation& to_;
    std::vector<bool> followed_;
    std::vector<input> inputs_;
    std::vector<bool> number_;
    std::vector<int> uses_;
    std::vector<words> texts_;
};

std::unique_ptr<derivation> new_derivation(const typed_program& code, std::span<const bool> wanted,
                                           bool forward) {
    auto d = std::make_unique<derivation>();
    d->saves.assign(wanted.size(), false);
    const statement s(code);
    std::vector<char> named;
    for (const input& i : s.inputs)
        named.push_back(i.what == input::kind::operand && wanted[i.number]);
    try {
        const auto list = std::make_unique<bool[]>(named.size());
        std::copy(named.begin(), named.end(), list.get());
        const std::span<const bool> which(list.get(), named.size());
        if (forward) {
            writer(s, jvp(*s.rows, which), wanted, *d).put_tangent();
            return d;
        }
        writer(s, vjp(*s.rows, which), wanted, *d).put_gradients();
        d->follows = std::any_of(d->gradients.begin(), d->gradients.end(),
                                 [](const operand_gradient& g) { return g.source || g.is_zero; });
    } catch (const NotImplementedError&) {
        d->missing = "";
        for (const typed_op& o : code.ops)
            for (int k = 0; o.what == typed_op::kind::row && k < 3; ++k)
                if (column_of(static_cast<op::id>(o.id), k).kind == column_kind::missing)
                    d->missing = op::info(static_cast<op::id>(o.id)).name;
    }
    return d;
}

/// A derivation of a program for some of its operands: one bit each, after that of the mode.
struct kept_derivation {
    const typed_program* code;
    uint64_t key;
    std::unique_ptr<derivation> made;
};

struct derivation_table {
    std::mutex mutex;  // all threads share the derivations, which are never freed
    std::map<std::tuple<const typed_program*, std::vector<bool>, bool>, kept_derivation> all;
};

const kept_derivation& look_up(const typed_program& code, uint64_t key,
                               std::span<const bool> wanted, bool forward) {
    static auto* t = new derivation_table;  // leaked: tensors may die after main
    const std::lock_guard lock(t->mutex);
    kept_derivation& k = t->all[{&code, std::vector<bool>(wanted.begin(), wanted.end()), forward}];
    if (!k.made) k = {&code, key, new_derivation(code, wanted, forward)};
    return k;
}

/// Derivations that were looked up, by a hash of program and key: readers take no lock.
constinit std::atomic<const kept_derivation*> recent[1024] = {};

const derivation& known_derivation(const typed_program& code, std::span<const bool> wanted,
                                   bool forward) {
    if (wanted.size() >= 63) return *look_up(code, 0, wanted, forward).made;
    uint64_t key = forward;
    for (const bool one : wanted) key = key << 1 | static_cast<uint64_t>(one);
    const std::size_t place = reinterpret_cast<uintptr_t>(&code) / alignof(std::max_align_t) ^ key;
    auto& last = recent[place % std::size(recent)];
    const kept_derivation* k = last.load(std::memory_order_acquire);
    if (!k || k->code != &code || k->key != key) {
        k = &look_up(code, key, wanted, forward);
        last.store(k, std::memory_order_release);
    }
    return *k->made;
}

}  // namespace

const derivation& derive(const typed_program& code, std::span<const bool> wanted) {
    return known_derivation(code, wanted, false);
}
const derivation& derive_forward(const typed_program& code, std::span<const bool> varied) {
    return known_derivation(code, varied, true);
}

}  // namespace sinter::inline v1::autograd
